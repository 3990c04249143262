#include <stddef.h>
#include <string.h>

#include "sim/world/policy.h"

static const struct policy_row rows[] = {
	{"kubernetes", "plain kube-scheduler: pods placed one by one, no queues, no quota", NULL,
	 &policy_kubernetes, false},
	{"resourcequota",
	 "plain Kubernetes with each namespace walled in by a ResourceQuota: nothing is lent", NULL,
	 &policy_kubernetes, true},
	{"kueue", "Kueue admits whole jobs against quotas; kube-scheduler places their pods",
	 &policy_kueue, &policy_kubernetes, false},
	{"fifo", "whole jobs in line, one line a queue: the first blocks those behind it", NULL,
	 &policy_fifo, false},
	{"sjf", "the same with the shortest job first", NULL, &policy_sjf, false},
	{"srtf", "shortest remaining time first, stopping longer jobs: a bound, not a scheduler",
	 NULL, &policy_srtf, false},
	{"random", "pods that share GPUs, one by one: each on a random node and GPU with room",
	 NULL, &policy_random, false},
	{"bestfit", "the same where the least CPU and GPU is left over", NULL, &policy_bestfit,
	 false},
	{"dotprod", "the same where free times asked CPU and GPU is least (Tetris)", NULL,
	 &policy_dotprod, false},
	{"fgd", "the same where GPUs get least fragmented for the typical pods (ATC'23)", NULL,
	 &policy_fgd, false},
	{NULL, NULL, NULL, NULL, false},
};

const struct policy_row *policy_find(const char *name)
{
	for (const struct policy_row *row = rows; row->name != NULL; row++) {
		if (strcmp(row->name, name) == 0)
			return row;
	}
	return NULL;
}

const struct policy_row *policy_rows(void)
{
	return rows;
}
