#include "sim/dump/import_jobs.h"

#include <inttypes.h>
#include <string.h>

#include "sim/scenario/template.h"
#include "sim/tool/jsonw.h"
#include "sim/trace/trace_write.h"

#define FULL_UTILISATION 1000 /* per mille */

static const char *text_of(const struct builder *builder, uint32_t string)
{
	return string == NAME_NONE ? "" : name_text(builder->strings, string);
}

/* ---- which jobs ---- */

static const struct job_extra *extra_of(const struct builder *builder, const struct job *job)
{
	static const struct job_extra none = {.cancel_at = CLOCK_NEVER};

	return job->extra == JOB_NONE ? &none : &builder->extras[job->extra];
}

/* What only a list of jobs can give. */
static bool has_attempts(const struct job_extra *extra)
{
	return extra->ready_count + extra->fail_count + extra->recover_count + extra->check_count !=
		       0 ||
	       extra->deactivate_at != 0 || extra->reactivate_at != 0;
}

static bool has_rules(const struct job_control *control)
{
	return control != NULL &&
	       (control->suspended || control->duration_count + control->fate_count != 0 ||
		control->change_count != 0 || control->deadline != 0 || control->cron != NULL ||
		control->failure_rule_count + control->success_rule_count != 0 ||
		control->backoff_limit != JOB_NONE || control->index_limit != JOB_NONE ||
		(control->completions != JOB_NONE && control->completions > 1) ||
		control->controller == CONTROLLER_REPLICA_SET ||
		control->controller == CONTROLLER_STATEFUL_SET);
}

bool import_jobs_ruled(const struct builder *builder, const struct job *job)
{
	return has_rules(extra_of(builder, job)->control);
}

bool import_jobs_can(const struct builder *builder, const struct job *job)
{
	const struct job_extra *extra = extra_of(builder, job);

	return job->common->queue != NAME_NONE && job->name != NAME_NONE &&
	       (job->common->flags & (JOB_UNMANAGED | JOB_SINGLE_POD)) == 0 &&
	       !has_attempts(extra) && !import_jobs_ruled(builder, job);
}

bool import_jobs_must(const struct builder *builder, const struct job *job)
{
	const struct pod_set *sets = &builder->pod_sets[job->common->first_pod_set];

	if (job->common->checkpoint != 0 || job->common->restart_cost != 0 ||
	    (job->common->flags & JOB_NOT_GANG) != 0 || job->utilisation != FULL_UTILISATION)
		return true;
	/* Messages name it. */
	if (job->common->pod_set_count == 1 && strcmp(text_of(builder, sets[0].name), "main") != 0)
		return true;
	for (uint32_t i = 0; i < job->common->pod_set_count; i++) {
		const struct draft_shape *shape = &builder->shapes[sets[i].shape];

		if (trace_write_loses(&sets[i], &shape->shape,
				      &builder->shapes[sets[0].shape].shape,
				      job->common->pod_set_count) ||
		    (shape->source != NULL && shape->source->runtime_class != NAME_NONE))
			return true;
	}
	return false;
}

/* ---- what names there are ---- */

void import_jobs_show_labels(struct redact *redact, const struct builder *builder,
			     const struct label_set *labels)
{
	for (uint32_t i = 0; i < labels->count; i++)
		redact_show_label(redact, text_of(builder, labels->items[i].key),
				  text_of(builder, labels->items[i].value));
}

static void show_expressions(struct redact *redact, const struct builder *builder,
			     const struct match_expression *list, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		redact_show_label(redact, text_of(builder, list[i].key), "");
		for (uint32_t v = 0; v < list[i].value_count; v++)
			redact_show_label(redact, text_of(builder, list[i].key),
					  text_of(builder, list[i].values[v]));
	}
}

static void show_node_terms(struct redact *redact, const struct builder *builder,
			    const struct node_term *terms, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		show_expressions(redact, builder, terms[i].expressions, terms[i].expression_count);
		for (uint32_t k = 0; k < terms[i].field_count; k++)
			for (uint32_t v = 0; v < terms[i].fields[k].value_count; v++)
				redact_hide(redact, REDACT_NODE,
					    text_of(builder, terms[i].fields[k].values[v]));
	}
}

static void show_selector(struct redact *redact, const struct builder *builder,
			  const struct label_selector *selector)
{
	import_jobs_show_labels(redact, builder, &selector->match_labels);
	show_expressions(redact, builder, selector->expressions, selector->expression_count);
}

static void show_constraints(struct redact *redact, const struct builder *builder,
			     const struct pod_constraints *c)
{
	show_node_terms(redact, builder, c->preferred, c->preferred_count);
	for (uint32_t i = 0; i < c->term_count; i++) {
		const struct pod_term *term = &c->terms[i];

		show_selector(redact, builder, &term->selector);
		show_selector(redact, builder, &term->namespace_selector);
		redact_show(redact, REDACT_LABEL, text_of(builder, term->topology_key));
		for (uint32_t n = 0; n < term->namespace_count; n++)
			redact_hide(redact, REDACT_NAMESPACE,
				    text_of(builder, term->namespaces[n]));
	}
	for (uint32_t i = 0; i < c->spread_count; i++) {
		show_selector(redact, builder, &c->spreads[i].selector);
		redact_show(redact, REDACT_LABEL, text_of(builder, c->spreads[i].topology_key));
	}
}

static void show_shape(struct redact *redact, const struct builder *builder,
		       const struct pod_shape *shape)
{
	import_jobs_show_labels(redact, builder, &shape->node_selector);
	for (uint32_t i = 0; i < shape->tolerations.count; i++) {
		const struct toleration *t = &shape->tolerations.items[i];

		redact_show_label(redact, text_of(builder, t->key),
				  t->op == TOLERATION_EQUAL ? text_of(builder, t->value) : "");
	}
	show_node_terms(redact, builder, shape->affinity, shape->affinity_count);
	if (shape->constraints != NULL)
		show_constraints(redact, builder, shape->constraints);
	redact_show(redact, REDACT_LABEL, text_of(builder, shape->topology_level));
	redact_show(redact, REDACT_LABEL, text_of(builder, shape->slice_level));
	for (uint32_t i = 0; i < shape->inner_slice_count; i++)
		redact_show(redact, REDACT_LABEL, text_of(builder, shape->inner_slices[i].level));
	redact_hide(redact, REDACT_VALUE, text_of(builder, shape->topology_group));
	if (shape->scheduler != 0)
		redact_show(redact, REDACT_VALUE, text_of(builder, shape->scheduler - 1));
}

static const struct label_set *labels_of(const struct builder *builder, uint32_t job)
{
	static const struct label_set none = {NULL, 0};
	uint32_t at = job < builder->job_label_count ? builder->job_labels[job] : 0;

	return at == 0 ? &none : &builder->pod_labels[at - 1];
}

void import_jobs_show(struct redact *redact, const struct builder *builder, uint32_t index)
{
	const struct job *job = &builder->jobs[index];

	redact_hide(redact, REDACT_JOB, text_of(builder, job->name));
	redact_hide(redact, REDACT_NAMESPACE, text_of(builder, job->common->ns));
	redact_hide(redact, REDACT_QUEUE, text_of(builder, job->common->queue));
	redact_hide(redact, REDACT_CLASS, text_of(builder, job->common->priority_class));
	import_jobs_show_labels(redact, builder, labels_of(builder, index));
	for (uint32_t i = 0; i < job->common->pod_set_count; i++) {
		const struct pod_set *set = &builder->pod_sets[job->common->first_pod_set + i];
		const struct draft_shape *shape = &builder->shapes[set->shape];

		redact_hide(redact, REDACT_VALUE, text_of(builder, set->name));
		if (shape->source != NULL)
			redact_hide(redact, REDACT_CLASS,
				    text_of(builder, shape->source->runtime_class));
		show_shape(redact, builder, &shape->shape);
	}
}

/* ---- JSON ---- */

struct writer {
	struct jsonw json;
	const struct builder *builder;
	const struct redact *redact;
};

/* As it goes out. */
static const char *name_of(const struct writer *w, uint32_t string)
{
	const char *text = text_of(w->builder, string);

	return w->redact == NULL ? text : redact_value(w->redact, text);
}

static const char *resource_of(const struct writer *w, uint32_t resource)
{
	const char *name = name_text(w->builder->resources, resource);

	return w->redact == NULL ? name : redact_value(w->redact, name);
}

static void put_string(struct writer *w, const char *key, uint32_t string)
{
	if (string != NAME_NONE)
		jsonw_text(&w->json, key, name_of(w, string));
}

static void put_labels(struct writer *w, const char *key, const struct label_set *labels)
{
	if (labels->count == 0)
		return;
	jsonw_object(&w->json, key);
	for (uint32_t i = 0; i < labels->count; i++)
		jsonw_text(&w->json, name_of(w, labels->items[i].key),
			   name_of(w, labels->items[i].value));
	jsonw_close_object(&w->json);
}

static void put_expressions(struct writer *w, const char *key, const struct match_expression *list,
			    uint32_t count)
{
	static const char *const ops[] = {
		[MATCH_IN] = "In",	   [MATCH_NOT_IN] = "NotIn",
		[MATCH_EXISTS] = "Exists", [MATCH_DOES_NOT_EXIST] = "DoesNotExist",
		[MATCH_GT] = "Gt",	   [MATCH_LT] = "Lt"};

	if (count == 0)
		return;
	jsonw_array(&w->json, key);
	for (uint32_t i = 0; i < count; i++) {
		jsonw_object(&w->json, NULL);
		jsonw_text(&w->json, "key", name_of(w, list[i].key));
		jsonw_text(&w->json, "operator", ops[list[i].op]);
		if (list[i].value_count != 0) {
			jsonw_array(&w->json, "values");
			for (uint32_t v = 0; v < list[i].value_count; v++)
				jsonw_text(&w->json, NULL, name_of(w, list[i].values[v]));
			jsonw_close_array(&w->json);
		}
		jsonw_close_object(&w->json);
	}
	jsonw_close_array(&w->json);
}

static void put_node_term(struct writer *w, const char *key, const struct node_term *term)
{
	jsonw_object(&w->json, key);
	put_expressions(w, "matchExpressions", term->expressions, term->expression_count);
	put_expressions(w, "matchFields", term->fields, term->field_count);
	jsonw_close_object(&w->json);
}

static void put_selector(struct writer *w, const char *key, const struct label_selector *selector)
{
	if (!selector->present)
		return;
	jsonw_object(&w->json, key);
	put_labels(w, "matchLabels", &selector->match_labels);
	put_expressions(w, "matchExpressions", selector->expressions, selector->expression_count);
	jsonw_close_object(&w->json);
}

/* ---- where its pods may go ---- */

static const char *effect_of(enum taint_effect effect)
{
	static const char *const effects[] = {[TAINT_ANY] = "",
					      [TAINT_NO_SCHEDULE] = "NoSchedule",
					      [TAINT_PREFER_NO_SCHEDULE] = "PreferNoSchedule",
					      [TAINT_NO_EXECUTE] = "NoExecute"};

	return effects[effect];
}

static void put_tolerations(struct writer *w, const struct toleration_set *set)
{
	static const char *const ops[] = {[TOLERATION_EQUAL] = "Equal",
					  [TOLERATION_EXISTS] = "Exists",
					  [TOLERATION_LT] = "Lt",
					  [TOLERATION_GT] = "Gt"};

	if (set->count == 0)
		return;
	jsonw_array(&w->json, "tolerations");
	for (uint32_t i = 0; i < set->count; i++) {
		const struct toleration *t = &set->items[i];

		jsonw_object(&w->json, NULL);
		put_string(w, "key", t->key);
		jsonw_text(&w->json, "operator", ops[t->op]);
		if (t->op != TOLERATION_EXISTS)
			put_string(w, "value", t->value);
		if (t->effect != TAINT_ANY)
			jsonw_text(&w->json, "effect", effect_of(t->effect));
		if (t->limited)
			jsonw_integer(&w->json, "tolerationSeconds", t->seconds);
		jsonw_close_object(&w->json);
	}
	jsonw_close_array(&w->json);
}

static void put_node_affinity(struct writer *w, const struct pod_shape *shape)
{
	const struct pod_constraints *c = shape->constraints;

	jsonw_object(&w->json, "nodeAffinity");
	if (shape->affinity_count != 0) {
		jsonw_object(&w->json, "requiredDuringSchedulingIgnoredDuringExecution");
		jsonw_array(&w->json, "nodeSelectorTerms");
		for (uint32_t i = 0; i < shape->affinity_count; i++)
			put_node_term(w, NULL, &shape->affinity[i]);
		jsonw_close_array(&w->json);
		jsonw_close_object(&w->json);
	}
	if (c != NULL && c->preferred_count != 0) {
		jsonw_array(&w->json, "preferredDuringSchedulingIgnoredDuringExecution");
		for (uint32_t i = 0; i < c->preferred_count; i++) {
			jsonw_object(&w->json, NULL);
			jsonw_integer(&w->json, "weight", c->weights[i]);
			put_node_term(w, "preference", &c->preferred[i]);
			jsonw_close_object(&w->json);
		}
		jsonw_close_array(&w->json);
	}
	jsonw_close_object(&w->json);
}

static void put_pod_term(struct writer *w, const struct pod_term *term)
{
	jsonw_object(&w->json, NULL);
	if (term->weight != 0) {
		jsonw_integer(&w->json, "weight", term->weight);
		jsonw_object(&w->json, "podAffinityTerm");
	}
	jsonw_text(&w->json, "topologyKey", name_of(w, term->topology_key));
	put_selector(w, "labelSelector", &term->selector);
	put_selector(w, "namespaceSelector", &term->namespace_selector);
	if (term->namespace_count != 0) {
		jsonw_array(&w->json, "namespaces");
		for (uint32_t i = 0; i < term->namespace_count; i++)
			jsonw_text(&w->json, NULL, name_of(w, term->namespaces[i]));
		jsonw_close_array(&w->json);
	}
	if (term->weight != 0)
		jsonw_close_object(&w->json);
	jsonw_close_object(&w->json);
}

/* Those of one of the four lists. */
static void put_pod_terms(struct writer *w, const struct pod_constraints *c, bool anti,
			  bool preferred)
{
	jsonw_array(&w->json, preferred ? "preferredDuringSchedulingIgnoredDuringExecution"
					: "requiredDuringSchedulingIgnoredDuringExecution");
	for (uint32_t i = 0; i < c->term_count; i++)
		if (c->terms[i].anti == anti && (c->terms[i].weight != 0) == preferred)
			put_pod_term(w, &c->terms[i]);
	jsonw_close_array(&w->json);
}

static void put_affinity(struct writer *w, const struct pod_shape *shape)
{
	const struct pod_constraints *c = shape->constraints;

	if (shape->affinity_count == 0 && c == NULL)
		return;
	jsonw_object(&w->json, "affinity");
	put_node_affinity(w, shape);
	for (int anti = 0; c != NULL && c->term_count != 0 && anti < 2; anti++) {
		jsonw_object(&w->json, anti ? "podAntiAffinity" : "podAffinity");
		put_pod_terms(w, c, anti != 0, false);
		put_pod_terms(w, c, anti != 0, true);
		jsonw_close_object(&w->json);
	}
	jsonw_close_object(&w->json);
}

static void put_spreads(struct writer *w, const struct pod_constraints *c)
{
	if (c == NULL || c->spread_count == 0)
		return;
	jsonw_array(&w->json, "topologySpreadConstraints");
	for (uint32_t i = 0; i < c->spread_count; i++) {
		const struct spread_constraint *s = &c->spreads[i];

		if (s->system)
			continue;
		jsonw_object(&w->json, NULL);
		jsonw_integer(&w->json, "maxSkew", s->max_skew);
		jsonw_text(&w->json, "topologyKey", name_of(w, s->topology_key));
		jsonw_text(&w->json, "whenUnsatisfiable",
			   s->hard ? "DoNotSchedule" : "ScheduleAnyway");
		if (s->min_domains != 1)
			jsonw_integer(&w->json, "minDomains", s->min_domains);
		jsonw_text(&w->json, "nodeAffinityPolicy",
			   s->ignores_affinity ? "Ignore" : "Honor");
		jsonw_text(&w->json, "nodeTaintsPolicy", s->honors_taints ? "Honor" : "Ignore");
		put_selector(w, "labelSelector", &s->selector);
		jsonw_close_object(&w->json);
	}
	jsonw_close_array(&w->json);
}

/* ---- what its pods ask for ---- */

static void put_amounts(struct writer *w, const char *key, const struct template_amounts *amounts)
{
	char text[40];

	if (amounts->given == 0)
		return;
	jsonw_object(&w->json, key);
	for (uint32_t r = 0; r < RES_MAX; r++) {
		if ((amounts->given >> r & 1) == 0)
			continue;
		snprintf(text, sizeof(text), "%" PRId64 "%s", amounts->amount[r],
			 res_is_milli(r) ? "m" : "");
		jsonw_text(&w->json, resource_of(w, r), text);
	}
	jsonw_close_object(&w->json);
}

static void put_resources(struct writer *w, const struct template_amounts *requests,
			  const struct template_amounts *limits)
{
	if (requests->given == 0 && limits->given == 0)
		return;
	jsonw_object(&w->json, "resources");
	put_amounts(w, "requests", requests);
	put_amounts(w, "limits", limits);
	jsonw_close_object(&w->json);
}

static void put_container(struct writer *w, const struct template_container *c, uint32_t index)
{
	char name[20];

	snprintf(name, sizeof(name), "c%" PRIu32, index);
	jsonw_object(&w->json, NULL);
	jsonw_text(&w->json, "name", name);
	if (c->role == TEMPLATE_SIDECAR)
		jsonw_text(&w->json, "restartPolicy", "Always");
	put_resources(w, &c->requests, &c->limits);
	jsonw_close_object(&w->json);
}

static void put_containers(struct writer *w, const struct pod_template *template, bool main)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < template->container_count; i++)
		count += (template->containers[i].role == TEMPLATE_MAIN) == main;
	if (count == 0)
		return;
	jsonw_array(&w->json, main ? "containers" : "initContainers");
	for (uint32_t i = 0; i < template->container_count; i++)
		if ((template->containers[i].role == TEMPLATE_MAIN) == main)
			put_container(w, &template->containers[i], i);
	jsonw_close_array(&w->json);
}

/* Of a list of jobs: one container that asks for all. */
static void put_template(struct writer *w, const struct draft_shape *shape)
{
	const struct template_container all = {
		.requests = {.amount = shape->shape.request, .given = shape->shape.requested},
		.role = TEMPLATE_MAIN};
	const struct pod_template made = {.containers = &all, .container_count = 1};
	const struct pod_template *template = shape->source != NULL ? shape->source : &made;

	put_containers(w, template, false);
	put_containers(w, template, true);
	put_amounts(w, "overhead", &template->overhead);
	put_resources(w, &template->requests, &template->limits);
	if (shape->source != NULL)
		put_string(w, "runtimeClassName", template->runtime_class);
}

static void put_layers(struct writer *w, const struct pod_shape *shape)
{
	jsonw_array(&w->json, "podsetSliceRequiredTopologyConstraints");
	for (uint32_t i = 0; i <= shape->inner_slice_count; i++) {
		jsonw_object(&w->json, NULL);
		put_string(w, "topology",
			   i == 0 ? shape->slice_level : shape->inner_slices[i - 1].level);
		jsonw_integer(&w->json, "size",
			      i == 0 ? shape->slice_size : shape->inner_slices[i - 1].size);
		jsonw_close_object(&w->json);
	}
	jsonw_close_array(&w->json);
}

static void put_topology(struct writer *w, const struct pod_shape *shape)
{
	if (shape->topology_mode == TOPOLOGY_NONE && shape->slice_size == 0 &&
	    shape->topology_group == NAME_NONE)
		return;
	jsonw_object(&w->json, "topologyRequest");
	if (shape->topology_mode == TOPOLOGY_REQUIRED)
		put_string(w, "required", shape->topology_level);
	if (shape->topology_mode == TOPOLOGY_PREFERRED)
		put_string(w, "preferred", shape->topology_level);
	if (shape->topology_mode == TOPOLOGY_UNCONSTRAINED)
		jsonw_bool(&w->json, "unconstrained", true);
	put_string(w, "podSetGroupName", shape->topology_group);
	if (shape->slice_size != 0 && shape->inner_slice_count == 0) {
		put_string(w, "podSetSliceRequiredTopology", shape->slice_level);
		jsonw_integer(&w->json, "podSetSliceSize", shape->slice_size);
	} else if (shape->slice_size != 0) {
		put_layers(w, shape);
	}
	jsonw_close_object(&w->json);
}

static void put_pod_set(struct writer *w, const struct pod_set *set, const struct label_set *labels)
{
	const struct draft_shape *shape = &w->builder->shapes[set->shape];

	jsonw_object(&w->json, NULL);
	jsonw_text(&w->json, "name", name_of(w, set->name));
	jsonw_integer(&w->json, "count", set->count);
	if (set->has_min)
		jsonw_integer(&w->json, "minCount", set->min_count);
	put_topology(w, &shape->shape);
	jsonw_object(&w->json, "template");
	if (labels->count != 0) {
		jsonw_object(&w->json, "metadata");
		put_labels(w, "labels", labels);
		jsonw_close_object(&w->json);
	}
	jsonw_object(&w->json, "spec");
	put_template(w, shape);
	if (shape->shape.scheduler != 0)
		put_string(w, "schedulerName", shape->shape.scheduler - 1);
	if (shape->shape.deadline) /* that there is one counts, for ResourceQuotas */
		jsonw_integer(&w->json, "activeDeadlineSeconds", INT32_MAX);
	put_labels(w, "nodeSelector", &shape->shape.node_selector);
	put_tolerations(w, &shape->shape.tolerations);
	put_affinity(w, &shape->shape);
	put_spreads(w, shape->shape.constraints);
	jsonw_close_object(&w->json);
	jsonw_close_object(&w->json);
	jsonw_close_object(&w->json);
}

/* ---- the job ---- */

static void put_seconds(struct writer *w, const char *key, simtime time)
{
	char text[CLOCK_TEXT];

	jsonw_text(&w->json, key, clock_format_seconds(time, text));
}

static void put_annotations(struct writer *w, const struct job *job, const struct job_extra *extra)
{
	char text[20];

	jsonw_object(&w->json, "annotations");
	put_seconds(w, "gqsim/submit-at", job->submit);
	if (job->duration == JOB_ENDLESS)
		jsonw_text(&w->json, "gqsim/duration", "endless");
	else
		put_seconds(w, "gqsim/duration", job->duration);
	if (job->common->checkpoint != 0)
		put_seconds(w, "gqsim/checkpoint-interval", job->common->checkpoint);
	if (job->common->restart_cost != 0)
		put_seconds(w, "gqsim/restart-cost", job->common->restart_cost);
	if ((job->common->flags & JOB_NOT_GANG) != 0)
		jsonw_text(&w->json, "gqsim/gang", "false");
	if (job->utilisation != FULL_UTILISATION) {
		snprintf(text, sizeof(text), "%d.%d", job->utilisation / 10, job->utilisation % 10);
		jsonw_text(&w->json, "gqsim/gpu-utilisation", text);
	}
	if (extra->cancel_at != CLOCK_NEVER)
		put_seconds(w, "gqsim/cancel-at", extra->cancel_at);
	jsonw_close_object(&w->json);
}

static void put_priority(struct writer *w, const struct job *job)
{
	bool of_pods = (job->common->flags & JOB_CLASS_OF_PODS) != 0;

	if ((job->common->flags & JOB_PRIORITY_GIVEN) != 0)
		jsonw_integer(&w->json, "priority", job->common->priority);
	if (job->common->priority_class == NAME_NONE)
		return;
	jsonw_object(&w->json, "priorityClassRef");
	jsonw_text(&w->json, "group", of_pods ? "scheduling.k8s.io" : "kueue.x-k8s.io");
	jsonw_text(&w->json, "kind", of_pods ? "PriorityClass" : "WorkloadPriorityClass");
	put_string(w, "name", job->common->priority_class);
	jsonw_close_object(&w->json);
}

static void put_job(struct writer *w, uint32_t index)
{
	const struct job *job = &w->builder->jobs[index];
	const struct job_extra *extra = extra_of(w->builder, job);

	jsonw_object(&w->json, NULL);
	jsonw_text(&w->json, "apiVersion", "kueue.x-k8s.io/v1beta2");
	jsonw_text(&w->json, "kind", "Workload");
	jsonw_object(&w->json, "metadata");
	put_string(w, "name", job->name);
	put_string(w, "namespace", job->common->ns);
	put_annotations(w, job, extra);
	jsonw_close_object(&w->json);
	jsonw_object(&w->json, "spec");
	put_string(w, "queueName", job->common->queue);
	put_priority(w, job);
	if (extra->max_execution != 0)
		jsonw_integer(&w->json, "maximumExecutionTimeSeconds",
			      extra->max_execution / CLOCK_SECOND);
	jsonw_array(&w->json, "podSets");
	for (uint32_t i = 0; i < job->common->pod_set_count; i++)
		put_pod_set(w, &w->builder->pod_sets[job->common->first_pod_set + i],
			    labels_of(w->builder, index));
	jsonw_close_array(&w->json);
	jsonw_close_object(&w->json);
	jsonw_close_object(&w->json);
}

void import_jobs_write(FILE *out, const struct builder *builder, const struct redact *redact)
{
	struct writer w = {.builder = builder, .redact = redact};

	jsonw_begin(&w.json, out);
	jsonw_text(&w.json, "apiVersion", "v1");
	jsonw_text(&w.json, "kind", "List");
	jsonw_array(&w.json, "items");
	for (uint32_t i = 0; i < builder->job_count; i++)
		if (import_jobs_can(builder, &builder->jobs[i]))
			put_job(&w, i);
	jsonw_close_array(&w.json);
	jsonw_end(&w.json);
}
