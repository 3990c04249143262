/* audit_quota.h - the audit's own book of quotas.
 *
 * Kept apart from core/quota on purpose: it knows only what DESIGN.md and spec
 * KUEUE.md section 2 say about limits, not how the scheduler uses them.
 * A node (ClusterQueue or cohort) shows its parent
 *     subtree = nominal + sum over children of min(child's subtree, lendingLimit)
 * and needs of its parent what its usage exceeds of the part it does not lend.
 */
#ifndef SIM_AUDIT_QUOTA_H
#define SIM_AUDIT_QUOTA_H

#include "sim/world/journal.h"

struct audit_quota; /* owned by the caller: audit_quota_new/audit_quota_free */

struct audit_quota *audit_quota_new(const struct scenario *scenario);
void audit_quota_free(struct audit_quota *quota);

/* An update is in force: quotas are read again, usage stays. */
void audit_quota_update(struct audit_quota *quota, uint32_t update);

/* The ClusterQueue that this update deletes is gone. False: it holds something. */
bool audit_quota_delete(struct audit_quota *quota, uint32_t update);
/* Is the reservation's ClusterQueue there, and not deleted? */
bool audit_quota_open(const struct audit_quota *quota, const struct admission *admission);

/* The job's reservation is counted, or given back. */
void audit_quota_take(struct audit_quota *quota, uint32_t job, const struct admission *admission);
void audit_quota_give(struct audit_quota *quota, uint32_t job, const struct admission *admission);

/* Right after a reservation was counted: is every limit kept that it asks
 * something of? If not, says which one into buf. (Quotas lowered by an update may
 * leave others above theirs; that is no fault of this reservation.) */
bool audit_quota_holds(struct audit_quota *quota, uint32_t job, const struct admission *admission,
		       char *buf, size_t size);

#endif
