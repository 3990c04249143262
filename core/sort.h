/* sort.h - stable merge sort; the C library's qsort is not stable everywhere.
 *
 * Comparators return <0, 0, >0 and should end in an index, which makes the
 * order total; equal elements keep their input order in any case.
 */
#ifndef CORE_SORT_H
#define CORE_SORT_H

#include <stddef.h>

typedef int sort_compare(const void *a, const void *b, void *context);

/* Ascending uint32_t, such as indices; no context. */
int sort_compare_u32(const void *a, const void *b, void *context);

/* Sorts count elements of size bytes in place (size <= 256). */
void sort_stable(void *base, size_t count, size_t size, sort_compare *compare, void *context);

#endif
