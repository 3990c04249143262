/* page_name.h - names in a page: long ones are cut, for they come from outside, and a page has
 * to hold many.
 */
#ifndef SIM_PAGE_NAME_H
#define SIM_PAGE_NAME_H

#include <stddef.h>

#include "sim/tool/jsonw.h"

#define PAGE_NAME_TEXT 104
/* As much of it as is told. */
const char *page_name_cut(const char *text, char out[PAGE_NAME_TEXT]);
/* As a text under the key; NULL inside an array. */
void page_name(struct jsonw *json, const char *key, const char *text);

/* Bytes that the text takes in a page: some characters are escaped (page.c). */
size_t page_name_bytes(const char *text);

#endif
