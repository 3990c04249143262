/* roles_case.h - kinds of several pod sets: what a manifest comes to, in one line. */
#ifndef TESTS_SIM_ROLES_CASE_H
#define TESTS_SIM_ROLES_CASE_H

#include <stdio.h>

#include "tests/sim/objects_case.h"

#define ROLES_CPU(milli)                                                                           \
	"{spec: {containers: [{name: c, resources: {requests: {cpu: " #milli "m}}}]}}"
#define ROLES_GPUS(n)                                                                              \
	"{spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: " #n "}}}]}}"

struct roles_case {
	const char *spec; /* in flow style, without the braces */
	const char *sets; /* as roles_case_sets tells them; NULL: it must fail */
	const char *says; /* words of the message, or of a finding; NULL */
};

/* "head 1x500m worker 2x1000m+4g": pods, millicores and GPUs of one pod. */
static inline const char *roles_case_sets(const struct scenario *s, uint32_t job)
{
	static char text[1000];
	size_t len = 0;

	text[0] = '\0';
	for (uint32_t k = 0; k < s->jobs[job].common->pod_set_count; k++) {
		const struct pod_set *set = &s->pod_sets[s->jobs[job].common->first_pod_set + k];
		const struct pod_shape *shape = &s->shapes[set->shape];

		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s %ux%lldm",
					k > 0 ? " " : "", objects_case_text(s, set->name),
					set->count, (long long)shape->request[RES_CPU]);
		if (shape->gpus != 0)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "+%lldg",
						(long long)shape->gpus);
	}
	return text;
}

/* "1>0! 2>1 (600)": which set comes after which, ! when that is done; and the seconds that
 * sets take which are done before others come. */
static inline const char *roles_case_order(const struct scenario *s, uint32_t job)
{
	static char text[500];
	const struct job_control *control = scenario_job_control(s, job);
	size_t len = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < control->startup_count; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%u>%u%s",
					i > 0 ? " " : "", control->startups[i].set,
					control->startups[i].after,
					control->startups[i].complete ? "!" : "");
	for (uint32_t k = 0; control->startup_count != 0 && k < s->jobs[job].common->pod_set_count;
	     k++)
		if (control->set_works[k] >= 0)
			len += (size_t)snprintf(text + len, sizeof(text) - len, " (%lld)",
						(long long)(control->set_works[k] / CLOCK_SECOND));
	return text;
}

/* A queued object "j" of that kind; metadata goes on after its labels. */
static inline struct objects_case roles_case_read(const char *api, const char *kind,
						  const char *metadata, const char *spec)
{
	static char text[8000];

	snprintf(
		text, sizeof(text),
		"apiVersion: %s\nkind: %s\nmetadata: {name: j, labels: {kueue.x-k8s.io/queue-name: "
		"q}%s}\nspec: {%s}\n",
		api, kind, metadata, spec);
	return objects_case(text);
}

static inline struct scenario *roles_case_load(const char *api, const char *kind,
					       const char *metadata, const char *spec)
{
	struct objects_case c = roles_case_read(api, kind, metadata, spec);

	ck_assert_msg(c.code == ERR_OK, "%s", c.message);
	return c.s;
}

static inline void roles_case_check(const char *api, const char *kind, const struct roles_case *row)
{
	struct objects_case c = roles_case_read(api, kind, "", row->spec);

	if (row->sets == NULL) {
		ck_assert_msg(c.code != ERR_OK, "read, but should be: %s", row->says);
		ck_assert_msg(strstr(c.message, row->says) != NULL, "%s", c.message);
		return;
	}
	ck_assert_msg(c.code == ERR_OK, "%s", c.message);
	ck_assert_uint_eq(c.s->job_count, 1);
	ck_assert_str_eq(roles_case_sets(c.s, 0), row->sets);
	if (row->says != NULL)
		ck_assert_msg(objects_case_finding(c.s, row->says) != NULL, "%s", row->says);
	scenario_free(c.s);
}

#endif
