/* fits.h - could a job ever run here, if it were alone? */
#ifndef SIM_FITS_H
#define SIM_FITS_H

#include "sim/world/usage.h"

struct fits; /* owned by the caller: fits_new/fits_free; borrows the scenario */

/* places_pods: nodes matter; admission: quota matters. */
struct fits *fits_new(const struct scenario *scenario, bool places_pods, bool admission);
void fits_free(struct fits *fits);

/* False only if it never could: a pod set that finds no room on the nodes even
 * when they are empty, or that asks for more of a resource than its ClusterQueue
 * could ever use in any of the flavors. Several pod sets are looked at one by one;
 * objects that change during the run get the benefit of the doubt. Of what pods ask of
 * their place all counts that they ask of each other, alone in the empty cluster: required
 * anti-affinity (one in each domain), required affinity (all in one domain), maxSkew and
 * minDomains of topology spread and the labels that it needs. Each constraint is looked at
 * by itself. What they ask of other jobs' pods does not count. */
bool fits_ever(struct fits *fits, uint32_t job);
/* The two parts of it. */
bool fits_nodes(struct fits *fits, uint32_t job);
bool fits_quota(const struct fits *fits, uint32_t job);

#endif
