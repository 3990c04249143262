/* test_yaml_scalar.c - what bare words mean to kubectl. */
#include "sim/yaml/yaml_scalar.h"
#include "tests/sim/objects_case.h"

static struct yaml_node plain(const char *text)
{
	return (struct yaml_node){
		.kind = YAML_SCALAR, .plain = true, .text = text, .count = (uint32_t)strlen(text)};
}

/* Types and values as sigs.k8s.io/yaml gives them (EXPECTED of the odd files). */
static const struct {
	const char *text;
	enum yaml_type type;
	const char *json;
} rows[] = {
	{"", YAML_NULL, ""},
	{"~", YAML_NULL, "~"},
	{"no", YAML_BOOL, "no"},
	{"On", YAML_BOOL, "On"},
	{"TRUE", YAML_BOOL, "TRUE"},
	{"y", YAML_BOOL, "y"},
	{"N", YAML_BOOL, "N"},
	{".inf", YAML_FLOAT, ".inf"},
	{"0", YAML_INT, "0"},
	{"16", YAML_INT, "16"},
	{"-4", YAML_INT, "-4"},
	{"+5", YAML_INT, "5"},
	{"010", YAML_INT, "8"},
	{"0123456", YAML_INT, "42798"},
	{"0x10", YAML_INT, "16"},
	{"-0x10", YAML_INT, "-16"},
	{"0b101", YAML_INT, "5"},
	{"0o17", YAML_INT, "15"},
	{"0O17", YAML_INT, "15"},
	{"1_000", YAML_INT, "1000"},
	{"1_", YAML_INT, "1"},
	{"-_1", YAML_INT, "-1"},
	{"0x_1f", YAML_INT, "31"},
	{"0_17", YAML_INT, "15"},
	{"1_.5", YAML_FLOAT, "1.5"},
	{".5_0", YAML_FLOAT, ".50"},
	{"9223372036854775807", YAML_INT, "9223372036854775807"},
	{"-9223372036854775808", YAML_INT, "-9223372036854775808"},
	{"9223372036854775808", YAML_INT, "9223372036854775808"}, /* as written */
	{"1e3", YAML_FLOAT, "1e3"},
	{"1_0.5", YAML_FLOAT, "10.5"},
	{".5", YAML_FLOAT, ".5"},
	{"5.", YAML_FLOAT, "5."},
	{"1e", YAML_STRING, "1e"},
	{".", YAML_STRING, "."},
	{"-", YAML_STRING, "-"},
	{"_1", YAML_STRING, "_1"},
	{"08", YAML_FLOAT, "08"},
	{"0x", YAML_STRING, "0x"},
	{"0xg", YAML_STRING, "0xg"},
	{"500m", YAML_STRING, "500m"},
	{"1E", YAML_STRING, "1E"},
	{"12:30:45", YAML_STRING, "12:30:45"},
	{"1.2.3", YAML_STRING, "1.2.3"},
	{"16 Gi", YAML_STRING, "16 Gi"},
};

START_TEST(types)
{
	struct yaml_node node = plain(rows[_i].text);
	char buf[YAML_NUMBER_TEXT];
	const char *json;
	size_t len;

	ck_assert_int_eq(yaml_scalar_type(&node), rows[_i].type);
	json = yaml_json_text(&node, buf, &len);
	ck_assert_uint_eq(len, strlen(rows[_i].json));
	ck_assert_msg(memcmp(json, rows[_i].json, len) == 0, "%s", json);
	node.plain = false;
	ck_assert_int_eq(yaml_scalar_type(&node), YAML_STRING);
}
END_TEST

START_TEST(values)
{
	struct yaml_node yes = plain("yes"), off = plain("off"), big = plain("9223372036854775808");
	struct yaml_node least = plain("-9223372036854775808");
	int64_t value = 0;

	ck_assert(yaml_bool(&yes));
	ck_assert(!yaml_bool(&off));
	ck_assert(!yaml_int(&big, &value));
	ck_assert(yaml_int(&least, &value));
	ck_assert_int_eq(value, INT64_MIN);
	ck_assert_str_eq(yaml_describe(&yes), "a boolean");
	ck_assert_str_eq(yaml_describe(&big), "a number");
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, types, 0, ROWS(rows));
	tcase_add_test(t, values);
	return objects_case_run("sim/yaml/yaml_scalar", t);
}
