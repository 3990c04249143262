#include "sim/kube/kube_reason.h"

#include "core/mem.h"

/* What one node says. */
struct answer {
	uint64_t lacking; /* as it is */
	uint64_t still;	  /* without all pods of lower priority */
	uint8_t verdict;
	bool candidate; /* preemption might help */
	bool nobody;	/* to preempt there */
};

struct account {
	struct answer *answers; /* per node; NULL: the class never asked */
	struct kube_failure sum;
	uint64_t seen; /* changes taken into account */
	uint32_t text; /* of the sum, unless stale */
	bool filled, stale;
};

struct kube_reasons {
	const struct world *world;
	const struct kube_match *match;
	const struct kube_filter *filter;
	struct kube_preempt *preempt;
	struct account *accounts; /* per class */
	size_t capacity;
	uint32_t count;
	struct kube_message message;
};

struct kube_reasons *kube_reason_new(const struct world *world, const struct kube_match *match,
				     const struct kube_filter *filter, struct kube_preempt *preempt)
{
	struct kube_reasons *r = mem_calloc(1, sizeof(*r));

	r->world = world;
	r->match = match;
	r->filter = filter;
	r->preempt = preempt;
	return r;
}

void kube_reason_free(struct kube_reasons *r)
{
	if (r == NULL)
		return;
	for (uint32_t i = 0; i < r->count; i++)
		mem_free(r->accounts[i].answers);
	mem_free(r->accounts);
	kube_message_free(&r->message);
	mem_free(r);
}

void kube_reason_nodes_changed(struct kube_reasons *r)
{
	for (uint32_t i = 0; i < r->count; i++)
		r->accounts[i].filled = false;
}

/* ---- one node ---- */

static struct answer ask(struct kube_reasons *r, const struct kube_class *class, uint32_t pod,
			 uint32_t node)
{
	const struct kube_group *group = kube_match_at(r->match, class->group);
	struct kube_preempt_request request = {
		.pod = pod, .priority = class->priority, .filter = r->filter};
	struct answer a = {.verdict = group->verdict[node]};

	if (a.verdict != KUBE_SUITS)
		return a;
	a.lacking = kube_filter_node(r->filter, node, pod, class->priority);
	a.candidate = !kube_filter_unresolvable(
		&r->world->nodes[node], &r->world->scenario->shapes[group->shape], a.lacking);
	if (a.candidate && !class->never)
		a.nobody = !kube_preempt_obstacle(r->preempt, &request, node, &a.still);
	return a;
}

static bool equal(const struct answer *a, const struct answer *b)
{
	return a->lacking == b->lacking && a->still == b->still && a->verdict == b->verdict &&
	       a->candidate == b->candidate && a->nobody == b->nobody;
}

/* Adds an answer to the sum, or takes it out again (one: -1; the counts wrap). */
static void count(struct kube_failure *sum, const struct answer *a, uint32_t one)
{
	if (a->verdict == KUBE_ABSENT)
		return;
	sum->filtered.nodes += one;
	sum->preempted.nodes += one;
	sum->preempted.not_helpful += a->candidate ? 0 : one;
	sum->preempted.no_victims += a->nobody ? one : 0;
	if (a->verdict != KUBE_SUITS)
		sum->filtered.verdicts[a->verdict] += one;
	kube_message_count(&sum->filtered, a->lacking, one);
	kube_message_count(&sum->preempted, a->still, one);
}

static void ask_again(struct kube_reasons *r, struct account *account,
		      const struct kube_class *class, uint32_t pod, uint32_t node)
{
	struct answer now = ask(r, class, pod, node);

	if (equal(&now, &account->answers[node]))
		return;
	count(&account->sum, &account->answers[node], UINT32_MAX);
	account->answers[node] = now;
	count(&account->sum, &now, 1);
	account->stale = true;
}

/* ---- all ---- */

static void fill(struct kube_reasons *r, struct account *account, const struct kube_class *class,
		 uint32_t pod)
{
	uint32_t nodes = r->world->node_count, shape = r->world->pods[pod].shape;

	if (account->answers == NULL)
		account->answers = mem_calloc(nodes, sizeof(*account->answers));
	account->sum = (struct kube_failure){
		.excuse = class->never ? "not eligible due to preemptionPolicy=Never." : NULL,
		.has_no_preemption =
			!profile_of(r->world->scenario, &r->world->scenario->shapes[shape])
				 ->filters[PLUGIN_PREEMPTION]};
	for (uint32_t node = 0; node < nodes; node++) {
		account->answers[node] = ask(r, class, pod, node);
		count(&account->sum, &account->answers[node], 1);
	}
	account->filled = account->stale = true;
}

static struct account *account_of(struct kube_reasons *r, uint32_t index)
{
	if (index >= r->count) {
		r->accounts = mem_grow(r->accounts, index + 1u, &r->capacity, sizeof(*r->accounts));
		while (r->count <= index)
			r->accounts[r->count++] = (struct account){0};
	}
	return &r->accounts[index];
}

uint32_t kube_reason_text(struct kube_reasons *r, uint32_t index, const struct kube_class *class,
			  uint32_t pod)
{
	struct account *account = account_of(r, index);
	uint64_t changes = r->filter->changes;

	if (!account->filled || changes - account->seen > KUBE_CHANGES) {
		fill(r, account, class, pod);
	} else {
		for (; account->seen < changes; account->seen++)
			ask_again(r, account, class, pod,
				  r->filter->changed[account->seen % KUBE_CHANGES]);
	}
	account->seen = changes;
	if (account->stale)
		account->text = journal_string(r->world->journal,
					       kube_message_failure(&r->message,
								    r->world->scenario->resources,
								    &account->sum));
	account->stale = false;
	return account->text;
}
