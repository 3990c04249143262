#include "tests/support/policy_story.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/audit.h"
#include "sim/engine/engine.h"
#include "tests/support/fixture.h"

static void drop_lines(char *text, const char *word)
{
	char *line = text, *out = text;

	while (*line != '\0') {
		char *end = strchr(line, '\n') + 1;
		char *hit = strstr(line, word);

		if (hit == NULL || hit >= end) {
			memmove(out, line, (size_t)(end - line));
			out += end - line;
		}
		line = end;
	}
	*out = '\0';
}

/* Owned by the caller: free(). */
static char *tell(const struct scenario *scenario, const char *policy,
		  const struct run_options *options)
{
	struct journal *journal = NULL;
	struct err err = {0};
	struct audit audit;
	char *text;

	ck_assert_msg(engine_run(scenario, policy_find(policy), options, JOURNAL_FULL, &journal,
				 &err) == ERR_OK,
		      "%s", err.msg);
	ck_assert_msg(audit_check(journal, &audit), "%s", audit.listed[0].text);
	text = fixture_print(journal);
	drop_lines(text, " submit ");
	drop_lines(text, " create ");
	journal_free(journal);
	return text;
}

void policy_story_check(const struct policy_story *story, const char *policy)
{
	struct scenario *s = cluster_case_scenario(story->nodes, story->node_count, story->jobs,
						   story->job_count);
	struct run_options options;
	char *text;

	options_default(&options);
	options.eviction_delay = 0;
	text = tell(s, policy, &options);
	ck_assert_msg(strcmp(text, story->journal) == 0, "%s:\n%s", story->name, text);
	free(text);
	scenario_free(s);
}

void policy_story_random(uint64_t seed, const char *policy)
{
	struct random_case r;
	struct scenario *s;

	cluster_case_random(&r, seed);
	s = cluster_case_queued(r.nodes, r.node_count, r.jobs, r.job_count, r.changes,
				r.change_count, 4, 4);
	free(tell(s, policy, &r.options));
	scenario_free(s);
}
