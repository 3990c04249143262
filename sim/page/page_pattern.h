/* page_pattern.h - texts that differ in a name and in numbers only, as one pattern and the
 * numbers: what a page says of many jobs is mostly the same.
 */
#ifndef SIM_PAGE_PATTERN_H
#define SIM_PAGE_PATTERN_H

#include <stddef.h>
#include <stdint.h>

/* Characters of a pattern: the name, and one of the numbers. */
#define PAGE_PATTERN_NAME    1
#define PAGE_PATTERN_NUMBER  2
#define PAGE_PATTERN_NUMBERS 16 /* of a text; more stay as they are */

struct page_pattern {
	int64_t numbers[PAGE_PATTERN_NUMBERS];
	size_t count;
};

/* Makes a pattern of the text in place; name "": it has none. Only numbers that print again
 * as they were are taken out. */
void page_pattern_make(char *text, const char *name, struct page_pattern *out);

#endif
