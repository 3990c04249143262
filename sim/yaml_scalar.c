#include "sim/yaml_scalar.h"

#include <stdio.h>
#include <string.h>

#include "core/num.h"

static const char *const true_words[] = {"true", "True", "TRUE", "yes", "Yes", "YES",
					 "on",	 "On",	 "ON",	 "y",	"Y"};
static const char *const false_words[] = {"false", "False", "FALSE", "no", "No", "NO",
					  "off",   "Off",   "OFF",   "n",  "N"};
/* Numbers to the reader, which JSON then cannot have. */
static const char *const no_numbers[] = {".inf",  ".Inf",  ".INF",  "+.inf", "+.Inf", "+.INF",
					 "-.inf", "-.Inf", "-.INF", ".nan",  ".NaN",  ".NAN"};

static bool one_of(const struct yaml_node *node, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (yaml_text_is(node, words[i]))
			return true;
	return false;
}

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

/* The base of an integer's digits, and where they begin. */
static int int_base(const char *text, size_t len, size_t *begin)
{
	size_t at = len > 0 && (text[0] == '-' || text[0] == '+') ? 1 : 0;

	*begin = at;
	if (at + 1 >= len || text[at] != '0')
		return 10;
	*begin = at + 2;
	if (text[at + 1] == 'x' || text[at + 1] == 'X')
		return 16;
	if (text[at + 1] == 'b' || text[at + 1] == 'B')
		return 2;
	*begin = text[at + 1] == 'o' ? at + 2 : at + 1;
	return 8;
}

/* Digits of the base with "_" among them; at least one digit, first. */
static bool is_int(const char *text, size_t len)
{
	size_t begin;
	int base = int_base(text, len, &begin);

	if (begin >= len || digit_value(text[begin]) >= base)
		return false;
	for (size_t i = begin; i < len; i++)
		if (text[i] != '_' && digit_value(text[i]) >= base)
			return false;
	return true;
}

static size_t skip_digits(const char *text, size_t len, size_t at)
{
	while (at < len && ((text[at] >= '0' && text[at] <= '9') || text[at] == '_'))
		at++;
	return at;
}

static bool is_float(const char *text, size_t len)
{
	size_t at = len > 0 && (text[0] == '-' || text[0] == '+') ? 1 : 0;
	size_t begin = at, digits;

	at = skip_digits(text, len, at);
	digits = at - begin;
	if (digits != 0 && text[begin] == '_')
		return false;
	if (at < len && text[at] == '.') {
		begin = at + 1;
		at = skip_digits(text, len, begin);
		digits += at - begin;
	}
	if (digits == 0)
		return false;
	if (at < len && (text[at] == 'e' || text[at] == 'E')) {
		at++;
		at += at < len && (text[at] == '-' || text[at] == '+') ? 1 : 0;
		begin = at;
		at = skip_digits(text, len, at);
		if (at == begin)
			return false;
	}
	return at == len;
}

enum yaml_type yaml_scalar_type(const struct yaml_node *node)
{
	if (yaml_is_null(node))
		return YAML_NULL;
	if (node->kind != YAML_SCALAR || !node->plain)
		return YAML_STRING;
	if (one_of(node, true_words, sizeof(true_words) / sizeof(true_words[0])) ||
	    one_of(node, false_words, sizeof(false_words) / sizeof(false_words[0])))
		return YAML_BOOL;
	if (is_int(node->text, node->count))
		return YAML_INT;
	if (is_float(node->text, node->count) ||
	    one_of(node, no_numbers, sizeof(no_numbers) / sizeof(no_numbers[0])))
		return YAML_FLOAT;
	return YAML_STRING;
}

const char *yaml_describe(const struct yaml_node *node)
{
	static const char *const names[] = {[YAML_NULL] = "nothing",
					    [YAML_BOOL] = "a boolean",
					    [YAML_INT] = "a number",
					    [YAML_FLOAT] = "a number",
					    [YAML_STRING] = "a text"};

	if (node->kind == YAML_LIST)
		return "a list";
	if (node->kind == YAML_MAP)
		return "a map";
	return names[yaml_scalar_type(node)];
}

bool yaml_bool(const struct yaml_node *node)
{
	return one_of(node, true_words, sizeof(true_words) / sizeof(true_words[0]));
}

bool yaml_int(const struct yaml_node *node, int64_t *out)
{
	bool negative = node->text[0] == '-';
	uint64_t value = 0, limit = (uint64_t)INT64_MAX + (negative ? 1 : 0);
	size_t begin;
	uint64_t base = (uint64_t)int_base(node->text, node->count, &begin);

	for (size_t i = begin; i < node->count; i++) {
		uint64_t digit;

		if (node->text[i] == '_')
			continue;
		digit = (uint64_t)digit_value(node->text[i]);
		if (value > (limit - digit) / base)
			return false;
		value = value * base + digit;
	}
	*out = negative ? -(int64_t)(value - (value != 0)) - (value != 0) : (int64_t)value;
	return true;
}

const char *yaml_json_text(const struct yaml_node *node, char buf[YAML_NUMBER_TEXT], size_t *len)
{
	enum yaml_type type = yaml_scalar_type(node);
	int64_t value;

	*len = node->count;
	if (type == YAML_INT && yaml_int(node, &value)) {
		*len = (size_t)snprintf(buf, YAML_NUMBER_TEXT, "%lld", (long long)value);
		return buf;
	}
	if (type != YAML_FLOAT || memchr(node->text, '_', node->count) == NULL ||
	    node->count >= YAML_NUMBER_TEXT)
		return node->text;
	*len = 0;
	for (size_t i = 0; i < node->count; i++)
		if (node->text[i] != '_')
			buf[(*len)++] = node->text[i];
	buf[*len] = '\0';
	return buf;
}
