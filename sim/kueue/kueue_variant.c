#include "sim/kueue/kueue_variant.h"

#include <stdio.h>
#include <string.h>

#include "sim/kueue/kueue_life.h"
#include "sim/kueue/kueue_message.h"
#include "sim/kueue/kueue_queue.h"
#include "sim/kueue/kueue_ready.h"
#include "sim/kueue/kueue_sibling.h"
#include "sim/kueue/kueue_status.h"

/* So long one variant has to itself to preempt for before the next may. */
#define PREEMPTION_TIMEOUT (5 * 60 * CLOCK_SECOND)

static struct kueue_family *family_of(const struct kueue *k, uint32_t job)
{
	return &k->families[k->family_of[job]];
}

static bool is_admitted(const struct kueue *k, uint32_t w)
{
	return kueue_holds(k, w) && !kueue_variant(k, w)->ending &&
	       kueue_life_of(k, w)->admitted >= 0;
}

typedef void visit_variant(struct kueue *k, uint32_t variant);

static void for_variants(struct kueue *k, const struct kueue_family *family, visit_variant *visit)
{
	for (uint32_t w = family->first; w < family->first + family->count; w++)
		visit(k, w);
}

/* ---------------------------------------------------- decisions on variants */

/* It may not preempt, until its turn comes again. */
static void close_gate(struct kueue_variant *v)
{
	v->opened = -1;
	v->blocked = false;
}

/* Its gate closes, and if its job has quota that stops first. True: with this decision. */
static bool begin_end(struct kueue *k, struct kueue_variant *v)
{
	struct kueue_family *family = &k->families[v->family];
	bool stops = family->seat != KUEUE_NONE && !family->evicted;

	v->ending = true;
	close_gate(v);
	family->evicted = family->evicted || stops;
	return stops;
}

/* What the job waits for is what its variants wait for, as long as none is admitted; that
 * some are switched off is nothing to it, unless it is itself. */
static bool tell(struct kueue *k, uint32_t workload, struct decision *d)
{
	const struct kueue_variant *v = kueue_variant(k, workload);
	char text[1600];

	if (k->families[v->family].seat != KUEUE_NONE ||
	    (k->jobs[workload].inactive && !k->jobs[v->job].inactive))
		return false;
	snprintf(text, sizeof(text), "variant %s: %s",
		 name_text(k->scenario->strings, k->flavors[v->flavor].name),
		 journal_text(k->world->journal, d->message));
	d->job = v->job;
	d->message = journal_string(k->world->journal, text);
	return true;
}

/* From a variant to its job; false: it is nothing to the job. */
static bool turn(struct kueue *k, struct decision *d)
{
	uint32_t workload = d->job;
	struct kueue_variant *v = kueue_variant(k, workload);

	/* What it is told is not journalled at less detail, where the course must be the same. */
	if (d->kind == DECIDE_STATUS)
		return tell(k, workload, d);
	kueue_sibling_touch(k, workload);
	d->job = v->job;
	if (d->admission != NULL)
		v->admission = journal_admission(k->world->journal, d->admission);
	if (d->kind == DECIDE_RESERVE || d->kind == DECIDE_ADMIT) {
		v->blocked = false;
		v->early = v->early || d->has_checks;
		return false;
	}
	if (d->kind == DECIDE_PREEMPT || d->kind == DECIDE_EVICT || d->kind == DECIDE_DEACTIVATE)
		return begin_end(k, v);
	return d->kind == DECIDE_CHECK || d->kind == DECIDE_CHECK_UPDATED ||
	       d->kind == DECIDE_CHECK_WAITS || k->families[v->family].seat == workload;
}

static void turn_all(struct kueue *k, size_t from)
{
	struct plan *plan = k->plan;
	size_t kept = from;

	for (size_t i = from; i < plan->count; i++) {
		struct decision d = plan->items[i];

		if (d.kind != DECIDE_TIMER && d.by_job != JOB_NONE)
			d.by_job = kueue_job_of(k, d.by_job);
		if (d.kind == DECIDE_TIMER || d.job == JOB_NONE || d.job < k->first_variant ||
		    turn(k, &d))
			plan->items[kept++] = d;
	}
	plan->count = kept;
}

/* -------------------------------------------------- Kueue's variant controller */

/* Its flavor came to the queue. */
static void create(struct kueue *k, uint32_t w)
{
	struct kueue_variant *v = kueue_variant(k, w);
	char name[KUEUE_SIBLING_NAME];

	kueue_sibling_name(k, w, name);
	kueue_sibling_tell(k, w, "CreatedVariant", "Variant Workload \"%s\" created", name);
	v->made = true;
	v->evaluated = v->ending = false;
	close_gate(v);
	k->jobs[w].inactive = false;
	k->jobs[w].cause = CAUSE_NONE;
	k->jobs[w].order = clock_floor_second(k->world->now);
	kueue_life_own(k, w)->created = k->jobs[w].order;
	kueue_status_reserved(k, w);
	kueue_life_enqueue(k, w);
	kueue_life_refresh(k, w);
}

/* Its flavor left the queue. Its quota is free at once, though its job may still run. */
static void delete (struct kueue *k, const struct kueue_family *family, uint32_t w)
{
	struct kueue_variant *v = kueue_variant(k, w);
	char name[KUEUE_SIBLING_NAME];

	kueue_sibling_name(k, w, name);
	kueue_sibling_tell(
		k, w, "DeletedVariant",
		"Variant Workload \"%s\" deleted; flavor \"%s\" no longer in ClusterQueue", name,
		name_text(k->scenario->strings, k->flavors[v->flavor].name));
	if (kueue_holds(k, w) && family->seat == w && family->evicted)
		plan_add(k->plan, DECIDE_FREE)->job = family->job;
	kueue_life_deleted(k, w);
	v->made = v->ending = v->early = false;
	v->admission = JOB_NONE;
}

static void make(struct kueue *k, const struct kueue_family *family)
{
	for (uint32_t w = family->first; w < family->first + family->count; w++) {
		bool wanted = kueue_sibling_rank(k, w) != KUEUE_NONE;

		if (wanted == kueue_variant(k, w)->made)
			continue;
		if (wanted)
			create(k, w);
		else
			delete (k, family, w);
	}
}

/* Evicted variants give their quota back once their job has stopped. True: it has not. */
static bool end_evicted(struct kueue *k, const struct kueue_family *family)
{
	for (uint32_t w = family->first; w < family->first + family->count; w++) {
		struct kueue_variant *v = kueue_variant(k, w);

		if (!v->ending)
			continue;
		if (family->seat != KUEUE_NONE)
			return true;
		v->ending = false;
		v->early = false;
		v->admission = JOB_NONE;
		if (v->made)
			kueue_life_released(k, w);
	}
	return false;
}

static uint32_t find_admitted(const struct kueue *k, const struct kueue_family *family)
{
	uint32_t best = KUEUE_NONE;

	for (uint32_t w = family->first; w < family->first + family->count; w++) {
		if (is_admitted(k, w) &&
		    (best == KUEUE_NONE || kueue_sibling_rank(k, w) < kueue_sibling_rank(k, best)))
			best = w;
	}
	return best;
}

/* Beside this admitted one, is the variant to try on? *keep: it may stay as it is. */
static bool goes_on(const struct kueue *k, uint32_t w, uint32_t admitted, bool *keep)
{
	const struct cluster_queue *spec = k->queues[kueue_queue_of(k, w)].spec;
	bool better = kueue_sibling_rank(k, w) < kueue_sibling_rank(k, admitted);

	*keep = w == admitted;
	if (w == admitted || spec->retains_first)
		return false;
	return better && kueue_sibling_accepts(k, w);
}

#define OFF(reason) "Variant Workload deactivated due to " reason

/* Beside the admitted one; KUEUE_NONE: its job is switched off. */
static void tell_off(struct kueue *k, uint32_t w, uint32_t admitted)
{
	const struct cluster_queue *spec = k->queues[kueue_queue_of(k, w)].spec;
	char name[KUEUE_SIBLING_NAME], job[SCENARIO_NAME_TEXT];

	if (admitted == KUEUE_NONE) {
		kueue_sibling_tell(k, w, "DeactivatedVariant",
				   OFF("Parent Workload \"%s/%s\" not active"),
				   name_text(k->scenario->strings, kueue_job(k, w)->common->ns),
				   scenario_job_name(k->scenario, kueue_job_of(k, w), job));
		return;
	}
	kueue_sibling_name(k, admitted, name);
	if (spec->retains_first)
		kueue_sibling_tell(k, w, "DeactivatedVariant",
				   OFF("RetainFirstAdmission: another Variant \"%s\" is admitted"),
				   name);
	else if (!kueue_sibling_accepts(k, w))
		kueue_sibling_tell(
			k, w, "DeactivatedVariant",
			OFF("being below lastAcceptableFlavor: \"%s\" and another Variant "
			    "admitted \"%s\""),
			name_text(k->scenario->strings, spec->last_acceptable - 1), name);
	else
		kueue_sibling_tell(k, w, "DeactivatedVariant",
				   OFF("being lower priority than admitted Variant \"%s\""), name);
}

/* Its gate closes with any eviction, and Kueue evicts it though it may hold nothing. */
static void switch_off(struct kueue *k, uint32_t w, uint32_t admitted)
{
	if (k->jobs[w].inactive)
		return;
	tell_off(k, w, admitted);
	kueue_life_switch_off(k, w);
	close_gate(kueue_variant(k, w));
}

#define ON(reason) "Variant Workload activated due to " reason

static void switch_on(struct kueue *k, uint32_t w, uint32_t admitted)
{
	const struct cluster_queue *spec = k->queues[kueue_queue_of(k, w)].spec;
	char name[KUEUE_SIBLING_NAME];

	if (!k->jobs[w].inactive)
		return;
	if (admitted != KUEUE_NONE)
		kueue_sibling_name(k, admitted, name);
	if (admitted == KUEUE_NONE)
		kueue_sibling_tell(k, w, "ActivatedVariant", ON("no other Variant being admitted"));
	else if (spec->last_acceptable == 0)
		kueue_sibling_tell(k, w, "ActivatedVariant",
				   ON("being higher priority than admitted Variant \"%s\""), name);
	else
		kueue_sibling_tell(k, w, "ActivatedVariant",
				   ON("being at least lastAcceptableFlavor: \"%s\" and higher "
				      "priority than admitted Variant \"%s\""),
				   name_text(k->scenario->strings, spec->last_acceptable - 1),
				   name);
	kueue_life_switch_on(k, w);
}

static void switch_all(struct kueue *k, const struct kueue_family *family)
{
	uint32_t admitted = find_admitted(k, family);
	bool active = !k->jobs[family->job].inactive;

	for (uint32_t w = family->first; w < family->first + family->count; w++) {
		bool keep = false;

		if (!kueue_variant(k, w)->made)
			continue;
		if (!active || (admitted != KUEUE_NONE && !goes_on(k, w, admitted, &keep))) {
			if (!keep || !active)
				switch_off(k, w, active ? admitted : KUEUE_NONE);
		}
	}
	for (uint32_t w = family->first; w < family->first + family->count && active; w++) {
		bool keep;

		if (kueue_variant(k, w)->made && !kueue_variant(k, w)->ending &&
		    (admitted == KUEUE_NONE || goes_on(k, w, admitted, &keep)))
			switch_on(k, w, admitted);
	}
}

/* The job is admitted as its variant is. */
static void admit_job(struct kueue *k, struct kueue_family *family)
{
	uint32_t admitted = find_admitted(k, family);
	struct admission *admission;
	struct decision *d;

	if (admitted == KUEUE_NONE || family->seat != KUEUE_NONE ||
	    kueue_run(k, family->job)->phase != JOB_PENDING)
		return;
	family->seat = admitted;
	kueue_ready_start(k, admitted);
	/* the journal's own may move before this is applied */
	admission = mem_arena_alloc(k->plan->arena, sizeof(*admission));
	*admission = *kueue_admission_of(k, admitted);
	d = plan_add(k->plan, DECIDE_RESERVE);
	d->job = family->job;
	d->admission = admission;
	d->held = kueue_variant(k, admitted)->early;
	kueue_variant(k, admitted)->early = true;
}

/* The job has quota, and none of its variants has: that which had it was deleted. */
static void stop_job(struct kueue *k, struct kueue_family *family)
{
	struct decision *d;

	if (family->seat == KUEUE_NONE || family->evicted || find_admitted(k, family) != KUEUE_NONE)
		return;
	family->evicted = true;
	d = plan_add(k->plan, DECIDE_EVICT);
	d->job = family->job;
	d->reason = journal_string(k->world->journal, "reason=ConcurrentAdmission");
	plan_add(k->plan, DECIDE_FREE)->job = family->job;
}

static bool is_admissible(const struct kueue *k, uint32_t w)
{
	return kueue_life_waits(k, w) && !k->jobs[w].inactive && !kueue_life_gated(k, w);
}

/* Of the flavor with this rank. */
static uint32_t variant_at(const struct kueue *k, const struct kueue_family *family, uint32_t rank)
{
	for (uint32_t w = family->first; w < family->first + family->count; w++) {
		if (kueue_variant(k, w)->made && kueue_sibling_rank(k, w) == rank)
			return w;
	}
	return KUEUE_NONE;
}

/* The first in the order of flavors that waits for its gate; none as long as one before it
 * was not looked at. *opened: when the last gate of those that wait was. */
static uint32_t find_gated(const struct kueue *k, const struct kueue_family *family,
			   simtime *opened)
{
	uint32_t first = KUEUE_NONE;
	bool unknown = false;

	*opened = -1;
	for (uint32_t rank = 0; rank < KUEUE_GROUPS_MAX; rank++) {
		uint32_t w = variant_at(k, family, rank);
		const struct kueue_variant *v;

		if (w == KUEUE_NONE || !is_admissible(k, w))
			continue;
		v = kueue_variant(k, w);
		if (v->opened > *opened)
			*opened = v->opened;
		if (v->opened >= 0 || first != KUEUE_NONE || unknown)
			continue;
		unknown = !v->evaluated;
		if (v->blocked)
			first = w;
	}
	return first;
}

static void open_gate(struct kueue *k, const struct kueue_family *family)
{
	simtime opened;
	uint32_t w = find_gated(k, family, &opened);
	enum kueue_place place;
	char name[KUEUE_SIBLING_NAME];
	bool has_turn; /* one whose gate was opened before */

	if (w == KUEUE_NONE)
		return;
	has_turn = opened >= 0 && opened + PREEMPTION_TIMEOUT > k->world->now;
	kueue_timer(k, clock_add(has_turn ? opened : k->world->now, PREEMPTION_TIMEOUT),
		    TIMER_VARIANT, family->job);
	if (has_turn)
		return;
	kueue_variant(k, w)->opened = k->world->now;
	kueue_sibling_name(k, w, name);
	kueue_sibling_tell(k, w, "PreemptionUngatedVariant",
			   "Opened preemption gate for variant workload \"%s\"", name);
	place = (enum kueue_place)k->jobs[w].place;
	if (place != PLACE_ACTIVE && place != PLACE_PARKED)
		return;
	kueue_queue_remove(k, w);
	kueue_life_enqueue(k, w);
}

/* Kueue's queues forget a LocalQueue that is stopped, and the controller then finds no
 * ClusterQueue to go by. */
static bool has_queue(const struct kueue *k, const struct kueue_family *family)
{
	const struct local_queue *lq =
		k->local_queues[kueue_job(k, family->job)->common->local_queue];

	return kueue_lq_serves(lq) && !k->queues[kueue_queue_of(k, family->first)].gone;
}

static void look_after(struct kueue *k, struct kueue_family *family)
{
	size_t from = k->plan->count;
	uint8_t phase = kueue_run(k, family->job)->phase;

	if (phase == JOB_FUTURE || phase == JOB_DONE || k->jobs[family->job].unfiled)
		return;
	if (!has_queue(k, family)) {
		if (kueue_life_waits(k, family->job))
			kueue_life_refresh(k, family->job);
		return;
	}
	make(k, family);
	if (end_evicted(k, family))
		return;
	switch_all(k, family);
	/* Those that were only reserved give that back before the job is admitted. (Kueue does
	 * both at once; if it is slower with the first it stops the job again.) */
	turn_all(k, from);
	if (end_evicted(k, family))
		return;
	admit_job(k, family);
	stop_job(k, family);
	open_gate(k, family);
}

/* What is decided for one family is turned at once, and may give it more to do. */
void kueue_variant_settle_all(struct kueue *k, size_t from)
{
	turn_all(k, from);
	while (k->touched_count > 0) {
		struct kueue_family *family = &k->families[k->touched[--k->touched_count]];
		size_t at = k->plan->count;

		family->touched = false;
		look_after(k, family);
		turn_all(k, at);
	}
}

/* ------------------------------------------------------------- its job's news */

static void finish(struct kueue *k, uint32_t w)
{
	if (k->jobs[w].place != PLACE_NOWHERE)
		kueue_queue_remove(k, w);
	kueue_life_finished(k, w);
	kueue_variant(k, w)->ending = false;
}

/* What it was told while its job had quota. */
static void tell_again(struct kueue *k, uint32_t w)
{
	struct decision *d;

	if (!k->full || !kueue_life_waits(k, w) || k->status_reason[w] == NAME_NONE)
		return;
	d = plan_add(k->plan, DECIDE_STATUS);
	d->job = w;
	d->reason = k->status_reason[w];
	d->message = k->status_message[w];
}

static void forget(struct kueue *k, uint32_t w)
{
	kueue_life_deleted(k, w);
	kueue_variant(k, w)->ending = false;
}

void kueue_variant_observe(struct kueue *k, const struct happening *h)
{
	struct kueue_family *family = family_of(k, h->job);

	kueue_sibling_touch(k, h->job);
	if (h->kind == HAP_SUBMITTED) {
		kueue_life_submitted(k, h->job);
	} else if (h->kind == HAP_FINISHED) {
		for_variants(k, family, finish);
		kueue_life_end(k, h->job);
	} else if (h->kind == HAP_DELETED) {
		for_variants(k, family, forget);
		kueue_life_deleted(k, h->job);
	} else if (h->kind == HAP_RELEASED) {
		family->seat = KUEUE_NONE;
		family->evicted = false;
		for_variants(k, family, tell_again);
	} else if (h->kind == HAP_PODS_READY && family->seat != KUEUE_NONE) {
		kueue_ready_pods(k, family->seat);
	} else if (h->kind == HAP_PODS_LOST && family->seat != KUEUE_NONE) {
		kueue_ready_lost(k, family->seat);
	}
}

/* ------------------------------------------------------------------ its reasons */

/* Without a journal of messages the workload is looked at once more. */
static void say_why(struct kueue *k, uint32_t workload, char *buf, size_t size)
{
	const char *message = NULL;
	enum kueue_why why = WHY_NONE;

	if (k->full && k->status_reason[workload] != NAME_NONE) {
		why = (enum kueue_why)k->status_why[workload];
		message = journal_text(k->world->journal, k->status_message[workload]);
	} else {
		message = kueue_life_blocker(k, workload, &why);
		if (message == NULL && !k->open)
			message = kueue_cycle_explain(k, workload, &why);
	}
	if (message != NULL && message[0] != '\0')
		snprintf(buf, size, "%s: %s", kueue_why_told(k, why), message);
}

void kueue_variant_why(struct kueue *k, uint32_t job, char *buf, size_t size)
{
	const struct kueue_family *family;
	size_t used = 0;

	if (!kueue_is_parent(k, job) || k->jobs[job].inactive || k->jobs[job].unfiled) {
		say_why(k, job, buf, size);
		return;
	}
	family = family_of(k, job);
	for (uint32_t w = family->first; w < family->first + family->count; w++) {
		const struct kueue_variant *v = kueue_variant(k, w);

		if (!kueue_life_waits(k, w) || used >= size)
			continue;
		used += (size_t)snprintf(
			buf + used, size - used, "%svariant %s: ", used > 0 ? "; " : "",
			name_text(k->scenario->strings, k->flavors[v->flavor].name));
		if (used < size)
			say_why(k, w, buf + used, size - used);
		used = strlen(buf);
	}
}
