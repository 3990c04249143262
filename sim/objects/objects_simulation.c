/* objects_simulation.c - apiVersion: gqsim/v1, kind: Simulation.
 *
 * What Kubernetes has no object for, or only a long one. Everything is optional
 * but what is marked; unknown and repeated keys are errors. A time is a number of
 * seconds or a duration ("90s", "15m", "1h30m", "2d").
 *
 *   title: TEXT               what tables call this input
 *   horizon: TIME             options of a run; the command line wins
 *   seed: NUMBER
 *   options: {NAME: VALUE}    any option of a run by its name without dashes:
 *                             create, strategy, eviction-delay, ...
 *   nodePools:                nodes NAME-0, NAME-1, ...
 *   - name: TEXT              required
 *     count: NUMBER           required; at the start, if maxSize is given
 *     maxSize: NUMBER         the autoscaler may bring so many; default: it leaves the
 *                             pool alone
 *     minSize: NUMBER         and leaves so many; default: count
 *     bootDelay: TIME         from asking for a node until it joins; default 2m
 *     maxRunDuration: TIME    of a node, then it is taken away; default: no limit
 *     gpus: NUMBER            nvidia.com/gpu of each; default 0
 *     gpuModel: TEXT          label nvidia.com/gpu.product; default: the name
 *     cpu, memory: QUANTITY   default: no limit
 *     pods: NUMBER            default: no limit
 *     resources: {R: QUANTITY}  any other resource of each
 *     labels: {KEY: VALUE}
 *     taints: [{key, value, effect}]
 *     usdPerHour: NUMBER      price of one node
 *   autoscaler:               of the pools with a maxSize, and of ProvisioningRequests
 *     scanInterval: TIME      between two looks at the cluster; default 10s
 *     scaleDownUnneededTime: TIME   an empty node stays so long; default 10m
 *     scaleDownDelayAfterAdd: TIME  none goes so soon after one was asked for; 10m
 *     bookingTime: TIME       a ProvisioningRequest keeps its room so long; default 10m
 *     expirationTime: TIME    one without room fails after this; default 7d
 *   trace:                    a list of jobs in a file beside this one
 *     file: PATH              required; relative to this document's folder
 *     format: TEXT            as --format; default: recognised
 *   jobs:
 *   - name: TEXT              required; with count, jobs are NAME-0, NAME-1, ...
 *     count: NUMBER           copies; default: one job called NAME
 *     every: TIME             between the submits of two copies; default 0
 *     namespace: TEXT         default "default"
 *     queue: TEXT             LocalQueue; default: none (Kueue leaves it alone)
 *     submitAt: TIME          default 0
 *     duration: TIME          required; of work once all pods run, or "endless"
 *     pods: NUMBER            default 1
 *     minPods: NUMBER         partial admission; default: pods
 *     gpus: NUMBER            nvidia.com/gpu of each pod
 *     requests: {R: QUANTITY} of each pod
 *     priorityClass: TEXT
 *     checkpoint: TIME        work is saved every so long; default never
 *     restartCost: TIME       work that a restart from a checkpoint adds
 *     gang: BOOL              false: pods work each for itself; default true
 *     gpuUtilisation: NUMBER  per cent of its GPUs kept busy; default 100
 *     nodeSelector: {KEY: VALUE}
 *     tolerations: [{key, operator, value, effect}]
 *     topology: {required: LABEL} or {preferred: LABEL} or {unconstrained: true}
 *     maxExecution: TIME      Kueue's maximumExecutionTimeSeconds
 *     cancelAt: TIME          the job is deleted then
 */
#include "sim/objects/objects_simulation.h"

#include <stdio.h>
#include <string.h>

#include "sim/load/pool.h"
#include "sim/objects/object_option.h"
#include "sim/trace/trace.h"
#include "sim/yaml/yaml_scalar.h"

#define MAX_ITEMS  100000
#define MAX_COPIES 1000000
#define MAX_PODS   10000000
#define FULL	   1000 /* per mille */
#define BOOT_DELAY (120 * CLOCK_SECOND)

/* ---- values ---- */

static enum err_code read_time(struct fields *f, const struct field *row,
			       const struct yaml_node *value, void *out)
{
	(void)row;
	if (value->kind != YAML_SCALAR)
		return fields_error(f, ERR_VALUE, value,
				    "must be a time: seconds, or a duration such as 90s, 15m, "
				    "1h30m or 2d");
	if (!clock_read_duration(value->text, value->count, out))
		return fields_error(f, ERR_VALUE, value, "\"%.60s\" %s", value->text,
				    clock_duration_fault(value->text, value->count));
	return ERR_OK;
}

static enum err_code read_duration(struct fields *f, const struct field *row,
				   const struct yaml_node *value, void *out)
{
	simtime *duration = out;

	if (yaml_text_is(value, "endless")) {
		*duration = JOB_ENDLESS;
		return ERR_OK;
	}
	return read_time(f, row, value, out);
}

static enum err_code read_micro(struct fields *f, const struct field *row,
				const struct yaml_node *value, void *out)
{
	int64_t *micro = out;
	enum err_code code;

	(void)row;
	code = fields_nano(f, value, micro);
	*micro /= 1000;
	return code;
}

static enum err_code read_gpus(struct fields *f, const struct field *row,
			       const struct yaml_node *value, void *out)
{
	(void)row;
	return fields_int_between(f, value, 0, UINT32_MAX, out);
}

/* A name, or a label's value, that may look like a number. */
static enum err_code read_text(struct fields *f, const struct field *row,
			       const struct yaml_node *value, void *out)
{
	const char **text = out;

	(void)row;
	if (fields_want_text(f, value) != ERR_OK)
		return f->err->code;
	*text = value->text;
	return ERR_OK;
}

static enum err_code read_tolerations(struct fields *f, const struct field *row,
				      const struct yaml_node *value, void *out)
{
	(void)row;
	return fields_tolerations(f, value, MAX_ITEMS, out);
}

static enum err_code read_taints(struct fields *f, const struct field *row,
				 const struct yaml_node *value, void *out)
{
	(void)row;
	return fields_taints(f, value, MAX_ITEMS, out);
}

/* ---- node pools ---- */

struct pool_reading {
	struct pool pool;
	int64_t *amounts;
	const struct yaml_node *cpu, *memory, *pods, *resources;
};

static enum err_code pool_amount(struct fields *f, struct pool_reading *reading, const char *key,
				 const struct yaml_node *node, uint32_t resource)
{
	enum err_code code;
	size_t mark;

	if (node == NULL)
		return ERR_OK;
	mark = fields_enter(f, key);
	if ((reading->pool.given >> resource & 1) != 0)
		code = fields_error(f, ERR_DUPLICATE, node, "is in resources, too");
	else
		code = fields_amount(f, node, resource, &reading->amounts[resource]);
	reading->pool.given |= UINT64_C(1) << resource;
	fields_leave(f, mark);
	return code;
}

#define POOL(member) offsetof(struct pool_reading, member)

#define NOT_GIVEN UINT32_MAX /* a size */

static const struct field pool_rows[] = {
	{.key = "name", .read = read_text, .offset = POOL(pool.name), .required = true},
	{.key = "count", .read = fields_count, .offset = POOL(pool.count), .required = true},
	{.key = "minSize", .read = fields_count, .offset = POOL(pool.min_size)},
	{.key = "maxSize", .read = fields_count, .offset = POOL(pool.max_size)},
	{.key = "bootDelay", .read = read_time, .offset = POOL(pool.boot_delay)},
	{.key = "maxRunDuration", .read = read_time, .offset = POOL(pool.max_run)},
	{.key = "gpus", .read = read_gpus, .offset = POOL(pool.gpus)},
	{.key = "gpuModel", .read = read_text, .offset = POOL(pool.model)},
	{.key = "cpu", .read = fields_keep, .offset = POOL(cpu)},
	{.key = "memory", .read = fields_keep, .offset = POOL(memory)},
	{.key = "pods", .read = fields_keep, .offset = POOL(pods)},
	{.key = "resources", .read = fields_keep, .offset = POOL(resources)},
	{.key = "labels", .read = fields_label_set, .offset = POOL(pool.labels)},
	{.key = "taints", .read = read_taints, .offset = POOL(pool.taints)},
	{.key = "usdPerHour", .read = read_micro, .offset = POOL(pool.micro_usd_per_hour)},
	{.key = NULL},
};

/* Sizes that the autoscaler may choose. */
static enum err_code check_sizes(struct fields *f, struct pool *pool, const struct yaml_node *node)
{
	if (pool->max_size == NOT_GIVEN) {
		if (pool->min_size != NOT_GIVEN || pool->boot_delay >= 0 || pool->max_run != 0)
			return fields_error(f, ERR_VALUE, node,
					    "minSize, bootDelay and maxRunDuration need a maxSize: "
					    "without one the pool never changes");
		pool->min_size = pool->max_size = 0;
		return ERR_OK;
	}
	if (pool->min_size == NOT_GIVEN)
		pool->min_size = pool->count;
	if (pool->boot_delay < 0)
		pool->boot_delay = BOOT_DELAY;
	if (pool->max_size == 0)
		return fields_error(f, ERR_VALUE, node, "maxSize must be at least 1");
	if (pool->count < pool->min_size || pool->count > pool->max_size)
		return fields_error(f, ERR_VALUE, node,
				    "count is %u, not between minSize %u and maxSize %u",
				    pool->count, pool->min_size, pool->max_size);
	return ERR_OK;
}

static enum err_code read_pool(struct fields *f, const struct yaml_node *node)
{
	struct pool_reading reading = {
		.pool = {.min_size = NOT_GIVEN, .max_size = NOT_GIVEN, .boot_delay = -1},
		.amounts = builder_vector(f->builder)};
	enum err_code code = fields_map(f, node, pool_rows, &reading);

	if (code == ERR_OK)
		code = check_sizes(f, &reading.pool, node);
	if (code == ERR_OK && reading.resources != NULL) {
		size_t mark = fields_enter(f, "resources");

		code = fields_amounts(f, reading.resources, reading.amounts, &reading.pool.given);
		fields_leave(f, mark);
	}
	if (code == ERR_OK)
		code = pool_amount(f, &reading, "cpu", reading.cpu, RES_CPU);
	if (code == ERR_OK)
		code = pool_amount(f, &reading, "memory", reading.memory, RES_MEMORY);
	if (code == ERR_OK)
		code = pool_amount(f, &reading, "pods", reading.pods, RES_PODS);
	if (code != ERR_OK)
		return code;
	reading.pool.amounts = reading.amounts;
	return pool_add(f->builder, &reading.pool, yaml_place(f->file, node), f->err);
}

/* ---- jobs ---- */

struct job_reading {
	struct job job;
	struct job_common common;
	struct job_extra extra;
	const char *name;
	uint32_t count, pods, min_pods; /* NAME_NONE: not given */
	simtime every;
	int64_t gpus; /* -1: not given */
	bool gang;
	const struct yaml_node *requests;
	struct pod_shape shape;
};

static enum err_code read_pods(struct fields *f, const struct field *row,
			       const struct yaml_node *value, void *out)
{
	(void)row;
	return fields_count_between(f, value, 1, MAX_PODS, out);
}

struct topology_reading {
	uint32_t required, preferred; /* NAME_NONE */
	bool unconstrained;
};

static enum err_code read_topology(struct fields *f, const struct field *row,
				   const struct yaml_node *value, void *out)
{
	static const struct field rows[] = {
		{.key = "required",
		 .read = fields_string,
		 .offset = offsetof(struct topology_reading, required)},
		{.key = "preferred",
		 .read = fields_string,
		 .offset = offsetof(struct topology_reading, preferred)},
		{.key = "unconstrained",
		 .read = fields_bool,
		 .offset = offsetof(struct topology_reading, unconstrained)},
		{.key = NULL},
	};
	struct topology_reading reading = {.required = NAME_NONE, .preferred = NAME_NONE};
	struct pod_shape *shape = out;
	int given;

	(void)row;
	if (fields_map(f, value, rows, &reading) != ERR_OK)
		return f->err->code;
	given = (reading.required != NAME_NONE) + (reading.preferred != NAME_NONE) +
		reading.unconstrained;
	if (given != 1)
		return fields_error(f, ERR_VALUE, value,
				    "must be one of required: LABEL, preferred: LABEL or "
				    "unconstrained: true");
	if (reading.unconstrained) {
		shape->topology_mode = TOPOLOGY_UNCONSTRAINED;
		return ERR_OK;
	}
	shape->topology_mode =
		reading.required != NAME_NONE ? TOPOLOGY_REQUIRED : TOPOLOGY_PREFERRED;
	shape->topology_level =
		reading.required != NAME_NONE ? reading.required : reading.preferred;
	return ERR_OK;
}

#define JOB(member) offsetof(struct job_reading, member)

static const struct field job_rows[] = {
	{.key = "name", .read = read_text, .offset = JOB(name), .required = true},
	{.key = "count", .read = fields_count, .offset = JOB(count)},
	{.key = "every", .read = read_time, .offset = JOB(every)},
	{.key = "namespace", .read = fields_string, .offset = JOB(common.ns)},
	{.key = "queue", .read = fields_string, .offset = JOB(common.queue)},
	{.key = "submitAt", .read = read_time, .offset = JOB(job.submit)},
	{.key = "duration", .read = read_duration, .offset = JOB(job.duration), .required = true},
	{.key = "pods", .read = read_pods, .offset = JOB(pods)},
	{.key = "minPods", .read = read_pods, .offset = JOB(min_pods)},
	{.key = "gpus", .read = read_gpus, .offset = JOB(gpus)},
	{.key = "requests", .read = fields_keep, .offset = JOB(requests)},
	{.key = "priorityClass", .read = fields_string, .offset = JOB(common.priority_class)},
	{.key = "checkpoint", .read = read_time, .offset = JOB(common.checkpoint)},
	{.key = "restartCost", .read = read_time, .offset = JOB(common.restart_cost)},
	{.key = "gang", .read = fields_bool, .offset = JOB(gang)},
	{.key = "gpuUtilisation", .read = fields_percent, .offset = JOB(job.utilisation)},
	{.key = "nodeSelector", .read = fields_label_set, .offset = JOB(shape.node_selector)},
	{.key = "tolerations", .read = read_tolerations, .offset = JOB(shape.tolerations)},
	{.key = "topology", .read = read_topology, .offset = JOB(shape)},
	{.key = "maxExecution", .read = read_time, .offset = JOB(extra.max_execution)},
	{.key = "cancelAt", .read = read_time, .offset = JOB(extra.cancel_at)},
	{.key = NULL},
};

static enum err_code read_requests(struct fields *f, struct job_reading *reading,
				   const struct yaml_node *node)
{
	int64_t *request = mem_arena_alloc(f->arena, RES_MAX * sizeof(*request));
	enum err_code code = ERR_OK;
	size_t mark = fields_enter(f, "requests");

	reading->shape.request = request;
	if (reading->requests != NULL)
		code = fields_amounts(f, reading->requests, request, &reading->shape.requested);
	fields_leave(f, mark);
	if (code != ERR_OK || reading->gpus < 0)
		return code;
	if ((reading->shape.requested >> RES_GPU & 1) != 0)
		return fields_error(f, ERR_DUPLICATE, node,
				    "gpus and requests both say how many GPUs a pod needs");
	request[RES_GPU] = reading->gpus;
	reading->shape.requested |= UINT64_C(1) << RES_GPU;
	return ERR_OK;
}

static enum err_code check_job(struct fields *f, struct job_reading *reading,
			       const struct yaml_node *node)
{
	if (reading->min_pods == NAME_NONE)
		reading->min_pods = reading->pods;
	if (reading->min_pods > reading->pods)
		return fields_error(f, ERR_VALUE, node, "minPods is %u, but pods only %u",
				    reading->min_pods, reading->pods);
	if (reading->count != NAME_NONE && reading->count > MAX_COPIES)
		return fields_error(f, ERR_LIMIT, node, "count: at most %d copies", MAX_COPIES);
	if (reading->every != 0 && reading->count == NAME_NONE)
		return fields_error(f, ERR_VALUE, node, "every needs a count");
	return ERR_OK;
}

static void add_copies(struct fields *f, struct job_reading *reading, struct place where)
{
	uint32_t copies = reading->count == NAME_NONE ? 1 : reading->count;
	const struct pod_set set = {
		.name = builder_string(f->builder, "main", 4),
		.shape = builder_shape(f->builder, &reading->shape),
		.count = reading->pods,
		.min_count = reading->min_pods,
		.has_min = reading->min_pods < reading->pods,
	};
	struct job_common common = reading->common;
	struct job job = reading->job;

	common.first_pod_set = builder_pod_sets(f->builder, &set, 1);
	common.pod_set_count = 1;
	common.flags = (uint16_t)((common.queue == NAME_NONE ? JOB_UNMANAGED : 0) |
				  (reading->gang ? 0 : JOB_NOT_GANG));
	job.common = &common;
	if (reading->extra.max_execution != 0 || reading->extra.cancel_at != CLOCK_NEVER)
		job.extra = builder_extra(f->builder, &reading->extra);
	for (uint32_t i = 0; i < copies; i++) {
		char name[300];
		int len = reading->count == NAME_NONE
				  ? snprintf(name, sizeof(name), "%.253s", reading->name)
				  : snprintf(name, sizeof(name), "%.253s-%u", reading->name, i);

		job.name = builder_string(f->builder, name, (size_t)len);
		job.row = builder_job_count(f->builder);
		builder_job(f->builder, &job, where);
		job.submit = clock_add(job.submit, reading->every);
	}
}

static enum err_code read_job(struct fields *f, const struct yaml_node *node)
{
	struct job_reading reading = {
		.job = {.extra = JOB_NONE, .utilisation = FULL},
		.common = {.ns = builder_string(f->builder, "default", 7),
			   .queue = NAME_NONE,
			   .priority_class = NAME_NONE},
		.extra = {.cancel_at = CLOCK_NEVER},
		.count = NAME_NONE,
		.pods = 1,
		.min_pods = NAME_NONE,
		.gpus = -1,
		.gang = true,
		.shape = {.topology_level = NAME_NONE,
			  .slice_level = NAME_NONE,
			  .topology_group = NAME_NONE},
	};
	const struct yaml_node *name;
	enum err_code code = fields_map(f, node, job_rows, &reading);

	if (code == ERR_OK)
		code = read_requests(f, &reading, node);
	if (code == ERR_OK)
		code = check_job(f, &reading, node);
	if (code != ERR_OK)
		return code;
	name = yaml_find(node, "name");
	add_copies(f, &reading, yaml_place(f->file, name));
	return ERR_OK;
}

/* ---- lists of them ---- */

typedef enum err_code read_item(struct fields *f, const struct yaml_node *node);

/* An item with an error that was told is left out alone. */
static enum err_code settle_item(struct fields *f, enum err_code code, const char *kind,
				 const struct builder_mark *before)
{
	if (code == ERR_OK || f->report == NULL)
		return code;
	fields_tell(f);
	f->told = false;
	builder_take_back(f->builder, before);
	builder_left_out(f->builder, kind, "");
	return ERR_OK;
}

static enum err_code read_items(struct fields *f, const struct yaml_node *list, read_item *read,
				const char *kind)
{
	enum err_code code = fields_want_list(f, list);

	if (code == ERR_OK && list->count > MAX_ITEMS)
		return fields_error(f, ERR_LIMIT, list,
				    "%u items, at most %d are possible; long lists of jobs belong "
				    "into a CSV",
				    list->count, MAX_ITEMS);
	for (uint32_t i = 0; i < list->count && code == ERR_OK; i++) {
		size_t mark = fields_enter_index(f, i);
		struct builder_mark before = builder_mark(f->builder);

		code = settle_item(f, read(f, list->items[i]), kind, &before);
		fields_leave(f, mark);
	}
	return code;
}

static enum err_code read_pools(struct fields *f, const struct field *row,
				const struct yaml_node *value, void *out)
{
	(void)row;
	(void)out;
	return read_items(f, value, read_pool, "Node");
}

static enum err_code read_jobs(struct fields *f, const struct field *row,
			       const struct yaml_node *value, void *out)
{
	(void)row;
	(void)out;
	return read_items(f, value, read_job, "Job");
}

/* ---- the autoscaler ---- */

static enum err_code read_interval(struct fields *f, const struct field *row,
				   const struct yaml_node *value, void *out)
{
	simtime *interval = out;

	if (read_time(f, row, value, out) != ERR_OK)
		return f->err->code;
	if (*interval < CLOCK_SECOND)
		return fields_error(f, ERR_VALUE, value, "must be at least 1s");
	return ERR_OK;
}

static enum err_code read_autoscaler(struct fields *f, const struct field *row,
				     const struct yaml_node *value, void *out)
{
	static const struct field rows[] = {
		{.key = "scanInterval",
		 .read = read_interval,
		 .offset = offsetof(struct autoscaler_config, scan_interval)},
		{.key = "scaleDownUnneededTime",
		 .read = read_time,
		 .offset = offsetof(struct autoscaler_config, unneeded_time)},
		{.key = "scaleDownDelayAfterAdd",
		 .read = read_time,
		 .offset = offsetof(struct autoscaler_config, delay_after_add)},
		{.key = "bookingTime",
		 .read = read_time,
		 .offset = offsetof(struct autoscaler_config, reservation)},
		{.key = "expirationTime",
		 .read = read_time,
		 .offset = offsetof(struct autoscaler_config, expiration)},
		{.key = NULL},
	};
	struct autoscaler_config config = builder_autoscaler_defaults();

	(void)row;
	(void)out;
	if (fields_map(f, value, rows, &config) != ERR_OK)
		return f->err->code;
	builder_autoscaler(f->builder, &config);
	return ERR_OK;
}

/* ---- options ---- */

static enum err_code set_option(struct fields *f, const char *name, const struct yaml_node *value)
{
	if (value->kind != YAML_SCALAR)
		return fields_error(f, ERR_VALUE, value, "must be one value, not %s",
				    yaml_describe(value));
	return object_option(f, name, value->text, value);
}

static enum err_code read_option(struct fields *f, const struct field *row,
				 const struct yaml_node *value, void *out)
{
	(void)out;
	return set_option(f, row->key, value);
}

static enum err_code read_options(struct fields *f, const struct field *row,
				  const struct yaml_node *value, void *out)
{
	enum err_code code = fields_want_map(f, value);

	(void)row;
	(void)out;
	for (uint32_t i = 0; code == ERR_OK && i < value->count; i++) {
		size_t mark = fields_enter(f, value->pairs[i].key->text);

		code = set_option(f, value->pairs[i].key->text, value->pairs[i].value);
		fields_leave(f, mark);
	}
	return code;
}

/* ---- the whole ---- */

static enum err_code read_title(struct fields *f, const struct field *row,
				const struct yaml_node *value, void *out)
{
	(void)row;
	(void)out;
	if (fields_want_text(f, value) != ERR_OK)
		return f->err->code;
	builder_title(f->builder, value->text);
	return ERR_OK;
}

/* The wall-clock time of time 0: "2026-01-05T00:00:00Z". */
static enum err_code read_start(struct fields *f, const struct field *row,
				const struct yaml_node *value, void *out)
{
	simtime at;

	(void)row;
	(void)out;
	if (value->kind != YAML_SCALAR || !trace_read_instant(value->text, value->count, &at) ||
	    at < 365 * CLOCK_DAY)
		return fields_error(f, ERR_VALUE, value,
				    "startTime: write a time of 1971 or later, such as "
				    "2026-01-05T00:00:00Z");
	builder_origin(f->builder, at);
	return ERR_OK;
}

struct trace_reading {
	const char *file, *format;
};

static enum err_code read_trace(struct fields *f, const struct field *row,
				const struct yaml_node *value, void *out)
{
	static const struct field rows[] = {
		{.key = "file",
		 .read = read_text,
		 .offset = offsetof(struct trace_reading, file),
		 .required = true},
		{.key = "format",
		 .read = read_text,
		 .offset = offsetof(struct trace_reading, format)},
		{.key = NULL},
	};
	struct trace_reading reading = {NULL, NULL};
	enum err_code code;

	(void)row;
	(void)out;
	code = fields_map(f, value, rows, &reading);
	if (code == ERR_OK)
		builder_trace(f->builder, reading.file, reading.format, yaml_place(f->file, value));
	return code;
}

enum err_code objects_simulation(struct fields *f, const struct object *object)
{
	static const struct field rows[] = {
		{.key = "apiVersion"},
		{.key = "kind"},
		{.key = "metadata"},
		{.key = "title", .read = read_title},
		{.key = "startTime", .read = read_start},
		{.key = "horizon", .read = read_option},
		{.key = "seed", .read = read_option},
		{.key = "options", .read = read_options},
		{.key = "nodePools", .read = read_pools},
		{.key = "autoscaler", .read = read_autoscaler},
		{.key = "trace", .read = read_trace},
		{.key = "jobs", .read = read_jobs},
		{.key = NULL},
	};
	enum fields_unknown before = f->unknown;
	bool nothing = false; /* the rows put what they read into the builder */
	enum err_code code;

	f->unknown = FIELDS_REFUSE;
	code = fields_map(f, object->node, rows, &nothing);
	f->unknown = before;
	return code;
}
