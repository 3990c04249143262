#include "sim/yaml/yaml_binary.h"

#include <stdint.h>
#include <string.h>

#define REPLACEMENT	"\xEF\xBF\xBD" /* U+FFFD */
#define REPLACEMENT_LEN 3

size_t yaml_binary_room(size_t len)
{
	return (len / 4 + 1) * 3 * REPLACEMENT_LEN + 1;
}

/* -1: no digit. */
static int digit_of(char c)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c == '\0' ? NULL : strchr(digits, c);

	return at == NULL ? -1 : (int)(at - digits);
}

/* Four digits are three bytes; "=" fills up the last four. */
static bool decode(const char *base64, size_t len, unsigned char *out, size_t *count)
{
	uint32_t bits = 0;
	unsigned digits = 0, padding = 0;

	*count = 0;
	for (size_t i = 0; i < len; i++) {
		int digit = digit_of(base64[i]);

		if (base64[i] == '\n' || base64[i] == '\r')
			continue;
		if (base64[i] == '=' && digits >= 2 && digits + padding < 4)
			padding++;
		else if (digit < 0 || padding != 0)
			return false;
		else
			digits++;
		bits = bits << 6 | (digit < 0 ? 0 : (uint32_t)digit);
		if (digits + padding < 4)
			continue;
		for (unsigned k = 0; k + 1 < digits; k++)
			out[(*count)++] = (unsigned char)(bits >> (16 - 8 * k));
		digits = 0;
		bits = 0;
	}
	return digits == 0;
}

/* Bytes of the UTF-8 character that begins here; 0: none does. */
static size_t character(const unsigned char *at, size_t left)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t len = at[0] < 0x80 ? 1 : at[0] < 0xC0 ? 0 : at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : 4;
	uint32_t code = at[0] & (0xFFU >> (len + 1));

	if (len < 2)
		return len;
	if (len > left || at[0] > 0xF4)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if ((at[i] & 0xC0) != 0x80)
			return 0;
		code = code << 6 | (at[i] & 0x3FU);
	}
	return code < least[len] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000) ? 0 : len;
}

bool yaml_binary(const char *base64, size_t len, char *out, size_t *out_len)
{
	/* Decoded at the end of the room, then moved to its beginning, which it never overtakes. */
	unsigned char *bytes = (unsigned char *)out + (len / 4 + 1) * 3 * (REPLACEMENT_LEN - 1);
	size_t count, used = 0;

	if (!decode(base64, len, bytes, &count))
		return false;
	for (size_t i = 0; i < count;) {
		size_t size = character(bytes + i, count - i);

		if (size == 0)
			memcpy(out + used, REPLACEMENT, REPLACEMENT_LEN);
		else
			memmove(out + used, bytes + i, size);
		used += size == 0 ? REPLACEMENT_LEN : size;
		i += size == 0 ? 1 : size;
	}
	out[used] = '\0';
	*out_len = used;
	return true;
}
