/* nearest.h - "did you mean": the known word nearest to a misspelt one. */
#ifndef SIM_NEAREST_H
#define SIM_NEAREST_H

#include <stddef.h>

/* Edits (insert, delete, replace, swap of neighbours) between two words, letters
 * of either case being equal; words beyond 64 bytes are compared by their first
 * 64. */
size_t nearest_distance(const char *a, const char *b);

/* Keeps the best of the words offered to it; on equal distance the first stays. */
struct nearest {
	const char *wanted;
	const char *best; /* NULL: nothing near enough yet; borrowed */
	size_t distance;
};
void nearest_begin(struct nearest *nearest, const char *wanted);
void nearest_offer(struct nearest *nearest, const char *word);

#endif
