/* sweep_range.h - ranges of values, such as 4..12: written out as texts, exactly.
 *
 * Ends are decimal numbers with at most three places and the same unit behind them
 * (64Gi..256Gi..64Gi, 10m..30m..5m). Values go up from the first end by a step, or by a
 * factor (a logarithmic range), as far as the last end. Integer arithmetic: the same texts
 * on every machine.
 */
#ifndef SIM_SWEEP_RANGE_H
#define SIM_SWEEP_RANGE_H

#include <stdbool.h>

#include "core/err.h"
#include "core/mem.h"

#define SWEEP_RANGE_MAX 100000 /* values */

struct sweep_texts { /* a list that grows: sweep_texts_free */
	const char **items;
	size_t count, capacity;
};
void sweep_texts_add(struct sweep_texts *texts, const char *text);
void sweep_texts_free(struct sweep_texts *texts);

/* step, factor: NULL: not given; at most one of them. Texts live in the arena. */
enum err_code sweep_range_add(struct mem_arena *arena, const char *from, const char *to,
			      const char *step, const char *factor, struct sweep_texts *out,
			      struct err *err);

/* One value, or "FROM..TO", "FROM..TO..STEP", "FROM..TO..xFACTOR". */
enum err_code sweep_range_read(struct mem_arena *arena, const char *text, struct sweep_texts *out,
			       struct err *err);

#endif
