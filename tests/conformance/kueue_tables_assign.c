/* kueue_tables_assign.c - which flavors a workload gets, what preemption could do
 * for it being given ("simulation").
 */
#include <inttypes.h>
#include <string.h>

#include "sim/kueue/kueue_message.h"
#include "sim/kueue/kueue_spot.h"
#include "tests/conformance/kueue_tables.h"

/* ----------------------------------------------------------- the simulation */

static enum kueue_fit possible(struct kueue *k, uint32_t job, uint32_t queue, uint32_t column,
			       int64_t amount, uint32_t *level)
{
	const struct table_case *c = k->possible_context;
	const struct yaml_node *list = yaml_find(c->root, "simulation");

	(void)job;
	(void)queue;
	(void)amount;
	*level = 0;
	for (uint32_t i = 0; i < table_count(list); i++) {
		const struct yaml_node *row = list->items[i];
		const char *what = table_text(row, "possibility");

		if (table_column(c, table_text(row, "flavor"), table_text(row, "resource")) !=
		    column)
			continue;
		*level = (uint32_t)table_number(row, "borrowAfter");
		if (strcmp(what, "NoCandidates") == 0)
			return FIT_NO_CANDIDATES;
		return strcmp(what, "Reclaim") == 0 ? FIT_RECLAIM : FIT_PREEMPT;
	}
	return FIT_PREEMPT;
}

/* Pods of a set that are not needed any more, where the gate lets them count. */
static uint32_t reclaimable(const struct table_case *c, const char *pod_set)
{
	const struct yaml_node *list = yaml_find(c->root, "reclaimablePods");

	if (strcmp(table_text(c->root, "featureGates.ReclaimablePods"), "false") == 0)
		return 0;
	for (uint32_t i = 0; i < table_count(list); i++) {
		if (strcmp(table_text(list->items[i], "name"), pod_set) == 0)
			return (uint32_t)table_number(list->items[i], "count");
	}
	return 0;
}

static void assign(struct table_case *c, struct kueue_assignment *a)
{
	const struct kueue_form *form = kueue_form_of(c->k, 0);

	c->k->possible = possible;
	c->k->possible_context = c;
	for (uint32_t s = 0; s < form->set_count; s++) {
		const struct pod_set *set = &c->scenario->pod_sets[form->first_pod_set + s];

		c->k->counts[s] =
			set->count - reclaimable(c, scenario_string(c->scenario, set->name));
	}
	kueue_assignment_init(c->k, a);
	kueue_flavor_assign(c->k, 0, c->k->counts, NULL, a);
	kueue_spot_assign(c->k, 0, a);
}

/* ------------------------------------------------------------- comparison */

static const char *mode_text(uint32_t mode)
{
	static const char *const names[] = {[MODE_NO_FIT] = "NoFit",
					    [MODE_PREEMPT] = "Preempt",
					    [MODE_DEFERRED_FIT] = "DeferredFit",
					    [MODE_FIT] = "Fit"};

	return names[mode];
}

static bool check_mode(struct table_case *c, const struct kueue_assignment *a)
{
	const char *mode = mode_text(a->mode);

	if (strcmp(mode, table_text(c->want, "mode")) != 0)
		return table_differ(c, "the mode is %s, not %s", mode, table_text(c->want, "mode"));
	return true;
}

static const struct kueue_choice *choice_for(const struct table_case *c,
					     const struct kueue_assignment *a, uint32_t set,
					     const char *resource)
{
	const struct kueue_form *form = kueue_form_of(c->k, 0);

	for (uint32_t i = form->first[set]; i < form->first[set + 1]; i++) {
		if (strcmp(table_resource_name(c, form->slots[i].resource), resource) == 0 &&
		    a->choices[i].flavor != KUEUE_NONE)
			return &a->choices[i];
	}
	return NULL;
}

/* want: a text (the flavor), or {flavor, mode, triedFlavorIdx}. */
static bool check_choice(struct table_case *c, const struct kueue_assignment *a, uint32_t set,
			 const char *resource, const struct yaml_node *want)
{
	const struct kueue_choice *got = choice_for(c, a, set, resource);
	const char *flavor = want->kind == YAML_SCALAR ? want->text : table_text(want, "flavor");

	if (got == NULL)
		return table_differ(c, "set %u: %s gets no flavor, not %s", set, resource, flavor);
	if (strcmp(table_flavor_name(c, got->flavor), flavor) != 0)
		return table_differ(c, "set %u: %s gets flavor %s, not %s", set, resource,
				    table_flavor_name(c, got->flavor), flavor);
	if (want->kind == YAML_SCALAR)
		return true;
	if (strcmp(mode_text(got->mode), table_text(want, "mode")) != 0)
		return table_differ(c, "set %u: %s gets mode %s, not %s", set, resource,
				    mode_text(got->mode), table_text(want, "mode"));
	if (got->tried != table_number(want, "triedFlavorIdx"))
		return table_differ(c, "set %u: %s remembers flavor %d, not %s", set, resource,
				    got->tried, table_text(want, "triedFlavorIdx"));
	return true;
}

static bool check_choices(struct table_case *c, const struct kueue_assignment *a, uint32_t set,
			  const struct yaml_node *want)
{
	const struct kueue_form *form = kueue_form_of(c->k, 0);
	uint32_t chosen = 0;

	for (uint32_t i = 0; i < table_pairs(want); i++) {
		if (!check_choice(c, a, set, want->pairs[i].key->text, want->pairs[i].value))
			return false;
	}
	for (uint32_t i = form->first[set]; i < form->first[set + 1]; i++)
		chosen += a->choices[i].flavor != KUEUE_NONE;
	if (chosen != table_pairs(want))
		return table_differ(c, "set %u: %u resources get a flavor, not %u", set, chosen,
				    table_pairs(want));
	return true;
}

static bool check_usage(struct table_case *c, const struct kueue_assignment *a,
			const struct yaml_node *usage)
{
	uint32_t used = 0;

	for (uint32_t i = 0; i < table_count(usage); i++) {
		const struct yaml_node *row = usage->items[i];
		uint32_t column =
			table_column(c, table_text(row, "flavor"), table_text(row, "resource"));
		int64_t amount = 0;

		for (uint32_t u = 0; u < a->amount_count; u++) {
			if (a->amounts[u].column == column)
				amount = a->amounts[u].amount;
		}
		used += amount != 0;
		if (amount != table_number(row, "value"))
			return table_differ(c, "%s of %s: uses %" PRId64 ", not %s",
					    table_text(row, "resource"), table_text(row, "flavor"),
					    amount, table_text(row, "value"));
	}
	for (uint32_t u = 0; u < a->amount_count; u++)
		used -= a->amounts[u].amount != 0;
	return used == 0 || table_differ(c, "uses more columns than wanted");
}

static bool check_assignment(struct table_case *c, const struct kueue_assignment *a)
{
	const struct yaml_node *want = yaml_find(c->want, "assignment");
	const struct yaml_node *sets = yaml_find(want, "podSets");
	const char *message = kueue_message_assignment(c->k, 0, a, 0);
	const char *why = a->mode == MODE_NO_FIT ? kueue_why_text(a->no_fit) : "";

	if (a->set_count != table_count(sets))
		return table_differ(c, "%u pod sets are looked at, not %u", a->set_count,
				    table_count(sets));
	for (uint32_t s = 0; s < a->set_count; s++) {
		if (a->sets[s].count != table_number(sets->items[s], "count"))
			return table_differ(c, "set %u: %u pods, not %s", s, a->sets[s].count,
					    table_text(sets->items[s], "count"));
		if (!check_choices(c, a, s, yaml_find(sets->items[s], "flavors")))
			return false;
	}
	if (a->level != table_number(want, "borrowing"))
		return table_differ(c, "the borrowing level is %u, not %s", a->level,
				    table_text(want, "borrowing"));
	if (!check_usage(c, a, yaml_find(want, "usage")))
		return false;
	if (strcmp(message, table_text(want, "message")) != 0)
		return table_differ(c, "says \"%s\", not \"%s\"", message,
				    table_text(want, "message"));
	if (strcmp(why, table_text(want, "noFitReason")) != 0)
		return table_differ(c, "the reason is %s, not %s", why,
				    table_text(want, "noFitReason"));
	return true;
}

/* -------------------------------------------------------------- the tables */

bool table_assign(struct table_case *c)
{
	const struct yaml_node *queue = yaml_find(c->root, "clusterQueue");
	const struct yaml_node *other = yaml_find(c->root, "secondaryClusterQueue");
	struct kueue_assignment a;
	bool fine;

	table_add_pod_sets(c, yaml_find(c->root, "podSets"), table_text(queue, "metadata.name"));
	if (!table_read_objects(c) || !table_read(c, "ClusterQueue", queue) ||
	    (other != NULL && !table_read(c, "ClusterQueue", other)) || !table_start(c))
		return false;
	table_charge(c, table_text(queue, "metadata.name"),
		     yaml_find(c->root, "clusterQueueUsage"));
	if (other != NULL)
		table_charge(c, table_text(other, "metadata.name"),
			     yaml_find(c->root, "secondaryClusterQueueUsage"));
	assign(c, &a);
	fine = check_mode(c, &a) && check_assignment(c, &a);
	kueue_assignment_free(&a);
	return fine;
}

/* The queues "test" and "other" of tables that do not give them; the tested one
 * gets the case's flavorFungibility and flavors where it has some. */
static bool run_fixed(struct table_case *c, const char *objects, const char *tested)
{
	const struct yaml_node *fungibility = yaml_find(c->root, "flavorFungibility");
	const struct yaml_node *queue, *spec;
	struct source source = {.name = "text", .data = tested, .size = strlen(tested)};
	struct yaml_reader *reader;
	struct kueue_assignment a;
	bool fine = false;

	table_add_pod_sets(c, yaml_find(c->root, "podSets"), "test");
	if (yaml_open(&source, &reader, &c->err) != ERR_OK ||
	    yaml_next(reader, &queue, &c->err) != ERR_OK)
		return table_differ(c, "text: %s", c->err.msg);
	spec = yaml_find(queue, "spec");
	if (fungibility != NULL)
		spec = table_with(c, spec, "flavorFungibility", fungibility);
	if (yaml_find(spec, "resourceGroups") == NULL)
		spec = table_with(
			c, spec, "resourceGroups",
			table_group(c, "cpu", yaml_find(c->root, "testClusterQueueFlavors")));
	if (table_read_text(c, objects) &&
	    table_read(c, "ClusterQueue", table_with(c, queue, "spec", spec)) && table_start(c)) {
		table_charge(c, "test", yaml_find(c->root, "testClusterQueueUsage"));
		table_charge(c, "other", yaml_find(c->root, "otherClusterQueueUsage"));
		assign(c, &a);
		fine = check_mode(c, &a) &&
		       check_choices(c, &a, 0, yaml_find(c->want, "assignment"));
		kueue_assignment_free(&a);
	}
	yaml_close(reader);
	return fine;
}

#define TRY_NEXT                                                                                   \
	"flavorFungibility: {whenCanPreempt: TryNextFlavor}, namespaceSelector: {}, preemption: "  \
	"{withinClusterQueue: LowerPriority, reclaimWithinCohort: LowerPriority}"
#define NOTHING_OF(resource) "resources: [{name: " resource ", nominalQuota: 0}]"
#define NONE_OF		     "resources: [{name: compute, nominalQuota: 0}, {name: gpu, nominalQuota: 0}]"
#define TEN_OF		     "resources: [{name: compute, nominalQuota: 10}, {name: gpu, nominalQuota: 10}]"

/* Cohorts one < two < three, each with four of the flavor of its name. */
bool table_levels(struct table_case *c)
{
#define FOUR_OF(flavor)                                                                            \
	"resourceGroups: [{coveredResources: [cpu], flavors: [{name: " flavor                      \
	", resources: [{name: cpu, nominalQuota: 4}]}]}]"
	return run_fixed(c,
			 "ResourceFlavor: [{metadata: {name: one}}, {metadata: {name: two}}, "
			 "{metadata: {name: three}}]\n"
			 "Cohort:\n"
			 "- {metadata: {name: three}, spec: {" FOUR_OF(
				 "three") "}}\n"
					  "- {metadata: {name: two}, spec: {parentName: "
					  "three, " FOUR_OF(
						  "two") "}}\n"
							 "- {metadata: {name: one}, spec: "
							 "{parentName: two, " FOUR_OF(
								 "one") "}}\n"
									"ClusterQueue:\n"
									"- {metadata: {name: "
									"other}, spec: "
									"{cohortName: two, "
									"namespaceSelector: {}, "
									"resourceGroups: "
									"[{coveredResources: "
									"[cpu], flavors: [{name: "
									"one, " NOTHING_OF("cpu") "}, {name: two, " NOTHING_OF(
										"cpu") "}, {name: "
										       "three,"
										       " " NOTHING_OF(
											       "cp"
											       "u") "}]}]}}\n",
			 "{metadata: {name: test}, spec: {cohortName: one, " TRY_NEXT "}}");
}

/* Two queues of one cohort; one of them has ten of both resources in each flavor. */
bool table_reclaim(struct table_case *c)
{
	return run_fixed(
		c,
		"ResourceFlavor: [{metadata: {name: uno}}, {metadata: {name: due}}, "
		"{metadata: {name: tre}}]\n"
		"ClusterQueue:\n"
		"- {metadata: {name: other}, spec: {cohortName: cohort, namespaceSelector: {}, "
		"resourceGroups: [{coveredResources: [compute, gpu], flavors: [{name: uno, " NONE_OF
		"}, {name: due, " NONE_OF "}, {name: tre, " NONE_OF "}]}]}}\n",
		"{metadata: {name: test}, spec: {cohortName: cohort, " TRY_NEXT
		", resourceGroups: [{coveredResources: [compute, gpu], flavors: [{name: "
		"uno, " TEN_OF "}, {name: due, " TEN_OF "}, {name: tre, " TEN_OF "}]}]}}");
}
