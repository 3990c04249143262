#include "sim/page/page_name.h"

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

const char *page_name_cut(const char *text, char out[PAGE_NAME_TEXT])
{
	size_t len = 0, bytes = 0;

	while (text[len] != '\0' && bytes + bytes_of(text[len]) <= BYTES_MAX)
		bytes += bytes_of(text[len++]);
	if (text[len] != '\0')
		while (len > 0 && ((unsigned char)text[len] & 0xC0) == 0x80)
			len--;
	memcpy(out, text, len);
	strcpy(out + len, text[len] == '\0' ? "" : "\u2026");
	return out;
}

void page_name(struct jsonw *json, const char *key, const char *text)
{
	char cut[PAGE_NAME_TEXT];

	jsonw_text(json, key, page_name_cut(text, cut));
}
