/* kueue_tables_cycle.c - one scheduling cycle over the workloads of a case. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/kueue/kueue_message.h"
#include "tests/conformance/kueue_tables.h"

/* ------------------------------------------------------------- reservations */

static const struct decision *decision_on(const struct table_case *c, enum decision_kind kind,
					  uint32_t job)
{
	for (size_t i = 0; i < c->plan.count; i++) {
		if (c->plan.items[i].kind == kind && c->plan.items[i].job == job)
			return &c->plan.items[i];
	}
	return NULL;
}

static const char *flavor_of(const struct table_case *c, const struct admission_pod_set *set,
			     const char *resource)
{
	for (uint32_t i = 0; i < set->flavor_count; i++) {
		const struct admission_flavor *f = &set->flavors[i];

		if (f->flavor < c->scenario->flavor_count &&
		    strcmp(table_resource_name(c, f->resource), resource) == 0)
			return scenario_string(c->scenario, c->scenario->flavors[f->flavor].name);
	}
	return "none";
}

static bool check_domains(struct table_case *c, const char *key,
			  const struct admission_pod_set *set, const struct yaml_node *want)
{
	uint32_t count;
	const struct table_domain *domains = table_domains(c, want, &count);

	for (uint32_t i = 0; i < count && i < set->domain_count; i++) {
		const struct admission_domain *got = &set->domains[i];
		const char *place = journal_text(c->journal, got->values);

		if (strcmp(place, domains[i].place) != 0 || got->pods != domains[i].pods)
			return table_differ(c, "%s: pod set %s gets %u in %s, not %u in %s", key,
					    table_text(want, "name"), got->pods, place,
					    domains[i].pods, domains[i].place);
	}
	return set->domain_count == count ||
	       table_differ(c, "%s: pod set %s gets %u domains, not %u", key,
			    table_text(want, "name"), set->domain_count, count);
}

static bool check_pod_set(struct table_case *c, const char *key,
			  const struct admission_pod_set *set, const struct yaml_node *want)
{
	const struct yaml_node *flavors = yaml_find(want, "flavors");

	if (set->count != table_number(want, "count"))
		return table_differ(c, "%s: pod set %s gets %u pods, not %s", key,
				    table_text(want, "name"), set->count,
				    table_text(want, "count"));
	for (uint32_t i = 0; i < table_pairs(flavors); i++) {
		const char *resource = flavors->pairs[i].key->text;
		const char *flavor = flavor_of(c, set, resource);

		if (strcmp(flavor, table_text(flavors->pairs[i].value, "")) != 0)
			return table_differ(c, "%s: pod set %s gets %s of flavor %s, not %s", key,
					    table_text(want, "name"), resource, flavor,
					    table_text(flavors->pairs[i].value, ""));
	}
	if (set->flavor_count != table_pairs(flavors))
		return table_differ(c, "%s: pod set %s gets %u flavors, not %u", key,
				    table_text(want, "name"), set->flavor_count,
				    table_pairs(flavors));
	return check_domains(c, key, set, want);
}

/* All that it takes from its queue, pod sets together. */
static bool check_usage(struct table_case *c, uint32_t job, const struct yaml_node *sets)
{
	uint32_t got_count, count;
	const struct quota_amount *got = kueue_usage_of(c->k, c->k->jobs[job].hold, &got_count);
	const struct quota_amount *want = table_usage(c, NULL, sets, &count);

	for (uint32_t i = 0; i < count; i++) {
		int64_t amount = 0;

		for (uint32_t n = 0; n < got_count; n++)
			amount += got[n].column == want[i].column ? got[n].amount : 0;
		if (amount != want[i].amount)
			return table_differ(
				c, "%s: uses %" PRId64 " of %s, not %" PRId64,
				c->workloads[job].key, amount,
				table_resource_name(c, c->k->column_resource[want[i].column]),
				want[i].amount);
	}
	return got_count == count || table_differ(c, "%s: uses %u flavors and resources, not %u",
						  c->workloads[job].key, got_count, count);
}

static bool check_admission(struct table_case *c, const char *key,
			    const struct admission *admission, const struct yaml_node *want)
{
	const struct yaml_node *sets = yaml_find(want, "podSetAssignments");
	uint32_t queue = table_queue(c, table_text(want, "clusterQueue"));
	bool fine = true;

	if (admission->cluster_queue != queue)
		return table_differ(c, "%s: reserves in another ClusterQueue than %s", key,
				    table_text(want, "clusterQueue"));
	if (admission->pod_set_count != table_count(sets))
		return table_differ(c, "%s: %u pod sets, not %u", key, admission->pod_set_count,
				    table_count(sets));
	for (uint32_t s = 0; s < admission->pod_set_count && fine; s++)
		fine = check_pod_set(c, key, &admission->pod_sets[s], sets->items[s]);
	return fine;
}

static bool is_unhealthy(const struct table_case *c, uint32_t job)
{
	return table_count(table_at(c->workloads[job].node, "status.unhealthyNodes")) > 0;
}

/* What the cycle gave it, or, as the tables have it, what it had if a node failed
 * under it; NULL. */
static const struct admission *admission_now(const struct table_case *c, uint32_t job)
{
	static const enum decision_kind kinds[] = {DECIDE_RESERVE, DECIDE_ADMIT, DECIDE_MOVE};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct decision *d = decision_on(c, kinds[i], job);

		if (d != NULL)
			return d->admission;
	}
	return is_unhealthy(c, job) ? world_admission(&c->world, job) : NULL;
}

/* wanted: map from workload to admission; all: it names older ones, too. */
static bool check_reservations(struct table_case *c, const struct yaml_node *wanted, bool all)
{
	for (uint32_t i = 0; i < table_pairs(wanted); i++) {
		const char *key = wanted->pairs[i].key->text;
		uint32_t job = table_job(c, key);
		const struct admission *admission;

		if (job == JOB_NONE || c->k->jobs[job].hold == KUEUE_NONE)
			return table_differ(c, "%s should have a reservation", key);
		admission = admission_now(c, job);
		if (admission == NULL && !all)
			return table_differ(c, "%s should get a reservation", key);
		if (admission == NULL)
			continue;
		if (!check_admission(c, key, admission, wanted->pairs[i].value) ||
		    !check_usage(c, job, yaml_find(wanted->pairs[i].value, "podSetAssignments")))
			return false;
	}
	for (uint32_t j = 0; j < c->workload_count; j++) {
		bool counts = all ? c->k->jobs[j].hold != KUEUE_NONE : admission_now(c, j) != NULL;

		if (counts && yaml_find(wanted, c->workloads[j].key) == NULL)
			return table_differ(c, "%s has a reservation", c->workloads[j].key);
	}
	return true;
}

/* ------------------------------------------------------------------- queues */

static bool lists(const struct yaml_node *list, const char *key)
{
	for (uint32_t i = 0; i < table_count(list); i++) {
		if (yaml_text_is(list->items[i], key))
			return true;
	}
	return false;
}

/* wanted: map from ClusterQueue to workloads in that place. */
static bool check_place(struct table_case *c, const struct yaml_node *wanted,
			enum kueue_place place, const char *name)
{
	for (uint32_t i = 0; i < table_pairs(wanted); i++) {
		const struct yaml_node *list = wanted->pairs[i].value;

		for (uint32_t w = 0; w < table_count(list); w++) {
			uint32_t job = table_job(c, table_text(list->items[w], ""));

			if (job == JOB_NONE || c->k->jobs[job].place != place)
				return table_differ(c, "%s should be %s in queue %s",
						    table_text(list->items[w], ""), name,
						    wanted->pairs[i].key->text);
		}
	}
	for (uint32_t j = 0; j < c->workload_count; j++) {
		uint32_t queue;

		if (c->k->jobs[j].place != place)
			continue;
		queue = kueue_queue_of(c->k, j);
		if (!lists(yaml_find(wanted,
				     scenario_string(c->scenario,
						     c->scenario->cluster_queues[queue].name)),
			   c->workloads[j].key))
			return table_differ(c, "%s is %s", c->workloads[j].key, name);
	}
	return true;
}

/* -------------------------------------------------------------- preemptions */

static bool was_evicted(const struct table_case *c, uint32_t job)
{
	return table_holds(c->workloads[job].node, "Evicted");
}

static bool check_victim(struct table_case *c, uint32_t job, const struct yaml_node *want)
{
	const struct decision *d = decision_on(c, DECIDE_PREEMPT, job);
	const struct yaml_node *preempted = table_condition(want, "Preempted");
	bool wanted = table_holds(want, "Preempted") &&
		      !table_holds(c->workloads[job].node, "Preempted") && !was_evicted(c, job);
	const char *key = c->workloads[job].key, *reason, *got;

	if (d == NULL)
		return !wanted || table_differ(c, "%s should be preempted (%s)", key,
					       table_text(preempted, "reason"));
	reason = journal_text(c->journal, d->reason);
	if (!wanted)
		return table_differ(c, "%s is preempted for %s (%s)", key,
				    c->workloads[d->by_job].key, reason);
	if (strcmp(reason, table_text(preempted, "reason")) != 0)
		return table_differ(c, "%s is preempted for %s, not for %s", key, reason,
				    table_text(preempted, "reason"));
	got = table_cause(journal_text(c->journal, c->k->eviction_message[job]));
	if (strcmp(got, table_cause(table_text(preempted, "message"))) != 0)
		return table_differ(c, "%s is told \"%s\", not \"%s\"", key, got,
				    table_text(preempted, "message"));
	return true;
}

/* ----------------------------------------------------------------- statuses */

/* What a waiting workload is told: reason and message of QuotaReserved=False. */
static bool check_status(struct table_case *c, uint32_t job, const struct yaml_node *want)
{
	const struct yaml_node *after = table_condition(want, "QuotaReserved");
	const struct yaml_node *before = table_condition(c->workloads[job].node, "QuotaReserved");
	const char *reason = table_text(before, "reason"), *message = table_text(before, "message");
	const char *key = c->workloads[job].key;
	const struct decision *d = decision_on(c, DECIDE_STATUS, job);

	if (strcmp(table_text(after, "status"), "True") == 0)
		return true;
	if (d != NULL) {
		reason = journal_text(c->journal, d->reason);
		message = journal_text(c->journal, d->message);
	}
	if (strcmp(reason, table_text(after, "reason")) != 0)
		return table_differ(c, "%s: reason is \"%s\" (\"%s\"), not \"%s\" (\"%s\")", key,
				    reason, message, table_text(after, "reason"),
				    table_text(after, "message"));
	if (strcmp(message, table_text(after, "message")) != 0)
		return table_differ(c, "%s: message is \"%s\", not \"%s\"", key, message,
				    table_text(after, "message"));
	return true;
}

static bool check_workloads(struct table_case *c)
{
	const struct yaml_node *list = yaml_find(c->want, "workloads");
	bool fine = true;

	for (uint32_t i = 0; i < table_count(list) && fine; i++) {
		const struct yaml_node *want = list->items[i];
		char key[256];
		uint32_t job;

		snprintf(key, sizeof(key), "%s/%s", table_text(want, "metadata.namespace"),
			 table_text(want, "metadata.name"));
		job = table_job(c, key);
		if (job == JOB_NONE)
			return table_differ(c, "%s is missing", key);
		fine = check_victim(c, job, want) && check_status(c, job, want);
	}
	return fine;
}

/* Preemptors that were passed over in the cycle, by queue. */
static bool check_skips(struct table_case *c)
{
	const struct yaml_node *map = yaml_find(c->want, "skippedPreemptions");

	for (uint32_t i = 0; i < table_pairs(map); i++) {
		uint32_t queue = table_queue(c, map->pairs[i].key->text), skips = 0;

		for (uint32_t h = 0; h < c->k->head_count; h++) {
			const struct kueue_entry *e = &c->k->entries[c->k->heads[h]];

			skips += e->queue == queue && e->status == ENTRY_SKIPPED &&
				 e->assignment.mode == MODE_PREEMPT;
		}
		if (skips != table_number(map, map->pairs[i].key->text))
			return table_differ(c, "queue %s skips %u preemptions, not %s",
					    map->pairs[i].key->text, skips,
					    table_text(map->pairs[i].value, ""));
	}
	return true;
}

/* The topology tables do not name reservations that were there before. */
static bool names_new_only(const struct table_case *c)
{
	for (uint32_t i = 0; i < table_pairs(c->want); i++) {
		if (yaml_text_is(c->want->pairs[i].key, "newAssignments"))
			return true;
	}
	return false;
}

bool table_schedule(struct table_case *c)
{
	const struct yaml_node *workloads = yaml_find(c->root, "workloads");

	if (!table_read_objects(c))
		return false;
	for (uint32_t i = 0; i < table_count(workloads); i++)
		table_add(c, workloads->items[i], NULL);
	table_add_pods(c);
	if (!table_start(c))
		return false;
	if (c->k->topology != NULL)
		table_occupy(c, c->k->topology);
	table_enqueue(c);
	kueue_cycle_run(c->k);
	if (!(names_new_only(c) ? check_reservations(c, yaml_find(c->want, "newAssignments"), false)
				: check_reservations(c, yaml_find(c->want, "assignments"), true)))
		return false;
	return check_place(c, yaml_find(c->want, "left"), PLACE_ACTIVE, "waiting") &&
	       check_place(c, yaml_find(c->want, "inadmissibleLeft"), PLACE_PARKED, "parked") &&
	       check_workloads(c) && check_skips(c) && table_check_recomputations(c) &&
	       table_check_events(c);
}
