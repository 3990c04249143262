#include "sim/page/page_choice.h"

#include "core/mem.h"

/* The lower, the sooner a job is taken. */
enum rank { RANK_DEADLOCK, RANK_NEVER, RANK_STOPPED, RANK_LONGEST, RANK_WAITED, RANK_OTHER, RANKS };

static void lift(uint8_t *ranks, uint32_t job, enum rank rank)
{
	if (job != JOB_NONE && ranks[job] > rank)
		ranks[job] = (uint8_t)rank;
}

static void rank_column(const struct report_column *column, uint8_t *ranks)
{
	const struct metrics *m = column->metrics;
	const struct journal *j = column->journal;
	struct journal_reader in;
	const struct journal_record *r;

	for (size_t i = 0; i < m->deadlock_count; i++) {
		const struct journal_set *set = &j->sets[m->deadlocks[i].set];

		for (uint32_t k = 0; k < set->count; k++)
			lift(ranks, set->jobs[k], RANK_DEADLOCK);
	}
	for (uint32_t job = 0; job < column->scenario->job_count; job++) {
		const struct replay_job *state = &m->states[job];

		if ((state->flags & REPLAY_SUBMITTED) != 0 && state->first_start == CLOCK_NEVER)
			lift(ranks, job, RANK_NEVER);
		else if (metrics_waited(m, job) > 0)
			lift(ranks, job, RANK_WAITED);
	}
	journal_open(&in, j);
	while ((r = journal_until(&in, m->end)) != NULL) {
		uint16_t kind = r->kind;

		if (kind == J_PREEMPTED || kind == J_POD_PREEMPTED || kind == J_EVICTED ||
		    kind == J_POD_EVICTED || kind == J_FAILED)
			lift(ranks, r->job, RANK_STOPPED);
	}
	lift(ranks, m->longest, RANK_LONGEST);
	lift(ranks, m->starved.worst, RANK_LONGEST);
	lift(ranks, m->starved.longest, RANK_LONGEST);
}

/* Every job of the rank, or as many as there is room for, evenly spread. */
static uint32_t take(const uint8_t *ranks, uint32_t jobs, enum rank rank, uint32_t room,
		     uint32_t *place)
{
	uint32_t all = 0, seen = 0, taken = 0;

	for (uint32_t job = 0; job < jobs; job++)
		all += ranks[job] == rank;
	for (uint32_t job = 0; job < jobs && taken < room; job++) {
		if (ranks[job] != rank)
			continue;
		/* The n-th of them is taken where the share of room passes a whole number. */
		if (all <= room ||
		    (uint64_t)(seen + 1) * room / all > (uint64_t)seen * room / all) {
			place[job] = 0;
			taken++;
		}
		seen++;
	}
	return taken;
}

void page_choice_make(const struct report *report, uint32_t max, struct page_choice *out)
{
	uint32_t jobs = report->columns[0].scenario->job_count, taken = 0;
	uint8_t *ranks = mem_calloc(jobs, sizeof(*ranks));

	*out = (struct page_choice){.place = mem_calloc(jobs, sizeof(*out->place))};
	for (uint32_t job = 0; job < jobs; job++) {
		out->place[job] = JOB_NONE;
		ranks[job] = RANK_OTHER;
	}
	for (size_t i = 0; i < report->count; i++)
		rank_column(&report->columns[i], ranks);
	for (int rank = 0; rank < RANKS; rank++)
		taken += take(ranks, jobs, (enum rank)rank, max - taken, out->place);
	out->jobs = mem_calloc(taken, sizeof(*out->jobs));
	for (uint32_t job = 0; job < jobs; job++) {
		if (out->place[job] == JOB_NONE)
			continue;
		out->place[job] = out->count;
		out->jobs[out->count++] = job;
	}
	mem_free(ranks);
}

void page_choice_free(struct page_choice *choice)
{
	mem_free(choice->jobs);
	mem_free(choice->place);
}
