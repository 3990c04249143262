/* policy_story.h - what a policy does with a hand-made cluster, as lines of text. */
#ifndef TESTS_SUPPORT_POLICY_STORY_H
#define TESTS_SUPPORT_POLICY_STORY_H

#include "tests/support/cluster_case.h"

struct policy_story {
	const char *name;
	struct case_node nodes[3];
	uint32_t node_count;
	struct case_job jobs[4];
	uint32_t job_count;
	const char *journal; /* fixture_print's lines without submissions and pod creations */
};

/* Runs the story under the policy, with no eviction delay, and compares. */
void policy_story_check(const struct policy_story *story, const char *policy);
/* The random system of this seed (cluster_case_random) runs under the policy, and the
 * audit finds nothing wrong. */
void policy_story_random(uint64_t seed, const char *policy);

#endif
