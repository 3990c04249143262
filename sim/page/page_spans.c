#include "sim/page/page_spans.h"

#include "core/mem.h"
#include "sim/world/replay.h"

struct spot { /* a pod */
	uint32_t node;
	bool idle;
	simtime since;
};

struct search {
	struct page_spans *out;
	const struct journal *journal;
	struct spot *spots; /* [pod slot] */
	bool *solo_works;   /* [pod slot]: it works by itself */
	simtime end;
};

static void add_span(struct search *search, uint32_t job, uint32_t pod, simtime now, bool stands)
{
	const struct journal *j = search->journal;
	const struct spot *spot = &search->spots[pod];
	struct page_spans *out = search->out;

	out->items = mem_grow(out->items, out->count + 1, &out->capacity, sizeof(*out->items));
	out->items[out->count++] = (struct page_span){
		.job = job,
		.node = spot->node,
		.gpus = (uint32_t)replay_pod_gpus(j->scenario, job, pod - j->first_pod[job]),
		.idle = spot->idle,
		.stands = stands,
		.from = spot->since,
		.to = now,
	};
}

static void close_span(struct search *search, uint32_t job, uint32_t pod, simtime now)
{
	const struct spot *spot = &search->spots[pod];

	if (spot->node != NODE_NONE && now > spot->since)
		add_span(search, job, pod, now, false);
}

static void put(struct search *search, uint32_t job, uint32_t pod, uint32_t node, simtime now)
{
	close_span(search, job, pod, now);
	search->spots[pod] = (struct spot){node, true, now};
}

/* Whether the pods of a job work, after all records of an instant. */
static void settle(struct search *search, const struct replay *replay, uint32_t job)
{
	const struct journal *j = search->journal;
	bool solo = (j->scenario->jobs[job].common->flags & JOB_SOLO) != 0;
	bool running = (replay->jobs[job].flags & REPLAY_RUNNING) != 0 ||
		       replay_more(replay->jobs, replay->more, job)->working != 0;

	for (uint32_t pod = j->first_pod[job]; pod < j->first_pod[job + 1]; pod++) {
		struct spot *spot = &search->spots[pod];
		bool idle = solo ? !search->solo_works[pod] : !running;

		if (spot->node == NODE_NONE || spot->idle == idle)
			continue;
		close_span(search, job, pod, replay->now);
		spot->since = replay->now;
		spot->idle = idle;
	}
}

static void follow(struct search *search, const struct journal_record *r)
{
	const uint32_t *first = search->journal->first_pod;

	switch (r->kind) {
	case J_POD_SCHEDULED:
		put(search, r->job, r->pod, r->arg, r->time);
		break;
	case J_POD_PREEMPTED:
	case J_POD_EVICTED:
	case J_POD_DELETED:
	case J_POD_SUCCEEDED:
	case J_POD_CRASHED:
		put(search, r->job, r->pod, NODE_NONE, r->time);
		search->solo_works[r->pod] = false;
		break;
	case J_POD_STARTED:
	case J_POD_PAUSED:
		search->solo_works[r->pod] = r->kind == J_POD_STARTED;
		break;
	case J_FINISHED:
	case J_FAILED:
	case J_DELETED:
	case J_RELEASED:
	case J_UNRESERVED:
	case J_PLACEMENT_TIMEOUT:
		for (uint32_t pod = first[r->job]; pod < first[r->job + 1]; pod++) {
			put(search, r->job, pod, NODE_NONE, r->time);
			search->solo_works[pod] = false;
		}
		break;
	default:
		break;
	}
}

static void play(struct search *search)
{
	struct replay *replay = replay_new(search->journal);

	while (replay_step(replay, search->end)) {
		for (size_t i = replay->first; i < replay->last; i++) {
			const struct journal_record *r = journal_read(replay->in, i);

			if (r->job != JOB_NONE)
				follow(search, r);
		}
		for (size_t i = replay->first; i < replay->last; i++) {
			uint32_t job = journal_read(replay->in, i)->job;

			if (job != JOB_NONE)
				settle(search, replay, job);
		}
	}
	replay_free(replay);
}

void page_spans_find(const struct journal *journal, simtime end, struct page_spans *out)
{
	const struct scenario *s = journal->scenario;
	uint32_t pods = journal->first_pod[s->job_count];
	struct search search = {.out = out, .journal = journal, .end = end};

	*out = (struct page_spans){.count = 0};
	search.spots = mem_calloc(pods, sizeof(*search.spots));
	search.solo_works = mem_calloc(pods, sizeof(*search.solo_works));
	for (uint32_t pod = 0; pod < pods; pod++)
		search.spots[pod].node = NODE_NONE;
	play(&search);
	for (uint32_t job = 0; job < s->job_count; job++)
		for (uint32_t pod = journal->first_pod[job]; pod < journal->first_pod[job + 1];
		     pod++)
			if (search.spots[pod].node != NODE_NONE)
				add_span(&search, job, pod, end, true);
	mem_free(search.spots);
	mem_free(search.solo_works);
}
