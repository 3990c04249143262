#include "sim/scenario/draft.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/sort.h"
#include "sim/scenario/finding_rules.h"

void draft_add(struct builder *builder, enum kind kind, const void *record, struct place where,
	       simtime at)
{
	struct draft_list *list = &builder->lists[kind];
	size_t size = kinds_row(kind)->size;

	list->records = mem_grow(list->records, (size_t)list->count + 1, &list->capacity, size);
	list->meta = mem_grow(list->meta, (size_t)list->count + 1, &list->meta_capacity,
			      sizeof(*list->meta));
	memcpy(list->records + list->count * size, record, size);
	list->meta[list->count] =
		(struct draft_meta){.where = where, .at = at, .order = builder->record_count++};
	list->count++;
	builder->last_kind = kind;
}

void *draft_record(const struct draft_list *list, enum kind kind, uint32_t index)
{
	return list->records + index * kinds_row(kind)->size;
}

uint32_t draft_name(const void *record)
{
	uint32_t name;

	memcpy(&name, record, sizeof(name));
	return name;
}

uint32_t draft_ns(enum kind kind, const void *record)
{
	uint32_t ns = NAME_NONE;

	if (kinds_row(kind)->namespaced)
		memcpy(&ns, (const unsigned char *)record + sizeof(ns), sizeof(ns));
	return ns;
}

int64_t draft_node_gpus(const struct builder *builder, const struct node *node)
{
	uint32_t count = name_count(builder->resources);
	int64_t gpus = 0;

	for (uint32_t r = 0; r < count; r++)
		if (res_is_gpu(name_text(builder->resources, r)))
			gpus = res_add(gpus, node->allocatable[r]);
	return gpus;
}

/* ---- what jobs have in common ---- */

#define COMMONS_MIN 64
static_assert(sizeof(struct job_common) == 2 * sizeof(simtime) + 10 * sizeof(uint32_t),
	      "its bytes are its fields: they are hashed");

static bool same_common(const struct job_common *a, const struct job_common *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

/* By words: rows of lists are asked for one after the other. */
static uint64_t common_hash(const struct job_common *common)
{
	uint64_t words[sizeof(*common) / sizeof(uint64_t)], h = 0;

	memcpy(words, common, sizeof(words));
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		h = (h ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 32;
	}
	return h;
}

/* The slot of an equal one, or the free one where it belongs. */
static uint32_t common_slot(const struct builder *builder, const struct job_common *common)
{
	uint32_t at = (uint32_t)common_hash(common) & builder->common_mask;

	while (builder->commons[at] != NULL && !same_common(builder->commons[at], common))
		at = (at + 1) & builder->common_mask;
	return at;
}

/* At most half of the slots are taken. */
static void make_room_for_common(struct builder *builder)
{
	const struct job_common **old = builder->commons;
	uint32_t slots = old == NULL ? 0 : builder->common_mask + 1;

	if (builder->common_count < slots / 2)
		return;
	builder->common_mask = (slots == 0 ? COMMONS_MIN : 2 * slots) - 1;
	builder->commons =
		mem_calloc((size_t)builder->common_mask + 1, sizeof(struct job_common *));
	for (uint32_t i = 0; i < slots; i++) {
		if (old[i] != NULL)
			builder->commons[common_slot(builder, old[i])] = old[i];
	}
	mem_free(old);
}

static const struct job_common *find_common(struct builder *builder,
					    const struct job_common *common)
{
	uint32_t at;

	make_room_for_common(builder);
	at = common_slot(builder, common);
	if (builder->commons[at] == NULL) {
		builder->commons[at] = mem_arena_copy(builder->arena, common, 1, sizeof(*common));
		builder->common_count++;
	}
	return builder->commons[at];
}

const struct job_common *draft_common(struct builder *builder, const struct job_common *common)
{
	if (common == builder->last_common)
		return common;
	if (builder->last_common == NULL || !same_common(builder->last_common, common))
		builder->last_common = find_common(builder, common);
	return builder->last_common;
}

simtime draft_job_start(const struct builder *builder, uint32_t job)
{
	return job < builder->job_start_count ? builder->job_starts[job] : CLOCK_NEVER;
}

/* Index of a file's name, which is mostly the last one; NAME_NONE. */
static uint32_t file_index(struct builder *builder, const char *file)
{
	uint32_t last = builder->file_count;

	if (file == NULL)
		return NAME_NONE;
	if (last == 0 || builder->files[last - 1] != file) {
		builder->files = mem_grow(builder->files, (size_t)last + 1, &builder->file_capacity,
					  sizeof(*builder->files));
		builder->files[last] = file;
		builder->file_count = ++last;
	}
	return last - 1;
}

static void add_place(struct draft_places *places, const struct draft_place *place)
{
	const struct draft_place *run = places->count > 0 ? &places->runs[places->count - 1] : NULL;

	if (run != NULL && run->file == place->file && run->column == place->column &&
	    place->line - run->line == place->job - run->job)
		return;
	places->runs = mem_grow(places->runs, (size_t)places->count + 1, &places->capacity,
				sizeof(*places->runs));
	places->runs[places->count++] = *place;
}

/* The place of one job, as a run that begins with it. */
static struct draft_place place_of(const struct draft_places *places, uint32_t job)
{
	uint32_t low = 0, high = places->count;
	struct draft_place place;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (places->runs[middle].job <= job)
			low = middle;
		else
			high = middle;
	}
	place = places->runs[low];
	place.line += job - place.job;
	place.job = job;
	return place;
}

void draft_place_jobs(struct builder *builder, uint32_t first, uint32_t count,
		      const struct place *where)
{
	struct draft_places *places = &builder->job_places;
	struct draft_place place = {
		.job = first, .line = (uint32_t)where->line, .column = (uint32_t)where->column};

	if (places->count > 0 && places->last.file == where->file &&
	    places->last.line + 1 == where->line && places->last.column == where->column) {
		places->last.line += count;
		return;
	}
	places->last = *where;
	places->last.line += count - 1;
	place.file = file_index(builder, where->file);
	add_place(places, &place);
}

static void drop_notes(struct builder *builder, const bool *dropped)
{
	uint32_t kept = 0, notes = 0, next = 0;

	for (uint32_t i = 0; i < builder->job_count; i++) {
		for (; next < builder->note_count && builder->notes[next].job == i; next++) {
			if (dropped[i])
				continue;
			builder->notes[notes] = builder->notes[next];
			builder->notes[notes++].job = kept;
		}
		kept += !dropped[i];
	}
	builder->note_count = notes;
}

/* Who waits for a job that is left out comes when its list says. */
static void drop_afters(struct builder *builder, const bool *dropped)
{
	uint32_t *to, kept = 0, count = 0;

	if (builder->after_count == 0)
		return;
	to = mem_calloc(builder->job_count, sizeof(*to));
	for (uint32_t i = 0; i < builder->job_count; i++)
		to[i] = dropped[i] ? JOB_NONE : kept++;
	for (uint32_t i = 0; i < builder->after_count; i++) {
		struct job_after after = builder->afters[i];

		after.job = to[after.job];
		after.after = to[after.after];
		if (after.job != JOB_NONE && after.after != JOB_NONE)
			builder->afters[count++] = after;
	}
	builder->after_count = count;
	mem_free(to);
}

static void fit(uint32_t *count, uint32_t jobs)
{
	if (*count > jobs)
		*count = jobs;
}

static void move_place(struct draft_places *places, uint32_t to, const struct draft_places *old,
		       uint32_t from)
{
	struct draft_place place = place_of(old, from);

	place.job = to;
	add_place(places, &place);
}

static void take_places(struct builder *builder, const struct draft_places *places)
{
	mem_free(builder->job_places.runs);
	builder->job_places = *places;
	builder->job_places.last.line = -2; /* nothing goes on */
}

void draft_drop_jobs(struct builder *builder, const bool *dropped)
{
	struct draft_places places = {.runs = NULL};
	uint32_t kept = 0;

	drop_notes(builder, dropped);
	drop_afters(builder, dropped);
	for (uint32_t i = 0; i < builder->job_count; i++) {
		if (dropped[i])
			continue;
		if (kept < builder->job_label_count)
			builder->job_labels[kept] =
				i < builder->job_label_count ? builder->job_labels[i] : 0;
		if (kept < builder->job_start_count)
			builder->job_starts[kept] = draft_job_start(builder, i);
		builder->jobs[kept] = builder->jobs[i];
		move_place(&places, kept++, &builder->job_places, i);
	}
	take_places(builder, &places);
	builder->job_count = kept;
	fit(&builder->job_label_count, kept);
	fit(&builder->job_start_count, kept);
}

static int by_job(const void *a, const void *b, void *context)
{
	const struct job_note *x = a, *y = b;

	(void)context;
	return (x->job > y->job) - (x->job < y->job);
}

static int by_waiting_job(const void *a, const void *b, void *context)
{
	const struct job_after *x = a, *y = b;

	(void)context;
	return (x->job > y->job) - (x->job < y->job);
}

/* What is noted of jobs, by their new places. */
static void order_notes(struct builder *builder, const uint32_t *from)
{
	uint32_t *to = mem_calloc(builder->job_count, sizeof(*to));

	for (uint32_t i = 0; i < builder->job_count; i++)
		to[from[i]] = i;
	for (uint32_t i = 0; i < builder->note_count; i++)
		builder->notes[i].job = to[builder->notes[i].job];
	sort_stable(builder->notes, builder->note_count, sizeof(*builder->notes), by_job, NULL);
	for (uint32_t i = 0; i < builder->after_count; i++) {
		builder->afters[i].job = to[builder->afters[i].job];
		builder->afters[i].after = to[builder->afters[i].after];
	}
	sort_stable(builder->afters, builder->after_count, sizeof(*builder->afters), by_waiting_job,
		    NULL);
	mem_free(to);
}

static void reorder(void *items, size_t size, const uint32_t *from, uint32_t count)
{
	unsigned char *copy = mem_dup(items, count * size);

	for (uint32_t i = 0; i < count; i++)
		memcpy((unsigned char *)items + i * size, copy + from[i] * size, size);
	mem_free(copy);
}

/* An entry for every job, in place of as far as they go. */
static void fill_up(struct builder *builder)
{
	uint32_t count = builder->job_count;

	builder->job_labels = mem_grow(builder->job_labels, count, &builder->job_label_capacity,
				       sizeof(*builder->job_labels));
	while (builder->job_label_count < count)
		builder->job_labels[builder->job_label_count++] = 0;
	builder->job_starts = mem_grow(builder->job_starts, count, &builder->job_start_capacity,
				       sizeof(*builder->job_starts));
	while (builder->job_start_count < count)
		builder->job_starts[builder->job_start_count++] = CLOCK_NEVER;
}

void draft_order_jobs(struct builder *builder, const uint32_t *from)
{
	uint32_t count = builder->job_count, starts = builder->job_start_count;
	struct draft_places places = {.runs = NULL};

	if (count == 0)
		return;
	fill_up(builder);
	reorder(builder->jobs, sizeof(*builder->jobs), from, count);
	for (uint32_t i = 0; i < count; i++)
		move_place(&places, i, &builder->job_places, from[i]);
	take_places(builder, &places);
	reorder(builder->job_labels, sizeof(*builder->job_labels), from, count);
	reorder(builder->job_starts, sizeof(*builder->job_starts), from, count);
	builder->job_start_count = starts == 0 ? 0 : count;
	order_notes(builder, from);
}

struct place draft_job_place(const struct builder *builder, uint32_t job)
{
	const struct draft_place place = place_of(&builder->job_places, job);

	return (struct place){.file = place.file == NAME_NONE ? NULL : builder->files[place.file],
			      .line = place.line,
			      .column = place.column};
}

static struct finding *add_finding(struct builder *builder, enum finding_kind kind,
				   struct place where, const char *fmt, va_list args)
	__attribute__((format(printf, 4, 0)));

/* The finding without its rule and fix. */
static struct finding *add_finding(struct builder *builder, enum finding_kind kind,
				   struct place where, const char *fmt, va_list args)
{
	struct err text = {.code = ERR_OK};
	char line[1024];
	struct finding *finding;

	vsnprintf(text.msg, sizeof(text.msg), fmt, args);
	text.file = where.file;
	text.line = where.line;
	text.column = where.column;
	err_format(&text, line, sizeof(line));
	builder->findings = mem_grow(builder->findings, (size_t)builder->finding_count + 1,
				     &builder->finding_capacity, sizeof(*builder->findings));
	finding = &builder->findings[builder->finding_count++];
	*finding = (struct finding){
		.kind = kind,
		.text = name_add(builder->strings, line),
		.sentence = (uint32_t)(strlen(line) - strlen(text.msg)),
		.rule = NAME_NONE,
		.fix = NAME_NONE,
		.file = where.file == NULL ? NAME_NONE : name_add(builder->strings, where.file),
		.line = (uint32_t)where.line,
		.column = (uint32_t)where.column};
	return finding;
}

void draft_finding(struct builder *builder, enum finding_kind kind, struct place where,
		   const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_finding(builder, kind, where, fmt, args);
	va_end(args);
}

void draft_fault(struct builder *builder, const struct finding_rule *rule, struct place where,
		 const char *fix, const char *fmt, ...)
{
	struct finding *finding;
	va_list args;

	assert(finding_rules_has(rule->name, strlen(rule->name)));
	va_start(args, fmt);
	finding = add_finding(builder, rule->kind, where, fmt, args);
	va_end(args);
	finding->rule = name_add(builder->strings, rule->name);
	if (fix != NULL)
		finding->fix = name_add(builder->strings, fix);
}

static bool is_left_out(const struct builder *builder, uint32_t kind, uint32_t name)
{
	return draft_index_get(builder->left_out, name, kind) != NAME_NONE;
}

bool draft_left_out(const struct builder *builder, const char *kind, const char *name)
{
	uint32_t kind_name, none, wanted;

	if (builder->left_out == NULL)
		return false;
	kind_name = name_find(builder->strings, kind);
	none = name_find(builder->strings, "");
	if (is_left_out(builder, none, NAME_NONE))
		return true;
	if (kind_name == NAME_NONE)
		return false;
	if (name[0] == '\0')
		return is_left_out(builder, kind_name, NAME_NONE);
	wanted = name_find(builder->strings, name);
	return is_left_out(builder, kind_name, none) ||
	       (wanted != NAME_NONE && is_left_out(builder, kind_name, wanted));
}

static void index_alloc(struct draft_index *index, uint32_t slots)
{
	index->slots = mem_calloc(slots, sizeof(*index->slots));
	index->mask = slots - 1;
	for (uint32_t i = 0; i < slots; i++)
		index->slots[i].value = NAME_NONE;
}

void draft_index_init(struct draft_index *index, uint32_t expected)
{
	uint32_t slots = 16;

	while (slots / 2 < expected && slots < UINT32_MAX / 2)
		slots *= 2;
	index->count = 0;
	index_alloc(index, slots);
}

void draft_index_free(struct draft_index *index)
{
	mem_free(index->slots);
}

static struct draft_slot *index_probe(const struct draft_index *index, uint32_t name, uint32_t ns)
{
	uint64_t key = ((uint64_t)ns << 32 | name) * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t at = (uint32_t)(key >> 32) & index->mask;

	for (;; at = (at + 1) & index->mask) {
		struct draft_slot *slot = &index->slots[at];

		if (slot->value == NAME_NONE || (slot->name == name && slot->ns == ns))
			return slot;
	}
}

static void index_rehash(struct draft_index *index)
{
	struct draft_slot *old = index->slots;
	uint32_t old_slots = index->mask + 1;

	index_alloc(index, old_slots * 2);
	for (uint32_t i = 0; i < old_slots; i++)
		if (old[i].value != NAME_NONE)
			*index_probe(index, old[i].name, old[i].ns) = old[i];
	mem_free(old);
}

uint32_t draft_index_put(struct draft_index *index, uint32_t name, uint32_t ns, uint32_t value,
			 bool replace)
{
	struct draft_slot *slot = index_probe(index, name, ns);
	uint32_t before = slot->value;

	if (before == NAME_NONE || replace)
		*slot = (struct draft_slot){.name = name, .ns = ns, .value = value};
	if (before == NAME_NONE && ++index->count > index->mask / 2)
		index_rehash(index);
	return before;
}

uint32_t draft_index_get(const struct draft_index *index, uint32_t name, uint32_t ns)
{
	return index_probe(index, name, ns)->value;
}

void draft_option(struct builder *builder, const char *text)
{
	uint32_t index = builder->option_count++;

	builder->options = mem_grow(builder->options, (size_t)index + 1, &builder->option_capacity,
				    sizeof(*builder->options));
	builder->options[index] = name_add(builder->strings, text);
}
