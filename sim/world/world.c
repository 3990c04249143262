#include "sim/world/world.h"

#include <assert.h>
#include <string.h>

/* Nodes that only appear later stand behind the others, unusable until then. */
static void init_nodes(struct world *w)
{
	const struct scenario *s = w->scenario;

	w->node_count = s->node_count + scenario_added_nodes(s);
	w->nodes = mem_calloc(w->node_count, sizeof(*w->nodes));
	w->node_usable = mem_calloc(w->node_count, sizeof(*w->node_usable));
	if (s->node_count != 0)
		memcpy(w->nodes, s->nodes, s->node_count * sizeof(*w->nodes));
	for (uint32_t i = 0, added = s->node_count; i < s->update_count; i++) {
		if (s->updates[i].kind == UPDATE_NODE && s->updates[i].object == SCENARIO_NONE)
			w->nodes[added++] = s->nodes[s->updates[i].version];
	}
	for (uint32_t i = 0; i < s->node_count; i++)
		w->node_usable[i] =
			w->nodes[i].ready && !w->nodes[i].unschedulable && !w->nodes[i].spare;
	cluster_usage_init(&w->usage, w->nodes, w->node_count, s->resource_count);
}

/* ---- jobs ---- */

enum { RUN_FUTURE, RUN_DONE, RUN_FIRST }; /* the shared records, then one a live job */

static struct job_run new_run(enum job_phase phase)
{
	return (struct job_run){.running_since = CLOCK_NEVER,
				.admission = JOB_NONE,
				.parallelism = JOB_NONE,
				.phase = (uint8_t)phase};
}

/* Nobody may have written into a record that many jobs share. */
static bool same_run(const struct job_run *run, enum job_phase phase)
{
	struct job_run new = new_run(phase);

	return memcmp(run, &new, sizeof(new)) == 0;
}

/* Does more happen to it than that it comes, runs and ends? Attempts that are late or fail
 * are part of that; what a clock or a controller does may come before it and after it. */
static bool is_eventful(const struct world *w, uint32_t job)
{
	const struct job *j = &w->scenario->jobs[job];
	const struct job_extra *e;

	if (!w->journal->survey.eventful)
		return false;
	if ((j->common->flags & JOB_SOLO) != 0)
		return true;
	e = j->extra == JOB_NONE ? NULL : &w->scenario->extras[j->extra];
	return e != NULL && (e->cancel_at != CLOCK_NEVER || e->deactivate_at != 0 ||
			     e->reactivate_at != 0 || e->gated_by != 0 || e->control != NULL);
}

static void init_pods(struct world *w, uint32_t job)
{
	const struct scenario *s = w->scenario;
	struct pod *pod = &w->pods[w->journal->first_pod[job]];

	for (uint32_t k = 0; k < s->jobs[job].common->pod_set_count; k++) {
		const struct pod_set *set = &s->pod_sets[s->jobs[job].common->first_pod_set + k];

		for (uint32_t i = 0; i < set->count; i++)
			*pod++ = (struct pod){.job = job, .node = NODE_NONE, .shape = set->shape};
	}
}

void world_begin(struct world *w, uint32_t job)
{
	uint32_t run = w->free_run;

	if (w->run_of[job] != RUN_FUTURE)
		return;
	if (run != 0) {
		w->free_run = w->runs[run].attempt;
	} else {
		run = w->run_count++;
		w->runs = mem_grow(w->runs, w->run_count, &w->run_capacity, sizeof(*w->runs));
	}
	w->runs[run] = w->runs[RUN_FUTURE];
	w->run_of[job] = run;
	init_pods(w, job);
}

void world_end(struct world *w, uint32_t job)
{
	uint32_t run = w->run_of[job];

	assert(w->runs[run].phase == JOB_DONE);
	if (run < RUN_FIRST || is_eventful(w, job))
		return;
	w->runs[run].attempt = w->free_run;
	w->free_run = run;
	w->run_of[job] = RUN_DONE;
}

static void init_jobs(struct world *w)
{
	const struct scenario *s = w->scenario;

	w->run_of = mem_calloc(s->job_count, sizeof(*w->run_of));
	w->run_capacity = w->run_count = RUN_FIRST;
	w->runs = mem_calloc(RUN_FIRST, sizeof(*w->runs));
	w->runs[RUN_FUTURE] = new_run(JOB_FUTURE);
	w->runs[RUN_DONE] = new_run(JOB_DONE);
	for (uint32_t i = 0; w->journal->survey.eventful && i < s->job_count; i++) {
		if (is_eventful(w, i))
			world_begin(w, i);
		if (scenario_job_elastic(s, i))
			world_job(w, i)->parallelism = scenario_job_control(s, i)->replicas;
	}
}

void world_init(struct world *w, const struct scenario *scenario, const struct run_options *options,
		struct journal *journal)
{
	*w = (struct world){.scenario = scenario, .options = options, .journal = journal};
	w->pods = mem_calloc(journal->first_pod[scenario->job_count], sizeof(*w->pods));
	init_jobs(w);
	init_nodes(w);
}

void world_free(struct world *w)
{
	cluster_usage_free(&w->usage);
	if (w->runs != NULL)
		assert(same_run(&w->runs[RUN_FUTURE], JOB_FUTURE) &&
		       same_run(&w->runs[RUN_DONE], JOB_DONE));
	mem_free(w->run_of);
	mem_free(w->runs);
	mem_free(w->pods);
	mem_free(w->nodes);
	mem_free(w->node_usable);
	*w = (struct world){0};
}

const struct admission *world_admission(const struct world *w, uint32_t job)
{
	uint32_t admission = world_job(w, job)->admission;

	return admission == JOB_NONE ? NULL : &w->journal->admissions[admission];
}

static const struct topology *topology_of(const struct scenario *s,
					  const struct admission_pod_set *set)
{
	for (uint32_t i = 0; i < set->flavor_count; i++) {
		const struct flavor *f = &s->flavors[set->flavors[i].flavor];

		if (f->topology_name != NAME_NONE && f->topology != SCENARIO_NONE)
			return &s->topologies[f->topology];
	}
	return NULL;
}

/* The pods of one pod set, in the order of their index. */
struct set_pods {
	const struct world *world;
	const struct admission_pod_set *set;
	const struct topology *topology;
	uint32_t first; /* slot */
};

/* By its index; NAME_NONE if the domains are for fewer pods. */
static uint32_t domain_by_index(const struct admission_pod_set *set, uint32_t index)
{
	for (uint32_t d = 0; d < set->domain_count; d++) {
		if (index < set->domains[d].pods)
			return set->domains[d].values;
		index -= set->domains[d].pods;
	}
	return NAME_NONE;
}

static uint32_t node_of(const struct set_pods *p, uint32_t index)
{
	return p->world->pods[p->first + index].node;
}

/* Is some pod elsewhere than its index says? */
static bool is_out_of_order(const struct set_pods *p)
{
	for (uint32_t i = 0; i < p->set->count; i++) {
		uint32_t domain = domain_by_index(p->set, i);

		if (node_of(p, i) != NODE_NONE &&
		    (domain == NAME_NONE ||
		     !world_in_domain(p->world, p->topology, domain, node_of(p, i))))
			return true;
	}
	return false;
}

/* Pods without a node fill, in order, what those with one leave of the domains. */
static uint32_t domain_left(const struct set_pods *p, uint32_t index)
{
	uint32_t before = 0;

	for (uint32_t i = 0; i < index; i++)
		before += node_of(p, i) == NODE_NONE;
	for (uint32_t d = 0; d < p->set->domain_count; d++) {
		uint32_t left = p->set->domains[d].pods;

		for (uint32_t i = 0; i < p->set->count && left > 0; i++)
			left -= node_of(p, i) != NODE_NONE &&
				world_in_domain(p->world, p->topology, p->set->domains[d].values,
						node_of(p, i));
		if (before < left)
			return p->set->domains[d].values;
		before -= left;
	}
	return NAME_NONE;
}

uint32_t world_pod_domain(const struct world *w, uint32_t pod, const struct topology **topology)
{
	uint32_t number = w->pods[pod].job, index, at;
	const struct job *job = &w->scenario->jobs[number];
	const struct admission *a = world_admission(w, number);
	struct set_pods p = {.world = w};

	if (a == NULL)
		return NAME_NONE;
	at = world_pod_set(w, pod);
	p.set = &a->pod_sets[at];
	if (p.set->domain_count == 0)
		return NAME_NONE;
	index = world_pod_index(w, pod);
	while (at-- > 0)
		index -= w->scenario->pod_sets[job->common->first_pod_set + at].count;
	*topology = p.topology = topology_of(w->scenario, p.set);
	p.first = pod - index;
	if (p.topology == NULL)
		return NAME_NONE;
	if (world_job(w, number)->moved != 0 && is_out_of_order(&p))
		return domain_left(&p, index);
	return domain_by_index(p.set, index);
}

/* Compares the values with the text, one after the other. */
bool world_in_domain(const struct world *w, const struct topology *topology, uint32_t domain,
		     uint32_t node)
{
	const struct name_table *strings = w->scenario->strings;
	const char *rest = journal_text(w->journal, domain);
	uint32_t lowest = topology->level_count - 1, first = 0;

	if (strcmp(name_text(strings, topology->levels[lowest]), "kubernetes.io/hostname") == 0)
		first = lowest;
	for (uint32_t l = first; l <= lowest; l++) {
		const char *value = name_text(
			strings, label_value(&w->nodes[node].labels, topology->levels[l]));
		size_t length = strlen(value);

		if (strncmp(rest, value, length) != 0 || rest[length] != (l == lowest ? '\0' : '/'))
			return false;
		rest += length + 1;
	}
	return true;
}

uint32_t world_pod_index(const struct world *w, uint32_t pod)
{
	return pod - w->journal->first_pod[w->pods[pod].job];
}

uint32_t world_pod_set(const struct world *w, uint32_t pod)
{
	const struct job *job = &w->scenario->jobs[w->pods[pod].job];
	uint32_t index = world_pod_index(w, pod), k = 0;

	while (index >= w->scenario->pod_sets[job->common->first_pod_set + k].count)
		index -= w->scenario->pod_sets[job->common->first_pod_set + k++].count;
	return k;
}

static bool is_ordered(const struct world *w, uint32_t job)
{
	const struct job_control *control = scenario_job_control(w->scenario, job);

	return control != NULL && control->startup_count != 0;
}

/* Jobs with a start-up order are admitted whole: an admission is for less only where some of
 * their pods were done before, which stand among the others. */
uint32_t world_pod_set_count(const struct world *w, uint32_t job, uint32_t pod_set)
{
	const struct admission *a = world_admission(w, job);

	if (a != NULL && !is_ordered(w, job))
		return a->pod_sets[pod_set].count;
	return w->scenario->pod_sets[w->scenario->jobs[job].common->first_pod_set + pod_set].count;
}

uint32_t world_set_slot(const struct world *w, uint32_t job, uint32_t pod_set)
{
	const struct pod_set *sets =
		&w->scenario->pod_sets[w->scenario->jobs[job].common->first_pod_set];
	uint32_t slot = w->journal->first_pod[job];

	for (uint32_t k = 0; k < pod_set; k++)
		slot += sets[k].count;
	return slot;
}

/* Of a job with a start-up order. */
static uint32_t done_pods(const struct world *w, uint32_t job, uint32_t pod_set)
{
	uint32_t set = w->scenario->jobs[job].common->first_pod_set + pod_set;
	const struct pod *pods = &w->pods[world_set_slot(w, job, pod_set)];
	uint32_t done = 0;

	for (uint32_t i = 0; i < w->scenario->pod_sets[set].count; i++)
		done += pods[i].phase == POD_DONE;
	return done;
}

uint32_t world_reclaimable(const struct world *w, uint32_t job, uint32_t pod_set)
{
	const struct job_control *control = scenario_job_control(w->scenario, job);
	uint32_t ended = world_job(w, job)->succeeded + world_job(w, job)->given_up;
	const struct pod_set *set;
	uint32_t parallel, left;

	if (is_ordered(w, job))
		return done_pods(w, job, pod_set);
	if (control == NULL || control->controller != CONTROLLER_JOB || pod_set != 0 || ended == 0)
		return 0;
	/* Kueue sets a Job's parallelism only where it may admit fewer pods. */
	set = &w->scenario->pod_sets[w->scenario->jobs[job].common->first_pod_set];
	parallel = set->min_count < set->count ? world_pod_set_count(w, job, 0) : set->count;
	if (control->elastic)
		parallel = world_job(w, job)->parallelism;
	left = control->completions == JOB_NONE ? parallel : control->completions;
	left -= ended < left ? ended : left;
	return parallel > 1 && left < parallel ? parallel - left : 0;
}
