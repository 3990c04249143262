#include "sim/load/fields.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/tool/nearest.h"
#include "sim/yaml/yaml_scalar.h"

#define NANO		INT64_C(1000000000)
#define MEBIBYTE	(INT64_C(1) << 20)
#define MAX_LABELS	1000
#define MAX_EXPRESSIONS 100
#define MAX_VALUES	10000

/* ---- the path and messages ---- */

static size_t append_path(struct fields *f, const char *text, size_t len)
{
	size_t mark = f->path_len;

	if (f->path_len + len < sizeof(f->path)) {
		memcpy(f->path + f->path_len, text, len);
		f->path_len += len;
	}
	f->path[f->path_len] = '\0';
	return mark;
}

size_t fields_enter(struct fields *f, const char *key)
{
	char piece[FIELDS_PATH];
	int len = snprintf(piece, sizeof(piece), "%s%s", f->path_len != 0 ? "." : "", key);

	return append_path(f, piece, len < 0 ? 0 : (size_t)len);
}

size_t fields_enter_index(struct fields *f, uint32_t index)
{
	char piece[16];
	int len = snprintf(piece, sizeof(piece), "[%u]", index);

	return append_path(f, piece, len < 0 ? 0 : (size_t)len);
}

void fields_leave(struct fields *f, size_t mark)
{
	f->path_len = mark;
	f->path[mark] = '\0';
}

static void describe(const struct fields *f, char *buf, size_t size, const char *fmt, va_list args)
	__attribute__((format(printf, 4, 0)));

/* What precedes the message fits into the buffers of those below: a kind may be any text, too. */
static void describe(const struct fields *f, char *buf, size_t size, const char *fmt, va_list args)
{
	int len = 0;

	if (f->kind[0] != '\0' && f->name[0] != '\0')
		len = snprintf(buf, size, "%.80s \"%.120s\": ", f->kind, f->name);
	else if (f->kind[0] != '\0')
		len = snprintf(buf, size, "%.80s: ", f->kind);
	if (f->path_len != 0)
		len += snprintf(buf + len, size - (size_t)len, "%s: ", f->path);
	vsnprintf(buf + len, size - (size_t)len, fmt, args);
}

/* A text with an expression of Helm's templates in it. */
static bool is_template(const struct yaml_node *node)
{
	const char *begin = node->kind == YAML_SCALAR ? strstr(node->text, "{{") : NULL;

	return begin != NULL && strstr(begin, "}}") != NULL;
}

enum err_code fields_error(struct fields *f, enum err_code code, const struct yaml_node *node,
			   const char *fmt, ...)
{
	bool template = is_template(node);
	char text[512];
	va_list args;

	va_start(args, fmt);
	describe(f, text, sizeof(text), fmt, args);
	va_end(args);
	err_set(f->err, code, f->file, node->line, node->column, "%s%s", text,
		template ? YAML_HELM_HINT : "");
	if (template)
		f->err->fix = YAML_HELM_FIX;
	return code;
}

void fields_finding(struct fields *f, enum finding_kind kind, const struct yaml_node *node,
		    const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	describe(f, text, sizeof(text), fmt, args);
	va_end(args);
	builder_finding(f->builder, kind, yaml_place(f->file, node), "%s", text);
}

void fields_fault(struct fields *f, enum finding_kind kind, const char *rule,
		  const struct yaml_node *node, const char *fix, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	describe(f, text, sizeof(text), fmt, args);
	va_end(args);
	builder_fault(f->builder, kind, rule, yaml_place(f->file, node), fix, "%s", text);
}

enum err_code fields_fix(struct fields *f, const char *fix)
{
	f->err->fix = fix;
	return f->err->code;
}

void fields_tell(struct fields *f)
{
	if (!f->told)
		f->report(f->report_context, f->err);
	f->told = true;
}

enum err_code fields_gather(struct fields *f, enum err_code code, enum err_code *failed)
{
	if (code == ERR_OK || f->report == NULL)
		return code;
	fields_tell(f);
	f->told = false;
	*failed = code;
	return ERR_OK;
}

enum err_code fields_gathered(struct fields *f, enum err_code code, enum err_code failed)
{
	f->told = failed != ERR_OK;
	return failed != ERR_OK ? failed : code;
}

enum err_code fields_not_modelled(struct fields *f, const struct yaml_node *node, const char *what)
{
	char text[200];

	if (f->unknown == FIELDS_REFUSE)
		return fields_error(f, ERR_UNKNOWN, node,
				    "%s is not modelled, and --strict was given", what);
	snprintf(text, sizeof(text), "%s: %s is not modelled", f->kind, what);
	tally_add(f->tally, FINDING_NOT_MODELLED, yaml_place(f->file, node), text);
	return ERR_OK;
}

/* ---- maps ---- */

static bool is_known(const struct fields *f, const struct field *row)
{
	return row->only == FIELDS_ANY_VERSION || row->only == f->version;
}

static const char *similar(const struct fields *f, const struct field *rows, const char *key)
{
	struct nearest nearest;

	nearest_begin(&nearest, key);
	for (const struct field *row = rows; row->key != NULL; row++)
		if (is_known(f, row))
			nearest_offer(&nearest, row->key);
	return nearest.best;
}

static enum err_code unknown_field(struct fields *f, const struct field *rows,
				   const struct yaml_node *key, const char *instead)
{
	size_t mark = fields_enter(f, key->text);
	char path[FIELDS_PATH], hint[160] = "", fix[220] = "delete it: it has no effect";
	const char *near = instead == NULL ? similar(f, rows, key->text) : NULL;

	memcpy(path, f->path, f->path_len + 1);
	fields_leave(f, mark);
	mark = f->path_len;
	f->path_len = 0; /* the message has the path in quotes, as the API server does */
	if (instead != NULL)
		snprintf(hint, sizeof(hint), "; this version has %.100s", instead);
	else if (near != NULL)
		snprintf(hint, sizeof(hint), "; did you mean \"%.100s\"?", near);
	if (instead != NULL && strncmp(instead, "no ", 3) == 0)
		snprintf(fix, sizeof(fix), "delete it");
	else if (instead != NULL)
		snprintf(fix, sizeof(fix), "change it to what this version has: %.100s", instead);
	else if (near != NULL)
		snprintf(fix, sizeof(fix), "write \"%.100s\", or delete it", near);
	if (f->unknown == FIELDS_REFUSE)
		fields_error(f, ERR_UNKNOWN, key, "unknown field \"%s\"%s", path, hint);
	else
		fields_fault(f, FINDING_WARNING, "unknown-field", key, fix,
			     "unknown field \"%s\" is ignored, %s%s", path,
			     strcmp(f->kind, "Configuration") == 0
				     ? "though Kueue would not start with it"
				     : "as the API server would",
			     hint);
	fields_leave(f, mark);
	return f->unknown == FIELDS_REFUSE ? ERR_UNKNOWN : ERR_OK;
}

static const struct field *find_row(const struct field *rows, const struct yaml_node *key)
{
	const struct field *row = rows;

	while (row->key != NULL && !yaml_text_is(key, row->key))
		row++;
	return row->key != NULL ? row : NULL;
}

static void tell_deprecated(struct fields *f, const struct field *row, const struct yaml_node *key)
{
	size_t mark = fields_enter(f, row->key);

	fields_fault(f, FINDING_ADVICE, "deprecated-field", key, row->deprecated,
		     "is deprecated: it is taken, later versions do not have it");
	fields_leave(f, mark);
}

static enum err_code read_pair(struct fields *f, const struct field *rows,
			       const struct yaml_pair *pair, void *out)
{
	const struct field *row = find_row(rows, pair->key);
	enum err_code code;
	size_t mark;

	if (row == NULL)
		return unknown_field(f, rows, pair->key, NULL);
	if (!is_known(f, row))
		return unknown_field(f, rows, pair->key, row->instead);
	if (row->deprecated != NULL)
		tell_deprecated(f, row, pair->key);
	if (row->read == NULL || yaml_is_null(pair->value))
		return ERR_OK;
	mark = fields_enter(f, row->key);
	code = row->read(f, row, pair->value, (unsigned char *)out + row->offset);
	fields_leave(f, mark);
	return code;
}

enum err_code fields_map(struct fields *f, const struct yaml_node *map, const struct field *rows,
			 void *out)
{
	enum err_code code = fields_want_map(f, map), failed = ERR_OK;

	if (code != ERR_OK)
		return code;
	for (uint32_t i = 0; code == ERR_OK && i < map->count; i++)
		code = fields_gather(f, read_pair(f, rows, &map->pairs[i], out), &failed);
	for (const struct field *row = rows; code == ERR_OK && row->key != NULL; row++)
		if (row->required && yaml_find(map, row->key) == NULL)
			code = fields_gather(
				f, fields_error(f, ERR_VALUE, map, "%s is missing", row->key),
				&failed);
	return fields_gathered(f, code, failed);
}

enum err_code fields_list(struct fields *f, const struct yaml_node *list, fields_read *read,
			  size_t size, uint32_t limit, void **items, uint32_t *count)
{
	enum err_code code = fields_want_list(f, list), failed = ERR_OK;
	unsigned char *out;

	if (code != ERR_OK)
		return code;
	if (list->count > limit)
		return fields_error(f, ERR_LIMIT, list, "%u items; at most %u are allowed",
				    list->count, limit);
	out = mem_arena_alloc(f->arena, list->count * size);
	for (uint32_t i = 0; i < list->count && code == ERR_OK; i++) {
		size_t mark = fields_enter_index(f, i);

		if (yaml_is_null(list->items[i]))
			code = fields_error(f, ERR_VALUE, list->items[i], "must not be empty");
		else
			code = read(f, NULL, list->items[i], out + i * size);
		fields_leave(f, mark);
		code = fields_gather(f, code, &failed);
	}
	*items = out;
	*count = list->count;
	return fields_gathered(f, code, failed);
}

/* ---- what a node must be ---- */

static enum err_code wrong_type(struct fields *f, const struct yaml_node *node, const char *wanted)
{
	return fields_error(f, ERR_VALUE, node, "must be %s, not %s", wanted, yaml_describe(node));
}

enum err_code fields_want_map(struct fields *f, const struct yaml_node *node)
{
	return node->kind == YAML_MAP ? ERR_OK : wrong_type(f, node, "a map");
}

enum err_code fields_want_list(struct fields *f, const struct yaml_node *node)
{
	return node->kind == YAML_LIST ? ERR_OK : wrong_type(f, node, "a list");
}

enum err_code fields_want_text(struct fields *f, const struct yaml_node *node)
{
	if (node->kind != YAML_SCALAR)
		return wrong_type(f, node, "a text");
	if (yaml_scalar_type(node) != YAML_STRING)
		return fields_error(
			f, ERR_VALUE, node,
			"must be a text, but %.60s without quotes is %s; write \"%.60s\"",
			node->count != 0 ? node->text : "nothing", yaml_describe(node), node->text);
	if (memchr(node->text, '\0', node->count) != NULL)
		return fields_error(f, ERR_VALUE, node, "must not hold a zero byte");
	return ERR_OK;
}

enum err_code fields_int_between(struct fields *f, const struct yaml_node *node, int64_t least,
				 int64_t most, int64_t *out)
{
	if (node->kind != YAML_SCALAR || yaml_scalar_type(node) != YAML_INT)
		return fields_error(f, ERR_VALUE, node, "must be a whole number%s, not %s",
				    node->kind == YAML_SCALAR && !node->plain ? " without quotes"
									      : "",
				    yaml_describe(node));
	if (!yaml_int(node, out) || *out < least || *out > most)
		return fields_error(f, ERR_VALUE, node, "%.60s is not between %lld and %lld",
				    node->text, (long long)least, (long long)most);
	return ERR_OK;
}

enum err_code fields_count_between(struct fields *f, const struct yaml_node *node, uint32_t least,
				   uint32_t most, uint32_t *out)
{
	int64_t number;

	if (fields_int_between(f, node, least, most, &number) != ERR_OK)
		return f->err->code;
	*out = (uint32_t)number;
	return ERR_OK;
}

enum err_code fields_one_document(struct fields *f, const struct source *source,
				  enum err_code (*read)(struct fields *f,
							const struct yaml_node *root, void *out),
				  void *out, const char *alone)
{
	struct yaml_reader *reader = NULL;
	const struct yaml_node *root = NULL, *more = NULL;
	enum err_code code = yaml_open(source, &reader, f->err);

	if (code == ERR_OK)
		code = yaml_next(reader, &root, f->err);
	if (code == ERR_OK && root == NULL)
		code = err_set(f->err, ERR_SYNTAX, source->name, 1, 1, "the document is empty");
	if (code == ERR_OK)
		code = read(f, root, out);
	if (code == ERR_OK)
		code = yaml_next(reader, &more, f->err);
	if (code == ERR_OK && more != NULL)
		code = fields_error(f, ERR_VALUE, more, "%s", alone);
	yaml_close(reader);
	return code;
}

/* ---- readers for rows ---- */

enum err_code fields_nested(struct fields *f, const struct field *row,
			    const struct yaml_node *value, void *out)
{
	return fields_map(f, value, row->arg, out);
}

enum err_code fields_string(struct fields *f, const struct field *row,
			    const struct yaml_node *value, void *out)
{
	uint32_t *string = out;

	(void)row;
	if (fields_want_text(f, value) != ERR_OK)
		return f->err->code;
	if (is_template(value))
		return fields_error(f, ERR_VALUE, value, "\"%.80s\" is no name", value->text);
	*string = builder_string(f->builder, value->text, value->count);
	return ERR_OK;
}

enum err_code fields_bool(struct fields *f, const struct field *row, const struct yaml_node *value,
			  void *out)
{
	bool *flag = out;

	(void)row;
	if (value->kind != YAML_SCALAR || yaml_scalar_type(value) != YAML_BOOL)
		return fields_error(f, ERR_VALUE, value, "must be true or false%s, not %s",
				    value->kind == YAML_SCALAR && !value->plain ? " without quotes"
										: "",
				    yaml_describe(value));
	*flag = yaml_bool(value);
	return ERR_OK;
}

enum err_code fields_int32(struct fields *f, const struct field *row, const struct yaml_node *value,
			   void *out)
{
	int32_t *number = out;
	int64_t read = 0;

	(void)row;
	if (fields_int_between(f, value, INT32_MIN, INT32_MAX, &read) != ERR_OK)
		return f->err->code;
	*number = (int32_t)read;
	return ERR_OK;
}

enum err_code fields_count(struct fields *f, const struct field *row, const struct yaml_node *value,
			   void *out)
{
	uint32_t *number = out;
	int64_t read = 0;

	(void)row;
	if (fields_int_between(f, value, 0, INT32_MAX, &read) != ERR_OK)
		return f->err->code;
	*number = (uint32_t)read;
	return ERR_OK;
}

static enum err_code bad_word(struct fields *f, const struct yaml_node *value,
			      const struct fields_word *words)
{
	char list[300] = "";
	size_t used = 0;

	for (; words->word != NULL && used < sizeof(list) - 1; words++) {
		int len = snprintf(list + used, sizeof(list) - used, "%s%s", used != 0 ? ", " : "",
				   words->word);

		used += len > 0 ? (size_t)len : 0;
	}
	return fields_error(f, ERR_VALUE, value, "\"%.60s\" is not one of %s", value->text, list);
}

enum err_code fields_enum(struct fields *f, const struct field *row, const struct yaml_node *value,
			  void *out)
{
	const struct fields_word *words = row->arg;
	int *number = out;

	if (value->kind != YAML_SCALAR)
		return wrong_type(f, value, "a text");
	for (const struct fields_word *word = words; word->word != NULL; word++) {
		if (yaml_text_is(value, word->word)) {
			*number = word->value;
			return ERR_OK;
		}
	}
	return bad_word(f, value, words);
}

enum err_code fields_go_duration(struct fields *f, const struct field *row,
				 const struct yaml_node *value, void *out)
{
	simtime *time = out;
	size_t len = value->count;
	bool unit;

	(void)row;
	if (fields_want_text(f, value) != ERR_OK)
		return f->err->code;
	unit = len > 0 && (value->text[len - 1] < '0' || value->text[len - 1] > '9');
	if ((!unit && !yaml_text_is(value, "0")) ||
	    !clock_read_duration(value->text, value->count, time))
		return fields_error(f, ERR_VALUE, value,
				    "\"%.60s\" is not a duration such as \"90s\", \"10m\" or "
				    "\"1h30m\"",
				    value->text);
	return ERR_OK;
}

enum err_code fields_percent(struct fields *f, const struct field *row,
			     const struct yaml_node *value, void *out)
{
	uint16_t *mille = out;
	double percent;

	(void)row;
	if (value->kind != YAML_SCALAR || !num_read_double(value->text, value->count, &percent) ||
	    percent < 0 || percent > 100)
		return fields_error(f, ERR_VALUE, value, "must be a number from 0 to 100");
	*mille = (uint16_t)(percent * 10 + 0.5);
	return ERR_OK;
}

enum err_code fields_keep(struct fields *f, const struct field *row, const struct yaml_node *value,
			  void *out)
{
	const struct yaml_node **node = out;

	(void)f;
	(void)row;
	*node = value;
	return ERR_OK;
}

enum err_code fields_keep_map(struct fields *f, const struct field *row,
			      const struct yaml_node *value, void *out)
{
	fields_keep(f, row, value, out);
	return fields_want_map(f, value);
}

enum err_code fields_seconds(struct fields *f, const struct field *row,
			     const struct yaml_node *value, void *out)
{
	simtime *time = out;
	int64_t read = 0;

	(void)row;
	if (fields_int_between(f, value, 0, INT32_MAX, &read) != ERR_OK)
		return f->err->code;
	*time = read * CLOCK_SECOND;
	return ERR_OK;
}

/* ---- quantities ---- */

static enum err_code bad_quantity(struct fields *f, const struct yaml_node *node,
				  enum num_result result)
{
	if (result == NUM_NEGATIVE)
		return fields_error(f, ERR_VALUE, node, "%.60s: must be greater than or equal to 0",
				    node->text);
	return fields_error(f, ERR_VALUE, node,
			    "\"%.60s\" is not a quantity: write a number with at most one suffix "
			    "of n u m k M G T P E or Ki Mi Gi Ti Pi Ei, such as 8, 500m or 64Gi",
			    node->text);
}

/* The API server caps binary suffixes and takes 2^63-1, which means no limit; a
 * larger decimal number wraps around there (kubernetes#102134). */
static enum err_code check_huge(struct fields *f, const struct yaml_node *node, const char *text,
				size_t len)
{
	static const char most[] = "9223372036854775807";
	int64_t whole;

	if (num_read_quantity(text, len, false, &whole) != NUM_OK || whole != INT64_MAX ||
	    text[len - 1] == 'i' || (len == sizeof(most) - 1 && memcmp(text, most, len) == 0))
		return ERR_OK;
	return fields_error(f, ERR_VALUE, node, "%.60s is more than %s, the largest quantity",
			    node->text, most);
}

static enum err_code read_quantity(struct fields *f, const struct yaml_node *node, bool milli,
				   int64_t *out)
{
	char buf[YAML_NUMBER_TEXT];
	enum yaml_type type = yaml_scalar_type(node);
	enum num_result result;
	const char *text;
	size_t len;

	if (node->kind != YAML_SCALAR || type == YAML_BOOL || type == YAML_NULL)
		return wrong_type(f, node, "a quantity");
	text = yaml_json_text(node, buf, &len);
	result = num_read_quantity(text, len, milli, out);
	if (result != NUM_OK)
		return bad_quantity(f, node, result);
	return *out == INT64_MAX ? check_huge(f, node, text, len) : ERR_OK;
}

/* "2.87Gi" is no whole number of bytes, and the API server gives it back as 3081639034880m. */
static void tell_millibytes(struct fields *f, const struct yaml_node *node, int64_t bytes)
{
	char fix[100];

	snprintf(fix, sizeof(fix), "write \"%" PRId64 "\", or fewer digits with Mi or Gi", bytes);
	fields_fault(f, FINDING_WARNING, "fraction-of-a-unit", node, fix,
		     "\"%.60s\" is in thousandths of a byte, and read as %" PRId64 " bytes",
		     node->text, bytes);
}

/* 256m of memory is legal and a quarter of a byte: "Mi" was meant. amount: what it is read as. */
static void check_small(struct fields *f, const struct yaml_node *node, uint32_t resource,
			int64_t amount)
{
	const char *last = node->count > 0 ? node->text + node->count - 1 : "";
	char fix[100];
	bool memory;

	if (resource == RES_CPU || (*last != 'm' && *last != 'u' && *last != 'n'))
		return;
	memory = resource == RES_MEMORY || resource == RES_EPHEMERAL;
	if (memory && amount >= MEBIBYTE) {
		tell_millibytes(f, node, amount);
		return;
	}
	snprintf(fix, sizeof(fix),
		 memory && *last == 'm' ? "write \"%.*sMi\"" : "write a whole number",
		 (int)(node->count - 1), node->text);
	fields_fault(f, FINDING_WARNING, "fraction-of-a-unit", node, fix,
		     "\"%.60s\" is a fraction of one %s and is rounded up%s", node->text,
		     memory ? "byte" : "device",
		     memory && *last == 'm' ? "; was \"Mi\" meant?" : "");
}

/* "8.5" of a device: the API server refuses it. */
static void check_broken(struct fields *f, const struct yaml_node *node, uint32_t resource)
{
	char buf[YAML_NUMBER_TEXT];
	const char *text;
	size_t len;
	int64_t thousandths;

	if (resource == RES_CPU || resource == RES_MEMORY || resource == RES_EPHEMERAL)
		return;
	text = yaml_json_text(node, buf, &len);
	if (memchr(text, '.', len) != NULL && strchr("mun", text[len - 1]) == NULL &&
	    num_read_quantity(text, len, true, &thousandths) == NUM_OK &&
	    thousandths != INT64_MAX && thousandths % 1000 != 0)
		fields_fault(f, FINDING_WARNING, "fraction-of-a-unit", node, "write a whole number",
			     "\"%.60s\" is no whole number and is rounded up; the API server "
			     "refuses it on nodes and pods",
			     node->text);
}

enum err_code fields_amount(struct fields *f, const struct yaml_node *node, uint32_t resource,
			    int64_t *out)
{
	if (read_quantity(f, node, res_is_milli(resource), out) != ERR_OK)
		return f->err->code;
	check_small(f, node, resource, *out);
	check_broken(f, node, resource);
	return ERR_OK;
}

enum err_code fields_whole(struct fields *f, const struct yaml_node *node, int64_t *out)
{
	return read_quantity(f, node, false, out);
}

/* A quantity in 1e-9: whole and thousandth parts are read apart, since the
 * quantity parser knows whole units and thousandths only. */
enum err_code fields_nano(struct fields *f, const struct yaml_node *node, int64_t *out)
{
	char buf[YAML_NUMBER_TEXT], scaled[YAML_NUMBER_TEXT + 4];
	enum num_result result;
	const char *text;
	size_t len, digits;

	if (read_quantity(f, node, true, out) != ERR_OK)
		return f->err->code;
	text = yaml_json_text(node, buf, &len);
	for (digits = 0; digits < len && strchr("+0123456789.", text[digits]) != NULL;)
		digits++;
	if (digits == len && len < YAML_NUMBER_TEXT) { /* plain decimal: shift by e9 */
		snprintf(scaled, sizeof(scaled), "%.*se9", (int)len, text);
	} else if (digits + 1 == len && strchr("num", text[digits]) != NULL) {
		const char *exponent = text[digits] == 'n'   ? "e0"
				       : text[digits] == 'u' ? "e3"
							     : "e6";

		snprintf(scaled, sizeof(scaled), "%.*s%s", (int)digits, text, exponent);
	} else {
		*out = *out > INT64_MAX / (NANO / 1000) ? INT64_MAX : *out * (NANO / 1000);
		return ERR_OK;
	}
	result = num_read_quantity(scaled, strlen(scaled), false, out);
	return result == NUM_OK ? ERR_OK : bad_quantity(f, node, result);
}

enum err_code fields_weight(struct fields *f, const struct field *row,
			    const struct yaml_node *value, void *out)
{
	int64_t *weight = out;

	(void)row;
	if (fields_nano(f, value, weight) != ERR_OK)
		return f->err->code;
	if (*weight == 1) /* spec KUEUE.md 1.1, in its words */
		return fields_error(f, ERR_VALUE, value,
				    "%.60s: When not 0, weight must be > 10e-9", value->text);
	return ERR_OK;
}

enum err_code fields_resource(struct fields *f, const struct yaml_node *name, size_t skip,
			      uint32_t *out)
{
	struct err plain = {.code = ERR_OK};

	if (fields_want_text(f, name) != ERR_OK)
		return f->err->code;
	if (name->count <= skip)
		return fields_error(f, ERR_VALUE, name, "a resource name must not be empty");
	if (builder_resource(f->builder, name->text + skip, name->count - skip, out, &plain) !=
	    ERR_OK)
		return fields_error(f, plain.code, name, "%s", plain.msg);
	return ERR_OK;
}

enum err_code fields_amounts(struct fields *f, const struct yaml_node *map, int64_t *vector,
			     uint64_t *given)
{
	enum err_code code = fields_want_map(f, map);

	for (uint32_t i = 0; code == ERR_OK && i < map->count; i++) {
		const struct yaml_pair *pair = &map->pairs[i];
		uint32_t resource = 0;
		size_t mark;

		if (yaml_is_null(pair->value))
			continue;
		code = fields_resource(f, pair->key, 0, &resource);
		if (code != ERR_OK)
			break;
		mark = fields_enter(f, pair->key->text);
		code = fields_amount(f, pair->value, resource, &vector[resource]);
		fields_leave(f, mark);
		*given |= UINT64_C(1) << resource;
	}
	return code;
}

/* ---- labels and what matches them ---- */

const struct yaml_node *fields_condition(const struct yaml_node *list, const char *type)
{
	for (uint32_t i = list->count; i-- > 0;) {
		const struct yaml_node *name = yaml_find(list->items[i], "type");

		if (name != NULL && yaml_text_is(name, type))
			return list->items[i];
	}
	return NULL;
}

enum err_code fields_strings(struct fields *f, const struct yaml_node *list, uint32_t limit,
			     const uint32_t **out, uint32_t *count)
{
	void *items = NULL;
	enum err_code code =
		fields_list(f, list, fields_string, sizeof(uint32_t), limit, &items, count);

	*out = items;
	return code;
}

enum err_code fields_label_set(struct fields *f, const struct field *row,
			       const struct yaml_node *value, void *out)
{
	struct label_set *set = out;
	struct label *items;
	enum err_code code = fields_want_map(f, value);

	(void)row;
	if (code != ERR_OK)
		return code;
	if (value->count > MAX_LABELS)
		return fields_error(f, ERR_LIMIT, value, "%u labels; at most %d are possible",
				    value->count, MAX_LABELS);
	items = mem_arena_alloc(f->arena, value->count * sizeof(*items));
	for (uint32_t i = 0; i < value->count && code == ERR_OK; i++) {
		const struct yaml_pair *pair = &value->pairs[i];
		size_t mark = fields_enter(f, pair->key->text);

		items[i].key = builder_string(f->builder, pair->key->text, pair->key->count);
		if (yaml_is_null(pair->value)) /* the API server takes it for "" */
			items[i].value = builder_string(f->builder, "", 0);
		else
			code = fields_string(f, NULL, pair->value, &items[i].value);
		fields_leave(f, mark);
	}
	*set = (struct label_set){.items = items, .count = value->count};
	return code;
}

static const struct fields_word operators[] = {
	{"In", MATCH_IN},
	{"NotIn", MATCH_NOT_IN},
	{"Exists", MATCH_EXISTS},
	{"DoesNotExist", MATCH_DOES_NOT_EXIST},
	{"Gt", MATCH_GT},
	{"Lt", MATCH_LT},
	{NULL, 0},
};

static enum err_code read_values(struct fields *f, const struct field *row,
				 const struct yaml_node *value, void *out)
{
	struct match_expression *expression = out;

	(void)row;
	return fields_strings(f, value, MAX_VALUES, &expression->values, &expression->value_count);
}

static enum err_code check_expression(struct fields *f, const struct yaml_node *value,
				      const struct match_expression *expression)
{
	bool wants = expression->op == MATCH_IN || expression->op == MATCH_NOT_IN;
	bool bound = expression->op == MATCH_GT || expression->op == MATCH_LT;

	if (wants && expression->value_count == 0)
		return fields_error(f, ERR_VALUE, value,
				    "values must have at least one item for In and NotIn");
	if (bound && expression->value_count != 1)
		return fields_error(f, ERR_VALUE, value,
				    "values must have exactly one item for Gt and Lt");
	if (!wants && !bound && expression->value_count != 0)
		return fields_error(f, ERR_VALUE, value,
				    "values must be absent for Exists and DoesNotExist");
	return ERR_OK;
}

enum err_code fields_expression(struct fields *f, const struct field *row,
				const struct yaml_node *value, void *out)
{
	static const struct field rows[] = {
		{.key = "key",
		 .read = fields_string,
		 .offset = offsetof(struct match_expression, key),
		 .required = true},
		{.key = "operator",
		 .read = fields_enum,
		 .offset = offsetof(struct match_expression, op),
		 .arg = operators,
		 .required = true},
		{.key = "values", .read = read_values},
		{.key = NULL},
	};
	enum err_code code;

	(void)row;
	code = fields_map(f, value, rows, out);
	return code != ERR_OK ? code : check_expression(f, value, out);
}

static enum err_code read_expressions(struct fields *f, const struct field *row,
				      const struct yaml_node *value, void *out)
{
	struct label_selector *selector = out;
	void *items = NULL;
	enum err_code code =
		fields_list(f, value, fields_expression, sizeof(struct match_expression),
			    MAX_EXPRESSIONS, &items, &selector->expression_count);

	(void)row;
	selector->expressions = items;
	for (uint32_t i = 0; code == ERR_OK && items != NULL && i < selector->expression_count; i++)
		if (selector->expressions[i].op == MATCH_GT ||
		    selector->expressions[i].op == MATCH_LT)
			code = fields_error(f, ERR_VALUE, value->items[i],
					    "a label selector knows In, NotIn, Exists and "
					    "DoesNotExist only");
	return code;
}

enum err_code fields_selector(struct fields *f, const struct field *row,
			      const struct yaml_node *value, void *out)
{
	static const struct field rows[] = {
		{.key = "matchLabels",
		 .read = fields_label_set,
		 .offset = offsetof(struct label_selector, match_labels)},
		{.key = "matchExpressions", .read = read_expressions},
		{.key = NULL},
	};
	struct label_selector *selector = out;

	(void)row;
	selector->present = true;
	return fields_map(f, value, rows, selector);
}

static const struct fields_word effects[] = {
	{"NoSchedule", TAINT_NO_SCHEDULE},
	{"PreferNoSchedule", TAINT_PREFER_NO_SCHEDULE},
	{"NoExecute", TAINT_NO_EXECUTE},
	{NULL, 0},
};

static const struct fields_word toleration_effects[] = {
	{"NoSchedule", TAINT_NO_SCHEDULE},
	{"PreferNoSchedule", TAINT_PREFER_NO_SCHEDULE},
	{"NoExecute", TAINT_NO_EXECUTE},
	{"", TAINT_ANY},
	{NULL, 0},
};

static const struct fields_word toleration_operators[] = {
	{"Equal", TOLERATION_EQUAL}, {"Exists", TOLERATION_EXISTS}, {"Lt", TOLERATION_LT},
	{"Gt", TOLERATION_GT},	     {"", TOLERATION_EQUAL},	    {NULL, 0},
};

static enum err_code read_toleration_seconds(struct fields *f, const struct field *row,
					     const struct yaml_node *value, void *out)
{
	struct toleration *toleration = out;

	(void)row;
	toleration->limited = true;
	/* Less than 0 is legal, and 0. */
	return fields_int_between(f, value, INT32_MIN, INT32_MAX, &toleration->seconds);
}

enum err_code fields_toleration(struct fields *f, const struct field *row,
				const struct yaml_node *value, void *out)
{
	static const struct field rows[] = {
		{.key = "key", .read = fields_string, .offset = offsetof(struct toleration, key)},
		{.key = "operator",
		 .read = fields_enum,
		 .offset = offsetof(struct toleration, op),
		 .arg = toleration_operators},
		{.key = "value",
		 .read = fields_string,
		 .offset = offsetof(struct toleration, value)},
		{.key = "effect",
		 .read = fields_enum,
		 .offset = offsetof(struct toleration, effect),
		 .arg = toleration_effects},
		{.key = "tolerationSeconds", .read = read_toleration_seconds},
		{.key = NULL},
	};
	struct toleration *toleration = out;
	const uint32_t empty = builder_string(f->builder, "", 0);

	(void)row;
	*toleration = (struct toleration){.key = NAME_NONE, .value = NAME_NONE};
	if (fields_map(f, value, rows, toleration) != ERR_OK)
		return f->err->code;
	if (toleration->key == empty)
		toleration->key = NAME_NONE;
	if (toleration->value == empty)
		toleration->value = NAME_NONE;
	if (toleration->key == NAME_NONE && toleration->op != TOLERATION_EXISTS)
		return fields_error(f, ERR_VALUE, value,
				    "operator must be Exists when there is no key");
	if (toleration->op == TOLERATION_EXISTS && toleration->value != NAME_NONE)
		return fields_error(f, ERR_VALUE, value,
				    "value must be empty when the operator is Exists");
	if (toleration->limited && toleration->effect != TAINT_NO_EXECUTE)
		return fields_error(f, ERR_VALUE, value,
				    "effect must be NoExecute when tolerationSeconds is given");
	return ERR_OK;
}

enum err_code fields_taint(struct fields *f, const struct field *row, const struct yaml_node *value,
			   void *out)
{
	static const struct field rows[] = {
		{.key = "key",
		 .read = fields_string,
		 .offset = offsetof(struct taint, key),
		 .required = true},
		{.key = "value", .read = fields_string, .offset = offsetof(struct taint, value)},
		{.key = "effect",
		 .read = fields_enum,
		 .offset = offsetof(struct taint, effect),
		 .arg = effects,
		 .required = true},
		{.key = "timeAdded"},
		{.key = NULL},
	};
	struct taint *taint = out;

	(void)row;
	*taint = (struct taint){.key = NAME_NONE, .value = NAME_NONE};
	if (fields_map(f, value, rows, taint) != ERR_OK)
		return f->err->code;
	if (taint->value == builder_string(f->builder, "", 0))
		taint->value = NAME_NONE;
	return ERR_OK;
}

enum err_code fields_tolerations(struct fields *f, const struct yaml_node *value, uint32_t max,
				 struct toleration_set *out)
{
	void *items = NULL;
	enum err_code code = fields_list(f, value, fields_toleration, sizeof(struct toleration),
					 max, &items, &out->count);

	out->items = items;
	return code;
}

enum err_code fields_taints(struct fields *f, const struct yaml_node *value, uint32_t max,
			    struct taint_set *out)
{
	void *items = NULL;
	enum err_code code =
		fields_list(f, value, fields_taint, sizeof(struct taint), max, &items, &out->count);

	out->items = items;
	return code;
}
