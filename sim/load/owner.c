#include "sim/load/owner.h"

#include <stdio.h>
#include <string.h>

struct maker {
	const char *made, *maker; /* kinds; the first with its slash */
	int parts;		  /* of the name of what is made, beyond the maker's */
};

/* "KIND/NAME" of the kind maker, which is named as what it made but for so many parts. */
static uint32_t named_after(const struct builder *builder, uint32_t made, const struct maker *rule)
{
	const char *identity = name_text(builder->strings, made);
	size_t head = strlen(rule->made), len;
	char text[330];

	if (strncmp(identity, rule->made, head) != 0)
		return NAME_NONE;
	snprintf(text, sizeof(text), "%s/%s", rule->maker, identity + head);
	len = strlen(text);
	for (int i = 0; i < rule->parts; i++) {
		while (len > 0 && text[len - 1] != '-')
			len--;
		if (len == 0)
			return NAME_NONE;
		text[--len] = '\0';
	}
	return name_find(builder->strings, text);
}

bool owner_maker(const struct builder *builder, uint32_t owner, size_t index, uint32_t *maker)
{
	/* Which the Workload does not tell. */
	static const struct maker makers[] = {
		{"Pod/", "Deployment", 2},
		{"Pod/", "ReplicaSet", 1},
		{"Pod/", "StatefulSet", 1}, /* it is an owner itself from v0.14 on */
		{"Job/", "CronJob", 1},
	};

	if (index >= sizeof(makers) / sizeof(makers[0]))
		return false;
	*maker = named_after(builder, owner, &makers[index]);
	return true;
}

bool owner_pod_maker(const struct builder *builder, uint32_t controller, size_t index,
		     uint32_t *maker)
{
	static const struct maker makers[] = {
		{"ReplicaSet/", "Deployment", 1},
		{"StatefulSet/", "LeaderWorkerSet", 0},
		{"StatefulSet/", "LeaderWorkerSet", 1},
		{"RayCluster/", "RayJob", 1},
		{"RayCluster/", "RayJob", 2}, /* name-raycluster-x2x4z */
		{"RayCluster/", "RayService", 1},
		{"RayCluster/", "RayService", 2},
		{"Job/", "RayJob", 0},
		{"Job/", "MPIJob", 1}, /* name-launcher */
		{"Job/", "JobSet", 2}, /* name-workers-0 */
		{"Job/", "TrainJob", 2},
		{"Job/", "CronJob", 1},
	};

	if (index >= sizeof(makers) / sizeof(makers[0]))
		return false;
	*maker = named_after(builder, controller, &makers[index]);
	return true;
}

void owner_index_workloads(const struct builder *builder, struct draft_index *workloads)
{
	draft_index_init(workloads, builder->note_count);
	for (uint32_t i = 0; i < builder->note_count; i++) {
		const struct job_record *record = builder->notes[i].record;
		uint32_t ns = builder->jobs[builder->notes[i].job].common->ns, maker;

		for (uint32_t k = 0; record != NULL && k < record->owner_count; k++) {
			draft_index_put(workloads, record->owners[k], ns, i, false);
			for (size_t m = 0; owner_maker(builder, record->owners[k], m, &maker); m++)
				if (maker != NAME_NONE)
					draft_index_put(workloads, maker, ns, i, false);
		}
	}
}
