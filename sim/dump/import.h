/* import.h - a dump as a scenario of its own: cluster.yaml, what is not work, without status
 * and bookkeeping, and jobs.csv, a row a job. Where rows cannot say all of the jobs of
 * queues, these are objects in jobs.yaml instead (sim/dump/import_jobs.h), and jobs.csv has what
 * is left. Run together they decide as the dump does; what neither can say of a job is
 * counted.
 */
#ifndef SIM_IMPORT_H
#define SIM_IMPORT_H

#include "sim/load/builder.h"
#include "sim/trace/trace_write.h"
#include "sim/yaml/yaml.h"

struct import; /* import_new; import_free ends it */

struct import *import_new(bool redact);
void import_free(struct import *import);

/* Takes an object that is not work; it is copied. An import is the context. */
void import_object(void *import, const char *api, const char *kind, const struct yaml_node *node);

/* The i-th file that import_write writes or removes, without its folder; NULL after the last. */
const char *import_file(uint32_t i);

struct import_lost {
	struct trace_lost rows;
	uint64_t manners; /* jobs of no queue that save checkpoints, are no gang and the like,
			      or that have a controller's rules */
	uint64_t limited; /* rows whose pods LimitRanges change */
};

/* The files, after everything was read and dump_finish: into the folder dir, which is made
 * if it is not there. ERR_IO. The builder's jobs get the times and classes of the rows. */
enum err_code import_write(struct import *import, struct builder *builder, const char *dir,
			   struct import_lost *lost, struct err *err);

#endif
