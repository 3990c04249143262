#include "sim/world/journal.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/sort.h"
#include "sim/scenario/requests.h"

static_assert(J_KINDS <= JOURNAL_BLOCK_KINDS, "a kind fits into a record");
static_assert(J_STARTED == JOURNAL_BLOCK_FOLLOWER, "what mostly follows a pod's place");

/* Finds an admission equal to a new one: open addressing over indices + 1. */
struct index {
	uint32_t *slots;
	size_t size; /* power of two; at most half full */
};

struct journal *journal_new(const struct scenario *scenario, const char *policy,
			    enum journal_detail detail)
{
	struct journal *j = mem_calloc(1, sizeof(*j));
	struct index *index = mem_calloc(1, sizeof(*index));

	j->scenario = j->input = scenario;
	j->policy = policy;
	j->detail = detail;
	j->strings = name_new();
	j->arena = mem_arena_new();
	j->first_pod = mem_calloc((size_t)scenario->job_count + 1, sizeof(*j->first_pod));
	j->survey = scenario_survey(scenario, j->first_pod);
	if (detail == JOURNAL_THINNED)
		j->thinned = mem_calloc(scenario->job_count, sizeof(*j->thinned));
	index->size = 64;
	index->slots = mem_calloc(index->size, sizeof(*index->slots));
	j->admission_index = index;
	return j;
}

void journal_free(struct journal *j)
{
	struct index *index;

	if (j == NULL)
		return;
	index = j->admission_index;
	mem_free(index->slots);
	mem_free(index);
	mem_free(j->blocks);
	mem_free(j->first_pod);
	mem_free(j->thinned);
	mem_free(j->admissions);
	mem_free(j->sets);
	name_free(j->strings);
	mem_arena_free(j->arena);
	mem_free(j);
}

bool journal_thin_next(const struct journal *j, enum journal_thin kind, uint32_t job)
{
	uint32_t next = j->thinned[job][kind] + 1;

	return (next & (next - 1)) == 0;
}

bool journal_thin(struct journal *j, enum journal_thin kind, uint32_t job)
{
	bool told = journal_thin_next(j, kind, job);

	if (j->thinned[job][kind] < UINT32_MAX - 1)
		j->thinned[job][kind]++;
	return told;
}

static struct journal_slots slots_of(const struct journal *j)
{
	return (struct journal_slots){j->first_pod, j->scenario->job_count};
}

/* Packs the newest records, which fill a block. */
static void close_block(struct journal *j)
{
	struct journal_slots slots = slots_of(j);
	size_t block = j->count / JOURNAL_BLOCK - 1;
	uint8_t bytes[JOURNAL_BLOCK_BYTES];
	size_t size = journal_block_pack(j->newest, &slots, bytes);

	memset(bytes + size, 0, JOURNAL_BLOCK_SPARE);
	j->blocks = mem_grow(j->blocks, block + 1, &j->block_capacity, sizeof(*j->blocks));
	j->blocks[block] = mem_arena_copy(j->arena, bytes, size + JOURNAL_BLOCK_SPARE, 1);
}

/* A block is packed once the next one begins: until then its last record may change. */
struct journal_record *journal_next_free(struct journal *j, enum journal_kind kind)
{
	struct journal_record *record;

	if (j->count % JOURNAL_BLOCK == 0 && j->count != 0)
		close_block(j);
	record = &j->newest[j->count++ % JOURNAL_BLOCK];
	record->kind = (uint16_t)kind;
	j->kinds |= UINT64_C(1) << kind;
	return record;
}

struct journal_record *journal_last(struct journal *j)
{
	return &j->newest[(j->count - 1) % JOURNAL_BLOCK];
}

void journal_open(struct journal_reader *reader, const struct journal *journal)
{
	reader->journal = journal;
	reader->next = 0;
	reader->block[0] = reader->block[1] = SIZE_MAX;
}

void journal_turn(struct journal_reader *reader, size_t block)
{
	const struct journal *j = reader->journal;

	reader->block[block % 2] = block;
	reader->records[block % 2] = j->newest;
	if (block < (j->count - 1) / JOURNAL_BLOCK) {
		struct journal_slots slots = slots_of(j);

		journal_block_unpack(j->blocks[block], &slots, reader->unpacked[block % 2]);
		reader->records[block % 2] = reader->unpacked[block % 2];
	}
}

bool journal_has_pods(const struct journal *j)
{
	uint64_t kinds = 0;

	for (enum journal_kind kind = J_POD_CREATED; kind <= J_POD_FORBIDDEN; kind++)
		kinds |= UINT64_C(1) << kind;
	return (j->kinds & kinds) != 0;
}

uint32_t journal_string(struct journal *j, const char *text)
{
	return name_add(j->strings, text);
}

const char *journal_text(const struct journal *j, uint32_t string)
{
	return name_text(j->strings, string);
}

static bool begins(const struct journal *journal, const struct journal_record *r, const char *text)
{
	return strncmp(journal_text(journal, r->arg), text, strlen(text)) == 0;
}

bool journal_puts_on_hold(const struct journal *journal, const struct journal_record *r)
{
	return begins(journal, r, "reason=OnHold");
}

bool journal_switches_off(const struct journal *journal, const struct journal_record *r)
{
	return journal_puts_on_hold(journal, r) || begins(journal, r, "reason=Deactivated");
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ (hash >> 29);
}

static uint64_t admission_hash(const struct admission *a)
{
	uint64_t h = mix(mix(a->cluster_queue, a->borrow), a->pod_set_count);

	for (uint32_t i = 0; i < a->pod_set_count; i++) {
		const struct admission_pod_set *p = &a->pod_sets[i];

		h = mix(mix(mix(h, p->count), p->flavor_count), p->domain_count);
		for (uint32_t k = 0; k < p->flavor_count; k++)
			h = mix(mix(h, p->flavors[k].resource), p->flavors[k].flavor);
		for (uint32_t k = 0; k < p->domain_count; k++)
			h = mix(mix(h, p->domains[k].values), p->domains[k].pods);
	}
	return h;
}

static bool bytes_equal(const void *a, const void *b, size_t size)
{
	return size == 0 || memcmp(a, b, size) == 0;
}

static bool admission_equal(const struct admission *a, const struct admission *b)
{
	if (a->cluster_queue != b->cluster_queue || a->borrow != b->borrow ||
	    a->pod_set_count != b->pod_set_count)
		return false;
	for (uint32_t i = 0; i < a->pod_set_count; i++) {
		const struct admission_pod_set *p = &a->pod_sets[i], *q = &b->pod_sets[i];

		if (p->count != q->count || p->flavor_count != q->flavor_count ||
		    p->domain_count != q->domain_count ||
		    !bytes_equal(p->flavors, q->flavors, p->flavor_count * sizeof(*p->flavors)) ||
		    !bytes_equal(p->domains, q->domains, p->domain_count * sizeof(*p->domains)))
			return false;
	}
	return true;
}

static const void *copy(struct mem_arena *arena, const void *from, size_t bytes)
{
	void *to;

	if (bytes == 0)
		return NULL;
	to = mem_arena_alloc(arena, bytes);
	memcpy(to, from, bytes);
	return to;
}

static void admission_copy(struct journal *j, struct admission *to, const struct admission *from)
{
	struct admission_pod_set *sets =
		mem_arena_alloc(j->arena, from->pod_set_count * sizeof(*sets));

	*to = *from;
	to->pod_sets = sets;
	for (uint32_t i = 0; i < from->pod_set_count; i++) {
		const struct admission_pod_set *p = &from->pod_sets[i];

		sets[i] = *p;
		sets[i].flavors = copy(j->arena, p->flavors, p->flavor_count * sizeof(*p->flavors));
		sets[i].domains = copy(j->arena, p->domains, p->domain_count * sizeof(*p->domains));
	}
}

static void index_put(struct index *index, const struct journal *j, uint32_t admission)
{
	size_t at = admission_hash(&j->admissions[admission]) & (index->size - 1);

	while (index->slots[at] != 0)
		at = (at + 1) & (index->size - 1);
	index->slots[at] = admission + 1;
}

static void index_grow(struct index *index, const struct journal *j)
{
	mem_free(index->slots);
	index->size *= 2;
	index->slots = mem_calloc(index->size, sizeof(*index->slots));
	for (uint32_t i = 0; i < j->admission_count; i++)
		index_put(index, j, i);
}

static bool is_own(const struct journal *j, const struct admission *admission)
{
	uintptr_t first = (uintptr_t)j->admissions, at = (uintptr_t)admission;

	return at >= first && at < first + j->admission_count * sizeof(*admission);
}

uint32_t journal_admission(struct journal *j, const struct admission *admission)
{
	struct index *index = j->admission_index;
	size_t at;

	if (is_own(j, admission))
		return (uint32_t)(admission - j->admissions);
	at = admission_hash(admission) & (index->size - 1);
	for (; index->slots[at] != 0; at = (at + 1) & (index->size - 1)) {
		if (admission_equal(&j->admissions[index->slots[at] - 1], admission))
			return index->slots[at] - 1;
	}
	j->admissions = mem_grow(j->admissions, j->admission_count + 1, &j->admission_capacity,
				 sizeof(*j->admissions));
	admission_copy(j, &j->admissions[j->admission_count], admission);
	j->admission_count++;
	if (2 * j->admission_count > index->size)
		index_grow(index, j);
	else
		index->slots[at] = (uint32_t)j->admission_count;
	return (uint32_t)j->admission_count - 1;
}

uint32_t journal_set(struct journal *j, const uint32_t *jobs, uint32_t count)
{
	uint32_t *sorted = mem_arena_alloc(j->arena, ((size_t)count + 1) * sizeof(*sorted));

	if (count != 0)
		memcpy(sorted, jobs, count * sizeof(*sorted));
	sort_stable(sorted, count, sizeof(*sorted), sort_compare_u32, NULL);
	j->sets = mem_grow(j->sets, j->set_count + 1, &j->set_capacity, sizeof(*j->sets));
	j->sets[j->set_count] = (struct journal_set){.jobs = sorted, .count = count};
	return (uint32_t)j->set_count++;
}

bool journal_admits(const struct journal_record *record)
{
	return record->kind == J_ADMITTED ||
	       (record->kind == J_QUOTA_RESERVED && record->arg2 == 0);
}

const char *journal_pod_name(const struct journal *j, const struct journal_record *record,
			     char buf[JOURNAL_POD_TEXT])
{
	char name[SCENARIO_NAME_TEXT];
	uint32_t index = record->pod - j->first_pod[record->job];
	int n = snprintf(buf, JOURNAL_POD_TEXT, "%s-%" PRIu32,
			 scenario_job_name(j->scenario, record->job, name), index);

	if (record->incarnation != 0 && n > 0 && n < JOURNAL_POD_TEXT)
		snprintf(buf + n, JOURNAL_POD_TEXT - (size_t)n, "-r%u", record->incarnation);
	return buf;
}

uint32_t journal_pod_job(const struct journal *j, uint32_t pod)
{
	uint32_t low = 0, high = j->scenario->job_count;

	while (high - low > 1) { /* first_pod[low] <= pod < first_pod[high] */
		uint32_t middle = low + (high - low) / 2;

		if (j->first_pod[middle] <= pod)
			low = middle;
		else
			high = middle;
	}
	return low;
}

void journal_admission_usage(const struct scenario *s, uint32_t job, const struct admission *a,
			     journal_usage_visit *visit, void *context)
{
	const struct pod_set *sets = &s->pod_sets[s->jobs[job].common->first_pod_set];

	for (uint32_t i = 0; i < a->pod_set_count; i++) {
		const struct admission_pod_set *p = &a->pod_sets[i];
		const struct pod_shape *shape = &s->shapes[sets[i].shape];
		int64_t counted[RES_MAX];
		const int64_t *request = shape->request;

		if (s->config.transformation_count > 0) {
			requests_counted(s, shape, counted);
			request = counted;
		}
		for (uint32_t k = 0; k < p->flavor_count; k++) {
			uint32_t r = p->flavors[k].resource;
			int64_t one = r == RES_PODS ? 1 : request[r];

			visit(context, p->flavors[k].flavor, r, res_mul(one, p->count));
		}
	}
}
