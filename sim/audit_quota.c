#include "sim/audit_quota.h"

#include <inttypes.h>
#include <stdio.h>

#define NO_NODE	  UINT32_MAX
#define DEPTH_MAX 64 /* more parents in a row than this are a cycle */

struct limits {
	int64_t nominal, borrowing, lending; /* QUOTA_ABSENT: no such limit */
	int64_t subtree;
	int64_t usage;
};

struct audit_quota {
	const struct scenario *scenario;
	uint32_t queue_count, cohort_count;  /* records, versions included */
	uint32_t node_count;		     /* queues, then cohorts */
	uint32_t columns;		     /* flavor * resources + resource */
	const struct cluster_queue **queues; /* per record: what holds now */
	const struct cohort **cohorts;
	uint32_t *parent;
	struct limits *limits; /* [node * columns + column] */
	int64_t *own;	       /* [queue * columns + column]: reserved */
	int sign;	       /* of the reservation being counted */
	uint32_t queue;	       /* whose it is */
};

static uint32_t records(const struct scenario *s, enum update_kind kind, uint32_t live)
{
	for (uint32_t i = 0; i < s->update_count; i++) {
		if (s->updates[i].kind == kind && s->updates[i].version >= live)
			live = s->updates[i].version + 1;
	}
	return live;
}

static struct limits *cell(struct audit_quota *q, uint32_t node, uint32_t column)
{
	return &q->limits[(size_t)node * q->columns + column];
}

/* ---- quotas ---- */

static void read_groups(struct audit_quota *q, uint32_t node, const struct resource_group *groups,
			uint32_t count)
{
	for (uint32_t g = 0; g < count; g++) {
		for (uint32_t f = 0; f < groups[g].flavor_count; f++) {
			if (groups[g].flavors[f] == SCENARIO_NONE)
				continue;
			for (uint32_t r = 0; r < groups[g].resource_count; r++) {
				const struct quota_cell *c =
					&groups[g].cells[f * groups[g].resource_count + r];
				struct limits *l =
					cell(q, node,
					     groups[g].flavors[f] * q->scenario->resource_count +
						     groups[g].resources[r]);

				l->nominal = c->nominal;
				l->borrowing = c->borrowing_limit;
				l->lending = c->lending_limit;
			}
		}
	}
}

static uint32_t cohort_node(const struct audit_quota *q, uint32_t cohort)
{
	if (cohort == SCENARIO_NONE || q->cohorts[cohort]->in_cycle)
		return NO_NODE;
	return q->queue_count + cohort;
}

static int64_t kept_back(const struct limits *l)
{
	int64_t rest;

	if (l->lending == QUOTA_ABSENT)
		return 0;
	rest = res_sub(l->subtree, l->lending);
	return rest > 0 ? rest : 0;
}

static uint32_t depth(const struct audit_quota *q, uint32_t node)
{
	uint32_t d = 0;

	while (q->parent[node] != NO_NODE && d < DEPTH_MAX) {
		node = q->parent[node];
		d++;
	}
	return d;
}

/* Adds what the node shows and needs to its parent's cells. */
static void pass_up(struct audit_quota *q, uint32_t node)
{
	if (q->parent[node] == NO_NODE)
		return;
	for (uint32_t c = 0; c < q->columns; c++) {
		struct limits *l = cell(q, node, c), *up = cell(q, q->parent[node], c);
		int64_t shown = l->subtree, needed = res_sub(l->usage, kept_back(l));

		if (l->lending != QUOTA_ABSENT && l->lending < shown)
			shown = l->lending;
		up->subtree = res_add(up->subtree, shown);
		if (needed > 0)
			up->usage = res_add(up->usage, needed);
	}
}

static void clear(struct audit_quota *q, uint32_t node)
{
	for (uint32_t c = 0; c < q->columns; c++)
		*cell(q, node, c) =
			(struct limits){.borrowing = QUOTA_ABSENT, .lending = QUOTA_ABSENT};
}

static void read_node(struct audit_quota *q, uint32_t node)
{
	clear(q, node);
	if (node < q->queue_count) {
		q->parent[node] = cohort_node(q, q->queues[node]->cohort);
		read_groups(q, node, q->queues[node]->groups, q->queues[node]->group_count);
	} else {
		const struct cohort *c = q->cohorts[node - q->queue_count];

		q->parent[node] = c->in_cycle ? NO_NODE : cohort_node(q, c->parent);
		read_groups(q, node, c->groups, c->group_count);
	}
}

/* Everything from the records and from what the queues have reserved. */
static void rebuild(struct audit_quota *q)
{
	for (uint32_t node = 0; node < q->node_count; node++)
		read_node(q, node);
	for (uint32_t node = 0; node < q->node_count; node++) {
		for (uint32_t c = 0; c < q->columns; c++) {
			struct limits *l = cell(q, node, c);

			l->subtree = l->nominal;
			if (node < q->queue_count)
				l->usage = q->own[(size_t)node * q->columns + c];
		}
	}
	for (uint32_t d = DEPTH_MAX; d > 0; d--) {
		for (uint32_t node = 0; node < q->node_count; node++) {
			if (depth(q, node) == d)
				pass_up(q, node);
		}
	}
}

struct audit_quota *audit_quota_new(const struct scenario *s)
{
	static const struct cluster_queue nowhere = {.cohort = SCENARIO_NONE};
	static const struct cohort none = {.parent = SCENARIO_NONE};
	struct audit_quota *q = mem_calloc(1, sizeof(*q));

	q->scenario = s;
	q->queue_count = records(s, UPDATE_CLUSTER_QUEUE, s->cluster_queue_count);
	q->cohort_count = records(s, UPDATE_COHORT, s->cohort_count);
	q->node_count = q->queue_count + q->cohort_count;
	q->columns = records(s, UPDATE_FLAVOR, s->flavor_count) * s->resource_count;
	q->queues = mem_calloc(q->queue_count, sizeof(*q->queues));
	q->cohorts = mem_calloc(q->cohort_count, sizeof(*q->cohorts));
	q->parent = mem_calloc(q->node_count, sizeof(*q->parent));
	q->limits = mem_calloc((size_t)q->node_count * q->columns, sizeof(*q->limits));
	q->own = mem_calloc((size_t)q->queue_count * q->columns, sizeof(*q->own));
	for (uint32_t i = 0; i < q->queue_count; i++)
		q->queues[i] = &s->cluster_queues[i];
	for (uint32_t i = 0; i < q->cohort_count; i++)
		q->cohorts[i] = i < s->cohort_count ? &s->cohorts[i] : &none;
	/* Versions and objects that come later have no part in the tree yet. */
	for (uint32_t i = s->cluster_queue_count; i < q->queue_count; i++)
		q->queues[i] = &nowhere;
	rebuild(q);
	return q;
}

void audit_quota_free(struct audit_quota *q)
{
	if (q == NULL)
		return;
	mem_free(q->queues);
	mem_free(q->cohorts);
	mem_free(q->parent);
	mem_free(q->limits);
	mem_free(q->own);
	mem_free(q);
}

void audit_quota_update(struct audit_quota *q, uint32_t update)
{
	const struct update *u = &q->scenario->updates[update];
	uint32_t object = u->object == SCENARIO_NONE ? u->version : u->object;

	if (u->kind == UPDATE_CLUSTER_QUEUE)
		q->queues[object] = &q->scenario->cluster_queues[u->version];
	else if (u->kind == UPDATE_COHORT)
		q->cohorts[object] = &q->scenario->cohorts[u->version];
	else
		return;
	rebuild(q);
}

/* ---- usage ---- */

static int64_t needed(const struct limits *l)
{
	int64_t above = res_sub(l->usage, kept_back(l));

	return above > 0 ? above : 0;
}

/* Usage runs up as far as it exceeds what a node keeps for itself. */
static void charge(void *context, uint32_t flavor, uint32_t resource, int64_t amount)
{
	struct audit_quota *q = context;
	uint32_t column = flavor * q->scenario->resource_count + resource;
	uint32_t node = q->queue;
	int64_t change = q->sign > 0 ? amount : -amount;

	q->own[(size_t)node * q->columns + column] += change;
	while (node != NO_NODE && change != 0) {
		struct limits *l = cell(q, node, column);
		int64_t before = needed(l);

		l->usage = res_add(l->usage, change);
		change = res_sub(needed(l), before);
		node = q->parent[node];
	}
}

void audit_quota_take(struct audit_quota *q, uint32_t job, const struct admission *a)
{
	q->queue = a->cluster_queue;
	q->sign = 1;
	journal_admission_usage(q->scenario, job, a, charge, q);
}

void audit_quota_give(struct audit_quota *q, uint32_t job, const struct admission *a)
{
	q->queue = a->cluster_queue;
	q->sign = -1;
	journal_admission_usage(q->scenario, job, a, charge, q);
}

/* ---- limits ---- */

struct check {
	struct audit_quota *quota;
	char *buf;
	size_t size;
	bool broken;
};

static void complain(struct check *check, uint32_t node, uint32_t column, const char *what,
		     int64_t usage, int64_t limit)
{
	const struct audit_quota *q = check->quota;
	const struct scenario *s = q->scenario;
	bool queue = node < q->queue_count;
	uint32_t name = queue ? q->queues[node]->name : q->cohorts[node - q->queue_count]->name;

	check->broken = true;
	snprintf(check->buf, check->size,
		 "%s \"%.100s\" uses %" PRId64 " of %.60s in flavor \"%.60s\": its %s is %" PRId64,
		 queue ? "ClusterQueue" : "cohort", scenario_string(s, name), usage,
		 name_text(s->resources, column % s->resource_count),
		 scenario_string(s, s->flavors[column / s->resource_count].name), what, limit);
}

static void check_column(void *context, uint32_t flavor, uint32_t resource, int64_t amount)
{
	struct check *check = context;
	struct audit_quota *q = check->quota;
	uint32_t column = flavor * q->scenario->resource_count + resource;
	uint32_t node = q->queue;

	if (amount == 0 || check->broken)
		return;
	for (;;) {
		const struct limits *l = cell(q, node, column);
		bool root = q->parent[node] == NO_NODE;
		int64_t limit = l->subtree;

		if (!root && l->borrowing != QUOTA_ABSENT)
			limit = res_add(limit, l->borrowing);
		if ((root || l->borrowing != QUOTA_ABSENT) && l->usage > limit) {
			complain(check, node, column, root ? "quota" : "quota and borrowing limit",
				 l->usage, limit);
			return;
		}
		if (root || needed(l) == 0)
			return;
		node = q->parent[node];
	}
}

bool audit_quota_holds(struct audit_quota *q, uint32_t job, const struct admission *a, char *buf,
		       size_t size)
{
	struct check check = {.quota = q, .buf = buf, .size = size};

	q->queue = a->cluster_queue;
	journal_admission_usage(q->scenario, job, a, check_column, &check);
	return !check.broken;
}
