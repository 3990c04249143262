/* draft.h - the inside of a builder: records as they were written, in input order.
 *
 * Only builder.c, what resolves a draft (resolve*.c) and what edits one
 * (setting.c) see it. Fields that will be indices (the cohort of a
 * ClusterQueue, ...) hold strings until resolve.c replaces them:
 *   cluster_queue.cohort, cohort.parent; the rest have a field of their own for
 *   the name (topology_name, cluster_queue_name, flavor_names, check_ref.name).
 */
#ifndef SIM_DRAFT_H
#define SIM_DRAFT_H

#include <stddef.h>

#include "sim/scenario/kinds.h"
#include "sim/scenario/place.h"
#include "sim/scenario/scenario.h"
#include "sim/tool/record.h"

struct pod_template;
struct builder_trace;

struct draft_meta {
	struct place where;
	simtime at;	/* KIND_ALWAYS, or the time from which the record holds */
	uint32_t order; /* among the records of all kinds */
};

struct draft_list {
	unsigned char *records;	 /* heap */
	struct draft_meta *meta; /* heap */
	size_t capacity, meta_capacity;
	uint32_t count;
};

/* Finds a record by (name, namespace); strings. */
struct draft_index {
	struct draft_slot {
		uint32_t name, ns, value;
	} * slots; /* value NAME_NONE: empty */
	uint32_t mask, count;
};

/* Where jobs were written: from this one on in one line after the other, as a list of jobs
 * has them; a million jobs are a few runs. */
struct draft_place {
	uint32_t job;
	uint32_t file; /* of files; NAME_NONE */
	uint32_t line, column;
};

struct draft_places {
	struct draft_place *runs;
	uint32_t count;
	size_t capacity;
	struct place last; /* of the job added last */
};

struct draft_shape {
	struct pod_shape shape; /* vectors have RES_MAX or width elements */
	uint32_t width;		/* resources known when it was added */
	uint64_t hash;
	const struct pod_template *source; /* NULL: of a list of jobs; a LimitRange gives it one */
	uint32_t ns;
};

struct draft_change {	   /* of a controller */
	uint32_t name, ns; /* of its job */
	struct job_change change;
	struct place where;
};

/* An object that asks to be an elastic job, of a kind that has none. */
struct draft_elastic {
	struct draft_elastic *next;
	uint32_t kind; /* string */
	struct place where;
};

struct builder {
	struct mem_arena *arena;   /* becomes the scenario's */
	struct mem_arena *scratch; /* dies with the builder */
	struct name_table *strings;
	struct name_table *resources;
	struct draft_list lists[KIND_COUNT];
	uint32_t record_count; /* in all lists */
	enum kind last_kind;   /* of the last of them */
	struct kueue_config config;
	struct place config_where;
	struct place layers_where; /* of the first annotation that asks for layers of slices */
	struct draft_elastic *elastic, *last_elastic; /* NULL: none */

	struct draft_shape *shapes;
	uint32_t *shape_slots; /* hash table of shapes */
	uint32_t shape_count, shape_mask;
	size_t shape_capacity;
	struct pod_set *pod_sets;
	uint32_t pod_set_count;
	size_t pod_set_capacity;
	uint32_t *run_slots, *run_first, *run_length; /* hash table of runs of pod sets */
	uint32_t run_count, run_mask;
	size_t run_first_capacity, run_length_capacity;
	struct label_set *pod_labels;
	uint32_t *job_labels; /* by job, as far as they go; counted from 1; 0: none */
	uint32_t pod_label_count, job_label_count;
	size_t pod_label_capacity, job_label_capacity;

	const struct job_common **commons; /* hash table: what jobs have in common; of arena */
	uint32_t common_count, common_mask;
	const struct job_common *last_common;

	struct job *jobs;
	struct draft_places job_places;
	uint32_t job_count;
	size_t job_capacity;
	bool has_job_names, has_manifests; /* any job that was added has a name, is an object */
	uint32_t *job_ns; /* of the jobs as they were added: each time it or the queue changed */
	uint32_t job_ns_count, last_ns, last_queue;
	size_t job_ns_capacity;
	simtime *job_starts; /* by job, as far as they go; CLOCK_NEVER: not recorded */
	uint32_t job_start_count;
	size_t job_start_capacity;
	struct pod_seen *pods_seen;
	uint32_t pod_seen_count;
	size_t pod_seen_capacity;
	struct job_after *afters; /* by job */
	uint32_t after_count;
	size_t after_capacity;
	struct job_note *notes; /* by job */
	uint32_t note_count;
	size_t note_capacity;
	struct draft_change *changes;
	uint32_t change_count;
	size_t change_capacity;
	struct job_extra *extras;
	uint32_t extra_count;
	size_t extra_capacity;

	const char **files;
	uint32_t file_count;
	size_t file_capacity;
	struct finding *findings;
	uint32_t finding_count;
	size_t finding_capacity;
	uint32_t *input_names;
	uint64_t *input_hashes;
	uint32_t input_count;
	size_t input_capacity, hash_capacity;
	uint32_t *options;
	uint32_t option_count;
	size_t option_capacity;
	struct builder_trace *traces;
	uint32_t trace_count;
	size_t trace_capacity;
	struct node_pool *pools;
	uint32_t pool_count;
	size_t pool_capacity;
	struct price *prices;
	uint32_t price_count;
	size_t price_capacity;
	uint32_t price_date;
	uint64_t seed; /* of what is drawn while the draft is made */
	struct autoscaler_config autoscaler;
	uint32_t title;
	simtime origin;
	bool has_origin, derived_queues;
	bool strict;
	bool keep_going;	      /* errors are findings */
	struct draft_index *left_out; /* kinds (as ns) and names of what has errors; NULL: none */
};

/* A rule that a finding falls under. */
struct finding_rule {
	const char *name; /* one of finding_rules.h */
	enum finding_kind kind;
};

/* May there be an object of this kind that was left out because of an error? name "": of any
 * name. */
bool draft_left_out(const struct builder *builder, const char *kind, const char *name);

/* Appends a record; it is copied, what it points at is in the builder's arena. */
void draft_add(struct builder *builder, enum kind kind, const void *record, struct place where,
	       simtime at);
void *draft_record(const struct draft_list *list, enum kind kind, uint32_t index);
/* Its name; ns is NAME_NONE for kinds without namespace. */
uint32_t draft_name(const void *record);
uint32_t draft_ns(enum kind kind, const void *record);

/* Devices of all GPU resources of a node. */
int64_t draft_node_gpus(const struct builder *builder, const struct node *node);

/* The record of a job that is equal to this one; mostly that of the job before. */
const struct job_common *draft_common(struct builder *builder, const struct job_common *common);
/* When a job really started, as recorded; CLOCK_NEVER. */
simtime draft_job_start(const struct builder *builder, uint32_t job);
/* Takes the marked jobs out, with what stands beside them; the others move up. */
void draft_drop_jobs(struct builder *builder, const bool *dropped);
/* Puts the from[i]-th job i-th, with what stands beside it. */
void draft_order_jobs(struct builder *builder, const uint32_t *from);
/* An option of the run, "name=value". */
void draft_option(struct builder *builder, const char *text);
struct place draft_job_place(const struct builder *builder, uint32_t job);
/* Of new jobs behind the others, in one line each from where on. */
void draft_place_jobs(struct builder *builder, uint32_t first, uint32_t count,
		      const struct place *where);
void draft_finding(struct builder *builder, enum finding_kind kind, struct place where,
		   const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* The same under a rule of lint.h; fix: what to do about it, NULL. */
void draft_fault(struct builder *builder, const struct finding_rule *rule, struct place where,
		 const char *fix, const char *fmt, ...) __attribute__((format(printf, 5, 6)));

void draft_index_init(struct draft_index *index, uint32_t expected);
void draft_index_free(struct draft_index *index); /* not the struct */
/* The value that was there before; NAME_NONE if the key is new. replace: the
 * new value takes its place. */
uint32_t draft_index_put(struct draft_index *index, uint32_t name, uint32_t ns, uint32_t value,
			 bool replace);
uint32_t draft_index_get(const struct draft_index *index, uint32_t name, uint32_t ns);

#endif
