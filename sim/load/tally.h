/* tally.h - findings that would repeat: one line each, with how often and where
 * first. */
#ifndef SIM_TALLY_H
#define SIM_TALLY_H

#include "sim/load/builder.h"

struct tally; /* tally_new; tally_free ends it */

struct tally *tally_new(void);
void tally_free(struct tally *tally);

/* what is a sentence without a full stop; equal ones of a kind are counted. */
void tally_add(struct tally *tally, enum finding_kind kind, struct place where, const char *what);

/* "what (N times)" of each, in the order in which they first came. */
void tally_report(const struct tally *tally, struct builder *builder);

/* All of them in one line of what is not modelled, "A (2 times), B: ending", at the place of
 * the first; apart: a line each. */
void tally_report_together(const struct tally *tally, struct builder *builder, const char *ending,
			   bool apart);

#endif
