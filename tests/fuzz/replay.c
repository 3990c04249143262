/* replay.c - main() for fuzz targets without a fuzzer: runs each file (or stdin) once.
 * Used by `make check` over tests/fuzz/corpus, by valgrind, and by afl-fuzz. The input
 * lies at the end of an allocation of its own size, so that a read beyond it is seen. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INPUT_MAX ((size_t)1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run(FILE *f)
{
	uint8_t *buffer = malloc(INPUT_MAX);
	uint8_t *exact;
	size_t n;

	if (buffer == NULL)
		return 1;
	n = fread(buffer, 1, INPUT_MAX, f);
	exact = malloc(n != 0 ? n : 1);
	if (exact == NULL) {
		free(buffer);
		return 1;
	}
	memcpy(exact, buffer, n);
	free(buffer);
	LLVMFuzzerTestOneInput(exact, n);
	free(exact);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 1)
		return run(stdin);
	for (int i = 1; i < argc; i++) {
		FILE *f = fopen(argv[i], "rb");
		int failed;

		if (f == NULL) {
			perror(argv[i]);
			return 1;
		}
		failed = run(f);
		fclose(f);
		if (failed)
			return 1;
	}
	return 0;
}
