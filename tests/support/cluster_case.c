#include "tests/support/cluster_case.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "core/rng.h"
#include "tests/support/fixture.h"

static uint32_t text(struct builder *b, const char *s)
{
	return builder_string(b, s, strlen(s));
}

static int64_t or_unlimited(int64_t amount)
{
	return amount == 0 ? RES_UNLIMITED : amount;
}

/* at: KIND_ALWAYS, or seconds */
static void add_node(struct builder *b, const struct case_node *n, uint32_t index, int64_t at)
{
	int64_t *v = builder_vector(b);
	struct label *label = mem_arena_alloc(builder_arena(b), sizeof(*label));
	struct taint *taint = mem_arena_alloc(builder_arena(b), sizeof(*taint));
	struct node node = {.zone = n->zone == NULL ? NAME_NONE : text(b, n->zone),
			    .pool = NAME_NONE,
			    .allocatable = v,
			    .gpus = n->gpus,
			    .unschedulable = n->cordoned,
			    .ready = !n->not_ready};
	char name[16];

	snprintf(name, sizeof(name), "n%u", index);
	node.name = text(b, name);
	v[RES_CPU] = or_unlimited(n->cpu);
	v[RES_MEMORY] = or_unlimited(n->memory);
	v[RES_EPHEMERAL] = RES_UNLIMITED;
	v[RES_PODS] = or_unlimited(n->pods);
	v[RES_GPU] = n->gpus;
	if (n->pool != NULL) {
		*label = (struct label){text(b, "pool"), text(b, n->pool)};
		node.labels = (struct label_set){label, 1};
	}
	if (n->taint != NULL) {
		*taint = (struct taint){text(b, n->taint), NAME_NONE, n->effect};
		node.taints = (struct taint_set){taint, 1};
	}
	if (at == KIND_ALWAYS)
		builder_node(b, &node, (struct place){0});
	else
		builder_add(b, KIND_NODE, &node, (struct place){0}, at * CLOCK_SECOND);
}

/* Asked for by a pod, parts of GPUs are a resource, and offered by all nodes. */
static uint32_t parts_of_gpus(struct builder *b)
{
	struct err err = {0};
	uint32_t milli;

	ck_assert(builder_resource(b, RES_GPU_MILLI, strlen(RES_GPU_MILLI), &milli, &err) ==
		  ERR_OK);
	return milli;
}

static uint32_t add_shape(struct builder *b, const struct case_job *j)
{
	int64_t *request = builder_vector(b);
	struct label label = {.key = text(b, "pool")};
	struct toleration toleration = {.op = TOLERATION_EXISTS, .value = NAME_NONE};
	struct pod_shape shape = {.request = request,
				  .topology_level = NAME_NONE,
				  .slice_level = NAME_NONE,
				  .topology_group = NAME_NONE};

	request[RES_GPU] = j->gpus;
	request[RES_CPU] = j->cpu;
	request[RES_MEMORY] = j->memory;
	for (uint32_t r = 0; r < RES_FIXED; r++)
		shape.requested |= (uint64_t)(request[r] != 0) << r;
	if (j->milli != 0) {
		uint32_t milli = parts_of_gpus(b);

		request[milli] = j->milli;
		shape.requested |= UINT64_C(1) << milli;
	}
	if (j->pool != NULL) {
		label.value = text(b, j->pool);
		shape.node_selector = (struct label_set){&label, 1};
	}
	if (j->tolerates != NULL) {
		toleration.key = text(b, j->tolerates);
		shape.tolerations = (struct toleration_set){&toleration, 1};
	}
	return builder_shape(b, &shape);
}

static void add_job(struct builder *b, const struct case_job *j, uint32_t index)
{
	struct pod_set set = {.name = text(b, "main"), .count = j->pods, .min_count = j->pods};
	struct job_common common = {.ns = text(b, "default"),
				    .queue = j->queue == NULL ? NAME_NONE : text(b, j->queue),
				    .priority_class = NAME_NONE,
				    .restart_cost = j->restart_s * CLOCK_SECOND,
				    .pod_set_count = 1,
				    .flags = (uint16_t)((j->queue == NULL ? JOB_UNMANAGED : 0) |
							(j->solo ? JOB_NOT_GANG : 0))};
	struct job job = {.submit = j->submit_s * CLOCK_SECOND,
			  .duration =
				  j->duration_s < 0 ? JOB_ENDLESS : j->duration_s * CLOCK_SECOND,
			  .row = index,
			  .common = &common,
			  .utilisation = 1000,
			  .extra = JOB_NONE};
	char name[16];

	if (j->control != NULL)
		job.extra = builder_extra(
			b, &(struct job_extra){.cancel_at = CLOCK_NEVER, .control = j->control});
	snprintf(name, sizeof(name), "j%u", index);
	job.name = text(b, name);
	set.shape = add_shape(b, j);
	common.first_pod_set = builder_pod_sets(b, &set, 1);
	builder_job(b, &job, (struct place){0});
}

static struct scenario *finish(struct builder *b, const struct case_job *jobs, uint32_t count)
{
	struct scenario *s = NULL;
	struct err err = {0};
	uint32_t milli;

	if (builder_find_resource(b, RES_GPU_MILLI, &milli))
		builder_nodes_offer(b, milli, 1000);
	if (builder_finish(b, &s, &err) != ERR_OK)
		ck_abort_msg("cluster case: %s", err.msg);
	for (uint32_t i = 0; i < count; i++) {
		fixture_priority(s, i, jobs[i].priority, jobs[i].priority);
		if (jobs[i].never)
			fixture_flags(s, i, JOB_NEVER_PREEMPTS);
	}
	return s;
}

static struct builder *begin(const struct case_node *nodes, uint32_t node_count,
			     const struct case_job *jobs, uint32_t job_count)
{
	struct builder *b = builder_new();

	for (uint32_t i = 0; i < node_count; i++)
		add_node(b, &nodes[i], i, KIND_ALWAYS);
	for (uint32_t i = 0; i < job_count; i++)
		add_job(b, &jobs[i], i);
	return b;
}

struct scenario *cluster_case_scenario(const struct case_node *nodes, uint32_t node_count,
				       const struct case_job *jobs, uint32_t job_count)
{
	return finish(begin(nodes, node_count, jobs, job_count), jobs, job_count);
}

struct scenario *cluster_case_queued(const struct case_node *nodes, uint32_t node_count,
				     const struct case_job *jobs, uint32_t job_count,
				     const struct case_change *changes, uint32_t change_count,
				     int64_t quota_a, int64_t quota_b)
{
	struct builder *b = begin(nodes, node_count, jobs, job_count);

	for (uint32_t i = 0; i < change_count; i++)
		add_node(b, &changes[i].now, changes[i].node, changes[i].at_s);
	builder_simple_queue(b, "a", "default", "all", "gpu", quota_a);
	builder_simple_queue(b, "b", "default", "all", "gpu", quota_b);
	return finish(b, jobs, job_count);
}

void cluster_case_open(struct cluster_case *c, const struct case_node *nodes, uint32_t node_count,
		       const struct case_job *jobs, uint32_t job_count)
{
	c->scenario = cluster_case_scenario(nodes, node_count, jobs, job_count);
	options_default(&c->options);
	c->journal = journal_new(c->scenario, "test", JOURNAL_FULL);
	world_init(&c->world, c->scenario, &c->options, c->journal);
	for (uint32_t job = 0; job < c->scenario->job_count; job++)
		world_begin(&c->world, job);
	for (uint32_t i = 0; i < job_count; i++) {
		world_job(&c->world, i)->phase = JOB_ADMITTED;
		world_job(&c->world, i)->pods_wanted = jobs[i].pods;
	}
	for (uint32_t pod = 0; pod < c->journal->first_pod[job_count]; pod++)
		c->world.pods[pod].phase = POD_PENDING;
}

void cluster_case_close(struct cluster_case *c)
{
	world_free(&c->world);
	journal_free(c->journal);
	scenario_free(c->scenario);
}

void cluster_case_bind(struct cluster_case *c, uint32_t pod, uint32_t node)
{
	struct pod *p = &c->world.pods[pod];

	p->phase = POD_BOUND;
	p->node = node;
	cluster_add(&c->world.usage, node, &c->scenario->shapes[p->shape]);
	world_job(&c->world, p->job)->pods_bound++;
}

void cluster_case_remove(struct cluster_case *c, uint32_t pod)
{
	struct pod *p = &c->world.pods[pod];

	cluster_remove(&c->world.usage, p->node, &c->scenario->shapes[p->shape]);
	p->phase = POD_ABSENT;
	p->node = NODE_NONE;
	world_job(&c->world, p->job)->pods_bound--;
}

/* ---- random ones ---- */

static void random_nodes(struct random_case *r, struct rng *rng)
{
	bool limited = rng_below(rng, 2) == 0;

	r->node_count = 2 + (uint32_t)rng_below(rng, CLUSTER_CASE_NODES - 1);
	for (uint32_t i = 0; i < r->node_count; i++) {
		struct case_node *n = &r->nodes[i];

		*n = (struct case_node){.gpus = 4, .pods = 110};
		if (limited) {
			n->cpu = 8000 + 4000 * (int64_t)rng_below(rng, 3);
			n->memory = INT64_C(64) << 30;
		}
		n->pool = rng_below(rng, 3) == 0 ? "spot" : NULL;
		n->taint = rng_below(rng, 5) == 0 ? "dedicated" : NULL;
		n->effect = rng_below(rng, 2) == 0 ? TAINT_NO_SCHEDULE : TAINT_PREFER_NO_SCHEDULE;
	}
}

static void random_jobs(struct random_case *r, struct rng *rng)
{
	uint64_t priorities = 1 + rng_below(rng, 3);
	int64_t now = 0;

	r->job_count = 6 + (uint32_t)rng_below(rng, CLUSTER_CASE_JOBS - 5);
	for (uint32_t i = 0; i < r->job_count; i++) {
		struct case_job *j = &r->jobs[i];

		now += (int64_t)rng_below(rng, 4);
		*j = (struct case_job){.pods = 1 + (uint32_t)rng_below(rng, 4),
				       .gpus = 1 + (int64_t)rng_below(rng, 4),
				       .submit_s = now,
				       .duration_s = 1 + (int64_t)rng_below(rng, 30),
				       .priority = 10 * (int32_t)rng_below(rng, priorities),
				       .never = rng_below(rng, 6) == 0,
				       .queue = rng_below(rng, 2) == 0 ? "a" : "b"};
		if (rng_below(rng, 2) == 0) {
			j->cpu = 1000 * (1 + (int64_t)rng_below(rng, 4));
			j->memory = INT64_C(8) << 30;
		}
		j->pool = rng_below(rng, 8) == 0 ? "spot" : NULL;
		j->tolerates = rng_below(rng, 3) == 0 ? "dedicated" : NULL;
	}
}

/* Pods fail at these times, wherever they start. */
static const struct pod_fate case_fates[] = {
	{JOB_NONE, -1, 1},	  {JOB_NONE, 3 * CLOCK_SECOND, 1},
	{JOB_NONE, 0, 42},	  {JOB_NONE, 5 * CLOCK_SECOND, 2},
	{1, 4 * CLOCK_SECOND, 1},
};
static const int32_t case_codes[] = {42};
static const struct failure_rule case_rules[] = {
	{.action = FAILURE_IGNORE, .disruption = true},
	{.action = FAILURE_FAIL_INDEX, .codes = case_codes, .code_count = 1},
};
static const simtime case_durations[] = {2 * CLOCK_SECOND, 7 * CLOCK_SECOND, 4 * CLOCK_SECOND};

static void random_job_control(struct case_job *j, struct job_control *c, struct rng *rng)
{
	bool any_number = rng_below(rng, 6) == 0;

	c->completions = any_number ? JOB_NONE : j->pods + (uint32_t)rng_below(rng, 6);
	j->solo = c->completions != j->pods || rng_below(rng, 2) == 0;
	if (!j->solo || any_number)
		c->completions = j->solo ? JOB_NONE : j->pods;
	c->backoff_limit = rng_below(rng, 2) == 0 ? JOB_NONE : (uint32_t)rng_below(rng, 5);
	c->fate_count = (uint32_t)rng_below(rng, 6);
	c->failure_rule_count = (uint32_t)rng_below(rng, 3);
	c->restarts = rng_below(rng, 3) == 0;
	c->deadline = rng_below(rng, 5) == 0 ? (simtime)rng_below(rng, 40) * CLOCK_SECOND : 0;
	if (j->solo && rng_below(rng, 2) == 0)
		c->duration_count = 3;
	if (j->solo && !any_number && rng_below(rng, 3) == 0) {
		c->indexed = true;
		c->index_limit = (uint32_t)rng_below(rng, 3);
		c->max_failed_indexes = rng_below(rng, 2) == 0 ? JOB_NONE : 1;
	}
	c->suspended = rng_below(rng, 4) == 0;
}

static void random_service(struct case_job *j, struct job_control *c, struct rng *rng)
{
	j->solo = true;
	j->duration_s = -1;
	c->controller = rng_below(rng, 2) == 0 ? CONTROLLER_REPLICA_SET : CONTROLLER_STATEFUL_SET;
	c->ordered = c->controller == CONTROLLER_STATEFUL_SET && rng_below(rng, 2) == 0;
	c->completions = j->pods;
	c->replicas = (uint32_t)rng_below(rng, j->pods + 1);
	c->restarts = true;
	c->fate_count = (uint32_t)rng_below(rng, 5);
}

/* Pods that nobody makes again. */
static void random_pods(struct case_job *j, struct job_control *c, struct rng *rng)
{
	bool group = rng_below(rng, 2) == 0;

	c->controller = group ? CONTROLLER_POD_GROUP : CONTROLLER_NONE;
	if (!group)
		j->pods = 1;
	c->completions = j->pods;
	c->restarts = rng_below(rng, 2) == 0;
	c->fate_count = (uint32_t)rng_below(rng, 5);
}

void cluster_case_controllers(struct random_case *r, uint64_t seed)
{
	struct rng *rng = rng_new(seed, "controllers");

	for (uint32_t i = 0; i < r->job_count; i++) {
		struct job_control *c = &r->controls[i];
		struct case_job *j = &r->jobs[i];

		*c = (struct job_control){.index_limit = JOB_NONE,
					  .max_failed_indexes = JOB_NONE,
					  .backoff_limit = JOB_NONE,
					  .durations = case_durations,
					  .fates = case_fates,
					  .failure_rules = case_rules,
					  .changes = r->orders[i],
					  .change_count = 2};
		for (uint32_t k = 0; k < 2; k++)
			r->orders[i][k] = (struct job_change){
				.at = (simtime)(20 * k + rng_below(rng, 20)) * CLOCK_SECOND,
				.replicas = (uint32_t)rng_below(rng, j->pods + 1),
				.suspend = (int8_t)(k == 0 ? rng_below(rng, 2) : 0)};
		if (rng_below(rng, 5) == 0)
			continue;
		j->control = c;
		if (rng_below(rng, 4) == 0)
			random_service(j, c, rng);
		else if (rng_below(rng, 6) == 0)
			random_pods(j, c, rng);
		else
			random_job_control(j, c, rng);
	}
	rng_free(rng);
}

static void random_changes(struct random_case *r, struct rng *rng)
{
	int64_t now = 0;

	r->change_count = rng_below(rng, 2) == 0 ? 0 : 1 + (uint32_t)rng_below(rng, 4);
	for (uint32_t i = 0; i < r->change_count; i++) {
		struct case_change *c = &r->changes[i];

		now += (int64_t)rng_below(rng, 15);
		c->at_s = now;
		c->node = (uint32_t)rng_below(rng, r->node_count);
		c->now = r->nodes[c->node];
		c->now.cordoned = rng_below(rng, 3) == 0;
		c->now.not_ready = rng_below(rng, 4) == 0;
		c->now.pool = rng_below(rng, 3) == 0 ? "spot" : NULL;
		c->now.gpus = rng_below(rng, 3) == 0 ? 8 : 4;
	}
}

void cluster_case_random(struct random_case *r, uint64_t seed)
{
	struct rng *rng = rng_new(seed, "case");

	*r = (struct random_case){.node_count = 0};
	options_default(&r->options);
	random_nodes(r, rng);
	random_jobs(r, rng);
	random_changes(r, rng);
	r->options.grace = rng_below(rng, 3) == 0 ? 3 * CLOCK_SECOND : 0;
	r->options.placement_timeout = rng_below(rng, 4) == 0 ? 20 * CLOCK_SECOND : 0;
	r->options.create = rng_below(rng, 2) == 0 ? CREATE_INTERLEAVED : CREATE_SEQUENTIAL;
	r->options.tie = rng_below(rng, 3) == 0 ? TIE_RANDOM : TIE_FIRST;
	r->options.kubernetes_minor = rng_below(rng, 4) == 0 ? 35 : 34;
	r->options.eviction_delay = rng_below(rng, 2) == 0 ? 0 : 5 * CLOCK_SECOND;
	r->options.max_time = 5000 * CLOCK_SECOND;
	rng_free(rng);
}
