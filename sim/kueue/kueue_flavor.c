#include "sim/kueue/kueue_flavor.h"

#include <string.h>

#include "core/mem.h"
#include "sim/kueue/kueue_memory.h"

enum { SUITS_UNKNOWN, SUITS, SUITS_NOT_AFFINITY, SUITS_NOT_TAINT /* + index of the taint */ };

/* How good a flavor is for one request, or the worst of several. */
struct grade {
	enum kueue_fit fit;
	uint32_t level;
};

/* Pod sets being assigned: one, or some that have to get the same flavors. */
struct attempt {
	struct kueue *k;
	uint32_t job, queue;
	const struct kueue_form *form;
	uint32_t set;			      /* the pod set, or the first of its topology group */
	bool alone;			      /* no other goes with it */
	const int16_t *tried;		      /* memory; NULL */
	const struct kueue_choice *nominated; /* NULL */
	const uint32_t *replaced;	      /* flavors of the slots in the old slice; NULL */
	bool quota_only;		      /* nobody is searched for: see kueue_flavor_defers */
	struct kueue_assignment *a;
};

void kueue_assignment_init(const struct kueue *k, struct kueue_assignment *a)
{
	*a = (struct kueue_assignment){0};
	a->sets = mem_calloc(k->sets_max, sizeof(*a->sets));
	a->choices = mem_calloc(k->slots_max, sizeof(*a->choices));
	a->amounts = mem_calloc(k->slots_max, sizeof(*a->amounts));
}

void kueue_assignment_free(struct kueue_assignment *a)
{
	mem_free(a->sets);
	mem_free(a->choices);
	mem_free(a->amounts);
	mem_free(a->reasons);
	mem_free(a->spots);
	*a = (struct kueue_assignment){0};
}

void kueue_flavor_reason(struct kueue_assignment *a, struct kueue_reason reason)
{
	a->reasons =
		mem_grow(a->reasons, a->reason_count + 1, &a->reason_capacity, sizeof(*a->reasons));
	a->reasons[a->reason_count++] = reason;
}

/* ------------------------------------------------- which sets go together? */

static uint32_t group_of(const struct kueue *k, const struct kueue_form *form, uint32_t set)
{
	const struct scenario *s = k->scenario;

	return s->shapes[s->pod_sets[form->first_pod_set + set].shape].topology_group;
}

uint32_t kueue_flavor_with(const struct kueue *k, const struct kueue_form *form, uint32_t set)
{
	uint32_t group = group_of(k, form, set), next = set + 1;

	if (group == NAME_NONE)
		return form->set_count;
	while (next < form->set_count && group_of(k, form, next) != group)
		next++;
	return next;
}

bool kueue_flavor_leads(const struct kueue *k, const struct kueue_form *form, uint32_t set)
{
	uint32_t group = group_of(k, form, set);

	for (uint32_t s = 0; s < set && group != NAME_NONE; s++) {
		if (group_of(k, form, s) == group)
			return false;
	}
	return true;
}

static uint32_t next_set(const struct attempt *t, uint32_t set)
{
	return t->alone ? t->form->set_count : kueue_flavor_with(t->k, t->form, set);
}

/* ------------------------------------------- does the flavor suit the pods? */

static bool asks_topology(const struct kueue *k, const struct pod_shape *shape)
{
	return k->gates.topology &&
	       (shape->topology_mode != TOPOLOGY_NONE || shape->slice_level != NAME_NONE);
}

bool kueue_flavor_wants_topology(const struct kueue *k, uint32_t queue,
				 const struct pod_shape *shape)
{
	return asks_topology(k, shape) || k->queues[queue].topology_only;
}

bool kueue_flavor_checked(const struct kueue *k, const struct check_ref *check, uint32_t flavor)
{
	return check->flavor_count == 0 || scenario_names_flavor(check, k->flavors[flavor].name);
}

bool kueue_flavor_concerned(const struct kueue *k, uint32_t job, const struct kueue_assignment *a,
			    const struct check_ref *check)
{
	for (uint32_t i = 0; i < kueue_form_of(k, job)->slot_count; i++) {
		if (a->choices[i].flavor != KUEUE_NONE &&
		    kueue_flavor_checked(k, check, a->choices[i].flavor))
			return true;
	}
	return false;
}

bool kueue_flavor_concerns(const struct kueue *k, const struct check_ref *check,
			   const struct admission *a)
{
	bool any = check->flavor_count == 0;

	for (uint32_t s = 0; s < a->pod_set_count; s++) {
		for (uint32_t f = 0; f < a->pod_sets[s].flavor_count; f++) {
			uint32_t name = k->scenario->flavors[a->pod_sets[s].flavors[f].flavor].name;

			any = any || scenario_names_flavor(check, name);
		}
	}
	return any;
}

bool kueue_flavor_provisioned(const struct kueue *k, uint32_t queue, uint32_t flavor)
{
	const struct cluster_queue *spec = k->queues[queue].spec;

	for (uint32_t i = 0; i < spec->check_count; i++) {
		const struct check_ref *check = &spec->checks[i];

		if (check->check != SCENARIO_NONE && k->scenario->checks[check->check].provisions &&
		    kueue_flavor_checked(k, check, flavor))
			return true;
	}
	return false;
}

static bool has_level(const struct kueue *k, const struct flavor *flavor, uint32_t level)
{
	const struct topology *topology = kueue_topology_of(k, flavor);

	for (uint32_t i = 0; topology != NULL && i < topology->level_count; i++) {
		if (topology->levels[i] == level)
			return true;
	}
	return level == NAME_NONE;
}

/* Spec 7.2. True: refused, for *kind. */
static bool topology_refuses(const struct kueue *k, uint32_t queue, const struct pod_shape *shape,
			     const struct flavor *flavor, uint32_t group,
			     enum kueue_reason_kind *kind)
{
	if (!asks_topology(k, shape)) {
		if (!k->gates.topology || flavor->topology_name == NAME_NONE ||
		    k->queues[queue].topology_only)
			return false;
		*kind = REASON_ONLY_TOPOLOGY;
		return true;
	}
	if (flavor->topology_name == NAME_NONE) {
		*kind = REASON_NOT_TOPOLOGY;
		return (pod_shape_counts(shape) & k->queues[queue].groups[group].resources) != 0;
	}
	*kind = REASON_NO_LEVEL;
	for (uint32_t i = 0; i < shape->inner_slice_count; i++) {
		if (!has_level(k, flavor, shape->inner_slices[i].level))
			return true;
	}
	return !has_level(k, flavor, shape->topology_level) ||
	       !has_level(k, flavor, shape->slice_level);
}

static uint8_t find_taint(const struct kueue *k, const struct flavor *flavor,
			  const struct pod_shape *shape)
{
	const struct name_table *strings = k->scenario->strings;

	for (uint32_t i = 0; i < flavor->taints.count; i++) {
		const struct taint *taint = &flavor->taints.items[i];

		if (taint->effect == TAINT_PREFER_NO_SCHEDULE)
			continue;
		if (!label_tolerates(strings, &shape->tolerations, taint) &&
		    !label_tolerates(strings, &flavor->tolerations, taint))
			return (uint8_t)(SUITS_NOT_TAINT + i);
	}
	return SUITS;
}

/* Selectors on keys that the flavor does not have are ignored (spec 4.4.2). */
static bool affinity_matches(const struct kueue *k, const struct flavor *flavor,
			     const struct pod_shape *shape)
{
	return label_known_match(k->scenario->strings, &flavor->node_labels, &shape->node_selector,
				 shape->affinity, shape->affinity_count);
}

static uint8_t suits(struct kueue *k, uint32_t flavor, uint32_t shape)
{
	uint8_t *known = &k->suits[(size_t)flavor * k->scenario->shape_count + shape];
	const struct flavor *now = k->flavors[flavor].now;

	if (*known == SUITS_UNKNOWN) {
		*known = find_taint(k, now, &k->scenario->shapes[shape]);
		if (*known == SUITS && !affinity_matches(k, now, &k->scenario->shapes[shape]))
			*known = SUITS_NOT_AFFINITY;
	}
	return *known;
}

bool kueue_flavor_suits(struct kueue *k, uint32_t queue, uint32_t shape, uint32_t flavor,
			uint32_t group, struct kueue_reason *reason)
{
	uint8_t suit;

	*reason = (struct kueue_reason){.flavor = flavor};
	if (k->flavors[flavor].now == NULL) {
		reason->kind = REASON_NO_FLAVOR;
	} else if (!topology_refuses(k, queue, &k->scenario->shapes[shape], k->flavors[flavor].now,
				     group, &reason->kind)) {
		suit = suits(k, flavor, shape);
		if (suit == SUITS)
			return true;
		reason->kind = suit == SUITS_NOT_AFFINITY ? REASON_AFFINITY : REASON_TAINT;
		reason->a = suit - SUITS_NOT_TAINT;
	}
	return false;
}

static bool flavor_matches_set(const struct attempt *t, uint32_t set, uint32_t flavor,
			       uint32_t group)
{
	uint32_t shape = t->k->scenario->pod_sets[t->form->first_pod_set + set].shape;
	struct kueue_reason reason;

	if (kueue_flavor_suits(t->k, t->queue, shape, flavor, group, &reason))
		return true;
	kueue_flavor_reason(t->a, reason);
	return false;
}

static bool flavor_matches(const struct attempt *t, uint32_t flavor, uint32_t group)
{
	bool matches = true;

	for (uint32_t s = t->set; s < t->form->set_count && matches; s = next_set(t, s))
		matches = flavor_matches_set(t, s, flavor, group);
	return matches;
}

/* ------------------------------------------------------- quota of a column */

static int64_t amount_in(const struct kueue_assignment *a, uint32_t column)
{
	for (uint32_t i = 0; i < a->amount_count; i++) {
		if (a->amounts[i].column == column)
			return a->amounts[i].amount;
	}
	return 0;
}

static bool may_borrow_preempting(const struct kueue *k, uint32_t queue)
{
	const struct cluster_queue *spec = k->queues[queue].spec;

	return spec->borrow_within_cohort != PREEMPT_NEVER ||
	       (k->config->fair_sharing && spec->reclaim_within_cohort != PREEMPT_NEVER);
}

bool kueue_flavor_may_preempt(const struct kueue *k, uint32_t queue, uint32_t column,
			      int64_t amount, bool may_reclaim)
{
	return quota_at(&k->tree, queue, column)->own.nominal >= amount || may_reclaim ||
	       may_borrow_preempting(k, queue);
}

/* Spec 4.4.3. *why gets the reason if the flavor turns out not to fit. */
static struct grade quota_grade(const struct attempt *t, uint32_t column, int64_t request,
				enum kueue_why *why)
{
	struct kueue *k = t->k;
	int64_t assumed = amount_in(t->a, column), value = res_add(assumed, request);
	struct kueue_reason reason = {.resource = k->column_resource[column],
				      .flavor = k->column_flavor[column]};
	int64_t left;
	bool may_reclaim;
	struct grade grade = {FIT_NOW, 0};

	if (value > quota_potential(&k->tree, t->queue, column)) {
		reason.kind = REASON_EXCEEDS;
		reason.a = assumed;
		reason.b = request;
		reason.c = quota_potential(&k->tree, t->queue, column);
		kueue_flavor_reason(t->a, reason);
		*why = WHY_EXCEEDS_MAX;
		return (struct grade){FIT_NONE, 0};
	}
	grade.level = quota_level(&k->tree, t->queue, column, value, &may_reclaim);
	left = quota_available(&k->tree, t->queue, column);
	if (value <= left)
		return grade;
	reason.kind = REASON_UNUSED;
	reason.a = res_sub(value, left);
	kueue_flavor_reason(t->a, reason);
	if (kueue_flavor_may_preempt(k, t->queue, column, value, may_reclaim)) {
		grade.fit = t->quota_only
				    ? FIT_NO_CANDIDATES
				    : k->possible(k, t->job, t->queue, column, value, &grade.level);
		return grade;
	}
	*why = WHY_WAITING_FOR_QUOTA;
	grade.fit = FIT_NONE;
	return grade;
}

/* -------------------------------------------------------- choosing a flavor */

/* Is a strictly better than b (spec 4.4.1)? */
static bool is_preferred(struct grade a, struct grade b, const struct cluster_queue *spec)
{
	if (a.fit == FIT_NONE || b.fit == FIT_NONE)
		return a.fit != FIT_NONE;
	if ((a.fit == FIT_NO_CANDIDATES) != (b.fit == FIT_NO_CANDIDATES))
		return b.fit == FIT_NO_CANDIDATES;
	if (spec->preference == PREFER_PREEMPTION_OVER_BORROWING && a.level != b.level)
		return a.level < b.level;
	if (a.fit != b.fit)
		return a.fit > b.fit;
	return a.level < b.level;
}

static bool should_try_next(struct grade grade, const struct cluster_queue *spec)
{
	if (grade.fit == FIT_NONE || grade.fit == FIT_NO_CANDIDATES)
		return true;
	if (grade.fit != FIT_NOW && spec->when_can_preempt == FUNGIBILITY_TRY_NEXT_FLAVOR)
		return true;
	return grade.level > 0 && spec->when_can_borrow == FUNGIBILITY_TRY_NEXT_FLAVOR;
}

/* Is the search over with this flavor? *better: it is the one to keep so far. Without
 * the gate only the mode counts, and the first that fits ends the search. */
static bool ends_search(const struct attempt *t, struct grade grade, struct grade best,
			bool *better)
{
	const struct cluster_queue *spec = t->k->queues[t->queue].spec;
	bool ends;

	if (!t->k->gates.fungibility) {
		*better = grade.fit > best.fit;
		return grade.fit == FIT_NOW;
	}
	ends = !should_try_next(grade, spec);
	*better = ends || is_preferred(grade, best, spec);
	return ends;
}

static enum kueue_mode mode_of(enum kueue_fit fit)
{
	if (fit == FIT_NONE)
		return MODE_NO_FIT;
	return fit == FIT_NOW ? MODE_FIT : MODE_PREEMPT;
}

static int64_t request_of_set(const struct attempt *t, uint32_t set, uint32_t slot)
{
	return res_mul(t->form->slots[slot].per_pod, t->a->sets[set].count);
}

static int64_t held_of_set(const struct attempt *t, uint32_t set, uint32_t slot)
{
	if (t->replaced == NULL)
		return 0;
	return res_mul(t->form->slots[slot].per_pod, kueue_replaced_pods(t->k, t->job, set));
}

/* A new slice of an elastic job asks on the old one's flavors, and for what is more. False:
 * it has another flavor. */
static bool ask_for_more(const struct attempt *t, uint32_t slot, uint32_t flavor, int64_t *request)
{
	uint32_t had;

	if (t->replaced == NULL)
		return true;
	had = t->replaced[slot];
	if (had == flavor) {
		*request = res_sub(*request, held_of_set(t, t->set, slot));
		return true;
	}
	kueue_flavor_reason(t->a, (struct kueue_reason){.kind = REASON_OTHER_SLICE,
							.flavor = flavor,
							.a = had,
							.resource = t->form->slots[slot].resource});
	return false;
}

/* What all the sets together request of the slot's resource. */
static int64_t request_of(const struct attempt *t, uint32_t slot)
{
	int64_t sum = 0;

	if (t->alone)
		return request_of_set(t, t->set, slot);
	for (uint32_t s = t->set; s < t->form->set_count; s = next_set(t, s)) {
		for (uint32_t i = t->form->first[s]; i < t->form->first[s + 1]; i++) {
			if (t->form->slots[i].resource == t->form->slots[slot].resource)
				sum = res_add(sum, request_of_set(t, s, i));
		}
	}
	return sum;
}

/* Kueue's order of resources (spec section 0). */
static int compare_resources(const struct attempt *t, uint32_t a, uint32_t b)
{
	const struct name_table *names = t->k->scenario->resources;
	const char *x = name_text(names, t->form->slots[a].resource);
	const char *y = name_text(names, t->form->slots[b].resource);
	uint64_t key_x = res_order_key(x), key_y = res_order_key(y);

	if (key_x != key_y)
		return key_x < key_y ? -1 : 1;
	return strcmp(x, y);
}

/* The slots of the sets in resource order, the first one of each resource;
 * KUEUE_NONE comes before the first and after the last. */
static uint32_t next_slot(const struct attempt *t, uint32_t after)
{
	const uint32_t *first = t->form->first;
	uint32_t best = KUEUE_NONE;

	if (t->alone) {
		best = after == KUEUE_NONE ? first[t->set] : after + 1;
		return best < first[t->set + 1] ? best : KUEUE_NONE;
	}
	for (uint32_t s = t->set; s < t->form->set_count; s = next_set(t, s)) {
		for (uint32_t i = first[s]; i < first[s + 1]; i++) {
			if ((after == KUEUE_NONE || compare_resources(t, after, i) < 0) &&
			    (best == KUEUE_NONE || compare_resources(t, i, best) < 0))
				best = i;
		}
	}
	return best;
}

static bool is_counted(const struct attempt *t, uint32_t slot)
{
	return !t->form->slots[slot].implied ||
	       t->k->queues[t->queue].group_of[RES_PODS] != KUEUE_GROUPS_MAX;
}

static bool in_group(const struct attempt *t, uint32_t slot, uint32_t group)
{
	return is_counted(t, slot) &&
	       t->k->queues[t->queue].group_of[t->form->slots[slot].resource] == group;
}

static void note_attempt(const struct attempt *t, uint32_t group, bool fits, enum kueue_why why)
{
	struct kueue_set *set = &t->a->sets[t->set];

	set->attempted = true;
	if (!fits && (uint8_t)why < set->least[group])
		set->least[group] = (uint8_t)why;
}

/* All resources of the group on one flavor. Choices are written to the slots
 * only if the flavor is at least as good as *best; the worst resource counts. */
static struct grade grade_flavor(const struct attempt *t, uint32_t group, uint32_t flavor,
				 struct kueue_choice *choices)
{
	const struct cluster_queue *spec = t->k->queues[t->queue].spec;
	struct grade worst = {FIT_NOW, 0};
	enum kueue_why why = WHY_NONE;

	for (uint32_t i = next_slot(t, KUEUE_NONE); i != KUEUE_NONE; i = next_slot(t, i)) {
		enum kueue_why slot_why = WHY_NONE;
		int64_t request;
		struct grade grade;

		if (!in_group(t, i, group))
			continue;
		request = request_of(t, i);
		if (!ask_for_more(t, i, flavor, &request)) {
			worst = (struct grade){FIT_NONE, 0};
			why = WHY_NO_FLAVOR;
		}
		grade = quota_grade(t, kueue_column(t->k, flavor, t->form->slots[i].resource),
				    request, &slot_why);
		if (slot_why > why)
			why = slot_why;
		if (is_preferred(worst, grade, spec))
			worst = grade;
		if (worst.fit != FIT_NONE)
			choices[i] = (struct kueue_choice){.flavor = flavor,
							   .level = grade.level,
							   .mode = (uint8_t)mode_of(grade.fit)};
	}
	note_attempt(t, group, worst.fit != FIT_NONE, why);
	return worst;
}

static void keep_choices(const struct attempt *t, uint32_t group, const struct kueue_choice *from)
{
	for (uint32_t i = next_slot(t, KUEUE_NONE); i != KUEUE_NONE; i = next_slot(t, i)) {
		if (in_group(t, i, group))
			t->a->choices[i] = from[i];
	}
}

/* The set that was assigned as the n-th: group by group. */
static uint32_t nth_set(const struct attempt *t, uint32_t n)
{
	for (uint32_t lead = 0; lead < t->form->set_count; lead++) {
		if (!kueue_flavor_leads(t->k, t->form, lead))
			continue;
		for (uint32_t s = lead; s < t->form->set_count;
		     s = kueue_flavor_with(t->k, t->form, s)) {
			if (n-- == 0)
				return s;
		}
	}
	return t->set;
}

/* The flavor to begin with. Kueue keeps what it tried in the order in which it assigned the
 * sets, and looks it up by the place of the first of the group in the workload. */
static int first_flavor(const struct attempt *t, uint32_t slot)
{
	uint32_t set;

	if (t->tried == NULL || !t->k->gates.fungibility)
		return 0;
	set = nth_set(t, t->set);
	for (uint32_t i = t->form->first[set]; i < t->form->first[set + 1]; i++) {
		if (t->form->slots[i].resource == t->form->slots[slot].resource)
			return t->tried[i] == MEMORY_UNSET ? 0 : t->tried[i] + 1;
	}
	return 0;
}

/* Where a scan comes to. */
struct scan {
	struct grade best;
	int tried; /* the last flavor that was looked at */
};

bool kueue_flavor_defers(const struct kueue *k, uint32_t queue)
{
	const struct cluster_queue *spec = k->queues[queue].spec;

	return spec->preference != PREFER_PREEMPTION_OVER_BORROWING &&
	       (!k->gates.fungibility || spec->when_can_preempt == FUNGIBILITY_TRY_NEXT_FLAVOR);
}

/* Why a flavor of the group is not looked at. */
static bool is_passed_over(const struct attempt *t, uint32_t slot, uint32_t group, uint32_t flavor)
{
	uint32_t only = kueue_class_of(t->k, t->job)->flavor;
	struct kueue_reason reason = {.kind = REASON_NOT_NOMINATED,
				      .flavor = flavor,
				      .resource = t->form->slots[slot].resource};

	if (t->nominated != NULL && t->nominated[slot].flavor != flavor) {
		kueue_flavor_reason(t->a, reason);
		return true;
	}
	if (only != KUEUE_NONE && only != flavor) {
		kueue_flavor_reason(
			t->a, (struct kueue_reason){.kind = REASON_NOT_ALLOWED, .flavor = flavor});
		return true;
	}
	if (!flavor_matches(t, flavor, group)) {
		note_attempt(t, group, false, WHY_NO_FLAVOR);
		return true;
	}
	return false;
}

/* Of flavors on which it does not fit now, none is better than one where it would borrow nothing
 * once victims of other queues alone are gone. */
static bool is_best_preemption(struct grade grade)
{
	return grade.fit == FIT_RECLAIM && grade.level == 0;
}

/* The flavors of the group from the start on, until one ends it. quota_only: for those behind one
 * that they cannot outdo; NULL: any may. */
static struct scan scan_flavors(const struct attempt *t, const struct attempt *quota_only,
				uint32_t slot, uint32_t group, int start)
{
	struct kueue *k = t->k;
	const struct kueue_group *g = &k->queues[t->queue].groups[group];
	struct scan scan = {.best = {FIT_NONE, UINT32_MAX}, .tried = -1};
	bool over = false;

	for (int i = start; i < (int)g->flavor_count && !over; i++) {
		const struct attempt *now =
			quota_only != NULL && is_best_preemption(scan.best) ? quota_only : t;
		struct grade grade;
		bool better;

		scan.tried = i;
		if (is_passed_over(t, slot, group, g->flavors[i]))
			continue;
		grade = grade_flavor(now, group, g->flavors[i], k->try_choices);
		over = ends_search(t, grade, scan.best, &better);
		if (better) {
			scan.best = grade;
			keep_choices(t, group, k->try_choices);
		}
	}
	return scan;
}

/* Spec 4.4.1 for the group that covers the slot's resource; false: no flavor. */
static bool pick_flavor(const struct attempt *t, uint32_t slot)
{
	struct kueue *k = t->k;
	const struct kueue_queue *q = &k->queues[t->queue];
	uint32_t group = q->group_of[t->form->slots[slot].resource];
	size_t reasons = t->a->reason_count;
	struct attempt quota_only = *t;
	struct scan scan = {.best = {FIT_NONE, UINT32_MAX}};
	int start = first_flavor(t, slot);
	bool defers = !k->config->searches_anew && t->nominated == NULL &&
		      kueue_flavor_defers(k, t->queue);

	quota_only.quota_only = true;
	if (defers)
		scan = scan_flavors(&quota_only, NULL, slot, group, start);
	if (scan.best.fit != FIT_NOW) {
		t->a->reason_count = reasons;
		scan = scan_flavors(t, defers ? &quota_only : NULL, slot, group, start);
	}
	if (scan.best.fit == FIT_NONE)
		return false;
	if (scan.best.fit == FIT_NOW)
		t->a->reason_count = reasons;
	if (!k->gates.fungibility)
		scan.tried = 0; /* never used, and never the last one */
	else if (scan.tried == (int)q->groups[group].flavor_count - 1)
		scan.tried = -1;
	for (uint32_t i = next_slot(t, KUEUE_NONE); i != KUEUE_NONE; i = next_slot(t, i)) {
		if (in_group(t, i, group))
			t->a->choices[i].tried = (int16_t)scan.tried;
	}
	return true;
}

/* ------------------------------------------------------------- pod sets */

static void clear_choices(const struct attempt *t, uint32_t set)
{
	static const struct kueue_choice none = {.flavor = KUEUE_NONE, .tried = MEMORY_UNSET};

	for (uint32_t i = t->form->first[set]; i < t->form->first[set + 1]; i++)
		t->a->choices[i] = none;
}

/* The reasons of a set that fails are those of the group that failed. */
static void choose(const struct attempt *t)
{
	const struct kueue_queue *q = &t->k->queues[t->queue];
	struct kueue_set *set = &t->a->sets[t->set];

	for (uint32_t i = next_slot(t, KUEUE_NONE); i != KUEUE_NONE; i = next_slot(t, i)) {
		size_t before = t->a->reason_count;

		if (!is_counted(t, i) || t->a->choices[i].flavor != KUEUE_NONE)
			continue;
		if (q->group_of[t->form->slots[i].resource] == KUEUE_GROUPS_MAX) {
			if (request_of(t, i) == 0 || t->k->config->ignore_undeclared)
				continue;
			kueue_flavor_reason(t->a, (struct kueue_reason){
							  .kind = REASON_UNAVAILABLE,
							  .resource = t->form->slots[i].resource});
		} else if (pick_flavor(t, i)) {
			set->chosen = true;
			continue;
		}
		memmove(&t->a->reasons[set->first_reason], &t->a->reasons[before],
			(t->a->reason_count - before) * sizeof(*t->a->reasons));
		t->a->reason_count = set->first_reason + (t->a->reason_count - before);
		set->chosen = false;
		for (uint32_t s = t->set; s < t->form->set_count; s = next_set(t, s))
			clear_choices(t, s);
		break;
	}
	set->reason_count = (uint32_t)t->a->reason_count - set->first_reason;
}

/* True: the set gets a flavor for something. */
static bool share_choices(const struct attempt *t, uint32_t set)
{
	bool any = false;

	for (uint32_t i = t->form->first[set]; i < t->form->first[set + 1]; i++) {
		uint32_t slot = next_slot(t, KUEUE_NONE);

		while (compare_resources(t, slot, i) != 0)
			slot = next_slot(t, slot);
		t->a->choices[i] = t->a->choices[slot];
		any = any || t->a->choices[i].flavor != KUEUE_NONE;
	}
	return any;
}

/* What was found for the sets together goes to each of them. */
static void share(const struct attempt *t)
{
	struct kueue_assignment *a = t->a;
	const struct kueue_set from = a->sets[t->set];

	for (uint32_t s = t->set; s < t->form->set_count; s = next_set(t, s)) {
		struct kueue_set *set = &a->sets[s];
		uint32_t count = set->count;

		*set = from;
		set->count = count;
		set->chosen = share_choices(t, s);
		if (s == t->set)
			continue;
		set->first_reason = (uint32_t)a->reason_count;
		for (uint32_t r = 0; r < from.reason_count; r++)
			kueue_flavor_reason(a, a->reasons[from.first_reason + r]);
	}
}

static void add_amounts(const struct attempt *t, uint32_t set)
{
	struct kueue_assignment *a = t->a;

	for (uint32_t i = t->form->first[set]; i < t->form->first[set + 1]; i++) {
		const struct kueue_choice *choice = &a->choices[i];
		uint32_t column, at = 0;

		if (choice->flavor == KUEUE_NONE)
			continue;
		if (choice->level > a->level)
			a->level = choice->level;
		column = kueue_column(t->k, choice->flavor, t->form->slots[i].resource);
		while (at < a->amount_count && a->amounts[at].column != column)
			at++;
		if (at == a->amount_count)
			a->amounts[a->amount_count++] = (struct quota_amount){column, 0};
		a->amounts[at].amount =
			res_add(a->amounts[at].amount,
				res_sub(request_of_set(t, set, i), held_of_set(t, set, i)));
	}
}

/* Does the set ask for anything that the queue would have to count? */
static bool has_requests(const struct attempt *t, uint32_t set)
{
	for (uint32_t i = t->form->first[set]; i < t->form->first[set + 1]; i++) {
		if (is_counted(t, i))
			return true;
	}
	return false;
}

static enum kueue_mode set_mode(const struct kueue_form *form, const struct kueue_assignment *a,
				uint32_t s)
{
	enum kueue_mode mode = MODE_FIT;

	if (a->sets[s].reason_count == 0)
		return MODE_FIT;
	if (!a->sets[s].chosen)
		return MODE_NO_FIT;
	for (uint32_t i = form->first[s]; i < form->first[s + 1]; i++) {
		if (a->choices[i].flavor != KUEUE_NONE && a->choices[i].mode < mode)
			mode = (enum kueue_mode)a->choices[i].mode;
	}
	return mode;
}

/* Spec 4.9: the least severe reason of each group, the most severe of all. */
enum kueue_why kueue_flavor_set_why(const struct kueue_set *set)
{
	enum kueue_why why = WHY_NONE;

	if (!set->attempted)
		return WHY_NO_FLAVOR;
	for (uint32_t g = 0; g < KUEUE_GROUPS_MAX; g++) {
		if (set->least[g] != UINT8_MAX && set->least[g] > (uint8_t)why)
			why = (enum kueue_why)set->least[g];
	}
	return why;
}

void kueue_flavor_settle(const struct kueue *k, uint32_t job, struct kueue_assignment *a)
{
	const struct kueue_form *form = kueue_form_of(k, job);

	a->mode = a->set_count == 0 ? MODE_NO_FIT : MODE_FIT;
	a->no_fit = WHY_NONE;
	for (uint32_t s = 0; s < a->set_count; s++) {
		enum kueue_mode mode = set_mode(form, a, s);

		if (mode < a->mode)
			a->mode = mode;
		if (mode == MODE_NO_FIT && kueue_flavor_set_why(&a->sets[s]) > a->no_fit)
			a->no_fit = kueue_flavor_set_why(&a->sets[s]);
	}
}

static void begin_assignment(struct kueue_assignment *a)
{
	a->set_count = a->amount_count = a->level = a->spot_count = 0;
	a->reason_count = 0;
	a->error = NULL;
}

static void begin_set(struct kueue_assignment *a, uint32_t set, uint32_t count)
{
	a->sets[set] =
		(struct kueue_set){.count = count, .first_reason = (uint32_t)a->reason_count};
	memset(a->sets[set].least, UINT8_MAX, sizeof(a->sets[set].least));
}

/* Those before them that come later count as evaluated, without a word. */
static void begin_sets(const struct attempt *t, const uint32_t *counts)
{
	struct kueue_assignment *a = t->a;

	for (uint32_t s = t->set; s < t->form->set_count; s = next_set(t, s)) {
		for (; a->set_count <= s; a->set_count++)
			begin_set(a, a->set_count, counts[a->set_count]);
		a->sets[s].first_reason = (uint32_t)a->reason_count;
	}
}

/* False: some of them get nothing, and no more sets are looked at. */
static bool assign_sets(const struct attempt *t, const uint32_t *counts)
{
	bool fits = true;

	begin_sets(t, counts);
	choose(t);
	if (!t->alone)
		share(t);
	for (uint32_t s = t->set; s < t->form->set_count; s = next_set(t, s)) {
		add_amounts(t, s);
		fits = fits && (t->a->sets[s].chosen || !has_requests(t, s));
	}
	return fits;
}

void kueue_flavor_assign(struct kueue *k, uint32_t job, const uint32_t *counts,
			 const struct kueue_choice *nominated, struct kueue_assignment *a)
{
	struct attempt t = {.k = k,
			    .job = job,
			    .queue = kueue_queue_of(k, job),
			    .form = kueue_form_of(k, job),
			    .tried = kueue_memory_get(k, job),
			    .nominated = nominated,
			    .a = a};

	if (kueue_replaces(k, job))
		t.replaced = k->holds[k->jobs[job].hold].kept;
	begin_assignment(a);
	for (uint32_t set = 0; set < t.form->set_count; set++)
		clear_choices(&t, set);
	for (bool fits = true; t.set < t.form->set_count && fits; t.set++) {
		t.alone = kueue_flavor_with(k, t.form, t.set) == t.form->set_count;
		if (kueue_flavor_leads(k, t.form, t.set))
			fits = assign_sets(&t, counts);
	}
	kueue_flavor_settle(k, job, a);
}

void kueue_flavor_keep(struct kueue *k, uint32_t job, const struct kueue_assignment *a)
{
	const struct kueue_form *form = kueue_form_of(k, job);
	uint32_t *kept = mem_calloc(form->slot_count + (size_t)form->set_count, sizeof(*kept));

	for (uint32_t i = 0; i < form->slot_count; i++)
		kept[i] = a->choices[i].flavor;
	for (uint32_t s = 0; s < form->set_count; s++)
		kept[form->slot_count + s] = a->sets[s].count;
	mem_free(k->holds[k->jobs[job].hold].kept);
	k->holds[k->jobs[job].hold].kept = kept;
}

static bool has_places(const struct kueue_hold *hold, uint32_t set)
{
	bool any = false;

	for (uint32_t i = 0; i < hold->spot_count; i++)
		any = any || hold->spots[i].set == set;
	return any;
}

void kueue_flavor_restore(struct kueue *k, uint32_t job, const uint32_t *counts,
			  struct kueue_assignment *a)
{
	const struct kueue_form *form = kueue_form_of(k, job);
	const struct kueue_hold *hold = &k->holds[k->jobs[job].hold];
	const uint32_t *kept = hold->kept;
	struct attempt t = {.k = k, .job = job, .queue = hold->queue, .form = form, .a = a};

	begin_assignment(a);
	for (uint32_t set = 0; set < form->set_count; set++)
		clear_choices(&t, set);
	for (uint32_t i = 0; i < form->slot_count; i++) {
		if (kept[i] != KUEUE_NONE)
			a->choices[i] = (struct kueue_choice){
				.flavor = kept[i], .mode = MODE_FIT, .tried = MEMORY_UNSET};
	}
	for (uint32_t s = 0; s < form->set_count; s++) {
		begin_set(a, s, has_places(hold, s) ? kept[form->slot_count + s] : counts[s]);
		a->sets[s].chosen = a->sets[s].attempted = true;
		add_amounts(&t, s);
	}
	a->set_count = form->set_count;
	kueue_flavor_settle(k, job, a);
}

bool kueue_flavor_is_only(const struct kueue *k, uint32_t queue)
{
	const struct kueue_queue *q = &k->queues[queue];

	for (uint32_t g = 0; g < q->spec->group_count; g++) {
		if (q->groups[g].flavor_count != 1)
			return false;
	}
	return true;
}

void kueue_flavor_only(struct kueue *k, uint32_t job, const uint32_t *counts,
		       struct kueue_assignment *a)
{
	struct attempt t = {.k = k,
			    .job = job,
			    .queue = kueue_queue_of(k, job),
			    .form = kueue_form_of(k, job),
			    .a = a};
	const struct kueue_queue *q = &k->queues[t.queue];

	begin_assignment(a);
	for (uint32_t s = 0; s < t.form->set_count; s++) {
		clear_choices(&t, s);
		begin_set(a, s, counts[s]);
		a->sets[s].chosen = a->sets[s].attempted = true;
		for (uint32_t i = t.form->first[s]; i < t.form->first[s + 1]; i++) {
			uint32_t group = q->group_of[t.form->slots[i].resource];

			if (is_counted(&t, i) && group != KUEUE_GROUPS_MAX)
				a->choices[i] =
					(struct kueue_choice){.flavor = q->groups[group].flavors[0],
							      .mode = MODE_PREEMPT,
							      .tried = -1};
		}
		add_amounts(&t, s);
	}
	a->set_count = t.form->set_count;
	a->mode = MODE_PREEMPT;
	a->no_fit = WHY_NONE;
}

uint32_t kueue_flavor_request(const struct kueue *k, uint32_t job, const struct kueue_assignment *a,
			      struct quota_amount *out)
{
	const struct kueue_form *form = kueue_form_of(k, job);
	uint32_t count = 0;

	for (uint32_t s = 0; s < a->set_count; s++) {
		for (uint32_t i = form->first[s]; i < form->first[s + 1]; i++) {
			int64_t pods = (int64_t)a->sets[s].count - kueue_replaced_pods(k, job, s);
			int64_t amount = res_mul(form->slots[i].per_pod, pods);
			uint32_t column, at = 0;

			if (form->slots[i].implied || a->choices[i].flavor == KUEUE_NONE ||
			    amount == 0)
				continue;
			column = kueue_column(k, a->choices[i].flavor, form->slots[i].resource);
			while (at < count && out[at].column != column)
				at++;
			if (at == count)
				out[count++] = (struct quota_amount){column, 0};
			out[at].amount = res_add(out[at].amount, amount);
		}
	}
	return count;
}
