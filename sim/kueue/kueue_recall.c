#include "sim/kueue/kueue_recall.h"

#include <string.h>

#include "core/mem.h"
#include "sim/kueue/kueue_tas.h"

/* Why an answer may be given again.
 *
 * A search reads: of the preemptor its queue, its priority, and its order where a policy
 * evicts newer workloads of equal priority; what it needs (columns and request); the
 * cells of its tree; the rungs of the tree's queues and the holds in them; the objects in
 * force; what is claimed, and what this cycle made, while one is open; the places of pods,
 * if a topology was asked; the usages of LocalQueues, under admission fair sharing; the
 * orders of the holders, where a policy compares them.
 *
 *  - The preemptor and its needs are the key; what does not fit into one is not kept.
 *  - Each entry to or exit from a rung, and each rebuilding of the tree with its objects,
 *    gives the tree's root a new number (kueue_root.changed). Usage of a tree outside of
 *    trials is that of its holds, so it changes with them only. An answer counts only as
 *    long as its root has the same number.
 *  - A trial writes into the undo log. While no cycle is open, that is during nomination, when
 *    nothing is claimed or made, answers are kept and given only while the log is empty, that
 *    is on the usage of the holds.
 *  - In an open cycle a head may be assigned anew, on a trial that stays as it is meanwhile:
 *    an answer found there counts for that assignment only (kueue_recall_begin).
 *  - Places are looked for by what was asked for last (kueue_spot_assign). Of one pod set that
 *    has none yet that is its shape, its count and a tree, which are part of the key; others
 *    are always looked for. What is there to be had changes with the trees: an answer counts
 *    only as long as no reservation, no pod of another kind and no node came or went
 *    (kueue_topology.lasting).
 *  - Usages of LocalQueues are read at the beginning of a cycle, which counts when it finds
 *    another (lq_changes): an answer counts only for the same ones.
 *  - Orders are written between nominations; where these matter an answer counts for one
 *    nomination only. */

enum { SLOTS = 1024, NEEDS = 4 };

struct key {
	uint32_t queue, column_count, request_count;
	int32_t priority;
	simtime order; /* 0 where it does not matter */
	uint32_t columns[NEEDS];
	struct quota_amount request[NEEDS];
	const struct pod_shape *shape; /* NULL: no places are asked for */
	uint32_t pods, tree;
};

struct answer {
	struct key key;
	uint64_t changed; /* 0: none */
	uint64_t lq_changes;
	uint64_t lasting; /* of the topology, if places were asked for */
	uint64_t nomination;
	bool open; /* found in an open cycle */
	bool found;
	struct kueue_target *targets; /* owned */
	size_t target_count, target_capacity;
};

struct kueue_recall {
	uint64_t nomination;
	struct answer answers[SLOTS];
};

void kueue_recall_open(struct kueue *k)
{
	if (!k->config->searches_anew)
		k->recall = mem_calloc(1, sizeof(*k->recall));
}

void kueue_recall_close(struct kueue *k)
{
	for (size_t i = 0; k->recall != NULL && i < SLOTS; i++)
		mem_free(k->recall->answers[i].targets);
	mem_free(k->recall);
	k->recall = NULL;
}

void kueue_recall_begin(struct kueue *k)
{
	if (k->recall != NULL)
		k->recall->nomination++;
}

/* Are the places those of one pod set that has none? */
static bool has_simple_places(const struct kueue *k)
{
	return k->tas_count == 1 && k->topology->undo_count == 0 && kueue_tas_is_new(k->tas_sets);
}

static bool applies(const struct kueue *k, const struct kueue_search *search)
{
	return k->recall != NULL && (k->open || k->tree.undo_count == 0) &&
	       (search->places == NULL || has_simple_places(k)) && search->column_count <= NEEDS &&
	       search->request_count <= NEEDS;
}

static void make_key(const struct kueue *k, const struct kueue_search *search, struct key *key)
{
	memset(key, 0, sizeof(*key)); /* with what lies between the fields */
	key->queue = search->queue;
	key->priority = kueue_class_of(k, search->job)->priority;
	if (kueue_victim_compares_orders(k, search->queue))
		key->order = k->jobs[search->job].order;
	key->column_count = search->column_count;
	key->request_count = search->request_count;
	for (uint32_t i = 0; i < search->column_count; i++)
		key->columns[i] = search->columns[i];
	for (uint32_t i = 0; i < search->request_count; i++) {
		key->request[i].column = search->request[i].column;
		key->request[i].amount = search->request[i].amount;
	}
	if (search->places == NULL)
		return;
	key->shape = k->tas_sets[0].shape;
	key->pods = k->tas_sets[0].count;
	key->tree = k->tas_sets[0].tree;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ (hash >> 29);
}

/* Keys that share a slot drive each other out. */
static struct answer *slot_of(struct kueue *k, const struct key *key)
{
	uint64_t hash = mix(mix(key->queue, (uint32_t)key->priority), key->column_count);

	hash = mix(mix(hash, (uintptr_t)key->shape), key->pods);
	for (uint32_t i = 0; i < key->column_count; i++)
		hash = mix(hash, key->columns[i]);
	for (uint32_t i = 0; i < key->request_count; i++)
		hash = mix(mix(hash, key->request[i].column), (uint64_t)key->request[i].amount);
	return &k->recall->answers[hash % SLOTS];
}

static uint64_t changed(const struct kueue *k, uint32_t queue)
{
	return k->roots[k->tree.nodes[queue].root].changed;
}

bool kueue_recall_get(struct kueue *k, const struct kueue_search *search, bool *found)
{
	const struct answer *a;
	struct key key;

	if (!applies(k, search))
		return false;
	make_key(k, search, &key);
	a = slot_of(k, &key);
	if (a->changed == 0 || a->changed != changed(k, search->queue) ||
	    memcmp(&a->key, &key, sizeof(key)) != 0)
		return false;
	if (a->lq_changes != k->lq_changes ||
	    (key.shape != NULL && a->lasting != k->topology->lasting) || a->open != k->open ||
	    ((k->open || kueue_victim_compares_orders(k, search->queue)) &&
	     a->nomination != k->recall->nomination))
		return false;
	k->targets =
		mem_grow(k->targets, a->target_count, &k->target_capacity, sizeof(*k->targets));
	k->target_count = a->target_count;
	for (size_t i = 0; i < a->target_count; i++)
		k->targets[i] = a->targets[i];
	*found = a->found;
	return true;
}

void kueue_recall_keep(struct kueue *k, const struct kueue_search *search, bool found)
{
	struct answer *a;
	struct key key;

	if (!applies(k, search))
		return;
	make_key(k, search, &key);
	a = slot_of(k, &key);
	memcpy(&a->key, &key, sizeof(key));
	a->changed = changed(k, search->queue);
	a->lq_changes = k->lq_changes;
	a->lasting = k->topology == NULL ? 0 : k->topology->lasting;
	a->nomination = k->recall->nomination;
	a->open = k->open;
	a->found = found;
	a->targets =
		mem_grow(a->targets, k->target_count, &a->target_capacity, sizeof(*a->targets));
	a->target_count = k->target_count;
	for (size_t i = 0; i < k->target_count; i++)
		a->targets[i] = k->targets[i];
}
