#include "sim/tool/nearest.h"

#include <ctype.h>
#include <string.h>

#define WORD_MAX 64

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

static int lower(char c)
{
	return tolower((unsigned char)c);
}

/* Optimal string alignment, three rows of its table at a time. */
size_t nearest_distance(const char *a, const char *b)
{
	size_t n = min_size(strlen(a), WORD_MAX);
	size_t m = min_size(strlen(b), WORD_MAX);
	size_t row[3][WORD_MAX + 1] = {{0}};

	for (size_t j = 0; j <= m; j++)
		row[0][j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t *now = row[i % 3];
		const size_t *last = row[(i - 1) % 3];
		const size_t *before = row[(i + 1) % 3];

		now[0] = i;
		for (size_t j = 1; j <= m; j++) {
			size_t cost = lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1;

			now[j] = min_size(last[j - 1] + cost, min_size(last[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
			    lower(a[i - 2]) == lower(b[j - 1]))
				now[j] = min_size(now[j], before[j - 2] + 1);
		}
	}
	return row[n % 3][m];
}

void nearest_begin(struct nearest *nearest, const char *wanted)
{
	nearest->wanted = wanted;
	nearest->best = NULL;
	/* A third of the word may be wrong, and at least two letters. */
	nearest->distance = min_size(strlen(wanted), WORD_MAX) / 3 + 1;
	if (nearest->distance < 3)
		nearest->distance = 3;
}

void nearest_offer(struct nearest *nearest, const char *word)
{
	size_t distance = nearest_distance(nearest->wanted, word);

	if (distance < nearest->distance && distance < strlen(word)) {
		nearest->best = word;
		nearest->distance = distance;
	}
}
