/* test_csv.c - Rows, quotes, line ends, and the place of what is wrong. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/rng.h"
#include "sim/tool/csv.h"
#include "tests/sim/window_case.h"

/* All rows of the input: fields end in |, rows in a new line. */
static enum err_code flatten_source(const struct source *source, char *out, struct err *err)
{
	enum err_code code;
	struct csv csv;
	bool more = true;
	size_t n = 0;

	csv_open(&csv, source, ',', true);
	for (;;) {
		code = csv_row(&csv, &more, err);
		if (code != ERR_OK || !more)
			break;
		for (uint32_t i = 0; i < csv.count; i++) {
			memcpy(out + n, csv.fields[i].text, csv.fields[i].len);
			n += csv.fields[i].len;
			out[n++] = '|';
		}
		out[n++] = '\n';
	}
	out[n] = '\0';
	csv_free(&csv);
	return code;
}

/* The same from memory and through windows of a few bytes. */
static enum err_code flatten(const char *data, size_t size, char *out, struct err *err)
{
	const struct source source = {.name = "t", .data = data, .size = size};
	enum err_code code = flatten_source(&source, out, err);

	for (size_t window = 8; window <= 32; window *= 2) {
		struct source file;
		struct err other;
		char rows[256];

		window_case_open(&file, data, size, window);
		ck_assert_int_eq(flatten_source(&file, rows, &other), code);
		ck_assert_str_eq(rows, out);
		if (code != ERR_OK)
			ck_assert(other.line == err->line && other.column == err->column);
		source_close(&file);
	}
	return code;
}

static const struct {
	const char *name, *in, *out;
} good_rows[] = {
	{"nothing", "", ""},
	{"only blank lines", "\n\r\n\n", ""},
	{"plain", "a,b\nc,d\n", "a|b|\nc|d|\n"},
	{"no final line end", "a,b\nc,d", "a|b|\nc|d|\n"},
	{"CRLF", "a,b\r\nc,d\r\n", "a|b|\nc|d|\n"},
	{"CR at the very end", "a,b\r", "a|b|\n"},
	{"CR inside a field stays", "a\rb,c\n", "a\rb|c|\n"},
	{"byte order mark",
	 "\xEF\xBB\xBF"
	 "a\nb\n",
	 "a|\nb|\n"},
	{"blank lines between", "a\n\n\nb\n\n", "a|\nb|\n"},
	{"empty fields", ",\n,,\n", "||\n|||\n"},
	{"quotes", "\"a\",\"b,c\"\n", "a|b,c|\n"},
	{"doubled quotes", "\"say \"\"hi\"\"\",x\n", "say \"hi\"|x|\n"},
	{"two copied fields", "\"a\"\"\",\"\"\"b\",\"\"\"\"\n", "a\"|\"b|\"|\n"},
	{"many line ends inside quotes", "a,\"b\n\n\ncdefghijkl\nmnopqrstuvwxyz\n\",c\nd\n",
	 "a|b\n\n\ncdefghijkl\nmnopqrstuvwxyz\n|c|\nd|\n"},
	{"blank lines longer than a window", "a\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\nb\n",
	 "a|\nb|\n"},
	{"line end inside quotes", "\"a\nb\",c\n", "a\nb|c|\n"},
	{"empty quoted field", "\"\"\nx\n", "|\nx|\n"},
	{"quoted, CRLF", "\"a\"\r\n", "a|\n"},
	{"UTF-8", "\xC3\xA9,\xE4\xB8\xAD\n", "\xC3\xA9|\xE4\xB8\xAD|\n"},
};

START_TEST(good)
{
	char out[256];
	struct err err;

	ck_assert_int_eq(flatten(good_rows[_i].in, strlen(good_rows[_i].in), out, &err), ERR_OK);
	ck_assert_msg(strcmp(out, good_rows[_i].out) == 0, "%s: %s", good_rows[_i].name, out);
}
END_TEST

static const struct {
	const char *name, *in;
	long line, column;
} bad_rows[] = {
	{"quote never closed", "a\nb,\"c\nd\n", 2, 3},
	{"quote inside", "a,b\"c\n", 1, 4},
	{"text behind a quote", "\"a\"b,c\n", 1, 4},
	{"after a line end in quotes", "\"a\nb\"x\n", 2, 3},
};

START_TEST(bad)
{
	char out[256];
	struct err err = {0};

	ck_assert_int_eq(flatten(bad_rows[_i].in, strlen(bad_rows[_i].in), out, &err), ERR_SYNTAX);
	ck_assert_msg(err.line == bad_rows[_i].line && err.column == bad_rows[_i].column,
		      "%s: at %ld:%ld", bad_rows[_i].name, err.line, err.column);
}
END_TEST

START_TEST(nul_byte)
{
	char out[64];
	struct err err = {0};

	ck_assert_int_eq(flatten("a,b\nc\0,d\n", 9, out, &err), ERR_SYNTAX);
	ck_assert_int_eq(err.line, 2);
	ck_assert_int_eq(err.column, 2);
	ck_assert_int_eq(flatten("\"a\0b\"\n", 6, out, &err), ERR_SYNTAX);
	ck_assert_int_eq(err.column, 3);
}
END_TEST

static const struct csv_column columns[] = {
	{{"submit", "arrival"}, true},
	{{"gpus"}, false},
};

static const struct {
	const char *name, *in;
	enum err_code code;
	uint32_t submit, gpus;
	const char *message;
} header_rows[] = {
	{"both", "gpus,submit\n", ERR_OK, 1, 0, NULL},
	{"alias", "x,arrival,y\n", ERR_OK, 1, CSV_NONE, NULL},
	{"the preferred name wins", "arrival,submit\n", ERR_OK, 1, CSV_NONE, NULL},
	{"required", "gpus,x\n", ERR_SYNTAX, 0, 0, "no column \"submit\" or \"arrival\""},
	{"empty file", "", ERR_SYNTAX, 0, 0, "no column \"submit\""},
	{"twice", "submit,gpus,gpus\n", ERR_DUPLICATE, 0, 0, "a second column \"gpus\""},
	{"an unknown one twice is fine", "submit,x,x\n", ERR_OK, 0, CSV_NONE, NULL},
};

START_TEST(header)
{
	struct err err = {0};
	uint32_t index[2];
	struct csv csv;

	csv_init(&csv, "t", header_rows[_i].in, strlen(header_rows[_i].in));
	ck_assert_int_eq(csv_header(&csv, columns, 2, index, &err), header_rows[_i].code);
	if (header_rows[_i].code == ERR_OK) {
		ck_assert_uint_eq(index[0], header_rows[_i].submit);
		ck_assert_uint_eq(index[1], header_rows[_i].gpus);
	} else {
		ck_assert_msg(strstr(err.msg, header_rows[_i].message) != NULL, "%s", err.msg);
	}
	csv_free(&csv);
}
END_TEST

START_TEST(width_must_match_the_header)
{
	const char *in = "submit,gpus\n1,2\n\n3\n";
	struct err err = {0};
	uint32_t index[2];
	struct csv csv;
	bool more;

	csv_init(&csv, "t", in, strlen(in));
	ck_assert_int_eq(csv_header(&csv, columns, 2, index, &err), ERR_OK);
	ck_assert_int_eq(csv_row(&csv, &more, &err), ERR_OK);
	ck_assert_int_eq(csv_row(&csv, &more, &err), ERR_SYNTAX);
	ck_assert_int_eq(err.line, 4);
	ck_assert_ptr_nonnull(strstr(err.msg, "this row has 1 field, the header has 2"));
	csv_free(&csv);
}
END_TEST

START_TEST(error_places)
{
	const char *in = "x\n\"a\nb\",cde,\"f\"\"g\"\n";
	struct err err = {0};
	struct csv csv;
	bool more;

	csv_init(&csv, "t", in, strlen(in));
	ck_assert_int_eq(csv_row(&csv, &more, &err), ERR_OK);
	ck_assert_int_eq(csv_row(&csv, &more, &err), ERR_OK);
	ck_assert_int_eq(csv.line, 2);
	csv_error(&csv, &csv.fields[1], 2, ERR_VALUE, &err, "%s", "x");
	ck_assert_int_eq(err.line, 3);
	ck_assert_int_eq(err.column, 6);
	csv_error(&csv, &csv.fields[2], 2, ERR_VALUE, &err, "%s", "x");
	ck_assert_int_eq(err.column, 8); /* a copied field: where it begins */
	csv_error(&csv, &(struct csv_field){.text = ""}, 0, ERR_VALUE, &err, "%s", "x");
	ck_assert_int_eq(err.line, 2); /* an absent column: the row */
	csv_free(&csv);
}
END_TEST

/* A line of 10 MB, and one of a hundred thousand fields. */
START_TEST(long_lines)
{
	size_t size = 10u << 20;
	char *data = mem_calloc(size + 1, 1);
	struct err err = {0};
	struct csv csv;
	bool more;

	memset(data, 'x', size);
	csv_init(&csv, "t", data, size);
	ck_assert_int_eq(csv_row(&csv, &more, &err), ERR_OK);
	ck_assert_uint_eq(csv.fields[0].len, size);
	csv_free(&csv);
	memset(data, ',', 99999);
	csv_init(&csv, "t", data, 99999);
	ck_assert_int_eq(csv_row(&csv, &more, &err), ERR_OK);
	ck_assert_uint_eq(csv.count, 100000);
	csv_free(&csv);
	mem_free(data);
}
END_TEST

/* Copies move when their buffer grows; every one must still say what it said. */
START_TEST(many_copied_fields)
{
	char data[8000], expected[16];
	struct err err = {0};
	struct csv csv;
	size_t n = 0;
	bool more;

	for (int i = 0; i < 500; i++)
		n += (size_t)snprintf(data + n, sizeof(data) - n, "%s\"\"\"%d\"", i ? "," : "", i);
	csv_init(&csv, "t", data, n);
	ck_assert_int_eq(csv_row(&csv, &more, &err), ERR_OK);
	ck_assert_uint_eq(csv.count, 500);
	for (int i = 0; i < 500; i++) {
		snprintf(expected, sizeof(expected), "\"%d", i);
		ck_assert_msg(csv_is(&csv.fields[i], expected), "field %d", i);
	}
	csv_free(&csv);
}
END_TEST

/* A line of bytes that may matter; no quote stays open. */
static size_t draw_line(struct rng *rng, char *out)
{
	static const char *const pieces[] = {
		"0",	"9",	    "123456", ".5", "-1", "a", "\r", " ", "\t",		";",
		"\x01", "\xC3\xA9", "|",      "/:", ",",  ",", ",",  ",", "\"a,\"\"b\""};
	uint64_t count = rng_below(rng, 40);
	size_t len = 0;

	for (uint64_t i = 0; i < count; i++) {
		const char *piece = pieces[rng_below(rng, sizeof(pieces) / sizeof(pieces[0]))];

		if (piece[0] == '"' && len > 0 && out[len - 1] != ',')
			continue;
		len += (size_t)sprintf(out + len, "%s%s", piece, piece[0] == '"' ? "," : "");
	}
	return len;
}

/* A row is the same by the block and, without a line end behind it, byte by byte. */
START_TEST(a_row_is_the_same_by_the_block)
{
	struct rng *rng = rng_new((uint64_t)_i, "csv");
	char text[64 * 256], line[64][256];
	struct err err = {0}, other = {0};
	struct csv all;
	size_t n = 0;
	bool more;

	for (int i = 0; i < 64; i++) {
		size_t len = draw_line(rng, line[i]);

		line[i][len] = '\0';
		memcpy(text + n, line[i], len);
		text[n + len] = '\n';
		n += len + 1;
	}
	csv_init(&all, "t", text, n);
	for (int i = 0; i < 64; i++) {
		struct csv one;

		csv_init(&one, "t", line[i], strlen(line[i]));
		ck_assert_int_eq(csv_row(&one, &more, &other), ERR_OK);
		if (more) {
			ck_assert_int_eq(csv_row(&all, &more, &err), ERR_OK);
			ck_assert(more && all.line == i + 1);
			ck_assert_msg(one.count == all.count, "%d: %s", _i, line[i]);
		}
		for (uint32_t f = 0; f < one.count; f++)
			ck_assert_msg(one.fields[f].len == all.fields[f].len &&
					      memcmp(one.fields[f].text, all.fields[f].text,
						     one.fields[f].len) == 0,
				      "%d: %s", _i, line[i]);
		csv_free(&one);
	}
	ck_assert_int_eq(csv_row(&all, &more, &err), ERR_OK);
	ck_assert(!more);
	csv_free(&all);
	rng_free(rng);
}
END_TEST

static const struct {
	const char *field;
	bool good;
	uint32_t value;
} numbers[] = {
	{"0", true, 0},
	{"7", true, 7},
	{"10", true, 10},
	{"00123", true, 123},
	{"12345678", true, 12345678},
	{"99999999", true, 99999999},
	{"123456789", false, 0},
	{"", false, 0},
	{"-1", false, 0},
	{"1.5", false, 0},
	{"1e3", false, 0},
	{"12a", false, 0},
	{":1", false, 0},
	{"/1", false, 0},
	{"1\xB0", false, 0},
	{"\"1\"", false, 0},
};

START_TEST(number)
{
	char text[64];
	struct err err = {0};
	uint32_t value = 0;
	struct csv csv;
	bool more;

	snprintf(text, sizeof(text), "%s,99999999,%s\n", numbers[_i].field, numbers[_i].field);
	csv_init(&csv, "t", text, strlen(text));
	ck_assert_int_eq(csv_row(&csv, &more, &err), ERR_OK);
	/* Nothing is read that is in front of the text. */
	ck_assert(!csv_number(&csv, &csv.fields[0], &value) || csv.fields[0].len == 8);
	ck_assert_int_eq(csv_number(&csv, &csv.fields[2], &value), numbers[_i].good);
	if (numbers[_i].good)
		ck_assert_uint_eq(value, numbers[_i].value);
	csv_free(&csv);
}
END_TEST

#define ROWS(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))

int main(void)
{
	Suite *s = suite_create("sim/tool/csv");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, good, 0, ROWS(good_rows));
	tcase_add_loop_test(t, bad, 0, ROWS(bad_rows));
	tcase_add_test(t, nul_byte);
	tcase_add_loop_test(t, header, 0, ROWS(header_rows));
	tcase_add_test(t, width_must_match_the_header);
	tcase_add_test(t, error_places);
	tcase_add_test(t, long_lines);
	tcase_add_test(t, many_copied_fields);
	tcase_add_loop_test(t, a_row_is_the_same_by_the_block, 0, 50);
	tcase_add_loop_test(t, number, 0, ROWS(numbers));
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
