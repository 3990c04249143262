#include "sim/scenario/mig.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

uint32_t mig_slices(const char *profile)
{
	/* a GPU has seven compute slices and eight of memory */
	static const uint32_t of_compute[] = {0, 7, 3, 2, 1, 0, 0, 1};
	uint32_t compute = (uint32_t)(*profile - '0');
	const char *at = profile + 1;

	if (!isdigit((unsigned char)*profile) || compute > MIG_MOST || *at++ != 'g' ||
	    *at++ != '.' || !isdigit((unsigned char)*at))
		return 0;
	while (isdigit((unsigned char)*at))
		at++;
	return strcmp(at, "gb") == 0 ? of_compute[compute] : 0;
}

bool mig_is_enough(int64_t utilisation, uint32_t slices)
{
	return utilisation * slices <= 1000;
}

bool mig_is_resource(const char *resource)
{
	size_t len = strlen(MIG_PREFIX);

	return strncmp(resource, MIG_PREFIX, len) == 0 && mig_slices(resource + len) > 0;
}

/* Is the word in the text, with no letter or digit around it? */
static bool has_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = text; *at != '\0'; at++)
		if (strncasecmp(at, word, len) == 0 && !isalnum((unsigned char)at[len]) &&
		    (at == text || !isalnum((unsigned char)at[-1])))
			return true;
	return false;
}

/* NVIDIA's user guide of MIG, "Supported MIG profiles", and the instance types of AWS. */
const char *mig_profile(const struct name_table *strings, const struct node *node)
{
	static const struct {
		const char *word, *other, *profile; /* other: this word, too; NULL */
	} models[] = {{"A100", "80GB", "1g.10gb"}, {"A100", NULL, "1g.5gb"},
		      {"H100", NULL, "1g.10gb"},   {"H200", NULL, "1g.18gb"},
		      {"B200", NULL, "1g.23gb"},   {"p4d", NULL, "1g.5gb"},
		      {"p4de", NULL, "1g.10gb"},   {"p5", NULL, "1g.10gb"},
		      {"p5e", NULL, "1g.18gb"},	   {"p5en", NULL, "1g.18gb"}};
	uint32_t key = name_find(strings, "nvidia.com/gpu.product");
	uint32_t names[] = {key == NAME_NONE ? NAME_NONE : label_value(&node->labels, key),
			    node->pool};

	for (size_t i = 0; i < 2 * sizeof(models) / sizeof(models[0]); i++) {
		const char *name =
			names[i % 2] == NAME_NONE ? "" : name_text(strings, names[i % 2]);

		if (has_word(name, models[i / 2].word) &&
		    (models[i / 2].other == NULL || has_word(name, models[i / 2].other)))
			return models[i / 2].profile;
	}
	return NULL;
}
