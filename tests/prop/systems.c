/* systems.c - random clusters with queues by the thousand, and what must hold of each.
 *
 * Seed -> manifest (random_system.h) -> runs under Kueue: the properties hold
 * (properties.h), the same run again gives the same journal, at JOURNAL_FACTS the same
 * facts, and with each search for victims made anew and no cycle cut short (kueue_recall.h,
 * kueue_express.h) the same journal, at JOURNAL_FACTS too. A failure is shrunk: what remains of the input is written into a folder,
 * and the command that shows the failure is told.
 *     build/release/tests/prop/systems [first seed [count [tries to shrink]]]
 *     build/release/tests/prop/systems FOLDER      the properties of one input
 */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem.h"
#include "sim/engine/engine.h"
#include "sim/input/input.h"
#include "tests/support/command.h"
#include "tests/support/properties.h"
#include "tests/support/random_system.h"
#include "tests/support/records.h"

#define SEEDS 300
#define TRIES 4000

static uint64_t first_seed = 1;
static uint32_t tries = TRIES;
static const char *program;

/* ---- one input ---- */

/* A property that is false now and then, for the test of the shrinker itself; NULL. */
typedef bool planted_fault(const struct journal *journal, char text[PROPERTIES_TEXT]);

static bool apply_options(const struct scenario *s, struct run_options *options, struct err *err)
{
	options_default(options);
	for (uint32_t i = 0; i < s->option_count; i++) {
		const char *text = scenario_string(s, s->options[i]), *equals = strchr(text, '=');
		char name[64];

		snprintf(name, sizeof(name), "%.*s", (int)(equals - text), text);
		if (options_set(options, name, equals + 1, err) != ERR_OK)
			return false;
	}
	return true;
}

static struct journal *run(const struct scenario *s, const struct run_options *options,
			   enum journal_detail detail, char text[PROPERTIES_TEXT])
{
	struct journal *j = NULL;
	struct err err = {0};

	if (engine_run(s, policy_find("kueue"), options, detail, &j, &err) == ERR_OK)
		return j;
	snprintf(text, PROPERTIES_TEXT, "%s", err.msg);
	return NULL;
}

/* Texts are numbered as they come, so at less detail only the rest compares. */
static bool is_fact(const struct journal_record *r)
{
	return r->kind != J_POD_FAILED && r->kind != J_POD_CREATED && r->kind != J_STATUS &&
	       r->kind != J_POD_FORBIDDEN;
}

static bool same_facts(const struct journal *full, const struct journal *facts)
{
	struct journal_reader in_full, in_facts;
	const struct journal_record *x, *y;

	journal_open(&in_full, full);
	journal_open(&in_facts, facts);
	while ((x = journal_next(&in_full)) != NULL) {
		if (!is_fact(x))
			continue;
		while ((y = journal_next(&in_facts)) != NULL && !is_fact(y))
			continue;
		if (y == NULL)
			return false;
		if (x->time != y->time || x->kind != y->kind || x->job != y->job ||
		    x->pod != y->pod)
			return false;
	}
	return true;
}

static bool same_course(const struct journal *a, const struct journal *b)
{
	return a->cycles == b->cycles && a->end == b->end && a->end_time == b->end_time &&
	       a->account_end == b->account_end && records_equal(a, b);
}

/* Where no texts are wanted more is cut short: what comes of it is the same. */
static bool check_shortcuts(const struct scenario *s, const struct scenario *anew,
			    const struct run_options *options, char text[PROPERTIES_TEXT])
{
	struct journal *facts = run(s, options, JOURNAL_FACTS, text);
	struct journal *direct = run(anew, options, JOURNAL_FACTS, text);
	bool holds = facts != NULL && direct != NULL;

	if (holds && !same_course(facts, direct)) {
		snprintf(text, PROPERTIES_TEXT,
			 "run: the same one in less detail, with each search made, differs");
		holds = false;
	}
	journal_free(facts);
	journal_free(direct);
	return holds;
}

static bool check_runs(const struct scenario *s, const struct run_options *options,
		       planted_fault *planted, char text[PROPERTIES_TEXT])
{
	static const char *const passes[] = {"again", "in less detail", "with each search made"};
	struct journal *full = run(s, options, JOURNAL_FULL, text), *other;
	struct scenario anew = *s;
	bool holds = full != NULL;

	if (!holds)
		return false;
	anew.config.searches_anew = true;
	holds = planted != NULL ? planted(full, text) : properties_hold(full, options, text);
	for (int pass = 0; pass < 3 && holds && planted == NULL; pass++) {
		other = run(pass == 2 ? &anew : s, options,
			    pass == 1 ? JOURNAL_FACTS : JOURNAL_FULL, text);
		holds = other != NULL &&
			(pass == 1 ? same_facts(full, other) : same_course(full, other));
		if (!holds && other != NULL)
			snprintf(text, PROPERTIES_TEXT, "run: the same one %s differs",
				 passes[pass]);
		journal_free(other);
	}
	holds = holds && (planted != NULL || check_shortcuts(s, &anew, options, text));
	journal_free(full);
	return holds;
}

/* What does not load has no property; *loads tells. */
static bool check_folder(const char *folder, planted_fault *planted, bool *loads,
			 char text[PROPERTIES_TEXT])
{
	struct input_request request = {.files = &folder, .file_count = 1};
	struct scenario *s = NULL;
	struct run_options options;
	struct err err = {0};
	bool holds;

	*loads = input_load(&request, &s, NULL, &err) == ERR_OK && apply_options(s, &options, &err);
	snprintf(text, PROPERTIES_TEXT, "%s", err.msg);
	holds = !*loads || check_runs(s, &options, planted, text);
	scenario_free(s);
	return holds;
}

/* ---- shrinking ---- */

struct failure {
	planted_fault *planted;
	const char *folder; /* scratch */
	char kind[32];	    /* the property that failed first; "": any does */
	char text[PROPERTIES_TEXT];
};

/* The same property fails: another would lead away. */
static bool fails(const struct manifest *m, void *context)
{
	struct failure *f = context;
	bool loads;

	return manifest_write(m, f->folder) &&
	       !check_folder(f->folder, f->planted, &loads, f->text);
}

static const char *scratch(void)
{
	static char folder[300];

	snprintf(folder, sizeof(folder), "%s/system", command_folder());
	return folder;
}

/* Where failures are kept: GQSIM_FAILURES, or build/failures. */
static void keep(const struct manifest *m, uint64_t seed, struct failure *f)
{
	const char *top = getenv("GQSIM_FAILURES");
	char folder[300];

	top = top == NULL ? "build/failures" : top;
	mkdir("build", 0777);
	mkdir(top, 0777);
	snprintf(folder, sizeof(folder), "%s/seed-%" PRIu64, top, seed);
	ck_assert_msg(manifest_write(m, folder), "cannot write %s", folder);
	fails(m, f);
	ck_abort_msg("seed %" PRIu64 ": %s\nThe smallest input that fails so, %" PRIu32
		     " objects and %" PRIu32 " jobs: %s %s\nWhat happens in it: gqsim run -p "
		     "kueue %s --events -",
		     seed, f->text, manifest_documents(m, MANIFEST_OBJECTS),
		     manifest_documents(m, MANIFEST_JOBS) - 1, program, folder, folder);
}

START_TEST(every_system_keeps_the_rules)
{
	uint64_t seed = first_seed + (uint64_t)_i;
	struct manifest *m = random_system(seed);
	struct failure f = {.folder = scratch()};
	bool loads, holds;

	ck_assert(manifest_write(m, f.folder));
	holds = check_folder(f.folder, NULL, &loads, f.text);
	ck_assert_msg(loads, "seed %" PRIu64 ": %s", seed, f.text);
	if (!holds) {
		snprintf(f.kind, sizeof(f.kind), "%.*s", (int)strcspn(f.text, ":"), f.text);
		manifest_shrink(m, fails, &f, tries);
		keep(m, seed, &f);
	}
	manifest_free(m);
}
END_TEST

/* ---- the shrinker itself ---- */

static bool nobody_waits_for_quota(const struct journal *j, char text[PROPERTIES_TEXT])
{
	struct journal_reader in;
	const struct journal_record *r;

	snprintf(text, PROPERTIES_TEXT, "somebody waits for quota");
	journal_open(&in, j);
	while ((r = journal_next(&in)) != NULL) {
		if (r->kind == J_STATUS && strcmp(journal_text(j, r->arg), "WaitingForQuota") == 0)
			return false;
	}
	return true;
}

static bool nobody_is_preempted(const struct journal *j, char text[PROPERTIES_TEXT])
{
	snprintf(text, PROPERTIES_TEXT, "somebody is preempted");
	return !journal_has(j, J_PREEMPTED);
}

static planted_fault *const plants[] = {nobody_waits_for_quota, nobody_is_preempted};

/* The first system that has the fault; there are 15 to 40 objects in one. */
static struct manifest *faulty_system(struct failure *f)
{
	for (uint64_t seed = 1; seed < 100; seed++) {
		struct manifest *m = random_system(seed);

		if (manifest_documents(m, MANIFEST_OBJECTS) > 15 && fails(m, f))
			return m;
		manifest_free(m);
	}
	ck_abort_msg("no system has the fault");
	return NULL;
}

/* Two jobs are left, few objects, and nothing more can go: neither a part nor a one
 * off a number. */
START_TEST(a_planted_fault_shrinks)
{
	struct failure f = {.planted = plants[_i], .folder = scratch()};
	struct manifest *m = faulty_system(&f);
	char *objects, *jobs, *again;

	manifest_shrink(m, fails, &f, TRIES);
	ck_assert(fails(m, &f));
	objects = manifest_print(m, MANIFEST_OBJECTS);
	jobs = manifest_print(m, MANIFEST_JOBS);
	ck_assert_msg(manifest_documents(m, MANIFEST_OBJECTS) <= 10 &&
			      manifest_documents(m, MANIFEST_JOBS) == 3,
		      "%s%s", objects, jobs);
	manifest_shrink(m, fails, &f, TRIES);
	again = manifest_print(m, MANIFEST_OBJECTS);
	ck_assert_str_eq(objects, again);
	free(objects);
	free(jobs);
	free(again);
	manifest_free(m);
}
END_TEST

/* One input, as written by keep: 1 if a property fails. */
static int check_one(const char *folder)
{
	char text[PROPERTIES_TEXT];
	bool loads, holds = check_folder(folder, NULL, &loads, text);

	printf("%s\n", holds && loads ? "every property holds" : text);
	return holds && loads ? 0 : 1;
}

int main(int argc, char **argv)
{
	Suite *s = suite_create("prop/systems");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	struct stat is;
	int failed, count = SEEDS;

	program = argv[0];
	if (argc > 1 && stat(argv[1], &is) == 0 && S_ISDIR(is.st_mode))
		return check_one(argv[1]);
	if (argc > 1)
		first_seed = strtoull(argv[1], NULL, 10);
	if (argc > 2)
		count = (int)strtol(argv[2], NULL, 10);
	if (argc > 3)
		tries = (uint32_t)strtoul(argv[3], NULL, 10);
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, every_system_keeps_the_rules, 0, count);
	if (argc == 1)
		tcase_add_loop_test(t, a_planted_fault_shrinks, 0, 2);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
