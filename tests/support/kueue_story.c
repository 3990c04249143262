#include "tests/support/kueue_story.h"
#include "sim/kueue/kueue_hold.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/audit.h"
#include "sim/engine/engine.h"
#include "sim/kueue/kueue_life.h"
#include "sim/kueue/kueue_queue.h"
#include "sim/objects/objects.h"
#include "sim/report/report.h"
#include "sim/trace/trace_formats.h"

struct text {
	char *data;
	size_t length, capacity;
};

static void append(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void append(struct text *t, const char *format, ...)
{
	va_list args;
	char piece[1024];
	int length;

	va_start(args, format);
	length = vsnprintf(piece, sizeof(piece), format, args);
	va_end(args);
	assert(length >= 0 && (size_t)length < sizeof(piece));
	t->data = mem_grow(t->data, t->length + (size_t)length + 1, &t->capacity, 1);
	memcpy(t->data + t->length, piece, (size_t)length + 1);
	t->length += (size_t)length;
}

/* "[4,BL,LL]" behind *at; moves past it. */
static void write_limits(struct text *y, const char **at)
{
	static const char *const fields[] = {"nominalQuota", "borrowingLimit", "lendingLimit"};
	const char *p = *at + 1;

	for (int i = 0; *p != ']'; i++) {
		size_t n = strcspn(p, ",]");

		if (n > 0)
			append(y, ", %s: %.*s", fields[i], (int)n, p);
		p += n + (p[n] == ',');
	}
	*at = p + 1;
}

static void write_flavor(struct text *y, const char *name, size_t length, const char **at)
{
	append(y, "    - name: %.*s\n      resources:\n      - {name: cpu", (int)length, name);
	write_limits(y, at);
	append(y, "}\n");
}

static const char *policy(char letter)
{
	switch (letter) {
	case 'L':
		return "LowerPriority";
	case 'E':
		return "LowerOrNewerEqualPriority";
	case 'A':
		return "Any";
	default:
		return "Never";
	}
}

/* Value of an option, or NULL. */
static const char *option(const char *item, const char *name)
{
	const char *p = strstr(item, name);

	return p == NULL ? NULL : p + strlen(name);
}

static void write_preemption(struct text *y, const char *item)
{
	const char *w = option(item, " w="), *r = option(item, " r="), *b = option(item, " b=");

	append(y, "  preemption:\n    withinClusterQueue: %s\n    reclaimWithinCohort: %s\n",
	       policy(w == NULL ? 'N' : *w), policy(r == NULL ? 'N' : *r));
	if (b == NULL)
		return;
	append(y, "    borrowWithinCohort:\n      policy: LowerPriority\n");
	if (b[1] == ':')
		append(y, "      maxPriorityThreshold: %d\n", atoi(b + 2));
}

static void write_fungibility(struct text *y, const char *item)
{
	const char *prefer = option(item, " prefer=");

	append(y, "  flavorFungibility:\n    whenCanBorrow: %s\n    whenCanPreempt: %s\n",
	       option(item, " borrow=next") ? "TryNextFlavor" : "MayStopSearch",
	       option(item, " preempt=next") ? "TryNextFlavor" : "MayStopSearch");
	if (prefer != NULL)
		append(y, "    preference: %s\n",
		       *prefer == 'P' ? "PreemptionOverBorrowing" : "BorrowingOverPreemption");
}

static void write_parent(struct text *y, const char *item, const char *field, const char *standard)
{
	const char *in = option(item, " in=");
	size_t n = in == NULL ? 0 : strcspn(in, " ");

	if (in == NULL && standard != NULL)
		append(y, "  %s: %s\n", field, standard);
	else if (in != NULL && *in != '-')
		append(y, "  %s: %.*s\n", field, (int)n, in);
	if (option(item, " weight=") != NULL)
		append(y, "  fairSharing: {weight: \"%.*s\"}\n",
		       (int)strcspn(option(item, " weight="), " "), option(item, " weight="));
}

static void write_groups(struct text *y, const char *at)
{
	append(y, "  resourceGroups:\n  - coveredResources: [cpu]\n    flavors:\n");
	if (*at == '[') {
		write_flavor(y, "f1", 2, &at);
		return;
	}
	for (at++; *at != '}';) {
		const char *name = at + strspn(at, " ");
		size_t n = strcspn(name, "[");

		at = name + n;
		write_flavor(y, name, n, &at);
	}
}

static void write_queue(struct text *y, const char *item)
{
	size_t n = strcspn(item, "[{");

	append(y,
	       "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\n"
	       "metadata: {name: %.*s}\nspec:\n  namespaceSelector: {}\n",
	       (int)n, item);
	append(y, "  queueingStrategy: %s\n",
	       option(item, " strict") ? "StrictFIFO" : "BestEffortFIFO");
	if (option(item, " held") != NULL)
		append(y, "  stopPolicy: Hold\n");
	if (option(item, " pursues") != NULL)
		append(y,
		       "  concurrentAdmissionPolicy: {migration: {mode: TryPreferredFlavors}}\n");
	write_parent(y, item, "cohortName", "c");
	write_preemption(y, item);
	write_fungibility(y, item);
	write_groups(y, item + n);
	append(y,
	       "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
	       "metadata: {name: %.*s, namespace: default}\nspec: {clusterQueue: %.*s}\n",
	       (int)n, item, (int)n, item);
}

static void write_cohort(struct text *y, const char *item)
{
	size_t n = strcspn(item, "[{");

	append(y,
	       "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\n"
	       "metadata: {name: %.*s}\nspec:\n",
	       (int)n, item);
	write_parent(y, item, "parentName", NULL);
	write_groups(y, item + n);
}

/* A reservation as the items tell it. */
struct held {
	int since; /* second; -1: it waits */
	int flavor;
};

/* One job a row. */
static struct held write_job(struct text *y, struct text *csv, const char *item)
{
	size_t queue = strcspn(item, "<?"), name = strcspn(item + queue + 1, ":");
	const char *p = item + queue + 1 + name + 1, *at = strchr(p, '@');
	const char *created = strchr(p, '#'), *since = strchr(p, '*'), *least = strchr(p, '/');
	const char *flavor = strchr(p, '!');
	int priority = at == NULL ? 0 : atoi(at + 1);
	int units = atoi(p);

	append(y,
	       "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: WorkloadPriorityClass\n"
	       "metadata: {name: p-%.*s}\nvalue: %d\n",
	       (int)name, item + queue + 1, priority);
	append(csv, "%.*s,default,%.*s,%d,100,p-%.*s,", (int)name, item + queue + 1, (int)queue,
	       item, created == NULL ? 0 : atoi(created + 1), (int)name, item + queue + 1);
	if (least == NULL)
		append(csv, "1,,cpu=%d\n", units);
	else
		append(csv, "%d,%d,cpu=1\n", units, atoi(least + 1));
	if (item[queue] == '?')
		return (struct held){-1, 0};
	return (struct held){since == NULL ? 0 : atoi(since + 1),
			     flavor == NULL ? 1 : atoi(flavor + 2)};
}

static struct source memory(const char *name, const struct text *t)
{
	return (struct source){.name = name, .data = t->data, .size = t->length};
}

static struct scenario *load(struct text *yaml, struct text *csv)
{
	struct builder *builder = builder_new();
	struct objects *objects = objects_new(builder, true);
	struct source y = memory("story.yaml", yaml), c = memory("story.csv", csv);
	struct trace_options options = {0};
	struct trace_summary summary = {0};
	struct scenario *scenario = NULL;
	struct err err = {0};
	enum err_code code = objects_read(objects, &y, &err);

	if (code == ERR_OK)
		code = trace_jobs_load(&c, &options, builder, &summary, &err);
	if (code == ERR_OK) {
		objects_finish(objects);
		code = builder_finish(builder, &scenario, &err);
	}
	if (code != ERR_OK)
		fprintf(stderr, "story: line %ld: %s\n%s%s", err.line, err.msg, yaml->data,
			csv->data);
	assert(code == ERR_OK);
	objects_free(objects);
	return scenario;
}

static void write_gate(struct text *gates, const char *item)
{
	append(gates, "%s%.*s: %s", gates->length > 0 ? ", " : "", (int)strcspn(item, "="), item,
	       item + strcspn(item, "=") + 1);
}

static void write_config(struct text *y, bool fair, const struct text *gates)
{
	append(y,
	       "---\napiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
	       "featureGates: {%s}\n",
	       gates->length > 0 ? gates->data : "");
	if (fair)
		append(y, "fairSharing: {preemptionStrategies: [LessThanOrEqualToFinalShare, "
			  "LessThanInitialShare]}\n");
}

#define JOBS_MAX 128

static struct scenario *read_items(const char *items, bool fair, struct held *held)
{
	struct text yaml = {0}, csv = {0}, gates = {0};
	struct scenario *scenario;
	char *copy = mem_strdup(items), *rest = copy;
	uint32_t jobs = 0;

	append(&csv, "name,namespace,queue,submit_s,duration_s,priority_class,pods,min_pods,"
		     "requests\n");
	for (int f = 1; f <= 3; f++)
		append(&yaml,
		       "%sapiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\n"
		       "metadata: {name: f%d}\n",
		       f == 1 ? "" : "---\n", f);
	while (rest != NULL) {
		char *item = rest + strspn(rest, " ");

		rest = strchr(rest, ';');
		if (rest != NULL)
			*rest++ = '\0';
		if (*item == '^')
			write_gate(&gates, item + 1);
		else if (*item == '%')
			write_cohort(&yaml, item + 1);
		else if (strcspn(item, "<?") < strcspn(item, "[{"))
			held[jobs++] = write_job(&yaml, &csv, item);
		else
			write_queue(&yaml, item);
		assert(jobs < JOBS_MAX);
	}
	write_config(&yaml, fair, &gates);
	scenario = load(&yaml, &csv);
	mem_free(gates.data);
	mem_free(yaml.data);
	mem_free(csv.data);
	mem_free(copy);
	return scenario;
}

static void hold(struct kueue_story *s, uint32_t job, int number)
{
	uint32_t queue = kueue_queue_of(s->k, job);
	const struct kueue_form *form = kueue_form_of(s->k, job);
	struct quota_amount amount = {0, 0};
	char name[8];

	for (uint32_t i = 0; i < form->slot_count; i++) {
		if (!form->slots[i].implied)
			amount.amount =
				form->slots[i].per_pod * s->scenario->jobs[job].common->pods;
	}
	snprintf(name, sizeof(name), "f%d", number % 10);
	for (uint32_t f = 0; f < s->k->flavor_count; f++) {
		if (strcmp(scenario_string(s->scenario, s->k->flavors[f].name), name) == 0)
			amount.column = kueue_column(s->k, f, RES_CPU);
	}
	world_job(&s->world, job)->phase = JOB_ADMITTED;
	kueue_life_reserved(s->k, job, queue, kueue_usage_number(s->k, job, &amount, 1));
}

struct kueue_story *kueue_story_new(const char *items, bool fair)
{
	struct kueue_story *s = mem_calloc(1, sizeof(*s));
	struct held held[JOBS_MAX];

	s->scenario = read_items(items, fair, held);
	options_default(&s->options);
	s->options.requeue_batch = 0;
	s->options.placement = PLACEMENT_NONE;
	s->journal = journal_new(s->scenario, "kueue", JOURNAL_FULL);
	world_init(&s->world, s->scenario, &s->options, s->journal);
	for (uint32_t job = 0; job < s->scenario->job_count; job++)
		world_begin(&s->world, job);
	plan_init(&s->plan);
	s->k = policy_kueue.open(&s->world, &s->plan, NULL);
	for (uint32_t j = 0; j < s->scenario->job_count; j++) {
		if (held[j].since < 0)
			continue;
		s->world.now = held[j].since * CLOCK_SECOND;
		hold(s, j, held[j].flavor);
	}
	for (uint32_t j = 0; j < s->scenario->job_count; j++) {
		struct happening h = {.kind = HAP_SUBMITTED, .job = j};

		if (held[j].since >= 0)
			continue;
		s->world.now = s->scenario->jobs[j].submit;
		world_job(&s->world, j)->phase = JOB_PENDING;
		policy_kueue.observe(s->k, &h, &s->plan);
	}
	s->world.now = 1000 * CLOCK_SECOND;
	plan_clear(&s->plan);
	return s;
}

void kueue_story_free(struct kueue_story *s)
{
	policy_kueue.close(s->k);
	plan_free(&s->plan);
	world_free(&s->world);
	journal_free(s->journal);
	scenario_free(s->scenario);
	mem_free(s);
}

static const char *name_of(const struct kueue_story *s, uint32_t job)
{
	return scenario_string(s->scenario, s->scenario->jobs[job].name);
}

uint32_t kueue_story_job(const struct kueue_story *s, const char *name)
{
	for (uint32_t j = 0; j < s->scenario->job_count; j++) {
		if (strcmp(name_of(s, j), name) == 0)
			return j;
	}
	assert(false && "no such job");
	return JOB_NONE;
}

uint32_t kueue_story_queue(const struct kueue_story *s, const char *name)
{
	for (uint32_t q = 0; q < s->scenario->cluster_queue_count; q++) {
		if (strcmp(scenario_string(s->scenario, s->scenario->cluster_queues[q].name),
			   name) == 0)
			return q;
	}
	assert(false && "no such queue");
	return SCENARIO_NONE;
}

static void describe(struct kueue_story *s, struct text *t, const struct decision *d)
{
	const char *gap = t->length > 0 ? "; " : "";
	const struct admission_pod_set *set;

	if (d->kind == DECIDE_RESERVE) {
		set = &d->admission->pod_sets[0];
		append(t, "%sadmit %s %s", gap, name_of(s, d->job),
		       scenario_string(s->scenario,
				       s->scenario->flavors[set->flavors[0].flavor].name));
		if (set->count != s->scenario->jobs[d->job].common->pods)
			append(t, " %u", set->count);
		world_job(&s->world, d->job)->phase = JOB_ADMITTED;
		world_job(&s->world, d->job)->admission =
			journal_admission(s->journal, d->admission);
	} else if (d->kind == DECIDE_PREEMPT) {
		append(t, "%spreempt %s %s %s", gap, name_of(s, d->job), name_of(s, d->by_job),
		       journal_text(s->journal, d->reason));
	}
}

const char *kueue_story_run(struct kueue_story *s, unsigned cycles)
{
	struct text t = {0};

	append(&t, "%s", "");
	for (unsigned i = 0; i < cycles; i++) {
		policy_kueue.cycle(s->k, &s->plan);
		s->k->awake = true;
		for (size_t d = 0; d < s->plan.count; d++)
			describe(s, &t, &s->plan.items[d]);
		plan_clear(&s->plan);
	}
	for (uint32_t j = 0; j < s->scenario->job_count; j++) {
		const struct kueue_class *c = kueue_class_of(s->k, j);

		if (!kueue_life_waits(s->k, j))
			continue;
		append(&t, "%s%s %s", t.length > 0 ? "; " : "", name_of(s, j),
		       c->parked_at == KUEUE_NONE ? "heap" : "parked");
	}
	snprintf(s->text, sizeof(s->text), "%s", t.data);
	mem_free(t.data);
	return s->text;
}

const char *kueue_story_status(struct kueue_story *s, const char *job)
{
	policy_kueue.why(s->k, kueue_story_job(s, job), s->text, sizeof(s->text));
	return s->text;
}

/* Takes the header and the second column of every row out, in place. */
static void strip(char *rows)
{
	char *to = rows, *from = strchr(rows, '\n');

	for (from = from == NULL ? rows + strlen(rows) : from + 1; *from != '\0';) {
		size_t time = strcspn(from, ","), seq = strcspn(from + time + 1, ",");
		size_t rest = strcspn(from + time + 1 + seq, "\n") + 1;

		memmove(to, from, time);
		memmove(to + time, from + time + 1 + seq, rest);
		to += time + rest;
		from += time + 1 + seq + rest;
	}
	*to = '\0';
}

/* "TIME,JOB,REASON: MESSAGE" for each thing that a waiting workload was told. */
static void write_told(FILE *out, const struct journal *journal)
{
	struct journal_reader in;
	const struct journal_record *r;
	char time[CLOCK_TEXT], name[SCENARIO_NAME_TEXT];

	journal_open(&in, journal);
	while ((r = journal_next(&in)) != NULL) {
		if (r->kind == J_STATUS)
			fprintf(out, "%s,%s,%s: %s\n", clock_format_seconds(r->time, time),
				scenario_job_name(journal->scenario, r->job, name),
				journal_text(journal, r->arg), journal_text(journal, r->arg2));
	}
}

static void write_events(FILE *out, const struct journal *journal)
{
	report_events_write(out, journal, true);
}

static void write_pending(FILE *out, const struct journal *journal)
{
	report_pending_write(out, journal, true);
}

static void write_cycles(FILE *out, const struct journal *journal)
{
	fprintf(out, "%" PRIu64, journal->cycles);
}

static char *play(const char *yaml, const char *csv,
		  void (*write)(FILE *out, const struct journal *journal),
		  const struct run_options *options)
{
	struct text y = {0}, c = {0};
	struct scenario *scenario;
	struct journal *journal = NULL;
	struct err err = {0};
	struct audit audit;
	char *rows = NULL, *copy;
	size_t size = 0;
	FILE *out = open_memstream(&rows, &size);

	for (const char *p = yaml; *p != '\0'; p += strlen(p) < 900 ? strlen(p) : 900)
		append(&y, "%.900s", p);
	append(&c, "%s", csv);
	scenario = load(&y, &c);
	if (engine_run(scenario, policy_find("kueue"), options, JOURNAL_FULL, &journal, &err) !=
	    ERR_OK)
		assert(false && "the run failed");
	if (!audit_check(journal, &audit)) {
		fprintf(stderr, "audit: %s\n", audit.listed[0].text);
		abort();
	}
	write(out, journal);
	fclose(out);
	copy = mem_strdup(rows);
	free(rows);
	journal_free(journal);
	scenario_free(scenario);
	mem_free(y.data);
	mem_free(c.data);
	return copy;
}

static struct run_options options_of(enum placement_mode placement)
{
	struct run_options options;

	options_default(&options);
	options.placement = placement;
	return options;
}

static char *play_events(const char *yaml, const char *csv, const struct run_options *options)
{
	char *rows = play(yaml, csv, write_events, options);

	strip(rows);
	return rows;
}

char *kueue_story_events(const char *yaml, const char *csv)
{
	struct run_options options = options_of(PLACEMENT_NONE);

	return play_events(yaml, csv, &options);
}

char *kueue_story_prompt_events(const char *yaml, const char *csv)
{
	struct run_options options = options_of(PLACEMENT_NONE);

	options.eviction_delay = 0;
	return play_events(yaml, csv, &options);
}

char *kueue_story_placed_events(const char *yaml, const char *csv)
{
	struct run_options options = options_of(PLACEMENT_SCHEDULER);

	return play_events(yaml, csv, &options);
}

char *kueue_story_told(const char *yaml, const char *csv)
{
	struct run_options options = options_of(PLACEMENT_NONE);

	return play(yaml, csv, write_told, &options);
}

char *kueue_story_pending(const char *yaml, const char *csv)
{
	struct run_options options = options_of(PLACEMENT_NONE);
	char *rows = play(yaml, csv, write_pending, &options);
	const char *body = strchr(rows, '\n') + 1;

	memmove(rows, body, strlen(body) + 1);
	return rows;
}

uint64_t kueue_story_cycles(const char *yaml, const char *csv)
{
	struct run_options options = options_of(PLACEMENT_NONE);
	char *text = play(yaml, csv, write_cycles, &options);
	uint64_t cycles = strtoull(text, NULL, 10);

	mem_free(text);
	return cycles;
}

void kueue_story_write_classes(FILE *out, unsigned count)
{
	for (unsigned p = 1; p <= count; p++)
		fprintf(out,
			"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: WorkloadPriorityClass\n"
			"metadata: {name: p%u}\nvalue: %u\n",
			p, p);
}

void kueue_story_write_racks(FILE *out)
{
	fprintf(out,
		"apiVersion: kueue.x-k8s.io/v1beta2\nkind: Topology\nmetadata: {name: racks}\n"
		"spec: {levels: [{nodeLabel: rack}, {nodeLabel: kubernetes.io/hostname}]}\n---\n"
		"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\n"
		"metadata: {name: f}\nspec: {topologyName: racks, nodeLabels: {pool: g}}\n");
	for (unsigned n = 0; n < 6; n++)
		fprintf(out,
			"---\napiVersion: v1\nkind: Node\nmetadata:\n  name: n%u\n"
			"  labels: {kubernetes.io/hostname: n%u, pool: g, rack: r%u}\n"
			"status: {allocatable: {nvidia.com/gpu: \"4\", pods: \"20\"}}\n",
			n, n, n / 2);
}
