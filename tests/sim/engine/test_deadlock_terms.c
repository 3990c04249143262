/* test_deadlock_terms.c - half-placed jobs that affinity, anti-affinity or spread keep out
 * for good, and those that they do not. */
#include "sim/engine/deadlock_terms.h"

#include "core/rng.h"
#include "sim/engine/engine.h"
#include "tests/sim/constraint_case.h"

/* A gang of one-GPU pods; duration -: a service without end. */
#define GANG(name, pods, labels, at, spec)                                                         \
	"---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: " name                             \
	", annotations: {gqsim/submit-at: '" at                                                    \
	"', gqsim/duration: '100'}}\nspec: {parallelism: " pods                                    \
	", template: {metadata: {labels: {" labels                                                 \
	"}}, spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: '1'}}}]" spec      \
	"}}}\n"
#define WEB(labels, spec)                                                                          \
	"---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 1, "  \
	"selector: {matchLabels: {" labels "}}, template: {metadata: {labels: {" labels            \
	"}}, spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: '1'}}}]" spec      \
	"}}}\n"
#define ONE	    NODE("n0", ZONE ": a")
#define TWO	    ONE NODE("n1", ZONE ": b")
#define ALONE	    FAR(SELECTS("app: x") ", topologyKey: " HOST)
#define NOT_BY(app) FAR(SELECTS("app: " app) ", topologyKey: " HOST)
#define EVEN(rule, key)                                                                            \
	SPREAD(rule ", topologyKey: " key ", whenUnsatisfiable: DoNotSchedule, " SELECTS("app: "   \
											 "x"))
#define PINNED ", nodeSelector: {" ZONE ": b}"
#define BOTH(a, b)                                                                                 \
	", affinity: {podAntiAffinity: {" REQUIRED                                                 \
	"[{" SELECTS("app: " a) ", topologyKey: " HOST                                             \
				"}, {" SELECTS("app: " b) ", topologyKey: " HOST "}]}}"

static const struct {
	const char *name, *text;
	const char *deadlock; /* jobs of the first one; NULL: none */
} rows[] = {
	{"each pod wants a host of its own, and there is one",
	 ONE GANG("x", "2", "app: x", "0", ALONE), "x "},
	{"there are two", TWO GANG("x", "2", "app: x", "0", ALONE), NULL},
	{"the other host has a job that it stays away from, and that ends",
	 TWO GANG("m", "1", "app: m", "0", PINNED) GANG("x", "2", "app: x", "1", BOTH("x", "m")),
	 NULL},
	{"or a service, which does not",
	 TWO WEB("app: m", PINNED) GANG("x", "2", "app: x", "1", BOTH("x", "m")), "x "},
	{"a service that stays away from it",
	 TWO WEB("app: m", PINNED NOT_BY("x")) GANG("x", "2", "app: x", "1", ALONE), "x "},
	{"two that stay away from each other",
	 TWO GANG("x", "2", "app: x", "0", BOTH("x", "m"))
		 GANG("m", "2", "app: m", "0", BOTH("x", "m")),
	 "x m "},
	{"a zone without GPUs stays empty, so the others take one each",
	 TWO "---\napiVersion: v1\nkind: Node\nmetadata: {name: n2, labels: {" ZONE
	     ": c}}\nstatus: {allocatable: {cpu: '16', memory: 64Gi}}\n" GANG(
		     "x", "3", "app: x", "0", EVEN("maxSkew: 1", ZONE)),
	 "x "},
	{"two would do",
	 TWO "---\napiVersion: v1\nkind: Node\nmetadata: {name: n2, labels: {" ZONE
	     ": c}}\nstatus: {allocatable: {cpu: '16', memory: 64Gi}}\n" GANG(
		     "x", "2", "app: x", "0", EVEN("maxSkew: 1", ZONE)),
	 NULL},
	{"other jobs' pods could even it out",
	 TWO "---\napiVersion: v1\nkind: Node\nmetadata: {name: n2, labels: {" ZONE
	     ": c}}\nstatus: {allocatable: {cpu: '16', memory: 64Gi}}\n" GANG(
		     "x", "3", "app: x", "0", EVEN("maxSkew: 1", ZONE))
		     GANG("z", "1", "app: x", "900", ""),
	 NULL},
	{"beside each other, where there is room for eight",
	 TWO GANG("x", "9", "app: x", "0", NEAR(SELECTS("app: x") ", topologyKey: " ZONE)), "x "},
	{"they fit",
	 TWO GANG("x", "8", "app: x", "0", NEAR(SELECTS("app: x") ", topologyKey: " ZONE)), NULL},
	{"nobody else's selector", TWO GANG("x", "9", "app: x", "0", NOT_BY("m")), NULL},
};

static const char *first_deadlock(const struct journal *j, const struct scenario *s, char out[100])
{
	struct journal_reader in;
	const struct journal_record *r;
	char buf[SCENARIO_NAME_TEXT];

	journal_open(&in, j);
	while ((r = journal_next(&in)) != NULL) {
		const struct journal_set *set;

		if (r->kind != J_DEADLOCK)
			continue;
		set = &j->sets[r->arg];
		out[0] = '\0';
		for (uint32_t k = 0; k < set->count; k++)
			snprintf(out + strlen(out), 100 - strlen(out), "%s ",
				 scenario_job_name(s, set->jobs[k], buf));
		return out;
	}
	return NULL;
}

START_TEST(deadlocks)
{
	struct scenario *s = objects_case_load(rows[_i].text);
	struct run_options options;
	struct journal *j = NULL;
	struct err err = {0};
	char buf[100];
	const char *got;

	options_default(&options);
	options.max_time = 500 * CLOCK_SECOND;
	options.create = CREATE_INTERLEAVED;
	ck_assert_int_eq(engine_run(s, policy_find("kubernetes"), &options, JOURNAL_FULL, &j, &err),
			 ERR_OK);
	got = first_deadlock(j, s, buf);
	if (rows[_i].deadlock == NULL)
		ck_assert_msg(got == NULL, "%s: %s", rows[_i].name, got);
	else
		ck_assert_msg(got != NULL && strcmp(got, rows[_i].deadlock) == 0, "%s: %s",
			      rows[_i].name, got == NULL ? "none" : got);
	journal_free(j);
	scenario_free(s);
}
END_TEST

/* ---- the bounds, directly ---- */

static uint64_t room(struct constraint_case *c, struct deadlock_terms *t, const char *job,
		     uint64_t each)
{
	uint32_t pod = constraint_case_pod(c, job, 0);
	uint64_t rooms[4] = {each, each, each, each};

	return deadlock_terms_room(t, pod, kube_match_group(c->match, pod), rooms);
}

START_TEST(what_stays_closes_nodes)
{
	struct constraint_case c;
	struct deadlock_terms *t;
	uint32_t y;

	constraint_case_open(&c, NODES JOB("x", "9", "app: x", NOT_BY("m"))
					 JOB("m", "1", "app: m", "") JOB("z", "1", "app: z", ""));
	t = deadlock_terms_new(&c.world, c.match);
	y = constraint_case_pod(&c, "m", 0);
	ck_assert(deadlock_terms_matter(t, constraint_case_pod(&c, "x", 0)));
	ck_assert(!deadlock_terms_matter(t, constraint_case_pod(&c, "z", 0)));
	ck_assert_uint_eq(room(&c, t, "x", 2), 8);
	deadlock_terms_hold(t, y, 2);
	ck_assert_uint_eq(room(&c, t, "x", 2), 6);
	ck_assert_uint_eq(deadlock_terms_closed(t, constraint_case_pod(&c, "x", 0))[2], 1);
	deadlock_terms_drop(t, y, 2);
	ck_assert_uint_eq(room(&c, t, "x", 2), 8);
	deadlock_terms_hold(t, constraint_case_pod(&c, "x", 0), 1);
	ck_assert(deadlock_terms_matter(t, y)); /* x repels it */
	ck_assert_uint_eq(room(&c, t, "m", 2), 6);
	deadlock_terms_free(t);
	constraint_case_close(&c);
	constraint_case_open(&c, NODES JOB("x", "9", "app: x", ""));
	ck_assert_ptr_null(deadlock_terms_new(&c.world, c.match));
	deadlock_terms_free(NULL);
	constraint_case_close(&c);
}
END_TEST

/* n0, n1 in zone a, n2 in b, n3 in none: 3 of its pods are on n2. */
START_TEST(skew_is_bounded_by_what_is_there)
{
	struct constraint_case c;
	struct deadlock_terms *t;

	constraint_case_open(&c, NODES JOB("x", "40", "app: x", EVEN("maxSkew: 2", ZONE)));
	t = deadlock_terms_new(&c.world, c.match);
	for (uint32_t i = 0; i < 3; i++)
		deadlock_terms_hold(t, constraint_case_pod(&c, "x", i), 2);
	/* b can have 3 + 1, so a 6, of which it has room for 2 * 1 */
	ck_assert_uint_eq(room(&c, t, "x", 1), 3);
	/* b 3 + 5 = 8, a 2 * 5 = 10 = 8 + 2 */
	ck_assert_uint_eq(room(&c, t, "x", 5), 15);
	/* a 2 * 7, but no more than 10 + 2 */
	ck_assert_uint_eq(room(&c, t, "x", 7), 19);
	deadlock_terms_free(t);
	constraint_case_close(&c);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, deadlocks, 0, ROWS(rows));
	tcase_add_test(t, what_stays_closes_nodes);
	tcase_add_test(t, skew_is_bounded_by_what_is_there);
	return objects_case_run("deadlock_terms", t);
}
