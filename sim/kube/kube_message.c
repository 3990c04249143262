#include "sim/kube/kube_message.h"

#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "core/sort.h"

#define REASON_TEXT 256
#define REASONS_MAX (RES_MAX + KUBE_VERDICTS + REFUSALS + 2)

void kube_message_count(struct kube_tally *tally, uint64_t lacking, uint32_t nodes)
{
	for (; lacking != 0; lacking &= lacking - 1)
		tally->lacking[__builtin_ctzll(lacking)] += nodes;
}

void kube_message_free(struct kube_message *m)
{
	mem_free(m->text);
	*m = (struct kube_message){0};
}

void kube_message_clear(struct kube_message *m)
{
	m->length = 0;
	kube_message_text(m, "");
}

void kube_message_text(struct kube_message *m, const char *text)
{
	size_t n = strlen(text);

	m->text = mem_grow(m->text, m->length + n + 1, &m->capacity, 1);
	memcpy(m->text + m->length, text, n + 1);
	m->length += n;
}

struct reasons {
	char text[REASONS_MAX][REASON_TEXT];
	uint32_t count;
};

static void add_reason(struct reasons *reasons, uint32_t nodes, const char *before,
		       const char *what)
{
	if (nodes != 0)
		snprintf(reasons->text[reasons->count++], REASON_TEXT, "%u %s%s", nodes, before,
			 what);
}

/* "10 ..." sorts before "2 ...", as in Kubernetes. */
static int compare_texts(const void *a, const void *b, void *context)
{
	(void)context;
	return strcmp(a, b);
}

#define SPREAD_TEXT "node(s) didn't match pod topology spread constraints"

static const char *const refusal_texts[REFUSALS] = {
	[REFUSAL_SKEWED] = SPREAD_TEXT,
	[REFUSAL_UNLABELLED] = SPREAD_TEXT " (missing required label)",
	[REFUSAL_UNMET] = "node(s) didn't match pod affinity rules",
	[REFUSAL_REPELS] = "node(s) didn't match pod anti-affinity rules",
	[REFUSAL_REPELLED] = "node(s) didn't satisfy existing pods anti-affinity rules",
};

static void collect(struct reasons *reasons, const struct name_table *resources,
		    const struct kube_tally *t)
{
	add_reason(reasons, t->verdicts[KUBE_CORDONED], "node(s) were unschedulable", "");
	add_reason(reasons, t->verdicts[KUBE_TAINTED], "node(s) had untolerated taint(s)", "");
	add_reason(reasons, t->verdicts[KUBE_MISMATCH],
		   "node(s) didn't match Pod's node affinity/selector", "");
	add_reason(reasons, t->verdicts[KUBE_ENFORCED],
		   "node(s) didn't match scheduler-enforced node affinity", "");
	for (int i = REFUSAL_NONE + 1; i < REFUSALS; i++)
		add_reason(reasons, t->refusals[i], refusal_texts[i], "");
	add_reason(reasons, t->no_victims, "No preemption victims found for incoming pod", "");
	add_reason(reasons, t->not_helpful, "Preemption is not helpful for scheduling", "");
	for (uint32_t r = 0; r < RES_MAX; r++) {
		if (r == RES_PODS)
			add_reason(reasons, t->lacking[r], "Too many pods", "");
		else
			add_reason(reasons, t->lacking[r], "Insufficient ",
				   r < name_count(resources) ? name_text(resources, r) : "");
	}
}

void kube_message_tally(struct kube_message *m, const struct name_table *resources,
			const struct kube_tally *tally)
{
	struct reasons reasons;
	char head[64];

	reasons.count = 0;
	collect(&reasons, resources, tally);
	sort_stable(reasons.text, reasons.count, REASON_TEXT, compare_texts, NULL);
	snprintf(head, sizeof(head), "0/%u nodes are available", tally->nodes);
	kube_message_text(m, head);
	for (uint32_t i = 0; i < reasons.count; i++) {
		kube_message_text(m, i == 0 ? ": " : ", ");
		kube_message_text(m, reasons.text[i]);
	}
	kube_message_text(m, reasons.count == 0 ? "" : ".");
}

const char *kube_message_failure(struct kube_message *m, const struct name_table *resources,
				 const struct kube_failure *failure)
{
	kube_message_clear(m);
	if (failure->filtered.nodes == 0) {
		kube_message_text(m, "no nodes available to schedule pods");
		return m->text;
	}
	kube_message_tally(m, resources, &failure->filtered);
	if (failure->preempts)
		return m->text;
	kube_message_text(m, " no new claims to deallocate");
	if (failure->has_no_preemption)
		return m->text;
	kube_message_text(m, ", preemption: ");
	if (failure->excuse != NULL)
		kube_message_text(m, failure->excuse);
	else
		kube_message_tally(m, resources, &failure->preempted);
	return m->text;
}
