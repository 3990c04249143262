/* kueue_refute.h - searches for victims that must fail, as an easier one did.
 *
 * Where a pod set is to be together it often finds no place although there is quota, and a
 * search takes all its candidates away in vain. What fails then fails for whoever asks for
 * more with no more candidates: kueue_refute.c says why. Configuration.searches_anew turns it
 * off.
 */
#ifndef SIM_KUEUE_REFUTE_H
#define SIM_KUEUE_REFUTE_H

#include "sim/kueue/kueue_victim.h"

void kueue_refute_open(struct kueue *k);
void kueue_refute_close(struct kueue *k);
/* Is it known that nobody can be found? */
bool kueue_refute_covers(const struct kueue *k, const struct kueue_search *search);
/* With every candidate of the search gone, as far as it is valid, there were no places. others:
 * other queues were asked, too. To be told when the search is over and nothing is on trial. */
void kueue_refute_note(struct kueue *k, const struct kueue_search *search, bool others);

#endif
