#include "sim/page/page_pattern.h"

#include <string.h>

#define DIGITS_MAX 15 /* a browser's numbers are exact so far */

/* Digits that a number would print again; 0: none begin here. */
static size_t digits_at(const char *text)
{
	size_t len = strspn(text, "0123456789");

	return len > DIGITS_MAX || (len > 1 && text[0] == '0') ? 0 : len;
}

static int64_t read_digits(const char *digits, size_t len)
{
	int64_t value = 0;

	for (size_t i = 0; i < len; i++)
		value = value * 10 + (digits[i] - '0');
	return value;
}

/* As it is; all of a row of digits that is no number, too. */
static size_t keep(char *text, size_t to, const char *from)
{
	size_t len = strspn(from, "0123456789");

	len = len == 0 ? 1 : len;
	memmove(text + to, from, len);
	if (text[to] == PAGE_PATTERN_NAME || text[to] == PAGE_PATTERN_NUMBER)
		text[to] = ' ';
	return len;
}

void page_pattern_make(char *text, const char *name, struct page_pattern *out)
{
	size_t name_len = strlen(name), to = 0, len;

	out->count = 0;
	for (const char *at = text; *at != '\0'; at += len) {
		if (name_len > 0 && strncmp(at, name, name_len) == 0) {
			text[to++] = PAGE_PATTERN_NAME;
			len = name_len;
		} else if (out->count < PAGE_PATTERN_NUMBERS && digits_at(at) > 0) {
			len = digits_at(at);
			out->numbers[out->count++] = read_digits(at, len);
			text[to++] = PAGE_PATTERN_NUMBER;
		} else {
			len = keep(text, to, at);
			to += len;
		}
	}
	text[to] = '\0';
}
