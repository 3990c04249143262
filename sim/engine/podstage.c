#include "sim/engine/podstage.h"

static const struct job_control *control_of(const struct run *run, uint32_t job)
{
	return scenario_job_control(run->scenario, job);
}

bool podstage_ordered(const struct run *run, uint32_t job)
{
	const struct job_control *control = control_of(run, job);

	return control != NULL && control->startup_count != 0;
}

static bool is_ready(const struct run *run, uint32_t job, uint32_t set, bool done)
{
	uint32_t first = world_set_slot(&run->world, job, set);
	uint32_t count = world_pod_set_count(&run->world, job, set);

	for (uint32_t i = 0; i < count; i++) {
		uint8_t phase = run->world.pods[first + i].phase;

		if (phase != POD_DONE && (done || phase != POD_BOUND))
			return false;
	}
	return true;
}

bool podstage_allows(const struct run *run, uint32_t job, uint32_t index)
{
	const struct job_control *control = control_of(run, job);
	uint32_t set = world_pod_set(&run->world, run->journal->first_pod[job] + index);

	for (uint32_t i = 0; i < control->startup_count; i++) {
		const struct startup *s = &control->startups[i];

		if (s->set == set && !is_ready(run, job, s->after, s->complete))
			return false;
	}
	return true;
}

simtime podstage_work(const struct run *run, uint32_t pod)
{
	const struct job_control *control = control_of(run, run->world.pods[pod].job);

	return control->set_works[world_pod_set(&run->world, pod)];
}

bool podstage_set_ready(const struct run *run, uint32_t pod)
{
	return is_ready(run, run->world.pods[pod].job, world_pod_set(&run->world, pod), false);
}

uint32_t podstage_done(const struct run *run, uint32_t job)
{
	uint32_t done = 0;

	for (uint32_t k = 0; k < run->scenario->jobs[job].common->pod_set_count; k++) {
		uint32_t from = world_set_slot(&run->world, job, k);
		uint32_t count = world_pod_set_count(&run->world, job, k);

		for (uint32_t i = 0; i < count; i++)
			done += run->world.pods[from + i].phase == POD_DONE;
	}
	return done;
}

/* Orders point at sets in any order, but never in a circle (objects_roles.h): each round sets
 * one more of a chain right. */
simtime podstage_delay(const struct run *run, uint32_t job)
{
	const struct job_control *control = control_of(run, job);
	uint32_t count = run->scenario->jobs[job].common->pod_set_count;
	simtime *begin = mem_calloc(count, sizeof(*begin)), latest = 0;

	for (uint32_t round = 0; round < count; round++) {
		for (uint32_t i = 0; i < control->startup_count; i++) {
			const struct startup *s = &control->startups[i];
			simtime work = s->complete ? control->set_works[s->after] : 0;
			simtime from = clock_add(begin[s->after], work);

			begin[s->set] = from > begin[s->set] ? from : begin[s->set];
		}
	}
	for (uint32_t k = 0; k < count; k++)
		latest = begin[k] > latest ? begin[k] : latest;
	mem_free(begin);
	return latest;
}
