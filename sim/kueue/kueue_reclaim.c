#include "sim/kueue/kueue_reclaim.h"

#include "core/mem.h"
#include "sim/kueue/kueue_afs.h"
#include "sim/kueue/kueue_hold.h"
#include "sim/kueue/kueue_queue.h"

/* Pods of the set that are counted: those reserved, or fewer that are still needed. */
static uint32_t counted(const struct kueue *k, uint32_t job, const struct admission *a,
			uint32_t set)
{
	const struct job *j = kueue_job(k, job);
	uint32_t all = k->scenario->pod_sets[j->common->first_pod_set + set].count;
	uint32_t done = world_reclaimable(k->world, kueue_job_of(k, job), set);

	if (kueue_run(k, job)->parallelism != JOB_NONE && j->common->pod_set_count == 1)
		all = kueue_run(k, job)->parallelism;
	/* An elastic job may want more than when it was told of those that are done. */
	if (j->common->pod_set_count == 1 && kueue_life_of(k, job)->reclaimed > done)
		done = kueue_life_of(k, job)->reclaimed;
	all -= done < all ? done : all;
	return all < a->pod_sets[set].count ? all : a->pod_sets[set].count;
}

/* The flavor that was chosen for the resource; KUEUE_NONE: it counts nowhere. */
static uint32_t chosen(const struct kueue *k, const struct admission_pod_set *set,
		       uint32_t resource)
{
	for (uint32_t i = 0; i < set->flavor_count; i++) {
		for (uint32_t f = 0; f < k->flavor_count && set->flavors[i].resource == resource;
		     f++) {
			if (k->flavors[f].index == set->flavors[i].flavor)
				return f;
		}
	}
	return KUEUE_NONE;
}

static uint32_t add(struct quota_amount *amounts, uint32_t count, uint32_t column, int64_t amount)
{
	uint32_t at = 0;

	while (at < count && amounts[at].column != column)
		at++;
	if (at == count)
		amounts[count++] = (struct quota_amount){.column = column};
	amounts[at].amount = res_add(amounts[at].amount, amount);
	return count;
}

static uint32_t remaining(const struct kueue *k, uint32_t job, const struct admission *a,
			  struct quota_amount *amounts)
{
	const struct kueue_form *form = kueue_form_of(k, job);
	uint32_t count = 0;

	for (uint32_t s = 0; s < form->set_count; s++) {
		uint32_t pods = counted(k, job, a, s);

		for (uint32_t i = form->first[s]; i < form->first[s + 1]; i++) {
			const struct kueue_slot *slot = &form->slots[i];
			uint32_t flavor = chosen(k, &a->pod_sets[s], slot->resource);

			if (flavor != KUEUE_NONE)
				count = add(amounts, count, kueue_column(k, flavor, slot->resource),
					    res_mul(slot->per_pod, pods));
		}
	}
	return count;
}

/* The reservation with what still counts, for those who read the journal. */
static void tell(struct kueue *k, uint32_t job, const struct admission *a)
{
	struct decision *d = plan_add(k->plan, DECIDE_RECLAIM);
	struct admission *now = mem_arena_alloc(k->plan->arena, sizeof(*now));
	struct admission_pod_set *sets =
		mem_arena_alloc(k->plan->arena, a->pod_set_count * sizeof(*sets));

	for (uint32_t s = 0; s < a->pod_set_count; s++) {
		sets[s] = a->pod_sets[s];
		sets[s].count = counted(k, job, a, s);
	}
	*now = *a;
	now->pod_sets = sets;
	d->job = job;
	d->admission = now;
}

static void shrink(struct kueue *k, uint32_t job)
{
	const struct admission *a = kueue_admission_of(k, job);
	struct quota_amount *amounts;
	uint32_t count;

	if (a == NULL || !kueue_holds(k, job) || kueue_life_of(k, job)->admitted < 0 ||
	    k->holds[k->jobs[job].hold].evicted)
		return; /* it gives everything back, once it has stopped */
	amounts = mem_calloc(k->slots_max, sizeof(*amounts));
	count = remaining(k, job, a, amounts);
	kueue_afs_change(k, job, -1);
	kueue_hold_change(k, job, amounts, count);
	if (kueue_run(k, job)->parallelism != JOB_NONE)
		k->holds[k->jobs[job].hold].kept[kueue_form_of(k, job)->slot_count] =
			counted(k, job, a, 0);
	kueue_afs_change(k, job, 1);
	mem_free(amounts);
	tell(k, job, a);
	kueue_queue_request_flush(k, k->holds[k->jobs[job].hold].queue);
}

/* A slice that is not admitted yet: it is told again once it is. */
static bool awaits_checks(const struct kueue *k, uint32_t job)
{
	return job < k->first_variant && world_job(k->world, job)->awaits_checks != 0;
}

void kueue_reclaim(struct kueue *k, uint32_t job, uint32_t pods)
{
	if (!k->gates.reclaims_pods || k->jobs[job].class == KUEUE_NONE ||
	    pods == kueue_life_of(k, job)->reclaimed || awaits_checks(k, job))
		return;
	kueue_life_own(k, job)->reclaimed = pods;
	if (!k->open) {
		shrink(k, job);
		return;
	}
	k->done_pods = mem_grow(k->done_pods, k->done_pod_count + 1, &k->done_pod_capacity,
				sizeof(*k->done_pods));
	k->done_pods[k->done_pod_count++] = job;
}

/* A slice that the cycle put in the place of another has given back nothing yet: it is told
 * of its done pods once it is in the world. */
void kueue_reclaim_settle(struct kueue *k)
{
	for (size_t i = 0; i < k->done_pod_count; i++) {
		if (kueue_life_of(k, k->done_pods[i])->reclaimed > 0)
			shrink(k, k->done_pods[i]);
	}
	k->done_pod_count = 0;
}
