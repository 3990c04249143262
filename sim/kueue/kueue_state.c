#include "sim/kueue/kueue_state.h"

#include <assert.h>
#include <string.h>

#include "core/mem.h"
#include "core/sort.h"
#include "sim/scenario/requests.h"

#define NANO 1000000000

static const char *text(const struct kueue *k, uint32_t string)
{
	return name_text(k->scenario->strings, string);
}

/* ------------------------------------------------------------ hash tables */

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash ^= value + UINT64_C(0x9e3779b97f4a7c15) + (hash << 6) + (hash >> 2);
	hash *= UINT64_C(0xff51afd7ed558ccd);
	return hash ^ (hash >> 33);
}

/* Open addressing over dense indices; only while a run is set up. */
struct index_table {
	uint32_t *slots;
	size_t size, used;
};

static void index_grow(struct index_table *table, uint64_t (*hash)(const void *, uint32_t),
		       const void *context)
{
	struct index_table old = *table;

	table->size = old.size == 0 ? 64 : old.size * 2;
	table->slots = mem_calloc(table->size, sizeof(*table->slots));
	memset(table->slots, 0xff, table->size * sizeof(*table->slots));
	for (size_t i = 0; i < old.size; i++) {
		size_t at;

		if (old.slots[i] == KUEUE_NONE)
			continue;
		at = hash(context, old.slots[i]) & (table->size - 1);
		while (table->slots[at] != KUEUE_NONE)
			at = (at + 1) & (table->size - 1);
		table->slots[at] = old.slots[i];
	}
	mem_free(old.slots);
}

/* -------------------------------------------------- flavors and columns */

static uint32_t find_flavor(const struct kueue *k, uint32_t name)
{
	for (uint32_t i = 0; i < k->flavor_count; i++) {
		if (k->flavors[i].name == name)
			return i;
	}
	return KUEUE_NONE;
}

static void collect_flavors(struct kueue *k, const struct resource_group *groups, uint32_t count)
{
	for (uint32_t g = 0; g < count; g++) {
		for (uint32_t f = 0; f < groups[g].flavor_count; f++) {
			if (find_flavor(k, groups[g].flavor_names[f]) != KUEUE_NONE)
				continue;
			k->flavors[k->flavor_count++] = (struct kueue_flavor){
				.name = groups[g].flavor_names[f], .index = SCENARIO_NONE};
		}
	}
}

static uint32_t flavor_mentions(const struct resource_group *groups, uint32_t count)
{
	uint32_t mentions = 0;

	for (uint32_t g = 0; g < count; g++)
		mentions += groups[g].flavor_count;
	return mentions;
}

typedef void visit_groups(struct kueue *k, const struct resource_group *groups, uint32_t count);

/* Every resource group of every version of every queue and cohort. */
static void for_all_groups(struct kueue *k, visit_groups *visit)
{
	const struct scenario *s = k->scenario;

	for (uint32_t i = 0; i < s->cluster_queue_count; i++)
		visit(k, s->cluster_queues[i].groups, s->cluster_queues[i].group_count);
	for (uint32_t i = 0; i < s->cohort_count; i++)
		visit(k, s->cohorts[i].groups, s->cohorts[i].group_count);
	for (uint32_t i = 0; i < s->update_count; i++) {
		uint32_t version = s->updates[i].version;

		if (s->updates[i].kind == UPDATE_CLUSTER_QUEUE)
			visit(k, s->cluster_queues[version].groups,
			      s->cluster_queues[version].group_count);
		if (s->updates[i].kind == UPDATE_COHORT)
			visit(k, s->cohorts[version].groups, s->cohorts[version].group_count);
	}
}

static void count_mentions(struct kueue *k, const struct resource_group *groups, uint32_t count)
{
	k->flavor_count += flavor_mentions(groups, count);
}

static void number_columns(struct kueue *k, const struct resource_group *groups, uint32_t count)
{
	for (uint32_t g = 0; g < count; g++) {
		for (uint32_t f = 0; f < groups[g].flavor_count; f++) {
			uint32_t flavor = find_flavor(k, groups[g].flavor_names[f]);

			for (uint32_t r = 0; r < groups[g].resource_count; r++) {
				uint32_t resource = groups[g].resources[r];
				uint32_t *column =
					&k->columns[(size_t)flavor * k->resource_count + resource];

				if (*column != KUEUE_NONE)
					continue;
				k->column_flavor[k->column_count] = flavor;
				k->column_resource[k->column_count] = resource;
				*column = k->column_count++;
			}
		}
	}
}

static void make_columns(struct kueue *k)
{
	size_t cells;

	for_all_groups(k, count_mentions);
	k->flavors = mem_calloc(k->flavor_count, sizeof(*k->flavors));
	k->flavor_count = 0;
	for_all_groups(k, collect_flavors);
	cells = (size_t)k->flavor_count * k->resource_count;
	k->columns = mem_calloc(cells, sizeof(*k->columns));
	memset(k->columns, 0xff, cells * sizeof(*k->columns));
	k->column_flavor = mem_calloc(cells, sizeof(*k->column_flavor));
	k->column_resource = mem_calloc(cells, sizeof(*k->column_resource));
	for_all_groups(k, number_columns);
	k->suits = mem_calloc((size_t)k->flavor_count * k->scenario->shape_count, 1);
}

/* ------------------------------------------------------------ name orders */

struct name_order {
	const struct kueue *k;
	bool resources;
};

static int compare_names(const void *a, const void *b, void *context)
{
	const struct name_order *order = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct scenario *s = order->k->scenario;
	int c = order->resources ? strcmp(name_text(s->resources, x), name_text(s->resources, y))
				 : strcmp(name_text(s->strings, s->cluster_queues[x].name),
					  name_text(s->strings, s->cluster_queues[y].name));

	return c != 0 ? c : (x > y) - (x < y);
}

/* order[i] = which comes at place i; rank is its inverse. */
static void order_names(const struct kueue *k, bool resources, uint32_t count, uint32_t *order,
			uint32_t *rank)
{
	struct name_order context = {k, resources};

	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	sort_stable(order, count, sizeof(*order), compare_names, &context);
	for (uint32_t i = 0; i < count; i++)
		rank[order[i]] = i;
}

/* ---------------------------------------------------- requests and classes */

static int compare_slots(const void *a, const void *b, void *context)
{
	const struct kueue_slot *x = a, *y = b;
	const struct name_table *names = ((const struct kueue *)context)->scenario->resources;
	const char *name_x = name_text(names, x->resource), *name_y = name_text(names, y->resource);
	uint64_t key_x = res_order_key(name_x), key_y = res_order_key(name_y);

	if (key_x != key_y)
		return key_x < key_y ? -1 : 1;
	return strcmp(name_x, name_y);
}

static uint32_t fill_slots(struct kueue *k, const struct pod_set *set, struct kueue_slot *slots)
{
	int64_t amounts[RES_MAX];
	uint64_t named = requests_counted(k->scenario, &k->scenario->shapes[set->shape], amounts);
	uint32_t count = 0;

	for (uint32_t r = 0; r < k->resource_count; r++) {
		if ((named >> r & 1) != 0 && r != RES_PODS)
			slots[count++] = (struct kueue_slot){
				.resource = r, .per_pod = amounts[r] > 0 ? amounts[r] : 0};
	}
	slots[count++] = (struct kueue_slot){.resource = RES_PODS, .implied = true, .per_pod = 1};
	sort_stable(slots, count, sizeof(*slots), compare_slots, k);
	return count;
}

static void make_form(struct kueue *k, const struct job *job)
{
	struct kueue_form *form;
	uint32_t *first = mem_arena_alloc(k->arena, (job->pod_set_count + 1U) * sizeof(*first));
	uint32_t *counts = mem_arena_alloc(k->arena, job->pod_set_count * sizeof(*counts));
	struct kueue_slot *slots =
		mem_calloc((size_t)job->pod_set_count * (RES_MAX + 1), sizeof(*slots));
	struct kueue_slot *kept;

	k->forms = mem_grow(k->forms, k->form_count + 1, &k->form_capacity, sizeof(*k->forms));
	form = &k->forms[k->form_count++];
	*form = (struct kueue_form){.first_pod_set = job->first_pod_set,
				    .set_count = job->pod_set_count,
				    .counts = counts,
				    .first = first};
	for (uint32_t i = 0; i < form->set_count; i++) {
		const struct pod_set *set = &k->scenario->pod_sets[job->first_pod_set + i];

		counts[i] = set->count;
		first[i] = form->slot_count;
		form->slot_count += fill_slots(k, set, slots + form->slot_count);
		form->partial = form->partial || set->min_count < set->count;
	}
	first[form->set_count] = form->slot_count;
	kept = mem_arena_alloc(k->arena, (form->slot_count + 1U) * sizeof(*kept));
	memcpy(kept, slots, form->slot_count * sizeof(*kept));
	form->slots = kept;
	mem_free(slots);
	if (form->slot_count > k->slots_max)
		k->slots_max = form->slot_count;
	if (form->set_count > k->sets_max)
		k->sets_max = form->set_count;
}

static uint64_t hash_form(const void *context, uint32_t index)
{
	const struct kueue_form *form = &((const struct kueue *)context)->forms[index];

	return mix(form->first_pod_set, form->set_count);
}

static uint32_t find_form(struct kueue *k, struct index_table *table, const struct job *job)
{
	size_t at;

	if (table->used * 2 >= table->size)
		index_grow(table, hash_form, k);
	at = mix(job->first_pod_set, job->pod_set_count) & (table->size - 1);
	for (; table->slots[at] != KUEUE_NONE; at = (at + 1) & (table->size - 1)) {
		const struct kueue_form *form = &k->forms[table->slots[at]];

		if (form->first_pod_set == job->first_pod_set &&
		    form->set_count == job->pod_set_count)
			return table->slots[at];
	}
	make_form(k, job);
	table->used++;
	return table->slots[at] = (uint32_t)k->form_count - 1;
}

static uint64_t hash_class(const void *context, uint32_t index)
{
	const struct kueue_class *c = &((const struct kueue *)context)->classes[index];

	return mix(mix(c->form, c->local_queue), (uint32_t)c->priority);
}

static uint64_t hash_kin(const void *context, uint32_t index)
{
	const struct kueue_kin *kin = &((const struct kueue *)context)->kins[index];

	return mix(mix(kin->form, kin->queue), (uint32_t)kin->priority);
}

static uint32_t find_kin(struct kueue *k, struct index_table *table, struct kueue_kin want)
{
	size_t at;

	if (table->used * 2 >= table->size)
		index_grow(table, hash_kin, k);
	at = mix(mix(want.form, want.queue), (uint32_t)want.priority) & (table->size - 1);
	for (; table->slots[at] != KUEUE_NONE; at = (at + 1) & (table->size - 1)) {
		const struct kueue_kin *kin = &k->kins[table->slots[at]];

		if (kin->form == want.form && kin->queue == want.queue &&
		    kin->priority == want.priority && kin->flavor == want.flavor)
			return table->slots[at];
	}
	k->kins = mem_grow(k->kins, k->kin_count + 1, &k->kin_capacity, sizeof(*k->kins));
	want.first_class = KUEUE_NONE;
	k->kins[k->kin_count] = want;
	table->used++;
	return table->slots[at] = (uint32_t)k->kin_count++;
}

static uint32_t add_class(struct kueue *k, struct kueue_class want)
{
	want.next_kin = k->kins[want.kin].first_class;
	want.active = want.parked = JOB_NONE;
	want.heap_at = want.parked_at = want.usage = want.rung = KUEUE_NONE;
	k->kins[want.kin].first_class = (uint32_t)k->class_count;
	k->classes =
		mem_grow(k->classes, k->class_count + 1, &k->class_capacity, sizeof(*k->classes));
	k->classes[k->class_count] = want;
	return (uint32_t)k->class_count++;
}

static uint32_t find_class(struct kueue *k, struct index_table *classes, struct index_table *kins,
			   struct kueue_class want)
{
	size_t at;
	struct kueue_kin kin = {
		.form = want.form, .priority = want.priority, .flavor = want.flavor};

	if (classes->used * 2 >= classes->size)
		index_grow(classes, hash_class, k);
	at = mix(mix(want.form, want.local_queue), (uint32_t)want.priority) & (classes->size - 1);
	for (; classes->slots[at] != KUEUE_NONE; at = (at + 1) & (classes->size - 1)) {
		const struct kueue_class *c = &k->classes[classes->slots[at]];

		if (c->form == want.form && c->local_queue == want.local_queue &&
		    c->priority == want.priority && c->flavor == want.flavor)
			return classes->slots[at];
	}
	kin.queue = k->scenario->local_queues[want.local_queue].cluster_queue;
	want.kin = find_kin(k, kins, kin);
	classes->used++;
	return classes->slots[at] = add_class(k, want);
}

int32_t kueue_state_priority(const struct kueue *k, uint32_t job, int32_t priority)
{
	uint32_t extra = kueue_job(k, job)->extra;
	int64_t boosted = priority;

	if (k->gates.boosts_priority && extra != JOB_NONE)
		boosted += k->scenario->extras[extra].priority_boost;
	boosted = boosted > INT32_MAX ? INT32_MAX : boosted;
	return (int32_t)(boosted < INT32_MIN ? INT32_MIN : boosted);
}

enum { RECENT = 64 };

/* Of a job like this one, the class. */
struct recent {
	uint32_t first_pod_set, local_queue, class;
	int32_t priority;
	uint16_t pod_set_count;
	bool used;
};

static bool is_recent(const struct recent *r, const struct job *job, int32_t priority)
{
	return r->used && r->first_pod_set == job->first_pod_set &&
	       r->local_queue == job->common->local_queue &&
	       r->pod_set_count == job->pod_set_count && r->priority == priority;
}

static const struct kueue_job nothing_yet = {.class = KUEUE_NONE,
					     .child = JOB_NONE,
					     .next = JOB_NONE,
					     .prev = JOB_NONE,
					     .hold = KUEUE_NONE,
					     .life = KUEUE_NONE};

static void make_jobs(struct kueue *k)
{
	const struct scenario *s = k->scenario;
	struct index_table forms = {0}, classes = {0}, kins = {0};
	struct recent recent[RECENT] = {{0}};

	k->jobs = mem_calloc(k->job_count, sizeof(*k->jobs));
	for (uint32_t j = 0; j < k->job_count; j++) {
		const struct job *job = &s->jobs[j];
		struct kueue_class want = {
			.local_queue = job->common->local_queue,
			.flavor = KUEUE_NONE,
			.priority = kueue_state_priority(k, j, job->common->priority)};
		struct recent *r =
			&recent[(job->first_pod_set + job->common->local_queue) % RECENT];

		k->jobs[j] = nothing_yet;
		k->jobs[j].order = clock_floor_second(job->submit);
		if (job->common->local_queue == JOB_NONE ||
		    s->local_queues[job->common->local_queue].cluster_queue == SCENARIO_NONE)
			continue;
		if (!is_recent(r, job, want.priority)) {
			want.form = find_form(k, &forms, job);
			*r = (struct recent){.first_pod_set = job->first_pod_set,
					     .local_queue = job->common->local_queue,
					     .class = find_class(k, &classes, &kins, want),
					     .priority = want.priority,
					     .pod_set_count = job->pod_set_count,
					     .used = true};
		}
		k->jobs[j].class = r->class;
	}
	mem_free(forms.slots);
	mem_free(classes.slots);
	mem_free(kins.slots);
}

/* --------------------------------------------------------------- variants */

/* One of its checks asks for nodes, which the autoscaler gives to jobs, not to variants. */
static bool asks_for_nodes(const struct kueue *k, const struct cluster_queue *spec)
{
	for (uint32_t c = 0; c < spec->check_count; c++) {
		if (spec->checks[c].check != SCENARIO_NONE &&
		    k->scenario->checks[spec->checks[c].check].provisions)
			return true;
	}
	return false;
}

static void pursue(struct kueue *k, struct kueue_queue *q, const struct cluster_queue *spec)
{
	const struct resource_group *g = spec->groups;
	size_t capacity = q->pursued_count;

	if (!spec->concurrent || spec->group_count == 0)
		return;
	for (uint32_t i = 0; i < g->flavor_count; i++) {
		uint32_t flavor = find_flavor(k, g->flavor_names[i]), at = 0;

		while (at < q->pursued_count && q->pursued[at] != flavor)
			at++;
		if (at < q->pursued_count)
			continue;
		q->pursued = mem_grow(q->pursued, q->pursued_count + (size_t)1, &capacity,
				      sizeof(*q->pursued));
		q->pursued[q->pursued_count++] = flavor;
	}
}

/* Not modelled with checks that ask for nodes, in any version of the queue. */
static void forgo(struct kueue *k, struct kueue_queue *q, const struct cluster_queue *spec)
{
	if (asks_for_nodes(k, spec))
		q->pursued_count = 0;
}

/* Which flavors do the jobs of queues pursue at once, in any version of them? */
static void find_pursued(struct kueue *k)
{
	const struct scenario *s = k->scenario;

	for (uint32_t i = 0; i < k->queue_count; i++)
		pursue(k, &k->queues[i], &s->cluster_queues[i]);
	for (uint32_t i = 0; i < s->update_count; i++) {
		if (s->updates[i].kind == UPDATE_CLUSTER_QUEUE)
			pursue(k, &k->queues[s->updates[i].object],
			       &s->cluster_queues[s->updates[i].version]);
	}
	for (uint32_t i = 0; i < k->queue_count; i++)
		forgo(k, &k->queues[i], &s->cluster_queues[i]);
	for (uint32_t i = 0; i < s->update_count; i++) {
		if (s->updates[i].kind == UPDATE_CLUSTER_QUEUE)
			forgo(k, &k->queues[s->updates[i].object],
			      &s->cluster_queues[s->updates[i].version]);
	}
}

static uint32_t variant_count(const struct kueue *k, uint32_t job)
{
	const struct scenario *s = k->scenario;
	const struct job_control *control = scenario_job_control(s, job);
	uint32_t lq = s->jobs[job].common->local_queue;

	if (lq == JOB_NONE || s->local_queues[lq].cluster_queue == SCENARIO_NONE ||
	    (control != NULL && control->elastic))
		return 0;
	return k->queues[s->local_queues[lq].cluster_queue].pursued_count;
}

static uint32_t ensure_kin(struct kueue *k, struct kueue_kin want);

/* Classes of the variants of jobs of this class, one behind the other: the first. */
static uint32_t flavored_classes(struct kueue *k, uint32_t class, uint32_t *made)
{
	const struct kueue_queue *q = &k->queues[k->kins[k->classes[class].kin].queue];

	for (uint32_t i = 0; *made == KUEUE_NONE && i < q->pursued_count; i++) {
		struct kueue_class want = k->classes[class];
		struct kueue_kin kin = k->kins[want.kin];

		want.flavor = kin.flavor = q->pursued[i];
		want.kin = ensure_kin(k, kin);
		add_class(k, want);
	}
	if (*made == KUEUE_NONE)
		*made = (uint32_t)k->class_count - q->pursued_count;
	return *made;
}

/* made: per class of jobs, what it has already. */
static void make_family(struct kueue *k, uint32_t job, uint32_t *made)
{
	const struct kueue_queue *q = &k->queues[kueue_queue_of(k, job)];
	struct kueue_family *family = &k->families[k->family_count];
	uint32_t class = flavored_classes(k, k->jobs[job].class, &made[k->jobs[job].class]);

	*family = (struct kueue_family){
		.job = job, .first = k->job_count, .count = q->pursued_count, .seat = KUEUE_NONE};
	for (uint32_t i = 0; i < q->pursued_count; i++, k->job_count++) {
		k->jobs[k->job_count] = nothing_yet;
		k->jobs[k->job_count].class = class + i;
		k->variants[k->job_count - k->first_variant] =
			(struct kueue_variant){.job = job,
					       .family = k->family_count,
					       .flavor = q->pursued[i],
					       .admission = JOB_NONE,
					       .opened = -1};
	}
	k->family_of[job] = k->family_count++;
}

static void make_families(struct kueue *k)
{
	uint32_t jobs = k->job_count, families = 0, *made;
	size_t variants = 0, capacity = jobs, classes = k->class_count;

	if (!k->gates.concurrent)
		return;
	find_pursued(k);
	for (uint32_t j = 0; j < jobs; j++) {
		families += variant_count(k, j) > 0;
		variants += variant_count(k, j);
	}
	if (families == 0)
		return;
	k->family_of = mem_calloc(jobs, sizeof(*k->family_of));
	k->families = mem_calloc(families, sizeof(*k->families));
	k->variants = mem_calloc(variants, sizeof(*k->variants));
	k->jobs = mem_grow(k->jobs, jobs + variants, &capacity, sizeof(*k->jobs));
	made = mem_calloc(classes, sizeof(*made));
	memset(made, 0xff, classes * sizeof(*made));
	for (uint32_t j = 0; j < jobs; j++) {
		k->family_of[j] = KUEUE_NONE;
		if (variant_count(k, j) > 0)
			make_family(k, j, made);
	}
	mem_free(made);
}

const struct admission *kueue_admission_of(const struct kueue *k, uint32_t workload)
{
	const struct kueue_variant *v = kueue_variant_of(k, workload);

	if (v == NULL)
		return world_admission(k->world, workload);
	return v->admission == JOB_NONE ? NULL : &k->world->journal->admissions[v->admission];
}

/* ------------------------------------------------------ objects in force */

static void view_groups(struct kueue *k, struct kueue_queue *q)
{
	const struct cluster_queue *spec = q->spec;

	memset(q->group_of, KUEUE_GROUPS_MAX, sizeof(q->group_of));
	for (uint32_t g = 0; g < spec->group_count && g < KUEUE_GROUPS_MAX; g++) {
		const struct resource_group *group = &spec->groups[g];
		uint32_t *flavors =
			mem_arena_alloc(k->arena, (group->flavor_count + 1U) * sizeof(*flavors));

		q->groups[g] = (struct kueue_group){.flavor_count = group->flavor_count,
						    .flavors = flavors};
		for (uint32_t f = 0; f < group->flavor_count; f++)
			flavors[f] = find_flavor(k, group->flavor_names[f]);
		for (uint32_t r = 0; r < group->resource_count; r++) {
			q->groups[g].resources |= UINT64_C(1) << group->resources[r];
			q->group_of[group->resources[r]] = (uint8_t)g;
		}
	}
}

/* QUOTA_ABSENT and QUOTA_UNSET are the same value. */
static void apply_limits(struct kueue *k, uint32_t node, const struct resource_group *groups,
			 uint32_t count)
{
	quota_clear_limits(&k->tree, node);
	for (uint32_t g = 0; g < count; g++) {
		const struct resource_group *group = &groups[g];

		for (uint32_t i = 0; i < group->flavor_count * group->resource_count; i++) {
			struct quota_limits limits = {group->cells[i].nominal,
						      group->cells[i].borrowing_limit,
						      group->cells[i].lending_limit};
			uint32_t flavor =
				find_flavor(k, group->flavor_names[i / group->resource_count]);
			uint32_t resource = group->resources[i % group->resource_count];

			quota_limit(&k->tree, node, kueue_column(k, flavor, resource), limits);
		}
	}
}

const struct topology *kueue_topology_of(const struct kueue *k, const struct flavor *flavor)
{
	if (flavor->topology == SCENARIO_NONE || k->topologies[flavor->topology]->absent)
		return NULL;
	return k->topologies[flavor->topology];
}

static bool lacks_flavor(const struct kueue *k, const struct kueue_queue *q)
{
	for (uint32_t g = 0; g < q->spec->group_count && g < KUEUE_GROUPS_MAX; g++) {
		for (uint32_t f = 0; f < q->groups[g].flavor_count; f++) {
			const struct kueue_flavor *flavor = &k->flavors[q->groups[g].flavors[f]];

			if (flavor->now == NULL)
				return true;
			if (k->gates.topology && flavor->now->topology_name != NAME_NONE &&
			    kueue_topology_of(k, flavor->now) == NULL)
				return true;
		}
	}
	return false;
}

static bool is_topology_only(const struct kueue *k, const struct kueue_queue *q)
{
	for (uint32_t g = 0; g < q->spec->group_count && g < KUEUE_GROUPS_MAX; g++) {
		for (uint32_t f = 0; f < q->groups[g].flavor_count; f++) {
			const struct flavor *flavor = k->flavors[q->groups[g].flavors[f]].now;

			if (flavor == NULL || flavor->topology_name == NAME_NONE)
				return false;
		}
	}
	return k->gates.topology; /* so is a queue without any flavor */
}

/* MultiKueue's check stands alone among those that ask for nodes, and for all flavors. */
static bool misuses_multikueue(const struct kueue *k, const struct kueue_queue *q)
{
	uint32_t multikueue = 0, provisions = 0;
	bool by_flavor = false;

	for (uint32_t i = 0; i < q->spec->check_count; i++) {
		const struct check_ref *ref = &q->spec->checks[i];
		const struct admission_check *check =
			ref->check == SCENARIO_NONE ? NULL : k->checks[ref->check];

		if (check == NULL || check->absent)
			continue;
		multikueue += check->multikueue;
		provisions += check->provisions;
		by_flavor = by_flavor || (check->multikueue && ref->flavor_count > 0);
	}
	return multikueue > 1 || by_flavor || (multikueue > 0 && provisions > 0);
}

/* Spec 4.2. */
static bool is_active(const struct kueue *k, const struct kueue_queue *q)
{
	if (q->gone || q->ending || q->spec->stop != STOP_NONE || lacks_flavor(k, q) ||
	    misuses_multikueue(k, q))
		return false;
	for (uint32_t i = 0; i < q->spec->check_count; i++) {
		uint32_t check = q->spec->checks[i].check;

		if (check == SCENARIO_NONE || k->checks[check]->absent || !k->checks[check]->active)
			return false;
	}
	return q->spec->cohort == SCENARIO_NONE || !k->cyclic[q->spec->cohort];
}

static double weight(int64_t nano)
{
	return (double)nano / NANO;
}

/* An update may have closed a cycle, or opened one. */
static void find_cycles(struct kueue *k)
{
	uint32_t count = k->scenario->cohort_count;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = i, steps = 0;

		while (at != SCENARIO_NONE && steps++ <= count)
			at = k->cohorts[at]->parent;
		k->cyclic[i] = at != SCENARIO_NONE;
	}
}

static void apply_shape(struct kueue *k)
{
	const struct scenario *s = k->scenario;

	for (uint32_t i = 0; i < k->queue_count; i++) {
		const struct cluster_queue *spec = k->queues[i].spec;
		bool alone = spec->cohort == SCENARIO_NONE || k->queues[i].gone;
		uint32_t parent = alone ? QUOTA_NONE : k->queue_count + spec->cohort;

		apply_limits(k, i, spec->groups, k->queues[i].gone ? 0 : spec->group_count);
		quota_attach(&k->tree, i, parent, k->name_rank[i], weight(spec->fair_weight));
		quota_hide(&k->tree, i, !k->queues[i].active);
	}
	for (uint32_t i = 0; i < s->cohort_count; i++) {
		const struct cohort *cohort = k->cohorts[i];
		uint32_t parent = cohort->parent == SCENARIO_NONE || k->cyclic[i]
					  ? QUOTA_NONE
					  : k->queue_count + cohort->parent;
		uint32_t rank = 0;

		for (uint32_t o = 0; o < s->cohort_count; o++) {
			int c = strcmp(text(k, s->cohorts[o].name), text(k, cohort->name));

			rank += c < 0 || (c == 0 && o < i);
		}
		apply_limits(k, k->queue_count + i, cohort->groups, cohort->group_count);
		quota_attach(&k->tree, k->queue_count + i, parent, k->queue_count + rank,
			     weight(cohort->fair_weight));
	}
	quota_rebuild(&k->tree);
}

/* A flush visits the queues of its root that have something parked. */
static void list_parked(struct kueue *k)
{
	for (uint32_t n = 0; n < k->tree.node_count; n++)
		k->roots[n].queue_count = 0;
	for (uint32_t i = 0; i < k->queue_count; i++) {
		struct kueue_root *root = &k->roots[k->tree.nodes[i].root];

		if (!k->queues[i].in_root_list)
			continue;
		root->queues = mem_grow(root->queues, root->queue_count + 1, &root->queue_capacity,
					sizeof(*root->queues));
		root->queues[root->queue_count++] = i;
	}
}

/* Are workloads of more than one priority submitted to it? */
static bool has_priorities(const struct kueue *k, uint32_t queue)
{
	const struct kueue_class *first = NULL;

	for (size_t i = 0; i < k->class_count; i++) {
		const struct kueue_class *c = &k->classes[i];

		if (k->kins[c->kin].queue != queue)
			continue;
		first = first == NULL ? c : first;
		if (c->priority != first->priority)
			return true;
	}
	return false;
}

/* Does its tree have another queue that is looked at? */
static bool has_neighbours(const struct kueue *k, uint32_t queue)
{
	bool any = false;

	for (uint32_t i = 0; i < k->queue_count && quota_has_parent(&k->tree, queue) && !any; i++)
		any = i != queue && !k->tree.nodes[i].hidden &&
		      k->tree.nodes[i].root == k->tree.nodes[queue].root;
	return any;
}

/* Victims of the queue's own are of lower priority than the preemptor, unless newer ones of
 * equal priority will do; others are in other queues of the tree (spec 4.5). */
static bool may_find_victims(const struct kueue *k, uint32_t queue)
{
	const struct cluster_queue *spec = k->queues[queue].spec;

	if (spec->reclaim_within_cohort != PREEMPT_NEVER && has_neighbours(k, queue))
		return true;
	return spec->within_cluster_queue != PREEMPT_NEVER &&
	       (spec->within_cluster_queue != PREEMPT_LOWER_PRIORITY || has_priorities(k, queue));
}

/* What the queues of each tree use together. */
static void sum_up_trees(struct kueue *k)
{
	for (uint32_t n = 0; n < k->tree.node_count; n++)
		kueue_strata_free(&k->roots[n].strata);
	for (uint32_t i = 0; i < k->queue_count; i++)
		kueue_strata_add_all(&k->roots[k->tree.nodes[i].root].strata, k->column_count,
				     &k->queues[i].strata);
}

static void rank_holds(struct kueue *k);

/* Where nobody may find victims holds are not ranked; once ranked they stay so. */
static void rank_if_needed(struct kueue *k)
{
	for (uint32_t i = 0; i < k->queue_count && !k->ranks_holds; i++) {
		if (may_find_victims(k, i))
			rank_holds(k);
	}
}

void kueue_state_apply(struct kueue *k)
{
	for (uint32_t i = 0; i < k->queue_count; i++)
		view_groups(k, &k->queues[i]);
	find_cycles(k);
	for (uint32_t i = 0; i < k->queue_count; i++) {
		struct kueue_queue *q = &k->queues[i];

		q->active = is_active(k, q);
		q->topology_only = is_topology_only(k, q);
		kueue_ready_note(k, i, q->active && q->heap_count + q->plain_count > 0);
	}
	apply_shape(k);
	rank_if_needed(k);
	sum_up_trees(k);
	k->objects++;
	for (uint32_t i = 0; i < k->tree.node_count; i++)
		k->roots[i].changed = ++k->changes;
	list_parked(k);
}

/* ------------------------------------------------------------- life cycle */

static void make_queues(struct kueue *k)
{
	const struct scenario *s = k->scenario;

	k->queues = mem_calloc(k->queue_count, sizeof(*k->queues));
	for (uint32_t i = 0; i < k->queue_count; i++) {
		k->queues[i].spec = &s->cluster_queues[i];
		k->queues[i].gone = s->cluster_queues[i].absent;
		k->queues[i].by_usage = s->cluster_queues[i].usage_based_fair_sharing;
		k->queues[i].preemptor = JOB_NONE;
	}
	k->cohorts = mem_calloc(s->cohort_count, sizeof(*k->cohorts));
	for (uint32_t i = 0; i < s->cohort_count; i++)
		k->cohorts[i] = &s->cohorts[i];
	k->cyclic = mem_calloc(s->cohort_count, sizeof(*k->cyclic));
	k->checks = mem_calloc(s->check_count, sizeof(*k->checks));
	for (uint32_t i = 0; i < s->check_count; i++)
		k->checks[i] = &s->checks[i];
	k->class_absent = mem_calloc(s->priority_class_count, sizeof(*k->class_absent));
	for (uint32_t i = 0; i < s->priority_class_count; i++)
		k->class_absent[i] = s->priority_classes[i].absent;
	k->topologies = mem_calloc(s->topology_count, sizeof(*k->topologies));
	for (uint32_t i = 0; i < s->topology_count; i++)
		k->topologies[i] = &s->topologies[i];
	k->local_queues = mem_calloc(s->local_queue_count, sizeof(*k->local_queues));
	k->namespaces = mem_calloc(s->local_queue_count, sizeof(*k->namespaces));
	for (uint32_t i = 0; i < s->local_queue_count; i++) {
		k->local_queues[i] = &s->local_queues[i];
		for (uint32_t n = 0; n < s->namespace_count; n++) {
			if (s->namespaces[n].name == s->local_queues[i].ns)
				k->namespaces[i] = &s->namespaces[n];
		}
	}
	for (uint32_t f = 0; f < k->flavor_count; f++) {
		for (uint32_t i = 0; i < s->flavor_count; i++) {
			if (s->flavors[i].name != k->flavors[f].name)
				continue;
			k->flavors[f].index = i;
			if (!s->flavors[i].absent)
				k->flavors[f].now = &s->flavors[i];
		}
	}
}

static void make_status(struct kueue *k)
{
	size_t bytes = k->job_count * sizeof(uint32_t);

	if (!k->full)
		return;
	k->status_why = mem_calloc(k->job_count, 1);
	k->status_reason = mem_calloc(k->job_count, sizeof(uint32_t));
	k->status_message = mem_calloc(k->job_count, sizeof(uint32_t));
	k->eviction_message = mem_calloc(k->job_count, sizeof(uint32_t));
	memset(k->status_reason, 0xff, bytes);
	memset(k->status_message, 0xff, bytes);
	memset(k->eviction_message, 0xff, bytes);
}

struct kueue *kueue_state_new(const struct world *world)
{
	struct kueue *k = mem_calloc(1, sizeof(*k));
	const struct scenario *s = world->scenario;

	k->me = k;
	k->world = world;
	k->scenario = s;
	k->config = &s->config;
	k->gates = kueue_gates_read(k->config, s->strings);
	k->arena = mem_arena_new();
	k->cycle_arena = mem_arena_new();
	k->full = world->journal->detail != JOURNAL_FACTS || !k->gates.keeps_progress;
	k->queue_count = s->cluster_queue_count;
	k->resource_count = s->resource_count;
	k->job_count = k->first_variant = s->job_count;
	k->free_memory = k->free_hold = k->free_life = KUEUE_NONE;
	k->instant = k->scheduled = -1;
	k->resource_rank = mem_calloc(k->resource_count, sizeof(*k->resource_rank));
	k->queue_by_name = mem_calloc(k->queue_count, sizeof(*k->queue_by_name));
	k->name_rank = mem_calloc(k->queue_count, sizeof(*k->name_rank));
	k->ready = mem_calloc(k->queue_count / 64 + 1, sizeof(*k->ready));
	k->resource_by_rank = mem_calloc(k->resource_count, sizeof(*k->resource_by_rank));
	order_names(k, true, k->resource_count, k->resource_by_rank, k->resource_rank);
	order_names(k, false, k->queue_count, k->queue_by_name, k->name_rank);
	make_columns(k);
	make_queues(k);
	make_jobs(k);
	make_families(k);
	make_status(k);
	quota_init(&k->tree, k->queue_count, s->cohort_count, k->column_count, k->resource_count,
		   k->column_resource, k->resource_rank);
	k->roots = mem_calloc(k->tree.node_count, sizeof(*k->roots));
	for (uint32_t n = 0; n < k->tree.node_count; n++)
		k->roots[n].due = CLOCK_NEVER;
	kueue_state_apply(k);
	return k;
}

static void free_queues(struct kueue *k)
{
	for (uint32_t i = 0; i < k->queue_count; i++) {
		mem_free(k->queues[i].heap);
		mem_free(k->queues[i].parked);
		mem_free(k->queues[i].bulk);
		mem_free(k->queues[i].rungs);
		kueue_strata_free(&k->queues[i].strata);
		mem_free(k->queues[i].plain);
		mem_free(k->queues[i].steps);
		mem_free(k->queues[i].pursued);
	}
	for (uint32_t n = 0; n < k->tree.node_count; n++) {
		mem_free(k->roots[n].queues);
		kueue_strata_free(&k->roots[n].strata);
	}
	mem_free(k->queues);
	mem_free(k->roots);
}

static void free_lives(struct kueue *k)
{
	for (size_t i = 0; i < k->life_count; i += KUEUE_LIVES)
		mem_free(k->lives[i / KUEUE_LIVES]);
	mem_free(k->lives);
}

void kueue_state_free(struct kueue *k)
{
	void *arrays[] = {k->flavors,
			  k->columns,
			  k->column_flavor,
			  k->column_resource,
			  k->resource_rank,
			  k->suits,
			  k->queue_by_name,
			  k->name_rank,
			  k->ready,
			  k->flush_now,
			  k->cohorts,
			  k->local_queues,
			  k->topologies,
			  k->namespaces,
			  k->forms,
			  k->classes,
			  k->kins,
			  k->jobs,
			  k->variants,
			  k->families,
			  k->family_of,
			  k->touched,
			  k->memories,
			  k->tried,
			  k->usages,
			  k->usage_amounts,
			  k->usage_table,
			  k->seen,
			  k->rungs,
			  k->rung_table,
			  k->streams,
			  k->targets,
			  k->candidates,
			  k->claimed,
			  k->status_reason,
			  k->status_message,
			  k->eviction_message,
			  k->status_why,
			  k->text,
			  k->fresh,
			  k->real,
			  k->late,
			  k->resource_by_rank,
			  k->cyclic,
			  k->checks,
			  k->class_absent,
			  k->doomed,
			  k->done_pods,
			  k->resized,
			  k->grown,
			  k->second,
			  k->nodes,
			  k->routes,
			  k->spared_roots,
			  k->spared_looks,
			  k->unready_yet};

	free_queues(k);
	free_lives(k);
	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
		mem_free(arrays[i]);
	quota_free(&k->tree);
	for (size_t h = 0; h < k->hold_count; h++) {
		mem_free(k->holds[h].spots);
		mem_free(k->holds[h].kept);
	}
	mem_free(k->holds);
	mem_arena_free(k->arena);
	mem_arena_free(k->cycle_arena);
	mem_free(k);
}

/* Those of the class of timeouts have a job as their subject. */
static enum event_class class_of(enum kueue_timer timer)
{
	if (timer == TIMER_FLUSH)
		return CLASS_RETRY;
	if (timer == TIMER_NODE)
		return CLASS_NODE;
	return timer == TIMER_WAKE_FLAVOR || timer == TIMER_WAKE_FREED ? CLASS_NEWS : CLASS_TIMEOUT;
}

void kueue_timer(struct kueue *k, simtime at, enum kueue_timer timer, uint32_t subject)
{
	bool of_workload = class_of(timer) == CLASS_TIMEOUT;
	struct decision *d = plan_add(k->plan, DECIDE_TIMER);
	uint64_t variant = 0;

	if (of_workload && kueue_variant_of(k, subject) != NULL) {
		const struct kueue_variant *v = kueue_variant(k, subject);

		variant = subject - k->families[v->family].first + UINT64_C(1);
		subject = v->job;
	}
	d->at = at;
	d->class = class_of(timer);
	d->cookie = (variant << TIMER_BITS | (uint64_t)timer) << 32 | subject;
}

enum kueue_timer kueue_timer_of(const struct kueue *k, uint64_t cookie, uint32_t *subject)
{
	uint32_t variant = (uint32_t)(cookie >> (32 + TIMER_BITS));

	*subject = (uint32_t)cookie;
	if (variant > 0)
		*subject = k->families[k->family_of[*subject]].first + variant - 1;
	return (enum kueue_timer)(cookie >> 32 & ((1u << TIMER_BITS) - 1));
}

/* ---------------------------------------------------------------- updates */

static void replace_flavor(struct kueue *k, const struct update *update)
{
	const struct flavor *now = &k->scenario->flavors[update->version];
	uint32_t f = find_flavor(k, now->name);

	if (f == KUEUE_NONE)
		return;
	k->flavors[f].now = now->absent ? NULL : now;
	memset(&k->suits[(size_t)f * k->scenario->shape_count], 0, k->scenario->shape_count);
}

static void replace_namespace(struct kueue *k, const struct update *update)
{
	const struct ns_record *now = &k->scenario->namespaces[update->version];

	for (uint32_t i = 0; i < k->scenario->local_queue_count; i++) {
		if (k->local_queues[i]->ns == now->name)
			k->namespaces[i] = now;
	}
}

void kueue_state_replace(struct kueue *k, const struct update *update)
{
	const struct scenario *s = k->scenario;

	k->objects++;
	switch (update->kind) {
	case UPDATE_CLUSTER_QUEUE:
		k->queues[update->object].spec = &s->cluster_queues[update->version];
		break;
	case UPDATE_LOCAL_QUEUE:
		k->local_queues[update->object] = &s->local_queues[update->version];
		break;
	case UPDATE_COHORT:
		k->cohorts[update->object] = &s->cohorts[update->version];
		break;
	case UPDATE_FLAVOR:
		replace_flavor(k, update);
		break;
	case UPDATE_NAMESPACE:
		replace_namespace(k, update);
		break;
	case UPDATE_TOPOLOGY:
		k->topologies[update->object] = &s->topologies[update->version];
		break;
	case UPDATE_ADMISSION_CHECK:
		k->checks[update->object] = &s->checks[update->version];
		break;
	case UPDATE_NODE:
	case UPDATE_WORKLOAD_PRIORITY_CLASS:
		break;
	}
}

const struct flavor *kueue_state_flavor(const struct kueue *k, uint32_t name)
{
	uint32_t f = find_flavor(k, name);

	return f == KUEUE_NONE ? NULL : k->flavors[f].now;
}

static uint32_t ensure_kin(struct kueue *k, struct kueue_kin want)
{
	for (uint32_t i = 0; i < k->kin_count; i++) {
		if (k->kins[i].form == want.form && k->kins[i].priority == want.priority &&
		    k->kins[i].queue == want.queue && k->kins[i].flavor == want.flavor)
			return i;
	}
	want.first_class = KUEUE_NONE;
	k->kins = mem_grow(k->kins, k->kin_count + 1, &k->kin_capacity, sizeof(*k->kins));
	k->kins[k->kin_count] = want;
	return (uint32_t)k->kin_count++;
}

/* The class of that form, priority, LocalQueue and flavor; its queue is that of want's kin. */
static uint32_t ensure_class(struct kueue *k, struct kueue_class want)
{
	struct kueue_kin kin = {.queue = k->kins[want.kin].queue,
				.form = want.form,
				.priority = want.priority,
				.flavor = want.flavor};
	uint32_t class;

	for (uint32_t i = 0; i < k->class_count; i++) {
		const struct kueue_class *c = &k->classes[i];

		if (c->form == want.form && c->local_queue == want.local_queue &&
		    c->priority == want.priority && c->flavor == want.flavor)
			return i;
	}
	want.kin = ensure_kin(k, kin);
	class = add_class(k, want);
	if (!k->ranks_holds && may_find_victims(k, kin.queue))
		rank_holds(k);
	return class;
}

uint32_t kueue_state_class(struct kueue *k, uint32_t class, int32_t priority)
{
	struct kueue_class want = k->classes[class];

	want.priority = priority;
	return ensure_class(k, want);
}

uint32_t kueue_state_flavored(struct kueue *k, uint32_t class, uint32_t flavor)
{
	struct kueue_class want = k->classes[class];

	want.flavor = flavor;
	return ensure_class(k, want);
}

/* Does the form ask for the same as the other, with so many pods in this set? */
static bool is_shrunk(const struct kueue_form *form, const struct kueue_form *from, uint32_t set,
		      uint32_t pods)
{
	if (form->slots != from->slots)
		return false;
	for (uint32_t s = 0; s < from->set_count; s++) {
		if (form->counts[s] != (s == set ? pods : from->counts[s]))
			return false;
	}
	return true;
}

static uint32_t find_shrunk(struct kueue *k, uint32_t from, uint32_t set, uint32_t pods)
{
	for (uint32_t i = 0; i < k->form_count; i++) {
		if (is_shrunk(&k->forms[i], &k->forms[from], set, pods))
			return i;
	}
	return KUEUE_NONE;
}

/* The same requests with so many pods in one set. */
static uint32_t shrink_form(struct kueue *k, uint32_t from, uint32_t set, uint32_t pods)
{
	uint32_t found = find_shrunk(k, from, set, pods);
	struct kueue_form shrunk = k->forms[from];
	const struct pod_set *sets = &k->scenario->pod_sets[shrunk.first_pod_set];
	uint32_t *counts;

	if (found != KUEUE_NONE)
		return found;
	counts = mem_arena_alloc(k->arena, shrunk.set_count * sizeof(*counts));
	memcpy(counts, shrunk.counts, shrunk.set_count * sizeof(*counts));
	counts[set] = pods;
	shrunk.counts = counts;
	shrunk.partial = false;
	for (uint32_t s = 0; s < shrunk.set_count; s++)
		shrunk.partial = shrunk.partial || sets[s].min_count < counts[s];
	k->forms = mem_grow(k->forms, k->form_count + 1, &k->form_capacity, sizeof(*k->forms));
	k->forms[k->form_count] = shrunk;
	return (uint32_t)k->form_count++;
}

void kueue_state_shrink(struct kueue *k, uint32_t job, uint32_t set, uint32_t pods)
{
	struct kueue_class want = *kueue_class_of(k, job);

	want.form = shrink_form(k, want.form, set, pods);
	k->jobs[job].class = ensure_class(k, want);
}

bool kueue_lq_serves(const struct local_queue *lq)
{
	return !lq->absent && lq->stop == STOP_NONE;
}

bool kueue_namespace_matches(const struct kueue *k, uint32_t queue, uint32_t local_queue)
{
	static const struct label_set none = {NULL, 0};
	const struct ns_record *ns = k->namespaces[local_queue];

	return label_selector_matches(k->scenario->strings, ns == NULL ? &none : &ns->labels,
				      &k->queues[queue].spec->namespace_selector);
}

/* ------------------------------------------------------------------ lives */

static const struct kueue_life blank = {.admitted = -1,
					.lost = -1,
					.requeue_at = -1,
					.check_due = -1,
					.second_due = -1,
					.unhealthy = KUEUE_NONE,
					.replaces = KUEUE_NONE};

const struct kueue_life *kueue_life_blank(void)
{
	return &blank;
}

static struct kueue_life *life_at(const struct kueue *k, uint32_t at)
{
	return &k->lives[at / KUEUE_LIVES][at % KUEUE_LIVES];
}

struct kueue_life *kueue_life_new(struct kueue *k, uint32_t job)
{
	uint32_t at = k->free_life;
	size_t blocks = k->life_count / KUEUE_LIVES;
	struct kueue_life *life;

	if (at != KUEUE_NONE) {
		k->free_life = life_at(k, at)->next_free;
	} else {
		at = (uint32_t)k->life_count++;
		if (at % KUEUE_LIVES == 0) {
			k->lives = mem_grow(k->lives, blocks + 1, &k->life_capacity,
					    sizeof(struct kueue_life *));
			k->lives[blocks] = mem_calloc(KUEUE_LIVES, sizeof(**k->lives));
		}
	}
	life = life_at(k, at);
	*life = blank;
	life->created = clock_floor_second(kueue_job(k, job)->submit);
	k->jobs[job].life = at;
	return life;
}

void kueue_life_end(struct kueue *k, uint32_t job)
{
	uint32_t at = k->jobs[job].life;

	if (at == KUEUE_NONE)
		return;
	life_at(k, at)->next_free = k->free_life;
	k->free_life = at;
	k->jobs[job].life = KUEUE_NONE;
}

/* ----------------------------------------------------------- reservations */

static uint64_t hash_amounts(const struct quota_amount *amounts, uint32_t count)
{
	uint64_t hash = count;

	for (uint32_t i = 0; i < count; i++)
		hash = mix(mix(hash, amounts[i].column), (uint64_t)amounts[i].amount);
	return hash;
}

static bool same_amounts(const struct kueue *k, uint32_t usage, const struct quota_amount *amounts,
			 uint32_t count)
{
	const struct quota_amount *have = &k->usage_amounts[k->usages[usage].first];

	if (k->usages[usage].count != count)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		if (have[i].column != amounts[i].column || have[i].amount != amounts[i].amount)
			return false;
	}
	return true;
}

static void grow_usage_table(struct kueue *k)
{
	mem_free(k->usage_table);
	k->usage_table_size = k->usage_table_size == 0 ? 256 : k->usage_table_size * 2;
	k->usage_table = mem_calloc(k->usage_table_size, sizeof(*k->usage_table));
	memset(k->usage_table, 0xff, k->usage_table_size * sizeof(*k->usage_table));
	for (uint32_t u = 0; u < k->usage_count; u++) {
		size_t at =
			hash_amounts(&k->usage_amounts[k->usages[u].first], k->usages[u].count) &
			(k->usage_table_size - 1);

		while (k->usage_table[at] != KUEUE_NONE)
			at = (at + 1) & (k->usage_table_size - 1);
		k->usage_table[at] = u;
	}
}

static uint32_t intern_usage(struct kueue *k, const struct quota_amount *amounts, uint32_t count)
{
	size_t at;

	if (k->usage_count * 2 >= k->usage_table_size)
		grow_usage_table(k);
	at = hash_amounts(amounts, count) & (k->usage_table_size - 1);
	for (; k->usage_table[at] != KUEUE_NONE; at = (at + 1) & (k->usage_table_size - 1)) {
		if (same_amounts(k, k->usage_table[at], amounts, count))
			return k->usage_table[at];
	}
	k->usages = mem_grow(k->usages, k->usage_count + 1, &k->usage_capacity, sizeof(*k->usages));
	k->usage_amounts = mem_grow(k->usage_amounts, k->usage_amount_count + count,
				    &k->usage_amount_capacity, sizeof(*k->usage_amounts));
	k->usages[k->usage_count] =
		(struct kueue_usage){.first = (uint32_t)k->usage_amount_count, .count = count};
	for (uint32_t i = 0; i < count; i++)
		k->usage_amounts[k->usage_amount_count++] = amounts[i];
	return k->usage_table[at] = (uint32_t)k->usage_count++;
}

static uint64_t hash_rung(const struct kueue_rung *r)
{
	return mix(mix(mix(mix(r->queue, r->usage), (uint32_t)r->priority), r->evicted),
		   r->local_queue);
}

static void grow_rung_table(struct kueue *k)
{
	mem_free(k->rung_table);
	k->rung_table_size = k->rung_table_size == 0 ? 256 : k->rung_table_size * 2;
	k->rung_table = mem_calloc(k->rung_table_size, sizeof(*k->rung_table));
	memset(k->rung_table, 0xff, k->rung_table_size * sizeof(*k->rung_table));
	for (uint32_t r = 0; r < k->rung_count; r++) {
		size_t at = hash_rung(&k->rungs[r]) & (k->rung_table_size - 1);

		while (k->rung_table[at] != KUEUE_NONE)
			at = (at + 1) & (k->rung_table_size - 1);
		k->rung_table[at] = r;
	}
}

static uint32_t find_rung(struct kueue *k, struct kueue_rung want)
{
	size_t at;

	if (k->rung_count * 2 >= k->rung_table_size)
		grow_rung_table(k);
	at = hash_rung(&want) & (k->rung_table_size - 1);
	for (; k->rung_table[at] != KUEUE_NONE; at = (at + 1) & (k->rung_table_size - 1)) {
		const struct kueue_rung *r = &k->rungs[k->rung_table[at]];

		if (r->queue == want.queue && r->usage == want.usage &&
		    r->priority == want.priority && r->evicted == want.evicted &&
		    r->local_queue == want.local_queue)
			return k->rung_table[at];
	}
	k->rungs = mem_grow(k->rungs, k->rung_count + 1, &k->rung_capacity, sizeof(*k->rungs));
	want.first = want.hint = KUEUE_NONE;
	k->rungs[k->rung_count] = want;
	return k->rung_table[at] = (uint32_t)k->rung_count++;
}

/* Of the job: mostly where the last one of its class went. */
static uint32_t rung_of(struct kueue *k, uint32_t job, struct kueue_rung want)
{
	struct kueue_class *class = &k->classes[k->jobs[job].class];
	const struct kueue_rung *last;

	if (class->rung != KUEUE_NONE) {
		last = &k->rungs[class->rung];
		if (last->queue == want.queue && last->usage == want.usage &&
		    last->evicted == want.evicted && last->local_queue == want.local_queue &&
		    last->priority == want.priority)
			return class->rung;
	}
	return class->rung = find_rung(k, want);
}

uint32_t kueue_usage_number(struct kueue *k, uint32_t job, const struct quota_amount *amounts,
			    uint32_t count)
{
	struct kueue_class *class = &k->classes[k->jobs[job].class];

	if (class->usage == KUEUE_NONE || !same_amounts(k, class->usage, amounts, count))
		class->usage = intern_usage(k, amounts, count);
	return class->usage;
}

/* A queue lists the rungs that hold something. */
static void list_rung(struct kueue *k, uint32_t index)
{
	struct kueue_rung *rung = &k->rungs[index];
	struct kueue_queue *q = &k->queues[rung->queue];

	q->rungs = mem_grow(q->rungs, q->rung_count + 1, &q->rung_capacity, sizeof(*q->rungs));
	rung->at = (uint32_t)q->rung_count;
	q->rungs[q->rung_count++] = index;
}

static void unlist_rung(struct kueue *k, const struct kueue_rung *rung)
{
	struct kueue_queue *q = &k->queues[rung->queue];
	uint32_t last = q->rungs[--q->rung_count];

	q->rungs[rung->at] = last;
	k->rungs[last].at = rung->at;
}

/* Searches for victims in the tree may find others now (kueue_recall.c). */
static void note_change(struct kueue *k, uint32_t queue)
{
	k->roots[k->tree.nodes[queue].root].changed = ++k->changes;
}

/* One hold of the rung more or less, in the sums of its queue and its tree. */
static void count_rung(struct kueue *k, const struct kueue_rung *rung,
		       void change(struct kueue_strata *s, uint32_t columns, int32_t priority,
				   const struct quota_amount *amounts, uint32_t count))
{
	const struct kueue_usage *usage = &k->usages[rung->usage];
	const struct quota_amount *amounts = &k->usage_amounts[usage->first];
	uint32_t root = k->tree.nodes[rung->queue].root;

	change(&k->queues[rung->queue].strata, k->column_count, rung->priority, amounts,
	       usage->count);
	change(&k->roots[root].strata, k->column_count, rung->priority, amounts, usage->count);
}

static bool stands_before(const struct kueue_hold *a, const struct kueue_hold *b)
{
	return a->since != b->since ? a->since > b->since : a->job < b->job;
}

/* Behind all that stand before it; those of one instant mostly come in job order,
 * so the search starts at the one put in last. */
static void stand_in_rung(struct kueue *k, uint32_t h)
{
	struct kueue_hold *hold = &k->holds[h];
	struct kueue_rung want = {.queue = hold->queue,
				  .usage = hold->usage,
				  .priority = kueue_class_of(k, hold->job)->priority,
				  .evicted = hold->evicted,
				  .local_queue = KUEUE_NONE};
	uint32_t before = KUEUE_NONE, after;
	struct kueue_rung *rung;

	if (k->afs != NULL)
		want.local_queue = kueue_job(k, hold->job)->common->local_queue;
	hold->rung = rung_of(k, hold->job, want);
	rung = &k->rungs[hold->rung];
	if (rung->hint != KUEUE_NONE && stands_before(&k->holds[rung->hint], hold))
		before = rung->hint;
	after = before == KUEUE_NONE ? rung->first : k->holds[before].next;
	while (after != KUEUE_NONE && stands_before(&k->holds[after], hold)) {
		before = after;
		after = k->holds[after].next;
	}
	hold->prev = before;
	hold->next = after;
	if (before == KUEUE_NONE)
		rung->first = h;
	else
		k->holds[before].next = h;
	if (after != KUEUE_NONE)
		k->holds[after].prev = h;
	rung->hint = h;
	if (rung->count++ == 0)
		list_rung(k, hold->rung);
	count_rung(k, rung, kueue_strata_add);
}

/* Where no queue can find victims nobody looks into rungs: so there are none, until an object
 * or another priority brings some. */
static void enter_rung(struct kueue *k, uint32_t h)
{
	note_change(k, k->holds[h].queue);
	k->holds[h].rung = KUEUE_NONE;
	if (k->ranks_holds)
		stand_in_rung(k, h);
}

static void rank_holds(struct kueue *k)
{
	k->ranks_holds = true;
	for (uint32_t job = 0; job < k->job_count; job++) {
		if (k->jobs[job].hold != KUEUE_NONE)
			stand_in_rung(k, k->jobs[job].hold);
	}
}

static void leave_rung(struct kueue *k, uint32_t h)
{
	const struct kueue_hold *hold = &k->holds[h];
	struct kueue_rung *rung;

	note_change(k, hold->queue);
	if (hold->rung == KUEUE_NONE)
		return;
	rung = &k->rungs[hold->rung];
	if (hold->next != KUEUE_NONE)
		k->holds[hold->next].prev = hold->prev;
	if (hold->prev != KUEUE_NONE)
		k->holds[hold->prev].next = hold->next;
	else
		rung->first = hold->next;
	if (rung->hint == h)
		rung->hint = hold->prev;
	if (--rung->count == 0)
		unlist_rung(k, rung);
	count_rung(k, rung, kueue_strata_remove);
}

uint32_t kueue_hold_new(struct kueue *k, uint32_t job, uint32_t queue, uint32_t usage)
{
	uint32_t h = k->free_hold;
	const struct kueue_usage *u = &k->usages[usage];

	assert(k->jobs[job].hold == KUEUE_NONE);
	if (h == KUEUE_NONE) {
		k->holds =
			mem_grow(k->holds, k->hold_count + 1, &k->hold_capacity, sizeof(*k->holds));
		h = (uint32_t)k->hold_count++;
	} else {
		k->free_hold = k->holds[h].next;
	}
	k->holds[h] = (struct kueue_hold){.job = job,
					  .queue = queue,
					  .usage = usage,
					  .since = clock_floor_second(k->world->now),
					  .cycle = k->cycle};
	k->queues[queue].hold_count++;
	enter_rung(k, h);
	k->jobs[job].hold = h;
	quota_add_all(&k->tree, queue, &k->usage_amounts[u->first], u->count);
	return h;
}

void kueue_hold_evict(struct kueue *k, uint32_t job)
{
	uint32_t h = k->jobs[job].hold;

	leave_rung(k, h);
	k->holds[h].evicted = true;
	enter_rung(k, h);
	kueue_hold_rewritten(k, job);
}

void kueue_hold_rewritten(struct kueue *k, uint32_t job)
{
	k->queues[k->holds[k->jobs[job].hold].queue].generation++;
}

void kueue_hold_move(struct kueue *k, uint32_t job)
{
	leave_rung(k, k->jobs[job].hold);
	enter_rung(k, k->jobs[job].hold);
}

void kueue_hold_change(struct kueue *k, uint32_t job, const struct quota_amount *amounts,
		       uint32_t count)
{
	uint32_t h = k->jobs[job].hold, old_count;
	const struct quota_amount *old = kueue_usage_of(k, h, &old_count);

	quota_remove_all(&k->tree, k->holds[h].queue, old, old_count);
	leave_rung(k, h);
	k->holds[h].usage = intern_usage(k, amounts, count);
	enter_rung(k, h);
	quota_add_all(&k->tree, k->holds[h].queue, amounts, count);
	k->queues[k->holds[h].queue].generation++;
}

void kueue_hold_spots(struct kueue *k, uint32_t job, const struct kueue_spot *spots, uint32_t count)
{
	struct kueue_hold *hold = &k->holds[k->jobs[job].hold];

	size_t capacity = hold->spot_count;

	if (count == 0)
		return;
	hold->spots =
		mem_grow(hold->spots, hold->spot_count + (size_t)count, &capacity, sizeof(*spots));
	memcpy(&hold->spots[hold->spot_count], spots, count * sizeof(*spots));
	hold->spot_count += count;
}

static void use_spots(struct kueue *k, const struct kueue_hold *hold, int64_t sign)
{
	for (uint32_t i = 0; i < hold->spot_count; i++)
		kueue_topology_use(k->topology, hold->spots[i].tree, hold->spots[i].place,
				   hold->spots[i].shape, sign * hold->spots[i].pods);
}

void kueue_hold_move_spots(struct kueue *k, uint32_t job, const struct kueue_spot *spots,
			   uint32_t count)
{
	struct kueue_hold *hold = &k->holds[k->jobs[job].hold];

	use_spots(k, hold, -1);
	hold->spot_count = 0;
	mem_free(hold->spots);
	hold->spots = NULL;
	kueue_hold_spots(k, job, spots, count);
	use_spots(k, hold, 1);
}

void kueue_hold_drop(struct kueue *k, uint32_t job)
{
	uint32_t h = k->jobs[job].hold, count;
	const struct quota_amount *amounts;
	struct kueue_hold *hold;

	if (h == KUEUE_NONE)
		return;
	hold = &k->holds[h];
	amounts = kueue_usage_of(k, h, &count);
	quota_remove_all(&k->tree, hold->queue, amounts, count);
	use_spots(k, hold, -1);
	mem_free(hold->spots);
	mem_free(hold->kept);
	leave_rung(k, h);
	k->queues[hold->queue].generation++;
	k->queues[hold->queue].hold_count--;
	hold->next = k->free_hold;
	hold->spots = NULL;
	hold->kept = NULL;
	hold->spot_count = 0;
	k->free_hold = h;
	k->jobs[job].hold = KUEUE_NONE;
}

struct kueue_mark kueue_mark(struct kueue *k)
{
	return (struct kueue_mark){
		.quota = quota_mark(&k->tree),
		.topology = k->topology == NULL ? 0 : kueue_topology_mark(k->topology)};
}

void kueue_rollback(struct kueue *k, struct kueue_mark mark)
{
	quota_rollback(&k->tree, mark.quota);
	if (k->topology != NULL)
		kueue_topology_rollback(k->topology, mark.topology);
}

static void suppose_spots(struct kueue *k, const struct kueue_hold *hold, int64_t sign)
{
	for (uint32_t i = 0; i < hold->spot_count; i++)
		kueue_topology_suppose(k->topology, hold->spots[i].tree, hold->spots[i].place,
				       hold->spots[i].shape, sign * hold->spots[i].pods);
}

void kueue_usage_take(struct kueue *k, uint32_t job)
{
	const struct kueue_hold *hold = &k->holds[k->jobs[job].hold];
	uint32_t count;
	const struct quota_amount *amounts = kueue_usage_of(k, k->jobs[job].hold, &count);

	quota_add_all(&k->tree, hold->queue, amounts, count);
	suppose_spots(k, hold, 1);
}

void kueue_usage_return(struct kueue *k, uint32_t job)
{
	const struct kueue_hold *hold = &k->holds[k->jobs[job].hold];
	uint32_t count;
	const struct quota_amount *amounts = kueue_usage_of(k, k->jobs[job].hold, &count);

	quota_remove_all(&k->tree, hold->queue, amounts, count);
	suppose_spots(k, hold, -1);
}

/* -------------------------------------------------- memory of flavor scans */

/* The two cases that almost every workload is in need no record. */
static uint32_t memory_code(const struct kueue_form *form, const int16_t *tried)
{
	uint32_t indexed_sets = 0;
	bool exhausted = true;

	for (uint32_t s = 0; s < form->set_count; s++) {
		bool indexed = false;

		for (uint32_t i = form->first[s]; i < form->first[s + 1]; i++) {
			indexed = indexed || tried[i] != MEMORY_UNSET;
			exhausted = exhausted && tried[i] < 0;
		}
		indexed_sets += indexed;
	}
	if (indexed_sets == 0)
		return MEMORY_EMPTY;
	return indexed_sets == form->set_count && exhausted ? MEMORY_EXHAUSTED : MEMORY_FIRST;
}

void kueue_memory_clear(struct kueue *k, uint32_t job)
{
	uint32_t code = k->jobs[job].memory;

	if (code >= MEMORY_FIRST) {
		k->memories[code - MEMORY_FIRST].next_free = k->free_memory;
		k->free_memory = code - MEMORY_FIRST;
	}
	k->jobs[job].memory = MEMORY_NONE;
}

void kueue_memory_set(struct kueue *k, uint32_t job, const int16_t *tried)
{
	const struct kueue_form *form = kueue_form_of(k, job);
	uint32_t code = memory_code(form, tried);
	uint32_t m;

	kueue_memory_clear(k, job);
	k->jobs[job].memory = code;
	if (code != MEMORY_FIRST)
		return;
	m = k->free_memory;
	if (m == KUEUE_NONE) {
		k->memories = mem_grow(k->memories, k->memory_count + 1, &k->memory_capacity,
				       sizeof(*k->memories));
		k->tried = mem_grow(k->tried, (k->memory_count + 1) * k->slots_max,
				    &k->tried_capacity, sizeof(*k->tried));
		m = (uint32_t)k->memory_count++;
	} else {
		k->free_memory = k->memories[m].next_free;
	}
	k->memories[m] = (struct kueue_memory){
		.generation = k->queues[kueue_queue_of(k, job)].generation, .cycle = k->cycle};
	memcpy(&k->tried[(size_t)m * k->slots_max], tried, form->slot_count * sizeof(*tried));
	k->jobs[job].memory = MEMORY_FIRST + m;
}

const int16_t *kueue_memory_get(const struct kueue *k, uint32_t job)
{
	uint32_t code = k->jobs[job].memory;

	return code < MEMORY_FIRST ? NULL : &k->tried[(size_t)(code - MEMORY_FIRST) * k->slots_max];
}

bool kueue_memory_pending(const struct kueue *k, uint32_t job)
{
	const int16_t *tried = kueue_memory_get(k, job);

	for (uint32_t i = 0; tried != NULL && i < kueue_form_of(k, job)->slot_count; i++) {
		if (tried[i] >= 0)
			return true;
	}
	return false;
}

bool kueue_memory_outdated(const struct kueue *k, uint32_t job, uint32_t queue)
{
	uint32_t code = k->jobs[job].memory;
	const struct kueue_memory *m;

	if (code < MEMORY_FIRST)
		return false;
	m = &k->memories[code - MEMORY_FIRST];
	if (k->gates.keeps_progress && k->cycle - m->cycle <= 1)
		return false;
	return k->queues[queue].generation > m->generation;
}
