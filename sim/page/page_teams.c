#include "sim/page/page_teams.h"

#include "core/mem.h"

void page_teams_make(const struct metrics *m, struct page_teams *out)
{
	uint32_t jobs = m->journal->scenario->job_count;

	out->shown = m->team_count < PAGE_TEAMS_MAX ? m->team_count : PAGE_TEAMS_MAX;
	out->groups = out->shown + (m->team_count > out->shown ? 1 : 0);
	out->of = mem_calloc(jobs, sizeof(*out->of));
	for (uint32_t job = 0; job < jobs; job++)
		out->of[job] = m->team_of[job] < out->shown ? m->team_of[job] : out->shown;
}

void page_teams_free(struct page_teams *teams)
{
	mem_free(teams->of);
}

void page_waits_find(const struct metrics *m, const struct page_teams *teams,
		     struct page_waits *out)
{
	uint32_t jobs = m->journal->scenario->job_count;

	*out = (struct page_waits){.count = 0};
	out->all = mem_calloc(jobs, sizeof(*out->all));
	out->by_team = mem_calloc(jobs, sizeof(*out->by_team));
	out->first = mem_calloc((size_t)teams->groups + 1, sizeof(*out->first));
	out->never = mem_calloc(teams->groups, sizeof(*out->never));
	for (uint32_t job = 0; job < jobs; job++) {
		if (metrics_waited(m, job) < 0)
			continue;
		if (m->states[job].first_start == CLOCK_NEVER &&
		    (m->states[job].flags & REPLAY_DONE) == 0) {
			out->never[teams->of[job]]++;
			out->never_count++;
		} else {
			out->all[out->count++] = (struct wait){
				.time = metrics_waited(m, job),
				.gpus = 1,
				.group = WAIT_GROUPS & teams->of[job],
				.cancelled = m->states[job].first_start == CLOCK_NEVER};
		}
	}
	waits_sort(out->all, out->count);
	waits_by_group(out->all, out->count, teams->groups, out->by_team, out->first);
}

void page_waits_free(struct page_waits *waits)
{
	mem_free(waits->all);
	mem_free(waits->by_team);
	mem_free(waits->first);
	mem_free(waits->never);
}
