/* shortcut_case.h - a system run twice, with what the policy cuts short and without
 * (Configuration.searches_anew): the journals must be equal, with texts and without. */
#ifndef TESTS_SIM_SHORTCUT_CASE_H
#define TESTS_SIM_SHORTCUT_CASE_H

#include "sim/engine/engine.h"
#include "tests/sim/objects_case.h"
#include "tests/support/below.h"
#include "tests/support/records.h"

static inline struct journal *shortcut_case_run(const struct scenario *s,
						enum journal_detail detail)
{
	struct run_options options;
	struct journal *j = NULL;
	struct err err = {0};

	options_default(&options);
	ck_assert_msg(engine_run(s, policy_find("kueue"), &options, detail, &j, &err) == ERR_OK,
		      "%s", err.msg);
	return j;
}

/* What write writes for the seed; some record of it must be of this kind. */
static inline void shortcut_case_check(void (*write)(FILE *out, unsigned *seed), unsigned seed,
				       enum journal_kind kind)
{
	char *yaml = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&yaml, &size);
	struct scenario *s, anew;

	write(out, &seed);
	fclose(out);
	s = objects_case_load(yaml);
	free(yaml);
	anew = *s;
	anew.config.searches_anew = true;
	for (int facts = 0; facts < 2; facts++) {
		enum journal_detail detail = facts ? JOURNAL_FACTS : JOURNAL_FULL;
		struct journal *shortcut = shortcut_case_run(s, detail);
		struct journal *direct = shortcut_case_run(&anew, detail);

		ck_assert(journal_has(shortcut, kind));
		ck_assert_uint_eq(shortcut->cycles, direct->cycles);
		ck_assert(records_equal(shortcut, direct));
		journal_free(shortcut);
		journal_free(direct);
	}
	scenario_free(s);
}

#endif
