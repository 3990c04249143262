/* page_verdict.h - a report in one sentence a column: stuck jobs, idle GPUs, waits, each
 * against the first column.
 */
#ifndef SIM_PAGE_VERDICT_H
#define SIM_PAGE_VERDICT_H

#include "sim/report/report.h"

#define PAGE_VERDICT_TEXT 600

/* Column i; the first one, and a single one, by itself. */
const char *page_verdict(const struct report *report, size_t i, char buf[PAGE_VERDICT_TEXT]);

#endif
