/* constraints.c - random pods that want to be near, far from, or spread among others.
 *
 * Seed -> manifests (few labels and zones, so that terms meet; times tie; nodes are
 * cordoned, drained, fail and come back) -> runs of kube-scheduler alone and below
 * Kueue, at both details of the journal. Of each binding in it, every required term is checked anew, pod by pod, from the
 * manifests' own labels; the audit finds nothing; both journals tell the same.
 *     build/debug/tests/prop/constraints [first seed [count]]
 */
#include <check.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "sim/engine/audit.h"
#include "sim/engine/engine.h"
#include "sim/load/join.h"
#include "sim/objects/objects.h"

#define SEEDS	 200
#define MAX_TEXT 40000
#define MAX_TIME (1000 * CLOCK_SECOND)

static uint64_t first_seed = 1;

/* ---- manifests ---- */

struct writer {
	struct rng *rng;
	char text[MAX_TEXT];
	size_t len;
};

static void put(struct writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct writer *w, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	w->len += (size_t)vsnprintf(w->text + w->len, MAX_TEXT - w->len, format, args);
	va_end(args);
	ck_assert_uint_lt(w->len, MAX_TEXT);
}

static uint32_t below(struct writer *w, uint32_t bound)
{
	return (uint32_t)rng_below(w->rng, bound);
}

static const char *pick(struct writer *w, const char *const *of, uint32_t count)
{
	return of[below(w, count)];
}

static void write_node(struct writer *w, uint32_t node, uint32_t zone, const char *annotations,
		       const char *spec, const char *ready)
{
	put(w,
	    "---\napiVersion: v1\nkind: Node\nmetadata: {name: n%" PRIu32
	    ", annotations: {%s}, labels: {",
	    node, annotations);
	if (zone < 3)
		put(w, "topology.kubernetes.io/zone: z%" PRIu32, zone);
	put(w,
	    "}}\nspec: {%s}\nstatus: {allocatable: {nvidia.com/gpu: '4'}, conditions: [{type: "
	    "Ready, "
	    "status: '%s'}]}\n",
	    spec, ready);
}

static void write_nodes(struct writer *w)
{
	uint32_t zones[6], count = 2 + below(w, 5), changes = below(w, 4), at = 0;

	for (uint32_t i = 0; i < count; i++) {
		zones[i] = below(w, 7) / 2; /* the last rarely: no zone */
		write_node(w, i, zones[i], "", "", "True");
	}
	for (uint32_t i = 0; i < changes; i++) {
		static const char *const specs[] = {"", "unschedulable: true",
						    "taints: [{key: xid, effect: NoExecute}]"};
		static const char *const drains[] = {"", "", ", gqsim/drain: 'true'"};
		static const char *const ready[] = {"True", "True", "False", "Unknown"};
		uint32_t node = below(w, count);
		char annotations[80];

		at += below(w, 40);
		snprintf(annotations, sizeof(annotations), "gqsim/at: '%" PRIu32 "'%s", at,
			 pick(w, drains, 3));
		write_node(w, node, zones[node], annotations, pick(w, specs, 3), pick(w, ready, 4));
	}
}

static const char *const apps[] = {"x", "v", "z"};
static const char *const keys[] = {"kubernetes.io/hostname", "topology.kubernetes.io/zone"};

static void write_term(struct writer *w)
{
	put(w, "{labelSelector: {matchLabels: {app: %s}}, topologyKey: %s%s}", pick(w, apps, 3),
	    pick(w, keys, 2), below(w, 4) == 0 ? ", namespaceSelector: {}" : "");
}

static void write_terms(struct writer *w, const char *kind)
{
	uint32_t required = below(w, 5) / 3, preferred = below(w, 3) / 2;

	put(w, "%s: {requiredDuringSchedulingIgnoredDuringExecution: [", kind);
	for (uint32_t i = 0; i < required; i++) {
		put(w, "%s", i == 0 ? "" : ", ");
		write_term(w);
	}
	put(w, "], preferredDuringSchedulingIgnoredDuringExecution: [");
	for (uint32_t i = 0; i < preferred; i++) {
		put(w, "{weight: %" PRIu32 ", podAffinityTerm: ", 1 + below(w, 100));
		write_term(w);
		put(w, "}");
	}
	put(w, "]}");
}

static void write_spread(struct writer *w)
{
	bool hard = below(w, 3) != 0;

	put(w,
	    ", topologySpreadConstraints: [{maxSkew: %" PRIu32
	    ", topologyKey: %s, whenUnsatisfiable: %s, labelSelector: {matchLabels: {app: %s}}",
	    1 + below(w, 2), pick(w, keys, 2), hard ? "DoNotSchedule" : "ScheduleAnyway",
	    pick(w, apps, 3));
	if (hard && below(w, 3) == 0)
		put(w, ", minDomains: %" PRIu32, 1 + below(w, 4));
	put(w, "}]");
}

static void write_job(struct writer *w, uint32_t job, uint32_t at)
{
	put(w,
	    "---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: j%" PRIu32
	    ", namespace: %s%s, annotations: {gqsim/submit-at: '%" PRIu32
	    "', gqsim/duration: '%" PRIu32 "'}}\nspec: {parallelism: %" PRIu32
	    ", template: {metadata: {labels: {app: %s}}, spec: {containers: [{name: c, resources: "
	    "{limits: {nvidia.com/gpu: '%" PRIu32 "'}}}]",
	    job, below(w, 4) == 0 ? "ml" : "default",
	    below(w, 3) != 0 ? ", labels: {kueue.x-k8s.io/queue-name: team}" : "", at,
	    1 + below(w, 40), 1 + below(w, 4), pick(w, apps, 3), 1 + below(w, 3));
	if (below(w, 3) == 0)
		put(w, ", priorityClassName: high");
	if (below(w, 3) != 0) {
		put(w, ", affinity: {");
		write_terms(w, "podAffinity");
		put(w, ", ");
		write_terms(w, "podAntiAffinity");
		put(w, "}");
	}
	if (below(w, 3) == 0)
		write_spread(w);
	put(w, "}}}\n");
}

#define LOCAL_QUEUE(ns)                                                                            \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: team, "       \
	"namespace: " ns "}\nspec: {clusterQueue: all}\n"
#define QUEUES                                                                                     \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: gpu}\n"   \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: all}\n"     \
	"spec: {namespaceSelector: {}, preemption: {withinClusterQueue: LowerPriority}, "          \
	"resourceGroups: [{coveredResources: [nvidia.com/gpu], flavors: [{name: gpu, resources: "  \
	"[{name: nvidia.com/gpu, nominalQuota: 16}]}]}]}\n" LOCAL_QUEUE("default")                 \
		LOCAL_QUEUE("ml")

static struct scenario *random_scenario(uint64_t seed)
{
	static struct writer w;
	struct source source;
	struct builder *builder = builder_new();
	struct objects *objects = objects_new(builder, true);
	struct scenario *s = NULL;
	struct err err = {0};
	uint32_t jobs, at = 0;

	w = (struct writer){.rng = rng_new(seed, "constraints")};
	put(&w, "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: "
		"high}\nvalue: 10\n");
	put(&w, QUEUES);
	write_nodes(&w);
	jobs = 4 + below(&w, 10);
	for (uint32_t i = 0; i < jobs; i++) {
		at += below(&w, 8);
		write_job(&w, i, at);
	}
	rng_free(w.rng);
	source = (struct source){.name = "random", .data = w.text, .size = w.len};
	ck_assert_msg(objects_read(objects, &source, &err) == ERR_OK, "seed %" PRIu64 ": %s", seed,
		      err.msg);
	objects_finish(objects);
	objects_free(objects);
	ck_assert_msg(builder_finish(builder, &s, &err) == ERR_OK, "seed %" PRIu64 ": %s", seed,
		      err.msg);
	return s;
}

/* ---- the rules, said once more ---- */

struct checker {
	const struct scenario *s;
	const struct journal *j;
	uint32_t *node; /* per pod slot; NODE_NONE */
	uint64_t seed;
	/* Pods of one job leave one after another, the scheduler running in between, under
	 * one record: who is still there cannot be told from the journal. */
	bool one_by_one;
};

static const struct pod_set *set_of(const struct checker *c, uint32_t pod)
{
	/* The jobs here have one pod set each. */
	return &c->s->pod_sets[c->s->jobs[journal_pod_job(c->j, pod)].common->first_pod_set];
}

static const struct pod_constraints *rules_of(const struct checker *c, uint32_t pod)
{
	return c->s->shapes[set_of(c, pod)->shape].constraints;
}

static uint32_t ns_of(const struct checker *c, uint32_t pod)
{
	return c->s->jobs[journal_pod_job(c->j, pod)].common->ns;
}

/* The only labels asked for are app=...; terms are of the own namespace or of all. */
static bool selects(const struct checker *c, const struct label_selector *selector, bool everywhere,
		    uint32_t by, uint32_t pod)
{
	const struct label_set *labels =
		&c->s->pod_labels[c->s->job_labels[journal_pod_job(c->j, pod)] - 1];
	const struct label *wanted = &selector->match_labels.items[0];

	return (everywhere || ns_of(c, by) == ns_of(c, pod)) &&
	       label_value(labels, wanted->key) == wanted->value;
}

static bool term_selects(const struct checker *c, const struct pod_term *t, uint32_t by,
			 uint32_t pod)
{
	return selects(c, &t->selector, t->namespace_selector.present, by, pod);
}

/* Of the node: NAME_NONE without the label. */
static uint32_t value_of(const struct checker *c, uint32_t node, uint32_t key)
{
	if (strcmp(scenario_string(c->s, key), keys[0]) == 0)
		return c->s->nodes[node].name;
	return label_value(&c->s->nodes[node].labels, key);
}

static bool together(const struct checker *c, uint32_t key, uint32_t a, uint32_t b)
{
	return value_of(c, a, key) != NAME_NONE && value_of(c, a, key) == value_of(c, b, key);
}

static uint32_t slots(const struct checker *c)
{
	return c->j->first_pod[c->s->job_count];
}

/* Does the anti-affinity of one stand against the other, where they are? */
static bool repels(const struct checker *c, uint32_t one, uint32_t other)
{
	const struct pod_constraints *r = rules_of(c, one);

	for (uint32_t i = 0; r != NULL && i < r->term_count; i++) {
		const struct pod_term *t = &r->terms[i];

		if (t->anti && t->weight == 0 && term_selects(c, t, one, other) &&
		    together(c, t->topology_key, c->node[one], c->node[other]))
			return true;
	}
	return false;
}

static bool wanted(const struct checker *c, uint32_t pod, uint32_t other)
{
	const struct pod_constraints *r = rules_of(c, pod);
	bool any = false;

	for (uint32_t i = 0; r != NULL && i < r->term_count; i++) {
		if (r->terms[i].anti || r->terms[i].weight != 0)
			continue;
		any = true;
		if (!term_selects(c, &r->terms[i], pod, other))
			return false;
	}
	return any;
}

/* Is one of the wanted pods in that domain, and is there one in any at all? */
static bool near_wanted(const struct checker *c, uint32_t pod, uint32_t key, bool *anywhere)
{
	bool near = false;

	for (uint32_t other = 0; other < slots(c); other++) {
		if (other == pod || c->node[other] == NODE_NONE || !wanted(c, pod, other))
			continue;
		*anywhere = *anywhere || value_of(c, c->node[other], key) != NAME_NONE;
		near = near || together(c, key, c->node[pod], c->node[other]);
	}
	return near;
}

static bool affinity_holds(const struct checker *c, uint32_t pod)
{
	const struct pod_constraints *r = rules_of(c, pod);
	bool near = true, anywhere = false;

	for (uint32_t i = 0; r != NULL && i < r->term_count; i++) {
		if (r->terms[i].anti || r->terms[i].weight != 0)
			continue;
		if (value_of(c, c->node[pod], r->terms[i].topology_key) == NAME_NONE)
			return false;
		near = near_wanted(c, pod, r->terms[i].topology_key, &anywhere) && near;
	}
	return near || (!anywhere && wanted(c, pod, pod));
}

/* Pods that the constraint counts in the node's domain; the new one is among them. */
static int64_t counted(const struct checker *c, const struct spread_constraint *t, uint32_t pod,
		       uint32_t node, bool with_it)
{
	int64_t n = 0;

	for (uint32_t other = 0; other < slots(c); other++) {
		if (c->node[other] != NODE_NONE && (with_it || other != pod) &&
		    selects(c, &t->selector, false, pod, other) &&
		    together(c, t->topology_key, node, c->node[other]))
			n++;
	}
	return n;
}

static bool spread_holds(const struct checker *c, const struct spread_constraint *t, uint32_t pod)
{
	int64_t least = INT64_MAX;
	int32_t domains = 0;

	if (value_of(c, c->node[pod], t->topology_key) == NAME_NONE)
		return false;
	for (uint32_t node = 0; node < c->s->node_count; node++) {
		int64_t n = counted(c, t, pod, node, false);
		bool first = true;

		if (value_of(c, node, t->topology_key) == NAME_NONE)
			continue;
		for (uint32_t k = 0; k < node; k++)
			first = first && !together(c, t->topology_key, k, node);
		domains += first;
		least = n < least ? n : least;
	}
	if (domains < t->min_domains)
		least = 0;
	return counted(c, t, pod, c->node[pod], true) - least <= t->max_skew;
}

static void check_binding(struct checker *c, uint32_t pod, simtime at)
{
	const struct pod_constraints *r = rules_of(c, pod);
	const char *broken = NULL;

	for (uint32_t other = 0; other < slots(c); other++) {
		if (other == pod || c->node[other] == NODE_NONE)
			continue;
		if (repels(c, pod, other))
			broken = "its anti-affinity";
		if (repels(c, other, pod))
			broken = "another's anti-affinity";
	}
	if (!c->one_by_one && !affinity_holds(c, pod))
		broken = "its affinity";
	for (uint32_t i = 0; r != NULL && !c->one_by_one && i < r->spread_count; i++) {
		if (r->spreads[i].hard && !spread_holds(c, &r->spreads[i], pod))
			broken = "its spread";
	}
	ck_assert_msg(broken == NULL,
		      "seed %" PRIu64 ": pod slot %" PRIu32 " bound to n%" PRIu32 " at %" PRId64
		      " s against %s",
		      c->seed, pod, c->node[pod], at / CLOCK_SECOND, broken);
}

static void forget_job(const struct checker *c, uint32_t job)
{
	for (uint32_t pod = c->j->first_pod[job]; pod < c->j->first_pod[job + 1]; pod++)
		c->node[pod] = NODE_NONE;
}

/* Whoever is called deadlocked never starts, until somebody is made to go or nodes change. */
static bool may_end_it(const struct journal_record *r)
{
	return r->kind == J_DEADLOCK_OVER || r->kind == J_NODE || r->kind == J_UPDATE ||
	       r->kind == J_POD_PREEMPTED || r->kind == J_POD_EVICTED || r->kind == J_EVICTED ||
	       r->kind == J_DELETED || r->kind == J_FAILED;
}

static void check_deadlock(const struct checker *c, const struct journal_record *r, uint8_t *stuck)
{
	if (r->kind == J_DEADLOCK) {
		for (uint32_t i = 0; i < c->j->sets[r->arg].count; i++)
			stuck[c->j->sets[r->arg].jobs[i]] = 1;
	} else if (may_end_it(r)) {
		memset(stuck, 0, c->s->job_count);
	} else if (r->kind == J_STARTED) {
		ck_assert_msg(!stuck[r->job],
			      "seed %" PRIu64 ": job %" PRIu32 " starts at %" PRId64
			      " s out of a deadlock",
			      c->seed, r->job, r->time / CLOCK_SECOND);
	}
}

static void check_journal(const struct journal *j, uint64_t seed, bool one_by_one)
{
	uint8_t *stuck = calloc(j->scenario->job_count, 1);
	struct checker c = {.s = j->scenario, .j = j, .seed = seed, .one_by_one = one_by_one};
	struct journal_reader in;
	const struct journal_record *r;

	c.node = malloc((slots(&c) + 1) * sizeof(*c.node));
	memset(c.node, 0xff, (slots(&c) + 1) * sizeof(*c.node));
	journal_open(&in, j);
	while ((r = journal_next(&in)) != NULL) {
		check_deadlock(&c, r, stuck);
		if (r->kind == J_POD_SCHEDULED) {
			c.node[r->pod] = r->arg;
			check_binding(&c, r->pod, r->time);
		} else if (r->kind == J_POD_PREEMPTED || r->kind == J_POD_EVICTED ||
			   r->kind == J_POD_DELETED) {
			c.node[r->pod] = NODE_NONE;
		} else if (r->kind == J_FINISHED || r->kind == J_RELEASED) {
			forget_job(&c, r->job);
		}
	}
	free(c.node);
	free(stuck);
}

/* ---- runs ---- */

static bool drains_each(uint64_t seed)
{
	return seed % 5 == 0;
}

static struct journal *run(const struct scenario *s, const char *policy, enum journal_detail detail,
			   uint64_t seed)
{
	static struct audit audit;
	struct run_options options;
	struct journal *j = NULL;
	struct err err = {0};
	char text[AUDIT_TEXT];

	options_default(&options);
	options.max_time = MAX_TIME;
	options.seed = seed;
	options.tie = seed % 3 == 0 ? TIE_RANDOM : TIE_FIRST;
	options.create = seed % 2 == 0 ? CREATE_INTERLEAVED : CREATE_SEQUENTIAL;
	options.drain = drains_each(seed) ? DRAIN_EACH : DRAIN_INSTANT;
	ck_assert_msg(engine_run(s, policy_find(policy), &options, detail, &j, &err) == ERR_OK,
		      "seed %" PRIu64 ": %s", seed, err.msg);
	ck_assert_msg(audit_check(j, &audit), "seed %" PRIu64 ": %s", seed,
		      audit_text(j, &audit.listed[0], text));
	return j;
}

static const struct journal_record *next_move(struct journal_reader *in)
{
	const struct journal_record *r;

	while ((r = journal_next(in)) != NULL &&
	       (r->kind == J_POD_FAILED || r->kind == J_POD_CREATED || r->kind == J_STATUS))
		continue;
	return r;
}

static void check_equal(const struct journal *a, const struct journal *b, uint64_t seed)
{
	struct journal_reader of_a, of_b;

	journal_open(&of_a, a);
	journal_open(&of_b, b);
	for (;;) {
		const struct journal_record *x = next_move(&of_a), *y = next_move(&of_b);

		ck_assert_msg((x == NULL) == (y == NULL), "seed %" PRIu64 ": one ends first", seed);
		if (x == NULL)
			break;
		ck_assert_msg(x->time == y->time && x->kind == y->kind && x->job == y->job &&
				      x->pod == y->pod &&
				      (x->kind != J_POD_SCHEDULED || x->arg == y->arg),
			      "seed %" PRIu64 ": details differ at %" PRId64 " s", seed,
			      x->time / CLOCK_SECOND);
	}
	ck_assert_msg(a->failed_attempts == b->failed_attempts,
		      "seed %" PRIu64 ": attempts %" PRIu64 " and %" PRIu64, seed,
		      a->failed_attempts, b->failed_attempts);
}

static void check_policy(const struct scenario *s, const char *policy, uint64_t seed)
{
	struct journal *full = run(s, policy, JOURNAL_FULL, seed);
	struct journal *facts = run(s, policy, JOURNAL_FACTS, seed);

	check_journal(full, seed, drains_each(seed));
	check_equal(full, facts, seed);
	journal_free(full);
	journal_free(facts);
}

START_TEST(no_binding_breaks_a_required_term)
{
	uint64_t seed = first_seed + (uint64_t)_i;
	struct scenario *s = random_scenario(seed);

	check_policy(s, "kubernetes", seed);
	check_policy(s, "kueue", seed);
	scenario_free(s);
}
END_TEST

int main(int argc, char **argv)
{
	Suite *s = suite_create("prop/constraints");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed, count = SEEDS;

	if (argc > 1)
		first_seed = strtoull(argv[1], NULL, 10);
	if (argc > 2)
		count = (int)strtol(argv[2], NULL, 10);
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, no_binding_breaks_a_required_term, 0, count);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
