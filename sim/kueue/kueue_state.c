#include "sim/kueue/kueue_state.h"

#include "core/mem.h"

uint32_t kueue_flavor_named(const struct kueue *k, uint32_t name)
{
	for (uint32_t i = 0; i < k->flavor_count; i++) {
		if (k->flavors[i].name == name)
			return i;
	}
	return KUEUE_NONE;
}

const struct flavor *kueue_state_flavor(const struct kueue *k, uint32_t name)
{
	uint32_t f = kueue_flavor_named(k, name);

	return f == KUEUE_NONE ? NULL : k->flavors[f].now;
}

const struct topology *kueue_topology_of(const struct kueue *k, const struct flavor *flavor)
{
	if (flavor->topology == SCENARIO_NONE || k->topologies[flavor->topology]->absent)
		return NULL;
	return k->topologies[flavor->topology];
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

const struct admission *kueue_admission_of(const struct kueue *k, uint32_t workload)
{
	const struct kueue_variant *v = kueue_variant_of(k, workload);

	if (v == NULL)
		return world_admission(k->world, workload);
	return v->admission == JOB_NONE ? NULL : &k->world->journal->admissions[v->admission];
}

/* ----------------------------------------------------------------- timers */

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

/* ------------------------------------------------------------------ lives */

static const struct kueue_life blank = {.admitted = -1,
					.lost = -1,
					.requeue_at = -1,
					.older = -1,
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
	life->created = k->jobs[job].order; /* nothing happened that gave it another one */
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
