/* below.h - numbers for random tests, from a seed that is on the test's stack. */
#ifndef TESTS_SUPPORT_BELOW_H
#define TESTS_SUPPORT_BELOW_H

#include <stdint.h>

static inline uint32_t below(unsigned *seed, uint32_t n)
{
	*seed = *seed * 1103515245u + 12345u;
	return (*seed >> 16) % n;
}

#endif
