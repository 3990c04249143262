#include "sim/yaml/yaml_plain.h"

#include <string.h>

static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};
static const char *const true_words[] = {"true", "True", "TRUE", "yes", "Yes", "YES",
					 "on",	 "On",	 "ON",	 "y",	"Y"};
static const char *const false_words[] = {"false", "False", "FALSE", "no", "No", "NO",
					  "off",   "Off",   "OFF",   "n",  "N"};
/* Numbers to the reader, which JSON then cannot have. */
static const char *const no_numbers[] = {".inf",  ".Inf",  ".INF",  "+.inf", "+.Inf", "+.INF",
					 "-.inf", "-.Inf", "-.INF", ".nan",  ".NaN",  ".NAN"};

#define NUMBER_TEXT 80 /* longer ones are none if they have separators */

#define IS_ONE_OF(text, len, words) one_of(text, len, words, sizeof(words) / sizeof((words)[0]))

static bool one_of(const char *text, size_t len, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(words[i]) == len && memcmp(words[i], text, len) == 0)
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

/* Numbers may have "_" anywhere but at their beginning, where a text has it; the reader drops
 * all. The text, or its copy without them. */
static const char *drop_separators(const char *text, size_t *len, char buf[NUMBER_TEXT])
{
	size_t used = 0;

	if (*len == 0 || *len > NUMBER_TEXT || text[0] == '_' || memchr(text, '_', *len) == NULL)
		return text;
	for (size_t i = 0; i < *len; i++)
		if (text[i] != '_')
			buf[used++] = text[i];
	*len = used;
	return buf;
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
	*begin = text[at + 1] == 'o' || text[at + 1] == 'O' ? at + 2 : at + 1;
	return 8;
}

/* Digits of the base, at least one. */
static bool is_int(const char *text, size_t len)
{
	size_t begin;
	int base = int_base(text, len, &begin);

	for (size_t i = begin; i < len; i++)
		if (digit_value(text[i]) >= base)
			return false;
	return begin < len;
}

static size_t skip_digits(const char *text, size_t len, size_t at)
{
	while (at < len && text[at] >= '0' && text[at] <= '9')
		at++;
	return at;
}

static bool is_float(const char *text, size_t len)
{
	size_t at = len > 0 && (text[0] == '-' || text[0] == '+') ? 1 : 0;
	size_t begin = at, digits;

	at = skip_digits(text, len, at);
	digits = at - begin;
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

bool yaml_plain_null(const char *text, size_t len)
{
	return IS_ONE_OF(text, len, nulls);
}

bool yaml_plain_bool(const char *text, size_t len)
{
	return IS_ONE_OF(text, len, true_words);
}

enum yaml_type yaml_plain_type(const char *text, size_t len)
{
	char buf[NUMBER_TEXT];

	if (yaml_plain_null(text, len))
		return YAML_NULL;
	if (yaml_plain_bool(text, len) || IS_ONE_OF(text, len, false_words))
		return YAML_BOOL;
	if (IS_ONE_OF(text, len, no_numbers))
		return YAML_FLOAT;
	text = drop_separators(text, &len, buf);
	if (is_int(text, len))
		return YAML_INT;
	return is_float(text, len) ? YAML_FLOAT : YAML_STRING;
}

bool yaml_plain_int(const char *text, size_t len, int64_t *out)
{
	bool negative = text[0] == '-';
	uint64_t value = 0, limit = (uint64_t)INT64_MAX + (negative ? 1 : 0), base;
	char buf[NUMBER_TEXT];
	size_t begin;

	text = drop_separators(text, &len, buf);
	base = (uint64_t)int_base(text, len, &begin);
	for (size_t i = begin; i < len; i++) {
		uint64_t digit = (uint64_t)digit_value(text[i]);

		if (value > (limit - digit) / base)
			return false;
		value = value * base + digit;
	}
	*out = negative ? -(int64_t)(value - (value != 0)) - (value != 0) : (int64_t)value;
	return true;
}
