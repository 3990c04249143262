#include "sim/world/usage.h"

#include <string.h>

#include "core/mem.h"

#define DEPTH_MAX 64 /* of a cohort tree, against cycles */

__extension__ typedef __int128 wide;

/* The members of one pool are next[] lists of cells, earlier queues first. */
struct pool {
	uint32_t root; /* cohort; SCENARIO_NONE: the queue is alone */
	uint32_t flavor, resource;
	uint32_t first;
	int64_t own; /* quota of the cohorts themselves */
	bool dirty;
};

struct usage_state {
	const struct cluster_queue **queues; /* in force; NULL: not yet there */
	bool *ending;			     /* per queue: deleted, but it still holds quota */
	const struct cohort **cohorts;
	uint32_t cohort_count;
	struct pool *pools;
	uint32_t pool_count;
	size_t pool_capacity;
	uint32_t *next;	 /* [cell] in its pool; SCENARIO_NONE */
	uint32_t *dirty; /* pools */
	uint32_t dirty_count;
	int64_t *idle; /* scratch of a pool: [cell] unused lendable quota */
	int64_t *rest; /* likewise: of a division */
};

/* ---- the objects in force ---- */

static uint32_t record_count(const struct scenario *s, enum update_kind kind, uint32_t live)
{
	for (uint32_t i = 0; i < s->update_count; i++) {
		if (s->updates[i].kind == kind && s->updates[i].version >= live)
			live = s->updates[i].version + 1;
	}
	return live;
}

/* The index that record i of the kind stands for: its own, or what it replaces. */
static uint32_t object_of(const struct scenario *s, enum update_kind kind, uint32_t record)
{
	for (uint32_t i = 0; i < s->update_count; i++) {
		const struct update *u = &s->updates[i];

		if (u->kind == kind && u->version == record)
			return u->object == SCENARIO_NONE ? record : u->object;
	}
	return record;
}

/* ---- quota of one object ---- */

static const struct quota_cell *group_cell(const struct resource_group *group, uint32_t flavor,
					   uint32_t resource)
{
	for (uint32_t f = 0; f < group->flavor_count; f++) {
		if (group->flavors[f] != flavor)
			continue;
		for (uint32_t r = 0; r < group->resource_count; r++) {
			if (group->resources[r] == resource)
				return &group->cells[f * group->resource_count + r];
		}
	}
	return NULL;
}

static const struct quota_cell *find_quota(const struct resource_group *groups, uint32_t count,
					   uint32_t flavor, uint32_t resource)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct quota_cell *cell = group_cell(&groups[i], flavor, resource);

		if (cell != NULL)
			return cell;
	}
	return NULL;
}

/* ---- cells ---- */

uint32_t usage_find(const struct usage *usage, uint32_t queue, uint32_t flavor, uint32_t resource)
{
	for (uint32_t c = usage->first_cell[queue]; c < usage->first_cell[queue + 1]; c++) {
		if (usage->cells[c].flavor == flavor && usage->cells[c].resource == resource)
			return c;
	}
	return SCENARIO_NONE;
}

/* Appends the (flavor, resource) pairs of a record to the queue's cells, those
 * that stand there already left out. cells may be NULL: then it only counts an
 * upper bound. */
static uint32_t add_cells(struct usage_cell *cells, uint32_t from, uint32_t at, uint32_t queue,
			  const struct cluster_queue *record)
{
	for (uint32_t g = 0; g < record->group_count; g++) {
		const struct resource_group *group = &record->groups[g];

		for (uint32_t i = 0; i < group->flavor_count * group->resource_count; i++) {
			uint32_t flavor = group->flavors[i / group->resource_count];
			uint32_t resource = group->resources[i % group->resource_count];
			uint32_t c = from;

			if (flavor == SCENARIO_NONE)
				continue;
			while (cells != NULL && c < at &&
			       (cells[c].flavor != flavor || cells[c].resource != resource))
				c++;
			if (cells != NULL && c < at)
				continue;
			if (cells != NULL)
				cells[at] = (struct usage_cell){
					.queue = queue, .flavor = flavor, .resource = resource};
			at++;
		}
	}
	return at;
}

/* All records of the queue, the first one and every later version. */
static uint32_t queue_cells(const struct scenario *s, struct usage_cell *cells, uint32_t at,
			    uint32_t queue, uint32_t records)
{
	uint32_t from = at;

	at = add_cells(cells, from, at, queue, &s->cluster_queues[queue]);
	for (uint32_t v = s->cluster_queue_count; v < records; v++) {
		if (v != queue && object_of(s, UPDATE_CLUSTER_QUEUE, v) == queue)
			at = add_cells(cells, from, at, queue, &s->cluster_queues[v]);
	}
	return at;
}

static bool is_queue(const struct scenario *s, uint32_t record)
{
	return object_of(s, UPDATE_CLUSTER_QUEUE, record) == record;
}

static void make_cells(struct usage *usage)
{
	const struct scenario *s = usage->scenario;
	uint32_t records = usage->queue_count;
	uint32_t bound = 0, at = 0;

	for (uint32_t q = 0; q < records; q++)
		bound = add_cells(NULL, 0, bound, q, &s->cluster_queues[q]);
	usage->cells = mem_calloc(bound, sizeof(*usage->cells));
	usage->first_cell = mem_calloc((size_t)records + 1, sizeof(*usage->first_cell));
	for (uint32_t q = 0; q < records; q++) {
		usage->first_cell[q] = at;
		if (is_queue(s, q))
			at = queue_cells(s, usage->cells, at, q, records);
	}
	usage->first_cell[records] = at;
	usage->cell_count = at;
}

/* ---- pools ---- */

static uint32_t root_of(const struct usage_state *state, uint32_t cohort)
{
	for (int depth = 0; depth < DEPTH_MAX && cohort != SCENARIO_NONE; depth++) {
		uint32_t parent = state->cohorts[cohort]->parent;

		if (parent == SCENARIO_NONE || state->cohorts[cohort]->in_cycle)
			return cohort;
		cohort = parent;
	}
	return cohort;
}

static int64_t own_quota(const struct usage_state *state, const struct pool *pool)
{
	int64_t own = 0;

	if (pool->root == SCENARIO_NONE)
		return 0;
	for (uint32_t i = 0; i < state->cohort_count; i++) {
		const struct cohort *cohort = state->cohorts[i];
		const struct quota_cell *cell;

		if (cohort == NULL || root_of(state, i) != pool->root)
			continue;
		cell = find_quota(cohort->groups, cohort->group_count, pool->flavor,
				  pool->resource);
		if (cell != NULL)
			own = res_add(own, cell->nominal);
	}
	return own;
}

static uint32_t find_pool(struct usage_state *state, uint32_t root, const struct usage_cell *cell)
{
	struct pool *pool;

	for (uint32_t p = 0; root != SCENARIO_NONE && p < state->pool_count; p++) {
		pool = &state->pools[p];
		if (pool->root == root && pool->flavor == cell->flavor &&
		    pool->resource == cell->resource)
			return p;
	}
	state->pools = mem_grow(state->pools, (size_t)state->pool_count + 1, &state->pool_capacity,
				sizeof(*state->pools));
	pool = &state->pools[state->pool_count];
	*pool = (struct pool){root, cell->flavor, cell->resource, SCENARIO_NONE, 0, false};
	pool->own = own_quota(state, pool);
	return state->pool_count++;
}

static void mark(struct usage_state *state, uint32_t pool)
{
	if (state->pools[pool].dirty)
		return;
	state->pools[pool].dirty = true;
	state->dirty[state->dirty_count++] = pool;
}

/* Limits of a cell as its queue has them now; none without the queue. */
static void set_limits(struct usage_cell *cell, const struct cluster_queue *queue)
{
	const struct quota_cell *quota = queue == NULL
						 ? NULL
						 : find_quota(queue->groups, queue->group_count,
							      cell->flavor, cell->resource);

	cell->nominal = quota == NULL ? 0 : quota->nominal;
	cell->borrowing_limit = quota == NULL ? QUOTA_ABSENT : quota->borrowing_limit;
	cell->lending_limit = quota == NULL ? QUOTA_ABSENT : quota->lending_limit;
}

/* Everything derived from the objects in force. */
static void rebuild(struct usage *usage)
{
	struct usage_state *state = usage->state;

	state->pool_count = 0;
	state->dirty_count = 0;
	/* Backwards, so that each pool's list has the earlier queues first. */
	for (uint32_t c = usage->cell_count; c-- > 0;) {
		struct usage_cell *cell = &usage->cells[c];
		const struct cluster_queue *queue = state->queues[cell->queue];
		uint32_t root = queue == NULL || queue->cohort == SCENARIO_NONE
					? SCENARIO_NONE
					: root_of(state, queue->cohort);

		set_limits(cell, queue);
		cell->pool = find_pool(state, root, cell);
		state->next[c] = state->pools[cell->pool].first;
		state->pools[cell->pool].first = c;
		mark(state, cell->pool);
	}
}

/* ---- life ---- */

struct usage *usage_new(const struct scenario *s)
{
	struct usage *usage = mem_calloc(1, sizeof(*usage));
	struct usage_state *state = mem_calloc(1, sizeof(*state));

	usage->scenario = s;
	usage->state = state;
	usage->queue_count = record_count(s, UPDATE_CLUSTER_QUEUE, s->cluster_queue_count);
	state->cohort_count = record_count(s, UPDATE_COHORT, s->cohort_count);
	state->queues = mem_calloc(usage->queue_count, sizeof(*state->queues));
	state->ending = mem_calloc(usage->queue_count, sizeof(*state->ending));
	state->cohorts = mem_calloc(state->cohort_count, sizeof(*state->cohorts));
	for (uint32_t q = 0; q < s->cluster_queue_count; q++)
		state->queues[q] = s->cluster_queues[q].absent ? NULL : &s->cluster_queues[q];
	for (uint32_t c = 0; c < s->cohort_count; c++)
		state->cohorts[c] = &s->cohorts[c];
	make_cells(usage);
	state->next = mem_calloc(usage->cell_count, sizeof(*state->next));
	state->dirty = mem_calloc(usage->cell_count, sizeof(*state->dirty));
	state->idle = mem_calloc(usage->cell_count, sizeof(*state->idle));
	state->rest = mem_calloc(usage->cell_count, sizeof(*state->rest));
	usage->changed = mem_calloc(usage->cell_count, sizeof(*usage->changed));
	rebuild(usage);
	usage_settle(usage);
	return usage;
}

void usage_free(struct usage *usage)
{
	if (usage == NULL)
		return;
	mem_free(usage->state->queues);
	mem_free(usage->state->ending);
	mem_free(usage->state->cohorts);
	mem_free(usage->state->pools);
	mem_free(usage->state->next);
	mem_free(usage->state->dirty);
	mem_free(usage->state->idle);
	mem_free(usage->state->rest);
	mem_free(usage->state);
	mem_free(usage->cells);
	mem_free(usage->first_cell);
	mem_free(usage->changed);
	mem_free(usage);
}

/* ---- changes ---- */

struct reservation {
	struct usage *usage;
	uint32_t queue;
	int sign;
};

static void visit(void *context, uint32_t flavor, uint32_t resource, int64_t amount)
{
	struct reservation *r = context;
	uint32_t c = usage_find(r->usage, r->queue, flavor, resource);

	if (c == SCENARIO_NONE || amount == 0)
		return;
	r->usage->cells[c].used = r->sign > 0 ? res_add(r->usage->cells[c].used, amount)
					      : res_sub(r->usage->cells[c].used, amount);
	mark(r->usage->state, r->usage->cells[c].pool);
}

void usage_reserve(struct usage *usage, uint32_t job, const struct admission *admission, int sign)
{
	struct reservation r = {usage, admission->cluster_queue, sign};

	journal_admission_usage(usage->scenario, job, admission, visit, &r);
}

void usage_update(struct usage *usage, uint32_t update)
{
	const struct scenario *s = usage->scenario;
	const struct update *u = &s->updates[update];
	uint32_t object = u->object == SCENARIO_NONE ? u->version : u->object;

	if (u->kind == UPDATE_CLUSTER_QUEUE) {
		if (usage->state->ending[object])
			return;
		usage->state->ending[object] = s->cluster_queues[u->version].absent;
		if (usage->state->ending[object])
			return; /* its quota goes with its last reservation */
		usage->state->queues[object] = &s->cluster_queues[u->version];
	} else if (u->kind == UPDATE_COHORT) {
		usage->state->cohorts[object] = &s->cohorts[u->version];
	} else {
		return;
	}
	rebuild(usage);
}

void usage_delete(struct usage *usage, uint32_t update)
{
	uint32_t queue = usage->scenario->updates[update].object;

	usage->state->queues[queue] = NULL;
	usage->state->ending[queue] = false;
	rebuild(usage);
}

/* ---- borrowed and lent ---- */

static int64_t unused_lendable(const struct usage_cell *cell)
{
	int64_t idle = res_sub(cell->nominal, cell->used);

	if (idle <= 0)
		return 0;
	if (cell->lending_limit != QUOTA_ABSENT && cell->lending_limit < idle)
		return cell->lending_limit;
	return idle;
}

static void set_figures(struct usage *usage, uint32_t c, int64_t lent)
{
	struct usage_cell *cell = &usage->cells[c];
	int64_t borrowed = cell->used > cell->nominal ? cell->used - cell->nominal : 0;

	cell->borrowed = borrowed;
	cell->lent = lent;
	usage->changed[usage->changed_count++] = c;
}

/* The share of a member, rounded down, and what that leaves over. */
static int64_t share_of(int64_t drawn, int64_t idle, int64_t total, int64_t *rest)
{
	int64_t product;

	if (!__builtin_mul_overflow(drawn, idle, &product)) { /* much the faster division */
		*rest = product % total;
		return product / total;
	}
	*rest = (int64_t)((wide)drawn * idle % total);
	return (int64_t)((wide)drawn * idle / total);
}

/* Members' shares of drawn, in idle[]: proportional parts rounded down, then one
 * unit more for the largest remainders. */
static void share_out(struct usage *usage, const struct pool *pool, int64_t drawn, int64_t total)
{
	const uint32_t *next = usage->state->next;
	int64_t *idle = usage->state->idle, *rest = usage->state->rest;
	int64_t left = drawn;

	for (uint32_t c = pool->first; c != SCENARIO_NONE; c = next[c]) {
		idle[c] = share_of(drawn, idle[c], total, &rest[c]);
		left -= idle[c];
	}
	for (; left > 0; left--) { /* below the number of members */
		uint32_t best = pool->first;

		for (uint32_t c = next[best]; c != SCENARIO_NONE; c = next[c])
			best = rest[c] > rest[best] ? c : best;
		idle[best]++;
		rest[best] = -1;
	}
}

static void settle_pool(struct usage *usage, struct pool *pool)
{
	const uint32_t *next = usage->state->next;
	int64_t *idle = usage->state->idle;
	int64_t drawn = 0, total = 0;

	for (uint32_t c = pool->first; c != SCENARIO_NONE; c = next[c]) {
		struct usage_cell *cell = &usage->cells[c];

		if (cell->used > cell->nominal)
			drawn = res_add(drawn, cell->used - cell->nominal);
		idle[c] = unused_lendable(cell);
		total = res_add(total, idle[c]);
	}
	drawn = pool->root == SCENARIO_NONE || drawn < pool->own ? 0 : res_sub(drawn, pool->own);
	if (drawn > total)
		drawn = total;
	if (drawn > 0)
		share_out(usage, pool, drawn, total);
	for (uint32_t c = pool->first; c != SCENARIO_NONE; c = next[c])
		set_figures(usage, c, drawn > 0 ? idle[c] : 0);
	pool->dirty = false;
}

void usage_settle(struct usage *usage)
{
	struct usage_state *state = usage->state;

	usage->changed_count = 0;
	for (uint32_t i = 0; i < state->dirty_count; i++)
		settle_pool(usage, &state->pools[state->dirty[i]]);
	state->dirty_count = 0;
}

/* ---- potential ---- */

/* Quota of the cohort's subtree, and what of it the parent sees (spec KUEUE.md 2.1). */
static int64_t cohort_subtree(const struct usage *usage, uint32_t cohort,
			      const struct usage_cell *of, int depth);

static int64_t shown(int64_t subtree, int64_t lending_limit)
{
	return lending_limit != QUOTA_ABSENT && lending_limit < subtree ? lending_limit : subtree;
}

static const struct quota_cell *cohort_quota(const struct cohort *cohort,
					     const struct usage_cell *of)
{
	return find_quota(cohort->groups, cohort->group_count, of->flavor, of->resource);
}

static int64_t cohort_subtree(const struct usage *usage, uint32_t cohort,
			      const struct usage_cell *of, int depth)
{
	const struct usage_state *state = usage->state;
	const struct quota_cell *quota = cohort_quota(state->cohorts[cohort], of);
	int64_t sum = quota == NULL ? 0 : quota->nominal;

	for (uint32_t c = 0; c < usage->cell_count; c++) {
		const struct usage_cell *cell = &usage->cells[c];
		const struct cluster_queue *queue = state->queues[cell->queue];

		if (queue != NULL && queue->cohort == cohort && cell->flavor == of->flavor &&
		    cell->resource == of->resource)
			sum = res_add(sum, shown(cell->nominal, cell->lending_limit));
	}
	for (uint32_t i = 0; i < state->cohort_count && depth < DEPTH_MAX; i++) {
		if (state->cohorts[i] == NULL || state->cohorts[i]->parent != cohort)
			continue;
		quota = cohort_quota(state->cohorts[i], of);
		sum = res_add(sum, shown(cohort_subtree(usage, i, of, depth + 1),
					 quota == NULL ? QUOTA_ABSENT : quota->lending_limit));
	}
	return sum;
}

static int64_t limited(int64_t potential, int64_t subtree, int64_t borrowing_limit)
{
	int64_t most = res_add(subtree, borrowing_limit);

	return borrowing_limit != QUOTA_ABSENT && most < potential ? most : potential;
}

static int64_t cohort_potential(const struct usage *usage, uint32_t cohort,
				const struct usage_cell *of, int depth)
{
	const struct cohort *record = usage->state->cohorts[cohort];
	const struct quota_cell *quota = cohort_quota(record, of);
	int64_t subtree = cohort_subtree(usage, cohort, of, 0);
	int64_t up;

	if (record->parent == SCENARIO_NONE || record->in_cycle || depth == DEPTH_MAX)
		return subtree;
	up = cohort_potential(usage, record->parent, of, depth + 1);
	if (quota == NULL)
		return up;
	up = res_add(res_sub(subtree, shown(subtree, quota->lending_limit)), up);
	return limited(up, subtree, quota->borrowing_limit);
}

int64_t usage_potential(const struct usage *usage, uint32_t c)
{
	const struct usage_cell *cell = &usage->cells[c];
	const struct cluster_queue *queue = usage->state->queues[cell->queue];
	int64_t kept = cell->nominal - shown(cell->nominal, cell->lending_limit);

	if (queue == NULL || queue->cohort == SCENARIO_NONE)
		return cell->nominal;
	return limited(res_add(kept, cohort_potential(usage, queue->cohort, cell, 0)),
		       cell->nominal, cell->borrowing_limit);
}

/* ---- available ---- */

static int64_t positive(int64_t amount)
{
	return amount > 0 ? amount : 0;
}

/* What of a usage the parent sees: all beyond the guaranteed part. */
static int64_t charged(int64_t used, int64_t subtree, int64_t lending_limit)
{
	return positive(used - (subtree - shown(subtree, lending_limit)));
}

static int64_t cohort_used(const struct usage *usage, uint32_t cohort, const struct usage_cell *of,
			   int depth)
{
	const struct usage_state *state = usage->state;
	int64_t sum = 0;

	for (uint32_t c = 0; c < usage->cell_count; c++) {
		const struct usage_cell *cell = &usage->cells[c];
		const struct cluster_queue *queue = state->queues[cell->queue];

		if (queue != NULL && queue->cohort == cohort && cell->flavor == of->flavor &&
		    cell->resource == of->resource)
			sum = res_add(sum, charged(cell->used, cell->nominal, cell->lending_limit));
	}
	for (uint32_t i = 0; i < state->cohort_count && depth < DEPTH_MAX; i++) {
		const struct quota_cell *quota;

		if (state->cohorts[i] == NULL || state->cohorts[i]->parent != cohort)
			continue;
		quota = cohort_quota(state->cohorts[i], of);
		sum = res_add(sum, charged(cohort_used(usage, i, of, depth + 1),
					   cohort_subtree(usage, i, of, 0),
					   quota == NULL ? QUOTA_ABSENT : quota->lending_limit));
	}
	return sum;
}

/* available(n) of spec KUEUE.md 2.2, given the parent's. */
static int64_t available_below(int64_t parent, int64_t subtree, int64_t used, int64_t lending_limit,
			       int64_t borrowing_limit)
{
	int64_t in_parent = shown(subtree, lending_limit);
	int64_t local = positive(subtree - in_parent - used);
	int64_t most;

	if (borrowing_limit != QUOTA_ABSENT) {
		most = res_add(in_parent - charged(used, subtree, lending_limit), borrowing_limit);
		parent = most < parent ? most : parent;
	}
	return res_add(local, parent);
}

static int64_t cohort_available(const struct usage *usage, uint32_t cohort,
				const struct usage_cell *of, int depth)
{
	const struct cohort *record = usage->state->cohorts[cohort];
	const struct quota_cell *quota = cohort_quota(record, of);
	int64_t subtree = cohort_subtree(usage, cohort, of, 0);
	int64_t used = cohort_used(usage, cohort, of, 0);

	if (record->parent == SCENARIO_NONE || record->in_cycle || depth == DEPTH_MAX)
		return res_sub(subtree, used);
	return available_below(cohort_available(usage, record->parent, of, depth + 1), subtree,
			       used, quota == NULL ? QUOTA_ABSENT : quota->lending_limit,
			       quota == NULL ? QUOTA_ABSENT : quota->borrowing_limit);
}

int64_t usage_available(const struct usage *usage, uint32_t c, bool limited_too)
{
	const struct usage_cell *cell = &usage->cells[c];
	const struct cluster_queue *queue = usage->state->queues[cell->queue];

	if (queue == NULL || queue->cohort == SCENARIO_NONE)
		return res_sub(cell->nominal, cell->used);
	return available_below(cohort_available(usage, queue->cohort, cell, 0), cell->nominal,
			       cell->used, cell->lending_limit,
			       limited_too ? cell->borrowing_limit : QUOTA_ABSENT);
}

const struct cluster_queue *usage_queue(const struct usage *usage, uint32_t queue)
{
	return usage->state->queues[queue];
}

bool usage_same_tree(const struct usage *usage, uint32_t a, uint32_t b)
{
	const struct usage_state *state = usage->state;

	if (a == b)
		return true;
	if (state->queues[a] == NULL || state->queues[b] == NULL ||
	    state->queues[a]->cohort == SCENARIO_NONE || state->queues[b]->cohort == SCENARIO_NONE)
		return false;
	return root_of(state, state->queues[a]->cohort) == root_of(state, state->queues[b]->cohort);
}
