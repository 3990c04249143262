/* prometheus_pass.h - what a run's way into Kueue's metric families shares: what is known of each
 * workload so far, and the labels of series.
 */
#ifndef SIM_PROMETHEUS_PASS_H
#define SIM_PROMETHEUS_PASS_H

#include "sim/report/prometheus_custom.h"
#include "sim/report/prometheus_table.h"
#include "sim/report/report.h"
#include "sim/scenario/kueue_gates.h"

/* Values of labels by their names; NULL: the series has no such label. */
enum prometheus_label {
	LABEL_CLUSTER_QUEUE,
	LABEL_COHORT,
	LABEL_PARENT_COHORT,
	LABEL_ROOT_COHORT,
	LABEL_NAME,
	LABEL_NAMESPACE,
	LABEL_PRIORITY_CLASS,
	LABEL_FLAVOR,
	LABEL_RESOURCE,
	LABEL_REASON,
	LABEL_UNDERLYING_CAUSE,
	LABEL_RESULT,
	LABEL_STATUS,
	LABEL_ACTIVE,
	LABEL_REPLICA_ROLE,
	LABEL_COUNT
};

struct prometheus_labels {
	const char *of[LABEL_COUNT];
	struct prometheus_subject subject; /* of the labels that the Configuration adds */
	bool hidden; /* of a LocalQueue whose metrics the Configuration leaves out */
};

struct prometheus_workload {
	uint32_t admission; /* of the journal; JOB_NONE: no reservation */
	uint32_t why;	    /* string of the journal: reason of its last status */
	simtime reserved, admitted, ready, evicted; /* since; CLOCK_NEVER: is not */
	simtime past;	     /* admitted before, whole seconds as Kueue keeps them */
	simtime created;     /* a slice that took the place of another; CLOCK_NEVER: its job is */
	simtime slice;	     /* when the one that waits to do so was created; CLOCK_NEVER: none */
	uint32_t slices;     /* that were replaced so far */
	bool was_ready;	     /* in this admission */
	uint32_t evicted_by; /* eviction reasons seen, an index into reasons; NAME_NONE */
};

struct prometheus_pass {
	struct prometheus *out;
	const struct scenario *s;
	const struct journal *j;
	const struct journal_account *account;
	struct replay *replay;
	struct prometheus_workload *workloads;
	struct kueue_gates gates;
	struct name_table *once; /* "job reason" seen */
	struct name_table *reasons;
	bool *hidden; /* per LocalQueue, as it is in the end */
	struct prometheus_custom *custom;
	struct prometheus_family families[KUEUE_FAMILIES]; /* with the labels that it adds */
	uint8_t fields[KUEUE_FAMILIES][PROMETHEUS_LABELS];
};

void prometheus_pass_open(struct prometheus_pass *p, const struct journal *j);
void prometheus_pass_close(struct prometheus_pass *p);

/* To the series of the family with these labels, if the Configuration shows it. */
void prometheus_pass_add(const struct prometheus_pass *p, enum kueue_family family,
			 const struct prometheus_labels *labels, double value);
void prometheus_pass_set(const struct prometheus_pass *p, enum kueue_family family,
			 const struct prometheus_labels *labels, double value);
void prometheus_pass_observe(const struct prometheus_pass *p, enum kueue_family family,
			     const struct prometheus_labels *labels, simtime time);

/* Labels of a ClusterQueue, and of a workload: its queue, LocalQueue and priority class. */
struct prometheus_labels prometheus_pass_of_queue(const struct prometheus_pass *p, uint32_t queue);
struct prometheus_labels prometheus_pass_of_job(const struct prometheus_pass *p, uint32_t job);
void prometheus_pass_set_cohort(const struct prometheus_pass *p, struct prometheus_labels *labels,
				uint32_t cohort);

/* The ClusterQueue that holds or queues it. */
uint32_t prometheus_pass_queue_of(const struct prometheus_pass *p, uint32_t job);
const char *prometheus_pass_cohort(const struct prometheus_pass *p, uint32_t cohort);
const char *prometheus_pass_text(const struct prometheus_pass *p, uint32_t string);
/* In the units of Kueue's metrics: whole ones. */
double prometheus_pass_amount(uint32_t resource, int64_t amount);

/* Jobs that Kueue does not manage make no workload. */
bool prometheus_pass_manages(const struct prometheus_pass *p, uint32_t job);
/* Its reservation is over. */
void prometheus_pass_release(struct prometheus_workload *w, simtime now);

#endif
