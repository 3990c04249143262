/* test_trace_jobs.c - gqsim's own job list. */
#include "tests/sim/trace_case.h"

#include <inttypes.h>
#include <stddef.h>

#include "core/rng.h"
#include "sim/scenario/draft.h"

START_TEST(kueue_dialect)
{
	struct trace_case c;
	const struct job *j;

	trace_case_load(
		&c, trace_jobs_load,
		"name,namespace,queue,submit_s,duration_s,priority_class,pods,min_pods,requests\n"
		"j10,team-a,cq-b,15,248,high,3,,nvidia.com/gpu=3\n"
		"j04,,,0.5,endless,,1,,nvidia.com/gpu=2\n");
	j = trace_case_job(&c, 0);
	ck_assert_str_eq(trace_case_text(&c, j->name), "j10");
	ck_assert_str_eq(trace_case_text(&c, j->common->ns), "team-a");
	ck_assert_str_eq(trace_case_text(&c, j->common->queue), "cq-b");
	ck_assert_str_eq(trace_case_text(&c, j->common->priority_class), "high");
	ck_assert_int_eq(j->submit, 15 * CLOCK_SECOND); /* not shifted to 0 */
	ck_assert_int_eq(j->duration, 248 * CLOCK_SECOND);
	ck_assert_uint_eq(j->row, 0);
	ck_assert_uint_eq(j->common->flags, 0);
	ck_assert_uint_eq(j->utilisation, 1000);
	ck_assert_uint_eq(j->extra, JOB_NONE);
	ck_assert_uint_eq(builder_job_gpus(c.builder, j), 9);
	j = trace_case_job(&c, 1);
	ck_assert_str_eq(trace_case_text(&c, j->common->ns), "default");
	ck_assert_uint_eq(j->common->queue, NAME_NONE);
	ck_assert_uint_eq(j->common->flags, JOB_UNMANAGED);
	ck_assert_uint_eq(j->common->priority_class, NAME_NONE);
	ck_assert_int_eq(j->submit, CLOCK_SECOND / 2);
	ck_assert_int_eq(j->duration, JOB_ENDLESS);
	ck_assert_uint_eq(j->row, 1);
	ck_assert(!c.summary.has_clock);
	ck_assert_int_eq(c.summary.first_submit, CLOCK_SECOND / 2);
	trace_case_adds_up(&c);
	trace_case_free(&c);
}
END_TEST

static const struct {
	const char *in, *ns, *queue;
	uint16_t flags;
} team_rows[] = {
	{"submit_s,duration_s,gpus\n0,1,1\n", "default", "default", 0},
	{"submit_s,duration_s,gpus,vc\n0,1,1,a\n", "a", "a", 0},
	{"submit_s,duration_s,gpus,team\n0,1,1,a\n", "a", "a", 0},
	{"submit_s,duration_s,gpus,user\n0,1,1,a\n", "a", "a", 0},
	{"submit_s,duration_s,gpus,user,vc\n0,1,1,u,a\n", "a", "a", 0},
	{"submit_s,duration_s,gpus,vc,queue\n0,1,1,a,q\n", "a", "q", 0},
	{"submit_s,duration_s,gpus,vc,namespace\n0,1,1,a,n\n", "n", "a", 0},
	{"submit_s,duration_s,gpus,vc\n0,1,1,\n", "default", "-", JOB_UNMANAGED},
	{"submit_s,duration_s,gpus,namespace\n0,1,1,n\n", "n", "default", 0},
};

START_TEST(teams)
{
	struct trace_case c;
	const struct job *j;

	trace_case_load(&c, trace_jobs_load, team_rows[_i].in);
	j = trace_case_job(&c, 0);
	ck_assert_str_eq(trace_case_text(&c, j->common->ns), team_rows[_i].ns);
	ck_assert_str_eq(trace_case_text(&c, j->common->queue), team_rows[_i].queue);
	ck_assert_uint_eq(j->common->flags, team_rows[_i].flags | JOB_CUT);
	trace_case_free(&c);
}
END_TEST

/* Texts that repeat are remembered; what comes after them must not be theirs. */
START_TEST(repeated_texts)
{
	static const char *const want[] = {"a", "a", "ab", "a", "-", "a", "a\"b", "a\"b"};
	struct trace_case c;

	trace_case_load(&c, trace_jobs_load,
			"submit_s,duration_s,gpus,queue\n0,1,1,a\n0,1,1,a\n0,1,1,ab\n0,1,1,a\n"
			"0,1,1,\n0,1,1,a\n0,1,1,\"a\"\"b\"\n0,1,1,\"a\"\"b\"\n");
	for (uint32_t i = 0; i < 8; i++)
		ck_assert_str_eq(trace_case_text(&c, trace_case_job(&c, i)->common->queue),
				 want[i]);
	trace_case_free(&c);
}
END_TEST

static const struct {
	const char *in;
	const char *names[3];
} id_rows[] = {
	{"job_id,submit_s,duration_s,gpus\n0,0,1,1\n1,0,1,1\n2,0,1,1\n", {"-", "-", "-"}},
	{"job_id,submit_s,duration_s,gpus\n1,0,1,1\n2,0,1,1\n3,0,1,1\n", {"1", "2", "3"}},
	{"job_id,submit_s,duration_s,gpus\n0,0,1,1\n1,0,1,1\n4,0,1,1\n", {"0", "1", "4"}},
	{"job_id,submit_s,duration_s,gpus\n00,0,1,1\n1,0,1,1\n2,0,1,1\n", {"00", "1", "2"}},
	{"job_id,submit_s,duration_s,gpus\n0,0,1,1\n,0,1,1\n2,0,1,1\n", {"0", "-", "2"}},
	{"name,submit_s,duration_s,gpus\n0,0,1,1\n1,0,1,1\n2,0,1,1\n", {"0", "1", "2"}},
	{"submit_s,duration_s,gpus\n0,1,1\n0,1,1\n0,1,1\n", {"-", "-", "-"}},
};

START_TEST(ids)
{
	struct trace_case c;

	trace_case_load(&c, trace_jobs_load, id_rows[_i].in);
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert_str_eq(trace_case_text(&c, trace_case_job(&c, i)->name),
				 id_rows[_i].names[i]);
		ck_assert_uint_eq(trace_case_job(&c, i)->row, i);
	}
	trace_case_free(&c);
}
END_TEST

START_TEST(zero_gpus_are_skipped)
{
	struct trace_case c;

	trace_case_load(&c, trace_jobs_load,
			"arrival_s,duration,gpus,job_id\r\n5,1,0,a\r\n6,0,2,b\r\n7,3,0,c");
	ck_assert_uint_eq(builder_job_count(c.builder), 1);
	ck_assert_uint_eq(trace_case_skipped(&c, "zero_gpus"), 2);
	ck_assert_int_eq(trace_case_job(&c, 0)->duration, 0);
	trace_case_adds_up(&c);
	trace_case_free(&c);
}
END_TEST

static const struct {
	const char *row;
	simtime submit, duration;
	int64_t gpus;
} number_rows[] = {
	/* as pandas writes three tenths */
	{"0.30000000000000004,0.1000004999,1", 300000, 100000, 1},
	{"0.0000005,0.9999995,1", 1, CLOCK_SECOND, 1},
	{"1 , 2\t,3 ", CLOCK_SECOND, 2 * CLOCK_SECOND, 3},
	{"\" 1\",2.0000000 , 3", CLOCK_SECOND, 2 * CLOCK_SECOND, 3},
	{"9223372036854.77580549,0,1", INT64_MAX - 2, 0, 1},
};

START_TEST(numbers_as_programs_write_them)
{
	char text[100];
	struct trace_case c;

	snprintf(text, sizeof(text), "submit_s,duration_s,gpus\n%s\n", number_rows[_i].row);
	trace_case_load(&c, trace_jobs_load, text);
	ck_assert_int_eq(trace_case_job(&c, 0)->submit, number_rows[_i].submit);
	ck_assert_int_eq(trace_case_job(&c, 0)->duration, number_rows[_i].duration);
	ck_assert_int_eq(builder_job_gpus(c.builder, trace_case_job(&c, 0)), number_rows[_i].gpus);
	trace_case_free(&c);
}
END_TEST

static const struct {
	const char *in, *message;
	enum err_code code;
	long line, column;
} error_rows[] = {
	{"duration_s,gpus\n", "no column \"submit_s\" or \"submit\" or \"arrival_s\"", ERR_SYNTAX,
	 1, 1},
	{"submit_s,gpus\n", "no column \"duration_s\" or \"duration\"", ERR_SYNTAX, 1, 1},
	{"submit_s,duration_s,pods\n", "\"requests\", \"gpus\" or \"podsets\"", ERR_SYNTAX, 1, 1},
	{"submit_s,duration_s,gpus,gpus\n", "a second column \"gpus\"", ERR_DUPLICATE, 1, 26},
	{"submit_s,duration_s,gpus\n0,1,1\n-5,1,1\n", "the submit time is negative: -5", ERR_VALUE,
	 3, 1},
	{"submit_s,duration_s,gpus\n0,-1,1\n", "the duration is negative: -1", ERR_VALUE, 2, 3},
	{"submit_s,duration_s,gpus\n0,,1\n", "the duration is empty", ERR_VALUE, 2, 3},
	{"submit_s,duration_s,gpus\nnoon,1,1\n", "the submit time \"noon\" is not a number",
	 ERR_VALUE, 2, 1},
	{"submit_s,duration_s,gpus\n1e3,1,1\n", "the submit time \"1e3\" has an exponent",
	 ERR_VALUE, 2, 1},
	{"submit_s,duration_s,gpus\nnan,1,1\n", "\"nan\" is not a number", ERR_VALUE, 2, 1},
	{"submit_s,duration_s,gpus\n99999999999999999999,1,1\n", "is too large", ERR_VALUE, 2, 1},
	{"submit_s,duration_s,gpus\n0,1e20,1\n", "\"1e20\" is too large", ERR_VALUE, 2, 3},
	{"submit_s,duration_s,gpus\n0,1 2,1\n", "\"1 2\" is not a number", ERR_VALUE, 2, 3},
	{"submit_s,duration_s,gpus\n0,1.1234567x,1\n", "is not a number", ERR_VALUE, 2, 3},
	{"submit_s,duration_s,gpus\n0,1, \n", "is not a number of GPUs", ERR_VALUE, 2, 5},
	{"submit_s,duration_s,gpus\n9223372036854,1,1\n", "ends beyond the clock", ERR_VALUE, 2,
	 15},
	{"submit_s,duration_s,gpus\n0,1\n", "this row has 2 fields", ERR_SYNTAX, 2, 1},
	{"submit_s,duration_s,gpus\n0,1,1,1\n", "this row has 4 fields", ERR_SYNTAX, 2, 1},
	{"submit_s,duration_s,gpus\n\n\n0,1,x\n", "\"x\" is not a number of GPUs", ERR_VALUE, 4, 5},
};

START_TEST(errors)
{
	struct trace_case c;

	trace_case_load(&c, trace_jobs_load, error_rows[_i].in);
	ck_assert_int_eq(c.code, error_rows[_i].code);
	ck_assert_msg(strstr(c.message, error_rows[_i].message) != NULL, "%s", c.message);
	ck_assert_msg(c.err.line == error_rows[_i].line && c.err.column == error_rows[_i].column,
		      "%s", c.message);
	ck_assert_str_eq(c.err.file, "t");
	trace_case_free(&c);
}
END_TEST

/* The builder finds it, but the place comes from here. */
START_TEST(duplicate_names)
{
	struct scenario *scenario = NULL;
	struct trace_case c;
	struct err err = {0};

	trace_case_load(&c, trace_jobs_load,
			"name,submit_s,duration_s,gpus\na,0,1,1\nb,0,1,1\na,0,1,1\n");
	ck_assert_int_eq(c.code, ERR_OK);
	ck_assert_int_eq(builder_finish(c.builder, &scenario, &err), ERR_DUPLICATE);
	ck_assert_int_eq(err.line, 4);
	ck_assert_str_eq(err.file, "t");
}
END_TEST

/* Where a row is left out, jobs and rows part: from there on ids say something. */
START_TEST(ids_beside_rows_left_out)
{
	struct trace_case c;

	trace_case_load(&c, trace_jobs_load,
			"job_id,submit_s,duration_s,gpus\n0,0,1,1\n1,0,1,0\n2,0,1,1\n");
	ck_assert_str_eq(trace_case_text(&c, trace_case_job(&c, 0)->name), "0");
	ck_assert_str_eq(trace_case_text(&c, trace_case_job(&c, 1)->name), "2");
	trace_case_adds_up(&c);
	trace_case_free(&c);
}
END_TEST

/* Two files one after the other: rows go on counting, as uids must differ. */
START_TEST(rows_go_on)
{
	const char *text = "submit_s,duration_s,gpus\n0,1,1\n";
	struct trace_options options = {0};
	struct trace_summary summary = {0};
	struct trace_case c;

	trace_case_load(&c, trace_jobs_load, text);
	ck_assert_int_eq(trace_jobs_load(&c.source, &options, c.builder, &summary, &c.err), ERR_OK);
	ck_assert_uint_eq(trace_case_job(&c, 1)->row, 1);
	trace_case_free(&c);
}
END_TEST

#define LONG_LIST 400

/* A cell of a list of numbers, and what now and then stands there. */
static void draw_cell(struct rng *rng, uint32_t row, int column, char cell[16])
{
	static const char *const odd[] = {"1.5", "007", "123456789", "99999999",   "0",	 "",
					  "255", "256", "300",	     "1e3",	   "00", "-1",
					  "1 ",	 " 2",	"0.0000005", "3.99999999", "1.", "2 3"};
	uint64_t of = rng_below(rng, 4000);

	if (of < sizeof(odd) / sizeof(odd[0]))
		snprintf(cell, 16, "%s", odd[of]);
	else if (column == 0)
		snprintf(cell, 16, "%" PRIu32, row + (of == 3999));
	else if (column == 2)
		snprintf(cell, 16, "%" PRIu64, 1 + rng_below(rng, of < 400 ? 300 : 9));
	else
		snprintf(cell, 16, "%" PRIu64, rng_below(rng, UINT64_C(1) << (of % 27)));
}

/* Of a long list the first rows are nothing but numbers: more than are read at once. */
static size_t draw_list(struct rng *rng, const char *header, uint32_t rows, char *plain,
			char *quoted)
{
	size_t n = (size_t)sprintf(plain, "%s\n", header);
	size_t q = (size_t)sprintf(quoted, "%s\n", header);

	for (uint32_t row = 0; row < rows; row++) {
		bool even = row + 60 < rows;

		for (int column = 0; column < 4; column++) {
			char cell[16];

			if (even)
				snprintf(cell, 16, "%" PRIu32, column == 0 ? row : 1 + row % 9);
			else
				draw_cell(rng, row, column, cell);
			n += (size_t)sprintf(plain + n, "%s%s", column > 0 ? "," : "", cell);
			q += (size_t)sprintf(quoted + q, "%s\"%s\"", column > 0 ? "," : "", cell);
		}
		n += (size_t)sprintf(plain + n, !even && rng_below(rng, 20) == 0 ? "\r\n" : "\n");
		q += (size_t)sprintf(quoted + q, "\n");
	}
	return n;
}

static bool same_job(const struct job *a, const struct job *b)
{
	struct job other = *b;

	other.common = a->common;
	return memcmp(a->common, b->common, sizeof(*a->common)) == 0 &&
	       /* Behind it there are bytes of no field. */
	       memcmp(a, &other, offsetof(struct job, utilisation)) == 0 &&
	       a->utilisation == b->utilisation;
}

/* Numbers are read at once, what is in quotes cell by cell: the same jobs. */
START_TEST(numbers_are_read_as_cells_are)
{
	static const char *const headers[] = {"job_id,submit_s,gpus,duration_s",
					      "other,submit_s,gpus,duration_s",
					      "name,duration_s,gpus,submit_s"};
	char plain[LONG_LIST * 70], quoted[LONG_LIST * 80];
	struct rng *rng = rng_new((uint64_t)_i, "jobs");
	struct trace_case a, b;

	draw_list(rng, headers[_i % 3], _i % 10 == 9 ? LONG_LIST : 60, plain, quoted);
	trace_case_load(&a, trace_jobs_load, plain);
	trace_case_load(&b, trace_jobs_load, quoted);
	ck_assert_msg(a.code == b.code && a.err.line == b.err.line, "%s / %s\n%s", a.message,
		      b.message, plain);
	ck_assert_uint_eq(builder_job_count(a.builder), builder_job_count(b.builder));
	ck_assert_uint_eq(a.summary.rows, b.summary.rows);
	ck_assert_int_eq(a.summary.first_submit, b.summary.first_submit);
	for (uint32_t i = 0; i < builder_job_count(a.builder); i++) {
		ck_assert_msg(same_job(&builder_jobs(a.builder)[i], &builder_jobs(b.builder)[i]),
			      "job %" PRIu32 " of\n%s", i, plain);
		ck_assert_int_eq(draft_job_place(a.builder, i).line,
				 draft_job_place(b.builder, i).line);
	}
	trace_case_free(&a);
	trace_case_free(&b);
	rng_free(rng);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_test(t, kueue_dialect);
	tcase_add_loop_test(t, teams, 0, ROWS(team_rows));
	tcase_add_test(t, repeated_texts);
	tcase_add_loop_test(t, ids, 0, ROWS(id_rows));
	tcase_add_test(t, zero_gpus_are_skipped);
	tcase_add_loop_test(t, numbers_as_programs_write_them, 0, ROWS(number_rows));
	tcase_add_loop_test(t, errors, 0, ROWS(error_rows));
	tcase_add_test(t, duplicate_names);
	tcase_add_test(t, ids_beside_rows_left_out);
	tcase_add_test(t, rows_go_on);
	tcase_add_loop_test(t, numbers_are_read_as_cells_are, 0, 300);
	return trace_case_run("sim/trace/trace_jobs", t);
}
