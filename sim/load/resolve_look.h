/* resolve_look.h - what the parts of resolving share: the records of each kind in their final order,
 * and how a fault is told.
 */
#ifndef SIM_RESOLVE_LOOK_H
#define SIM_RESOLVE_LOOK_H

#include "sim/scenario/alike.h"

/* One kind's records in their final order: those that are there from the start,
 * then the versions that come later. */
struct placed {
	unsigned char *records;	  /* in the scenario's arena */
	struct draft_meta *meta;  /* scratch, in the same order */
	struct draft_index index; /* (name, namespace) -> record */
	uint32_t live, total;
};

struct resolver {
	struct builder *builder;
	struct scenario *scenario;
	struct err *err;
	struct placed placed[KIND_COUNT];
	struct draft_index told_classes; /* those that do not exist, of lists of jobs */
	uint32_t default_class;		 /* PriorityClass with globalDefault; SCENARIO_NONE */
	uint32_t default_workload_class; /* WorkloadPriorityClass "default"; SCENARIO_NONE */
	struct alike alike;
	bool sorted; /* jobs come in the order of their submits */
};

const char *resolve_text(const struct resolver *r, uint32_t string);
/* Among what is there from the start; SCENARIO_NONE. */
uint32_t resolve_lookup(const struct resolver *r, enum kind kind, uint32_t name, uint32_t ns);
/* Ends the making, or is told among the findings. fix: a literal, what to do about it. */
enum err_code resolve_fault(struct resolver *r, enum err_code code, struct place at,
			    const char *fix, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

#endif
