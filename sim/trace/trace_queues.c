#include "sim/trace/trace_queues.h"

#include <string.h>

#include "core/sort.h"
#include "sim/load/pool.h"
#include "sim/tool/csv.h"
#include "sim/trace/trace_pods.h"

#define MICROS_PER_MILLI 1000
/* Bound of all weights together: three times it still fits 64 bits (share_of). */
#define WEIGHT_MAX (UINT64_C(1) << 61)

/* A virtual cluster: the jobs of one queue name. */
struct share {
	uint32_t name;	 /* string */
	uint64_t weight; /* GPU-milliseconds */
	uint64_t rest;	 /* remainder of its division */
	int64_t gpus;
	uint32_t last_ns; /* of the place asked for last */
};

/* A LocalQueue that is needed. */
struct place_of_queue {
	uint32_t ns;
	uint32_t share;
};

#define KINDS 64 /* of jobs whose share and GPUs are remembered */

/* What the last job with these pod sets, queue and namespace led to. */
struct kind_of_job {
	uint32_t queue, ns, first_pod_set;
	uint16_t pod_set_count;
	bool used;
	uint32_t share;
	int64_t milli;
};

struct shares {
	struct share *items;
	struct place_of_queue *places;
	size_t count, capacity, place_count, place_capacity;
	uint64_t total;	      /* of weights */
	uint32_t *by_string;  /* string to share + 1; 0: none yet */
	size_t by_string_cap; /* of the array */
	struct kind_of_job kinds[KINDS];
};

static size_t share_named(struct shares *s, uint32_t name)
{
	size_t known = s->by_string_cap;

	s->by_string =
		mem_grow(s->by_string, (size_t)name + 1, &s->by_string_cap, sizeof(*s->by_string));
	for (; known < s->by_string_cap; known++)
		s->by_string[known] = 0;
	if (s->by_string[name] == 0) {
		s->items = mem_grow(s->items, s->count + 1, &s->capacity, sizeof(*s->items));
		s->items[s->count++] = (struct share){.name = name, .last_ns = NAME_NONE};
		s->by_string[name] = (uint32_t)s->count;
	}
	return s->by_string[name] - 1;
}

static void need_place(struct shares *s, uint32_t ns, size_t share)
{
	if (s->items[share].last_ns == ns)
		return;
	s->items[share].last_ns = ns;
	for (size_t i = 0; i < s->place_count; i++)
		if (s->places[i].ns == ns && s->places[i].share == share)
			return;
	s->places = mem_grow(s->places, s->place_count + 1, &s->place_capacity, sizeof(*s->places));
	s->places[s->place_count++] = (struct place_of_queue){.ns = ns, .share = (uint32_t)share};
}

/* The end of the last job that has one: endless jobs count to there. */
static simtime last_end(const struct job *jobs, uint32_t count)
{
	simtime last = 0;

	for (uint32_t i = 0; i < count; i++) {
		simtime end = jobs[i].duration == JOB_ENDLESS
				      ? jobs[i].submit
				      : clock_add(jobs[i].submit, jobs[i].duration);

		if (end > last)
			last = end;
	}
	return last;
}

static uint64_t weight_of(simtime duration, int64_t milli)
{
	duration /= MICROS_PER_MILLI;
	return (uint64_t)res_add(res_mul(duration, milli / 1000),
				 milli % 1000 == 0 ? 0 : res_mul(duration, milli % 1000) / 1000);
}

static const struct kind_of_job *kind_of(struct builder *builder, struct shares *s,
					 const struct job *job)
{
	struct kind_of_job *kind =
		&s->kinds[(job->common->first_pod_set + 7 * job->common->queue) % KINDS];

	if (kind->used && kind->queue == job->common->queue && kind->ns == job->common->ns &&
	    kind->first_pod_set == job->common->first_pod_set &&
	    kind->pod_set_count == job->common->pod_set_count)
		return kind;
	*kind = (struct kind_of_job){.queue = job->common->queue,
				     .ns = job->common->ns,
				     .first_pod_set = job->common->first_pod_set,
				     .pod_set_count = job->common->pod_set_count,
				     .used = true,
				     .share = (uint32_t)share_named(s, job->common->queue),
				     .milli = trace_pods_milli(builder, job)};
	need_place(s, job->common->ns, kind->share);
	return kind;
}

static void add_weight(struct shares *s, size_t share, uint64_t weight)
{
	uint64_t room = WEIGHT_MAX - s->total;

	weight = weight < room ? weight : room;
	s->items[share].weight += weight;
	s->total += weight;
}

/* All jobs are of one virtual cluster, which has everything, whatever it weighs. */
static bool collect_one(const struct builder *builder, struct shares *s)
{
	uint32_t ns, queue;
	size_t share;

	if (!builder_one_queue(builder, &ns, &queue) || queue == NAME_NONE)
		return false;
	share = share_named(s, queue);
	need_place(s, ns, share);
	add_weight(s, share, 1);
	return true;
}

/* One share a queue name, in the order of first jobs. */
static void collect(struct builder *builder, struct shares *s)
{
	const struct job *jobs = builder_jobs(builder);
	uint32_t count = builder_job_count(builder);
	simtime last = -1; /* not looked for yet */

	for (uint32_t i = 0; i < count; i++) {
		simtime duration = jobs[i].duration;
		const struct kind_of_job *kind;

		if (jobs[i].common->queue == NAME_NONE)
			continue;
		if (duration == JOB_ENDLESS && last < 0)
			last = last_end(jobs, count);
		if (duration == JOB_ENDLESS)
			duration = last - jobs[i].submit;
		kind = kind_of(builder, s, &jobs[i]);
		add_weight(s, kind->share, weight_of(duration, kind->milli));
	}
}

/* hardware * weight / total, and its remainder: long division, bit by bit of the
 * hardware, because the product does not fit 64 bits. */
static void share_of(struct share *share, uint64_t hardware, uint64_t total)
{
	uint64_t quotient = 0, rest = 0;

	for (int bit = 63; bit >= 0; bit--) {
		rest = rest * 2 + (hardware >> bit & 1 ? share->weight : 0);
		quotient = quotient * 2 + rest / total;
		rest %= total;
	}
	share->gpus = (int64_t)quotient;
	share->rest = rest;
}

static int compare_rests(const void *a, const void *b, void *context)
{
	const struct share *items = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (items[x].rest != items[y].rest)
		return items[x].rest > items[y].rest ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* What the divisions left over goes to the largest remainders, one GPU each. */
static void hand_out_rest(struct shares *s, int64_t left)
{
	uint32_t *order = mem_calloc(s->count, sizeof(*order));

	for (uint32_t i = 0; i < s->count; i++)
		order[i] = i;
	sort_stable(order, s->count, sizeof(*order), compare_rests, s->items);
	for (size_t i = 0; left > 0 && i < s->count; i++, left--)
		s->items[order[i]].gpus++;
	mem_free(order);
}

static void divide(struct shares *s, int64_t hardware)
{
	int64_t left = hardware;

	if (s->count == 0)
		return;
	if (s->total == 0) { /* jobs without work: equal parts */
		for (size_t i = 0; i < s->count; i++)
			s->items[i].weight = 1;
		s->total = s->count;
	}
	for (size_t i = 0; i < s->count; i++) {
		share_of(&s->items[i], (uint64_t)hardware, s->total);
		left -= s->items[i].gpus;
	}
	hand_out_rest(s, left);
}

static void take_size(struct builder *builder, struct shares *s, const char *text, int64_t gpus)
{
	uint32_t name = builder_string(builder, text, strlen(text));
	size_t share = share_named(s, name);

	s->items[share].gpus = gpus;
	if (s->items[share].last_ns == NAME_NONE) /* no job of it */
		need_place(s, name, share);
}

static enum err_code take_nodes(struct builder *builder, struct shares *s,
				const struct source *vc_nodes, struct err *err)
{
	const struct trace_queues_vc *vcs;
	uint32_t count;
	enum err_code code;

	code = trace_queues_read_vc(vc_nodes, builder_arena(builder), &vcs, &count, err);
	if (code != ERR_OK)
		return code;
	for (uint32_t i = 0; i < count; i++)
		take_size(builder, s, vcs[i].name,
			  (int64_t)vcs[i].nodes * TRACE_QUEUES_GPUS_PER_NODE);
	return ERR_OK;
}

static void build(struct builder *builder, const struct shares *s)
{
	const struct name_table *strings = builder_strings(builder);

	for (size_t i = 0; i < s->place_count; i++) {
		const struct share *share = &s->items[s->places[i].share];

		builder_simple_queue(builder, name_text(strings, share->name),
				     name_text(strings, s->places[i].ns), TRACE_QUEUES_COHORT,
				     TRACE_QUEUES_FLAVOR, share->gpus);
	}
}

enum err_code trace_queues_derive(struct builder *builder, int64_t hardware_gpus,
				  const struct source *vc_nodes, struct err *err)
{
	struct shares s = {0};
	enum err_code code = ERR_OK;

	if (!collect_one(builder, &s))
		collect(builder, &s);
	if (vc_nodes != NULL)
		code = take_nodes(builder, &s, vc_nodes, err);
	else
		divide(&s, hardware_gpus);
	if (code == ERR_OK)
		build(builder, &s);
	mem_free(s.items);
	mem_free(s.places);
	mem_free(s.by_string);
	return code;
}

void trace_queues_sized(struct builder *builder, const char *const *names, const int64_t *gpus,
			uint32_t count)
{
	struct shares s = {0};

	if (!collect_one(builder, &s))
		collect(builder, &s);
	for (uint32_t i = 0; i < count; i++)
		take_size(builder, &s, names[i], gpus[i]);
	build(builder, &s);
	mem_free(s.items);
	mem_free(s.places);
	mem_free(s.by_string);
}

/* A file of node counts being read. */
struct vc_list {
	struct trace_queues_vc *items;
	uint32_t count;
	size_t capacity;
	struct name_table *names;
};

static enum err_code read_vc_row(const struct csv *csv, const uint32_t *index, struct vc_list *list,
				 struct err *err)
{
	struct csv_field name = csv_get(csv, index[0]), nodes = csv_get(csv, index[1]);
	struct trace_queues_vc vc = {.name = NULL};

	if (name.len == 0)
		return csv_error(csv, &name, 0, ERR_VALUE, err, "a virtual cluster without a name");
	if (name_add_n(list->names, name.text, name.len) != list->count)
		return csv_error(csv, &name, 0, ERR_DUPLICATE, err,
				 "virtual cluster \"%.*s\" is there twice", csv_shown(name.len),
				 name.text);
	if (!num_read_u32(nodes.text, nodes.len, &vc.nodes))
		return csv_error(csv, &nodes, 0, ERR_VALUE, err,
				 "\"%.*s\" is not a whole number of nodes", csv_shown(nodes.len),
				 nodes.text);
	list->items = mem_grow(list->items, (size_t)list->count + 1, &list->capacity,
			       sizeof(*list->items));
	list->items[list->count++] = vc;
	return ERR_OK;
}

static enum err_code read_vc_header(struct csv *csv, uint32_t index[2], struct err *err)
{
	static const struct csv_column columns[] = {
		{{"vc"}, true},
		{{"node num", "nodes", "node_num"}, true},
	};

	return csv_header(csv, columns, 2, index, err);
}

bool trace_queues_vc_probe(const char *head, size_t size)
{
	uint32_t index[2];
	struct err ignored;
	struct csv csv;
	bool found;

	csv_init(&csv, NULL, head, size);
	found = read_vc_header(&csv, index, &ignored) == ERR_OK;
	csv_free(&csv);
	return found;
}

static enum err_code read_vc_rows(struct csv *csv, struct vc_list *list, struct err *err)
{
	uint32_t index[2];
	bool more = true;
	enum err_code code = read_vc_header(csv, index, err);

	while (code == ERR_OK && more) {
		code = csv_row(csv, &more, err);
		if (code == ERR_OK && more)
			code = read_vc_row(csv, index, list, err);
	}
	return code;
}

/* The list and its names, handed over to an arena. */
static struct trace_queues_vc *in_arena(const struct vc_list *list, struct mem_arena *arena)
{
	struct trace_queues_vc *vcs = mem_arena_alloc(arena, list->count * sizeof(*vcs));

	for (uint32_t i = 0; i < list->count; i++) {
		vcs[i].nodes = list->items[i].nodes;
		vcs[i].name = mem_arena_strdup(arena, name_text(list->names, i));
	}
	return vcs;
}

enum err_code trace_queues_read_vc(const struct source *vc_nodes, struct mem_arena *arena,
				   const struct trace_queues_vc **out, uint32_t *count,
				   struct err *err)
{
	struct vc_list list = {.names = name_new()};
	enum err_code code;
	struct csv csv;

	csv_init(&csv, vc_nodes->name, vc_nodes->data, vc_nodes->size);
	code = read_vc_rows(&csv, &list, err);
	*out = code == ERR_OK ? in_arena(&list, arena) : NULL;
	*count = code == ERR_OK ? list.count : 0;
	csv_free(&csv);
	name_free(list.names);
	mem_free(list.items);
	return code;
}

/* The nodes of one, beside so many of others. */
static enum err_code add_nodes(struct builder *builder, const struct trace_queues_vc *vc,
			       uint32_t before, struct err *err)
{
	struct label *label = mem_arena_alloc(builder_arena(builder), sizeof(*label));
	const struct pool pool = {.name = TRACE_QUEUES_FLAVOR,
				  .first = before,
				  .count = vc->nodes,
				  .gpus = TRACE_QUEUES_GPUS_PER_NODE,
				  .labels = {.items = label, .count = 1}};

	*label = (struct label){
		builder_string(builder, POOL_CLUSTER_LABEL, strlen(POOL_CLUSTER_LABEL)),
		builder_string(builder, vc->name, strlen(vc->name))};
	return pool_add(builder, &pool, (struct place){0}, err);
}

enum err_code trace_queues_vc_pools(const struct source *vc_nodes, struct builder *builder,
				    uint32_t *nodes, struct err *err)
{
	const struct trace_queues_vc *vcs;
	uint32_t count;
	enum err_code code =
		trace_queues_read_vc(vc_nodes, builder_arena(builder), &vcs, &count, err);

	*nodes = 0;
	for (uint32_t i = 0; i < count && code == ERR_OK; i++) {
		if (vcs[i].nodes > POOL_MAX_NODES - *nodes)
			return err_set(err, ERR_LIMIT, vc_nodes->name, 0, 0,
				       "too many nodes: at most %d are possible", POOL_MAX_NODES);
		if (vcs[i].nodes > 0)
			code = add_nodes(builder, &vcs[i], *nodes, err);
		*nodes += vcs[i].nodes;
	}
	return code;
}
