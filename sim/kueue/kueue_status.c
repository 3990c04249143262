#include "sim/kueue/kueue_status.h"

#include <string.h>

#include "core/mem.h"
#include "sim/kueue/kueue_memory.h"

/* A mark: its low byte is the enum kueue_why, the others a hash of reason and message. 0: nothing
 * was told. Two texts have the same one by a chance of 2^-56. */
enum { MARK_WHY = 0xff };

void kueue_status_open(struct kueue *k)
{
	size_t bytes = k->job_count * sizeof(uint32_t);

	if (k->full) {
		k->status_why = mem_calloc(k->job_count, 1);
		k->status_reason = mem_calloc(k->job_count, sizeof(uint32_t));
		k->status_message = mem_calloc(k->job_count, sizeof(uint32_t));
		memset(k->status_reason, 0xff, bytes);
		memset(k->status_message, 0xff, bytes);
		k->eviction_message = mem_calloc(k->job_count, sizeof(uint32_t));
		memset(k->eviction_message, 0xff, bytes);
	} else if (k->config->admission_fair_sharing) {
		k->told = mem_calloc(k->job_count, sizeof(*k->told));
	}
}

void kueue_status_close(struct kueue *k)
{
	mem_free(k->told);
	mem_free(k->status_why);
	mem_free(k->status_reason);
	mem_free(k->status_message);
	mem_free(k->eviction_message);
}

/* True: it is news. */
static bool tell_text(struct kueue *k, uint32_t job, enum kueue_why why, const char *message)
{
	uint32_t reason_string = journal_string(k->world->journal, kueue_why_told(k, why));
	uint32_t message_string = journal_string(k->world->journal, message);
	struct decision *d;

	if (k->status_reason[job] == reason_string && k->status_message[job] == message_string)
		return false;
	k->status_why[job] = (uint8_t)why;
	k->status_reason[job] = reason_string;
	k->status_message[job] = message_string;
	if (!k->gates.keeps_progress)
		kueue_memory_clear(k, job);
	if (k->world->journal->detail == JOURNAL_FACTS)
		return true;
	d = plan_add(k->plan, DECIDE_STATUS);
	d->job = job;
	d->reason = reason_string;
	d->message = message_string;
	return true;
}

/* The same, with what stands for the message. */
static bool tell_mark(struct kueue *k, uint32_t job, enum kueue_why why, uint64_t message)
{
	const char *reason = kueue_why_told(k, why);
	uint64_t mark = kueue_mix(name_hash(reason, strlen(reason)), message) | (MARK_WHY + 1);

	if ((k->told[job] | MARK_WHY) == (mark | MARK_WHY))
		return false;
	k->told[job] = (mark & ~(uint64_t)MARK_WHY) | (uint64_t)why;
	return true;
}

bool kueue_status(struct kueue *k, uint32_t job, enum kueue_why why, const char *message)
{
	if (k->full)
		return tell_text(k, job, why, message);
	return k->told != NULL && tell_mark(k, job, why, name_hash(message, strlen(message)));
}

bool kueue_status_assignment(struct kueue *k, uint32_t job, enum kueue_why why,
			     const struct kueue_assignment *a, uint32_t preempted)
{
	if (k->full)
		return tell_text(k, job, why, kueue_message_assignment(k, job, a, preempted));
	return k->told != NULL && tell_mark(k, job, why, kueue_message_mark(k, job, a, preempted));
}

void kueue_status_reserved(struct kueue *k, uint32_t job)
{
	if (k->told != NULL)
		k->told[job] = 0;
	if (!k->full)
		return;
	k->status_why[job] = WHY_NONE;
	k->status_reason[job] = k->status_message[job] = NAME_NONE;
}

enum kueue_why kueue_status_why(const struct kueue *k, uint32_t job)
{
	return (enum kueue_why)(k->full ? k->status_why[job] : k->told[job] & MARK_WHY);
}

bool kueue_status_is_told(const struct kueue *k, uint32_t job)
{
	return k->full ? k->status_message[job] != NAME_NONE : k->told[job] != 0;
}

void kueue_status_evicted(struct kueue *k, uint32_t job, const char *text)
{
	k->jobs[job].excused = true;
	if (k->full)
		k->eviction_message[job] = journal_string(k->world->journal, text);
}

void kueue_status_forgiven(struct kueue *k, uint32_t job)
{
	k->jobs[job].excused = false;
}

void kueue_status_released(struct kueue *k, uint32_t job)
{
	if (k->jobs[job].excused)
		kueue_status(k, job, WHY_PENDING_EVALUATION,
			     k->full ? journal_text(k->world->journal, k->eviction_message[job])
				     : "evicted");
}
