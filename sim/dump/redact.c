#include "sim/dump/redact.h"

#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "core/name.h"
#include "core/num.h"
#include "core/sort.h"

struct hidden {
	uint32_t text; /* of texts */
	enum redact_role role;
};

struct redact {
	struct name_table *texts, *names;
	struct hidden *hidden; /* by text */
	size_t capacity;
	uint32_t *name; /* by text: string of names; after redact_settle */
};

static const char *const prefixes[REDACT_ROLES] = {
	[REDACT_RESOURCE] = "example.com/resource",
	[REDACT_NAMESPACE] = "namespace",
	[REDACT_QUEUE] = "queue",
	[REDACT_COHORT] = "cohort",
	[REDACT_FLAVOR] = "flavor",
	[REDACT_NODE] = "node",
	[REDACT_CLASS] = "class",
	[REDACT_JOB] = "job",
	[REDACT_LABEL] = "label",
	[REDACT_VALUE] = "value",
};

/* Label keys whose values say what hardware or system it is. */
static const char *const open_values[] = {
	"kubernetes.io/arch",
	"kubernetes.io/os",
	"nvidia.com/gpu.product",
	"nvidia.com/gpu.count",
	"nvidia.com/gpu.memory",
	"nvidia.com/gpu.present",
	"nvidia.com/gpu.family",
	"amd.com/gpu.product-name",
	"cloud.google.com/gke-accelerator",
	"node.kubernetes.io/instance-type",
};

/* Domains, and names, that are no cluster's own. */
static const char *const open_domains[] = {
	"kubernetes.io", "k8s.io",    "x-k8s.io",   "nvidia.com",	"amd.com",
	"gqsim",	 "intel.com", "google.com", "alibabacloud.com", "habana.ai"};
/* Of these what follows is free. */
static const char *const closed_domains[] = {"node-role.kubernetes.io/",
					     "node-restriction.kubernetes.io/"};
static const char *const open_roles[] = {"node-role.kubernetes.io/control-plane",
					 "node-role.kubernetes.io/master"};
static const char *const open_names[] = {"default",
					 "main",
					 "true",
					 "false",
					 "cpu",
					 "memory",
					 "pods",
					 "ephemeral-storage",
					 "default-scheduler",
					 "system-node-critical",
					 "system-cluster-critical"};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static bool is_in(const char *text, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(text, list[i]) == 0)
			return true;
	}
	return false;
}

/* "nvidia.com/gpu", "kueue.x-k8s.io/queue-name", "kueue.x-k8s.io" */
static bool is_open_domain(const char *text)
{
	size_t len = strcspn(text, "/");

	for (size_t i = 0; i < COUNT(closed_domains); i++)
		if (strncmp(text, closed_domains[i], strlen(closed_domains[i])) == 0)
			return is_in(text, open_roles, COUNT(open_roles));
	for (size_t i = 0; i < COUNT(open_domains); i++) {
		size_t n = strlen(open_domains[i]);

		if (len >= n && strncmp(text + len - n, open_domains[i], n) == 0 &&
		    (len == n || text[len - n - 1] == '.'))
			return strchr(text, '/') != NULL;
	}
	return false;
}

/* A word of the API: no name of an object has a capital. */
static bool is_word(const char *text)
{
	if (text[0] < 'A' || text[0] > 'Z')
		return false;
	for (; *text != '\0'; text++) {
		if ((*text < 'a' || *text > 'z') && (*text < 'A' || *text > 'Z'))
			return false;
	}
	return true;
}

static bool is_number(const char *text)
{
	int64_t amount;

	if (text[0] != '-' && (text[0] < '0' || text[0] > '9'))
		return false;
	return num_read_quantity(text + (text[0] == '-'), strlen(text) - (text[0] == '-'), true,
				 &amount) == NUM_OK ||
	       strspn(text, "0123456789.hmsd") == strlen(text);
}

static bool is_open(const char *text)
{
	return text[0] == '\0' || is_word(text) || is_number(text) || is_open_domain(text) ||
	       is_in(text, open_names, COUNT(open_names));
}

struct redact *redact_new(void)
{
	struct redact *redact = mem_calloc(1, sizeof(*redact));

	redact->texts = name_new();
	redact->names = name_new();
	return redact;
}

void redact_free(struct redact *redact)
{
	if (redact == NULL)
		return;
	name_free(redact->texts);
	name_free(redact->names);
	mem_free(redact->hidden);
	mem_free(redact->name);
	mem_free(redact);
}

void redact_hide(struct redact *redact, enum redact_role role, const char *text)
{
	uint32_t known = name_count(redact->texts), at;

	if (text[0] == '\0' || is_number(text) || is_in(text, open_names, COUNT(open_names)))
		return;
	at = name_add(redact->texts, text);
	if (at == known) {
		redact->hidden = mem_grow(redact->hidden, (size_t)at + 1, &redact->capacity,
					  sizeof(*redact->hidden));
		redact->hidden[at] = (struct hidden){.text = at, .role = role};
	}
	if (role < redact->hidden[at].role)
		redact->hidden[at].role = role;
}

void redact_show(struct redact *redact, enum redact_role role, const char *text)
{
	if (!is_open(text))
		redact_hide(redact, role, text);
}

void redact_show_label(struct redact *redact, const char *key, const char *value)
{
	redact_show(redact, REDACT_LABEL, key);
	if (!is_in(key, open_values, COUNT(open_values)))
		redact_hide(redact, REDACT_VALUE, value);
}

static int by_role(const void *a, const void *b, void *context)
{
	const struct hidden *x = a, *y = b;
	const struct name_table *texts = context;

	if (x->role != y->role)
		return x->role < y->role ? -1 : 1;
	return strcmp(name_text(texts, x->text), name_text(texts, y->text));
}

static int digits(uint32_t number)
{
	int n = 1;

	for (; number >= 10; number /= 10)
		n++;
	return n;
}

void redact_settle(struct redact *redact)
{
	uint32_t count = name_count(redact->texts), of_role[REDACT_ROLES] = {0}, number = 0;

	redact->name = mem_calloc(count, sizeof(*redact->name));
	for (uint32_t i = 0; i < count; i++)
		of_role[redact->hidden[i].role]++;
	sort_stable(redact->hidden, count, sizeof(*redact->hidden), by_role, redact->texts);
	for (uint32_t i = 0; i < count; i++) {
		enum redact_role role = redact->hidden[i].role;
		char text[40];

		number = i > 0 && redact->hidden[i - 1].role == role ? number + 1 : 0;
		snprintf(text, sizeof(text), "%s-%0*u", prefixes[role], digits(of_role[role] - 1),
			 number);
		redact->name[redact->hidden[i].text] = name_add(redact->names, text);
	}
}

const char *redact_text(const struct redact *redact, const char *text)
{
	return is_word(text) ? text : redact_value(redact, text);
}

const char *redact_value(const struct redact *redact, const char *text)
{
	uint32_t at = name_find(redact->texts, text);

	return at == NAME_NONE ? text : name_text(redact->names, redact->name[at]);
}
