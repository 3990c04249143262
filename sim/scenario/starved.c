#include "sim/scenario/starved.h"

#include <string.h>

#include "core/mem.h"
#include "sim/tool/waits.h"

#define BLOCK 64 /* ranks counted one by one */

/* All jobs in the order in which they were submitted; class: equal needs. */
struct search {
	const struct scenario *scenario;
	uint32_t count;	    /* jobs submitted by then */
	uint32_t *class_of; /* [rank] */
	uint32_t *last;	    /* [rank]: the last one submitted at the same instant */
	simtime *start;	    /* [rank]; CLOCK_NEVER */
	const simtime *end; /* [job] */
	simtime until;
	uint32_t class_count;
	int64_t *needs;	       /* [class * resource_count + resource] */
	struct wait *by_start; /* started ones: time = start, group = rank */
	uint32_t started;
	struct starved found;
};

/* ---- needs ---- */

static void add_needs(const struct scenario *s, const struct job *job, int64_t *needs)
{
	for (uint32_t k = 0; k < job->common->pod_set_count; k++) {
		const struct pod_set *set = &s->pod_sets[job->common->first_pod_set + k];
		const int64_t *request = s->shapes[set->shape].request;

		for (uint32_t r = 0; r < s->resource_count; r++)
			needs[r] = res_add(needs[r], res_mul(request[r], set->count));
	}
}

/* Jobs with one run of pod sets are a class; equal needs written differently may
 * be two classes, which changes nothing. */
static void classify(struct search *search)
{
	const struct scenario *s = search->scenario;
	uint32_t *class_of_run = mem_calloc((size_t)s->pod_set_count + 1, sizeof(*class_of_run));
	size_t capacity = 0;

	for (uint32_t rank = 0; rank < search->count; rank++) {
		const struct job *job = &s->jobs[scenario_by_submit(s, rank)];
		uint32_t *class = &class_of_run[job->common->first_pod_set];

		if (*class == 0) {
			size_t from = (size_t)search->class_count * s->resource_count;

			*class = ++search->class_count;
			search->needs = mem_grow(search->needs, from + s->resource_count, &capacity,
						 sizeof(*search->needs));
			memset(&search->needs[from], 0, s->resource_count * sizeof(int64_t));
			add_needs(s, job, &search->needs[from]);
		}
		search->class_of[rank] = *class - 1;
	}
	mem_free(class_of_run);
}

static bool needs_no_more(const struct search *search, uint32_t class, uint32_t than)
{
	uint32_t resources = search->scenario->resource_count;
	const int64_t *a = &search->needs[(size_t) class * resources];
	const int64_t *b = &search->needs[(size_t)than * resources];

	for (uint32_t r = 0; r < resources; r++) {
		if (a[r] > b[r])
			return false;
	}
	return true;
}

/* ---- the result ---- */

static simtime wait_of(const struct search *search, uint32_t rank)
{
	uint32_t job = scenario_by_submit(search->scenario, rank);
	simtime over = search->start[rank];

	if (over == CLOCK_NEVER)
		over = search->end[job] < search->until ? search->end[job] : search->until;
	return over - search->scenario->jobs[job].submit;
}

static void note_wait(struct starved *found, uint32_t job, simtime wait)
{
	if (wait > found->longest_wait || (wait == found->longest_wait && job < found->longest)) {
		found->longest = job;
		found->longest_wait = wait;
	}
}

static void list(struct starved *found, struct starved_job job)
{
	uint32_t at = found->listed;

	while (at > 0 && (found->most[at - 1].overtakes < job.overtakes ||
			  (found->most[at - 1].overtakes == job.overtakes &&
			   found->most[at - 1].job > job.job)))
		at--;
	if (at == STARVED_LISTED)
		return;
	found->listed += found->listed < STARVED_LISTED;
	for (uint32_t i = found->listed - 1; i > at; i--)
		found->most[i] = found->most[i - 1];
	found->most[at] = job;
}

static void note(struct search *search, uint32_t rank, uint32_t overtakes)
{
	uint32_t job = scenario_by_submit(search->scenario, rank);
	struct starved *found = &search->found;

	if (overtakes < STARVED_OVERTAKES ||
	    (search->scenario->jobs[job].common->flags & JOB_INACTIVE) != 0)
		return;
	found->jobs++;
	note_wait(found, job, wait_of(search, rank));
	list(found, (struct starved_job){job, overtakes, wait_of(search, rank)});
	if (overtakes > found->overtakes || (overtakes == found->overtakes && job < found->worst)) {
		found->worst = job;
		found->overtakes = overtakes;
	}
}

static bool waited(const struct search *search, uint32_t rank)
{
	return search->start[rank] >
	       search->scenario->jobs[scenario_by_submit(search->scenario, rank)].submit;
}

/* ---- few classes: started jobs are counted in a Fenwick tree ---- */

/* Node n counts, per class, started jobs of a run of blocks that ends the tree's
 * usual way; blocks are numbered from the last rank down, so that a prefix is
 * "submitted later". */
struct counts {
	uint32_t classes, blocks;
	uint32_t *node; /* [(n + 1) * classes] */
	bool *in;	/* [rank]: counted already */
	uint8_t *below; /* [class * classes + other]: other needs no more */
};

static uint32_t block_of(const struct counts *counts, uint32_t rank)
{
	return counts->blocks - 1 - rank / BLOCK;
}

static void count_in(struct counts *counts, uint32_t rank, uint32_t class)
{
	counts->in[rank] = true;
	for (uint32_t n = block_of(counts, rank) + 1; n <= counts->blocks; n += n & (~n + 1))
		counts->node[(size_t)n * counts->classes + class]++;
}

static uint32_t overtaken(const struct search *search, const struct counts *counts, uint32_t rank)
{
	const uint8_t *below = &counts->below[(size_t)search->class_of[rank] * counts->classes];
	uint32_t last = search->last[rank], end = (last / BLOCK + 1) * BLOCK;
	uint32_t total = 0;

	for (uint32_t n = block_of(counts, last); n > 0; n &= n - 1) {
		const uint32_t *node = &counts->node[(size_t)n * counts->classes];

		for (uint32_t c = 0; c < counts->classes; c++)
			total += below[c] != 0 ? node[c] : 0;
	}
	for (uint32_t r = last + 1; r < end && r < search->count; r++)
		total += counts->in[r] && below[search->class_of[r]] != 0;
	return total;
}

/* Starts in order of time; those of one instant do not overtake each other. */
static void search_by_counts(struct search *search)
{
	uint32_t classes = search->class_count;
	uint32_t blocks = search->count / BLOCK + 1;
	struct counts counts = {
		.classes = classes,
		.blocks = blocks,
		.node = mem_calloc(((size_t)blocks + 1) * classes, sizeof(*counts.node)),
		.in = mem_calloc(search->count, sizeof(*counts.in)),
		.below = mem_calloc((size_t)classes * classes, 1),
	};

	for (uint32_t a = 0; a < classes; a++)
		for (uint32_t b = 0; b < classes; b++)
			counts.below[(size_t)a * classes + b] = needs_no_more(search, b, a);
	for (uint32_t i = 0, next; i < search->started; i = next) {
		for (next = i; next < search->started &&
			       search->by_start[next].time == search->by_start[i].time;
		     next++) {
			uint32_t rank = search->by_start[next].group;

			if (waited(search, rank))
				note(search, rank, overtaken(search, &counts, rank));
		}
		for (uint32_t k = i; k < next; k++) {
			uint32_t rank = search->by_start[k].group;

			count_in(&counts, rank, search->class_of[rank]);
		}
	}
	for (uint32_t rank = 0; rank < search->count; rank++) {
		if (search->start[rank] == CLOCK_NEVER)
			note(search, rank, overtaken(search, &counts, rank));
	}
	mem_free(counts.node);
	mem_free(counts.in);
	mem_free(counts.below);
}

/* ---- many classes: the starts during each wait, one by one ---- */

/* Place of the first start later than time. */
static uint32_t first_after(const struct search *search, simtime time)
{
	uint32_t low = 0, high = search->started;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (search->by_start[middle].time > time)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static uint32_t overtaken_one_by_one(const struct search *search, uint32_t rank)
{
	const struct scenario *s = search->scenario;
	simtime submit = s->jobs[scenario_by_submit(s, rank)].submit;
	uint32_t last = search->last[rank], total = 0;

	for (uint32_t i = first_after(search, submit);
	     i < search->started && search->by_start[i].time < search->start[rank] &&
	     total < STARVED_COUNT_MAX;
	     i++) {
		uint32_t other = search->by_start[i].group;

		total += other > last &&
			 needs_no_more(search, search->class_of[other], search->class_of[rank]);
	}
	return total;
}

static void search_one_by_one(struct search *search)
{
	for (uint32_t rank = 0; rank < search->count; rank++) {
		if (waited(search, rank))
			note(search, rank, overtaken_one_by_one(search, rank));
	}
}

static void find_last(struct search *search)
{
	const struct scenario *s = search->scenario;

	for (uint32_t rank = search->count; rank-- > 0;) {
		bool ends = rank + 1 == search->count ||
			    s->jobs[scenario_by_submit(s, rank + 1)].submit !=
				    s->jobs[scenario_by_submit(s, rank)].submit;

		search->last[rank] = ends ? rank : search->last[rank + 1];
	}
}

/* Two sorted lists, the second one's first among equals, into out. */
static void merge(const struct wait *a, uint32_t a_count, const struct wait *b, uint32_t b_count,
		  struct wait *out)
{
	uint32_t i = 0, k = 0;

	while (i < a_count && k < b_count)
		*out++ = a[i].time < b[k].time ? a[i++] : b[k++];
	memcpy(out, &a[i], (a_count - i) * sizeof(*out));
	memcpy(out + (a_count - i), &b[k], (b_count - k) * sizeof(*out));
}

/* Those that start as they come are in order already. */
static void order(struct search *search, const simtime *first_start)
{
	struct wait *late = mem_calloc(search->count, sizeof(*late));
	struct wait *prompt = mem_calloc(search->count, sizeof(*prompt));
	uint32_t late_count = 0, prompt_count = 0;

	for (uint32_t rank = 0; rank < search->count; rank++) {
		struct wait start = {.group = rank & WAIT_GROUPS};

		search->start[rank] = first_start[scenario_by_submit(search->scenario, rank)];
		start.time = search->start[rank];
		if (start.time == CLOCK_NEVER)
			continue;
		if (waited(search, rank))
			late[late_count++] = start;
		else
			prompt[prompt_count++] = start;
	}
	waits_sort(late, late_count);
	merge(prompt, prompt_count, late, late_count, search->by_start);
	search->started = prompt_count + late_count;
	mem_free(late);
	mem_free(prompt);
}

struct starved starved_find(const struct scenario *s, const simtime *first_start,
			    const simtime *end, simtime until)
{
	struct search search = {.scenario = s,
				.end = end,
				.until = until,
				.found = {.worst = JOB_NONE, .longest = JOB_NONE}};

	while (search.count < s->job_count &&
	       s->jobs[scenario_by_submit(s, search.count)].submit <= until)
		search.count++;
	search.class_of = mem_calloc(search.count, sizeof(*search.class_of));
	search.start = mem_calloc(search.count, sizeof(*search.start));
	search.by_start = mem_calloc(search.count, sizeof(*search.by_start));
	search.last = mem_calloc(search.count, sizeof(*search.last));
	classify(&search);
	find_last(&search);
	order(&search, first_start);
	if (search.class_count <= STARVED_CLASSES)
		search_by_counts(&search);
	else
		search_one_by_one(&search);
	mem_free(search.class_of);
	mem_free(search.last);
	mem_free(search.start);
	mem_free(search.by_start);
	mem_free(search.needs);
	return search.found;
}
