#include "sim/kueue/kueue_count.h"

#include <string.h>

#include "core/mem.h"

enum verdict { MATCHES, NOT_SELECTED, NOT_AFFINE, NOT_TOLERATED };

#define KEPT_BYTES (64U << 20) /* of all counts that are kept together, about */
#define HEADS	   1024
#define FILED	   64
#define NO_SHAPE   UINT32_MAX
#define NEVER	   UINT64_MAX

/* What fits, as things are or in an empty cluster. */
struct counted {
	uint64_t seen;		  /* changes of the tree that are in it; NEVER: nothing is */
	struct kueue_room *rooms; /* [domain] */
	uint64_t *stamps;	  /* [leaf] of its amounts then, and 1; 0: not counted */
	uint8_t *limits;	  /* [leaf] what is short where no pod fits */
	uint32_t short_of[RES_MAX];
	/* leaves by pods that fit, from 1 on; the last for as many and more */
	uint64_t *by_pods; /* [pods * words + leaf / 64] a bit a leaf */
	uint32_t filed[FILED];
	uint64_t some; /* a bit for each number that some leaf has */
};

/* All that is known of a request in a tree. */
struct kept {
	struct kept *next; /* in the chain of its hash */
	uint32_t tree;
	uint64_t version; /* of the tree */
	const struct pod_shape *workers, *leader;
	uint64_t used; /* when; the oldest goes first */
	size_t bytes;
	size_t judged;		   /* renewed leaves of the tree that are in the verdicts */
	uint8_t *verdicts;	   /* [leaf] enum verdict; NULL: all match */
	int64_t *affinity;	   /* [leaf]; NULL: none */
	uint32_t excluded[4];	   /* leaves by verdict */
	struct counted counted[2]; /* as things are, and empty */
};

struct change {
	uint32_t domain;
	struct kueue_room room; /* before */
};

struct kueue_counter {
	struct kueue_topology *topology;
	bool prefers_affinity, asks_scheduler, direct;
	struct taint cordoned, not_ready[2], unreachable[2]; /* what such nodes are tainted with */
	struct kept *heads[HEADS];
	size_t bytes;
	uint64_t clock;
	/* of the last count */
	const struct kueue_count_request *request;
	const struct topology_tree *tree;
	struct kept *kept;
	struct counted *counted;
	struct counted own; /* where nothing is kept of it */
	size_t own_leaves, own_domains;
	uint32_t outside; /* leaves not within */
	struct change *changes;
	size_t change_count, change_capacity;
	uint32_t *dirty; /* domains */
	size_t dirty_count, dirty_capacity;
	struct kueue_excluded_taint *taints; /* of the last that were asked for */
	size_t taint_count, taint_capacity;
};

static struct taint taint_of(const struct name_table *strings, const char *key,
			     enum taint_effect effect)
{
	return (struct taint){.key = name_find(strings, key), .value = NAME_NONE, .effect = effect};
}

struct kueue_counter *kueue_count_new(struct kueue_topology *topology,
				      const struct kueue_gates *gates)
{
	const struct name_table *strings = topology->scenario->strings;
	struct kueue_counter *c = mem_calloc(1, sizeof(*c));

	c->topology = topology;
	c->prefers_affinity = gates->prefers_affinity;
	c->asks_scheduler = gates->asks_scheduler;
	c->cordoned = taint_of(strings, "node.kubernetes.io/unschedulable", TAINT_NO_SCHEDULE);
	for (int i = 0; i < 2; i++) {
		enum taint_effect effect = i == 0 ? TAINT_NO_SCHEDULE : TAINT_NO_EXECUTE;

		c->not_ready[i] = taint_of(strings, "node.kubernetes.io/not-ready", effect);
		c->unreachable[i] = taint_of(strings, "node.kubernetes.io/unreachable", effect);
	}
	return c;
}

void kueue_count_keep_nothing(struct kueue_counter *c)
{
	c->direct = true;
}

static void free_counted(struct counted *counted)
{
	mem_free(counted->rooms);
	mem_free(counted->stamps);
	mem_free(counted->limits);
	mem_free(counted->by_pods);
	*counted = (struct counted){0};
}

static void free_kept(struct kueue_counter *c, struct kept *kept)
{
	c->bytes -= kept->bytes;
	free_counted(&kept->counted[0]);
	free_counted(&kept->counted[1]);
	mem_free(kept->verdicts);
	mem_free(kept->affinity);
	mem_free(kept);
}

void kueue_count_free(struct kueue_counter *c)
{
	if (c == NULL)
		return;
	for (size_t h = 0; h < HEADS; h++) {
		while (c->heads[h] != NULL) {
			struct kept *next = c->heads[h]->next;

			free_kept(c, c->heads[h]);
			c->heads[h] = next;
		}
	}
	free_counted(&c->own);
	mem_free(c->changes);
	mem_free(c->dirty);
	mem_free(c->taints);
	mem_free(c);
}

/* ------------------------------------------------------ which leaves suit pods */

/* By the pod or, unless kube-scheduler is asked, which is shown the pod as its template is, by
 * the flavor. */
static bool is_tolerated(const struct kueue_counter *c, const struct pod_shape *shape,
			 const struct taint *taint)
{
	const struct name_table *strings = c->topology->scenario->strings;

	return taint->effect == TAINT_PREFER_NO_SCHEDULE ||
	       label_tolerates(strings, &shape->tolerations, taint) ||
	       (!c->asks_scheduler &&
		label_tolerates(strings, &c->tree->flavor->tolerations, taint));
}

/* Taints that a cordon, or the node lifecycle controller, puts on the node. */
static bool condition_tolerated(const struct kueue_counter *c, const struct node *node,
				const struct pod_shape *shape)
{
	const struct taint *lost = node->unreachable ? c->unreachable : c->not_ready;

	if (node->unschedulable && !is_tolerated(c, shape, &c->cordoned))
		return false;
	return node->ready ||
	       (is_tolerated(c, shape, &lost[0]) && is_tolerated(c, shape, &lost[1]));
}

static enum verdict judge(const struct kueue_counter *c, const struct node *node,
			  const struct pod_shape *shape, const struct taint **taint)
{
	const struct name_table *strings = c->topology->scenario->strings;

	if (c->asks_scheduler && !condition_tolerated(c, node, shape))
		return NOT_TOLERATED;
	for (uint32_t i = 0; i < node->taints.count; i++) {
		*taint = &node->taints.items[i];
		if (!is_tolerated(c, shape, *taint))
			return NOT_TOLERATED;
	}
	if (!label_contains(&node->labels, &shape->node_selector))
		return NOT_SELECTED;
	if (!label_terms_match(strings, &node->labels, node->name, shape->affinity,
			       shape->affinity_count))
		return NOT_AFFINE;
	return MATCHES;
}

/* What the node is worth to the pods: an empty term counts nowhere. */
static int64_t affinity_of(const struct kueue_counter *c, const struct node *node,
			   const struct pod_shape *shape)
{
	const struct pod_constraints *wishes = shape->constraints;
	int64_t sum = 0;

	for (uint32_t i = 0; wishes != NULL && i < wishes->preferred_count; i++) {
		if (label_terms_match(c->topology->scenario->strings, &node->labels, node->name,
				      &wishes->preferred[i], 1))
			sum += wishes->weights[i];
	}
	return sum;
}

static bool same_taint(const struct taint *a, const struct taint *b)
{
	return a->key == b->key && a->value == b->value && a->effect == b->effect;
}

static void count_taint(struct kueue_counter *c, const struct taint *taint)
{
	for (size_t i = 0; i < c->taint_count; i++) {
		if (same_taint(&c->taints[i].taint, taint)) {
			c->taints[i].leaves++;
			return;
		}
	}
	c->taints = mem_grow(c->taints, c->taint_count + 1, &c->taint_capacity, sizeof(*c->taints));
	c->taints[c->taint_count++] = (struct kueue_excluded_taint){*taint, 1};
}

static enum verdict judge_leaf(const struct kueue_counter *c, const struct kept *kept,
			       uint32_t leaf, const struct taint **taint)
{
	return judge(c, &c->tree->all_nodes[c->tree->nodes[leaf]], kept->workers, taint);
}

/* Only where leaves are nodes do their taints and labels count. */
static void judge_leaves(const struct kueue_counter *c, struct kept *kept)
{
	const struct topology_tree *tree = c->tree;

	if (!tree->by_host)
		return;
	kept->verdicts = mem_calloc(tree->leaf_count, 1);
	if (c->prefers_affinity)
		kept->affinity = mem_calloc(tree->leaf_count, sizeof(*kept->affinity));
	for (uint32_t i = 0; i < tree->leaf_count; i++) {
		const struct taint *taint;
		enum verdict verdict = judge_leaf(c, kept, i, &taint);

		kept->verdicts[i] = (uint8_t)verdict;
		kept->excluded[verdict]++;
		if (kept->affinity != NULL && verdict == MATCHES)
			kept->affinity[i] =
				affinity_of(c, &tree->all_nodes[tree->nodes[i]], kept->workers);
	}
}

/* Leaves whose nodes were renewed since. They are among the tree's changes as well, by which
 * the counts follow. */
static void judge_renewed(const struct kueue_counter *c, struct kept *kept)
{
	for (; kept->judged < c->tree->renewed_count; kept->judged++) {
		uint32_t leaf = c->tree->renewed[kept->judged];
		const struct taint *taint;

		if (kept->verdicts == NULL)
			continue;
		kept->excluded[kept->verdicts[leaf]]--;
		kept->verdicts[leaf] = (uint8_t)judge_leaf(c, kept, leaf, &taint);
		kept->excluded[kept->verdicts[leaf]]++;
	}
}

static bool matches(const struct kept *kept, uint32_t leaf)
{
	return kept->verdicts == NULL || kept->verdicts[leaf] == MATCHES;
}

/* --------------------------------------------------------- pods of one leaf */

static int64_t request_of(const struct pod_shape *shape, uint32_t resource)
{
	if (resource == RES_PODS)
		return 1;
	return (pod_shape_counts(shape) >> resource & 1) != 0 ? pod_shape_counted(shape)[resource]
							      : 0;
}

/* How often the one goes into the other (> 0). Mostly that is no more than once, or it is 1, and a
 * division is dear. */
static int64_t times(int64_t room, int64_t request)
{
	if (room < request)
		return 0;
	if (request == 1)
		return room;
	return room - request < request ? 1 : room / request;
}

/* How many pods of the shape fit into a leaf, with one of another (NULL: none) in
 * it already. *limit: if none fits, the first resource by name that lacks. */
static int64_t count_pods(const struct kueue_counter *c, uint32_t leaf,
			  const struct pod_shape *shape, const struct pod_shape *beside,
			  uint32_t *limit)
{
	const struct scenario *s = c->topology->scenario;
	int64_t count = INT32_MAX;

	for (uint64_t left = pod_shape_counts(shape) | UINT64_C(1) << RES_PODS; left != 0;
	     left &= left - 1) {
		uint32_t r = (uint32_t)__builtin_ctzll(left);
		int64_t request = request_of(shape, r), room;

		if (request == 0)
			continue;
		room = kueue_topology_left(c->topology, c->request->tree, leaf, r,
					   c->request->empty);
		if (beside != NULL)
			room = res_sub(room, request_of(beside, r));
		room = times(room, request);
		if (room == 0 && limit != NULL &&
		    (count > 0 ||
		     strcmp(name_text(s->resources, r), name_text(s->resources, *limit)) < 0))
			*limit = r;
		count = room < count ? room : count;
	}
	return count;
}

void kueue_count_slices(struct kueue_room *room, int64_t size)
{
	room->slices = size == 1 ? room->pods : room->pods / size;
	room->slices_beside = size == 1 ? room->pods_beside : room->pods_beside / size;
}

static uint32_t words_of(const struct kueue_counter *c)
{
	return c->tree->leaf_count / 64 + 1;
}

/* Files a leaf by pods, or takes it out. */
static void file(struct kueue_counter *c, uint32_t leaf, int64_t pods, bool in)
{
	struct counted *counted = c->counted;
	uint32_t at = pods < FILED ? (uint32_t)pods : FILED - 1;

	if (pods == 0)
		return;
	counted->by_pods[at * (size_t)words_of(c) + leaf / 64] ^= UINT64_C(1) << leaf % 64;
	counted->filed[at] = in ? counted->filed[at] + 1 : counted->filed[at] - 1;
	if (counted->filed[at] == 0)
		counted->some &= ~(UINT64_C(1) << at);
	else
		counted->some |= UINT64_C(1) << at;
}

static void count_leaf(struct kueue_counter *c, uint32_t leaf)
{
	const struct kueue_count_request *q = c->request;
	struct counted *counted = c->counted;
	struct kueue_room *room = &counted->rooms[c->tree->first_leaf + leaf];
	uint32_t limit = 0;

	if (counted->stamps[leaf] != 0 && room->pods == 0)
		counted->short_of[counted->limits[leaf]]--;
	counted->stamps[leaf] = c->tree->stamps[leaf] + 1;
	file(c, leaf, room->pods, false);
	*room = (struct kueue_room){.affinity = room->affinity};
	room->pods = room->pods_beside = count_pods(c, leaf, q->workers, NULL, &limit);
	file(c, leaf, room->pods, true);
	if (room->pods == 0) {
		counted->limits[leaf] = (uint8_t)limit;
		counted->short_of[limit]++;
	}
	if (q->leader != NULL && count_pods(c, leaf, q->leader, NULL, NULL) > 0) {
		room->leaders = 1;
		room->pods_beside = count_pods(c, leaf, q->workers, q->leader, NULL);
	}
	if (q->slice_level + 1U == c->tree->topology->level_count)
		kueue_count_slices(room, q->size);
}

/* No pod suits the leaf any more. */
static void drop_leaf(struct kueue_counter *c, uint32_t leaf)
{
	struct counted *counted = c->counted;
	struct kueue_room *room = &counted->rooms[c->tree->first_leaf + leaf];

	if (room->pods == 0)
		counted->short_of[counted->limits[leaf]]--;
	counted->stamps[leaf] = 0;
	file(c, leaf, room->pods, false);
	*room = (struct kueue_room){0};
}

/* Is what is counted of the leaf what it has now? */
static bool is_current(const struct kueue_counter *c, uint32_t leaf)
{
	return c->counted->stamps[leaf] == (matches(c->kept, leaf) ? c->tree->stamps[leaf] + 1 : 0);
}

/* ------------------------------------------------------- domains above leaves */

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Pods in whole slices; almost always slices are single pods, and a division is dear. */
static int64_t whole(int64_t pods, int64_t size)
{
	return size <= 1 ? pods : pods / size * size;
}

/* A domain's capacity from its children's: all of it, and with the leader in the
 * child that loses least by it. */
static void sum_children(struct kueue_counter *c, uint32_t domain, uint32_t level)
{
	const struct kueue_count_request *q = c->request;
	const struct topology_domain *d = &c->tree->domains[domain];
	int64_t pods_lost = INT64_MAX, slices_lost = INT64_MAX;
	struct kueue_room sum = {0};

	for (uint32_t i = d->first_child; i < d->first_child + d->child_count; i++) {
		const struct kueue_room *child = &c->counted->rooms[i];
		int64_t pods = whole(child->pods, q->inner[level + 1]);

		sum.pods += pods;
		sum.slices += child->slices;
		sum.affinity += child->affinity;
		sum.leaders = child->leaders > sum.leaders ? child->leaders : sum.leaders;
		if (q->leader != NULL && child->leaders == 0)
			continue;
		pods_lost =
			smaller(pods_lost, pods - whole(child->pods_beside, q->inner[level + 1]));
		slices_lost = smaller(slices_lost, child->slices - child->slices_beside);
	}
	if (pods_lost != INT64_MAX) {
		sum.pods_beside = sum.pods - pods_lost;
		sum.slices_beside = sum.slices - slices_lost;
	}
	if (level == q->slice_level)
		kueue_count_slices(&sum, q->size);
	c->counted->rooms[domain] = sum;
}

static void sum_all(struct kueue_counter *c)
{
	for (uint32_t level = c->tree->topology->level_count - 1; level-- > 0;) {
		for (uint32_t d = c->tree->first[level]; d < c->tree->first[level + 1]; d++)
			sum_children(c, d, level);
	}
}

/* ------------------------------------------------------------- from nothing */

static void allocate(const struct kueue_counter *c, struct counted *counted)
{
	uint32_t leaves = c->tree->leaf_count;

	counted->seen = NEVER;
	counted->rooms =
		mem_calloc(c->tree->first_leaf + (size_t)leaves + 1, sizeof(*counted->rooms));
	counted->stamps = mem_calloc(leaves + 1U, sizeof(*counted->stamps));
	counted->limits = mem_calloc(leaves + 1U, sizeof(*counted->limits));
	counted->by_pods = mem_calloc(FILED * (size_t)words_of(c), sizeof(*counted->by_pods));
}

/* Is the domain the one that all have to be in, or below it? */
static bool is_within(const struct kueue_counter *c, uint32_t domain)
{
	if (c->request->within == TOPOLOGY_NOWHERE)
		return true;
	while (domain != TOPOLOGY_NOWHERE && domain != c->request->within)
		domain = c->tree->domains[domain].parent;
	return domain != TOPOLOGY_NOWHERE;
}

static void count_all(struct kueue_counter *c)
{
	const struct kept *kept = c->kept;

	for (uint32_t i = 0; i < c->tree->leaf_count; i++) {
		if (!matches(kept, i)) {
			if (!is_current(c, i))
				drop_leaf(c, i);
			continue;
		}
		c->counted->rooms[c->tree->first_leaf + i].affinity =
			kept->affinity == NULL || c->request->indifferent ? 0 : kept->affinity[i];
		if (!is_within(c, c->tree->first_leaf + i))
			c->outside++;
		else if (!is_current(c, i))
			count_leaf(c, i);
	}
	sum_all(c);
	c->counted->seen = kueue_topology_changes(c->tree);
}

/* For a request that is not kept as it is: parts of pod sets, or under test. */
static void count_own(struct kueue_counter *c)
{
	free_counted(&c->own);
	allocate(c, &c->own);
	c->counted = &c->own;
	count_all(c);
}

/* --------------------------------------------------------- what is kept */

static struct kept **chain(struct kueue_counter *c, uint32_t tree, const struct pod_shape *workers,
			   const struct pod_shape *leader)
{
	uint64_t h = ((uintptr_t)workers ^ (uintptr_t)leader * 31) + tree;

	h *= UINT64_C(0x9e3779b97f4a7c15);
	return &c->heads[h >> 54];
}

/* Makes room: trees that were built anew first of all. Which ones go decides nothing
 * but the time it takes. */
static void forget_oldest(struct kueue_counter *c)
{
	struct kept **oldest = NULL, *gone;

	for (size_t h = 0; h < HEADS; h++) {
		for (struct kept **at = &c->heads[h]; *at != NULL; at = &(*at)->next) {
			if ((*at)->version != c->topology->trees[(*at)->tree].version)
				(*at)->used = 0;
			if (oldest == NULL || (*at)->used < (*oldest)->used)
				oldest = at;
		}
	}
	gone = *oldest;
	*oldest = gone->next;
	free_kept(c, gone);
}

static struct kept *make_kept(struct kueue_counter *c)
{
	const struct kueue_count_request *q = c->request;
	size_t leaves = c->tree->leaf_count, domains = c->tree->first_leaf + leaves;
	size_t bytes = sizeof(struct kept) + leaves * 11 + domains * sizeof(struct kueue_room) * 2 +
		       leaves * 20 + FILED * sizeof(uint64_t) * 2 * (leaves / 64 + 1);
	struct kept *kept = mem_calloc(1, sizeof(*kept)), **head;

	while (c->bytes > 0 && c->bytes + bytes > KEPT_BYTES)
		forget_oldest(c);
	c->bytes += bytes;
	*kept = (struct kept){.tree = q->tree,
			      .version = c->tree->version,
			      .judged = c->tree->renewed_count,
			      .workers = q->workers,
			      .leader = q->leader,
			      .bytes = bytes};
	judge_leaves(c, kept);
	head = chain(c, q->tree, q->workers, q->leader);
	kept->next = *head;
	*head = kept;
	return kept;
}

/* Affinity is summed up over domains, which follow changes of amounts alone. */
static bool is_outdated(const struct kueue_counter *c, const struct kept *kept)
{
	return c->direct || kept->version != c->tree->version ||
	       (kept->affinity != NULL && kept->judged != c->tree->renewed_count);
}

static struct kept *find_kept(struct kueue_counter *c)
{
	const struct kueue_count_request *q = c->request;
	struct kept **at = chain(c, q->tree, q->workers, q->leader);

	while (*at != NULL && ((*at)->tree != q->tree || (*at)->workers != q->workers ||
			       (*at)->leader != q->leader))
		at = &(*at)->next;
	if (*at != NULL && is_outdated(c, *at)) {
		struct kept *gone = *at;

		*at = gone->next;
		free_kept(c, gone);
		at = NULL;
	}
	return at == NULL || *at == NULL ? make_kept(c) : *at;
}

/* Single pods add up, so what a leaf gained its domains gained. */
static void add_up(struct kueue_counter *c, uint32_t leaf, int64_t more)
{
	uint32_t d = c->tree->domains[c->tree->first_leaf + leaf].parent;

	for (; d != TOPOLOGY_NOWHERE; d = c->tree->domains[d].parent) {
		struct kueue_room *room = &c->counted->rooms[d];

		room->pods = room->pods_beside = room->pods + more;
		room->slices = room->slices_beside = room->slices + more;
	}
}

static void sum_up(struct kueue_counter *c, uint32_t leaf)
{
	uint32_t d = c->tree->domains[c->tree->first_leaf + leaf].parent;

	c->dirty = mem_grow(c->dirty, c->dirty_count + 1, &c->dirty_capacity, sizeof(*c->dirty));
	c->dirty[c->dirty_count++] = d;
}

/* Level by level the parents of what changed; neighbours mostly share theirs. */
static void sum_dirty(struct kueue_counter *c)
{
	for (uint32_t level = c->tree->topology->level_count - 1; level-- > 0;) {
		uint32_t last = TOPOLOGY_NOWHERE;
		size_t kept = 0;

		for (size_t i = 0; i < c->dirty_count; i++) {
			uint32_t d = c->dirty[i];

			if (d == last)
				continue;
			last = d;
			sum_children(c, d, level);
			c->dirty[kept++] = c->tree->domains[d].parent;
		}
		c->dirty_count = kept;
	}
}

static bool is_simple(const struct kueue_counter *c)
{
	const struct kueue_count_request *q = c->request;
	bool layered = q->slice_level + 1U < c->tree->topology->level_count;

	for (uint32_t l = 0; l < TOPOLOGY_LEVELS_MAX; l++)
		layered = layered || q->inner[l] > 1;
	return q->leader == NULL && q->size == 1 && !layered;
}

static void recount(struct kueue_counter *c, uint32_t leaf, bool simple)
{
	struct kueue_room *room = &c->counted->rooms[c->tree->first_leaf + leaf];
	int64_t before = room->pods;

	if (matches(c->kept, leaf))
		count_leaf(c, leaf);
	else
		drop_leaf(c, leaf);
	if (c->tree->domains[c->tree->first_leaf + leaf].parent == TOPOLOGY_NOWHERE)
		return;
	if (!simple)
		sum_up(c, leaf);
	else if (room->pods != before)
		add_up(c, leaf, room->pods - before);
}

static void catch_up(struct kueue_counter *c)
{
	struct counted *counted = c->counted;
	uint64_t end = kueue_topology_changes(c->tree);
	bool simple = is_simple(c);

	c->dirty_count = 0;
	for (; counted->seen < end; counted->seen++) {
		uint32_t leaf = kueue_topology_change(c->tree, counted->seen);

		if (!is_current(c, leaf))
			recount(c, leaf, simple);
	}
	sum_dirty(c);
}

static void count_kept(struct kueue_counter *c)
{
	c->counted = &c->kept->counted[c->request->empty];
	if (c->counted->rooms == NULL)
		allocate(c, c->counted);
	if (c->counted->seen == NEVER || c->counted->seen < c->tree->first_change)
		count_all(c);
	else
		catch_up(c);
}

static void take_back(struct kueue_counter *c)
{
	while (c->change_count > 0) {
		const struct change *change = &c->changes[--c->change_count];

		c->counted->rooms[change->domain] = change->room;
	}
}

struct kueue_room *kueue_count(struct kueue_counter *c, const struct kueue_count_request *request)
{
	take_back(c);
	c->request = request;
	c->tree = &c->topology->trees[request->tree];
	c->outside = 0;
	c->kept = find_kept(c);
	c->kept->used = ++c->clock;
	judge_renewed(c, c->kept);
	if (c->direct || !request->whole || request->indifferent ||
	    request->within != TOPOLOGY_NOWHERE)
		count_own(c);
	else
		count_kept(c);
	c->request = NULL;
	return c->counted->rooms;
}

void kueue_count_change(struct kueue_counter *c, uint32_t domain)
{
	c->changes =
		mem_grow(c->changes, c->change_count + 1, &c->change_capacity, sizeof(*c->changes));
	c->changes[c->change_count++] = (struct change){domain, c->counted->rooms[domain]};
}

bool kueue_count_smallest(const struct kueue_counter *c, int64_t pods, uint32_t *leaf,
			  int64_t *most)
{
	const struct counted *counted = c->counted;
	const uint64_t *words;
	uint64_t enough;
	uint32_t at = 0;

	if (pods < 1 || pods >= FILED - 1)
		return false;
	enough = counted->some >> pods << pods;
	*leaf = TOPOLOGY_NOWHERE;
	*most = counted->some == 0 ? 0 : 63 - __builtin_clzll(counted->some);
	if (enough == 0)
		return true;
	words = &counted->by_pods[(size_t)__builtin_ctzll(enough) * words_of(c)];
	if (enough >> (FILED - 1) == 1 && (enough & (enough - 1)) == 0)
		return false; /* those that more fit stand together there */
	while (words[at] == 0)
		at++;
	*leaf = at * 64 + (uint32_t)__builtin_ctzll(words[at]);
	return true;
}

static void find_taints(struct kueue_counter *c)
{
	c->taint_count = 0;
	for (uint32_t i = 0; i < c->tree->leaf_count && c->kept->excluded[NOT_TOLERATED] > 0; i++) {
		const struct taint *taint;

		if (!matches(c->kept, i) && judge_leaf(c, c->kept, i, &taint) == NOT_TOLERATED)
			count_taint(c, taint);
	}
}

struct kueue_exclusions kueue_count_excluded(struct kueue_counter *c)
{
	const uint32_t *excluded = c->kept->excluded;
	struct kueue_exclusions x = {.domain = c->outside};

	memcpy(x.resources, c->counted->short_of, sizeof(x.resources));
	if (c->asks_scheduler) {
		x.scheduler =
			excluded[NOT_SELECTED] + excluded[NOT_AFFINE] + excluded[NOT_TOLERATED];
		return x;
	}
	x.selector = excluded[NOT_SELECTED];
	x.affinity = excluded[NOT_AFFINE];
	find_taints(c);
	x.taints = c->taints;
	x.taint_count = c->taint_count;
	return x;
}
