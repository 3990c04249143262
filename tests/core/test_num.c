/* test_num.c - Numbers and quantities, read strictly, printed as resource.Quantity does.
 * The quantities marked "API" were checked with apimachinery's resource.ParseQuantity. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/num.h"

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))

static const struct {
	const char *text;
	bool ok;
	int64_t want;
} i64_rows[] = {
	{"0", true, 0},
	{"-0", true, 0},
	{"+7", true, 7},
	{"007", true, 7},
	{"-12", true, -12},
	{"9223372036854775807", true, INT64_MAX},
	{"-9223372036854775808", true, INT64_MIN},
	{"9223372036854775808", false, 0},
	{"-9223372036854775809", false, 0},
	{"99999999999999999999999", false, 0},
	{"", false, 0},
	{"-", false, 0},
	{"+", false, 0},
	{"--1", false, 0},
	{" 1", false, 0},
	{"1 ", false, 0},
	{"1.0", false, 0},
	{"1e3", false, 0},
	{"0x10", false, 0},
	{"1_000", false, 0},
	{"nan", false, 0},
};

START_TEST(read_i64)
{
	int64_t v = 42;

	ck_assert_msg(num_read_i64(i64_rows[_i].text, strlen(i64_rows[_i].text), &v) ==
			      i64_rows[_i].ok,
		      "%s", i64_rows[_i].text);
	ck_assert_int_eq(v, i64_rows[_i].ok ? i64_rows[_i].want : 42);
}
END_TEST

static const struct {
	const char *text;
	bool ok;
	uint32_t want;
} u32_rows[] = {
	{"0", true, 0},
	{"4294967295", true, UINT32_MAX},
	{"4294967296", false, 0},
	{"-1", false, 0},
	{"+1", false, 0},
	{"", false, 0},
	{"3.", false, 0},
	{"00012", true, 12},
	{"18446744073709551617", false, 0},
};

START_TEST(read_u32)
{
	uint32_t v = 42;

	ck_assert_msg(num_read_u32(u32_rows[_i].text, strlen(u32_rows[_i].text), &v) ==
			      u32_rows[_i].ok,
		      "%s", u32_rows[_i].text);
	ck_assert_uint_eq(v, u32_rows[_i].ok ? u32_rows[_i].want : 42);
}
END_TEST

START_TEST(reads_len_bytes_only)
{
	int64_t v;
	uint32_t u;
	double d;

	ck_assert(num_read_i64("123456", 3, &v));
	ck_assert_int_eq(v, 123);
	ck_assert(num_read_u32("123456", 2, &u));
	ck_assert_uint_eq(u, 12);
	ck_assert(num_read_double("1.5e9", 3, &d));
	ck_assert(d == 1.5);
	ck_assert_int_eq(num_read_quantity("12Gi", 3, false, &v), NUM_OK);
	ck_assert_int_eq(v, INT64_C(12000000000));
}
END_TEST

static const struct {
	const char *text;
	bool ok;
	double want;
} double_rows[] = {
	{"0", true, 0},
	{"1", true, 1},
	{"-1.25", true, -1.25},
	{"+.5", true, .5},
	{"5.", true, 5},
	{"0.1", true, 0.1},
	{"123456.789", true, 123456.789},
	{"1e3", true, 1000},
	{"1.5E-3", true, 0.0015},
	{"2e+2", true, 200},
	{"1e-400", true, 0},
	{"1.7976931348623157e308", true, 1.7976931348623157e308},
	{"1e309", false, 0},
	{"1e99999999999", false, 0},
	{"", false, 0},
	{".", false, 0},
	{"-", false, 0},
	{"1e", false, 0},
	{"1e+", false, 0},
	{"1e1.5", false, 0},
	{"1.2.3", false, 0},
	{"inf", false, 0},
	{"nan", false, 0},
	{"0x1p3", false, 0},
	{"1,5", false, 0},
	{" 1", false, 0},
	{"1f", false, 0},
};

START_TEST(read_double)
{
	double v = 42;
	bool ok = num_read_double(double_rows[_i].text, strlen(double_rows[_i].text), &v);

	ck_assert_msg(ok == double_rows[_i].ok, "%s", double_rows[_i].text);
	if (ok)
		ck_assert_msg(v == double_rows[_i].want, "%s: %.17g", double_rows[_i].text, v);
}
END_TEST

/* want: whole units; milli: thousandths. Both rounded up, away from zero. */
static const struct {
	const char *text;
	enum num_result result;
	int64_t want, milli;
} quantity_rows[] = {
	/* API: yaml-corpus odd/12-quantities */
	{"500m", NUM_OK, 1, 500},
	{"0.5", NUM_OK, 1, 500},
	{".5", NUM_OK, 1, 500},
	{"2500m", NUM_OK, 3, 2500},
	{"1800Gi", NUM_OK, INT64_C(1932735283200), INT64_C(1932735283200000)},
	{"1.5Ti", NUM_OK, INT64_C(1649267441664), INT64_C(1649267441664000)},
	{"2.87Gi", NUM_OK, INT64_C(3081639035), INT64_C(3081639034880)},
	{"256m", NUM_OK, 1, 256},
	{"1e3", NUM_OK, 1000, 1000000},
	{"1E3", NUM_OK, 1000, 1000000},
	{"1E", NUM_OK, INT64_C(1000000000000000000), INT64_MAX},
	{"10k", NUM_OK, 10000, 10000000},
	{"1Ki", NUM_OK, 1024, 1024000},
	{"1Pi", NUM_OK, INT64_C(1125899906842624), INT64_C(1125899906842624000)},
	{"1Ei", NUM_OK, INT64_C(1152921504606846976), INT64_MAX},
	{"16Ei", NUM_OK, INT64_MAX, INT64_MAX},
	{"100n", NUM_OK, 1, 1},
	{"100u", NUM_OK, 1, 1},
	{"+5", NUM_OK, 5, 5000},
	{"5.", NUM_OK, 5, 5000},
	{"010", NUM_OK, 10, 10000},
	{"50E", NUM_OK, INT64_MAX, INT64_MAX},
	{"9223372036854775807", NUM_OK, INT64_MAX, INT64_MAX},
	{"9223372036854775808", NUM_OK, INT64_MAX, INT64_MAX},
	{"-4", NUM_NEGATIVE, -4, -4000},
	/* API: odd/13-quantities-INVALID */
	{"1e", NUM_MALFORMED, 0, 0},
	{"1K", NUM_MALFORMED, 0, 0},
	{"0x10", NUM_MALFORMED, 0, 0},
	{"1_000", NUM_MALFORMED, 0, 0},
	{"16GiB", NUM_MALFORMED, 0, 0},
	{"16 Gi", NUM_MALFORMED, 0, 0},
	{"16gi", NUM_MALFORMED, 0, 0},
	{"1,000", NUM_MALFORMED, 0, 0},
	{"ten", NUM_MALFORMED, 0, 0},
	{"", NUM_MALFORMED, 0, 0},
	{"1e3Gi", NUM_MALFORMED, 0, 0},
	/* the rest of the grammar */
	{"0", NUM_OK, 0, 0},
	{"-0", NUM_OK, 0, 0},
	{"0Ei", NUM_OK, 0, 0},
	{"0e99999999999999999999", NUM_OK, 0, 0},
	{"0.000", NUM_OK, 0, 0},
	{"1n", NUM_OK, 1, 1},
	{"1000000n", NUM_OK, 1, 1},
	{"1000001n", NUM_OK, 1, 2},
	{"1000000000n", NUM_OK, 1, 1000},
	{"1000000001n", NUM_OK, 2, 1001},
	{"3u", NUM_OK, 1, 1},
	{"2000m", NUM_OK, 2, 2000},
	{"2001m", NUM_OK, 3, 2001},
	{"7M", NUM_OK, 7000000, INT64_C(7000000000)},
	{"7G", NUM_OK, INT64_C(7000000000), INT64_C(7000000000000)},
	{"7T", NUM_OK, INT64_C(7000000000000), INT64_C(7000000000000000)},
	{"7P", NUM_OK, INT64_C(7000000000000000), INT64_C(7000000000000000000)},
	{"9.223372036854775807E", NUM_OK, INT64_MAX, INT64_MAX},
	{"9.223372036854775806E", NUM_OK, INT64_MAX - 1, INT64_MAX},
	{"9223372036854775.807", NUM_OK, INT64_C(9223372036854776), INT64_MAX},
	{"9223372036854775.806", NUM_OK, INT64_C(9223372036854776), INT64_MAX - 1},
	{"1Mi", NUM_OK, 1048576, INT64_C(1048576000)},
	{"1Gi", NUM_OK, INT64_C(1073741824), INT64_C(1073741824000)},
	{"0.5Ki", NUM_OK, 512, 512000},
	{"0.0009765625Ki", NUM_OK, 1, 1000},
	{"0.00097656251Ki", NUM_OK, 2, 1001},
	{"7.99999999999999999Ei", NUM_OK, INT64_C(9223372036854775797), INT64_MAX},
	{"12E2", NUM_OK, 1200, 1200000},
	{"12e-1", NUM_OK, 2, 1200},
	{"12e+1", NUM_OK, 120, 120000},
	{"1.25E1", NUM_OK, 13, 12500},
	{"1e-400", NUM_OK, 1, 1},
	{"1e400", NUM_OK, INT64_MAX, INT64_MAX},
	{"1e-99999999999999999999", NUM_OK, 1, 1},
	{"1e99999999999999999999", NUM_OK, INT64_MAX, INT64_MAX},
	{"0000000000000000000000000000000000000001", NUM_OK, 1, 1000},
	{"1.0000000000000000000000000000000000000", NUM_OK, 1, 1000},
	{"1.0000000000000000000000000000000000001", NUM_OK, 2, 1001},
	{"-1500m", NUM_NEGATIVE, -2, -1500},
	{"-1n", NUM_NEGATIVE, -1, -1},
	{"-16Ei", NUM_NEGATIVE, -INT64_MAX, -INT64_MAX},
	{".", NUM_MALFORMED, 0, 0},
	{"-", NUM_MALFORMED, 0, 0},
	{"+", NUM_MALFORMED, 0, 0},
	{"+-1", NUM_MALFORMED, 0, 0},
	{"m", NUM_MALFORMED, 0, 0},
	{"Gi", NUM_MALFORMED, 0, 0},
	{".Gi", NUM_MALFORMED, 0, 0},
	{"1..5", NUM_MALFORMED, 0, 0},
	{"1.5.5", NUM_MALFORMED, 0, 0},
	{"1i", NUM_MALFORMED, 0, 0},
	{"1ki", NUM_MALFORMED, 0, 0},
	{"1mi", NUM_MALFORMED, 0, 0},
	{"1Gi ", NUM_MALFORMED, 0, 0},
	{"1kk", NUM_MALFORMED, 0, 0},
	{"1e3k", NUM_MALFORMED, 0, 0},
	{"1e+", NUM_MALFORMED, 0, 0},
	{"1e1.5", NUM_MALFORMED, 0, 0},
	{"1E+-3", NUM_MALFORMED, 0, 0},
	{"1Ee3", NUM_MALFORMED, 0, 0},
	{"inf", NUM_MALFORMED, 0, 0},
};

START_TEST(read_quantity)
{
	const char *text = quantity_rows[_i].text;
	int64_t whole = 0, milli = 0;

	ck_assert_msg(num_read_quantity(text, strlen(text), false, &whole) ==
			      quantity_rows[_i].result,
		      "%s", text);
	ck_assert_msg(num_read_quantity(text, strlen(text), true, &milli) ==
			      quantity_rows[_i].result,
		      "%s", text);
	ck_assert_msg(whole == quantity_rows[_i].want, "%s: %lld", text, (long long)whole);
	ck_assert_msg(milli == quantity_rows[_i].milli, "%s: %lldm", text, (long long)milli);
}
END_TEST

static const struct {
	int64_t amount;
	enum num_style style;
	const char *want;
} format_rows[] = {
	{0, NUM_MILLI, "0"},
	{1, NUM_MILLI, "1m"},
	{1500, NUM_MILLI, "1500m"},
	{2000, NUM_MILLI, "2"},
	{191450, NUM_MILLI, "191450m"},
	{1000000, NUM_MILLI, "1k"},
	{1500000, NUM_MILLI, "1500"},
	{-1500, NUM_MILLI, "-1500m"},
	{INT64_MAX, NUM_MILLI, "<unlimited>"},
	{0, NUM_BINARY, "0"},
	{1, NUM_BINARY, "1"},
	{1000, NUM_BINARY, "1k"}, /* below 1024 the API prints decimal */
	{1023, NUM_BINARY, "1023"},
	{1024, NUM_BINARY, "1Ki"},
	{2000, NUM_BINARY, "2000"},
	{INT64_C(1073741824), NUM_BINARY, "1Gi"},
	{INT64_C(536870912), NUM_BINARY, "512Mi"},
	{INT64_C(1610612736), NUM_BINARY, "1536Mi"},
	{INT64_C(3081639035), NUM_BINARY, "3081639035"},
	{INT64_C(1152921504606846976), NUM_BINARY, "1Ei"},
	{-1024, NUM_BINARY, "-1Ki"},
	{INT64_MAX, NUM_BINARY, "<unlimited>"},
	{0, NUM_DECIMAL, "0"},
	{8, NUM_DECIMAL, "8"},
	{999, NUM_DECIMAL, "999"},
	{1000, NUM_DECIMAL, "1k"},
	{1024, NUM_DECIMAL, "1024"},
	{12000, NUM_DECIMAL, "12k"},
	{1000000, NUM_DECIMAL, "1M"},
	{INT64_C(1000000000000000000), NUM_DECIMAL, "1E"},
	{-3, NUM_DECIMAL, "-3"},
	{INT64_MIN, NUM_DECIMAL, "-9223372036854775808"},
	{INT64_MAX, NUM_DECIMAL, "<unlimited>"},
};

START_TEST(format_quantity)
{
	char buf[NUM_QUANTITY_TEXT];

	ck_assert_ptr_eq(num_format_quantity(format_rows[_i].amount, format_rows[_i].style, buf),
			 buf);
	ck_assert_str_eq(buf, format_rows[_i].want);
}
END_TEST

static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* Property: what is printed reads back as the same amount, in every style and size. */
START_TEST(quantity_round_trip)
{
	uint64_t x = (uint64_t)_i * UINT64_C(0x9e3779b97f4a7c15) + 1;
	char buf[NUM_QUANTITY_TEXT];

	for (int i = 0; i < 300; i++) {
		int64_t amount = (int64_t)(next_random(&x) >> (1 + next_random(&x) % 63));
		int64_t back;

		if (i % 3 == 1 && amount < INT64_MAX / 1024)
			amount *= 1024;
		else if (i % 3 == 2 && amount < INT64_MAX / 1000)
			amount *= 1000;
		for (int style = NUM_MILLI; style <= NUM_DECIMAL; style++) {
			num_format_quantity(amount, (enum num_style)style, buf);
			ck_assert_int_eq(
				num_read_quantity(buf, strlen(buf), style == NUM_MILLI, &back),
				NUM_OK);
			ck_assert_msg(back == amount, "%s: %lld", buf, (long long)amount);
		}
	}
}
END_TEST

/* Property: against the definition in long arithmetic of small numbers: n.ddd * 2^k,
 * rounded up. */
START_TEST(binary_fractions)
{
	static const char *const suffix[] = {"", "Ki", "Mi"};
	uint64_t x = (uint64_t)_i + 77;
	char text[64];

	for (int i = 0; i < 500; i++) {
		uint64_t thousandths = next_random(&x) % 10000000;
		unsigned power = (unsigned)(next_random(&x) % 3);
		uint64_t scaled = thousandths << (10 * power);
		int64_t whole, milli;

		snprintf(text, sizeof(text), "%llu.%03llu%s",
			 (unsigned long long)(thousandths / 1000),
			 (unsigned long long)(thousandths % 1000), suffix[power]);
		ck_assert_int_eq(num_read_quantity(text, strlen(text), false, &whole), NUM_OK);
		ck_assert_int_eq(num_read_quantity(text, strlen(text), true, &milli), NUM_OK);
		ck_assert_msg(whole == (int64_t)((scaled + 999) / 1000), "%s", text);
		ck_assert_msg(milli == (int64_t)scaled, "%s", text);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("core/num");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, read_i64, 0, COUNT(i64_rows));
	tcase_add_loop_test(t, read_u32, 0, COUNT(u32_rows));
	tcase_add_test(t, reads_len_bytes_only);
	tcase_add_loop_test(t, read_double, 0, COUNT(double_rows));
	tcase_add_loop_test(t, read_quantity, 0, COUNT(quantity_rows));
	tcase_add_loop_test(t, format_quantity, 0, COUNT(format_rows));
	tcase_add_loop_test(t, quantity_round_trip, 0, 20);
	tcase_add_loop_test(t, binary_fractions, 0, 20);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
