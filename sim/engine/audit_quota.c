#include "sim/engine/audit_quota.h"

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
	uint32_t queue_count, cohort_count; /* records, versions included */
	uint32_t node_count;		    /* queues, then cohorts */
	uint32_t columns;		    /* flavor * resources + resource */
	/* Per record that is an object: the record that holds now; SCENARIO_NONE
	 * for those that have no part in the tree (yet). */
	uint32_t *queue_now, *cohort_now;
	bool *closed; /* per queue: deleted, though it still holds quota */
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
	if (cohort == SCENARIO_NONE || q->cohort_now[cohort] == SCENARIO_NONE ||
	    q->scenario->cohorts[q->cohort_now[cohort]].in_cycle)
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

static void read_queue(struct audit_quota *q, uint32_t node)
{
	const struct cluster_queue *now = &q->scenario->cluster_queues[q->queue_now[node]];

	q->parent[node] = cohort_node(q, now->cohort);
	read_groups(q, node, now->groups, now->group_count);
}

static void read_cohort(struct audit_quota *q, uint32_t node)
{
	const struct cohort *now = &q->scenario->cohorts[q->cohort_now[node - q->queue_count]];

	if (!now->in_cycle)
		q->parent[node] = cohort_node(q, now->parent);
	read_groups(q, node, now->groups, now->group_count);
}

static void read_node(struct audit_quota *q, uint32_t node)
{
	clear(q, node);
	q->parent[node] = NO_NODE;
	if (node >= q->queue_count) {
		if (q->cohort_now[node - q->queue_count] != SCENARIO_NONE)
			read_cohort(q, node);
	} else if (q->queue_now[node] != SCENARIO_NONE) {
		read_queue(q, node);
	}
}

/* Who is on or below a cycle, which a later record may close, stands alone. */
static void leave_cycles(struct audit_quota *q)
{
	for (uint32_t node = 0; node < q->node_count; node++) {
		if (depth(q, node) == DEPTH_MAX)
			q->parent[node] = NO_NODE;
	}
}

/* Everything from the records and from what the queues have reserved. */
static void rebuild(struct audit_quota *q)
{
	for (uint32_t node = 0; node < q->node_count; node++)
		read_node(q, node);
	leave_cycles(q);
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
	struct audit_quota *q = mem_calloc(1, sizeof(*q));

	q->scenario = s;
	q->queue_count = records(s, UPDATE_CLUSTER_QUEUE, s->cluster_queue_count);
	q->cohort_count = records(s, UPDATE_COHORT, s->cohort_count);
	q->node_count = q->queue_count + q->cohort_count;
	q->columns = records(s, UPDATE_FLAVOR, s->flavor_count) * s->resource_count;
	q->queue_now = mem_calloc(q->queue_count, sizeof(*q->queue_now));
	q->closed = mem_calloc(q->queue_count, sizeof(*q->closed));
	q->cohort_now = mem_calloc(q->cohort_count, sizeof(*q->cohort_now));
	q->parent = mem_calloc(q->node_count, sizeof(*q->parent));
	q->limits = mem_calloc((size_t)q->node_count * q->columns, sizeof(*q->limits));
	q->own = mem_calloc((size_t)q->queue_count * q->columns, sizeof(*q->own));
	for (uint32_t i = 0; i < q->queue_count; i++)
		q->queue_now[i] = i < s->cluster_queue_count && !s->cluster_queues[i].absent
					  ? i
					  : SCENARIO_NONE;
	for (uint32_t i = 0; i < q->cohort_count; i++)
		q->cohort_now[i] = i < s->cohort_count ? i : SCENARIO_NONE;
	rebuild(q);
	return q;
}

void audit_quota_free(struct audit_quota *q)
{
	if (q == NULL)
		return;
	mem_free(q->queue_now);
	mem_free(q->closed);
	mem_free(q->cohort_now);
	mem_free(q->parent);
	mem_free(q->limits);
	mem_free(q->own);
	mem_free(q);
}

void audit_quota_update(struct audit_quota *q, uint32_t update)
{
	const struct update *u = &q->scenario->updates[update];
	uint32_t object = u->object == SCENARIO_NONE ? u->version : u->object;

	if (u->kind == UPDATE_CLUSTER_QUEUE) {
		if (q->closed[object])
			return;
		q->closed[object] = q->scenario->cluster_queues[u->version].absent;
		if (q->closed[object])
			return; /* audit_quota_delete says when it is gone */
		q->queue_now[object] = u->version;
	} else if (u->kind == UPDATE_COHORT) {
		q->cohort_now[object] = u->version;
	} else {
		return;
	}
	rebuild(q);
}

bool audit_quota_delete(struct audit_quota *q, uint32_t update)
{
	uint32_t queue = q->scenario->updates[update].object;
	bool empty = true;

	for (uint32_t c = 0; c < q->columns; c++)
		empty = empty && q->own[(size_t)queue * q->columns + c] == 0;
	q->queue_now[queue] = SCENARIO_NONE;
	q->closed[queue] = false;
	rebuild(q);
	return empty;
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

bool audit_quota_open(const struct audit_quota *q, const struct admission *a)
{
	return q->queue_now[a->cluster_queue] != SCENARIO_NONE && !q->closed[a->cluster_queue];
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
	uint32_t name = queue ? s->cluster_queues[q->queue_now[node]].name
			      : s->cohorts[q->cohort_now[node - q->queue_count]].name;

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
	struct check check = {.quota = q, .size = size};

	check.buf = buf;
	q->queue = a->cluster_queue;
	journal_admission_usage(q->scenario, job, a, check_column, &check);
	return !check.broken;
}
