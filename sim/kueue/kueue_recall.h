/* kueue_recall.h - what searches for preemption victims found, while it still holds.
 *
 * Kueue searches anew whenever it asks. The answer is that of the last time if nothing
 * that a search reads has changed; kueue_recall.c says what that is, and why it is told
 * apart. tests/prop/systems.c compares whole runs with and without it.
 */
#ifndef SIM_KUEUE_RECALL_H
#define SIM_KUEUE_RECALL_H

#include "sim/kueue/kueue_victim.h"

void kueue_recall_open(struct kueue *k); /* nothing, if the configuration says so */
void kueue_recall_close(struct kueue *k);
/* A cycle begins, or a head of it is assigned anew, or somebody asks outside of one. */
void kueue_recall_begin(struct kueue *k);
/* True: k->targets and *found are what the search would give. */
bool kueue_recall_get(struct kueue *k, const struct kueue_search *search, bool *found);
/* Keeps the outcome of the search that was just made: k->targets, and found. */
void kueue_recall_keep(struct kueue *k, const struct kueue_search *search, bool found);

#endif
