/* kueue_tables_events.c - the events of a cycle, and how its recomputations ended. */
#include <stdio.h>
#include <string.h>

#include "sim/kueue/kueue_message.h"
#include "tests/conformance/kueue_tables.h"

/* ------------------------------------------------------------------ events */

struct event {
	uint32_t job;
	char reason[64];
	const char *message; /* NULL: not compared (it tells waiting times) */
};

struct events {
	struct event *items;
	size_t count, capacity;
};

static void add(struct events *e, uint32_t job, const char *before, const char *reason,
		const char *message)
{
	struct event *event;

	e->items = mem_grow(e->items, e->count + 1, &e->capacity, sizeof(*e->items));
	event = &e->items[e->count++];
	*event = (struct event){.job = job, .message = message};
	snprintf(event->reason, sizeof(event->reason), "%s%s", before, reason);
}

/* Reserved quota is admission where all checks have said yes before. */
static bool is_admitted(const struct table_case *c, const struct decision *d)
{
	const struct yaml_node *checks =
		table_at(c->workloads[d->job].node, "status.admissionChecks");

	if (c->k->holds[c->k->jobs[d->job].hold].awaits)
		return false;
	return table_count(checks) > 0 ? table_is_ready(checks) : !d->has_checks;
}

static void add_decision(const struct table_case *c, const struct decision *d, struct events *e)
{
	const char *text;

	if (d->kind == DECIDE_RESERVE) {
		add(e, d->job, "", "QuotaReserved", NULL);
		if (is_admitted(c, d))
			add(e, d->job, "", "Admitted", NULL);
	} else if (d->kind == DECIDE_ADMIT) {
		add(e, d->job, "", "Admitted", NULL);
	} else if (d->kind == DECIDE_PREEMPT) {
		text = table_cause(journal_text(c->journal, c->k->eviction_message[d->job]));
		add(e, d->job, "", "EvictedDueToPreempted", text);
		add(e, d->job, "", "Preempted", NULL);
		add(e, d->by_job, "", "PreemptedWorkload", NULL);
	} else if (d->kind == DECIDE_EVICT) {
		text = strchr(journal_text(c->journal, d->reason), '=');
		add(e, d->job, "EvictedDueTo", text == NULL ? "" : text + 1,
		    journal_text(c->journal, c->k->eviction_message[d->job]));
	} else if (d->kind == DECIDE_SECOND_PASS_FAILED) {
		add(e, d->job, "", "SecondPassFailed", journal_text(c->journal, d->message));
	}
}

/* Every head that was not admitted is told why. */
static void add_head(const struct table_case *c, const struct kueue_entry *entry, struct events *e)
{
	if (entry->status == ENTRY_ASSUMED || entry->second)
		return;
	add(e, entry->job, "", kueue_why_told(c->k, entry->why),
	    c->k->status_message[entry->job] == NAME_NONE
		    ? ""
		    : journal_text(c->journal, c->k->status_message[entry->job]));
}

/* One that is like the wanted event is taken away. */
static bool take(struct table_case *c, const struct yaml_node *want, struct events *e)
{
	const char *reason = table_text(want, "Reason"), *message = table_text(want, "Message");
	char key[256];
	uint32_t job;

	snprintf(key, sizeof(key), "%s/%s", table_text(want, "Key.Namespace"),
		 table_text(want, "Key.Name"));
	job = table_job(c, key);
	for (size_t i = 0; i < e->count; i++) {
		const struct event *got = &e->items[i];

		if (got->job != job || strcmp(got->reason, reason) != 0)
			continue;
		if (got->message != NULL && *message != '\0' &&
		    strcmp(got->message, table_cause(message)) != 0)
			return table_differ(c, "%s: event %s says \"%s\", not \"%s\"", key, reason,
					    got->message, message);
		e->items[i] = e->items[--e->count];
		return true;
	}
	return table_differ(c, "%s: there is no event %s", key, reason);
}

/* Where the API server refuses what a cycle decided there are other events. */
bool table_check_events(struct table_case *c)
{
	const struct yaml_node *wanted = yaml_find(c->want, "events");
	struct events e = {0};
	bool fine = true;

	if (strcmp(table_text(c->root, "patchStatusError"), "true") == 0)
		return true;
	for (size_t i = 0; i < c->plan.count; i++)
		add_decision(c, &c->plan.items[i], &e);
	for (uint32_t h = 0; h < c->k->head_count; h++)
		add_head(c, &c->k->entries[c->k->heads[h]], &e);
	for (uint32_t i = 0; i < table_count(wanted) && fine; i++)
		fine = take(c, wanted->items[i], &e);
	if (fine && e.count > 0 && table_count(wanted) > 0)
		fine = table_differ(c, "%s: event %s is one too many",
				    c->workloads[e.items[0].job].key, e.items[0].reason);
	mem_free(e.items);
	return fine;
}

/* ---------------------------------------------------------- recomputations */

static bool ended_as(const struct kueue_entry *e, const char *result)
{
	bool deferred = e->message == MESSAGE_DEFERRED, preempts = e->preempted > 0;

	if (strcmp(result, "deferred_fit") == 0)
		return deferred;
	if (strcmp(result, "new_targets") == 0)
		return preempts;
	return !deferred && !preempts;
}

/* Kueue counts how assignments that were worked out again, because of victims that
 * another entry had claimed, ended. wanted: queue -> result -> number. */
bool table_check_recomputations(struct table_case *c)
{
	const struct yaml_node *map = yaml_find(c->want, "preemptionTargetRecomputations");

	for (uint32_t i = 0; i < table_pairs(map); i++) {
		const struct yaml_node *results = map->pairs[i].value;
		uint32_t queue = table_queue(c, map->pairs[i].key->text);

		for (uint32_t r = 0; r < table_pairs(results); r++) {
			const char *result = results->pairs[r].key->text;
			bool want = strcmp(table_text(results->pairs[r].value, ""), "0") != 0;

			if (queue == KUEUE_NONE || ended_as(&c->k->entries[queue], result) != want)
				return table_differ(c, "queue %s: the recomputation %s %s",
						    map->pairs[i].key->text,
						    want ? "does not end as" : "ends as", result);
		}
	}
	return true;
}
