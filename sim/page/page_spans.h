/* page_spans.h - which pod was on which node, when, and whether it worked there.
 *
 * A span is a pod's time on a node during which neither changed. A pod of a gang works
 * while its job runs; a pod that works by itself while it works. What is bound and does not
 * work is held idle.
 */
#ifndef SIM_PAGE_SPANS_H
#define SIM_PAGE_SPANS_H

#include "sim/world/journal.h"

struct page_span {
	uint32_t job, node, gpus;
	bool idle;
	bool stands; /* it goes on at the end */
	simtime from, to;
};

struct page_spans {
	struct page_span *items; /* in the order in which they end */
	size_t count, capacity;
};

/* Until end; what then still stands ends there. Free the items with mem_free. */
void page_spans_find(const struct journal *journal, simtime end, struct page_spans *out);

#endif
