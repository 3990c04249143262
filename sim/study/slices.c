#include "sim/study/slices.h"

#include <math.h>
#include <string.h>

#include "core/sort.h"

#define MORE (4.0 / 3)

static bool does_with_slice(const struct scenario *s, const struct job *job)
{
	return job->common->gpus == 1 && job->common->pods == 1 &&
	       job->common->pod_set_count == 1 && job->duration != JOB_ENDLESS &&
	       mig_is_enough(job->utilisation, MIG_MOST) &&
	       (job->common->flags & JOB_INACTIVE) == 0 &&
	       s->shapes[s->pod_sets[job->common->first_pod_set].shape].gpus == 1;
}

static double hours(simtime time)
{
	return (double)time / (double)CLOCK_HOUR;
}

/* ---- where ---- */

/* The first pool of which MIG can cut GPUs. */
static const struct node *find_pool(const struct scenario *s, struct slices *out)
{
	const struct node *first = NULL;

	for (uint32_t i = 0; i < s->node_count; i++) {
		const struct node *node = &s->nodes[i];

		if (node->pool == NAME_NONE || node->gpus < 2 || node->scaled != 0 || node->spare ||
		    (first != NULL && node->pool != first->pool))
			continue;
		if (first == NULL)
			out->profile = mig_profile(s->strings, node);
		if (out->profile == NULL)
			continue;
		first = first == NULL ? node : first;
		out->pool = first->pool;
		out->most += node->gpus - 1;
	}
	return first;
}

/* The cell of whole GPUs in a flavor of the pool's nodes; NULL: the queue has none. */
static const struct quota_cell *find_cell(const struct scenario *s, uint32_t queue,
					  const struct node *node, uint32_t *flavor)
{
	const struct cluster_queue *cq = &s->cluster_queues[queue];
	uint32_t whole = name_find(s->resources, MIG_WHOLE);

	for (uint32_t g = 0; g < cq->group_count; g++)
		for (uint32_t f = 0; f < cq->groups[g].flavor_count; f++)
			for (uint32_t r = 0; r < cq->groups[g].resource_count; r++) {
				const struct resource_group *group = &cq->groups[g];

				if (group->resources[r] != whole ||
				    group->flavors[f] == SCENARIO_NONE ||
				    !label_contains(&node->labels,
						    &s->flavors[group->flavors[f]].node_labels) ||
				    (*flavor != SCENARIO_NONE && *flavor != group->flavors[f]))
					continue;
				*flavor = group->flavors[f];
				return &group->cells[f * group->resource_count + r];
			}
	return NULL;
}

/* ---- how many ---- */

struct edge {
	simtime at;
	int32_t more;
};

static int compare_edges(const void *a, const void *b, void *context)
{
	const struct edge *x = a, *y = b;

	(void)context;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->more > y->more) - (x->more < y->more);
}

static uint32_t queue_of(const struct scenario *s, uint32_t job, bool queues)
{
	return queues ? scenario_job_cluster_queue(s, job) : SCENARIO_NONE;
}

/* Such jobs of the queue, if each began when it came. */
static void measure(const struct scenario *s, bool queues, struct slices_queue *out)
{
	struct edge *edges = mem_calloc((size_t)s->job_count * 2, sizeof(*edges));
	simtime first = CLOCK_NEVER, last = 0;
	size_t count = 0;
	double sum = 0;
	int64_t now = 0;

	for (uint32_t i = 0; i < s->job_count; i++) {
		const struct job *job = &s->jobs[i];

		if (!does_with_slice(s, job) || queue_of(s, i, queues) != out->queue)
			continue;
		out->jobs++;
		first = job->submit < first ? job->submit : first;
		last = job->submit > last ? job->submit : last;
		sum += hours(job->duration);
		edges[count++] = (struct edge){job->submit, 1};
		edges[count++] = (struct edge){clock_add(job->submit, job->duration), -1};
	}
	sort_stable(edges, count, sizeof(*edges), compare_edges, NULL);
	for (size_t i = 0; i < count; i++) {
		now += edges[i].more;
		out->peak = now > out->peak ? now : out->peak;
	}
	if (out->jobs > 0)
		out->mean = fmin(last > first ? sum / hours(last - first) : (double)out->peak,
				 (double)out->peak);
	mem_free(edges);
}

int64_t slices_gpus(const struct slices_queue *queue, bool peak)
{
	double slices = (double)queue->peak;
	int64_t gpus;

	slices = peak ? slices : fmin(ceil(queue->mean * MORE), slices);
	gpus = (int64_t)ceil(slices / MIG_MOST);
	return queue->queue != SCENARIO_NONE && gpus > queue->nominal - 1 ? queue->nominal - 1
									  : gpus;
}

/* ---- all of it ---- */

static void list_queues(struct mem_arena *arena, const struct scenario *s, const struct node *node,
			struct slices *out)
{
	out->queues = mem_arena_alloc(arena, s->cluster_queue_count * sizeof(*out->queues));
	for (uint32_t q = 0; q < s->cluster_queue_count && out->absent == NULL; q++) {
		struct slices_queue mine = {.queue = q};
		const struct quota_cell *cell;

		measure(s, true, &mine);
		if (mine.jobs == 0)
			continue;
		cell = find_cell(s, q, node, &out->flavor);
		if (cell == NULL || cell->nominal < 2 || cell->nominal == RES_UNLIMITED) {
			out->absent = "a queue of jobs that could do with a slice has no two GPUs "
				      "of quota that could be cut";
			return;
		}
		mine.nominal = cell->nominal;
		out->queues[out->queue_count++] = mine;
	}
	if (out->queue_count == 0)
		out->absent = "jobs that could do with a slice have no ClusterQueue";
}

void slices_find(struct mem_arena *arena, const struct scenario *s, bool queues, struct slices *out)
{
	const struct node *node;

	*out = (struct slices){.pool = NAME_NONE, .flavor = SCENARIO_NONE};
	for (uint32_t i = 0; i < s->job_count; i++)
		out->jobs += does_with_slice(s, &s->jobs[i]);
	node = find_pool(s, out);
	if (out->jobs == 0) {
		out->absent = "no job of one GPU says that a seventh of it is enough "
			      "(gpuUtilisation)";
	} else if (node == NULL) {
		out->absent = "no pool of nodes with two GPUs or more is of a model that MIG is "
			      "known to cut (A100, H100, H200, B200)";
	} else if (queues) {
		list_queues(arena, s, node, out);
	} else {
		out->queues = mem_arena_alloc(arena, sizeof(*out->queues));
		out->queues[0] = (struct slices_queue){.queue = SCENARIO_NONE};
		out->queue_count = 1;
		measure(s, false, out->queues);
	}
}
