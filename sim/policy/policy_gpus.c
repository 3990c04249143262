/* policy_gpus.c - pods placed one by one on nodes whose GPUs they share: at random, by
 * best fit, by dot product, or by fragmentation gradient descent.
 *
 * What Weng et al. (ATC'23) compare for clusters where pods take parts of GPUs. Pods
 * are tried in order of creation; one that finds no room waits until a pod goes or a
 * node changes, and blocks only those alike behind it. gpu_rule.h says which node and
 * which GPU a pod gets. Of nodes with equal scores it gets the first, in the order of
 * the input or, with --tie random, in an order that is drawn once, as theirs is. No
 * queues, no quota, no preemption.
 */
#include <stdio.h>

#include "core/mem.h"
#include "core/pending.h"
#include "sim/kube/kube_match.h"
#include "sim/policy/gpu_rule.h"
#include "sim/world/policy.h"

struct line { /* pods that are alike: of one group of kube_match */
	struct pending waiting;
	bool blocked; /* its first pod has been tried, and nothing has changed since */
};

struct gpus {
	const struct world *world;
	const struct gpu_rule *rule;
	struct kube_match *match;
	struct gpu_place place;
	struct gpu_mix *mix;
	struct rng *rng;
	struct pending_places *places;
	uint32_t *line_of; /* per pod that waits */
	int64_t created;   /* pods so far */
	struct line *lines;
	size_t capacity;
	uint32_t line_count;
	uint32_t *order; /* nodes */
	uint32_t *roomy; /* scratch: nodes with room for a pod, in that order */
};

/* ---- opening and closing ---- */

static uint32_t *node_order(const struct world *world)
{
	uint32_t *order;

	if (world->options->tie == TIE_RANDOM) {
		struct rng *rng = rng_new(world->options->seed, "node-order");

		order = rng_order(rng, world->node_count);
		rng_free(rng);
		return order;
	}
	order = mem_calloc(world->node_count, sizeof(*order));
	for (uint32_t i = 0; i < world->node_count; i++)
		order[i] = i;
	return order;
}

static void *open_rule(const struct world *world, const char *rule)
{
	struct gpus *g = mem_calloc(1, sizeof(*g));
	uint32_t pods = world->journal->first_pod[world->scenario->job_count];

	g->world = world;
	g->rule = gpu_rule_find(rule);
	g->match = kube_match_new(world);
	gpu_place_init(&g->place, world);
	if (g->rule->wants_mix)
		g->mix = gpu_mix_new(world, g->place.demands);
	g->rng = rng_new(world->options->seed, "gpu-rule");
	g->places = pending_places_new(pods);
	g->line_of = mem_calloc(pods, sizeof(*g->line_of));
	g->order = node_order(world);
	g->roomy = mem_calloc(world->node_count, sizeof(*g->roomy));
	return g;
}

static void close_rule(void *self)
{
	struct gpus *g = self;

	for (uint32_t i = 0; i < g->line_count; i++)
		pending_free(&g->lines[i].waiting);
	mem_free(g->lines);
	mem_free(g->roomy);
	mem_free(g->order);
	mem_free(g->line_of);
	pending_places_free(g->places);
	rng_free(g->rng);
	gpu_mix_free(g->mix);
	gpu_place_free(&g->place);
	kube_match_free(g->match);
	mem_free(g);
}

/* ---- what happens ---- */

static void unblock_all(struct gpus *g)
{
	for (uint32_t i = 0; i < g->line_count; i++)
		g->lines[i].blocked = false;
}

static void pod_created(struct gpus *g, uint32_t pod)
{
	uint32_t line = kube_match_group(g->match, pod);
	struct pending_item item = {.key = g->created++, .tie = pod, .job = pod};

	while (line >= g->line_count) {
		g->lines = mem_grow(g->lines, line + 1u, &g->capacity, sizeof(*g->lines));
		g->lines[g->line_count++] = (struct line){.blocked = false};
	}
	g->line_of[pod] = line;
	pending_push(&g->lines[line].waiting, g->places, &item);
}

static void pod_deleted(struct gpus *g, uint32_t pod, uint32_t node)
{
	if (node != NODE_NONE) {
		gpu_place_give(&g->place, pod, node);
		unblock_all(g);
	} else if (pending_stands(g->places, pod)) {
		pending_leave(&g->lines[g->line_of[pod]].waiting, g->places, pod);
	}
}

static void node_changed(struct gpus *g, uint32_t node)
{
	kube_match_node(g->match, node);
	gpu_place_node(&g->place, node);
	if (g->mix != NULL)
		gpu_mix_node(g->mix, node);
	unblock_all(g);
}

static void observe(void *self, const struct happening *h, struct plan *plan)
{
	struct gpus *g = self;

	(void)plan;
	if (h->kind == HAP_POD_CREATED)
		pod_created(g, h->pod);
	else if (h->kind == HAP_POD_DELETED)
		pod_deleted(g, h->pod, h->node);
	else if (h->kind == HAP_NODE)
		node_changed(g, h->node);
}

/* ---- one cycle: one pod ---- */

static uint32_t find_roomy(struct gpus *g, uint32_t line, uint32_t shape)
{
	const uint8_t *verdict = kube_match_at(g->match, line)->verdict;
	uint32_t count = 0;

	for (uint32_t i = 0; i < g->world->node_count; i++) {
		uint32_t node = g->order[i];

		if (verdict[node] == KUBE_SUITS && gpu_place_fits(&g->place, shape, node))
			g->roomy[count++] = node;
	}
	return count;
}

static uint32_t choose_node(struct gpus *g, const struct gpu_cluster *cluster, uint32_t shape,
			    uint32_t count)
{
	uint32_t best = g->roomy[0];
	int64_t best_score;

	if (count == 1)
		return best;
	if (g->rule->score == NULL)
		return g->roomy[rng_below(g->rng, count)];
	best_score = g->rule->score(cluster, shape, best);
	for (uint32_t i = 1; i < count; i++) {
		int64_t score = g->rule->score(cluster, shape, g->roomy[i]);

		if (score > best_score) {
			best_score = score;
			best = g->roomy[i];
		}
	}
	return best;
}

static bool place(struct gpus *g, uint32_t pod, struct plan *plan)
{
	struct gpu_cluster cluster = {.place = &g->place, .mix = g->mix, .rng = g->rng};
	uint32_t shape = g->world->pods[pod].shape, device = GPU_SHARE_FRESH;
	uint32_t count = find_roomy(g, g->line_of[pod], shape);
	struct decision *d;
	uint32_t node;

	if (count == 0)
		return false;
	node = choose_node(g, &cluster, shape, count);
	if (g->place.demands[shape].part > 0)
		device = g->rule->device(&cluster, shape, node);
	gpu_place_take(&g->place, pod, node, device);
	d = plan_add(plan, DECIDE_BIND);
	d->pod = pod;
	d->node = node;
	return true;
}

/* The line whose first pod came first, of those not blocked; NULL: none. */
static struct line *first_line(const struct gpus *g)
{
	struct line *first = NULL;

	for (uint32_t i = 0; i < g->line_count; i++) {
		struct line *line = &g->lines[i];

		if (!line->blocked && line->waiting.count > 0 &&
		    (first == NULL || line->waiting.items[0].key < first->waiting.items[0].key))
			first = line;
	}
	return first;
}

static bool cycle(void *self, struct plan *plan)
{
	struct gpus *g = self;
	struct line *line;

	while ((line = first_line(g)) != NULL) {
		uint32_t pod = pending_first(&line->waiting);

		if (place(g, pod, plan)) {
			pending_leave(&line->waiting, g->places, pod);
			return true;
		}
		line->blocked = true;
	}
	return false;
}

static void why(const void *self, uint32_t job, char *buf, size_t size)
{
	const struct gpus *g = self;
	const struct journal *journal = g->world->journal;

	for (uint32_t pod = journal->first_pod[job]; pod < journal->first_pod[job + 1]; pod++)
		if (pending_stands(g->places, pod)) {
			snprintf(buf, size,
				 "no node that it may go to has room: CPU, memory, and GPUs in one "
				 "piece");
			return;
		}
	snprintf(buf, size, "no pod of it waits for a node");
}

/* ---- the policies ---- */

static void *open_random(const struct world *world, struct plan *plan, struct err *err)
{
	(void)plan;
	(void)err;
	return open_rule(world, "random");
}

static void *open_bestfit(const struct world *world, struct plan *plan, struct err *err)
{
	(void)plan;
	(void)err;
	return open_rule(world, "bestfit");
}

static void *open_dotprod(const struct world *world, struct plan *plan, struct err *err)
{
	(void)plan;
	(void)err;
	return open_rule(world, "dotprod");
}

static void *open_fgd(const struct world *world, struct plan *plan, struct err *err)
{
	(void)plan;
	(void)err;
	return open_rule(world, "fgd");
}

#define GPU_POLICY(rule, text)                                                                     \
	const struct policy policy_##rule = {.name = #rule,                                        \
					     .models = text,                                       \
					     .leaves_to_chance = true,                             \
					     .open = open_##rule,                                  \
					     .close = close_rule,                                  \
					     .observe = observe,                                   \
					     .cycle = cycle,                                       \
					     .why = why}

GPU_POLICY(random, "pods on random nodes, sharing GPUs");
GPU_POLICY(bestfit, "pods by best fit, sharing GPUs");
GPU_POLICY(dotprod, "pods by dot product, sharing GPUs");
GPU_POLICY(fgd, "pods by fragmentation gradient descent (ATC'23), sharing GPUs");
