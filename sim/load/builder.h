/* builder.h - a scenario under construction.
 *
 * Loaders append records in any order; names are strings and are resolved by
 * builder_finish, which also applies defaults, makes implicit cohorts, finds
 * cycles, resolves priorities, sorts jobs by submit time and reports what is
 * wrong at the place where it was written. Everything lives in the scenario's
 * arena, so a loader hands over text and plain records and frees its own.
 */
#ifndef SIM_BUILDER_H
#define SIM_BUILDER_H

#include "sim/scenario/kinds.h"
#include "sim/scenario/place.h"
#include "sim/scenario/scenario.h"
#include "sim/tool/record.h"

struct builder; /* builder_new; builder_free or builder_finish ends it */

struct builder *builder_new(void);
void builder_free(struct builder *builder);

struct mem_arena *builder_arena(struct builder *builder);
struct name_table *builder_strings(struct builder *builder);
uint32_t builder_string(struct builder *builder, const char *text, size_t len);

/* Index of a resource name (added when new); ERR_LIMIT beyond RES_MAX. */
enum err_code builder_resource(struct builder *builder, const char *name, size_t len, uint32_t *out,
			       struct err *err);
/* False: no such resource yet. */
bool builder_find_resource(const struct builder *builder, const char *name, uint32_t *out);
const char *builder_resource_name(const struct builder *builder, uint32_t resource);
/* A zeroed vector of RES_MAX amounts in the arena. */
int64_t *builder_vector(struct builder *builder);

/* The index of an equal shape, or of a new one; arrays are copied. request
 * vectors are read up to the current number of resources. */
uint32_t builder_shape(struct builder *builder, const struct pod_shape *shape);
/* Like builder_shape, for a pod of this namespace (string): finish adds what the
 * namespace's LimitRanges and its RuntimeClass say. Everything is copied. */
struct pod_template;
uint32_t builder_template(struct builder *builder, const struct pod_template *template,
			  uint32_t ns);
/* The first index of an equal run of pod sets, or of a new one. */
uint32_t builder_pod_sets(struct builder *builder, const struct pod_set *sets, uint32_t count);

uint32_t builder_shape_of(const struct builder *builder, uint32_t pod_set);

/* Adds a job. Set: submit, duration, name, row, utilisation, extra and common, which is
 * copied, of it checkpoint, restart_cost, ns, queue, priority_class (strings or NAME_NONE),
 * first_pod_set, pod_set_count and flags. builder_finish fills the rest. where may have a
 * NULL file for rows of a trace that cannot be wrong later. A job whose name is
 * not NAME_NONE must be unique in its namespace, or finish reports it. */
uint32_t builder_job(struct builder *builder, const struct job *job, struct place where);
/* The same; times and row of the copy may be filled in until the next is added. */
struct job *builder_job_like(struct builder *builder, const struct job *like,
			     const struct place *where);
/* The builder's own of what jobs have in common, which stays as it is. */
const struct job_common *builder_common(struct builder *builder, const struct job_common *common);
/* Room for so many jobs behind those that there are. builder_jobs_add makes jobs of the first
 * count that were filled in, each with a common of builder_common: all have names or none has,
 * they differ in times, pod sets and row alone, and are written in one line after the other,
 * from where on. */
struct job *builder_jobs_room(struct builder *builder, uint32_t count);
void builder_jobs_add(struct builder *builder, uint32_t count, const struct place *where);
/* True: all jobs are rows of lists, of one namespace and queue (strings), which are these. */
bool builder_one_queue(const struct builder *builder, uint32_t *ns, uint32_t *queue);
uint32_t builder_extra(struct builder *builder, const struct job_extra *extra);
/* At most one a job, in the order of the jobs; copied with its record. */
void builder_job_note(struct builder *builder, const struct job_note *note);
/* A pod of a dump had a node. */
void builder_pod_seen(struct builder *builder, const struct pod_seen *pod);
/* From a time on the controller of the job of that name is told something new. */
void builder_job_change(struct builder *builder, uint32_t name, uint32_t ns,
			struct job_change change, struct place where);
/* Jobs from this one on are what "gqsim simulate" asks about. */
void builder_ask(struct builder *builder, uint32_t first);
/* The labels of the job's pods; copied. At most once a job. */
void builder_job_labels(struct builder *builder, uint32_t job, const struct label_set *labels);
/* Gives a job a name (string) after all. */
void builder_job_name(struct builder *builder, uint32_t job, uint32_t name);
/* It comes when an earlier job has ended (struct job_after). At most once a job. */
void builder_job_after(struct builder *builder, uint32_t job, uint32_t after, simtime think);
/* That of the job; NULL: it waits for none. */
const struct job_after *builder_job_waits(const struct builder *builder, uint32_t job);
/* When it really started, as its trace records it. */
void builder_job_start(struct builder *builder, uint32_t job, simtime start);
/* The same; CLOCK_NEVER: not recorded. */
simtime builder_job_started(const struct builder *builder, uint32_t job);
uint32_t builder_job_count(const struct builder *builder);
const struct finding *builder_findings(const struct builder *builder, uint32_t *count);
/* The jobs as added; valid until the next builder_job. */
const struct job *builder_jobs(const struct builder *builder);
/* Its pod sets, of which there are job->pod_set_count; a shape and a record of extras by
 * index. Valid until the next one is added. */
const struct pod_set *builder_sets_of(const struct builder *builder, const struct job *job);
const struct pod_shape *builder_shape_at(const struct builder *builder, uint32_t shape);
const struct job_extra *builder_extra_at(const struct builder *builder, uint32_t extra);
/* GPUs of all pods of a job together (its common has them only after finish). */
uint32_t builder_job_gpus(const struct builder *builder, const struct job *job);

/* Adds an object; it is copied, what it points at is in the builder's arena.
 * References are strings: cluster_queue.cohort and cohort.parent hold the string
 * until finish, the others have a field for the name beside the index. at:
 * KIND_ALWAYS, or the time from which it replaces what it names. */
void builder_add(struct builder *builder, enum kind kind, const void *record, struct place where,
		 simtime at);
/* The object added last is deleted at that time; its kind comes and goes (kinds.h). */
void builder_delete(struct builder *builder, simtime at);
/* Where layers of slices are asked for by an annotation: the first time is kept. */
void builder_layers(struct builder *builder, struct place where);
/* Where a kind that has no elastic jobs asks to be one; kind is "GROUP/VERSION, Kind=KIND". */
void builder_elastic(struct builder *builder, const char *kind, struct place where);
/* Kueue's Configuration; the last one holds. */
void builder_config(struct builder *builder, const struct kueue_config *config, struct place where);
struct kueue_config builder_config_defaults(void);
/* What holds as far as the input is read; the builder's. */
const struct kueue_config *builder_configured(const struct builder *builder);

uint32_t builder_node(struct builder *builder, const struct node *node, struct place where);
/* GPUs of the biggest node, and of all. */
void builder_gpus(const struct builder *builder, int64_t *biggest, int64_t *total);
/* Has any node this label (strings)? */
bool builder_has_label(const struct builder *builder, uint32_t key, uint32_t value);
/* Gives each node that has GPUs and does not name this resource so much of it for each
 * of its GPUs. */
void builder_nodes_offer(struct builder *builder, uint32_t resource, int64_t per_gpu);
/* Does any pod ask for it? */
bool builder_asked(const struct builder *builder, uint32_t resource);
/* Is there a record of this kind and name (string)? */
bool builder_has(const struct builder *builder, enum kind kind, uint32_t name);
bool builder_has_nodes(const struct builder *builder);
bool builder_has_queues(const struct builder *builder); /* any ClusterQueue */

/* One flavor with a quota of nvidia.com/gpu and none on whatever else pods ask for, the
 * queue defaults of a trace: BestEffortFIFO, reclaimWithinCohort Any, withinClusterQueue LowerPriority,
 * namespaceSelector {}; and a LocalQueue of the same name in namespace ns. A
 * ClusterQueue that is there already only gets the LocalQueue. */
void builder_simple_queue(struct builder *builder, const char *name, const char *ns,
			  const char *cohort, const char *flavor, int64_t gpus);

/* Such a queue has this quota from then on. */
void builder_simple_quota(struct builder *builder, const char *name, const char *cohort,
			  const char *flavor, int64_t gpus, simtime at);

/* A pool that the autoscaler sizes; its number, from 1. */
uint32_t builder_pool(struct builder *builder, const struct node_pool *pool);
/* How it does that; the last one holds. */
void builder_autoscaler(struct builder *builder, const struct autoscaler_config *config);
struct autoscaler_config builder_autoscaler_defaults(void);

/* What a kind of node costs; copied. And the date of the prices, the last one read. */
void builder_price(struct builder *builder, const struct price *price);
/* Of what is drawn while the input is read (default 1). */
void builder_seed(struct builder *builder, uint64_t seed);
uint32_t builder_price_count(const struct builder *builder);
void builder_price_date(struct builder *builder, const char *date);

/* Under a rule of finding_rules.h; fix: what to do about it. */
void builder_fault(struct builder *builder, enum finding_kind kind, const char *rule,
		   struct place where, const char *fix, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));
void builder_finding(struct builder *builder, enum finding_kind kind, struct place where,
		     const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* A file that is read: its number. Its hash may come when all of it has been read. */
uint32_t builder_input(struct builder *builder, const char *name, uint64_t hash);
void builder_input_hash(struct builder *builder, uint32_t input, uint64_t hash);
/* Wall-clock time of time 0, as if UTC, in microseconds since 1970. */
void builder_origin(struct builder *builder, simtime origin);
bool builder_has_origin(const struct builder *builder, simtime *origin);
/* The jobs with this extra are a CronJob's; rule is in the builder's arena. */
void builder_cron(struct builder *builder, uint32_t extra, const struct cron_rule *rule);
/* The jobs with this extra have another controller than was thought. */
void builder_controller(struct builder *builder, uint32_t extra, enum job_controller controller);
void builder_title(struct builder *builder, const char *title);
/* A file of jobs that a document asks for; file is relative to the document's
 * folder, format may be NULL. input.c reads it after all documents. */
struct builder_trace {
	const char *file; /* from here, not from the document's folder */
	const char *format;
	struct place where;
};
void builder_trace(struct builder *builder, const char *file, const char *format,
		   struct place where);
const struct builder_trace *builder_traces(const struct builder *builder, uint32_t *count);
/* What a reader added since the mark is taken back, but for findings; it was in the order of
 * the file, and nothing else has come since. */
struct builder_mark {
	uint32_t records[KIND_COUNT];
	uint32_t all_records, jobs, notes, changes, extras, traces, pools, prices, options;
	enum kind last_kind;
};
struct builder_mark builder_mark(const struct builder *builder);
void builder_take_back(struct builder *builder, const struct builder_mark *mark);
/* Errors do not end the making: what has one is an error among the findings, or was told and
 * is left out. Its kind and name; "": unknown, then of any kind and any name. Findings that it
 * might have spoken against are not made. */
void builder_keep_going(struct builder *builder);
bool builder_keeps_going(const struct builder *builder);
void builder_left_out(struct builder *builder, const char *kind, const char *name);
/* Findings that a strict reading refuses are errors from now on. */
void builder_strict(struct builder *builder, bool strict);
bool builder_is_strict(const struct builder *builder);
/* An option of a Simulation document ("name=value"). */
void builder_option(struct builder *builder, const char *text);

/* Resolves and checks. On success *out owns everything; the builder is gone
 * either way. */
enum err_code builder_finish(struct builder *builder, struct scenario **out, struct err *err);

#endif
