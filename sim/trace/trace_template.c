#include "sim/trace/trace_template.h"

#include <string.h>

#include "sim/trace/trace.h"

#define RESOURCE_TEXT 320 /* longest resource name: 253 + "/" + 63 */
#define PIECES_MAX    64  /* entries of one list: requests, labels, tolerations, pod sets */

struct trace_templates {
	struct builder *builder;
	struct trace_pods *pods;
	const uint32_t *index;
	bool gpus_only; /* no other column says anything of the pods */
	/* Cells of a row, each ended by a NUL, to pod sets. */
	struct name_table *keys;
	struct trace_pods_sets *sets; /* by index of keys */
	size_t set_cap;
	char *key;
	size_t key_cap;
	char *last_key;
	size_t last_len, last_cap;
	struct trace_pods_sets last_sets; /* of last_key: rows come in runs */
};

struct trace_templates *trace_templates_new(struct builder *builder, uint32_t gpus_per_node,
					    const uint32_t index[TRACE_TEMPLATE_COLUMNS])
{
	struct trace_templates *t = mem_calloc(1, sizeof(*t));

	t->builder = builder;
	t->pods = trace_pods_new(builder, gpus_per_node);
	t->index = index;
	t->gpus_only = index[TRACE_TEMPLATE_GPUS] != CSV_NONE;
	for (int c = 0; c < TRACE_TEMPLATE_COLUMNS; c++)
		if (c != TRACE_TEMPLATE_GPUS && index[c] != CSV_NONE)
			t->gpus_only = false;
	t->keys = name_new();
	return t;
}

void trace_templates_free(struct trace_templates *templates)
{
	if (templates == NULL)
		return;
	trace_pods_free(templates->pods);
	name_free(templates->keys);
	mem_free(templates->sets);
	mem_free(templates->key);
	mem_free(templates->last_key);
	mem_free(templates);
}

/* A part of a cell, and where in it the part begins. */
struct piece {
	const char *text;
	size_t len;
	size_t offset;
};

/* What is being read: for building records and for the place of an error. */
struct reader {
	struct builder *builder;
	const struct csv *csv;
	const struct csv_field *field;
	struct err *err;
};

#define WRONG(r, p, code, ...)                                                                     \
	csv_error((r)->csv, (r)->field, (p)->offset, (code), (r)->err, __VA_ARGS__)
#define SHOWN(p) csv_shown((p)->len), (p)->text

static struct piece whole(const struct csv_field *field)
{
	return (struct piece){.text = field->text, .len = field->len};
}

/* Cuts at the first separator: *head before it, the rest stays in *from. False
 * if there is none; then *head is all of it. */
static bool cut(struct piece *from, char separator, struct piece *head)
{
	const char *at = from->len == 0 ? NULL : memchr(from->text, separator, from->len);
	size_t n = at == NULL ? from->len : (size_t)(at - from->text);
	size_t skipped = at == NULL ? n : n + 1;

	*head = (struct piece){.text = from->text, .len = n, .offset = from->offset};
	from->text += skipped;
	from->len -= skipped;
	from->offset += skipped;
	return at != NULL;
}

static bool piece_is(const struct piece *piece, const char *text)
{
	return strlen(text) == piece->len && memcmp(piece->text, text, piece->len) == 0;
}

static uint32_t piece_string(struct reader *r, const struct piece *piece)
{
	return builder_string(r->builder, piece->text, piece->len);
}

/* Splits "a;b;c"; at most PIECES_MAX. An empty text has no pieces. */
static enum err_code split(struct reader *r, struct piece list, char separator,
			   struct piece pieces[PIECES_MAX], uint32_t *count)
{
	bool more = list.len > 0;

	*count = 0;
	while (more) {
		if (*count == PIECES_MAX)
			return WRONG(r, &list, ERR_LIMIT, "more than %d entries in one cell",
				     PIECES_MAX);
		more = cut(&list, separator, &pieces[(*count)++]);
	}
	return ERR_OK;
}

/* The amount of a request. Kubernetes: extended resources are whole numbers. */
static enum err_code read_amount(struct reader *r, uint32_t resource, bool extended,
				 const struct piece *text, int64_t *amount)
{
	int64_t milli;

	switch (num_read_quantity(text->text, text->len, res_is_milli(resource), amount)) {
	case NUM_OK:
		break;
	case NUM_NEGATIVE:
		return WRONG(r, text, ERR_VALUE, "the request %.*s is negative", SHOWN(text));
	case NUM_MALFORMED:
		return WRONG(r, text, ERR_SYNTAX,
			     "\"%.*s\" is not a quantity; write it as 500m, 8 or 64Gi",
			     SHOWN(text));
	}
	if (!extended)
		return ERR_OK;
	if (num_read_quantity(text->text, text->len, true, &milli) != NUM_OK || milli % 1000 != 0)
		return WRONG(r, text, ERR_VALUE, "%.*s devices: it must be a whole number",
			     SHOWN(text));
	if (*amount > TRACE_PODS_GPUS_MAX)
		return WRONG(r, text, ERR_LIMIT, "more than %d devices in one pod",
			     TRACE_PODS_GPUS_MAX);
	return ERR_OK;
}

static bool is_gpu(const struct piece *name)
{
	char text[RESOURCE_TEXT];

	if (name->len >= sizeof(text))
		return false;
	memcpy(text, name->text, name->len);
	text[name->len] = '\0';
	return res_is_gpu(text);
}

/* One "resource=quantity" of a shape. */
static enum err_code read_request(struct reader *r, struct piece entry, struct pod_shape *shape,
				  int64_t *request)
{
	enum err_code code;
	struct piece name;
	uint32_t resource;
	int64_t amount;

	if (!cut(&entry, '=', &name) || name.len == 0)
		return WRONG(r, &name, ERR_SYNTAX,
			     "\"%.*s\" is not resource=quantity, such as nvidia.com/gpu=1",
			     SHOWN(&name));
	if (builder_resource(r->builder, name.text, name.len, &resource, r->err) != ERR_OK)
		return WRONG(r, &name, r->err->code, "%s", r->err->msg);
	if (shape->requested >> resource & 1)
		return WRONG(r, &name, ERR_DUPLICATE, "\"%.*s\" is requested twice", SHOWN(&name));
	code = read_amount(r, resource, memchr(name.text, '/', name.len) != NULL, &entry, &amount);
	if (code != ERR_OK)
		return code;
	request[resource] = amount;
	shape->requested |= UINT64_C(1) << resource;
	if (is_gpu(&name))
		shape->gpus += amount; /* for the limits; builder_shape counts itself */
	return ERR_OK;
}

static enum err_code read_requests(struct reader *r, struct piece list, struct pod_shape *shape)
{
	struct piece entries[PIECES_MAX];
	int64_t *request = builder_vector(r->builder);
	enum err_code code;
	uint32_t count;

	shape->request = request;
	code = split(r, list, ';', entries, &count);
	for (uint32_t i = 0; i < count && code == ERR_OK; i++)
		code = read_request(r, entries[i], shape, request);
	return code;
}

static enum err_code read_selector(struct reader *r, struct piece list, struct label_set *out)
{
	struct piece entries[PIECES_MAX], key;
	struct label *labels;
	enum err_code code;
	uint32_t count;

	code = split(r, list, ';', entries, &count);
	if (code != ERR_OK)
		return code;
	labels = mem_arena_alloc(builder_arena(r->builder), count * sizeof(*labels));
	for (uint32_t i = 0; i < count; i++) {
		if (!cut(&entries[i], '=', &key) || key.len == 0)
			return WRONG(r, &key, ERR_SYNTAX,
				     "\"%.*s\" is not a label as key=value, such as gpu=h100",
				     SHOWN(&key));
		labels[i].key = piece_string(r, &key);
		labels[i].value = piece_string(r, &entries[i]);
	}
	*out = (struct label_set){.items = labels, .count = count};
	return ERR_OK;
}

static enum err_code read_effect(struct reader *r, const struct piece *text, enum taint_effect *out)
{
	static const struct {
		const char *text;
		enum taint_effect effect;
	} rows[] = {
		{"NoSchedule", TAINT_NO_SCHEDULE},
		{"PreferNoSchedule", TAINT_PREFER_NO_SCHEDULE},
		{"NoExecute", TAINT_NO_EXECUTE},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (piece_is(text, rows[i].text)) {
			*out = rows[i].effect;
			return ERR_OK;
		}
	}
	return WRONG(r, text, ERR_UNKNOWN,
		     "no taint effect \"%.*s\": NoSchedule, PreferNoSchedule or NoExecute",
		     SHOWN(text));
}

/* "key[=value][:Effect]" */
static enum err_code read_toleration(struct reader *r, struct piece entry, struct toleration *out)
{
	struct piece pair, key;

	*out = (struct toleration){.value = NAME_NONE, .op = TOLERATION_EXISTS};
	if (cut(&entry, ':', &pair) && read_effect(r, &entry, &out->effect) != ERR_OK)
		return r->err->code;
	if (cut(&pair, '=', &key)) {
		out->op = TOLERATION_EQUAL;
		if (pair.len > 0)
			out->value = piece_string(r, &pair);
	}
	if (key.len == 0)
		return WRONG(r, &key, ERR_SYNTAX,
			     "a toleration without a key; write key, key=value or "
			     "key=value:NoSchedule");
	out->key = piece_string(r, &key);
	return ERR_OK;
}

static enum err_code read_tolerations(struct reader *r, struct piece list,
				      struct toleration_set *out)
{
	struct piece entries[PIECES_MAX];
	struct toleration *items;
	enum err_code code;
	uint32_t count;

	code = split(r, list, ';', entries, &count);
	if (code != ERR_OK)
		return code;
	items = mem_arena_alloc(builder_arena(r->builder), count * sizeof(*items));
	for (uint32_t i = 0; i < count && code == ERR_OK; i++)
		code = read_toleration(r, entries[i], &items[i]);
	*out = (struct toleration_set){.items = items, .count = count};
	return code;
}

static enum err_code read_topology(struct reader *r, const struct piece *mode,
				   const struct piece *level, struct pod_shape *shape)
{
	if (mode->len == 0 && level->len == 0)
		return ERR_OK;
	if (piece_is(mode, "required"))
		shape->topology_mode = TOPOLOGY_REQUIRED;
	else if (piece_is(mode, "preferred"))
		shape->topology_mode = TOPOLOGY_PREFERRED;
	else if (piece_is(mode, "unconstrained"))
		shape->topology_mode = TOPOLOGY_UNCONSTRAINED;
	else
		return WRONG(r, mode, ERR_UNKNOWN,
			     "no topology mode \"%.*s\": required, preferred or unconstrained",
			     SHOWN(mode));
	if (shape->topology_mode == TOPOLOGY_UNCONSTRAINED)
		return ERR_OK;
	if (level->len == 0)
		return WRONG(r, mode, ERR_SYNTAX,
			     "topology mode \"%.*s\" needs a level: a node label such as "
			     "kubernetes.io/hostname",
			     SHOWN(mode));
	shape->topology_level = piece_string(r, level);
	return ERR_OK;
}

/* Blanks around it do not count. */
static bool read_number(const struct piece *text, uint32_t *out)
{
	struct piece bare = *text;

	trace_trim(&bare.text, &bare.len);
	return trace_read_count(bare.text, bare.len, out);
}

/* A number of pods; what it counts for the message. */
static enum err_code read_pods(struct reader *r, const struct piece *text, const char *what,
			       uint32_t *out)
{
	if (!read_number(text, out) || *out == 0)
		return WRONG(r, text, ERR_VALUE,
			     "\"%.*s\" is not a number of %s: a whole number from 1 on",
			     SHOWN(text), what);
	if (*out > TRACE_TEMPLATE_PODS_MAX)
		return WRONG(r, text, ERR_LIMIT, "more than %d pods in one job",
			     TRACE_TEMPLATE_PODS_MAX);
	return ERR_OK;
}

/* A real cluster refuses a minimum above the count; Kueue's scheduler, given one,
 * has nothing to reduce (goldens f13). One of all pods is none: a Job could not have it. */
static enum err_code read_min_pods(struct reader *r, const struct piece *text, struct pod_set *set)
{
	struct place where = {.file = r->csv->file};

	if (read_pods(r, text, "pods to start with", &set->min_count) != ERR_OK)
		return r->err->code;
	set->has_min = set->min_count < set->count;
	if (set->min_count <= set->count)
		return ERR_OK;
	csv_place(r->csv, r->field, text->offset, &where.line, &where.column);
	builder_fault(r->builder, FINDING_WARNING, "input-warning", where,
		      "write a minimum below the number of pods, or none",
		      "a minimum of %u pods for a job of %u: a real cluster refuses that; here "
		      "it can only start whole",
		      set->min_count, set->count);
	set->min_count = set->count;
	return ERR_OK;
}

/* "name:count[/min]" in front of a pod set's requests; the requests stay in *entry. */
static enum err_code read_pod_set_head(struct reader *r, struct piece *entry, struct pod_set *set)
{
	struct piece name, counts, count;
	bool has_min;

	if (!cut(entry, ':', &name) || name.len == 0 || !cut(entry, ':', &counts))
		return WRONG(r, &name, ERR_SYNTAX,
			     "a pod set is name:count[/min]:resource=quantity;..., such as "
			     "worker:4:nvidia.com/gpu=1");
	set->name = piece_string(r, &name);
	has_min = cut(&counts, '/', &count);
	if (read_pods(r, &count, "pods", &set->count) != ERR_OK)
		return r->err->code;
	set->min_count = set->count;
	return has_min ? read_min_pods(r, &counts, set) : ERR_OK;
}

struct totals {
	uint64_t pods, gpus;
};

static enum err_code add_up(struct reader *r, const struct piece *here, uint32_t pods, int64_t gpus,
			    struct totals *totals)
{
	totals->pods += pods;
	totals->gpus += pods * (uint64_t)gpus;
	if (totals->pods > TRACE_TEMPLATE_PODS_MAX)
		return WRONG(r, here, ERR_LIMIT, "more than %d pods in one job",
			     TRACE_TEMPLATE_PODS_MAX);
	if (totals->gpus > UINT32_MAX)
		return WRONG(r, here, ERR_LIMIT, "more than %u GPUs in one job", UINT32_MAX);
	return ERR_OK;
}

/* base has what all pod sets of the row share. */
static enum err_code read_pod_set(struct reader *r, struct piece entry,
				  const struct pod_shape *base, struct pod_set *set,
				  struct totals *totals)
{
	struct pod_shape shape = *base;
	struct piece here = entry, requests, mode;
	enum err_code code;

	*set = (struct pod_set){0};
	code = read_pod_set_head(r, &entry, set);
	if (code != ERR_OK)
		return code;
	if (cut(&entry, '@', &requests)) {
		cut(&entry, '=', &mode);
		code = read_topology(r, &mode, &entry, &shape);
	}
	if (code == ERR_OK)
		code = read_requests(r, requests, &shape);
	if (code == ERR_OK)
		code = add_up(r, &here, set->count, shape.gpus, totals);
	if (code == ERR_OK)
		set->shape = builder_shape(r->builder, &shape);
	return code;
}

static enum err_code read_pod_sets(struct reader *r, const struct pod_shape *base,
				   struct trace_pods_sets *out)
{
	struct piece entries[PIECES_MAX];
	struct pod_set sets[PIECES_MAX];
	struct totals totals = {0};
	enum err_code code;
	uint32_t count;

	code = split(r, whole(r->field), '|', entries, &count);
	for (uint32_t i = 0; i < count && code == ERR_OK; i++) {
		code = read_pod_set(r, entries[i], base, &sets[i], &totals);
		for (uint32_t k = 0; k < i && code == ERR_OK; k++)
			if (sets[k].name == sets[i].name)
				code = WRONG(r, &entries[i], ERR_DUPLICATE,
					     "a second pod set of this name");
	}
	if (code != ERR_OK)
		return code;
	out->first = builder_pod_sets(r->builder, sets, count);
	out->count = (uint16_t)count;
	return ERR_OK;
}

/* The cells of one row. */
struct cells {
	struct csv_field at[TRACE_TEMPLATE_COLUMNS];
};

static bool given(const struct cells *cells, enum trace_template_column column)
{
	return cells->at[column].len > 0;
}

static struct piece cell(struct reader *r, const struct cells *cells,
			 enum trace_template_column column)
{
	r->field = &cells->at[column];
	return whole(r->field);
}

static enum err_code read_base(struct reader *r, const struct cells *cells, struct pod_shape *base)
{
	enum err_code code;

	*base = trace_pods_plain();
	code = read_selector(r, cell(r, cells, TRACE_TEMPLATE_NODE_SELECTOR), &base->node_selector);
	if (code != ERR_OK)
		return code;
	return read_tolerations(r, cell(r, cells, TRACE_TEMPLATE_TOLERATIONS), &base->tolerations);
}

/* pods and min_pods of the one pod set of a row. */
static enum err_code read_counts(struct reader *r, const struct cells *cells, struct pod_set *set)
{
	struct piece pods = cell(r, cells, TRACE_TEMPLATE_PODS), min_pods;

	*set = (struct pod_set){.name = builder_string(r->builder, "main", 4), .count = 1};
	if (pods.len > 0 && read_pods(r, &pods, "pods", &set->count) != ERR_OK)
		return r->err->code;
	set->min_count = set->count;
	min_pods = cell(r, cells, TRACE_TEMPLATE_MIN_PODS);
	return min_pods.len > 0 ? read_min_pods(r, &min_pods, set) : ERR_OK;
}

/* A job of so many GPUs, in as many pods as the row says or as nodes need. */
static enum err_code read_gpus(struct trace_templates *t, struct reader *r,
			       const struct cells *cells, const struct pod_shape *base,
			       struct trace_pods_sets *out)
{
	struct piece text = cell(r, cells, TRACE_TEMPLATE_GPUS);
	struct pod_set set;
	uint32_t gpus;

	if (!read_number(&text, &gpus))
		return WRONG(r, &text, ERR_VALUE, "\"%.*s\" is not a number of GPUs", SHOWN(&text));
	if (gpus > TRACE_PODS_GPUS_MAX)
		return WRONG(r, &text, ERR_LIMIT, "more than %d GPUs in one job",
			     TRACE_PODS_GPUS_MAX);
	*out = (struct trace_pods_sets){0};
	if (gpus == 0)
		return ERR_OK;
	if (!given(cells, TRACE_TEMPLATE_PODS)) {
		text = cell(r, cells, TRACE_TEMPLATE_MIN_PODS);
		if (text.len > 0)
			return WRONG(r, &text, ERR_VALUE, "min_pods without pods; give both");
		*out = trace_pods_make(t->pods, base, gpus);
		return ERR_OK;
	}
	if (read_counts(r, cells, &set) != ERR_OK)
		return r->err->code;
	text = cell(r, cells, TRACE_TEMPLATE_GPUS);
	if (gpus % set.count != 0)
		return WRONG(r, &text, ERR_VALUE,
			     "%u GPUs of the job cannot be shared equally by its %u pods", gpus,
			     set.count);
	set.shape = trace_pods_shape(t->pods, base, gpus / set.count);
	out->first = builder_pod_sets(r->builder, &set, 1);
	out->count = 1;
	return ERR_OK;
}

/* The pods of a row with requests, and those without any demand. */
static enum err_code read_main(struct reader *r, const struct cells *cells, struct pod_shape *shape,
			       struct trace_pods_sets *out)
{
	struct totals totals = {0};
	struct pod_set set;
	enum err_code code;
	struct piece here;

	code = read_counts(r, cells, &set);
	if (code != ERR_OK)
		return code;
	here = cell(r, cells, TRACE_TEMPLATE_REQUESTS);
	code = read_requests(r, here, shape);
	if (code == ERR_OK)
		code = add_up(r, &here, set.count, shape->gpus, &totals);
	if (code != ERR_OK)
		return code;
	set.shape = builder_shape(r->builder, shape);
	out->first = builder_pod_sets(r->builder, &set, 1);
	out->count = 1;
	return ERR_OK;
}

static enum err_code read_row(struct trace_templates *t, const struct csv *csv,
			      struct trace_pods_sets *out, struct err *err)
{
	struct reader r = {.builder = t->builder, .csv = csv, .err = err};
	struct piece mode, level;
	struct pod_shape base;
	struct cells cells;
	enum err_code code;

	for (int c = 0; c < TRACE_TEMPLATE_COLUMNS; c++)
		cells.at[c] = csv_get(csv, t->index[c]);
	code = read_base(&r, &cells, &base);
	if (code != ERR_OK)
		return code;
	if (given(&cells, TRACE_TEMPLATE_PODSETS)) {
		cell(&r, &cells, TRACE_TEMPLATE_PODSETS);
		return read_pod_sets(&r, &base, out);
	}
	level = cell(&r, &cells, TRACE_TEMPLATE_TOPOLOGY_LEVEL);
	mode = cell(&r, &cells, TRACE_TEMPLATE_TOPOLOGY_MODE);
	code = read_topology(&r, &mode, &level, &base);
	if (code != ERR_OK)
		return code;
	if (!given(&cells, TRACE_TEMPLATE_GPUS))
		return read_main(&r, &cells, &base, out);
	if (given(&cells, TRACE_TEMPLATE_REQUESTS))
		return csv_error(csv, &cells.at[TRACE_TEMPLATE_GPUS], 0, ERR_VALUE, err,
				 "both gpus (of the job) and requests (of one pod); give one");
	return read_gpus(t, &r, &cells, &base, out);
}

/* The row's template cells one after the other; their length. */
static size_t make_key(struct trace_templates *t, const struct csv *csv)
{
	size_t len = 0;

	for (int c = 0; c < TRACE_TEMPLATE_COLUMNS; c++) {
		const struct csv_field *field;

		if (t->index[c] == CSV_NONE)
			continue;
		field = &csv->fields[t->index[c]];
		t->key = mem_grow(t->key, len + field->len + 1, &t->key_cap, 1);
		memcpy(t->key + len, field->text, field->len);
		len += field->len;
		t->key[len++] = '\0'; /* never part of a cell */
	}
	return len;
}

static void remember(struct trace_templates *t, size_t len, struct trace_pods_sets sets)
{
	t->last_key = mem_grow(t->last_key, len, &t->last_cap, 1);
	memcpy(t->last_key, t->key, len);
	t->last_len = len;
	t->last_sets = sets;
}

struct trace_pods_sets trace_template_gpus(struct trace_templates *templates, uint32_t gpus)
{
	return trace_pods_of(templates->pods, gpus);
}

/* The common list, which tells only GPUs, and the common numbers of them. */
static bool few_gpus(struct trace_templates *t, const struct csv *csv, struct trace_pods_sets *out)
{
	const struct csv_field *cell;
	uint32_t gpus;

	if (!t->gpus_only)
		return false;
	cell = &csv->fields[t->index[TRACE_TEMPLATE_GPUS]];
	if (!csv_number(csv, cell, &gpus) || gpus == 0 || gpus >= TRACE_PODS_KNOWN)
		return false;
	*out = trace_template_gpus(t, gpus);
	return true;
}

enum err_code trace_template_of(struct trace_templates *templates, const struct csv *csv,
				struct trace_pods_sets *out, struct err *err)
{
	struct trace_templates *t = templates;
	uint32_t known, index;
	enum err_code code;
	size_t len;

	if (few_gpus(t, csv, out))
		return ERR_OK;
	len = make_key(t, csv);
	if (len == t->last_len && len > 0 && memcmp(t->key, t->last_key, len) == 0) {
		*out = t->last_sets;
		return ERR_OK;
	}
	index = name_find_n(t->keys, t->key, len);
	if (index == NAME_NONE) {
		code = read_row(t, csv, out, err);
		if (code != ERR_OK)
			return code;
		known = name_count(t->keys);
		index = name_add_n(t->keys, t->key, len);
		t->sets = mem_grow(t->sets, (size_t)known + 1, &t->set_cap, sizeof(*t->sets));
		t->sets[index] = *out;
	}
	*out = t->sets[index];
	remember(t, len, *out);
	return ERR_OK;
}
