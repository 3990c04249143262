/* fewest.h - the fewest of something (nodes) with which a test holds, where more of it
 * mostly helps but not always, and a test is costly (a simulation).
 *
 * The caller tests the numbers that fewest_next names, several at once if it can, and tells
 * how each went. The search halves (or divides further) the stretch between the largest
 * number known to fail and the smallest known to pass; then it makes sure that so many
 * numbers right below the answer fail, too: a passing one becomes the answer in its place.
 */
#ifndef CORE_FEWEST_H
#define CORE_FEWEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fewest_known {
	uint32_t number;
	bool passes;
};

struct fewest {
	uint32_t least, most;	    /* of numbers that are asked about */
	uint32_t guess;		    /* where the search begins, between them */
	uint32_t verify;	    /* numbers below the answer that must fail */
	struct fewest_known *known; /* ascending */
	size_t count, capacity;
};

/* least <= most; the guess is put between them. fewest_free frees the list, not the struct. */
void fewest_begin(struct fewest *search, uint32_t least, uint32_t most, uint32_t guess,
		  uint32_t verify);
void fewest_free(struct fewest *search);

/* Up to max numbers to test next, distinct and not known yet; 0: the search is over. */
size_t fewest_next(const struct fewest *search, uint32_t *out, size_t max);
/* Also for numbers that were known before the search began. */
void fewest_tell(struct fewest *search, uint32_t number, bool passes);
/* The smallest number known to pass; false: there is none. */
bool fewest_found(const struct fewest *search, uint32_t *out);

#endif
