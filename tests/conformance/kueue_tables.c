/* kueue_tables.c CASE.json... - decides cases of Kueue's own test tables.
 *
 * One line a case: its path, a tab, "ok" or the first difference; "not modelled: ..."
 * before a difference in a case that asks for what gqsim does not model. The folder of
 * a case says which function it is for (see the README beside the tables).
 */
#include <stdio.h>
#include <string.h>

#include "tests/conformance/kueue_tables.h"

static const struct {
	const char *folder;
	table_run *run;
} folders[] = {
	{"preemption", table_preemption},
	{"preemption-hierarchical", table_preemption},
	{"preemption-fair", table_fair_preemption},
	{"hierarchical", table_levels},
	{"reclaim-before-priority", table_reclaim},
	{"dominant-resource-share", table_share},
	{"entry-ordering", table_order},
	{"assign-flavors", table_assign},
	{"schedule", table_schedule},
	{"schedule-fair-sharing", table_schedule},
	{"schedule-recompute-targets", table_schedule},
	{"schedule-tas", table_schedule},
	{"schedule-tas-preemption", table_schedule},
	{"schedule-tas-cohorts", table_schedule},
	{"schedule-concurrent-admission", table_schedule},
	{"topology-assignments", table_topology},
};

static table_run *run_of(const char *path)
{
	const char *end = strrchr(path, '/'), *begin = end;

	while (begin != NULL && begin > path && begin[-1] != '/')
		begin--;
	for (size_t i = 0; begin != NULL && i < sizeof(folders) / sizeof(folders[0]); i++) {
		if (strlen(folders[i].folder) == (size_t)(end - begin) &&
		    strncmp(folders[i].folder, begin, (size_t)(end - begin)) == 0)
			return folders[i].run;
	}
	return NULL;
}

static void decide(struct table_case *c, const char *path)
{
	table_run *run = run_of(path);

	if (!table_open(c, path))
		return;
	if (run == NULL)
		table_differ(c, "no function for this folder");
	else
		run(c);
}

static void print(struct table_case *c, const char *path)
{
	const char *beyond = c->difference[0] == '\0' ? NULL : table_beyond(c);

	if (beyond != NULL)
		printf("%s\tnot modelled: %s (%s)\n", path, beyond, c->difference);
	else
		printf("%s\t%s\n", path, c->difference[0] == '\0' ? "ok" : c->difference);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct table_case c;

		decide(&c, argv[i]);
		print(&c, argv[i]);
		table_close(&c);
	}
	return 0;
}
