#include "sim/kube/kube_class.h"

#include <assert.h>

#include "core/apart.h"
#include "core/mem.h"
#include "sim/scenario/profile.h"

#define NO_CLASS UINT32_MAX

enum { RECENT = 512 };

/* What the last job that pods were asked for of has in common with others, and their class. */
struct alike {
	const struct job_common *common; /* NULL: none was */
	uint32_t class;
};

/* That, of pods of one shape and reservation. */
struct recent {
	uint32_t admission; /* of the journal */
	uint32_t shape;
	struct alike last;
};

struct kube_classes {
	const struct world *world;
	struct kube_match *match;
	struct kube_preempt *preempt;
	struct kube_class *items;
	uint32_t *next;	     /* of the same group */
	uint32_t *first;     /* per group */
	struct alike *plain; /* per shape: those without a reservation */
	struct recent recent[RECENT];
	size_t item_capacity, next_capacity, first_capacity, hopeless_capacity;
	uint32_t count, first_count;
	uint32_t *hopeless; /* the hopeless ones */
	uint32_t hopeless_count;
	uint32_t live_on_bit[KUBE_CLASS_BITS];
	uint64_t live;
	uint32_t fresh; /* class of the last pod that came, which is not counted yet: mostly the
			 * next thing is that it waits no more; NO_CLASS */
};

struct kube_classes *kube_class_new(const struct world *world, struct kube_match *match,
				    struct kube_preempt *preempt)
{
	struct kube_classes *c = mem_calloc(1, sizeof(*c));

	c->world = world;
	c->match = match;
	c->preempt = preempt;
	c->live = KUBE_CLASS_ALWAYS;
	c->fresh = NO_CLASS;
	c->plain = mem_calloc(world->scenario->shape_count, sizeof(*c->plain));
	for (uint32_t i = 0; i < world->scenario->shape_count; i++)
		c->plain[i].class = NO_CLASS;
	for (uint32_t i = 0; i < RECENT; i++)
		c->recent[i] = (struct recent){.admission = JOB_NONE, .last.class = NO_CLASS};
	return c;
}

void kube_class_free(struct kube_classes *c)
{
	if (c == NULL)
		return;
	mem_free(c->items);
	mem_free(c->next);
	mem_free(c->first);
	mem_free(c->plain);
	mem_free(c->hopeless);
	mem_free(c);
}

uint64_t kube_class_mark(uint32_t class)
{
	return UINT64_C(1) << class % KUBE_CLASS_BITS;
}

uint64_t kube_class_live(const struct kube_classes *c)
{
	if (c->fresh == NO_CLASS || c->items[c->fresh].hopeless)
		return c->live;
	return c->live | kube_class_mark(c->fresh);
}

bool kube_class_share_marks(const struct kube_classes *c)
{
	return c->count > KUBE_CLASS_BITS;
}

static void live_more(struct kube_classes *c, uint32_t class)
{
	c->live_on_bit[class % KUBE_CLASS_BITS]++;
	c->live |= kube_class_mark(class);
}

static void live_less(struct kube_classes *c, uint32_t class)
{
	if (--c->live_on_bit[class % KUBE_CLASS_BITS] == 0)
		c->live &= ~kube_class_mark(class);
}

static uint32_t add(struct kube_classes *c, const struct kube_class *values)
{
	c->items = mem_grow(c->items, c->count + 1u, &c->item_capacity, sizeof(*c->items));
	c->next = mem_grow(c->next, c->count + 1u, &c->next_capacity, sizeof(*c->next));
	c->items[c->count] = *values;
	c->next[c->count] = c->first[values->group];
	c->first[values->group] = c->count;
	return c->count++;
}

/* Does the profile of the pod's scheduler preempt at all? */
static bool preempts(const struct world *w, uint32_t pod)
{
	return profile_of(w->scenario, &w->scenario->shapes[w->pods[pod].shape])
		->filters[PLUGIN_PREEMPTION];
}

static bool is_of(const struct kube_class *class, const struct kube_class *key)
{
	return class->priority == key->priority && class->never == key->never;
}

/* Among the classes of its group, or a new one of them. */
static uint32_t find(struct kube_classes *c, const struct kube_class *key)
{
	if (key->group >= c->first_count) {
		c->first =
			mem_grow(c->first, key->group + 1u, &c->first_capacity, sizeof(*c->first));
		while (c->first_count <= key->group)
			c->first[c->first_count++] = NO_CLASS;
	}
	for (uint32_t i = c->first[key->group]; i != NO_CLASS; i = c->next[i]) {
		if (is_of(&c->items[i], key))
			return i;
	}
	return add(c, key);
}

/* With several pod sets a pod's group hangs on which one it is in, and with domains on the pod. */
static bool differs_by_pod(const struct kube_classes *c, uint32_t admission)
{
	const struct admission *a = &c->world->journal->admissions[admission];

	return a->pod_set_count != 1 || a->pod_sets[0].domain_count != 0;
}

/* What is kept of the last pod that is of the same group as this one; NULL: there is no telling.
 * Without a reservation pods of one shape are of one group (kube_match.h). With one the flavors
 * of its pod set count, which the reservation gives. */
static inline struct alike *alike_of(struct kube_classes *c, const struct pod *p)
{
	uint32_t admission = c->world->journal->admission_count == 0
				     ? JOB_NONE
				     : world_job(c->world, p->job)->admission;
	struct recent *r;

	if (admission == JOB_NONE)
		return &c->plain[p->shape];
	r = &c->recent[(admission * 16 + p->shape) % RECENT];
	if (r->admission == admission && r->shape == p->shape)
		return &r->last;
	if (differs_by_pod(c, admission))
		return NULL;
	*r = (struct recent){.admission = admission, .shape = p->shape, .last.class = NO_CLASS};
	return &r->last;
}

/* The group is the same, so that it need not be looked for if the rest is, too. */
static APART uint32_t look_up(struct kube_classes *c, uint32_t pod, struct alike *last)
{
	const struct job *job = &c->world->scenario->jobs[c->world->pods[pod].job];
	struct kube_class key = {.priority = job->common->pod_priority,
				 .never = (job->common->flags & JOB_NEVER_PREEMPTS) != 0 ||
					  !preempts(c->world, pod)};
	uint32_t class;

	if (last != NULL && last->class != NO_CLASS && is_of(&c->items[last->class], &key)) {
		class = last->class;
	} else {
		key.group = kube_match_group(c->match, pod);
		class = find(c, &key);
	}
	if (last != NULL)
		*last = (struct alike){job->common, class};
	return class;
}

uint32_t kube_class_of(struct kube_classes *c, uint32_t pod)
{
	const struct pod *p = &c->world->pods[pod];
	const struct job *job = &c->world->scenario->jobs[p->job];
	struct alike *last = alike_of(c, p);

	if (last != NULL && last->common == job->common)
		return last->class;
	return look_up(c, pod, last);
}

const struct kube_class *kube_class_at(const struct kube_classes *c, uint32_t class)
{
	return &c->items[class];
}

static void forget_hopeless(struct kube_classes *c, uint32_t class)
{
	uint32_t at = 0;

	while (c->hopeless[at] != class)
		at++;
	c->hopeless[at] = c->hopeless[--c->hopeless_count];
	c->items[class].hopeless = false;
}

static void count(struct kube_classes *c, uint32_t class, int delta)
{
	struct kube_class *item = &c->items[class];
	bool some = item->waiting != 0;

	item->waiting = delta > 0 ? item->waiting + 1 : item->waiting - 1;
	if (some == (item->waiting != 0))
		return;
	kube_match_waits(c->match, item->group, delta);
	if (item->hopeless)
		forget_hopeless(c, class);
	else if (some)
		live_less(c, class);
	else
		live_more(c, class);
}

void kube_class_settle(struct kube_classes *c)
{
	uint32_t class = c->fresh;

	c->fresh = NO_CLASS;
	if (class != NO_CLASS)
		count(c, class, 1);
}

/* Who came last counts late. If one of its class waits no more before that, both are left out:
 * then as many wait as before, and nobody asked meanwhile. */
void kube_class_waits(struct kube_classes *c, uint32_t class, int delta)
{
	if (delta > 0) {
		kube_class_settle(c);
		c->fresh = class;
	} else if (c->fresh == class) {
		c->fresh = NO_CLASS;
	} else {
		count(c, class, -1);
	}
}

bool kube_class_any_hopeless(const struct kube_classes *c)
{
	return c->hopeless_count != 0;
}

void kube_class_give_up(struct kube_classes *c, uint32_t class)
{
	kube_class_settle(c);
	assert(c->items[class].waiting != 0);
	if (c->items[class].hopeless)
		return;
	c->items[class].hopeless = true;
	live_less(c, class);
	c->hopeless = mem_grow(c->hopeless, c->hopeless_count + 1u, &c->hopeless_capacity,
			       sizeof(*c->hopeless));
	c->hopeless[c->hopeless_count++] = class;
}

static bool might_fit(struct kube_classes *c, const struct kube_class *class, uint32_t node)
{
	const struct kube_group *group = kube_match_at(c->match, class->group);
	const struct pod_shape *shape = &c->world->scenario->shapes[group->shape];

	if (group->verdict[node] != KUBE_SUITS)
		return false;
	if (class->never)
		return cluster_fits(&c->world->usage, node, shape);
	return kube_preempt_room(c->preempt, node, shape, class->priority);
}

static void hope_again(struct kube_classes *c, uint32_t class)
{
	c->items[class].hopeless = false;
	live_more(c, class);
}

static APART void look_at_node(struct kube_classes *c, uint32_t node)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < c->hopeless_count; i++) {
		uint32_t class = c->hopeless[i];

		if (might_fit(c, &c->items[class], node))
			hope_again(c, class);
		else
			c->hopeless[kept++] = class;
	}
	c->hopeless_count = kept;
}

void kube_class_gained(struct kube_classes *c, uint32_t node)
{
	if (c->hopeless_count != 0)
		look_at_node(c, node);
}

void kube_class_revive(struct kube_classes *c)
{
	for (uint32_t i = 0; i < c->hopeless_count; i++)
		hope_again(c, c->hopeless[i]);
	c->hopeless_count = 0;
}
