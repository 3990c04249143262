/* kueue_tables_share.c - dominant resource shares, and the order of a cycle's entries. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/conformance/kueue_tables.h"

/* ------------------------------------------------------------------ shares */

static uint32_t node_named(const struct table_case *c, const char *kind, const char *name)
{
	if (strcmp(kind, "ClusterQueue") == 0)
		return table_queue(c, name);
	for (uint32_t i = 0; i < c->scenario->cohort_count; i++) {
		if (strcmp(scenario_string(c->scenario, c->scenario->cohorts[i].name), name) == 0)
			return c->k->queue_count + i;
	}
	return KUEUE_NONE;
}

/* The share of a node that would use so much more. */
static struct quota_share share_with(struct table_case *c, uint32_t node)
{
	const struct yaml_node *more = yaml_find(c->root, "requested");
	struct quota_share share = {.resource = QUOTA_NONE, .weight = 1};
	size_t mark = quota_mark(&c->k->tree);

	if (node < c->k->queue_count)
		table_charge(c,
			     scenario_string(c->scenario, c->scenario->cluster_queues[node].name),
			     more);
	if (quota_has_parent(&c->k->tree, node))
		share = *quota_share(&c->k->tree, node);
	quota_rollback(&c->k->tree, mark);
	return share;
}

static bool check_share(struct table_case *c, const struct yaml_node *want)
{
	const char *name = table_text(want, "name");
	uint32_t node = node_named(c, table_text(want, "kind"), name);
	struct quota_share share;
	const char *resource;
	double value;
	int64_t rounded;

	if (node == KUEUE_NONE)
		return table_differ(c, "%s is missing", name);
	share = share_with(c, node);
	value = ceil(share.value);
	rounded = value < 9e18 ? (int64_t)value : INT64_MAX;
	resource = share.resource == QUOTA_NONE ? "" : table_resource_name(c, share.resource);
	if (rounded != table_number(want, "share"))
		return table_differ(c, "the share of %s is %lld, not %s", name, (long long)rounded,
				    table_text(want, "share"));
	if (strcmp(resource, table_text(want, "resource")) != 0)
		return table_differ(c, "the dominant resource of %s is \"%s\", not \"%s\"", name,
				    resource, table_text(want, "resource"));
	if (share.borrowing != (strcmp(table_text(want, "borrowing"), "true") == 0))
		return table_differ(c, "%s should%s borrow", name, share.borrowing ? " not" : "");
	return true;
}

bool table_share(struct table_case *c)
{
	const struct yaml_node *lender = yaml_find(c->root, "lendingClusterQueue");
	bool fine = true;

	if (!table_read_all(c, "cohorts", "Cohort") ||
	    !table_read(c, "ClusterQueue", yaml_find(c->root, "clusterQueue")) ||
	    (lender != NULL && !table_read(c, "ClusterQueue", lender)) || !table_start(c))
		return false;
	table_charge(c, "cq", yaml_find(c->root, "usage"));
	for (uint32_t i = 0; i < table_count(c->want) && fine; i++)
		fine = check_share(c, c->want->items[i]);
	return fine;
}

/* ------------------------------------------------------------------- order */

/* A ClusterQueue for each entry, with names in the order of the entries. */
static bool read_entries(struct table_case *c, const struct yaml_node *entries)
{
	struct cluster_queue queue = {.cohort = NAME_NONE, .fair_weight = INT64_C(1000000000)};
	char name[32];

	for (uint32_t i = 0; i < table_count(entries); i++) {
		snprintf(name, sizeof(name), "entry-%03u", i);
		queue.name = builder_string(c->builder, name, strlen(name));
		builder_add(c->builder, KIND_CLUSTER_QUEUE, &queue, (struct place){0}, KIND_ALWAYS);
		table_add(c, yaml_find(entries->items[i], "workload"),
			  mem_arena_strdup(c->arena, name));
	}
	return table_start(c);
}

bool table_order(struct table_case *c)
{
	const struct yaml_node *entries = yaml_find(c->root, "entries");
	const struct yaml_node *order = yaml_find(c->want, "order");
	struct kueue *k = c->k;

	if (!read_entries(c, entries))
		return false;
	k = c->k;
	k->head_count = table_count(entries);
	for (uint32_t i = 0; i < table_count(entries); i++) {
		k->heads[i] = i;
		k->entries[i].queue = i;
		k->entries[i].job = i;
		k->entries[i].assignment.level =
			(uint32_t)table_number(entries->items[i], "borrowing");
		if (strcmp(table_text(entries->items[i], "isPreemptor"), "true") == 0)
			k->queues[i].preemptor = i;
	}
	kueue_cycle_order(k);
	for (uint32_t i = 0; i < table_count(order); i++) {
		const char *got = table_text(c->workloads[k->heads[i]].node, "metadata.name");

		if (strcmp(got, table_text(order->items[i], "")) != 0)
			return table_differ(c, "number %u is %s, not %s", i + 1, got,
					    table_text(order->items[i], ""));
	}
	return true;
}
