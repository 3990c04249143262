#include "sim/engine/jobcron.h"

#include "sim/engine/jobend.h"

static const struct cron_rule *rule_of(const struct run *run, uint32_t job)
{
	const struct job_control *control = scenario_job_control(run->scenario, job);

	return control == NULL ? NULL : control->cron;
}

static bool is_active(const struct run *run, uint32_t job)
{
	uint8_t phase = world_job(&run->world, job)->phase;

	return phase != JOB_FUTURE && phase != JOB_DONE;
}

static bool any_active(const struct run *run, const struct cron_rule *rule, uint32_t before)
{
	for (uint32_t job = rule->first; job < before; job++) {
		if (is_active(run, job))
			return true;
	}
	return false;
}

/* Only the last one that was passed over may still come. */
static void forget_missed(struct run *run, const struct cron_rule *rule, uint32_t before)
{
	for (uint32_t job = rule->first; job < before; job++) {
		if (world_job(&run->world, job)->phase == JOB_FUTURE)
			world_job(&run->world, job)->phase = JOB_DONE;
	}
}

bool jobcron_comes(struct run *run, uint32_t job)
{
	const struct cron_rule *rule = rule_of(run, job);

	if (rule == NULL || rule->policy == CRON_ALLOW)
		return true;
	forget_missed(run, rule, job);
	if (rule->policy == CRON_FORBID)
		return !any_active(run, rule, job);
	for (uint32_t other = rule->first; other < job; other++) {
		if (is_active(run, other))
			jobend_cancel(run, other);
	}
	return true;
}

uint32_t jobcron_missed(struct run *run, uint32_t ended)
{
	const struct cron_rule *rule = rule_of(run, ended);
	uint32_t last = JOB_NONE;

	if (rule == NULL)
		return JOB_NONE;
	for (uint32_t job = rule->first; job < rule->first + rule->count; job++) {
		if (run->scenario->jobs[job].submit > run->world.now)
			break;
		if (world_job(&run->world, job)->phase == JOB_FUTURE)
			last = job;
	}
	if (last == JOB_NONE || any_active(run, rule, rule->first + rule->count))
		return JOB_NONE;
	if (rule->deadline >= 0 &&
	    clock_add(run->scenario->jobs[last].submit, rule->deadline) <= run->world.now) {
		forget_missed(run, rule, last + 1);
		return JOB_NONE;
	}
	return last;
}
