#include "sim/kube/kube_budget.h"

#include <string.h>

#include "core/mem.h"

struct kube_budgets {
	const struct world *world;
	bool *selects;	    /* per budget and set of pod labels (0: none) */
	uint32_t *pods;	    /* per job: that are there */
	uint32_t *present;  /* jobs that have any */
	uint32_t *position; /* of each job among them */
	size_t capacity, scratch_capacity;
	uint32_t present_count;
	int64_t *allowed; /* per budget */
	int64_t *left;	  /* scratch, per budget */
	uint32_t *spared;
};

/* Labels that no selector matches count as none: a pod without labels matches nothing,
 * as does the selector {}. */
static bool selects(const struct scenario *s, const struct disruption_budget *budget,
		    uint32_t labels)
{
	const struct label_selector *selector = &budget->selector;

	if (labels == 0 || s->pod_labels[labels - 1].count == 0 ||
	    selector->match_labels.count + selector->expression_count == 0)
		return false;
	return label_selector_matches(s->strings, &s->pod_labels[labels - 1], selector);
}

struct kube_budgets *kube_budget_new(const struct world *world)
{
	const struct scenario *s = world->scenario;
	uint32_t sets = s->pod_label_count + 1;
	struct kube_budgets *b;

	if (s->budget_count == 0)
		return NULL;
	b = mem_calloc(1, sizeof(*b));
	b->world = world;
	b->selects = mem_calloc((size_t)s->budget_count * sets, sizeof(*b->selects));
	for (uint32_t i = 0; i < s->budget_count; i++) {
		for (uint32_t k = 0; k < sets; k++)
			b->selects[(size_t)i * sets + k] = selects(s, &s->budgets[i], k);
	}
	b->pods = mem_calloc(s->job_count, sizeof(*b->pods));
	b->position = mem_calloc(s->job_count, sizeof(*b->position));
	b->allowed = mem_calloc(s->budget_count, sizeof(*b->allowed));
	b->left = mem_calloc(s->budget_count, sizeof(*b->left));
	return b;
}

void kube_budget_free(struct kube_budgets *b)
{
	if (b == NULL)
		return;
	mem_free(b->selects);
	mem_free(b->pods);
	mem_free(b->present);
	mem_free(b->position);
	mem_free(b->allowed);
	mem_free(b->left);
	mem_free(b->spared);
	mem_free(b);
}

void kube_budget_created(struct kube_budgets *b, uint32_t job)
{
	if (b == NULL || b->pods[job]++ != 0)
		return;
	b->present = mem_grow(b->present, b->present_count + 1u, &b->capacity, sizeof(*b->present));
	b->position[job] = b->present_count;
	b->present[b->present_count++] = job;
}

void kube_budget_gone(struct kube_budgets *b, uint32_t job)
{
	uint32_t last;

	if (b == NULL || --b->pods[job] != 0)
		return;
	last = b->present[--b->present_count];
	b->present[b->position[job]] = last;
	b->position[last] = b->position[job];
}

static bool applies(const struct kube_budgets *b, uint32_t budget, uint32_t job)
{
	const struct scenario *s = b->world->scenario;
	uint32_t labels = s->job_labels == NULL ? 0 : s->job_labels[job];

	return s->budgets[budget].ns == s->jobs[job].common->ns &&
	       b->selects[(size_t)budget * (s->pod_label_count + 1) + labels];
}

static int64_t healthy_pods(const struct kube_budgets *b, uint32_t job)
{
	const struct world *w = b->world;
	int64_t healthy = 0;

	for (uint32_t pod = w->journal->first_pod[job]; pod < w->journal->first_pod[job + 1]; pod++)
		healthy += w->pods[pod].phase == POD_BOUND;
	return healthy;
}

/* spec.replicas of the controller; -1: it has no scale. */
static int64_t scale_of(const struct kube_budgets *b, uint32_t job)
{
	const struct job_control *control = scenario_job_control(b->world->scenario, job);

	switch (control == NULL ? CONTROLLER_JOB : control->controller) {
	case CONTROLLER_REPLICA_SET:
	case CONTROLLER_STATEFUL_SET:
		return world_job(b->world, job)->pods_wanted;
	case CONTROLLER_NONE:
	case CONTROLLER_POD_GROUP:
		return 0;
	case CONTROLLER_JOB:
		break;
	}
	return -1;
}

static int64_t rounded_up(int64_t percent, int64_t of)
{
	return (percent * of + 99) / 100;
}

static int64_t allowed_now(const struct kube_budgets *b, uint32_t budget)
{
	const struct disruption_budget *d = &b->world->scenario->budgets[budget];
	bool by_scale = d->percent || d->rule == BUDGET_MAX_UNAVAILABLE;
	int64_t healthy = 0, scale = 0, amount = d->amount;

	for (uint32_t i = 0; i < b->present_count; i++) {
		uint32_t job = b->present[i];
		int64_t own = applies(b, budget, job) && by_scale ? scale_of(b, job) : 0;

		if (!applies(b, budget, job))
			continue;
		if (own < 0)
			return 0;
		scale += own;
		healthy += healthy_pods(b, job);
	}
	if (d->rule == BUDGET_NONE || (by_scale && scale == 0))
		return 0;
	if (d->percent)
		amount = rounded_up(amount, scale);
	if (d->rule == BUDGET_MAX_UNAVAILABLE)
		amount = amount < scale ? scale - amount : 0;
	return healthy > amount ? healthy - amount : 0;
}

void kube_budget_look(struct kube_budgets *b)
{
	for (uint32_t i = 0; b != NULL && i < b->world->scenario->budget_count; i++)
		b->allowed[i] = allowed_now(b, i);
}

int64_t kube_budget_allowed(const struct kube_budgets *b, uint32_t budget)
{
	return b->allowed[budget];
}

/* Takes one from every budget of the pod; does one of them have none left? */
static bool violates(const struct kube_budgets *b, uint32_t pod)
{
	uint32_t job = b->world->pods[pod].job;
	bool any = false;

	for (uint32_t i = 0; i < b->world->scenario->budget_count; i++) {
		if (applies(b, i, job))
			any = --b->left[i] < 0 || any;
	}
	return any;
}

uint32_t kube_budget_sort(struct kube_budgets *b, uint32_t *pods, uint32_t count)
{
	uint32_t violating = 0, spared = 0;

	if (b == NULL)
		return 0;
	memcpy(b->left, b->allowed, b->world->scenario->budget_count * sizeof(*b->left));
	b->spared = mem_grow(b->spared, count, &b->scratch_capacity, sizeof(*b->spared));
	for (uint32_t i = 0; i < count; i++) {
		if (violates(b, pods[i]))
			pods[violating++] = pods[i];
		else
			b->spared[spared++] = pods[i];
	}
	if (spared != 0)
		memcpy(&pods[violating], b->spared, spared * sizeof(*pods));
	return violating;
}
