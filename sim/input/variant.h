/* variant.h - ways to change the input, from --set and --column.
 *
 * --set before any --column holds everywhere. Without --column, a --set whose
 * value is a list (a,b,c) makes one variant a value, several lists all
 * combinations. With --column, each begins a variant of that name, changed by the
 * --set after it.
 */
#ifndef SIM_VARIANT_H
#define SIM_VARIANT_H

#include "sim/input/cmd.h"

#define VARIANT_MAX   12
#define VARIANT_TITLE 64

struct variant {
	char title[VARIANT_TITLE]; /* "" for the input as it is */
	const char **sets;
	uint32_t set_count;
};

struct variants {
	struct variant items[VARIANT_MAX];
	size_t count;
	struct mem_arena *arena; /* of the sets */
};

/* At least one variant. Free with variants_free in any case. */
enum err_code variant_read(const struct cmd_args *args, struct variants *out, struct err *err);
void variant_free(struct variants *variants);

/* Puts the input as it is before the only variant, if that changes something. */
void variant_add_original(struct variants *variants);

#endif
