#include "sim/page_name.h"

#include <string.h>

#define BYTES_MAX 96

static size_t bytes_of(char c)
{
	if (c == '<' || (unsigned char)c < ' ')
		return 6; /* an escape by number */
	return c == '"' || c == '\\' ? 2 : 1;
}

size_t page_name_bytes(const char *text)
{
	size_t bytes = 0;

	while (*text != '\0')
		bytes += bytes_of(*text++);
	return bytes;
}

void page_name(struct jsonw *json, const char *key, const char *text)
{
	char cut[BYTES_MAX + 8];
	size_t len = 0, bytes = 0;

	while (text[len] != '\0' && bytes + bytes_of(text[len]) <= BYTES_MAX)
		bytes += bytes_of(text[len++]);
	if (text[len] == '\0') {
		jsonw_text(json, key, text);
		return;
	}
	while (len > 0 && ((unsigned char)text[len] & 0xC0) == 0x80)
		len--;
	memcpy(cut, text, len);
	strcpy(cut + len, "\u2026");
	jsonw_text(json, key, cut);
}
