/* objects_roles.h - what kinds of several pod sets have in common: one pod set a role,
 * each with a template of its own.
 *
 * As Kueue's integrations make Workloads (pkg/controller/jobs): names in lower case, at
 * most 18 pod sets, and the priority of the first role that names a class. All pods are
 * one gang, unless gqsim/gang says otherwise.
 */
#ifndef SIM_OBJECTS_ROLES_H
#define SIM_OBJECTS_ROLES_H

#include "sim/objects/objects_work.h"

#define OBJECTS_ROLES_MAX 18 /* pod sets of a Workload */

struct objects_roles {
	struct objects_work work;
	struct objects_work_set sets[OBJECTS_ROLES_MAX];
	uint32_t count;
	/* A start-up order: which of the sets before each it comes after (bits), and for which of
	 * them it waits until they are done. */
	uint32_t after[OBJECTS_ROLES_MAX], after_done[OBJECTS_ROLES_MAX];
	simtime works[OBJECTS_ROLES_MAX]; /* of sets that others wait for: how long until then;
					     OBJECTS_OWN_MISSING: not said */
};

enum objects_roles_life {
	OBJECTS_ROLES_TRAINS, /* gqsim/duration, else 1 h is assumed */
	OBJECTS_ROLES_SERVES, /* gqsim/duration, else it runs without end */
};

/* Begins with the object's labels and annotations. */
enum err_code objects_roles_begin(struct fields *f, struct objects_roles *roles,
				  const struct object *object);
/* One more pod set. */
struct objects_role {
	const char *name;
	uint64_t pods;
	const struct yaml_node *template;
	const char *path;	       /* of the template, from where f is */
	const struct yaml_node *place; /* of an error about its number */
};
enum err_code objects_roles_add(struct fields *f, struct objects_roles *roles,
				const struct objects_role *role);
/* The pods of the set are made only when those of the one before are ready, or done. */
void objects_roles_after(struct objects_roles *roles, uint32_t set, uint32_t before, bool done);
/* Kueue takes it for ready when the pods of these sets run, or, any, one of them does (struct
 * ready_rule). Without a pod in them: as other jobs. */
void objects_roles_ready(struct fields *f, struct objects_roles *roles, uint32_t first,
			 uint32_t count, bool any);
/* The job, or nothing where a service without GPUs and queue does not matter. May be
 * called again with another name and time. */
enum err_code objects_roles_finish(struct fields *f, struct objects_roles *roles,
				   enum objects_roles_life life);

/* Known, not modelled, and said; the row's arg is what (const char *). */
fields_read objects_roles_beyond;
/* The same of one word among a field's; the row's arg is that (struct objects_roles_word). */
struct objects_roles_word {
	const char *word;
	const char *what;
};
fields_read objects_roles_beyond_word;

#endif
