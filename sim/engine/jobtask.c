#include "sim/engine/jobtask.h"

#include "core/mem.h"

enum state { TASK_FREE, TASK_TAKEN, TASK_SUCCEEDED, TASK_GIVEN_UP };

struct jobtask {
	const struct job_control *control; /* NULL */
	uint32_t completions;		   /* JOB_NONE */
	uint32_t count;
	uint8_t *states;
	uint32_t *failures; /* per index; NULL without backoffLimitPerIndex */
	uint32_t *ignored;  /* likewise: failures that a policy ignores */
	simtime *ready;	    /* of each index: not tried before; likewise */
	uint32_t *met;	    /* per success rule: of its indexes so many have succeeded */
	uint32_t *asked;    /* likewise: so many it names */
	uint32_t lowest;    /* no one below is free */
	uint32_t succeeded, given_up;
	uint32_t failed;   /* pods that count */
	uint32_t retrying; /* indexes that failed and are free */
};

simtime jobtask_doubling(simtime base, uint32_t n, simtime max)
{
	simtime d = base;

	while (--n > 0 && d < max)
		d *= 2;
	return d < max ? d : max;
}

static uint32_t indexes_of(const struct jobtask *t, const struct success_rule *rule)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < rule->interval_count; i++) {
		uint32_t first = rule->bounds[2 * i], last = rule->bounds[2 * i + 1];

		if (first < t->count)
			n += (last < t->count ? last : t->count - 1) - first + 1;
	}
	return rule->bounds == NULL ? t->count : n;
}

static void open_rules(struct jobtask *t)
{
	uint32_t count = t->control == NULL ? 0 : t->control->success_rule_count;

	if (count == 0)
		return;
	t->met = mem_calloc(count, sizeof(*t->met));
	t->asked = mem_calloc(count, sizeof(*t->asked));
	for (uint32_t i = 0; i < count; i++)
		t->asked[i] = indexes_of(t, &t->control->success_rules[i]);
}

struct jobtask *jobtask_new(uint32_t completions, uint32_t parallel,
			    const struct job_control *control)
{
	struct jobtask *t = mem_calloc(1, sizeof(*t));

	t->control = control;
	t->completions = completions;
	t->count = completions == JOB_NONE ? parallel : completions;
	t->states = mem_calloc(t->count, 1);
	if (control != NULL && control->index_limit != JOB_NONE) {
		t->failures = mem_calloc(t->count, sizeof(*t->failures));
		t->ignored = mem_calloc(t->count, sizeof(*t->ignored));
		t->ready = mem_calloc(t->count, sizeof(*t->ready));
	}
	open_rules(t);
	return t;
}

void jobtask_free(struct jobtask *t)
{
	if (t == NULL)
		return;
	mem_free(t->states);
	mem_free(t->failures);
	mem_free(t->ignored);
	mem_free(t->ready);
	mem_free(t->met);
	mem_free(t->asked);
	mem_free(t);
}

uint32_t jobtask_take(struct jobtask *t, simtime now, uint32_t room)
{
	uint32_t i = t->lowest;

	while (i < t->count && t->states[i] != TASK_FREE)
		i++;
	t->lowest = i;
	for (; i < t->count && room > 0; i++) {
		if (t->states[i] != TASK_FREE)
			continue;
		room--;
		if (t->ready != NULL && t->ready[i] > now)
			continue;
		t->states[i] = TASK_TAKEN;
		t->retrying -= t->ready != NULL && t->ready[i] != 0;
		return i;
	}
	return JOB_NONE;
}

void jobtask_put_back(struct jobtask *t, uint32_t completion)
{
	if (t->states[completion] == TASK_FREE)
		return;
	t->retrying += t->ready != NULL && t->ready[completion] != 0;
	t->states[completion] = TASK_FREE;
	if (completion < t->lowest)
		t->lowest = completion;
}

/* Its intervals ascend. */
static bool names_index(const struct success_rule *rule, uint32_t index)
{
	uint32_t low = 0, high = rule->interval_count;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (index > rule->bounds[2 * mid + 1])
			low = mid + 1;
		else
			high = mid;
	}
	return low < rule->interval_count && index >= rule->bounds[2 * low];
}

void jobtask_succeed(struct jobtask *t, uint32_t completion)
{
	t->states[completion] = TASK_SUCCEEDED;
	t->succeeded++;
	for (uint32_t i = 0; t->met != NULL && i < t->control->success_rule_count; i++) {
		const struct success_rule *rule = &t->control->success_rules[i];

		t->met[i] += rule->bounds == NULL || names_index(rule, completion);
	}
}

/* ---- failures ---- */

static bool has_code(const struct failure_rule *rule, int32_t code)
{
	for (uint32_t i = 0; i < rule->code_count; i++) {
		if (rule->codes[i] == code)
			return true;
	}
	return false;
}

static enum failure_action verdict(const struct job_control *control,
				   const struct jobtask_failure *failure)
{
	for (uint32_t i = 0; i < control->failure_rule_count; i++) {
		const struct failure_rule *rule = &control->failure_rules[i];

		if (rule->disruption != failure->disruption)
			continue;
		if (rule->disruption || has_code(rule, failure->code) != rule->not_in)
			return rule->action;
	}
	return FAILURE_COUNT;
}

static const char *give_up(struct jobtask *t, uint32_t completion)
{
	if (t->states[completion] == TASK_FREE && t->ready[completion] != 0)
		t->retrying--;
	t->states[completion] = TASK_GIVEN_UP;
	t->given_up++;
	if (t->control->max_failed_indexes != JOB_NONE &&
	    t->given_up > t->control->max_failed_indexes)
		return "MaxFailedIndexesExceeded";
	return jobtask_failed_in_the_end(t);
}

/* The index is tried again after a back-off of its own, as often as its limit says. A
 * failure that the policy ignores lengthens the back-off and is not counted. */
static const char *fail_index(struct jobtask *t, const struct jobtask_failure *failure,
			      enum failure_action action)
{
	uint32_t i = failure->completion;

	t->failures[i] += action != FAILURE_IGNORE;
	t->ignored[i] += action == FAILURE_IGNORE;
	if (action == FAILURE_FAIL_INDEX || t->failures[i] > t->control->index_limit)
		return give_up(t, i);
	if (t->states[i] == TASK_FREE && t->ready[i] == 0)
		t->retrying++; /* its pod gave it back before */
	t->ready[i] = clock_add(failure->now, jobtask_doubling(JOBTASK_BACKOFF_BASE,
							       t->failures[i] + t->ignored[i],
							       JOBTASK_BACKOFF_MAX));
	jobtask_put_back(t, i);
	return NULL;
}

const char *jobtask_fail(struct jobtask *t, const struct jobtask_failure *failure)
{
	enum failure_action action;
	const char *reason = NULL;

	if (t->control == NULL) {
		if (failure->completion != JOB_NONE)
			jobtask_put_back(t, failure->completion);
		return NULL;
	}
	action = verdict(t->control, failure);
	if (action == FAILURE_FAIL_JOB)
		return "PodFailurePolicy";
	if (action != FAILURE_IGNORE)
		t->failed++;
	if (failure->completion != JOB_NONE && t->failures != NULL)
		reason = fail_index(t, failure, action);
	else if (failure->completion != JOB_NONE)
		jobtask_put_back(t, failure->completion);
	return t->failed > t->control->backoff_limit ? "BackoffLimitExceeded" : reason;
}

simtime jobtask_due(const struct jobtask *t, uint32_t room)
{
	simtime due = CLOCK_NEVER;

	for (uint32_t i = t->lowest; t->retrying != 0 && room > 0 && i < t->count; i++) {
		if (t->states[i] != TASK_FREE)
			continue;
		room--;
		if (t->ready[i] < due)
			due = t->ready[i];
	}
	return due;
}

bool jobtask_by_index(const struct jobtask *t)
{
	return t->ready != NULL;
}

/* ---- how far it is ---- */

uint32_t jobtask_succeeded(const struct jobtask *t)
{
	return t->succeeded;
}

uint32_t jobtask_given_up(const struct jobtask *t)
{
	return t->given_up;
}

uint32_t jobtask_wanted(const struct jobtask *t, uint32_t parallel, uint32_t active)
{
	uint32_t left;

	if (t->completions == JOB_NONE)
		return t->succeeded == 0 || active > parallel ? parallel : active;
	left = t->completions - t->succeeded - t->given_up;
	return left < parallel ? left : parallel;
}

/* Once an index has succeeded. */
static bool rule_is_met(const struct jobtask *t, uint32_t i)
{
	const struct success_rule *rule = &t->control->success_rules[i];

	if (t->succeeded == 0)
		return false;
	if (rule->count != JOB_NONE && t->met[i] >= rule->count)
		return true;
	return rule->bounds != NULL && t->met[i] == t->asked[i];
}

bool jobtask_complete(const struct jobtask *t, uint32_t active)
{
	for (uint32_t i = 0; t->control != NULL && i < t->control->success_rule_count; i++) {
		if (rule_is_met(t, i))
			return true;
	}
	if (active != 0)
		return false;
	return t->completions == JOB_NONE ? t->succeeded != 0 : t->succeeded >= t->completions;
}

const char *jobtask_failed_in_the_end(const struct jobtask *t)
{
	if (t->given_up != 0 && t->succeeded + t->given_up >= t->count)
		return "FailedIndexes";
	return NULL;
}

/* ---- what the input says becomes of pods ---- */

const struct pod_fate *jobtask_fate(const struct job_control *control, uint32_t n,
				    uint32_t completion)
{
	const struct pod_fate *by_order = NULL;

	for (uint32_t i = 0; control != NULL && i < control->fate_count; i++) {
		const struct pod_fate *fate = &control->fates[i];

		if (fate->index == JOB_NONE) {
			if (--n == 0)
				by_order = fate;
		} else if (completion == JOB_NONE || fate->index == completion) {
			return fate->after >= 0 ? fate : NULL;
		}
	}
	return by_order != NULL && by_order->after >= 0 ? by_order : NULL;
}
