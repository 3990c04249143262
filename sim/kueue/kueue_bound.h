/* kueue_bound.h - searches for victims that need not be made: even with all candidates
 * gone there would be too little.
 *
 * Kueue makes each search and finds nothing. Here sums that are kept up to date tell it
 * beforehand, mostly; kueue_bound.c says why they may. tests/prop/victims.c compares them
 * with searches from the definitions, tests/prop/systems.c whole runs with and without.
 */
#ifndef SIM_KUEUE_BOUND_H
#define SIM_KUEUE_BOUND_H

#include "sim/kueue/kueue_victim.h"

void kueue_bound_open(struct kueue *k); /* nothing, if the configuration says so */
void kueue_bound_close(struct kueue *k);
/* True: the search finds nobody. False: that is not known. */
bool kueue_bound_excludes(struct kueue *k, const struct kueue_search *search);
/* The same, soon, of one column in a flat tree; then nor does it fit as it is. */
bool kueue_bound_is_vain(struct kueue *k, const struct kueue_search *search);

#endif
