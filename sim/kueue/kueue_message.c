#include "sim/kueue/kueue_message.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "core/sort.h"

const char *kueue_why_text(enum kueue_why why)
{
	static const char *const texts[] = {
		[WHY_NONE] = "",
		[WHY_TOPOLOGY] = "TopologyPlacementFailed",
		[WHY_WAITING_FOR_QUOTA] = "WaitingForQuota",
		[WHY_EXCEEDS_MAX] = "ExceedsMaxQuota",
		[WHY_NO_FLAVOR] = "NoMatchingFlavor",
		[WHY_PREEMPTED_WORKLOADS] = "WaitingForPreemptedWorkloads",
		[WHY_PODS_READY] = "WaitingForPodsReady",
		[WHY_PENDING_EVALUATION] = "PendingEvaluation",
		[WHY_SUSPENDED] = "Suspended",
		[WHY_MISCONFIGURED] = "Misconfigured",
		[WHY_REFUSED] = "Misconfigured",
		[WHY_DEACTIVATED] = "Deactivated",
		[WHY_GATED] = "AdmissionGated",
	};

	return texts[why];
}

/* As it was before Kueue told reasons apart. */
static const char *plain_why_text(enum kueue_why why)
{
	if (why == WHY_PODS_READY)
		return "Waiting";
	if (why == WHY_GATED)
		return kueue_why_text(why);
	return why == WHY_SUSPENDED || why == WHY_MISCONFIGURED ? "Inadmissible" : "Pending";
}

const char *kueue_why_told(const struct kueue *k, enum kueue_why why)
{
	return k->gates.granular_reasons ? kueue_why_text(why) : plain_why_text(why);
}

const char *kueue_preemption_text(enum kueue_preemption reason)
{
	static const char *const texts[] = {
		[PREEMPTION_IN_QUEUE] = "InClusterQueue",
		[PREEMPTION_RECLAIM] = "InCohortReclamation",
		[PREEMPTION_FAIR] = "InCohortFairSharing",
		[PREEMPTION_RECLAIM_BORROWING] = "InCohortReclaimWhileBorrowing",
	};

	return texts[reason];
}

/* ------------------------------------------------------------ text buffer */

static void append(struct kueue *k, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void append(struct kueue *k, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	mem_append(&k->text, &k->text_length, &k->text_capacity, format, args);
	va_end(args);
}

static void begin(struct kueue *k)
{
	k->text_length = 0;
	k->text = mem_grow(k->text, 1, &k->text_capacity, 1);
	k->text[0] = '\0';
}

static const char *resource_name(const struct kueue *k, uint32_t resource)
{
	return name_text(k->scenario->resources, resource);
}

static const char *flavor_name(const struct kueue *k, uint32_t flavor)
{
	return name_text(k->scenario->strings, k->flavors[flavor].name);
}

/* -------------------------------------------------------- flavor reasons */

/* A request is a number, however large; only quotas can be unlimited. */
static char *format_request(int64_t amount, enum num_style style, char text[NUM_QUANTITY_TEXT])
{
	if (amount != RES_UNLIMITED)
		return num_format_quantity(amount, style, text);
	snprintf(text, NUM_QUANTITY_TEXT, "%" PRId64 "%s", amount, style == NUM_MILLI ? "m" : "");
	return text;
}

static void append_exceeds(struct kueue *k, const struct kueue_reason *r)
{
	const char *name = resource_name(k, r->resource);
	enum num_style style = res_style(name);
	char a[NUM_QUANTITY_TEXT], b[NUM_QUANTITY_TEXT], c[NUM_QUANTITY_TEXT];

	append(k,
	       "insufficient quota for %s in flavor %s, previously considered podsets requests "
	       "(%s) + current podset request (%s) > maximum capacity (%s)",
	       name, flavor_name(k, r->flavor), num_format_quantity(r->a, style, a),
	       format_request(r->b, style, b), num_format_quantity(r->c, style, c));
}

static void append_unused(struct kueue *k, const struct kueue_reason *r)
{
	const char *name = resource_name(k, r->resource);
	char a[NUM_QUANTITY_TEXT];

	append(k, "insufficient unused quota for %s in flavor %s, %s more needed", name,
	       flavor_name(k, r->flavor), num_format_quantity(r->a, res_style(name), a));
}

static const char *effect_text(enum taint_effect effect)
{
	switch (effect) {
	case TAINT_NO_SCHEDULE:
		return "NoSchedule";
	case TAINT_PREFER_NO_SCHEDULE:
		return "PreferNoSchedule";
	case TAINT_NO_EXECUTE:
		return "NoExecute";
	case TAINT_ANY:
		break;
	}
	return "";
}

static void append_taint(struct kueue *k, const struct kueue_reason *r)
{
	const struct taint *taint = &k->flavors[r->flavor].now->taints.items[r->a];
	const struct name_table *strings = k->scenario->strings;

	append(k, "untolerated taint {%s %s %s <nil>} in flavor %s", name_text(strings, taint->key),
	       name_text(strings, taint->value), effect_text(taint->effect),
	       flavor_name(k, r->flavor));
}

static void append_reason(struct kueue *k, const struct kueue_reason *r)
{
	switch (r->kind) {
	case REASON_EXCEEDS:
		append_exceeds(k, r);
		break;
	case REASON_UNUSED:
		append_unused(k, r);
		break;
	case REASON_UNAVAILABLE:
		append(k, "resource %s unavailable in ClusterQueue", resource_name(k, r->resource));
		break;
	case REASON_NO_FLAVOR:
		append(k, "flavor %s not found", flavor_name(k, r->flavor));
		break;
	case REASON_TAINT:
		append_taint(k, r);
		break;
	case REASON_AFFINITY:
		append(k, "flavor %s doesn't match node affinity", flavor_name(k, r->flavor));
		break;
	case REASON_NOT_TOPOLOGY:
		append(k, "Flavor \"%s\" does not support TopologyAwareScheduling",
		       flavor_name(k, r->flavor));
		break;
	case REASON_NO_LEVEL:
		append(k, "Flavor \"%s\" does not contain the requested level",
		       flavor_name(k, r->flavor));
		break;
	case REASON_ONLY_TOPOLOGY:
		append(k, "Flavor \"%s\" supports only TopologyAwareScheduling",
		       flavor_name(k, r->flavor));
		break;
	case REASON_NOT_ALLOWED:
		append(k,
		       "skipping flavor %s due to WorkloadAllowedResourceFlavorAnnotation "
		       "annotation",
		       flavor_name(k, r->flavor));
		break;
	case REASON_NOT_NOMINATED:
		append(k,
		       "skipping flavor %s as it is not found in the nomination mapping for "
		       "resource %s",
		       flavor_name(k, r->flavor), resource_name(k, r->resource));
		break;
	case REASON_OTHER_SLICE:
		append(k, "could not assign %s flavor since the original workload is assigned: %s",
		       flavor_name(k, r->flavor),
		       r->a == KUEUE_NONE ? "" : flavor_name(k, (uint32_t)r->a));
		break;
	case REASON_TEXT:
		append(k, "%s", r->text);
		break;
	}
}

static int compare_texts(const void *a, const void *b, void *context)
{
	(void)context;
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Reasons of one set, sorted as strings; equal ones repeat. */
static void append_set(struct kueue *k, const struct kueue_assignment *a, uint32_t set)
{
	uint32_t count = a->sets[set].reason_count;
	char **texts = mem_calloc(count, sizeof(*texts));
	size_t start = k->text_length;

	for (uint32_t i = 0; i < count; i++) {
		k->text_length = start;
		append_reason(k, &a->reasons[a->sets[set].first_reason + i]);
		texts[i] = mem_strdup(k->text + start);
	}
	k->text_length = start;
	sort_stable(texts, count, sizeof(*texts), compare_texts, NULL);
	for (uint32_t i = 0; i < count; i++) {
		append(k, "%s%s", i > 0 ? ", " : "", texts[i]);
		mem_free(texts[i]);
	}
	mem_free(texts);
}

static void append_failure(struct kueue *k, const struct kueue_form *form,
			   const struct kueue_assignment *a, uint32_t set)
{
	const struct pod_set *pods = &k->scenario->pod_sets[form->first_pod_set + set];

	if (a->sets[set].reason_count == 0)
		return;
	append(k, "%scouldn't assign flavors to pod set %s: ", k->text_length > 0 ? "; " : "",
	       name_text(k->scenario->strings, pods->name));
	append_set(k, a, set);
}

const char *kueue_message_assignment(struct kueue *k, uint32_t job,
				     const struct kueue_assignment *a, uint32_t preempted)
{
	const struct kueue_form *form = kueue_form_of(k, job);

	begin(k);
	if (a->error != NULL) {
		const struct pod_set *set =
			&k->scenario->pod_sets[form->first_pod_set + a->error_set];

		append(k, "failed to assign flavors to pod set %s: %s",
		       name_text(k->scenario->strings, set->name), a->error);
		return k->text;
	}
	for (uint32_t lead = 0; lead < a->set_count; lead++) {
		if (!kueue_flavor_leads(k, form, lead))
			continue;
		for (uint32_t s = lead; s < a->set_count; s = kueue_flavor_with(k, form, s))
			append_failure(k, form, a, s);
	}
	if (preempted > 0)
		append(k, ". Pending the preemption of %" PRIu32 " workload(s)", preempted);
	return k->text;
}

/* --------------------------------------------------------------- its mark */

/* What of the reason its text shows. */
static uint64_t reason_mark(struct kueue *k, const struct kueue_reason *r)
{
	uint64_t mark = kueue_mix(kueue_mix(r->kind, r->resource), r->flavor);

	if (r->kind == REASON_UNUSED)
		return kueue_mix(mark, (uint64_t)r->a);
	if (r->kind == REASON_EXCEEDS)
		return kueue_mix(kueue_mix(kueue_mix(mark, (uint64_t)r->a), (uint64_t)r->b),
				 (uint64_t)r->c);
	begin(k);
	append_reason(k, r);
	return name_hash(k->text, k->text_length);
}

uint64_t kueue_message_mark(struct kueue *k, uint32_t job, const struct kueue_assignment *a,
			    uint32_t preempted)
{
	uint64_t mark = preempted;

	if (a->error != NULL) {
		kueue_message_assignment(k, job, a, preempted);
		return name_hash(k->text, k->text_length);
	}
	for (uint32_t s = 0; s < a->set_count; s++) {
		uint64_t sum = 0; /* the text sorts them */

		for (uint32_t i = 0; i < a->sets[s].reason_count; i++)
			sum += reason_mark(k, &a->reasons[a->sets[s].first_reason + i]);
		mark = kueue_mix(mark, sum);
	}
	return mark;
}

/* ---------------------------------------------------------- other messages */

/* "/root/.../parent/queue" */
static void append_path(struct kueue *k, uint32_t node)
{
	const struct scenario *s = k->scenario;

	if (k->tree.nodes[node].parent != QUOTA_NONE)
		append_path(k, k->tree.nodes[node].parent);
	append(k, "/%s",
	       name_text(s->strings, node < k->queue_count
					     ? s->cluster_queues[node].name
					     : s->cohorts[node - k->queue_count].name));
}

const char *kueue_message_preempted(struct kueue *k, uint32_t by_job, enum kueue_preemption reason,
				    uint32_t queue)
{
	static const char *const why[] = {
		[PREEMPTION_IN_QUEUE] = "prioritization in the ClusterQueue",
		[PREEMPTION_RECLAIM] = "reclamation within the cohort",
		[PREEMPTION_FAIR] = "Fair Sharing within the cohort",
		[PREEMPTION_RECLAIM_BORROWING] = "reclamation within the cohort while borrowing",
	};

	begin(k);
	append(k,
	       "Preempted to accommodate a workload (UID: %08" PRIu32
	       "-0000-4000-8000-000000000000, JobUID: UNKNOWN) due to %s; preemptor path: ",
	       kueue_job(k, by_job)->row, why[reason]);
	append_path(k, kueue_queue_of(k, by_job));
	append(k, "; preemptee path: ");
	append_path(k, queue);
	return k->text;
}

const char *kueue_message_migrating(struct kueue *k, uint32_t job, const struct kueue_assignment *a)
{
	kueue_message_assignment(k, job, a, 0);
	append(k, ". Pending the migration of 1 workload(s)");
	return k->text;
}

const char *kueue_message_migration(struct kueue *k, uint32_t by)
{
	begin(k);
	append(k,
	       "Evicted to accommodate a workload (UID: %08" PRIu32 "-0000-4000-8000-%012" PRIu32
	       ") due to migration to more favorable resource flavor",
	       kueue_job(k, by)->row, by - k->first_variant + 1);
	return k->text;
}

/* All faults of a kind, pod set by pod set. */
static uint32_t append_faults(struct kueue *k, const struct kueue_form *form, bool ranges)
{
	const struct scenario *s = k->scenario;
	uint32_t told = 0;

	for (uint32_t i = 0; i < form->set_count; i++) {
		const struct pod_faults *f =
			s->shapes[s->pod_sets[form->first_pod_set + i].shape].faults;
		uint32_t count = f == NULL ? 0 : ranges ? f->range_count : f->limit_count;

		for (uint32_t n = 0; n < count; n++)
			append(k, "%sspec.podSets[%" PRIu32 "].template.spec%s",
			       told++ > 0 ? ", " : "", i, ranges ? f->ranges[n] : f->limits[n]);
	}
	return told;
}

bool kueue_message_has_faults(const struct kueue *k, uint32_t job)
{
	const struct kueue_form *form = kueue_form_of(k, job);
	const struct scenario *s = k->scenario;
	bool any = false;

	for (uint32_t i = form->first_pod_set; i < form->first_pod_set + form->set_count; i++) {
		const struct pod_faults *f = s->shapes[s->pod_sets[i].shape].faults;

		any = any || (f != NULL && f->limit_count + f->range_count != 0);
	}
	return any;
}

const char *kueue_message_faults(struct kueue *k, uint32_t job)
{
	const struct kueue_form *form = kueue_form_of(k, job);
	bool ranges = false;
	uint32_t count;
	char *list;

	begin(k);
	count = append_faults(k, form, ranges);
	if (count == 0) {
		ranges = true;
		count = append_faults(k, form, ranges);
	}
	list = mem_strdup(k->text);
	begin(k);
	append(k, "%s: %s%s%s",
	       ranges ? "resources didn't satisfy LimitRange constraints"
		      : "resources validation failed",
	       count > 1 ? "[" : "", list, count > 1 ? "]" : "");
	mem_free(list);
	return k->text;
}

const char *kueue_message_node_failures(struct kueue *k, uint32_t first, uint32_t second)
{
	begin(k);
	append(k,
	       "Workload eviction triggered due to multiple TAS assigned node failures, "
	       "including: %s, %s",
	       kueue_topology_place(k->topology, first), kueue_topology_place(k->topology, second));
	return k->text;
}

const char *kueue_message_no_replacement(struct kueue *k, uint32_t place)
{
	begin(k);
	append(k, "Workload was evicted as there was no replacement for unhealthy node(s): %s",
	       kueue_topology_place(k->topology, place));
	return k->text;
}

const char *kueue_message_name(struct kueue *k, const char *before, uint32_t name,
			       const char *after)
{
	begin(k);
	append(k, "%s%s%s", before, name_text(k->scenario->strings, name), after);
	return k->text;
}

const char *kueue_message_timeout(struct kueue *k, uint32_t job)
{
	char name[SCENARIO_NAME_TEXT];

	begin(k);
	append(k, "Exceeded the PodsReady timeout %s/%s",
	       name_text(k->scenario->strings, kueue_job(k, job)->common->ns),
	       scenario_job_name(k->scenario, kueue_job_of(k, job), name));
	return k->text;
}
