/* objects.h - Kubernetes and Kueue objects, and our own Simulation document, from
 * YAML or JSON files into a builder.
 *
 * Files hold several documents, Lists or both, in any order. Kinds that are not
 * modelled are counted and named once, at the end; with strict they are errors.
 */
#ifndef SIM_OBJECTS_H
#define SIM_OBJECTS_H

#include "sim/load/builder.h"
#include "sim/tool/source.h"
#include "sim/yaml/yaml.h"

struct objects; /* objects_new; objects_free ends it */

/* The builder is borrowed. */
struct objects *objects_new(struct builder *builder, bool strict);
void objects_free(struct objects *objects);

/* Tells every error to report and goes on: objects with errors are left out, as is what
 * follows a syntax error in its document. objects_read and objects_join then never fail. */
void objects_keep_going(struct objects *objects,
			void (*report)(void *context, const struct err *err), void *context);

/* Jobs of what is read from now on are asked about (JOB_ASKED). ns, unless NULL, is the
 * namespace of objects that name none; that another one is named is an error. */
void objects_ask(struct objects *objects, const char *ns);

/* Each kind that is skipped is to have a line of its own. */
void objects_list_skipped(struct objects *objects);
/* Each object that was read and is not work (jobs, pods, services) is shown, too; the node
 * lives as long as the call. In a typed list its apiVersion and kind are the list's. */
typedef void objects_seen(void *context, const char *api, const char *kind,
			  const struct yaml_node *node);
void objects_observe(struct objects *objects, objects_seen *seen, void *context);

/* One file: every object goes into the builder. source->name is borrowed until
 * the scenario is made. */
enum err_code objects_read(struct objects *objects, const struct source *source, struct err *err);

/* After the files: objects that wait for others (TrainJobs) become jobs. Fails as
 * objects_read does. */
enum err_code objects_join(struct objects *objects, struct err *err);

/* The kinds that are read, in turn: NULL after the last. */
const char *objects_kind(size_t i, const char **group);

/* After the last file: what was skipped becomes findings, and jobs without a
 * submit time get theirs. */
void objects_finish(struct objects *objects);

#endif
