/* objects_work.h - what all kinds that become jobs have in common: Kueue's labels, our
 * annotations (objects_own.h), pods of one template.
 *
 * A kind is a file of its own (objects_job.c, ...) and a row in objects.c.
 */
#ifndef SIM_OBJECTS_WORK_H
#define SIM_OBJECTS_WORK_H

#include "sim/objects/object.h"
#include "sim/objects/objects_own.h"
#include "sim/objects/objects_pod.h"

#define OBJECTS_WORK_QUEUE_NAME	   "kueue.x-k8s.io/queue-name"
#define OBJECTS_WORK_TEMPLATE_HASH "pod-template-hash" /* label of a Deployment's pods */

/* Pods of one template. */
struct objects_work_set {
	uint32_t name; /* string */
	struct objects_pod pod;
	uint32_t pods, min_pods;
	bool has_min; /* min_pods was given */
};

/* A job on its way from an object to the builder. */
struct objects_work {
	const struct object *object;
	const char *kind; /* whose pods they are: "Job" for those of a CronJob */
	struct objects_pod pod;
	struct job job; /* but for what is in common */
	struct job_common common;
	struct job_extra extra;
	struct job_control control;
	struct objects_own own;
	struct label_set labels;     /* of its pods */
	struct label_selector owner; /* by which a ReplicaSet or StatefulSet knows its pods */
	uint32_t pods, min_pods;
	bool assumed;		   /* nothing says how long it works: job.duration is a guess */
	bool let_in;		   /* a pod that Kueue let in with its controller's Workload */
	int64_t created;	   /* metadata.creationTimestamp, seconds since 1970; 0: none */
	int64_t started, ended;	   /* what its status says; 0: nothing */
	struct job_record *record; /* NULL: none */
};

void objects_work_begin(struct objects_work *work, const struct object *object);
/* The object's labels and annotations. */
enum err_code objects_work_head(struct fields *f, struct objects_work *work);
/* Of pods that are workloads each for itself: after the head, what their own labels say, which
 * are those of their template. */
enum err_code objects_work_pod_labels(struct fields *f, struct objects_work *work);
/* Its job, into the builder; job.submit and job.duration are set. May be called again with
 * another name and time. */
enum err_code objects_work_finish(struct fields *f, struct objects_work *work);
/* The same of several pod sets in place of work->pod; those without pods are left out. */
enum err_code objects_work_finish_sets(struct fields *f, struct objects_work *work,
				       struct objects_work_set *sets, uint32_t count);

/* The same in two steps, where the job can be made only when all is read. */
struct objects_prepared {
	struct job job; /* but for what is in common */
	struct job_common common;
	struct label_set labels; /* of its pods, in the builder's arena */
	struct job_note note;	 /* without its job */
	struct place where;
};
enum err_code objects_work_prepare(struct fields *f, struct objects_work *work,
				   struct objects_prepared *out);
uint32_t objects_work_put(struct builder *builder, const struct objects_prepared *prepared);
/* The Job gets another name; its pods carry it in labels. */
void objects_work_rename(struct builder *builder, struct objects_prepared *prepared, uint32_t name);
/* spec.suspend (NULL: absent), which no queue lifts. */
void objects_work_suspend(const struct yaml_node *suspend, struct objects_work *work);

/* Services and pods that neither use GPUs nor are queued do not matter here: false, and
 * it is said. */
bool objects_work_matters(struct fields *f, const struct objects_work *work);
/* Of what restarts without limit: failures of every pod of an index would never end. */
enum err_code objects_work_check_failures(struct fields *f, const struct objects_work *work);
/* RFC 3339: "2026-02-03T10:11:12Z", with a fraction or not, +02:00 in place of Z; seconds
 * since 1970, 0: unreadable. */
int64_t objects_work_timestamp(const struct yaml_node *node);
/* Since when a condition of this type is True; 0: it is not. Its reason, unless NULL. */
int64_t objects_work_condition(const struct yaml_node *conditions, const char *type,
			       const char **reason);
/* A pod that has a node, by its conditions: when it came there is noted. */
void objects_work_pod_seen(struct fields *f, const struct object *object,
			   const struct yaml_node *conditions);
/* The string "KIND/NAME", by which a Workload and its owner are matched. */
uint32_t objects_work_identity(struct fields *f, const char *kind, const char *name);

/* ---- readers for rows ---- */

fields_read objects_work_count; /* uint32_t, a number of pods */

#endif
