#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/rng.h"
#include "sim/scenario/setting_look.h"

#define MAX_POOL    1000000
#define MAX_LOSSES  10000 /* of a node */
#define SPOT_OUTAGE (10 * CLOCK_MINUTE)

static enum err_code no_pool(struct setting *s)
{
	struct draft_list *list = &s->builder->lists[KIND_NODE];
	struct setting_listing listing;
	uint32_t last = NAME_NONE;

	setting_list_begin(&listing, s->name);
	for (uint32_t i = 0; i < list->count; i++) {
		const struct node *node = draft_record(list, KIND_NODE, i);

		if (node->pool != NAME_NONE && node->pool != last)
			setting_list_offer(&listing, name_text(s->builder->strings, node->pool));
		last = node->pool;
	}
	return setting_not_found(s, &listing, "node pool", s->name);
}

/* The labels of a node with the host's own name in them. */
static struct label_set renamed_labels(struct builder *builder, const struct label_set *from,
				       uint32_t old_name, uint32_t new_name)
{
	struct label *labels = mem_arena_alloc(builder->arena, from->count * sizeof(*labels));

	for (uint32_t i = 0; i < from->count; i++) {
		labels[i] = from->items[i];
		if (labels[i].value == old_name)
			labels[i].value = new_name;
	}
	return (struct label_set){.items = labels, .count = from->count};
}

static void add_nodes(struct setting *s, const struct node *like, uint32_t from, uint32_t to)
{
	struct builder *builder = s->builder;
	const struct node pattern = *like; /* the list may move */

	for (uint32_t i = from; i < to; i++) {
		struct node node = pattern;
		char name[SETTING_PIECE + 16];

		snprintf(name, sizeof(name), "%s-%u", s->name, i);
		node.name = name_add(builder->strings, name);
		node.labels = renamed_labels(builder, &pattern.labels, pattern.name, node.name);
		draft_add(builder, KIND_NODE, &node, (struct place){0}, KIND_ALWAYS);
	}
}

/* Keeps the first `keep` nodes of the pool; of 0 one that never comes, which stands for it.
 * What an autoscaler may bring stays. */
static void drop_nodes(struct builder *builder, uint32_t pool, uint32_t keep)
{
	struct draft_list *list = &builder->lists[KIND_NODE];
	uint32_t kept = 0, seen = 0;

	for (uint32_t i = 0; i < list->count; i++) {
		struct node *node = draft_record(list, KIND_NODE, i);

		if (node->pool == pool) {
			node->spare = seen >= keep;
			if (seen++ >= (keep == 0 ? 1 : keep) && node->scaled == 0)
				continue;
		}
		memmove(draft_record(list, KIND_NODE, kept), node, sizeof(*node));
		list->meta[kept++] = list->meta[i];
	}
	list->count = kept;
}

/* ---- nodes that are taken away ---- */

/* "3@24h": so many nodes, each lost every so long on average. */
static enum err_code read_spot(struct setting *s, uint32_t *nodes, simtime *every)
{
	const char *at = strchr(s->value, '@');

	if (at == NULL || !num_read_u32(s->value, (size_t)(at - s->value), nodes) ||
	    !clock_read_duration(at + 1, strlen(at + 1), every) || *every < CLOCK_MINUTE)
		return setting_fail(
			s, ERR_VALUE,
			"\"%.60s\" is not NODES@TIME of a minute or more, such as 3@24h: "
			"so many nodes of the pool, each lost every so long on average",
			s->value);
	return ERR_OK;
}

/* So long jobs may still come and run. */
static simtime last_need(const struct builder *b)
{
	simtime last = 0, longest = CLOCK_DAY;

	for (uint32_t i = 0; i < b->job_count; i++) {
		const struct job *job = &b->jobs[i];

		last = job->submit > last ? job->submit : last;
		if (job->duration != JOB_ENDLESS && job->duration > longest)
			longest = job->duration;
	}
	return clock_add(last, clock_add(longest, longest));
}

/* The node goes at exponential times and comes back after a while, by a stream of its own: what
 * one node suffers hangs neither on the others nor on the policy. */
static enum err_code interrupt(struct setting *s, struct node node, simtime every, simtime until)
{
	struct node gone = node;
	struct rng *rng;
	char stream[SETTING_PIECE + 40];
	simtime at = 0;
	uint32_t losses = 0;

	kinds_make_absent(KIND_NODE, &gone);
	snprintf(stream, sizeof(stream), "spot/%.250s", name_text(s->builder->strings, node.name));
	rng = rng_new(s->builder->seed, stream);
	while (losses < MAX_LOSSES) {
		at = clock_add(at, clock_from_double(-log1p(-rng_uniform(rng)) * (double)every /
						     (double)CLOCK_SECOND));
		if (at >= until)
			break;
		losses++;
		draft_add(s->builder, KIND_NODE, &gone, (struct place){0}, at);
		at = clock_add(at, SPOT_OUTAGE);
		draft_add(s->builder, KIND_NODE, &node, (struct place){0}, at);
	}
	rng_free(rng);
	if (losses < MAX_LOSSES)
		return ERR_OK;
	return setting_fail(s, ERR_LIMIT, "a node would be lost %d times and more", MAX_LOSSES);
}

/* With the label by which prices tell spot nodes (sim/scenario/prices.h). */
static void label_spot(struct builder *b, struct node *node)
{
	uint32_t key = name_add(b->strings, "karpenter.sh/capacity-type");
	struct label *labels =
		mem_arena_alloc(b->arena, (node->labels.count + (size_t)1) * sizeof(*labels));

	if (label_has(&node->labels, key))
		return;
	memcpy(labels, node->labels.items, node->labels.count * sizeof(*labels));
	labels[node->labels.count] = (struct label){key, name_add(b->strings, "spot")};
	node->labels.items = labels;
	node->labels.count++;
}

/* The last nodes of the pool. */
static enum err_code set_spot(struct setting *s, uint32_t pool, uint32_t count)
{
	struct draft_list *list = &s->builder->lists[KIND_NODE];
	uint32_t nodes, seen = 0, listed = list->count;
	simtime every, until = last_need(s->builder);
	enum err_code code = read_spot(s, &nodes, &every);

	for (uint32_t i = 0; i < listed && code == ERR_OK; i++) {
		struct node *node = draft_record(list, KIND_NODE, i);

		if (node->pool != pool || list->meta[i].at != KIND_ALWAYS || node->spare ||
		    seen++ + nodes < count)
			continue;
		label_spot(s->builder, node);
		code = interrupt(s, *node, every, until);
	}
	return code;
}

enum err_code setting_pool(struct setting *s)
{
	struct draft_list *list = &s->builder->lists[KIND_NODE];
	uint32_t pool = name_find(s->builder->strings, s->name), count = 0, live = 0, wanted;
	const struct node *like = NULL;

	for (uint32_t i = 0; i < list->count; i++) {
		const struct node *node = draft_record(list, KIND_NODE, i);

		if (pool == NAME_NONE || node->pool != pool || list->meta[i].at != KIND_ALWAYS)
			continue;
		like = node;
		count++;
		live += !node->spare;
	}
	if (like == NULL)
		return no_pool(s);
	if (strcmp(s->field, "spot") == 0 && s->resource[0] == '\0')
		return set_spot(s, pool, live);
	if (strcmp(s->field, "mig") == 0 && s->resource[0] == '\0')
		return setting_mig_pool(s, pool);
	if (strcmp(s->field, "count") != 0 || s->resource[0] != '\0')
		return setting_no_field(s, "count, spot, mig");
	if (!num_read_u32(s->value, strlen(s->value), &wanted) || wanted > MAX_POOL)
		return setting_fail(s, ERR_VALUE, "\"%.60s\" is not a number of nodes up to %d",
				    s->value, MAX_POOL);
	if (wanted > count)
		add_nodes(s, like, count, wanted);
	drop_nodes(s->builder, pool, wanted);
	return ERR_OK;
}
