/* import.h - a dump as a scenario of its own: cluster.yaml, what is not work, without status
 * and bookkeeping, and jobs.csv, a row a job. Run together they decide as the dump does, as
 * far as rows can hold its jobs; what they cannot is counted.
 */
#ifndef SIM_IMPORT_H
#define SIM_IMPORT_H

#include "sim/builder.h"
#include "sim/trace_write.h"
#include "sim/yaml.h"

struct import; /* import_new; import_free ends it */

struct import *import_new(bool redact);
void import_free(struct import *import);

/* Takes an object that is not work; it is copied. An import is the context. */
void import_object(void *import, const char *api, const char *kind, const struct yaml_node *node);

struct import_lost {
	struct trace_lost rows;
	uint64_t manners; /* jobs that save checkpoints, are no gang, or have a controller's
			      rules */
	uint64_t limited; /* jobs whose pods LimitRanges or RuntimeClasses change */
};

/* The files, after everything was read and dump_finish: into the folder dir, which is made
 * if it is not there. ERR_IO. The builder's jobs get the times and classes of the rows. */
enum err_code import_write(struct import *import, struct builder *builder, const char *dir,
			   struct import_lost *lost, struct err *err);

#endif
