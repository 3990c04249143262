#include "sim/engine/nodepods.h"

#include "core/mem.h"
#include "core/sort.h"

#define NO_POD UINT32_MAX

struct link {
	uint32_t next, before;
};

struct nodepods {
	uint32_t *first;    /* [node] */
	struct link *links; /* [pod slot], of those that have a node */
};

void nodepods_free(struct nodepods *pods)
{
	if (pods == NULL)
		return;
	mem_free(pods->first);
	mem_free(pods->links);
	mem_free(pods);
}

void nodepods_join(struct run *run, uint32_t pod)
{
	struct nodepods *p = run->nodepods;
	uint32_t *first = &p->first[run->world.pods[pod].node], next = *first;

	p->links[pod] = (struct link){.next = next, .before = NO_POD};
	if (next != NO_POD)
		p->links[next].before = pod;
	*first = pod;
}

void nodepods_leave(struct run *run, uint32_t pod)
{
	struct nodepods *p = run->nodepods;
	uint32_t node = run->world.pods[pod].node;
	struct link link = p->links[pod];

	if (link.before != NO_POD)
		p->links[link.before].next = link.next;
	else
		p->first[node] = link.next;
	if (link.next != NO_POD)
		p->links[link.next].before = link.before;
}

static void build(struct run *run)
{
	uint32_t slots = run->journal->first_pod[run->scenario->job_count];
	struct nodepods *p = mem_calloc(1, sizeof(*p));

	p->first = mem_calloc(run->world.node_count, sizeof(*p->first));
	p->links = mem_calloc(slots, sizeof(*p->links));
	for (uint32_t n = 0; n < run->world.node_count; n++)
		p->first[n] = NO_POD;
	run->nodepods = p;
	for (uint32_t pod = 0; pod < slots; pod++) {
		const struct pod *at = &run->world.pods[pod];

		if (at->phase != POD_ABSENT && at->node != NODE_NONE)
			nodepods_join(run, pod);
	}
}

uint32_t *nodepods_list(struct run *run, uint32_t node, size_t *count)
{
	uint32_t *list = NULL;
	size_t capacity = 0;

	if (run->nodepods == NULL)
		build(run);
	*count = 0;
	for (uint32_t pod = run->nodepods->first[node]; pod != NO_POD;
	     pod = run->nodepods->links[pod].next) {
		list = mem_grow(list, *count + 1, &capacity, sizeof(*list));
		list[(*count)++] = pod;
	}
	sort_stable(list, *count, sizeof(*list), sort_compare_u32, NULL);
	return list;
}
