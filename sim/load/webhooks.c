#include "sim/load/webhooks.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/mem.h"
#include "sim/scenario/kueue_gates.h"

#define CONCURRENT_MAX 16 /* flavors of a queue with a concurrentAdmissionPolicy */

/* Kueue's webhooks refuse the annotation. */
enum err_code webhooks_layers(struct resolver *r)
{
	if (r->builder->layers_where.file == NULL ||
	    kueue_gates_read(&r->scenario->config, r->builder->strings).layers)
		return ERR_OK;
	return resolve_fault(
		r, ERR_VALUE, r->builder->layers_where,
		"switch the gate on in Kueue's Configuration, or delete the annotation",
		"annotation podset-slice-required-topology-constraints: the feature gate "
		"TASMultiLayerTopology must be on to use it");
}

/* jobframework: ValidateElasticJobAnnotation. Without the gate the annotation means nothing. */
enum err_code webhooks_elastic(struct resolver *r)
{
	const struct draft_elastic *entry = r->builder->elastic;

	if (!kueue_gates_read(&r->scenario->config, r->builder->strings).slices)
		return ERR_OK;
	for (; entry != NULL; entry = entry->next) {
		if (resolve_fault(r, ERR_VALUE, entry->where,
				  "delete the annotation: until then Kueue refuses the object",
				  "annotation kueue.x-k8s.io/elastic-job: elastic job is not "
				  "supported for \"%s\"",
				  resolve_text(r, entry->kind)) != ERR_OK)
			return r->err->code;
	}
	return ERR_OK;
}

/* What Kueue's webhook has against the policy; NULL: nothing. */
static const char *concurrent_fault(const struct cluster_queue *q)
{
	if (q->group_count != 1)
		return "resourceGroups: must have exactly one ResourceGroup when "
		       "concurrentAdmissionPolicy is defined";
	if (q->groups[0].flavor_count > CONCURRENT_MAX)
		return "resourceGroups[0].flavors: cannot have more than 16 resource flavors in "
		       "the ResourceGroup when concurrentAdmissionPolicy is defined";
	if (q->retains_first && q->last_acceptable != 0)
		return "concurrentAdmissionPolicy.migration.constraints: may only be set when "
		       "migration.mode is \"TryPreferredFlavors\"";
	if (q->last_acceptable != 0 && !scenario_has_flavor(q, q->last_acceptable - 1))
		return "concurrentAdmissionPolicy.migration.constraints.lastAcceptableFlavorName: "
		       "must be one of the flavors defined in the ClusterQueue";
	if (q->strategy == QUEUE_STRICT_FIFO)
		return "queueingStrategy: StrictFIFO cannot be used when "
		       "concurrentAdmissionPolicy is defined";
	return NULL;
}

static bool asks_for_nodes(const struct resolver *r, const struct cluster_queue *q)
{
	for (uint32_t i = 0; i < q->check_count; i++) {
		if (q->checks[i].check != SCENARIO_NONE &&
		    r->scenario->checks[q->checks[i].check].provisions)
			return true;
	}
	return false;
}

static bool same_policy(const struct cluster_queue *a, const struct cluster_queue *b)
{
	return a->concurrent == b->concurrent && a->retains_first == b->retains_first &&
	       a->last_acceptable == b->last_acceptable;
}

/* Of an object that is applied over another. */
static bool changes_policy(const struct resolver *r, const struct cluster_queue *queues,
			   const struct cluster_queue *now)
{
	uint32_t first =
		draft_index_get(&r->placed[KIND_CLUSTER_QUEUE].index, now->name, NAME_NONE);

	return first != NAME_NONE && !queues[first].absent && !now->absent &&
	       !same_policy(&queues[first], now);
}

/* Without the feature gate the policy means nothing, and nobody checks it. */
static enum err_code check_concurrent(struct resolver *r)
{
	struct placed *placed = &r->placed[KIND_CLUSTER_QUEUE];
	const struct cluster_queue *queues = (const struct cluster_queue *)placed->records;

	if (!kueue_gates_read(&r->scenario->config, r->builder->strings).concurrent)
		return ERR_OK;
	for (uint32_t i = 0; i < placed->total; i++) {
		const struct cluster_queue *q = &queues[i];
		const char *wrong = q->concurrent && !q->absent ? concurrent_fault(q) : NULL;

		if (changes_policy(r, queues, q))
			wrong = "concurrentAdmissionPolicy: field is immutable";
		if (wrong != NULL &&
		    resolve_fault(r, ERR_VALUE, placed->meta[i].where,
				  "correct the field: until then Kueue refuses the object",
				  "ClusterQueue \"%s\": spec.%s", resolve_text(r, q->name),
				  wrong) != ERR_OK)
			return r->err->code;
		if (q->concurrent && wrong == NULL && asks_for_nodes(r, q))
			draft_finding(r->builder, FINDING_NOT_MODELLED, placed->meta[i].where,
				      "ClusterQueue \"%s\": concurrentAdmissionPolicy with an "
				      "admission check that makes ProvisioningRequests is not "
				      "modelled: jobs take one flavor after the other",
				      resolve_text(r, q->name));
	}
	return ERR_OK;
}

static bool names_all_of(const struct check_ref *check, const struct check_ref *other)
{
	for (uint32_t i = 0; i < other->flavor_count; i++) {
		if (!scenario_names_flavor(check, other->flavors[i]))
			return false;
	}
	return true;
}

static bool has_all_of(const struct cluster_queue *q, const struct cluster_queue *other)
{
	for (uint32_t g = 0; g < other->group_count; g++)
		for (uint32_t i = 0; i < other->groups[g].flavor_count; i++)
			if (!scenario_has_flavor(q, other->groups[g].flavor_names[i]))
				return false;
	return true;
}

/* Was the queue as it is in this respect? Then Kueue lets it be, by default. */
static bool had_check(const struct cluster_queue *before, const struct check_ref *check)
{
	for (uint32_t i = 0; i < before->check_count; i++) {
		if (before->checks[i].name == check->name)
			return names_all_of(&before->checks[i], check) &&
			       names_all_of(check, &before->checks[i]);
	}
	return false;
}

/* "a", "b" */
static void list_flavors(const struct resolver *r, const struct cluster_queue *q, char *buf,
			 size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (uint32_t g = 0; g < q->group_count; g++) {
		for (uint32_t i = 0; i < q->groups[g].flavor_count && used < size; i++)
			used += (size_t)snprintf(buf + used, size - used, "%s\"%s\"",
						 used > 0 ? ", " : "",
						 resolve_text(r, q->groups[g].flavor_names[i]));
	}
}

static enum err_code refuse_on_flavors(struct resolver *r, uint32_t version, uint32_t check)
{
	const struct placed *placed = &r->placed[KIND_CLUSTER_QUEUE];
	const struct cluster_queue *q = (const struct cluster_queue *)placed->records + version;
	const struct check_ref *of = &q->checks[check];
	char flavors[256];

	list_flavors(r, q, flavors, sizeof(flavors));
	for (uint32_t i = 0; i < of->flavor_count; i++) {
		if (!scenario_has_flavor(q, of->flavors[i]) &&
		    resolve_fault(r, ERR_VALUE, placed->meta[version].where,
				  "correct the field: until then Kueue refuses the object",
				  "ClusterQueue \"%s\": "
				  "spec.admissionChecksStrategy.admissionChecks[%" PRIu32
				  "].onFlavors[%" PRIu32
				  "]: Unsupported value: \"%s\": supported values: %s",
				  resolve_text(r, q->name), check, i,
				  resolve_text(r, of->flavors[i]), flavors) != ERR_OK)
			return r->err->code;
	}
	return ERR_OK;
}

/* Flavors of a check that the queue does not have: Kueue's webhook refuses them
 * (clusterqueue_webhook.go, validateAdmissionCheckOnFlavors), but for queues that had them before
 * it did so. What is there from the start may be such a queue, and is only warned of. */
static enum err_code check_on_flavors(struct resolver *r)
{
	const struct placed *placed = &r->placed[KIND_CLUSTER_QUEUE];
	const struct cluster_queue *queues = (const struct cluster_queue *)placed->records;
	bool strict =
		kueue_gates_read(&r->scenario->config, r->builder->strings).rejects_on_flavors;
	uint32_t *holds = mem_calloc(placed->total, sizeof(*holds));
	enum err_code code = ERR_OK;

	for (uint32_t i = 0; i < placed->total; i++)
		holds[i] = i;
	for (uint32_t i = 0; i < r->scenario->update_count && code == ERR_OK; i++) {
		const struct update *u = &r->scenario->updates[i];
		const struct cluster_queue *before, *now;
		bool legacy;

		if (u->kind != UPDATE_CLUSTER_QUEUE)
			continue;
		before = &queues[holds[u->object]];
		now = &queues[u->version];
		holds[u->object] = u->version;
		legacy = !strict && !before->absent && has_all_of(now, before) &&
			 has_all_of(before, now);
		for (uint32_t c = 0; c < now->check_count && code == ERR_OK && !now->absent; c++) {
			if (!legacy || !had_check(before, &now->checks[c]))
				code = refuse_on_flavors(r, u->version, c);
		}
	}
	mem_free(holds);
	return code;
}

enum err_code webhooks_queues(struct resolver *r)
{
	enum err_code code = check_concurrent(r);

	return code != ERR_OK ? code : check_on_flavors(r);
}
