#include "sim/kueue/kueue_provision.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "sim/kueue/kueue_life.h"
#include "sim/scenario/provisioning.h"

#define NEEDLESS "the provisioning request is not needed"
#define TEXT	 1200

struct kueue_request {		 /* the state of one check of a workload */
	uint32_t check;		 /* of scenario.checks */
	uint32_t next;		 /* of the workload, by name of the check; KUEUE_NONE */
	uint32_t retries;	 /* evictions for a Retry, which count */
	uint32_t attempt;	 /* of the request that stands; 0: none */
	uint32_t message;	 /* string of the journal; NAME_NONE */
	uint32_t answer_message; /* of the last answer to the request; NAME_NONE: none yet */
	simtime wait;		 /* requeueAfterSeconds */
	uint8_t answer;		 /* enum provisioning_answer */
	uint8_t state;		 /* enum kueue_check_state */
	bool whole;		 /* the check is for every flavor of the queue */
};

void kueue_provision_open(struct kueue *k)
{
	for (uint32_t i = 0; i < k->scenario->check_count && k->first_request == NULL; i++) {
		if (!k->scenario->checks[i].provisions ||
		    k->scenario->checks[i].config == SCENARIO_NONE)
			continue;
		k->first_request = mem_calloc(k->job_count, sizeof(*k->first_request));
		memset(k->first_request, UINT8_MAX, k->job_count * sizeof(*k->first_request));
	}
	k->free_request = KUEUE_NONE;
}

void kueue_provision_close(struct kueue *k)
{
	mem_free(k->first_request);
	mem_free(k->requests);
}

bool kueue_provision_handles(const struct kueue *k, const struct check_ref *check)
{
	const struct admission_check *c;

	if (check->check == SCENARIO_NONE)
		return false;
	c = &k->scenario->checks[check->check];
	return c->provisions && c->config != SCENARIO_NONE;
}

/* ---- the checks of a workload ---- */

static struct kueue_request *first_of(const struct kueue *k, uint32_t job)
{
	uint32_t first = k->first_request == NULL ? KUEUE_NONE : k->first_request[job];

	return first == KUEUE_NONE ? NULL : &k->requests[first];
}

static struct kueue_request *next_of(const struct kueue *k, const struct kueue_request *r)
{
	return r->next == KUEUE_NONE ? NULL : &k->requests[r->next];
}

static struct kueue_request *find(const struct kueue *k, uint32_t job, uint32_t check)
{
	struct kueue_request *r = first_of(k, job);

	while (r != NULL && r->check != check)
		r = next_of(k, r);
	return r;
}

static const char *name_of(const struct kueue *k, uint32_t check)
{
	return scenario_string(k->scenario, k->scenario->checks[check].name);
}

static const struct provisioning_config *config_of(const struct kueue *k,
						   const struct kueue_request *r)
{
	return &k->scenario->provisioning_configs[k->scenario->checks[r->check].config];
}

static uint32_t new_request(struct kueue *k, uint32_t check, uint32_t next, bool whole)
{
	uint32_t at = k->free_request;

	if (at == KUEUE_NONE) {
		k->requests = mem_grow(k->requests, k->request_count + 1, &k->request_capacity,
				       sizeof(*k->requests));
		at = (uint32_t)k->request_count++;
	} else {
		k->free_request = k->requests[at].next;
	}
	k->requests[at] = (struct kueue_request){.check = check,
						 .next = next,
						 .message = NAME_NONE,
						 .answer_message = NAME_NONE,
						 .state = CHECK_PENDING,
						 .whole = whole};
	return at;
}

/* Into its place in the list, by name. */
static struct kueue_request *add(struct kueue *k, uint32_t job, uint32_t check, bool whole)
{
	uint32_t before = KUEUE_NONE, at = k->first_request[job];

	while (at != KUEUE_NONE &&
	       strcmp(name_of(k, k->requests[at].check), name_of(k, check)) < 0) {
		before = at;
		at = k->requests[at].next;
	}
	at = new_request(k, check, at, whole);
	if (before == KUEUE_NONE)
		k->first_request[job] = at;
	else
		k->requests[before].next = at;
	return &k->requests[at];
}

/* Takes out those that do not stay. */
typedef bool stays(const struct kueue *k, const struct kueue_request *r, const void *context);

static void prune(struct kueue *k, uint32_t job, stays *keep, const void *context)
{
	uint32_t *link = k->first_request == NULL ? NULL : &k->first_request[job];

	while (link != NULL && *link != KUEUE_NONE) {
		uint32_t at = *link;

		if (keep(k, &k->requests[at], context)) {
			link = &k->requests[at].next;
			continue;
		}
		*link = k->requests[at].next;
		k->requests[at].next = k->free_request;
		k->free_request = at;
	}
}

/* ---- states ---- */

static const char *state_name(uint8_t state)
{
	static const char *const names[] = {"Ready", "Pending", "Retry", "Rejected"};

	return names[state];
}

static void decide(struct kueue *k, enum decision_kind kind, uint32_t job, const char *text)
{
	struct decision *d = plan_add(k->plan, kind);

	d->job = job;
	d->reason = journal_string(k->world->journal, text);
}

static void set_message(struct kueue *k, struct kueue_request *r, const char *before,
			const char *message)
{
	char text[TEXT];

	snprintf(text, sizeof(text), "%s%s", before, message);
	r->message = journal_string(k->world->journal, text);
}

static const char *message_of(const struct kueue *k, const struct kueue_request *r)
{
	return r->message == NAME_NONE ? "" : journal_text(k->world->journal, r->message);
}

/* The event that tells of it has the message of the new state. */
static void set_state(struct kueue *k, uint32_t job, struct kueue_request *r,
		      enum kueue_check_state state)
{
	const char *message = message_of(k, r);
	char text[TEXT * 2];

	if (r->state == (uint8_t)state)
		return;
	snprintf(text, sizeof(text), "Admission check %s updated state from %s to %s%s%s",
		 name_of(k, r->check), state_name(r->state), state_name((uint8_t)state),
		 *message != '\0' ? " with message: " : "", message);
	r->state = (uint8_t)state;
	decide(k, DECIDE_CHECK_UPDATED, job, text);
}

enum kueue_check_state kueue_provision_state(const struct kueue *k, uint32_t job)
{
	uint8_t worst = CHECK_READY;

	for (const struct kueue_request *r = first_of(k, job); r != NULL; r = next_of(k, r))
		worst = r->state > worst ? r->state : worst;
	return (enum kueue_check_state)worst;
}

uint32_t kueue_provision_list(const struct kueue *k, uint32_t job, enum kueue_check_state state,
			      char *buf, size_t size)
{
	uint32_t count = 0;
	size_t used = 0;

	buf[0] = '\0';
	for (const struct kueue_request *r = first_of(k, job); r != NULL; r = next_of(k, r)) {
		const char *message = message_of(k, r);
		bool has = *message != '\0';
		int length;

		if (r->state != (uint8_t)state || used >= size)
			continue;
		length = snprintf(buf + used, size - used, "%s\"%s\"%s%s%s",
				  count++ == 0 ? "" : "; ", name_of(k, r->check), has ? " (" : "",
				  message, has ? ")" : "");
		used += length > 0 ? (size_t)length : 0;
	}
	return count;
}

simtime kueue_provision_wait(const struct kueue *k, uint32_t job)
{
	simtime longest = 0;

	for (const struct kueue_request *r = first_of(k, job); r != NULL; r = next_of(k, r)) {
		if (r->state == CHECK_RETRY && r->wait > longest)
			longest = r->wait;
	}
	return longest;
}

/* ---- asking ---- */

static bool is_whole(const struct kueue *k, uint32_t queue, const struct check_ref *check)
{
	const struct cluster_queue *spec = k->queues[queue].spec;

	for (uint32_t g = 0; g < spec->group_count; g++) {
		for (uint32_t f = 0; f < spec->groups[g].flavor_count; f++) {
			if (!kueue_flavor_checked(k, check, k->queues[queue].groups[g].flavors[f]))
				return false;
		}
	}
	return true;
}

/* Here and below the assignment is what the workload is about to get; NULL: it has it. */
static uint32_t pods_of(const struct kueue *k, uint32_t job, const struct kueue_assignment *a,
			uint32_t set)
{
	return a != NULL ? a->sets[set].count : kueue_admission_of(k, job)->pod_sets[set].count;
}

static bool needs_nodes(const struct kueue *k, uint32_t job, const struct kueue_assignment *a,
			const struct provisioning_config *config)
{
	const struct kueue_form *form = kueue_form_of(k, job);
	const struct pod_set *sets = &k->scenario->pod_sets[form->first_pod_set];

	for (uint32_t s = 0; s < form->set_count; s++) {
		if (pods_of(k, job, a, s) > 0 &&
		    provisioning_covers(config, &k->scenario->shapes[sets[s].shape]))
			return true;
	}
	return false;
}

static bool concerns(const struct kueue *k, uint32_t job, const struct kueue_assignment *a,
		     const struct check_ref *check)
{
	return a != NULL ? kueue_flavor_concerned(k, job, a, check)
			 : kueue_flavor_concerns(k, check, kueue_admission_of(k, job));
}

static void create(struct kueue *k, uint32_t job, struct kueue_request *r)
{
	char text[TEXT], name[SCENARIO_NAME_TEXT];
	struct decision *d;

	r->attempt = (r->attempt > 0 ? r->attempt : r->retries) + 1;
	r->message = r->answer_message = NAME_NONE;
	snprintf(text, sizeof(text), "name=%.250s-%.250s-%" PRIu32 ";class=%.253s",
		 scenario_job_name(k->scenario, kueue_job_of(k, job), name), name_of(k, r->check),
		 r->attempt, scenario_string(k->scenario, config_of(k, r)->class_name));
	d = plan_add(k->plan, DECIDE_PROVISION);
	d->job = job;
	d->check = r->check;
	d->reason = journal_string(k->world->journal, text);
}

/* A cycle gives the checks that it sees, the controllers those that there are. */
static const struct cluster_queue *seen_by(const struct kueue *k, uint32_t queue,
					   const struct kueue_assignment *a)
{
	return a != NULL ? k->queues[queue].spec : k->queues[queue].latest;
}

struct required { /* what decides which checks a workload has */
	uint32_t job, queue;
	const struct kueue_assignment *a;
};

static bool is_still_required(const struct kueue *k, const struct kueue_request *r,
			      const void *context)
{
	const struct required *required = context;
	const struct cluster_queue *spec = seen_by(k, required->queue, required->a);

	for (uint32_t i = 0; i < spec->check_count; i++) {
		if (spec->checks[i].check == r->check)
			return concerns(k, required->job, required->a, &spec->checks[i]);
	}
	return false;
}

/* ---- answers ---- */

static void try_again(struct kueue *k, uint32_t job, struct kueue_request *r, const char *before,
		      const char *message)
{
	const struct provisioning_config *config = config_of(k, r);

	if (r->attempt > config->backoff_limit) {
		set_message(k, r, "", message);
		set_state(k, job, r, CHECK_REJECTED);
		return;
	}
	set_message(k, r, before, message);
	if (r->attempt <= r->retries)
		return; /* an old one, for which the workload was evicted already */
	r->wait = clock_floor_second(
		kueue_life_back_off(config->backoff_base, config->backoff_max, r->retries + 1));
	set_state(k, job, r, CHECK_RETRY);
}

/* No event tells that a check stays Pending for another reason; its message does. */
static void tell_wait(struct kueue *k, uint32_t job, const struct kueue_request *r)
{
	char text[TEXT * 2];

	snprintf(text, sizeof(text), "Admission check %s is Pending: %s", name_of(k, r->check),
		 message_of(k, r));
	decide(k, DECIDE_CHECK_WAITS, job, text);
}

static void apply_answer(struct kueue *k, uint32_t job, struct kueue_request *r)
{
	const char *message = journal_text(k->world->journal, r->answer_message);

	switch ((enum provisioning_answer)r->answer) {
	case PROVISIONING_NOT_YET:
		set_message(k, r, "", message);
		set_state(k, job, r, CHECK_PENDING);
		tell_wait(k, job, r);
		break;
	case PROVISIONING_PROVISIONED:
		set_message(k, r, "", message);
		set_state(k, job, r, CHECK_READY);
		break;
	case PROVISIONING_FAILED:
		try_again(k, job, r, "Retrying after failure: ", message);
		break;
	case PROVISIONING_BOOKING_EXPIRED:
		if (kueue_life_of(k, job)->admitted < 0)
			try_again(k, job, r, "Retrying after booking expired: ", message);
		break;
	case PROVISIONING_CAPACITY_REVOKED:
		set_message(k, r, "", message);
		set_state(k, job, r, CHECK_REJECTED);
		break;
	}
}

/* Kueue deletes requests that belong to no check of the workload. */
static void withdraw(struct kueue *k, uint32_t job, const struct required *required)
{
	for (const struct kueue_request *r = first_of(k, job); r != NULL; r = next_of(k, r)) {
		struct decision *d;

		if (r->attempt == 0 || is_still_required(k, r, required))
			continue;
		d = plan_add(k->plan, DECIDE_WITHDRAW);
		d->job = job;
		d->check = r->check;
	}
}

/* The checks of the workload as it is now. */
static void list_checks(struct kueue *k, uint32_t job, const struct kueue_assignment *a)
{
	uint32_t queue = k->holds[k->jobs[job].hold].queue;
	const struct cluster_queue *spec = seen_by(k, queue, a);
	const struct required required = {job, queue, a};

	withdraw(k, job, &required);
	prune(k, job, is_still_required, &required);
	for (uint32_t i = 0; i < spec->check_count; i++) {
		const struct check_ref *check = &spec->checks[i];

		if (kueue_provision_handles(k, check) && concerns(k, job, a, check) &&
		    find(k, job, check->check) == NULL)
			add(k, job, check->check, is_whole(k, queue, check));
	}
}

/* The request of an earlier reservation (CleanupProvisioningRequestsOnEviction=false): what
 * it was answered holds now, and one that failed is followed by another. */
static void take_up(struct kueue *k, uint32_t job, struct kueue_request *r)
{
	if (r->answer_message == NAME_NONE)
		return;
	apply_answer(k, job, r);
	if (r->state == CHECK_PENDING &&
	    (r->answer == PROVISIONING_FAILED || r->answer == PROVISIONING_BOOKING_EXPIRED))
		create(k, job, r);
}

static bool none_stays(const struct kueue *k, const struct kueue_request *r, const void *context)
{
	(void)k;
	(void)r;
	(void)context;
	return false;
}

void kueue_provision_forget(struct kueue *k, uint32_t job)
{
	prune(k, job, none_stays, NULL);
}

static void ask(struct kueue *k, uint32_t job, const struct kueue_assignment *a,
		struct kueue_request *r)
{
	if (!needs_nodes(k, job, a, config_of(k, r))) {
		set_message(k, r, "", NEEDLESS);
		set_state(k, job, r, CHECK_READY);
	} else if (r->attempt > 0) {
		take_up(k, job, r);
	} else {
		create(k, job, r);
	}
}

void kueue_provision_ask(struct kueue *k, uint32_t job, const struct kueue_assignment *a)
{
	list_checks(k, job, a);
	for (struct kueue_request *r = first_of(k, job); r != NULL; r = next_of(k, r))
		ask(k, job, a, r);
}

void kueue_provision_sync(struct kueue *k, uint32_t job)
{
	if (k->first_request == NULL)
		return;
	list_checks(k, job, NULL);
	for (struct kueue_request *r = first_of(k, job); r != NULL; r = next_of(k, r)) {
		if (r->state == CHECK_PENDING && r->attempt == 0)
			ask(k, job, NULL, r);
	}
}

bool kueue_provision_answer(struct kueue *k, const struct happening *h)
{
	struct kueue_request *r = find(k, h->job, h->node);

	if (r == NULL || r->attempt == 0)
		return false;
	r->answer = h->answer;
	r->answer_message = h->message;
	if (!kueue_holds(k, h->job) || k->holds[k->jobs[h->job].hold].evicted ||
	    r->state == CHECK_RETRY || r->state == CHECK_REJECTED)
		return false;
	apply_answer(k, h->job, r);
	return true;
}

/* Kueue's resetChecksOnEviction; a check that is not for every flavor leaves the
 * workload with its reservation, and with it the count of its retries. Its request may
 * stay. */
static bool is_whole_check(const struct kueue *k, const struct kueue_request *r,
			   const void *context)
{
	(void)k;
	(void)context;
	return r->whole;
}

void kueue_provision_released(struct kueue *k, uint32_t job)
{
	if (k->gates.drops_requests)
		prune(k, job, is_whole_check, NULL);
	for (struct kueue_request *r = first_of(k, job); r != NULL; r = next_of(k, r)) {
		if (r->state == CHECK_RETRY && r->whole)
			r->retries++;
		else if (r->state != CHECK_PENDING)
			r->retries = 0;
		if (r->state != CHECK_PENDING && r->whole)
			set_message(k, r, "Reset to Pending after eviction. Previously: ",
				    state_name(r->state));
		r->state = CHECK_PENDING;
		if (k->gates.drops_requests)
			r->attempt = 0;
	}
}
