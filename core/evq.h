/* evq.h - the event queue and its clock.
 *
 * Order is total: (time, class, sequence). Equal keys cannot exist, so the
 * order of events never depends on memory addresses, the heap's shape or the
 * sort routine of the C library.
 *
 * A handle names one scheduled event for ever: slots are reused, (slot, gen)
 * pairs are not. Cancelling a handle that has fired is allowed and returns
 * false.
 */
#ifndef CORE_EVQ_H
#define CORE_EVQ_H

#include <stdbool.h>
#include <stdint.h>

#include "core/clock.h"

struct evq; /* owned by the caller through evq_new/evq_free */

struct evq_handle {
	uint32_t slot;
	uint32_t gen; /* 0: names nothing */
};

struct evq_event {
	simtime time;
	uint32_t class; /* smaller first at the same time; below 16 */
	uint32_t kind;
	uint32_t subject; /* index of a job, a node, ... */
	uint32_t attempt; /* of the job; a stale one is a bug */
};

struct evq *evq_new(void);
void evq_free(struct evq *q);
struct evq_handle evq_push(struct evq *q, const struct evq_event *event);
bool evq_cancel(struct evq *q, struct evq_handle handle);
bool evq_pop(struct evq *q, struct evq_event *out);
/* Takes the next event, which there is and which the caller knows. */
void evq_skip(struct evq *q);
/* When the event is due; CLOCK_NEVER if it has fired or was cancelled. */
simtime evq_when(const struct evq *q, struct evq_handle handle);
/* The next event without taking it; false: none. */
bool evq_peek(const struct evq *q, struct evq_event *out);
/* When it is due; CLOCK_NEVER: there is none. */
simtime evq_next(const struct evq *q);
simtime evq_now(const struct evq *q);
uint32_t evq_count(const struct evq *q);

#endif
