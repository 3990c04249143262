#include "sim/scenario/prices.h"

#include <string.h>
#include <strings.h>

#include "core/money.h"

#define FULL 1000 /* per mille */

static uint32_t label_of(const struct name_table *strings, const struct node *node, const char *key)
{
	uint32_t string = name_find(strings, key);

	return string == NAME_NONE ? NAME_NONE : label_value(&node->labels, string);
}

static bool is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && strncasecmp(text, word, len) == 0;
}

/* "NVIDIA-H100-80GB-HBM3" is an H100; "h100" is. */
static bool has_word(const char *text, const char *word)
{
	for (;;) {
		size_t len = strcspn(text, "-_ ");

		if (is_word(text, len, word))
			return true;
		if (text[len] == '\0')
			return false;
		text += len + 1;
	}
}

static bool matches_type(const struct name_table *strings, const struct price *price,
			 uint32_t string)
{
	return price->instance_type != NAME_NONE && string != NAME_NONE &&
	       strcmp(name_text(strings, price->instance_type), name_text(strings, string)) == 0;
}

static bool matches_model(const struct name_table *strings, const struct price *price,
			  uint32_t string)
{
	return price->model != NAME_NONE && price->gpus > 0 && string != NAME_NONE &&
	       has_word(name_text(strings, string), name_text(strings, price->model));
}

const struct price *prices_find(const struct name_table *strings, const struct price *prices,
				uint32_t count, const struct node *node)
{
	const uint32_t types[] = {label_of(strings, node, "node.kubernetes.io/instance-type"),
				  label_of(strings, node, "beta.kubernetes.io/instance-type"),
				  node->pool};
	uint32_t model = label_of(strings, node, "nvidia.com/gpu.product");

	for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++)
		for (uint32_t i = count; i-- > 0;)
			if (matches_type(strings, &prices[i], types[t]))
				return &prices[i];
	for (uint32_t i = count; i-- > 0 && node->gpus > 0;)
		if (matches_model(strings, &prices[i], model))
			return &prices[i];
	return NULL;
}

bool prices_is_spot(const struct name_table *strings, const struct node *node)
{
	static const struct {
		const char *key, *value;
	} marks[] = {{"karpenter.sh/capacity-type", "spot"},
		     {"eks.amazonaws.com/capacityType", "SPOT"},
		     {"cloud.google.com/gke-spot", "true"},
		     {"cloud.google.com/gke-provisioning", "spot"},
		     {"kubernetes.azure.com/scalesetpriority", "spot"}};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		uint32_t value = label_of(strings, node, marks[i].key);

		if (value != NAME_NONE && strcmp(name_text(strings, value), marks[i].value) == 0)
			return true;
	}
	return false;
}

/* A price by model is one of so many GPUs. */
static int64_t at_discount(const struct price *price, const struct node *node, uint16_t per_mille)
{
	int64_t full = price->gpus == 0
			       ? price->micro_usd_per_hour
			       : money_part(price->micro_usd_per_hour, node->gpus, price->gpus);

	return money_part(full, FULL - per_mille, FULL);
}

int64_t prices_of(const struct price *price, const struct node *node, bool spot)
{
	return at_discount(price, node, spot ? price->spot_least : 0);
}

int64_t prices_reserved(const struct price *price, const struct node *node)
{
	return at_discount(price, node, price->reserved_least);
}
