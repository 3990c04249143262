#include "sim/engine/podready.h"

static const struct ready_rule *rule_of(const struct run *run, uint32_t job)
{
	const struct job_control *control = scenario_job_control(run->scenario, job);

	return control == NULL ? NULL : control->ready;
}

static bool sets_run(const struct run *run, uint32_t job, const struct ready_rule *rule)
{
	for (uint32_t set = rule->first; set < (uint32_t)rule->first + rule->count; set++) {
		uint32_t first = world_set_slot(&run->world, job, set);
		uint32_t count = world_pod_set_count(&run->world, job, set);

		for (uint32_t i = 0; i < count; i++)
			if (run->world.pods[first + i].phase != POD_BOUND)
				return false;
	}
	return true;
}

bool podready_with(struct run *run, uint32_t pod)
{
	uint32_t job = run->world.pods[pod].job, set;
	const struct ready_rule *rule = rule_of(run, job);
	struct job_run *s = world_job(&run->world, job);

	if (rule == NULL || s->all_ready != 0 || s->phase != JOB_ADMITTED)
		return false;
	set = world_pod_set(&run->world, pod);
	if (set < rule->first || set >= (uint32_t)rule->first + rule->count ||
	    (!rule->any && !sets_run(run, job, rule)))
		return false;
	s->all_ready = 1;
	return true;
}

bool podready_stays(const struct run *run, uint32_t job)
{
	return rule_of(run, job) != NULL;
}

void podready_tell(struct run *run, uint32_t job, bool ready)
{
	if (run->admission != NULL && run->scenario->config.wait_for_pods_ready)
		run_note(run, J_READY, job, ready, 0);
	run_tell_job(run, ready ? HAP_PODS_READY : HAP_PODS_LOST, job);
}
