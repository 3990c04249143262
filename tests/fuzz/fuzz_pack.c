/* fuzz_pack.c - bytes as a compressed file of each format, in pieces of several sizes: an
 * error or a text, the same whatever the pieces. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/name.h"
#include "sim/tool/pack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Hash of the text; *code says whether there is one. */
static uint64_t unpack(const char *name, const char *bytes, size_t size, size_t piece,
		       enum err_code *code)
{
	struct pack_reader *reader = pack_open(pack_of_name(name), "fuzz");
	struct pack_input in = {.bytes = bytes, .size = 0};
	uint64_t hash = name_hash("", 0);
	struct err err = {0};
	size_t at = 0, got = 1;
	char out[97];

	while (*code == ERR_OK && (got > 0 || at < size)) {
		if (in.size == 0) {
			in.bytes = bytes + at;
			in.size = piece < size - at ? piece : size - at;
			at += in.size;
			in.last = at == size;
		}
		*code = pack_read(reader, &in, out, sizeof(out), &got, &err);
		hash = name_hash_more(hash, out, got);
	}
	if (*code != ERR_OK && err.msg[0] == '\0')
		abort(); /* an error must say something */
	pack_close(reader);
	return hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"a.gz", "a.zst", "a.xz"};
	char *bytes = malloc(size + 1);

	if (bytes == NULL)
		return 0;
	if (size > 0)
		memcpy(bytes, data, size);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		enum err_code whole = ERR_OK, cut = ERR_OK;
		uint64_t a = unpack(names[i], bytes, size, SIZE_MAX, &whole);
		uint64_t b = unpack(names[i], bytes, size, 7, &cut);

		if (whole != cut || (whole == ERR_OK && a != b))
			abort();
	}
	free(bytes);
	return 0;
}
