#include "sim/kueue/kueue_class.h"

#include <string.h>

#include "core/mem.h"
#include "core/sort.h"
#include "sim/kueue/kueue_hold.h"
#include "sim/scenario/requests.h"

/* Open addressing over dense indices. */
static void index_place(struct kueue_index *table, uint64_t hash, uint32_t member)
{
	size_t at = hash & (table->size - 1);

	while (table->slots[at] != KUEUE_NONE)
		at = (at + 1) & (table->size - 1);
	table->slots[at] = member;
}

static void index_grow(struct kueue_index *table, uint64_t (*hash)(const void *, uint32_t),
		       const void *context)
{
	struct kueue_index old = *table;

	table->size = old.size == 0 ? 64 : old.size * 2;
	table->slots = mem_calloc(table->size, sizeof(*table->slots));
	memset(table->slots, 0xff, table->size * sizeof(*table->slots));
	for (size_t i = 0; i < old.size; i++) {
		if (old.slots[i] != KUEUE_NONE)
			index_place(table, hash(context, old.slots[i]), old.slots[i]);
	}
	mem_free(old.slots);
}

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
	uint32_t *first =
		mem_arena_alloc(k->arena, (job->common->pod_set_count + 1U) * sizeof(*first));
	uint32_t *counts = mem_arena_alloc(k->arena, job->common->pod_set_count * sizeof(*counts));
	struct kueue_slot *slots =
		mem_calloc((size_t)job->common->pod_set_count * (RES_MAX + 1), sizeof(*slots));
	struct kueue_slot *kept;

	k->forms = mem_grow(k->forms, k->form_count + 1, &k->form_capacity, sizeof(*k->forms));
	form = &k->forms[k->form_count++];
	*form = (struct kueue_form){.first_pod_set = job->common->first_pod_set,
				    .set_count = job->common->pod_set_count,
				    .counts = counts,
				    .first = first};
	for (uint32_t i = 0; i < form->set_count; i++) {
		const struct pod_set *set = &k->scenario->pod_sets[job->common->first_pod_set + i];

		counts[i] = set->count;
		first[i] = form->slot_count;
		form->slot_count += fill_slots(k, set, slots + form->slot_count);
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

	return kueue_mix(form->first_pod_set, form->set_count);
}

static uint32_t find_form(struct kueue *k, struct kueue_index *table, const struct job *job)
{
	size_t at;

	if (table->used * 2 >= table->size)
		index_grow(table, hash_form, k);
	at = kueue_mix(job->common->first_pod_set, job->common->pod_set_count) & (table->size - 1);
	for (; table->slots[at] != KUEUE_NONE; at = (at + 1) & (table->size - 1)) {
		const struct kueue_form *form = &k->forms[table->slots[at]];

		if (form->first_pod_set == job->common->first_pod_set &&
		    form->set_count == job->common->pod_set_count)
			return table->slots[at];
	}
	make_form(k, job);
	table->used++;
	return table->slots[at] = (uint32_t)k->form_count - 1;
}

static uint64_t hash_class(const void *context, uint32_t index)
{
	const struct kueue_class *c = &((const struct kueue *)context)->classes[index];

	return kueue_mix(kueue_mix(c->form, c->local_queue), (uint32_t)c->priority);
}

static uint64_t hash_kin(const void *context, uint32_t index)
{
	const struct kueue_kin *kin = &((const struct kueue *)context)->kins[index];

	return kueue_mix(kueue_mix(kin->form, kin->queue), (uint32_t)kin->priority);
}

static uint32_t find_kin(struct kueue *k, struct kueue_kin want)
{
	struct kueue_index *table = &k->kin_index;
	size_t at;

	if (table->used * 2 >= table->size)
		index_grow(table, hash_kin, k);
	at = kueue_mix(kueue_mix(want.form, want.queue), (uint32_t)want.priority) &
	     (table->size - 1);
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
	struct kueue_index *table = &k->class_index;

	want.next_kin = k->kins[want.kin].first_class;
	want.active = want.parked = JOB_NONE;
	want.heap_at = want.parked_at = want.usage = want.rung = KUEUE_NONE;
	k->kins[want.kin].first_class = (uint32_t)k->class_count;
	k->classes =
		mem_grow(k->classes, k->class_count + 1, &k->class_capacity, sizeof(*k->classes));
	k->classes[k->class_count] = want;
	if (table->used * 2 >= table->size)
		index_grow(table, hash_class, k);
	index_place(table, hash_class(k, (uint32_t)k->class_count), (uint32_t)k->class_count);
	table->used++;
	return (uint32_t)k->class_count++;
}

/* The class of that form, priority, LocalQueue and flavor, in that queue; new ones are added. */
static uint32_t find_class(struct kueue *k, struct kueue_class want, uint32_t queue)
{
	struct kueue_index *table = &k->class_index;
	struct kueue_kin kin = {.queue = queue,
				.form = want.form,
				.priority = want.priority,
				.flavor = want.flavor};
	size_t at;

	if (table->size == 0)
		index_grow(table, hash_class, k);
	at = kueue_mix(kueue_mix(want.form, want.local_queue), (uint32_t)want.priority) &
	     (table->size - 1);
	for (; table->slots[at] != KUEUE_NONE; at = (at + 1) & (table->size - 1)) {
		const struct kueue_class *c = &k->classes[table->slots[at]];

		if (c->form == want.form && c->local_queue == want.local_queue &&
		    c->priority == want.priority && c->flavor == want.flavor)
			return table->slots[at];
	}
	want.kin = find_kin(k, kin);
	return add_class(k, want);
}

int32_t kueue_class_priority(const struct kueue *k, uint32_t job, int32_t priority)
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
	return r->used && r->first_pod_set == job->common->first_pod_set &&
	       r->local_queue == job->common->local_queue &&
	       r->pod_set_count == job->common->pod_set_count && r->priority == priority;
}

static const struct kueue_job nothing_yet = {.class = KUEUE_NONE,
					     .child = JOB_NONE,
					     .next = JOB_NONE,
					     .prev = JOB_NONE,
					     .hold = KUEUE_NONE,
					     .life = KUEUE_NONE};

const struct kueue_job *kueue_class_blank(void)
{
	return &nothing_yet;
}

void kueue_class_init(struct kueue *k)
{
	const struct scenario *s = k->scenario;
	struct kueue_index forms = {0};
	struct recent recent[RECENT] = {{0}};

	k->jobs = mem_calloc(k->job_count, sizeof(*k->jobs));
	for (uint32_t j = 0; j < k->job_count; j++) {
		const struct job *job = &s->jobs[j];
		struct kueue_class want = {
			.local_queue = job->common->local_queue,
			.flavor = KUEUE_NONE,
			.priority = kueue_class_priority(k, j, job->common->priority)};
		struct recent *r =
			&recent[(job->common->first_pod_set + job->common->local_queue) % RECENT];
		uint32_t queue;

		k->jobs[j] = nothing_yet;
		k->jobs[j].order = clock_floor_second(job->submit);
		queue = scenario_job_cluster_queue(s, j);
		if (queue == SCENARIO_NONE)
			continue;
		if (!is_recent(r, job, want.priority)) {
			want.form = find_form(k, &forms, job);
			*r = (struct recent){.first_pod_set = job->common->first_pod_set,
					     .local_queue = job->common->local_queue,
					     .class = find_class(k, want, queue),
					     .priority = want.priority,
					     .pod_set_count = job->common->pod_set_count,
					     .used = true};
		}
		k->jobs[j].class = r->class;
	}
	mem_free(forms.slots);
}

/* The class of that form, priority, LocalQueue and flavor; its queue is that of want's kin. */
static uint32_t ensure_class(struct kueue *k, struct kueue_class want)
{
	size_t had = k->class_count;
	uint32_t queue = k->kins[want.kin].queue, class = find_class(k, want, queue);

	if (k->class_count != had)
		kueue_hold_rank_for(k, queue);
	return class;
}

uint32_t kueue_class_with_priority(struct kueue *k, uint32_t class, int32_t priority)
{
	struct kueue_class want = k->classes[class];

	want.priority = priority;
	return ensure_class(k, want);
}

uint32_t kueue_class_with_flavor(struct kueue *k, uint32_t class, uint32_t flavor)
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
	uint32_t *counts;

	if (found != KUEUE_NONE)
		return found;
	counts = mem_arena_alloc(k->arena, shrunk.set_count * sizeof(*counts));
	memcpy(counts, shrunk.counts, shrunk.set_count * sizeof(*counts));
	counts[set] = pods;
	shrunk.counts = counts;
	k->forms = mem_grow(k->forms, k->form_count + 1, &k->form_capacity, sizeof(*k->forms));
	k->forms[k->form_count] = shrunk;
	return (uint32_t)k->form_count++;
}

void kueue_class_shrink(struct kueue *k, uint32_t job, uint32_t set, uint32_t pods)
{
	struct kueue_class want = *kueue_class_of(k, job);

	want.form = shrink_form(k, want.form, set, pods);
	k->jobs[job].class = ensure_class(k, want);
}

uint32_t kueue_class_flavored(struct kueue *k, uint32_t class, const uint32_t *flavors,
			      uint32_t count)
{
	uint32_t first = (uint32_t)k->class_count;

	for (uint32_t i = 0; i < count; i++) {
		struct kueue_class want = k->classes[class];
		struct kueue_kin kin = k->kins[want.kin];

		want.flavor = kin.flavor = flavors[i];
		want.kin = find_kin(k, kin);
		add_class(k, want);
	}
	return first;
}
