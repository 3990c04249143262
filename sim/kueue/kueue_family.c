#include "sim/kueue/kueue_family.h"

#include <string.h>

#include "core/mem.h"
#include "sim/kueue/kueue_class.h"

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
		uint32_t flavor = kueue_flavor_named(k, g->flavor_names[i]), at = 0;

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

/* made: per class of jobs, the first of the classes of their variants; KUEUE_NONE: none yet. */
static void make_family(struct kueue *k, uint32_t job, uint32_t *made)
{
	const struct kueue_queue *q = &k->queues[kueue_queue_of(k, job)];
	struct kueue_family *family = &k->families[k->family_count];
	uint32_t *class = &made[k->jobs[job].class];

	if (*class == KUEUE_NONE)
		*class = kueue_class_flavored(k, k->jobs[job].class, q->pursued, q->pursued_count);
	*family = (struct kueue_family){
		.job = job, .first = k->job_count, .count = q->pursued_count, .seat = KUEUE_NONE};
	for (uint32_t i = 0; i < q->pursued_count; i++, k->job_count++) {
		k->jobs[k->job_count] = *kueue_class_blank();
		k->jobs[k->job_count].class = *class + i;
		k->variants[k->job_count - k->first_variant] =
			(struct kueue_variant){.job = job,
					       .family = k->family_count,
					       .flavor = q->pursued[i],
					       .admission = JOB_NONE,
					       .opened = -1};
	}
	k->family_of[job] = k->family_count++;
}

void kueue_family_init(struct kueue *k)
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
