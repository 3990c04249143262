#include "sim/kueue/kueue_refuse.h"

#include "core/mem.h"
#include "sim/kueue/kueue_bound.h"
#include "sim/kueue/kueue_flavor.h"
#include "sim/kueue/kueue_hold.h"
#include "sim/kueue/kueue_message.h"
#include "sim/kueue/kueue_preempt.h"
#include "sim/kueue/kueue_queue.h"
#include "sim/kueue/kueue_spot.h"
#include "sim/kueue/kueue_status.h"

/* Why a head may be parked unseen.
 *
 * The workload has one pod set, whose resources are of one group. If in every flavor that
 * suits it a request is above what is available there, and no search can find victims, for
 * that request alone or for all together (kueue_bound.h), its nomination ends without a flavor
 * that fits now. Whether the best of them counts as one where preemption has no candidates hangs
 * on the quota alone. So the scan is exhausted, or nothing was scanned, and both park it
 * with all that are equivalent.
 *
 * Partial admission then tries fewer pods, and ends with all of them again if no count fits
 * or finds victims. Of a single resource nothing that a bound asks gets easier with more: not
 * what is available, nor the shares of others below its own, nor its own quota. So if it is
 * hopeless with the fewest, it is with each.
 *
 * In the cycle such a head would do nothing to the others:
 *  - It has no victims and no places, and is not admitted.
 *  - Without candidates it keeps capacity from those after it, unless its queue may
 *    reclaim from all priorities and nothing is special about it as a preemptor (spec 4.8).
 *    So where it would, it takes part, if one does that is not hopeless: nomination comes
 *    before all that a cycle takes or keeps, and has ended hopeless heads' hopes by then. It
 *    is spared the search for fewer pods (kueue_refuse_foresaw).
 *  - Heads are in a total order, without fair sharing. With it, the order of the others can
 *    hang on who takes part: a tournament's first round is among the heads of each cohort, and
 *    its winner alone meets those of other cohorts. As long as the turn of such a head comes
 *    nothing changes, so all that it can do is to stand, for a while, in the place of another
 *    of its own cohort. Where the others have all the same cohort, their order is that of the
 *    tournament there, so the cohorts above it do not count; nor does one of which none of the
 *    others is. So such a head is missed by nobody if each cohort above it, up to the root, has
 *    either none of the others or all of them. Trees take turns by the names of the heads: if the
 *    others are of several trees, all take part.
 *  - Its message goes nowhere at JOURNAL_FACTS. Where marks are kept (kueue_status.h), its
 *    flavors are gone through for what it would be told. It is parked by then, so no heap sifts
 *    it.
 * The head still counts among those popped: for the cycles, and for their end at an instant.
 *
 * Of a single resource, who asks for no less than a hopeless one of the same queue, on no other
 * flavors and at no higher priority, is hopeless as well: nothing that a bound asks gets easier
 * with more (above), and with a lower priority there are fewer to evict, in the queue and beside
 * it, so that its share is no lower. That counts as long as nobody's usage in the tree changes.
 *
 * With topologies a place more that a search asks for only makes it harder, and whether the pods
 * would have places in an empty cluster only says how the head is refused. But one that is
 * nominated and waits keeps places in its turn, and where these are taken by then it is assigned
 * anew. A queue that may reclaim from all priorities keeps none, and of what does not fit its quota
 * nobody asks for places: quota that fails counts first (fits_now). What an earlier entry takes
 * only makes it fail more; what the victims of one give back may be enough. One that fits its
 * quota is hopeless as well, if its pods have no place, which a search would have to make, and
 * nobody may be evicted; nothing is asked of it as long as nothing has changed
 * (kueue_cycle.c, is_as_nominated). So if all heads are hopeless all are refused. Else each takes
 * part, without being nominated, and in its turn it is over if no victims' quota would be enough,
 * or nothing has changed (kueue_refuse_stands). If not, it gets the assignment that it would have:
 * of a queue with one flavor that is known (kueue_flavor_only).
 *
 * Left to the cycle: topologies with fair sharing, second passes or marks of what is told,
 * admission that waits for pods, queues in strict order, scans that left off in their middle,
 * back-offs, holders with a second pass or slice. */

enum { FLAVORS = 4, SLOTS = 4 };

struct kueue_need {
	uint64_t objects; /* k->objects when it was made; 0: never */
	bool simple;
	uint8_t flavor_count; /* that suit, and whose quota is ever enough for the fewest pods */
	uint8_t slot_count;   /* that the queue counts */
	uint32_t slots[SLOTS];
	struct quota_amount amounts[FLAVORS][SLOTS]; /* for the fewest pods */
};

/* The least that is known to be hopeless in a queue, of one resource. */
struct kueue_despair {
	uint64_t changed; /* of the root; 0: nothing is known */
	int64_t amount;
	int32_t priority;
	uint8_t flavor_count;
	uint32_t columns[FLAVORS];
};

/* Of a head that is sure to be refused: the memory of its scan, and this if it fits its quota but
 * has no place. */
enum { PLACELESS = 0x80 };

static uint8_t memory_of(uint8_t foreseen)
{
	return foreseen & (uint8_t)~PLACELESS;
}

/* Of a cohort, in the cycle that comes: heads below it that are not sure to be refused. */
struct kueue_seat {
	uint32_t cycle, others;
};

void kueue_refuse_close(struct kueue *k)
{
	mem_free(k->needs);
	mem_free(k->foreseen);
	mem_free(k->seats);
	mem_free(k->despairs);
	k->despairs = NULL;
	k->needs = NULL;
	k->foreseen = NULL;
	k->seats = NULL;
}

/* ------------------------------------------------------- what a class asks for */

/* The slots that the queue counts. False: there are none, too many or others. */
static bool list_slots(const struct kueue_queue *q, const struct kueue_form *form,
		       struct kueue_need *need)
{
	for (uint32_t i = 0; i < form->slot_count; i++) {
		const struct kueue_slot *slot = &form->slots[i];
		uint32_t group = q->group_of[slot->resource];

		if (slot->implied && group == KUEUE_GROUPS_MAX)
			continue;
		if (slot->implied || group == KUEUE_GROUPS_MAX || need->slot_count == SLOTS ||
		    (need->slot_count > 0 &&
		     group != q->group_of[form->slots[need->slots[0]].resource]))
			return false;
		need->slots[need->slot_count++] = i;
	}
	return need->slot_count > 0;
}

/* The fewest pods that it may be admitted with. */
static uint32_t fewest_pods(const struct kueue *k, const struct kueue_form *form)
{
	uint32_t least = k->scenario->pod_sets[form->first_pod_set].min_count;

	return k->gates.partial_admission && least < form->counts[0] ? least : form->counts[0];
}

/* What it asks for in the flavor, at least. False: more than there can ever be. */
static bool ask(const struct kueue *k, uint32_t queue, const struct kueue_form *form,
		uint32_t flavor, const struct kueue_need *need, struct quota_amount *amounts)
{
	for (uint32_t i = 0; i < need->slot_count; i++) {
		const struct kueue_slot *slot = &form->slots[need->slots[i]];

		amounts[i].column = kueue_column(k, flavor, slot->resource);
		amounts[i].amount = res_mul(slot->per_pod, fewest_pods(k, form));
		if (amounts[i].amount > quota_potential(&k->tree, queue, amounts[i].column))
			return false;
	}
	return true;
}

static bool list_flavors(struct kueue *k, uint32_t queue, const struct kueue_form *form,
			 struct kueue_need *need)
{
	uint32_t resource = form->slots[need->slots[0]].resource;
	uint32_t group = k->queues[queue].group_of[resource];
	const struct kueue_group *g = &k->queues[queue].groups[group];
	uint32_t shape = k->scenario->pod_sets[form->first_pod_set].shape;

	for (uint32_t i = 0; i < g->flavor_count; i++) {
		struct kueue_reason reason;

		if (!kueue_flavor_suits(k, queue, shape, g->flavors[i], group, &reason))
			continue;
		if (need->flavor_count == FLAVORS)
			return false;
		need->flavor_count +=
			ask(k, queue, form, g->flavors[i], need, need->amounts[need->flavor_count]);
	}
	return true;
}

static void make_need(struct kueue *k, uint32_t queue, uint32_t job, struct kueue_need *need)
{
	const struct kueue_form *form = kueue_form_of(k, job);

	*need = (struct kueue_need){.objects = k->objects};
	need->simple = k->queues[queue].spec->strategy == QUEUE_BEST_EFFORT_FIFO &&
		       (k->topology == NULL ||
			(kueue_flavor_is_only(k, queue) &&
			 k->queues[queue].spec->reclaim_within_cohort == PREEMPT_ANY)) &&
		       form->set_count == 1 && !kueue_message_has_faults(k, job) &&
		       kueue_namespace_matches(k, queue, kueue_class_of(k, job)->local_queue) &&
		       list_slots(&k->queues[queue], form, need) &&
		       (need->slot_count == 1 || fewest_pods(k, form) == form->counts[0]) &&
		       list_flavors(k, queue, form, need);
}

static const struct kueue_need *need_of(struct kueue *k, uint32_t queue, uint32_t job)
{
	uint32_t class = k->jobs[job].class;
	size_t had = k->need_capacity;

	k->needs = mem_grow(k->needs, class + (size_t)1, &k->need_capacity, sizeof(*k->needs));
	for (size_t i = had; i < k->need_capacity; i++)
		k->needs[i].objects = 0;
	if (k->needs[class].objects != k->objects)
		make_need(k, queue, job, &k->needs[class]);
	return &k->needs[class];
}

/* ------------------------------------------------------------------- refusing */

/* Is the cycle of a kind that this is known of? */
static bool applies(const struct kueue *k)
{
	if (k->topology != NULL &&
	    (k->config->fair_sharing || kueue_tells(k) || k->second_entry_count > 0))
		return false;
	return k->bounds != NULL && !k->full && k->gates.equivalence && k->gates.fungibility &&
	       !k->config->block_admission && k->possible == kueue_preempt_possible;
}

static bool is_plain_head(const struct kueue *k, uint32_t queue, uint32_t job)
{
	const struct kueue_job *j = &k->jobs[job];

	return job < k->first_variant && j->memory < MEMORY_FIRST && j->hold == KUEUE_NONE &&
	       kueue_life_of(k, job)->requeue_at <= k->world->now &&
	       !(k->gates.preemptors_first && k->queues[queue].preemptor == job);
}

/* Does what it asks for neither fit there nor is there anybody to evict? */
static bool is_hopeless(struct kueue *k, uint32_t queue, uint32_t job, uint32_t count,
			const struct quota_amount *amounts)
{
	uint32_t columns[SLOTS], over = 0;
	struct kueue_search search = {.job = job, .queue = queue, .request_count = 1};

	search.column_count = 1;
	for (uint32_t i = 0; i < count; i++) {
		search.columns = &amounts[i].column;
		search.request = &amounts[i];
		if (!k->ranks_holds || !kueue_bound_is_vain(k, &search)) {
			if (amounts[i].amount <=
			    quota_available(&k->tree, queue, amounts[i].column))
				continue;
			if (!k->ranks_holds) /* no queue could find a victim */
				return true;
			if (!kueue_bound_excludes(k, &search))
				return false;
		}
		columns[over++] = amounts[i].column;
	}
	if (over == 0 || count == 1)
		return over > 0;
	search.columns = columns;
	search.column_count = over;
	search.request = amounts;
	search.request_count = count;
	return kueue_bound_excludes(k, &search);
}

/* With all its pods, does a hopeless flavor count as one where preemption has no candidates? */
static bool is_scanned(struct kueue *k, uint32_t queue, const struct kueue_form *form,
		       const struct kueue_need *need, const struct quota_amount *amounts)
{
	for (uint32_t i = 0; i < need->slot_count; i++) {
		uint32_t column = amounts[i].column;
		int64_t amount = res_mul(form->slots[need->slots[i]].per_pod, form->counts[0]);
		bool may_reclaim = false;

		if (amount > quota_potential(&k->tree, queue, column))
			return false;
		if (kueue_flavor_may_preempt(k, queue, column, amount, false) ||
		    amount <= quota_available(&k->tree, queue, column))
			continue;
		quota_level(&k->tree, queue, column, amount, &may_reclaim);
		if (!may_reclaim)
			return false;
	}
	return true;
}

static bool is_listed(const struct kueue_despair *d, uint32_t column)
{
	for (uint32_t i = 0; i < d->flavor_count; i++) {
		if (d->columns[i] == column)
			return true;
	}
	return false;
}

/* Is what is known of the queue enough? */
static bool is_known(const struct kueue *k, uint32_t queue, uint32_t job,
		     const struct kueue_need *need)
{
	const struct kueue_despair *d = &k->despairs[queue];
	bool known = need->slot_count == 1 && need->flavor_count > 0 &&
		     d->changed == k->roots[k->tree.nodes[queue].root].changed &&
		     kueue_class_of(k, job)->priority <= d->priority;

	for (uint32_t i = 0; i < need->flavor_count && known; i++)
		known = need->amounts[i][0].amount >= d->amount &&
			is_listed(d, need->amounts[i][0].column);
	return known;
}

static void note(struct kueue *k, uint32_t queue, uint32_t job, const struct kueue_need *need)
{
	struct kueue_despair *d = &k->despairs[queue];

	if (need->slot_count != 1 || need->flavor_count == 0)
		return;
	*d = (struct kueue_despair){.changed = k->roots[k->tree.nodes[queue].root].changed,
				    .amount = need->amounts[0][0].amount,
				    .priority = kueue_class_of(k, job)->priority,
				    .flavor_count = need->flavor_count};
	for (uint32_t i = 0; i < need->flavor_count; i++)
		d->columns[i] = need->amounts[i][0].column;
}

/* Is each flavor hopeless with the fewest pods? */
static bool are_hopeless(struct kueue *k, uint32_t queue, uint32_t job,
			 const struct kueue_need *need)
{
	if (is_known(k, queue, job, need))
		return true;
	for (uint32_t i = 0; i < need->flavor_count; i++) {
		if (!is_hopeless(k, queue, job, need->slot_count, need->amounts[i]))
			return false;
	}
	note(k, queue, job, need);
	return true;
}

/* What it asks for with all its pods, in the only flavor. */
static uint32_t list_amounts(struct kueue *k, uint32_t queue, uint32_t job,
			     struct quota_amount amounts[SLOTS])
{
	const struct kueue_form *form = kueue_form_of(k, job);
	const struct kueue_need *need = need_of(k, queue, job);

	for (uint32_t i = 0; i < need->slot_count; i++)
		amounts[i] = (struct quota_amount){
			need->amounts[0][i].column,
			res_mul(form->slots[need->slots[i]].per_pod, form->counts[0])};
	return need->slot_count;
}

/* Does it fit its quota, but have its pods no place, and is there nobody to evict? */
static bool is_placeless(struct kueue *k, uint32_t queue, uint32_t job,
			 const struct kueue_need *need)
{
	const struct kueue_form *form = kueue_form_of(k, job);
	struct quota_amount amounts[SLOTS];
	uint32_t columns[SLOTS];
	struct kueue_search search = {
		.job = job, .queue = queue, .columns = columns, .request = amounts};

	if (k->topology == NULL || need->flavor_count != 1 ||
	    fewest_pods(k, form) < form->counts[0])
		return false;
	search.column_count = search.request_count = list_amounts(k, queue, job, amounts);
	for (uint32_t i = 0; i < search.column_count; i++) {
		columns[i] = amounts[i].column;
		if (amounts[i].amount <= 0 ||
		    amounts[i].amount > quota_available(&k->tree, queue, columns[i]))
			return false;
	}
	return (!k->ranks_holds || kueue_bound_excludes(k, &search)) &&
	       kueue_spot_is_refused(k, job, k->column_flavor[columns[0]]);
}

/* The memory of its scan (MEMORY_EMPTY, MEMORY_EXHAUSTED, the latter with PLACELESS or without) if
 * the head is sure to be refused; else MEMORY_NONE. */
static uint8_t foresee(struct kueue *k, uint32_t queue, uint32_t job)
{
	const struct kueue_need *need;
	bool scanned = false;

	if (!is_plain_head(k, queue, job))
		return MEMORY_NONE;
	need = need_of(k, queue, job);
	if (!need->simple)
		return MEMORY_NONE;
	if (is_placeless(k, queue, job, need))
		return MEMORY_EXHAUSTED | PLACELESS;
	if (!are_hopeless(k, queue, job, need))
		return MEMORY_NONE;
	for (uint32_t i = 0; i < need->flavor_count && !scanned; i++)
		scanned = is_scanned(k, queue, kueue_form_of(k, job), need, need->amounts[i]);
	return scanned ? MEMORY_EXHAUSTED : MEMORY_EMPTY;
}

/* Nobody would be evicted for it, so nobody is searched for. */
static enum kueue_fit find_nobody(struct kueue *k, uint32_t job, uint32_t queue, uint32_t column,
				  int64_t amount, uint32_t *level)
{
	(void)k, (void)job, (void)queue, (void)column, (void)amount, (void)level;
	return FIT_NO_CANDIDATES;
}

/* What the cycle would tell it, as it stands at its begin. */
static void tell(struct kueue *k, uint32_t job)
{
	k->possible = find_nobody;
	kueue_flavor_assign(k, job, kueue_form_of(k, job)->counts, NULL, k->spare);
	k->possible = kueue_preempt_possible;
	kueue_status_assignment(
		k, job, k->spare->mode == MODE_NO_FIT ? k->spare->no_fit : WHY_WAITING_FOR_QUOTA,
		k->spare, 0);
}

static void refuse(struct kueue *k, uint32_t queue, uint32_t job, uint8_t foreseen)
{
	if (kueue_tells(k))
		tell(k, job);
	k->jobs[job].memory = memory_of(foreseen);
	kueue_queue_refuse(k, queue, job);
}

static void make_room(struct kueue *k)
{
	if (k->foreseen != NULL)
		return;
	k->foreseen = mem_calloc(k->queue_count, sizeof(*k->foreseen));
	k->seats = mem_calloc(k->tree.node_count, sizeof(*k->seats));
	k->despairs = mem_calloc(k->queue_count, sizeof(*k->despairs));
}

bool kueue_refuse(struct kueue *k, uint32_t queue, uint32_t job)
{
	uint8_t foreseen;

	if (!applies(k))
		return false;
	make_room(k);
	foreseen = foresee(k, queue, job);
	if (foreseen == MEMORY_NONE)
		return false;
	refuse(k, queue, job, foreseen);
	return true;
}

/* ------------------------------------------------------- who else takes part */

/* All of them. */
struct others {
	uint32_t count, root;
	bool several; /* of more trees than one */
};

static struct kueue_seat *seat_of(struct kueue *k, uint32_t cohort)
{
	struct kueue_seat *seat = &k->seats[cohort];

	if (seat->cycle != k->cycle + 1)
		*seat = (struct kueue_seat){.cycle = k->cycle + 1};
	return seat;
}

static void count_other(struct kueue *k, uint32_t queue, struct others *others)
{
	uint32_t root = k->tree.nodes[queue].root;

	others->several = others->several || (others->count > 0 && others->root != root);
	others->root = root;
	others->count++;
	for (uint32_t n = k->tree.nodes[queue].parent; n != QUOTA_NONE; n = k->tree.nodes[n].parent)
		seat_of(k, n)->others++;
}

/* Is the order of the others the same without it? */
static bool is_missed(struct kueue *k, uint32_t queue, const struct others *others)
{
	uint32_t n = k->tree.nodes[queue].parent;

	if (others->count == 0 || others->several)
		return others->several;
	for (; n != QUOTA_NONE && quota_has_parent(&k->tree, n); n = k->tree.nodes[n].parent) {
		uint32_t below = seat_of(k, n)->others;

		if (below > 0 && below < others->count)
			return true;
	}
	return false;
}

/* Would it keep capacity from those after it? */
static bool is_noticed(const struct kueue *k, uint32_t queue)
{
	return k->foreseen[queue] == MEMORY_EXHAUSTED &&
	       k->queues[queue].spec->reclaim_within_cohort != PREEMPT_ANY;
}

/* Which heads are hopeless? True: all are. */
static bool foresee_heads(struct kueue *k)
{
	bool all = true;

	for (uint32_t i = 0; i < k->head_count; i++) {
		uint32_t queue = k->heads[i];

		k->foreseen[queue] = foresee(k, queue, kueue_queue_head(k, queue));
		all = all && k->foreseen[queue] != MEMORY_NONE;
	}
	return all;
}

void kueue_refuse_heads(struct kueue *k)
{
	struct others others = {0};
	uint32_t kept = 0;
	bool all;

	if (!applies(k))
		return;
	make_room(k);
	all = foresee_heads(k);
	if (!all && k->topology != NULL)
		return;
	for (uint32_t i = 0; i < k->head_count && !all && k->config->fair_sharing; i++) {
		uint32_t queue = k->heads[i];

		if (k->foreseen[queue] == MEMORY_NONE || is_noticed(k, queue))
			count_other(k, queue, &others);
	}
	for (uint32_t i = 0; i < k->head_count; i++) {
		uint32_t queue = k->heads[i];

		if (!all && (k->foreseen[queue] == MEMORY_NONE || is_noticed(k, queue) ||
			     is_missed(k, queue, &others)))
			k->heads[kept++] = queue;
		else
			refuse(k, queue, kueue_queue_head(k, queue), k->foreseen[queue]);
	}
	k->refused_count = k->head_count - kept;
	k->head_count = kept;
}

/* -------------------------------------------------- heads that take part unseen */

bool kueue_refuse_spares(const struct kueue *k, uint32_t queue)
{
	return k->topology != NULL && kueue_refuse_foresaw(k, queue);
}

uint32_t kueue_refuse_level(struct kueue *k, uint32_t queue, uint32_t job)
{
	struct quota_amount amounts[SLOTS];
	uint32_t count = 0, most = 0;

	k->jobs[job].memory = memory_of(k->foreseen[queue]);
	if (k->jobs[job].memory == MEMORY_EXHAUSTED) /* else it has no flavor */
		count = list_amounts(k, queue, job, amounts);
	for (uint32_t i = 0; i < count; i++) {
		bool may_reclaim;
		uint32_t level = quota_level(&k->tree, queue, amounts[i].column, amounts[i].amount,
					     &may_reclaim);

		most = level > most ? level : most;
	}
	return most;
}

bool kueue_refuse_stands(struct kueue *k, uint32_t queue, uint32_t job)
{
	struct quota_amount amounts[SLOTS];
	uint32_t count;
	struct kueue_mark mark;
	bool stands = false;

	if ((k->foreseen[queue] & PLACELESS) != 0)
		return k->tree.undo_count == k->mark.quota &&
		       k->topology->undo_count == k->mark.topology;
	if (k->claimed_count == 0 || k->foreseen[queue] == MEMORY_EMPTY)
		return true;
	count = list_amounts(k, queue, job, amounts);
	mark = kueue_mark(k);
	for (size_t i = 0; i < k->claimed_count; i++)
		kueue_usage_return(k, k->claimed[i]);
	for (uint32_t i = 0; i < count; i++)
		stands = stands ||
			 amounts[i].amount > quota_available(&k->tree, queue, amounts[i].column);
	kueue_rollback(k, mark);
	return stands;
}

bool kueue_refuse_foresaw(const struct kueue *k, uint32_t queue)
{
	return k->foreseen != NULL && applies(k) && k->foreseen[queue] != MEMORY_NONE;
}
