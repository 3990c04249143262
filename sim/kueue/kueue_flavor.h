/* kueue_flavor.h - which flavor a workload's requests would get, and how.
 *
 * Spec KUEUE.md 4.4: for every pod set and resource group, the flavors of the
 * group are tried in the queue's order against the live quota tree.
 */
#ifndef SIM_KUEUE_FLAVOR_H
#define SIM_KUEUE_FLAVOR_H

#include "sim/kueue/kueue_state.h"

enum kueue_reason_kind {
	REASON_EXCEEDS,	    /* a + b > c */
	REASON_UNUSED,	    /* a more needed */
	REASON_UNAVAILABLE, /* resource in no group */
	REASON_NO_FLAVOR,   /* object missing */
	REASON_TAINT,	    /* a: index of the flavor's taint */
	REASON_AFFINITY,
	REASON_NOT_TOPOLOGY,  /* flavor has no topology */
	REASON_NO_LEVEL,      /* topology lacks the level */
	REASON_ONLY_TOPOLOGY, /* flavor is for topology requests only */
	REASON_NOT_ALLOWED,   /* the variant is for another flavor */
	REASON_NOT_NOMINATED, /* recomputation keeps to the nominated flavor */
	REASON_OTHER_SLICE,   /* the slice that it replaces has flavor a */
	REASON_TEXT,	      /* topology placement failed */
};

struct kueue_reason {
	enum kueue_reason_kind kind;
	uint32_t resource;
	uint32_t flavor; /* kueue flavor */
	int64_t a, b, c;
	const char *text; /* of the cycle's scratch memory */
};

struct kueue_choice {	 /* per slot of the form */
	uint32_t flavor; /* KUEUE_NONE: none */
	uint32_t level;	 /* of borrowing */
	uint8_t mode;	 /* enum kueue_mode */
	int16_t tried;	 /* index to remember; -1: the group's last flavor */
};

struct kueue_set {
	uint32_t count; /* pods */
	uint32_t first_reason, reason_count;
	bool chosen;			 /* has a flavor at all */
	bool attempted;			 /* some flavor was looked at */
	bool delayed;			 /* its domains are for a second pass to give */
	uint8_t least[KUEUE_GROUPS_MAX]; /* least severe enum kueue_why per group; 255 none */
};

struct kueue_assignment {
	uint32_t set_count; /* sets evaluated: those that fail are the last, but for others of
			     * their topology group; a set between has no reasons */
	struct kueue_set *sets;
	struct kueue_choice *choices;
	struct quota_amount *amounts;
	uint32_t amount_count;
	struct kueue_reason *reasons;
	size_t reason_count, reason_capacity;
	uint32_t level;
	enum kueue_mode mode;
	enum kueue_why no_fit; /* with MODE_NO_FIT */
	const char *error;     /* why a set can have no topology at all; NULL */
	uint32_t error_set;
	struct kueue_spot *spots; /* where pods go; by set */
	uint32_t spot_count;
	size_t spot_capacity;
};

void kueue_assignment_init(const struct kueue *k, struct kueue_assignment *a);
void kueue_assignment_free(struct kueue_assignment *a); /* not the struct */

/* Assigns the job's sets with these pod counts. nominated: choices of the
 * nomination to keep to, or NULL. Starts where the job's memory says. */
void kueue_flavor_assign(struct kueue *k, uint32_t job, const uint32_t *counts,
			 const struct kueue_choice *nominated, struct kueue_assignment *a);
/* The same for a holder of a reservation in its second pass: it keeps its flavors, and the
 * pod counts of sets that have their places (spec 3.7). */
void kueue_flavor_restore(struct kueue *k, uint32_t job, const uint32_t *counts,
			  struct kueue_assignment *a);
/* As if it had to preempt on the first flavor of each group, which is the queue's only one, and
 * nobody asked how much it may borrow there. */
void kueue_flavor_only(struct kueue *k, uint32_t job, const uint32_t *counts,
		       struct kueue_assignment *a);
/* Has each group of the queue one flavor? */
bool kueue_flavor_is_only(const struct kueue *k, uint32_t queue);
/* What a later restore needs, kept with the reservation of the job. */
void kueue_flavor_keep(struct kueue *k, uint32_t job, const struct kueue_assignment *a);
/* Amounts per column that preemption has to make room for: as the assignment's,
 * but without resources of amount 0 and without implied pods (spec 4.5). */
uint32_t kueue_flavor_request(const struct kueue *k, uint32_t job, const struct kueue_assignment *a,
			      struct quota_amount *out);
/* The reason of a set that does not fit (spec 4.9). */
enum kueue_why kueue_flavor_set_why(const struct kueue_set *set);
/* Works mode and reason out again after choices or reasons changed. */
void kueue_flavor_settle(const struct kueue *k, uint32_t job, struct kueue_assignment *a);
void kueue_flavor_reason(struct kueue_assignment *a, struct kueue_reason reason);

/* The next pod set of the topology group that the set is of, wherever it stands: they get the
 * same flavors (Kueue's flavorassigner.go, assignFlavors). set_count: there is none. */
uint32_t kueue_flavor_with(const struct kueue *k, const struct kueue_form *form, uint32_t set);
/* Is it the first of its group, or of none? Groups come in the order of these. */
bool kueue_flavor_leads(const struct kueue *k, const struct kueue_form *form, uint32_t set);

/* Can pods of the shape go on the flavor, whatever its quota is? *reason: why not. */
bool kueue_flavor_suits(struct kueue *k, uint32_t queue, uint32_t shape, uint32_t flavor,
			uint32_t group, struct kueue_reason *reason);
/* May preemption be asked for an amount that does not fit now (spec 4.4.3)? may_reclaim: as
 * quota_level has it. */
bool kueue_flavor_may_preempt(const struct kueue *k, uint32_t queue, uint32_t column,
			      int64_t amount, bool may_reclaim);
/* May a scan of flavors look at quota alone first? If the next flavor is tried whatever preemption
 * could do on one, and what fits now is preferred to all preemption, a scan that meets a flavor
 * that fits now takes it, or a later one of these: whom others would evict does not matter, and
 * nothing is said of them. Nor does it matter behind one on which preemption is as good as it
 * can be. */
bool kueue_flavor_defers(const struct kueue *k, uint32_t queue);
/* Is the admission check for the flavor? Is any of the queue's that asks for nodes? */
bool kueue_flavor_checked(const struct kueue *k, const struct check_ref *check, uint32_t flavor);
/* Is it for any flavor of the assignment? */
bool kueue_flavor_concerned(const struct kueue *k, uint32_t job, const struct kueue_assignment *a,
			    const struct check_ref *check);
/* The same of what a workload has. */
bool kueue_flavor_concerns(const struct kueue *k, const struct check_ref *check,
			   const struct admission *a);
bool kueue_flavor_provisioned(const struct kueue *k, uint32_t queue, uint32_t flavor);
/* Does the pod set ask for a topology, or does the queue imply one? */
bool kueue_flavor_wants_topology(const struct kueue *k, uint32_t queue,
				 const struct pod_shape *shape);

#endif
