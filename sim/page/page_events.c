#include "sim/page/page_events.h"

#include <string.h>

#include "core/mem.h"
#include "core/sort.h"
#include "sim/explain/explain_look.h"
#include "sim/page/page_jobs.h"
#include "sim/page/page_name.h"
#include "sim/page/page_pattern.h"

#define OF_JOB_MAX 80
#define BRIEF_MAX  12 /* the same where there are many */
#define LIST_MAX   60

struct event {
	uint32_t place, text;
	simtime time;
	size_t first, count; /* of numbers */
};

struct telling {
	struct jsonw *json;
	const struct report_column *column;
	const struct page_choice *choice;
	struct page_events_room room;
	struct name_table *texts;
	struct event *events;
	size_t told, capacity, left;
	bool cut; /* there was no room for all */
	int64_t *numbers;
	size_t number_count, number_capacity;
	uint16_t *of_job;	     /* [place]: events told */
	struct journal_record *last; /* [place]; of kind J_SUBMIT: none yet */
	struct explain_times *times; /* [place] */
};

/* ---- histories ---- */

/* False: there is no room for another text. */
static bool find_text(struct telling *t, const char *pattern, uint32_t *out)
{
	size_t len = page_name_bytes(pattern);

	*out = name_find(t->texts, pattern);
	if (*out != NAME_NONE)
		return true;
	if (len > t->room.text)
		return false;
	t->room.text -= len;
	*out = name_add(t->texts, pattern);
	return true;
}

static void keep_numbers(struct telling *t, const struct page_pattern *pattern)
{
	t->numbers = mem_grow(t->numbers, t->number_count + pattern->count, &t->number_capacity,
			      sizeof(*t->numbers));
	for (size_t i = 0; i < pattern->count; i++)
		t->numbers[t->number_count++] = pattern->numbers[i];
}

static void tell(struct telling *t, const struct journal_record *r, uint32_t place)
{
	struct explain_look look = {.column = t->column,
				    .scenario = t->column->scenario,
				    .journal = t->column->journal};
	struct event event = {.place = place, .time = r->time, .first = t->number_count};
	char *text = explain_history_text(&look, r, &t->times[place]);
	struct page_pattern pattern;
	char name[SCENARIO_NAME_TEXT];

	if (text == NULL)
		return;
	t->cut |= t->told == t->room.events;
	if (t->told == t->room.events ||
	    t->of_job[place] == (t->room.brief ? BRIEF_MAX : OF_JOB_MAX)) {
		t->left++;
		mem_free(text);
		return;
	}
	page_pattern_make(text, scenario_job_name(look.scenario, r->job, name), &pattern);
	if (find_text(t, text, &event.text)) {
		keep_numbers(t, &pattern);
		event.count = pattern.count;
		t->events = mem_grow(t->events, t->told + 1, &t->capacity, sizeof(*t->events));
		t->events[t->told++] = event;
		t->of_job[place]++;
	} else {
		t->cut = true;
		t->left++;
	}
	mem_free(text);
}

/* Outcomes and spans tell it, too. */
static bool is_plain(uint16_t kind)
{
	return kind == J_SUBMIT || kind == J_QUOTA_RESERVED || kind == J_ADMITTED ||
	       kind == J_POD_SCHEDULED || kind == J_STARTED || kind == J_FINISHED ||
	       kind == J_PODS_READY;
}

static void follow(struct telling *t, const struct replay *replay)
{
	for (size_t i = replay->first; i < replay->last; i++) {
		const struct journal_record *r = journal_read(replay->in, i);
		uint32_t place = r->job == JOB_NONE ? JOB_NONE : t->choice->place[r->job];

		if (place == JOB_NONE || r->kind == J_POD_CREATED ||
		    explain_history_repeats(r, &t->last[place]))
			continue;
		t->last[place] = *r;
		t->times[place].queued = replay_queued(replay, r->job);
		if (r->kind == J_QUOTA_RESERVED)
			t->times[place].reserved = r->time;
		if (!t->room.brief || !is_plain(r->kind))
			tell(t, r, place);
	}
}

static int by_job(const void *a, const void *b, void *context)
{
	const struct event *x = a, *y = b;

	(void)context;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* Counted from the job's last event, the first from its submit. */
static void write_moments(const struct telling *t)
{
	const struct scenario *s = t->column->scenario;
	simtime last = 0;

	jsonw_array(t->json, "at");
	for (size_t i = 0; i < t->told; i++) {
		const struct event *e = &t->events[i];

		if (i == 0 || t->events[i - 1].place != e->place)
			last = s->jobs[t->choice->jobs[e->place]].submit;
		last += page_jobs_time(t->json, NULL, e->time - last,
				       t->choice->coarse ? TIME_ROUGH : TIME_EXACT);
	}
	jsonw_close_array(t->json);
}

static void write_patterns(const struct telling *t)
{
	jsonw_array(t->json, "text");
	for (size_t i = 0; i < t->told; i++)
		jsonw_integer(t->json, NULL, t->events[i].text);
	jsonw_close_array(t->json);
	jsonw_array(t->json, "with");
	for (size_t i = 0; i < t->told; i++)
		for (size_t k = 0; k < t->events[i].count; k++)
			jsonw_integer(t->json, NULL, t->numbers[t->events[i].first + k]);
	jsonw_close_array(t->json);
	jsonw_array(t->json, "texts");
	for (uint32_t i = 0; i < name_count(t->texts); i++)
		jsonw_text(t->json, NULL, name_text(t->texts, i));
	jsonw_close_array(t->json);
}

/* How many events each job has, and of these: when, which text, the numbers in it. */
static void write_histories(struct telling *t)
{
	struct replay *replay = replay_new(t->column->journal);

	while (replay_step(replay, t->column->metrics->end))
		follow(t, replay);
	replay_free(replay);
	sort_stable(t->events, t->told, sizeof(*t->events), by_job, NULL);
	jsonw_object(t->json, "events");
	jsonw_array(t->json, "n");
	for (uint32_t i = 0; i < t->choice->count; i++)
		jsonw_integer(t->json, NULL, t->of_job[i]);
	jsonw_close_array(t->json);
	write_moments(t);
	write_patterns(t);
	jsonw_close_object(t->json);
	jsonw_integer(t->json, "events_shown", (int64_t)t->told);
	jsonw_integer(t->json, "events_of", (int64_t)(t->told + t->left));
	jsonw_bool(t->json, "events_cut", t->cut);
}

/* ---- deadlocks ---- */

static void write_job_list(struct jsonw *json, const struct scenario *s, const uint32_t *jobs,
			   uint32_t count)
{
	char name[SCENARIO_NAME_TEXT];

	jsonw_array(json, "jobs");
	for (uint32_t i = 0; i < count && i < 12; i++)
		page_name(json, NULL, scenario_job_name(s, jobs[i], name));
	jsonw_close_array(json);
	jsonw_integer(json, "job_count", count);
}

static void write_deadlocks(struct telling *t)
{
	const struct metrics *m = t->column->metrics;
	struct jsonw *json = t->json;

	jsonw_integer(json, "deadlock_count", (int64_t)m->deadlock_count);
	jsonw_array(json, "deadlocks");
	for (size_t i = 0; i < m->deadlock_count && i < LIST_MAX; i++) {
		const struct metrics_deadlock *d = &m->deadlocks[i];
		const struct journal_set *set = &t->column->journal->sets[d->set];

		jsonw_object(json, NULL);
		jsonw_seconds(json, "since", d->since);
		jsonw_seconds(json, "until", d->until);
		jsonw_bool(json, "standing", d->standing);
		write_job_list(json, t->column->scenario, set->jobs, set->count);
		jsonw_integer(json, "placed", d->pods_placed);
		jsonw_integer(json, "wanted", d->pods_wanted);
		jsonw_integer(json, "gpus", d->gpus);
		jsonw_seconds(json, "gpu_s_held", d->held);
		jsonw_close_object(json);
	}
	jsonw_close_array(json);
}

static void write_starved(struct telling *t)
{
	const struct starved *starved = &t->column->metrics->starved;
	struct jsonw *json = t->json;
	char name[SCENARIO_NAME_TEXT];

	jsonw_object(json, "starved");
	jsonw_integer(json, "jobs", starved->jobs);
	jsonw_array(json, "most");
	for (uint32_t i = 0; i < starved->listed; i++) {
		jsonw_array(json, NULL);
		page_name(json, NULL,
			  scenario_job_name(t->column->scenario, starved->most[i].job, name));
		jsonw_integer(json, NULL, starved->most[i].overtakes);
		jsonw_seconds(json, NULL, starved->most[i].wait);
		jsonw_close_array(json);
	}
	jsonw_close_array(json);
	jsonw_close_object(json);
}

/* ---- who evicted whom ---- */

struct eviction {
	uint32_t by, of; /* teams; SCENARIO_NONE: nobody's */
	uint32_t reason; /* of reasons */
	uint32_t count;
	int64_t gpus;
};

struct evictions {
	struct name_table *reasons;
	struct eviction *items;
	size_t count, capacity;
};

/* The team that a record's job was stopped for, and why; false: it stops none. */
static bool read_eviction(const struct telling *t, const struct journal_record *r, uint32_t *by,
			  const char **reason)
{
	const struct journal *j = t->column->journal;

	switch (r->kind) {
	case J_PREEMPTED:
		*by = t->column->metrics->team_of[r->arg];
		*reason = journal_text(j, r->arg2);
		return r->incarnation == 0;
	case J_POD_PREEMPTED:
		*by = t->column->metrics->team_of[journal_pod_job(j, r->arg2)];
		*reason = "pod priority";
		return true;
	case J_EVICTED:
		*by = SCENARIO_NONE;
		*reason = journal_text(j, r->arg);
		if (strncmp(*reason, "reason=", 7) == 0)
			*reason += 7;
		return true;
	case J_POD_EVICTED:
		*by = SCENARIO_NONE;
		*reason = journal_text(j, r->arg2);
		return true;
	default:
		return false;
	}
}

static void count_eviction(struct evictions *e, const struct telling *t,
			   const struct journal_record *r)
{
	const struct scenario *s = t->column->scenario;
	uint32_t of = t->column->metrics->team_of[r->job], by, reason;
	uint32_t gpus = s->jobs[r->job].common->gpus;
	const char *text;

	if (!read_eviction(t, r, &by, &text))
		return;
	if (r->kind == J_POD_PREEMPTED || r->kind == J_POD_EVICTED)
		gpus = (uint32_t)replay_pod_gpus(s, r->job,
						 r->pod - t->column->journal->first_pod[r->job]);
	reason = name_add_n(e->reasons, text, strcspn(text, ";"));
	for (size_t i = 0; i < e->count; i++) {
		if (e->items[i].by != by || e->items[i].of != of || e->items[i].reason != reason)
			continue;
		e->items[i].count++;
		e->items[i].gpus += gpus;
		return;
	}
	e->items = mem_grow(e->items, e->count + 1, &e->capacity, sizeof(*e->items));
	e->items[e->count++] = (struct eviction){by, of, reason, 1, gpus};
}

/* [by, of, reason, times, GPUs]; by null: no other job */
static void write_evictions(struct telling *t)
{
	const struct metrics *m = t->column->metrics;
	struct evictions e = {.reasons = name_new()};
	struct journal_reader in;
	const struct journal_record *r;

	journal_open(&in, t->column->journal);
	while ((r = journal_until(&in, m->end)) != NULL) {
		if (r->job != JOB_NONE)
			count_eviction(&e, t, r);
	}
	jsonw_array(t->json, "evictions");
	for (size_t i = 0; i < e.count && i < 4 * LIST_MAX; i++) {
		jsonw_array(t->json, NULL);
		if (e.items[i].by == SCENARIO_NONE)
			jsonw_null(t->json, NULL);
		else
			page_name(t->json, NULL, m->teams[e.items[i].by].name);
		page_name(t->json, NULL, m->teams[e.items[i].of].name);
		jsonw_text(t->json, NULL, name_text(e.reasons, e.items[i].reason));
		jsonw_integer(t->json, NULL, e.items[i].count);
		jsonw_integer(t->json, NULL, e.items[i].gpus);
		jsonw_close_array(t->json);
	}
	jsonw_close_array(t->json);
	name_free(e.reasons);
	mem_free(e.items);
}

/* ---- moments ---- */

/* [time, what, job] of deadlocks and preemptions, one of a kind at an instant */
static void write_marks(struct telling *t)
{
	const struct journal *j = t->column->journal;
	struct journal_reader in;
	const struct journal_record *r;
	char name[SCENARIO_NAME_TEXT];
	simtime last = -1;
	size_t told = 0;

	journal_open(&in, j);
	jsonw_array(t->json, "marks");
	while (told < t->room.marks && (r = journal_until(&in, t->column->metrics->end)) != NULL) {
		bool deadlock = r->kind == J_DEADLOCK;

		if (!deadlock &&
		    ((r->kind != J_PREEMPTED && r->kind != J_POD_PREEMPTED) || r->time == last))
			continue;
		last = deadlock ? last : r->time;
		told++;
		jsonw_array(t->json, NULL);
		jsonw_seconds(t->json, NULL, r->time);
		jsonw_text(t->json, NULL, deadlock ? "deadlock" : "preemption");
		page_name(t->json, NULL,
			  scenario_job_name(j->scenario,
					    deadlock ? j->sets[r->arg].jobs[0] : r->job, name));
		jsonw_close_array(t->json);
	}
	jsonw_close_array(t->json);
}

void page_events_write(struct jsonw *json, const struct report_column *column,
		       const struct page_choice *choice, const struct page_events_room *room)
{
	struct telling t = {.json = json,
			    .column = column,
			    .choice = choice,
			    .room = *room,
			    .texts = name_new()};

	t.of_job = mem_calloc(choice->count, sizeof(*t.of_job));
	t.last = mem_calloc(choice->count, sizeof(*t.last));
	t.times = mem_calloc(choice->count, sizeof(*t.times));
	write_histories(&t);
	write_deadlocks(&t);
	write_starved(&t);
	write_evictions(&t);
	write_marks(&t);
	name_free(t.texts);
	mem_free(t.of_job);
	mem_free(t.last);
	mem_free(t.times);
	mem_free(t.events);
	mem_free(t.numbers);
}
