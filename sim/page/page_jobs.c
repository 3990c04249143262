#include "sim/page/page_jobs.h"

#include "core/mem.h"
#include "core/name.h"
#include "core/sort.h"
#include "sim/page/page_name.h"
#include "sim/page/page_pattern.h"

static simtime unit_of(simtime size, enum page_jobs_exactness exactness)
{
	if (exactness == TIME_EXACT)
		return 1;
	if (size < CLOCK_MINUTE)
		return CLOCK_SECOND / 100;
	if (exactness == TIME_COARSE || size < 2000 * CLOCK_SECOND)
		return CLOCK_SECOND;
	return size < 20000 * CLOCK_SECOND ? 10 * CLOCK_SECOND : 100 * CLOCK_SECOND;
}

simtime page_jobs_time(struct jsonw *json, const char *key, simtime time,
		       enum page_jobs_exactness exactness)
{
	simtime size = time < 0 ? -time : time, unit = unit_of(size, exactness);

	if (time != CLOCK_NEVER) {
		size = (size + unit / 2) / unit * unit;
		time = time < 0 ? -size : size;
	}
	jsonw_seconds(json, key, time);
	return time;
}

static enum page_jobs_exactness exactness_of(const struct page_choice *choice)
{
	return choice->coarse ? TIME_COARSE : TIME_EXACT;
}

/* ---- jobs ---- */

struct naming {
	struct name_table *texts;
	size_t capacity, last_capacity;
	struct told_name {
		uint32_t text;
		struct page_pattern pattern;
	} * names;
	struct page_pattern *last; /* [text]: of the name before */
};

/* The numbers become differences to those of the last name of the same pattern. */
static void find_name(struct naming *naming, const char *whole, struct told_name *out)
{
	char text[PAGE_NAME_TEXT];
	struct page_pattern now;
	uint32_t known = name_count(naming->texts);

	page_name_cut(whole, text);
	page_pattern_make(text, "", &now);
	out->text = name_add(naming->texts, text);
	out->pattern = now;
	naming->last = mem_grow(naming->last, (size_t)out->text + 1, &naming->last_capacity,
				sizeof(*naming->last));
	for (size_t i = 0; i < now.count && out->text < known; i++)
		out->pattern.numbers[i] -= naming->last[out->text].numbers[i];
	naming->last[out->text] = now;
}

static void write_naming(struct jsonw *json, const struct naming *naming, uint32_t count)
{
	jsonw_object(json, "name");
	jsonw_array(json, "text");
	for (uint32_t i = 0; i < count; i++)
		jsonw_integer(json, NULL, naming->names[i].text);
	jsonw_close_array(json);
	jsonw_array(json, "with");
	for (uint32_t i = 0; i < count; i++)
		for (size_t k = 0; k < naming->names[i].pattern.count; k++)
			jsonw_integer(json, NULL, naming->names[i].pattern.numbers[k]);
	jsonw_close_array(json);
	jsonw_array(json, "texts");
	for (uint32_t i = 0; i < name_count(naming->texts); i++)
		jsonw_text(json, NULL, name_text(naming->texts, i));
	jsonw_close_array(json);
	jsonw_close_object(json);
}

static void write_names(struct jsonw *json, const struct scenario *s,
			const struct page_choice *choice)
{
	struct naming naming = {.texts = name_new()};
	char name[SCENARIO_NAME_TEXT];

	naming.names = mem_calloc(choice->count, sizeof(*naming.names));
	for (uint32_t i = 0; i < choice->count; i++)
		find_name(&naming, scenario_job_name(s, choice->jobs[i], name), &naming.names[i]);
	write_naming(json, &naming, choice->count);
	name_free(naming.texts);
	mem_free(naming.names);
	mem_free(naming.last);
}

enum property { PROPERTY_TEAM, PROPERTY_GPUS, PROPERTY_PODS, PROPERTY_PRIORITY, PROPERTIES };

static int64_t property_of(const struct job *job, uint32_t team, enum property property)
{
	switch (property) {
	case PROPERTY_TEAM:
		return team;
	case PROPERTY_GPUS:
		return job->common->gpus;
	case PROPERTY_PODS:
		return job->common->pods;
	case PROPERTY_PRIORITY:
	case PROPERTIES:
		break;
	}
	return job->common->priority;
}

static void write_times(struct jsonw *json, const struct scenario *s,
			const struct page_choice *choice)
{
	simtime last = 0;

	jsonw_array(json, "submit");
	for (uint32_t i = 0; i < choice->count; i++) {
		simtime submit = s->jobs[choice->jobs[i]].submit;

		jsonw_seconds(json, NULL, submit - last);
		last = submit;
	}
	jsonw_close_array(json);
	jsonw_array(json, "duration");
	for (uint32_t i = 0; i < choice->count; i++)
		page_jobs_time(json, NULL, s->jobs[choice->jobs[i]].duration, exactness_of(choice));
	jsonw_close_array(json);
}

void page_jobs_write(struct jsonw *json, const struct scenario *s, const struct page_choice *choice,
		     const struct page_teams *teams)
{
	static const char *const names[PROPERTIES] = {"team", "gpus", "pods", "priority"};

	jsonw_object(json, "jobs");
	write_names(json, s, choice);
	write_times(json, s, choice);
	for (int p = 0; p < PROPERTIES; p++) {
		jsonw_array(json, names[p]);
		for (uint32_t i = 0; i < choice->count; i++) {
			uint32_t job = choice->jobs[i];

			jsonw_integer(json, NULL,
				      property_of(&s->jobs[job], teams->of[job], (enum property)p));
		}
		jsonw_close_array(json);
	}
	jsonw_close_object(json);
}

/* ---- what became of them ---- */

static char letter_of(const struct replay_job *state)
{
	return (state->flags & REPLAY_FINISHED) != 0	 ? 'f'
	       : (state->flags & REPLAY_DONE) != 0	 ? 'x'
	       : (state->flags & REPLAY_DEADLOCKED) != 0 ? 'd'
	       : (state->flags & REPLAY_RUNNING) != 0	 ? 'r'
	       : (state->flags & REPLAY_SUBMITTED) == 0	 ? 'l'
							 : 'w';
}

/* When it would end if nothing held it up, as far as that is known. */
static simtime expected_end(const struct metrics *m, uint32_t job)
{
	const struct job *input = &m->journal->input->jobs[job];
	simtime start = m->states[job].first_start;

	return start == CLOCK_NEVER		? input->submit
	       : input->duration == JOB_ENDLESS ? start
						: start + input->duration;
}

static simtime minus(simtime a, simtime b)
{
	return a == CLOCK_NEVER ? CLOCK_NEVER : a - b;
}

/* Those that wait for others come at times of their own: counted from the input's. */
static void write_came(struct jsonw *json, const struct metrics *m,
		       const struct page_choice *choice)
{
	const struct journal *j = m->journal;

	jsonw_array(json, "came");
	for (uint32_t i = 0; i < choice->count; i++) {
		uint32_t job = choice->jobs[i];

		page_jobs_time(json, NULL,
			       j->scenario->jobs[job].submit - j->input->jobs[job].submit,
			       exactness_of(choice));
	}
	jsonw_close_array(json);
}

void page_jobs_outcomes(struct jsonw *json, const struct metrics *m,
			const struct page_choice *choice)
{
	const struct scenario *s = m->journal->input;
	char *states = mem_calloc((size_t)choice->count + 1, 1);

	jsonw_object(json, "jobs");
	jsonw_array(json, "start");
	for (uint32_t i = 0; i < choice->count; i++) {
		uint32_t job = choice->jobs[i];

		states[i] = letter_of(&m->states[job]);
		page_jobs_time(json, NULL, minus(m->states[job].first_start, s->jobs[job].submit),
			       exactness_of(choice));
	}
	jsonw_close_array(json);
	jsonw_array(json, "end");
	for (uint32_t i = 0; i < choice->count; i++) {
		uint32_t job = choice->jobs[i];

		page_jobs_time(json, NULL, minus(m->states[job].end, expected_end(m, job)),
			       exactness_of(choice));
	}
	jsonw_close_array(json);
	if (m->journal->scenario != s)
		write_came(json, m, choice);
	jsonw_text(json, "state", states);
	jsonw_close_object(json);
	mem_free(states);
}

/* ---- where their pods were ---- */

static int by_job(const void *a, const void *b, void *context)
{
	const struct page_span *items = context;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;

	if (items[i].job != items[k].job)
		return items[i].job < items[k].job ? -1 : 1;
	if (items[i].from != items[k].from)
		return items[i].from < items[k].from ? -1 : 1;
	return i < k ? -1 : 1;
}

struct choosing {
	struct jsonw *json;
	const struct metrics *metrics;
	const struct page_choice *choice;
	const struct page_span *items;
	uint32_t *order; /* of those that are told */
	size_t count;
};

static void choose_spans(struct choosing *c, const struct page_spans *spans, size_t max)
{
	c->order = mem_calloc(spans->count, sizeof(*c->order));
	for (size_t i = 0; i < spans->count && c->count < max; i++)
		if (c->choice->place[spans->items[i].job] != JOB_NONE &&
		    spans->items[i].node < PAGE_NODES_MAX)
			c->order[c->count++] = (uint32_t)i;
	sort_stable(c->order, c->count, sizeof(*c->order), by_job, spans->items);
}

/* Counted from the job's start, or its submit if it never starts. */
static void write_from(struct jsonw *json, const struct choosing *c, const struct page_span *span)
{
	simtime start = c->metrics->states[span->job].first_start;
	const struct job *job = &c->metrics->journal->input->jobs[span->job];

	page_jobs_time(json, NULL, span->from - (start == CLOCK_NEVER ? job->submit : start),
		       exactness_of(c->choice));
}

/* 0: to the job's end; null: it goes on. */
static void write_length(struct jsonw *json, const struct choosing *c, const struct page_span *span)
{
	simtime length = span->to - span->from;

	if (span->stands)
		jsonw_null(json, NULL);
	else if (span->to == c->metrics->states[span->job].end)
		jsonw_integer(json, NULL, 0);
	else
		page_jobs_time(json, NULL,
			       length < CLOCK_SECOND / 100 ? CLOCK_SECOND / 100 : length,
			       exactness_of(c->choice));
}

static void write_gpus(struct jsonw *json, const struct choosing *c, const struct page_span *span)
{
	const struct job *job = &c->metrics->journal->scenario->jobs[span->job];

	/* More than an even share of its job's. */
	jsonw_integer(json, NULL,
		      (int64_t)span->gpus -
			      (int64_t)(job->common->pods == 0
						? 0
						: job->common->gpus / job->common->pods));
}

static void write_node(struct jsonw *json, const struct choosing *c, const struct page_span *span)
{
	(void)c;
	jsonw_integer(json, NULL, span->node);
}

static void write_idle(struct jsonw *json, const struct choosing *c, const struct page_span *span)
{
	(void)c;
	jsonw_integer(json, NULL, span->idle);
}

static void write_jobs_of_spans(const struct choosing *c)
{
	uint32_t last = 0;

	jsonw_array(c->json, "job");
	for (size_t i = 0; i < c->count; i++) {
		uint32_t place = c->choice->place[c->items[c->order[i]].job];

		jsonw_integer(c->json, NULL, place - last);
		last = place;
	}
	jsonw_close_array(c->json);
}

void page_jobs_spans(struct jsonw *json, const struct metrics *metrics,
		     const struct page_spans *spans, const struct page_choice *choice, size_t max)
{
	static const struct {
		const char *name;
		void (*write)(struct jsonw *json, const struct choosing *c,
			      const struct page_span *span);
	} lists[] = {{"node", write_node},
		     {"gpus", write_gpus},
		     {"from", write_from},
		     {"for", write_length},
		     {"idle", write_idle}};
	struct choosing c = {
		.json = json, .metrics = metrics, .choice = choice, .items = spans->items};

	choose_spans(&c, spans, max);
	jsonw_object(json, "spans");
	write_jobs_of_spans(&c);
	for (size_t k = 0; k < sizeof(lists) / sizeof(lists[0]); k++) {
		jsonw_array(json, lists[k].name);
		for (size_t i = 0; i < c.count; i++)
			lists[k].write(json, &c, &spans->items[c.order[i]]);
		jsonw_close_array(json);
	}
	jsonw_close_object(json);
	jsonw_integer(json, "spans_shown", (int64_t)c.count);
	jsonw_integer(json, "spans_of", (int64_t)spans->count);
	mem_free(c.order);
}
