/* fuzz_pack.c - bytes as a compressed file of each format: an error or a text. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "sim/pack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"a.gz", "a.zst", "a.xz"};
	char *bytes = malloc(size + 1);

	if (bytes == NULL)
		return 0;
	if (size > 0)
		memcpy(bytes, data, size);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct err err = {0};
		size_t out_size;
		char *out;

		if (pack_unpack(pack_of_name(names[i]), "fuzz", bytes, size, &out, &out_size,
				&err) != ERR_OK) {
			if (err.code == ERR_OK || err.msg[0] == '\0')
				abort(); /* an error must say something */
			continue;
		}
		if (out[out_size] != '\0')
			abort();
		mem_free(out);
	}
	free(bytes);
	return 0;
}
