#include "core/res.h"

#include <assert.h>
#include <string.h>

static const char *const fixed_names[RES_FIXED] = {
	[RES_CPU] = "cpu",   [RES_MEMORY] = "memory",	   [RES_EPHEMERAL] = "ephemeral-storage",
	[RES_PODS] = "pods", [RES_GPU] = "nvidia.com/gpu",
};

struct name_table *res_table_new(void)
{
	struct name_table *table = name_new();

	for (uint32_t i = 0; i < RES_FIXED; i++) {
		uint32_t index = name_add(table, fixed_names[i]);

		assert(index == i);
	}
	return table;
}

bool res_is_milli(uint32_t resource)
{
	return resource == RES_CPU;
}

bool res_is_gpu(const char *name)
{
	const char *slash = strchr(name, '/');

	if (slash == NULL)
		return false;
	if (strcmp(slash + 1, "gpu") == 0)
		return true;
	return strcmp(name, "gpu.intel.com/i915") == 0 || strcmp(name, "gpu.intel.com/xe") == 0;
}

enum num_style res_style(const char *name)
{
	static const char huge_pages[] = "hugepages-";

	if (strcmp(name, fixed_names[RES_CPU]) == 0)
		return NUM_MILLI;
	if (strcmp(name, fixed_names[RES_MEMORY]) == 0 ||
	    strcmp(name, fixed_names[RES_EPHEMERAL]) == 0 ||
	    strncmp(name, huge_pages, sizeof(huge_pages) - 1) == 0)
		return NUM_BINARY;
	return NUM_DECIMAL;
}

uint64_t res_order_key(const char *name)
{
	return name_hash(name, strlen(name));
}
