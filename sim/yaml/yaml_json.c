#include "sim/yaml/yaml_json.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNIT	    6	   /* bytes of an escape \uXXXX */
#define HIGH	    0xD800 /* the first of the first halves */
#define LOW	    0xDC00 /* the first of the second halves */
#define REPLACEMENT "\xEF\xBF\xBD"

/* What \uXXXX says; -1: it is none. */
static int32_t unit_of(const char *at, const char *end)
{
	char digits[5] = {0};

	if (end - at < UNIT || at[0] != '\\' || at[1] != 'u')
		return -1;
	for (int i = 0; i < 4; i++) {
		digits[i] = at[2 + i];
		if (!isxdigit((unsigned char)digits[i]))
			return -1;
	}
	return (int32_t)strtol(digits, NULL, 16);
}

static bool is_high(int32_t unit)
{
	return unit >= HIGH && unit < LOW;
}

static bool is_low(int32_t unit)
{
	return unit >= LOW && unit < LOW + (LOW - HIGH);
}

/* How many bytes from a backslash belong together: an escape, or a pair of them. */
static size_t escape_size(const char *at, const char *end)
{
	int32_t unit = unit_of(at, end);

	if (unit < 0)
		return 2;
	return is_high(unit) && is_low(unit_of(at + UNIT, end)) ? 2 * (size_t)UNIT : UNIT;
}

/* May what begins here be more than is at hand? */
static bool is_cut(const char *at, const char *end)
{
	size_t size = (size_t)(end - at);

	if (*at != '\\')
		return (unsigned char)*at >= 0xC2 && size < 3;
	if (size >= 2 * (size_t)UNIT || (size >= 2 && at[1] != 'u'))
		return false;
	return size < UNIT || is_high(unit_of(at, end));
}

static bool is_half(int32_t unit)
{
	return is_high(unit) || is_low(unit);
}

/* The next escape, or pair of them, of a text; *size: how long it is. NULL after the last. */
static const char *next_escape(const char *at, const char *end, size_t *size)
{
	at = memchr(at, '\\', (size_t)(end - at));
	if (at == NULL)
		return NULL;
	*size = escape_size(at, end);
	if (*size > (size_t)(end - at))
		*size = (size_t)(end - at);
	return at;
}

void yaml_json_mend(char *text, size_t len)
{
	const char *at = text, *end = text + len;
	size_t size = 0;

	for (; (at = next_escape(at, end, &size)) != NULL; at += size)
		if (size == UNIT && is_half(unit_of(at, end)))
			memcpy(text + (at - text), "\\uFFFD", UNIT);
}

const char *yaml_json_zero(const char *text, size_t len)
{
	const char *at = text, *end = text + len;
	size_t size = 0;

	while ((at = next_escape(at, end, &size)) != NULL && unit_of(at, end) != 0)
		at += size;
	return at;
}

/* Two halves are one escape of YAML, shorter by two characters: a zero behind it makes up for
 * them, which yaml_json_restore() takes out. */
static size_t pass_escape(const char *at, const char *end, char *out)
{
	size_t size = escape_size(at, end);
	int32_t unit = unit_of(at, end);
	char pair[2 * UNIT + 1];

	if (size > (size_t)(end - at))
		size = (size_t)(end - at);
	if (size == 2 * (size_t)UNIT) {
		snprintf(pair, sizeof(pair), "\\U%08lX\\0",
			 0x10000UL + ((unsigned long)(unit - HIGH) << 10) +
				 (unsigned long)(unit_of(at + UNIT, end) - LOW));
		memcpy(out, pair, size);
	} else {
		memcpy(out, is_half(unit) ? "\\uFFFD" : at, size);
	}
	return size;
}

/* The bytes of a character that YAML wants escaped or takes for the end of a line; 0. */
static size_t refused(const char *at, const char *end)
{
	size_t size = (size_t)(end - at);
	const unsigned char *byte = (const unsigned char *)at;

	if (byte[0] == 0x7F)
		return 1;
	if (byte[0] == 0xC2 && size >= 2 && byte[1] >= 0x80 && byte[1] < 0xA0)
		return 2;
	if (size < 3)
		return 0;
	if (byte[0] == 0xE2)
		return byte[1] == 0x80 && (byte[2] == 0xA8 || byte[2] == 0xA9) ? 3 : 0;
	if (byte[0] != 0xEF)
		return 0;
	return (byte[1] == 0xBB && byte[2] == 0xBF) || (byte[1] == 0xBF && byte[2] >= 0xBE) ? 3 : 0;
}

size_t yaml_json_pass(const char *at, const char *end, bool more, char *out, size_t room,
		      const char **stop)
{
	size_t written = 0;

	while (at < end && written + YAML_JSON_ESCAPE <= room) {
		size_t size;

		if (more && is_cut(at, end))
			break;
		if (*at == '\\') {
			size = pass_escape(at, end, out + written);
			written += size;
		} else if ((size = refused(at, end)) != 0) {
			memcpy(out + written, REPLACEMENT, sizeof(REPLACEMENT) - 1);
			written += sizeof(REPLACEMENT) - 1;
		} else {
			out[written++] = *at;
			size = 1;
		}
		at += size;
	}
	*stop = at;
	return written;
}

size_t yaml_json_restore(char *text, size_t len)
{
	size_t kept = 0;

	for (size_t i = 0; i < len; i++) {
		text[kept++] = text[i];
		/* the last byte of a character of four */
		if (i >= 3 && (unsigned char)text[kept - 4] >= 0xF0 && i + 1 < len &&
		    text[i + 1] == '\0')
			i++;
	}
	return kept;
}
