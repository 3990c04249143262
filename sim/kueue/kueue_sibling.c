#include "sim/kueue/kueue_sibling.h"

#include <stdarg.h>
#include <stdio.h>

#include "core/mem.h"

static struct kueue_family *family_of(const struct kueue *k, uint32_t workload)
{
	const struct kueue_variant *v = kueue_variant_of(k, workload);

	if (v != NULL)
		return &k->families[v->family];
	return kueue_is_parent(k, workload) ? &k->families[k->family_of[workload]] : NULL;
}

void kueue_sibling_touch(struct kueue *k, uint32_t workload)
{
	struct kueue_family *family = family_of(k, workload);

	if (family == NULL || family->touched)
		return;
	family->touched = true;
	k->touched = mem_grow(k->touched, k->touched_count + 1, &k->touched_capacity,
			      sizeof(*k->touched));
	k->touched[k->touched_count++] = (uint32_t)(family - k->families);
}

static uint32_t rank_in(const struct kueue_queue *q, uint32_t flavor)
{
	const struct kueue_group *g = &q->groups[0];

	for (uint32_t i = 0; q->spec->group_count > 0 && i < g->flavor_count; i++) {
		if (g->flavors[i] == flavor)
			return i;
	}
	return KUEUE_NONE;
}

uint32_t kueue_sibling_rank(const struct kueue *k, uint32_t variant)
{
	return rank_in(&k->queues[kueue_queue_of(k, variant)], kueue_variant(k, variant)->flavor);
}

/* An admitted sibling on a flavor before (or behind) its own. */
static uint32_t find_admitted(const struct kueue *k, uint32_t workload, bool before)
{
	const struct kueue_variant *v = kueue_variant_of(k, workload);
	const struct kueue_family *family;
	uint32_t own;

	if (v == NULL)
		return JOB_NONE;
	family = &k->families[v->family];
	own = kueue_sibling_rank(k, workload);
	for (uint32_t w = family->first; w < family->first + family->count; w++) {
		uint32_t rank = kueue_sibling_rank(k, w);

		if (rank == KUEUE_NONE || own == KUEUE_NONE || !kueue_holds(k, w) ||
		    kueue_life_of(k, w)->admitted < 0)
			continue;
		if (before ? rank < own : rank > own)
			return w;
	}
	return JOB_NONE;
}

bool kueue_sibling_outdone(const struct kueue *k, uint32_t workload)
{
	return find_admitted(k, workload, true) != JOB_NONE;
}

uint32_t kueue_sibling_replaced(const struct kueue *k, uint32_t workload)
{
	return find_admitted(k, workload, false);
}

bool kueue_sibling_accepts(const struct kueue *k, uint32_t variant)
{
	const struct kueue_queue *q = &k->queues[kueue_queue_of(k, variant)];
	uint32_t last = q->spec->last_acceptable;

	if (!q->spec->concurrent || last == 0)
		return true;
	for (uint32_t f = 0; f < k->flavor_count; f++) {
		if (k->flavors[f].name == last - 1)
			return kueue_sibling_rank(k, variant) <= rank_in(q, f);
	}
	return true;
}

void kueue_sibling_name(const struct kueue *k, uint32_t variant, char name[KUEUE_SIBLING_NAME])
{
	const struct kueue_variant *v = kueue_variant(k, variant);
	char job[SCENARIO_NAME_TEXT];

	snprintf(name, KUEUE_SIBLING_NAME, "%s/%.250s-%.250s",
		 name_text(k->scenario->strings, k->scenario->jobs[v->job].common->ns),
		 scenario_job_name(k->scenario, v->job, job),
		 name_text(k->scenario->strings, k->flavors[v->flavor].name));
}

void kueue_sibling_tell(struct kueue *k, uint32_t variant, const char *event, const char *format,
			...)
{
	char text[4 * KUEUE_SIBLING_NAME];
	struct decision *d = plan_add(k->plan, DECIDE_VARIANT);
	va_list args;

	d->job = kueue_variant(k, variant)->job;
	d->reason = journal_string(k->world->journal, event);
	d->message = NAME_NONE;
	if (!k->full)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	d->message = journal_string(k->world->journal, text);
}

bool kueue_sibling_gated(struct kueue *k, uint32_t workload)
{
	struct kueue_variant *v = kueue_variant_of(k, workload);
	char name[KUEUE_SIBLING_NAME];

	if (v == NULL || v->opened >= 0)
		return false;
	if (!v->blocked) {
		kueue_sibling_name(k, workload, name);
		kueue_sibling_tell(k, workload, "BlockedOnPreemptionGates",
				   "\"%s\": Workload requires preemption, but it's gated", name);
	}
	v->blocked = true;
	return true;
}

uint32_t kueue_sibling_seat(const struct kueue *k, uint32_t job)
{
	return kueue_is_parent(k, job) ? k->families[k->family_of[job]].seat : job;
}
