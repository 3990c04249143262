#include "sim/load/pool.h"

#include <stdio.h>
#include <string.h>

#include "sim/scenario/draft.h"

static const char hostname_key[] = "kubernetes.io/hostname";
static const char pool_key[] = "gqsim/pool";
static const char model_key[] = "nvidia.com/gpu.product";

static uint32_t string(struct builder *builder, const char *text)
{
	return builder_string(builder, text, strlen(text));
}

static bool has_label(const struct pool *pool, uint32_t key)
{
	return label_has(&pool->labels, key);
}

static struct label_set node_labels(struct builder *builder, const struct pool *pool, uint32_t name)
{
	const struct label own[] = {
		{string(builder, hostname_key), name},
		{string(builder, pool_key), string(builder, pool->name)},
		{string(builder, model_key),
		 string(builder, pool->model != NULL ? pool->model : pool->name)},
	};
	uint32_t own_count = pool->gpus != 0 || pool->model != NULL ? 3 : 2;
	struct label *labels = mem_arena_alloc(builder_arena(builder),
					       (pool->labels.count + own_count) * sizeof(*labels));
	uint32_t count = pool->labels.count;

	if (count != 0)
		memcpy(labels, pool->labels.items, count * sizeof(*labels));
	for (uint32_t i = 0; i < own_count; i++)
		if (!has_label(pool, own[i].key))
			labels[count++] = own[i];
	return (struct label_set){.items = labels, .count = count};
}

static const int64_t *allocatable(struct builder *builder, const struct pool *pool)
{
	static const uint32_t open_ended[] = {RES_CPU, RES_MEMORY, RES_EPHEMERAL, RES_PODS};
	int64_t *amounts = builder_vector(builder);

	for (size_t i = 0; i < sizeof(open_ended) / sizeof(open_ended[0]); i++)
		amounts[open_ended[i]] = RES_UNLIMITED;
	amounts[RES_GPU] = pool->gpus;
	for (uint32_t r = 0; r < RES_MAX; r++)
		if ((pool->given >> r & 1) != 0)
			amounts[r] = pool->amounts[r];
	return amounts;
}

enum err_code pool_add(struct builder *builder, const struct pool *pool, struct place where,
		       struct err *err)
{
	const int64_t *amounts = allocatable(builder, pool);
	uint32_t zone_key = string(builder, "topology.kubernetes.io/zone");
	uint32_t most = pool->max_size > pool->count ? pool->max_size : pool->count, scaled = 0;
	char name[300];

	if (most > POOL_MAX_NODES)
		return err_set(err, ERR_LIMIT, where.file, where.line, where.column,
			       "pool \"%.100s\": %u nodes; at most %d are possible", pool->name,
			       most, POOL_MAX_NODES);
	if (pool->max_size != 0)
		scaled = builder_pool(builder,
				      &(struct node_pool){.name = string(builder, pool->name),
							  .min_size = pool->min_size,
							  .max_size = pool->max_size,
							  .boot_delay = pool->boot_delay,
							  .max_run = pool->max_run});
	/* one that never comes stands for a pool of 0 nodes */
	for (uint32_t i = 0; i < (most == 0 ? 1 : most); i++) {
		struct node node = {.taints = pool->taints,
				    .allocatable = amounts,
				    .pool = string(builder, pool->name),
				    .micro_usd_per_hour = pool->micro_usd_per_hour,
				    .ready = true,
				    .unschedulable = pool->cordoned,
				    .spare = i >= pool->count,
				    .scaled = scaled};

		snprintf(name, sizeof(name), "%.250s-%u", pool->name, pool->first + i);
		node.name = string(builder, pool->node != NULL ? pool->node : name);
		node.labels = node_labels(builder, pool, node.name);
		node.zone = label_value(&node.labels, zone_key);
		builder_add(builder, KIND_NODE, &node, where,
			    pool->at == 0 ? KIND_ALWAYS : pool->at);
	}
	return ERR_OK;
}

static enum err_code bad_text(struct err *err, const char *part, size_t len)
{
	return err_set(err, ERR_USAGE, NULL, 0, 0,
		       "--nodes: \"%.*s\" is not NAME=NODESxGPUS, such as h100=311x8",
		       (int)(len < 100 ? len : 100), part);
}

/* Nodes of the same names would replace each other. */
static bool named_before(const char *text, const char *part, size_t name_len)
{
	for (const char *earlier = text; earlier < part; earlier = strchr(earlier, ',') + 1)
		if (strncmp(earlier, part, name_len + 1) == 0)
			return true;
	return false;
}

/* Would a node of the pool take the place of one that is there? */
static const char *taken_name(const struct builder *builder, const struct pool *pool)
{
	const struct draft_list *list = &builder->lists[KIND_NODE];
	size_t len = strlen(pool->name);
	uint32_t most = pool->count == 0 ? 1 : pool->count; /* as pool_add makes them */

	for (uint32_t i = 0; i < list->count; i++) {
		const struct node *node = draft_record(list, KIND_NODE, i);
		const char *name = name_text(builder->strings, node->name);
		uint32_t number;

		if (strncmp(name, pool->name, len) != 0 || name[len] != '-')
			continue;
		name += len + 1;
		if (num_read_u32(name, strlen(name), &number) && number < most &&
		    (name[0] != '0' || name[1] == '\0'))
			return name_text(builder->strings, node->name);
	}
	return NULL;
}

static enum err_code add_part(struct builder *builder, const char *part, size_t len,
			      struct err *err)
{
	const char *equals = memchr(part, '=', len);
	struct pool pool = {.count = 0};
	const char *times, *taken;
	char name[128];
	uint32_t gpus;
	size_t name_len;

	if (equals == NULL || equals == part)
		return bad_text(err, part, len);
	name_len = (size_t)(equals - part);
	times = memchr(equals, 'x', len - name_len);
	if (times == NULL || name_len >= sizeof(name) ||
	    !num_read_u32(equals + 1, (size_t)(times - equals - 1), &pool.count) ||
	    !num_read_u32(times + 1, (size_t)(part + len - times - 1), &gpus))
		return bad_text(err, part, len);
	memcpy(name, part, name_len);
	name[name_len] = '\0';
	pool.name = name;
	pool.gpus = gpus;
	taken = taken_name(builder, &pool);
	if (taken != NULL)
		return err_set(err, ERR_USAGE, NULL, 0, 0,
			       "--nodes: the files have a node %s already, which this pool's would "
			       "replace: give the pool another name than %s",
			       taken, pool.name);
	return pool_add(builder, &pool, (struct place){0}, err);
}

enum err_code pool_add_text(struct builder *builder, const char *text, struct err *err)
{
	enum err_code code = ERR_OK;

	for (const char *part = text; part != NULL && code == ERR_OK;) {
		const char *comma = strchr(part, ',');

		if (!named_before(text, part, strcspn(part, "=")))
			code = add_part(builder, part,
					comma != NULL ? (size_t)(comma - part) : strlen(part), err);
		else
			code = err_set(err, ERR_USAGE, NULL, 0, 0,
				       "--nodes: pool \"%.*s\" is named twice: give each pool a "
				       "name of its own",
				       (int)strcspn(part, "="), part);
		part = comma != NULL ? comma + 1 : NULL;
	}
	return code;
}
