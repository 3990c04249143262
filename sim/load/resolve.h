/* resolve.h - from a draft to a scenario: names become indices, defaults are
 * filled in, cohorts that only exist by name are made, priorities are found,
 * jobs are ordered by their submit time. */
#ifndef SIM_RESOLVE_H
#define SIM_RESOLVE_H

#include "sim/scenario/draft.h"

/* On success the scenario owns the builder's arena and name tables. On failure
 * they stay with the builder, and err has the place. */
enum err_code resolve_draft(struct builder *builder, struct scenario *scenario, struct err *err);

#endif
