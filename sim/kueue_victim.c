#include "sim/kueue_victim.h"

#include "core/mem.h"

static bool uses_any(const struct kueue *k, uint32_t hold, const uint32_t *columns, uint32_t count)
{
	uint32_t held;
	const struct quota_amount *amounts = kueue_usage_of(k, hold, &held);

	for (uint32_t i = 0; i < held; i++) {
		for (uint32_t c = 0; c < count; c++) {
			if (amounts[i].column == columns[c])
				return true;
		}
	}
	return false;
}

static bool policy_allows(const struct kueue *k, uint32_t preemptor, uint32_t victim,
			  enum preemption_policy policy)
{
	int32_t mine = kueue_class_of(k, preemptor)->priority;
	int32_t theirs = kueue_class_of(k, victim)->priority;

	switch (policy) {
	case PREEMPT_NEVER:
		return false;
	case PREEMPT_LOWER_PRIORITY:
		return mine > theirs;
	case PREEMPT_LOWER_OR_NEWER_EQUAL_PRIORITY:
		return mine > theirs ||
		       (mine == theirs && k->jobs[preemptor].order < k->jobs[victim].order);
	case PREEMPT_ANY:
		break;
	}
	return true;
}

bool kueue_victim_allowed(const struct kueue *k, const struct kueue_search *search, uint32_t hold,
			  enum preemption_policy policy)
{
	uint32_t victim = k->holds[hold].job;

	if (k->hide_claimed && k->jobs[victim].claimed)
		return false;
	return policy_allows(k, search->job, victim, policy) &&
	       uses_any(k, hold, search->columns, search->column_count);
}

void kueue_victim_add(struct kueue *k, const struct kueue_search *search, uint32_t hold,
		      uint8_t variant, uint32_t lca)
{
	const struct kueue_hold *h = &k->holds[hold];

	k->candidates = mem_grow(k->candidates, k->candidate_count + 1, &k->candidate_capacity,
				 sizeof(*k->candidates));
	k->candidates[k->candidate_count++] =
		(struct kueue_candidate){.job = h->job,
					 .queue = h->queue,
					 .lca = lca,
					 .variant = variant,
					 .evicted = h->evicted,
					 .same = h->queue == search->queue,
					 .priority = kueue_class_of(k, h->job)->priority,
					 .since = h->since};
}

int kueue_victim_compare(const struct kueue *k, const struct kueue_candidate *a,
			 const struct kueue_candidate *b)
{
	(void)k;
	if (a->evicted != b->evicted)
		return a->evicted ? -1 : 1;
	if (a->same != b->same)
		return a->same ? 1 : -1;
	if (a->priority != b->priority)
		return a->priority < b->priority ? -1 : 1;
	if (a->since != b->since)
		return a->since > b->since ? -1 : 1;
	return (a->job > b->job) - (a->job < b->job);
}

void kueue_victim_remove(struct kueue *k, uint32_t job, enum kueue_preemption reason)
{
	kueue_usage_return(k, job);
	k->targets = mem_grow(k->targets, k->target_count + 1, &k->target_capacity,
			      sizeof(*k->targets));
	k->targets[k->target_count++] = (struct kueue_target){job, (uint8_t)reason};
}

bool kueue_victim_fits(struct kueue *k, const struct kueue_search *search, bool may_borrow)
{
	for (uint32_t i = 0; i < search->request_count; i++) {
		const struct quota_amount *r = &search->request[i];

		if (!may_borrow && quota_borrows(&k->tree, search->queue, r->column, r->amount))
			return false;
		if (r->amount > quota_available(&k->tree, search->queue, r->column))
			return false;
	}
	return search->places == NULL || search->places(k, search->places_context);
}

void kueue_victim_fill_back(struct kueue *k, const struct kueue_search *search, bool may_borrow)
{
	for (size_t i = k->target_count; i-- > 0;) {
		if (i + 1 >= k->target_count)
			continue;
		kueue_usage_take(k, k->targets[i].job);
		if (kueue_victim_fits(k, search, may_borrow))
			k->targets[i] = k->targets[--k->target_count];
		else
			kueue_usage_return(k, k->targets[i].job);
	}
}
