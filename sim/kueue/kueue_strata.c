#include "sim/kueue/kueue_strata.h"

#include <string.h>

#include "core/mem.h"
#include "core/res.h"

void kueue_strata_free(struct kueue_strata *s)
{
	mem_free(s->priorities);
	mem_free(s->sums);
	*s = (struct kueue_strata){0};
}

/* The first stratum of that priority or a higher one. */
static uint32_t find(const struct kueue_strata *s, int32_t priority)
{
	uint32_t low = 0, high = s->count;

	while (low < high) {
		uint32_t half = low + (high - low) / 2;

		if (s->priorities[half] < priority)
			low = half + 1;
		else
			high = half;
	}
	return low;
}

static void insert(struct kueue_strata *s, uint32_t columns, uint32_t at, int32_t priority)
{
	size_t row = (size_t)at * columns, behind = s->count - (size_t)at;

	s->priorities = mem_grow(s->priorities, s->count + (size_t)1, &s->priority_capacity,
				 sizeof(*s->priorities));
	s->sums = mem_grow(s->sums, (s->count + (size_t)1) * columns, &s->sum_capacity,
			   sizeof(*s->sums));
	memmove(&s->priorities[at + 1], &s->priorities[at], behind * sizeof(*s->priorities));
	memmove(&s->sums[row + columns], &s->sums[row], behind * columns * sizeof(*s->sums));
	s->priorities[at] = priority;
	memset(&s->sums[row], 0, columns * sizeof(*s->sums));
	s->count++;
}

void kueue_strata_add(struct kueue_strata *s, uint32_t columns, int32_t priority,
		      const struct quota_amount *amounts, uint32_t count)
{
	uint32_t at = find(s, priority);

	if (at == s->count || s->priorities[at] != priority)
		insert(s, columns, at, priority);
	for (uint32_t i = 0; i < count; i++) {
		int64_t *sum = &s->sums[(size_t)at * columns + amounts[i].column];

		if (amounts[i].amount < 0 || __builtin_add_overflow(*sum, amounts[i].amount, sum))
			s->vast = true;
	}
}

void kueue_strata_remove(struct kueue_strata *s, uint32_t columns, int32_t priority,
			 const struct quota_amount *amounts, uint32_t count)
{
	int64_t *row = &s->sums[(size_t)find(s, priority) * columns];

	for (uint32_t i = 0; i < count; i++) {
		if (__builtin_sub_overflow(row[amounts[i].column], amounts[i].amount,
					   &row[amounts[i].column]))
			s->vast = true;
	}
}

void kueue_strata_add_all(struct kueue_strata *s, uint32_t columns,
			  const struct kueue_strata *other)
{
	s->vast = s->vast || other->vast;
	for (uint32_t i = 0; i < other->count; i++) {
		for (uint32_t c = 0; c < columns; c++) {
			struct quota_amount amount = {c, other->sums[(size_t)i * columns + c]};

			kueue_strata_add(s, columns, other->priorities[i], &amount, 1);
		}
	}
}

int64_t kueue_strata_sum(const struct kueue_strata *s, uint32_t columns, uint32_t column,
			 int32_t priority, bool same)
{
	int64_t sum = 0;

	if (s->vast)
		return RES_UNLIMITED;
	for (uint32_t i = 0; i < s->count; i++) {
		if (s->priorities[i] > priority || (s->priorities[i] == priority && !same))
			break;
		sum = res_add(sum, s->sums[(size_t)i * columns + column]);
	}
	return sum;
}
