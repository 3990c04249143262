/* kueue_tables_topology.c - which topology domains the pods of pod sets get.
 *
 * The tree and the placement are asked directly; there is no queue. The pod sets
 * of a case are those of one workload, pods of others and earlier usage are
 * further workloads after it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/kueue/kueue_tas.h"
#include "sim/scenario/kueue_gates.h"
#include "tests/conformance/kueue_tables.h"

/* ----------------------------------------------- the case as plain objects */

/* {"cpu": 1000} in base units, as quantities. */
static const struct yaml_node *quantities(struct table_case *c, const struct yaml_node *requests)
{
	const struct yaml_node *out = table_with(c, NULL, "none", NULL);

	for (uint32_t i = 0; i < table_pairs(requests); i++) {
		const char *resource = requests->pairs[i].key->text;
		char amount[64];

		snprintf(amount, sizeof(amount), "%s%s", table_text(requests->pairs[i].value, ""),
			 strcmp(resource, "cpu") == 0 ? "m" : "");
		out = table_with(c, out, resource, table_scalar(c, amount));
	}
	return out;
}

static const struct yaml_node *with_given(struct table_case *c, const struct yaml_node *map,
					  const char *key, const struct yaml_node *value)
{
	return value == NULL ? map : table_with(c, map, key, value);
}

/* A pod set as a workload has it. */
static const struct yaml_node *pod_set_of(struct table_case *c, const struct yaml_node *given)
{
	const struct yaml_node *affinity = yaml_find(given, "nodeAffinity");
	const struct yaml_node *group = yaml_find(given, "podSetGroupName");
	const struct yaml_node *request = yaml_find(given, "topologyRequest");
	const struct yaml_node *container = table_with(
		c, table_with(c, NULL, "name", table_scalar(c, "c")), "resources",
		table_with(c, NULL, "requests", quantities(c, yaml_find(given, "requests"))));
	const struct yaml_node *spec =
		table_with(c, NULL, "containers", table_list(c, &container, 1));
	const struct yaml_node *set = table_with(c, NULL, "count", yaml_find(given, "count"));

	spec = with_given(c, spec, "nodeSelector", yaml_find(given, "nodeSelector"));
	spec = with_given(c, spec, "tolerations", yaml_find(given, "tolerations"));
	if (affinity != NULL)
		spec = table_with(c, spec, "affinity",
				  table_with(c, NULL, "nodeAffinity", affinity));
	if (group != NULL)
		request = table_with(c, request, "podSetGroupName", group);
	set = with_given(c, set, "name", yaml_find(given, "name"));
	set = with_given(c, set, "topologyRequest", request);
	return table_with(c, set, "template", table_with(c, NULL, "spec", spec));
}

static void add_workload(struct table_case *c, const struct yaml_node *const *sets, uint32_t count)
{
	table_add_pod_sets(c, table_list(c, sets, count), "none");
}

static void add_pod_sets(struct table_case *c, const struct yaml_node *list)
{
	const struct yaml_node **sets =
		mem_arena_alloc(c->arena, (table_count(list) + 1U) * sizeof(*sets));

	for (uint32_t i = 0; i < table_count(list); i++)
		sets[i] = pod_set_of(c, list->items[i]);
	add_workload(c, sets, table_count(list));
}

/* Usage of the flavor itself and of one that shares its nodes. */
static const char *const prior[] = {"priorOwnUsage", "priorFlavorUsage"};

/* What is there already comes after the pod sets: pods first, then usage. */
static void add_others(struct table_case *c)
{
	table_add_pods(c);
	for (size_t p = 0; p < sizeof(prior) / sizeof(prior[0]); p++) {
		const struct yaml_node *usage = yaml_find(c->root, prior[p]);

		for (uint32_t i = 0; i < table_count(usage); i++) {
			const struct yaml_node *given = table_with(
				c, table_with(c, NULL, "count", table_scalar(c, "1")), "requests",
				yaml_find(usage->items[i], "singlePodRequests"));
			const struct yaml_node *set = pod_set_of(c, given);

			add_workload(c, &set, 1);
		}
	}
}

/* The topology "default" with the case's levels, and a flavor for its nodes. */
static bool read_topology(struct table_case *c)
{
	const struct yaml_node *levels = yaml_find(c->root, "levels");
	const struct yaml_node **items =
		mem_arena_alloc(c->arena, (table_count(levels) + 1U) * sizeof(*items));
	const struct yaml_node *head = table_with(c, NULL, "name", table_scalar(c, "default"));
	const struct yaml_node *spec =
		table_with(c, NULL, "topologyName", table_scalar(c, "default"));
	const struct yaml_node *object = table_with(c, NULL, "metadata", head);

	for (uint32_t i = 0; i < table_count(levels); i++)
		items[i] = table_with(c, NULL, "nodeLabel", levels->items[i]);
	spec = with_given(c, spec, "nodeLabels", yaml_find(c->root, "nodeLabels"));
	return table_read(c, "Topology",
			  table_with(c, object, "spec",
				     table_with(c, NULL, "levels",
						table_list(c, items, table_count(levels))))) &&
	       table_read(c, "ResourceFlavor", table_with(c, object, "spec", spec)) &&
	       table_read_all(c, "nodes", "Node");
}

/* --------------------------------------------------------------- the tree */

/* ["b1", "r1"] as admissions print it. */
static void join(const struct yaml_node *values, bool last_only, char *out, size_t size)
{
	uint32_t count = table_count(values);
	size_t used = 0;

	out[0] = '\0';
	for (uint32_t i = last_only && count > 0 ? count - 1 : 0; i < count && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%s", used > 0 ? "/" : "",
					 table_text(values->items[i], ""));
}

/* Charges a list of usage, whose pods are those of the jobs from one on. */
static uint32_t use_list(struct table_case *c, struct kueue_topology *t,
			 const struct yaml_node *usage, uint32_t job, bool counts)
{
	char place[512];

	for (uint32_t i = 0; i < table_count(usage); i++, job++) {
		const struct yaml_node *values = yaml_find(usage->items[i], "values");

		join(values, t->trees[0].by_host, place, sizeof(place));
		if (counts)
			kueue_topology_use(t, 0, name_find(t->places, place),
					   table_shape(c, job, 0),
					   table_number(usage->items[i], "count"));
	}
	return job;
}

static void use(struct table_case *c, struct kueue_topology *t)
{
	const struct yaml_node *own = yaml_find(c->root, prior[0]);
	const struct yaml_node *other = yaml_find(c->root, prior[1]);
	uint32_t job = c->workload_count - table_count(own) - table_count(other);

	table_occupy(c, t);
	job = use_list(c, t, own, job, true);
	use_list(c, t, other, job, t->trees[0].by_host && t->shares_nodes);
}

/* ------------------------------------------------------------- comparison */

static bool check_spots(struct table_case *c, const struct kueue_tas *tas,
			const struct kueue_tas_set *set, const struct yaml_node *want)
{
	const struct yaml_node *domains = table_at(want, "wantAssignment.Domains");
	const char *name = table_text(want, "name");

	for (uint32_t i = 0; i < table_count(domains); i++) {
		const struct kueue_tas_spot *spot = &tas->spots[set->first_spot + i];
		char place[512];

		join(yaml_find(domains->items[i], "Values"), tas->topology->trees[0].by_host, place,
		     sizeof(place));
		if (i >= set->spot_count)
			return table_differ(c, "set \"%s\": nothing in %s", name, place);
		if (strcmp(kueue_topology_place(tas->topology, spot->place), place) != 0 ||
		    spot->pods != table_number(domains->items[i], "Count"))
			return table_differ(c, "set \"%s\": %u in %s, not %s in %s", name,
					    spot->pods,
					    kueue_topology_place(tas->topology, spot->place),
					    table_text(domains->items[i], "Count"), place);
	}
	if (set->spot_count != table_count(domains))
		return table_differ(c, "set \"%s\": %u domains, not %u", name, set->spot_count,
				    table_count(domains));
	return true;
}

static bool check(struct table_case *c, struct kueue_tas *tas, struct kueue_tas_set *sets)
{
	const struct yaml_node *list = yaml_find(c->root, "podSets");
	bool placed = kueue_tas_place(tas, sets, table_count(list), false), fine = true;
	const char *why = placed ? "" : kueue_tas_why(tas);
	const char *want = "";

	for (uint32_t i = 0; i < table_count(list); i++) {
		if (*want == '\0')
			want = table_text(list->items[i], "wantReason");
	}
	if (strcmp(why, want) != 0)
		return table_differ(c, "says \"%s\", not \"%s\"", why, want);
	for (uint32_t i = 0; placed && i < table_count(list) && fine; i++)
		fine = check_spots(c, tas, &sets[i], list->items[i]);
	return fine;
}

static bool is_single_pod(const struct yaml_node *workload)
{
	const struct yaml_node *owners = table_at(workload, "metadata.ownerReferences");

	return table_count(owners) == 1 && strcmp(table_text(owners->items[0], "kind"), "Pod") == 0;
}

/* What the workload has got before, where a node failed. */
static void have(struct table_case *c, struct kueue_tas *tas, struct kueue_tas_set *set,
		 uint32_t index)
{
	const struct yaml_node *workload = yaml_find(c->root, "workload");
	const struct yaml_node *sets = table_at(workload, "status.admission.podSetAssignments");
	const struct yaml_node *nodes = table_at(workload, "status.unhealthyNodes");
	const struct kueue_gates gates =
		kueue_gates_read(&c->scenario->config, c->scenario->strings);
	const struct table_domain *domains;
	uint32_t count;

	if (table_count(nodes) == 0 || index >= table_count(sets))
		return;
	domains = table_domains(c, sets->items[index], &count);
	for (uint32_t i = 0; i < count; i++)
		kueue_tas_have(tas, set, name_add(tas->topology->places, domains[i].place),
			       domains[i].pods);
	set->replaces = name_add(tas->topology->places, table_text(nodes->items[0], "name"));
	set->stays = gates.keeps_single_pods && is_single_pod(workload);
}

/* What the slice had that this one replaces. */
static void have_slice(struct table_case *c, struct kueue_tas *tas, struct kueue_tas_set *set,
		       const struct yaml_node *given)
{
	const struct yaml_node *previous = yaml_find(given, "previousAssignment");
	const struct kueue_gates gates =
		kueue_gates_read(&c->scenario->config, c->scenario->strings);
	const struct table_domain *domains;
	uint32_t count;

	if (previous == NULL || !gates.keeps_slices)
		return;
	domains = table_domains(c, table_with(c, NULL, "topologyAssignment", previous), &count);
	for (uint32_t i = 0; i < count; i++)
		kueue_tas_have(tas, set, name_add(tas->topology->places, domains[i].place),
			       domains[i].pods);
	set->grows = true;
}

bool table_topology(struct table_case *c)
{
	const struct yaml_node *list = yaml_find(c->root, "podSets");
	struct kueue_topology *t;
	struct kueue_tas *tas;
	struct kueue_tas_set *sets;
	bool fine;

	add_pod_sets(c, list);
	add_others(c);
	if (!read_topology(c) || !table_start(c))
		return false;
	t = kueue_topology_new(c->scenario, 1);
	tas = kueue_tas_new(t);
	kueue_topology_build(t, 0, &c->scenario->flavors[0], &c->scenario->topologies[0],
			     c->world.nodes, c->world.node_usable, c->scenario->node_count);
	use(c, t);
	sets = mem_arena_alloc(c->arena, (table_count(list) + 1U) * sizeof(*sets));
	for (uint32_t i = 0; i < table_count(list); i++) {
		sets[i] = kueue_tas_request(table_shape(c, 0, i));
		sets[i].count = (uint32_t)table_number(list->items[i], "count");
		have(c, tas, &sets[i], i);
		have_slice(c, tas, &sets[i], list->items[i]);
	}
	fine = check(c, tas, sets);
	kueue_tas_free(tas);
	kueue_topology_free(t);
	return fine;
}
