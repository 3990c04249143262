#include "tests/support/records.h"

#include <string.h>

void records_add(struct journal *j, const struct journal_record *record)
{
	*journal_next_free(j, record->kind) = *record;
}

void records_job(struct journal *j, int64_t at_s, enum journal_kind kind, uint32_t job,
		 uint32_t arg, uint32_t arg2)
{
	records_add(j, &(struct journal_record){.time = at_s * CLOCK_SECOND,
						.job = job,
						.pod = NAME_NONE,
						.arg = arg,
						.arg2 = arg2,
						.kind = (uint16_t)kind});
}

void records_pod(struct journal *j, int64_t at_s, enum journal_kind kind, uint32_t job,
		 uint32_t index, uint32_t arg, uint32_t arg2)
{
	j->places_pods = true;
	records_add(j, &(struct journal_record){.time = at_s * CLOCK_SECOND,
						.job = job,
						.pod = j->first_pod[job] + index,
						.arg = arg,
						.arg2 = arg2,
						.kind = (uint16_t)kind});
}

void records_lost(struct journal *j, int64_t at_s, uint32_t job, int64_t lost_s)
{
	uint64_t lost = (uint64_t)(lost_s * CLOCK_SECOND);

	records_job(j, at_s, J_WORK_LOST, job, (uint32_t)lost, (uint32_t)(lost >> 32));
}

uint32_t records_admission(struct journal *j, uint32_t job, uint32_t queue, uint32_t borrow)
{
	const struct admission_flavor flavor = {.resource = RES_GPU, .flavor = 0};
	const struct admission_pod_set set = {.count = j->scenario->jobs[job].common->pods,
					      .flavor_count = 1,
					      .flavors = &flavor};
	const struct admission a = {
		.cluster_queue = queue, .borrow = borrow, .pod_set_count = 1, .pod_sets = &set};

	return journal_admission(j, &a);
}

void records_change(struct journal *j, size_t number, const struct journal_record *record)
{
	struct journal_reader in;
	const struct journal_record *r;
	struct journal_record *all = mem_calloc(j->count, sizeof(*all));
	size_t count = j->count;

	journal_open(&in, j);
	while ((r = journal_next(&in)) != NULL)
		all[in.next - 1] = *r;
	all[number] = *record;
	j->count = 0;
	j->kinds = 0;
	for (size_t i = 0; i < count; i++)
		records_add(j, &all[i]);
	mem_free(all);
}

bool records_equal(const struct journal *a, const struct journal *b)
{
	struct journal_reader of_a, of_b;
	const struct journal_record *x, *y;

	journal_open(&of_a, a);
	journal_open(&of_b, b);
	do {
		x = journal_next(&of_a);
		y = journal_next(&of_b);
	} while (x != NULL && y != NULL && memcmp(x, y, sizeof(*x)) == 0);
	return x == NULL && y == NULL;
}
