#include "core/dwell.h"

#include <string.h>

#include "core/mem.h"
#include "core/res.h"

#define MILLI 1000

void dwell_add(struct dwell *dwell, uint32_t level, simtime time)
{
	if (time <= 0)
		return;
	if (level >= dwell->count) {
		dwell->time = mem_grow(dwell->time, (size_t)level + 1, &dwell->capacity,
				       sizeof(*dwell->time));
		memset(&dwell->time[dwell->count], 0,
		       ((size_t)level + 1 - dwell->count) * sizeof(*dwell->time));
		dwell->count = (size_t)level + 1;
	}
	dwell->time[level] = res_add(dwell->time[level], time);
	dwell->total = res_add(dwell->total, time);
}

uint32_t dwell_quantile(const struct dwell *dwell, uint32_t per_mille)
{
	simtime wanted = dwell->total / MILLI * per_mille +
			 (dwell->total % MILLI * per_mille + MILLI - 1) / MILLI;
	simtime sum = 0;

	for (size_t level = 0; level < dwell->count; level++) {
		sum = res_add(sum, dwell->time[level]);
		if (sum >= wanted && sum > 0)
			return (uint32_t)level;
	}
	return 0;
}

void dwell_free(struct dwell *dwell)
{
	mem_free(dwell->time);
	*dwell = (struct dwell){0};
}
