#include <string.h>

#include "sim/explain/explain_look.h"
#include "sim/tool/human.h"

#define NOTHING J_SUBMIT /* kind of a record that there is not */

/* What was told of its checks last, since it has quota. */
static struct journal_record last_told(const struct explain_look *l)
{
	for (size_t i = l->next; i-- > 0;) {
		const struct journal_record *r = journal_read(l->replay->in, i);

		if (r->job != l->explain->job)
			continue;
		if (r->kind == J_CHECK_UPDATED || r->kind == J_CHECK_WAITS ||
		    r->kind == J_SECOND_PASS_FAILED)
			return *r;
		if (r->kind == J_QUOTA_RESERVED)
			break;
	}
	return (struct journal_record){.kind = NOTHING};
}

/* The next record of the job of one of these kinds. */
static struct journal_record next_of(const struct explain_look *l, enum journal_kind kind,
				     enum journal_kind other)
{
	for (size_t i = l->next; i < l->journal->count; i++) {
		const struct journal_record *r = journal_read(l->replay->in, i);

		if (r->job == l->explain->job && (r->kind == kind || r->kind == other))
			return *r;
	}
	return (struct journal_record){.kind = NOTHING};
}

/* Quota reserved, and neither admitted nor evicted since? */
static bool is_being_checked(const struct explain_look *l)
{
	for (size_t i = l->next; i-- > 0;) {
		const struct journal_record *r = journal_read(l->replay->in, i);

		if (r->job != l->explain->job)
			continue;
		if (r->kind == J_QUOTA_RESERVED)
			return r->arg2 == 1;
		if (r->kind == J_ADMITTED || r->kind == J_RELEASED || r->kind == J_EVICTED)
			return false;
	}
	return false;
}

/* The reason of Admitted=False, and the last that was told beside it. */
static void put_words(const struct explain_look *l, const struct journal_record *end)
{
	struct journal_record told = last_told(l);
	bool delayed = told.kind == J_SECOND_PASS_FAILED ||
		       (told.kind == J_CHECK_UPDATED && end->kind == J_ADMITTED && end->arg2 == 2);

	l->explain->reason =
		delayed ? "PendingDelayedTopologyRequests" : "UnsatisfiedAdmissionChecks";
	l->explain->message = delayed ? "There are pending delayed topology requests"
				      : "The workload has not all checks ready";
	if (told.kind != NOTHING && (!delayed || told.kind == J_SECOND_PASS_FAILED))
		l->explain->message = journal_text(l->journal, told.arg);
}

bool explain_checks_why(const struct explain_look *l)
{
	struct journal_record end;
	char when[HUMAN_TEXT];

	if (!is_being_checked(l))
		return false;
	end = next_of(l, J_ADMITTED, J_EVICTED);
	put_words(l, &end);
	if (end.kind == NOTHING)
		explain_look_class(l->explain, EXPLAIN_NEVER,
				   explain_look_text("not until the end of the run: it holds its "
						     "quota, but not all its admission checks "
						     "became ready"));
	else if (end.kind == J_ADMITTED)
		explain_look_class(
			l->explain, EXPLAIN_UNTIL,
			explain_look_text("until %s, when %s", human_time(end.time, when),
					  end.arg2 == 2 ? "there were nodes for all its pods"
							: "its admission checks were ready"));
	else
		explain_look_class(l->explain, EXPLAIN_UNTIL,
				   explain_look_text("until %s, when it was evicted: %s",
						     human_time(end.time, when),
						     journal_text(l->journal, end.arg)));
	return true;
}
