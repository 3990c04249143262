#include "sim/yaml/yaml.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "core/mem.h"
#include "core/name.h"
#include "sim/yaml/yaml_binary.h"
#include "sim/yaml/yaml_json.h"
#include "sim/yaml/yaml_plain.h"

#define MAX_BYTES    (UINT64_C(1) << 36)
#define BEHIND	     ((size_t)1 << 17) /* bytes kept that the parser has got already */
#define MAX_DEPTH    100
#define MAX_ANCHORS  1000
#define MAX_ALIASED  10000000
#define MAX_MERGED   10000	    /* keys of a map that merges others */
#define NODE_POINTER sizeof(void *) /* what pending and items are made of */
#define FEW_KEYS     16		    /* up to here keys are compared each with each */

struct anchor {
	const char *name;
	const struct yaml_node *node; /* NULL while it is being read */
};

/* A list or map that is being read: what belongs to it stands in pending[first..]. */
struct frame {
	struct yaml_node *node;
	size_t first;
	uint32_t anchor; /* index; UINT32_MAX */
};

struct yaml_reader {
	const char *file;
	struct source_window window; /* of what the parser has got, and not yet */
	const char *fed;	     /* the parser has got all before it */
	uint64_t bytes;		     /* of the file before the window */
	size_t lines;		     /* of the file that end before the window */
	size_t column;		     /* bytes of the line in which the window begins, before it */
	size_t shift;		     /* characters of the parser's first line before it begins */
	size_t unbroken;	     /* bytes that the parser has got since it said something */
	bool json;		     /* it begins like JSON */
	enum err_code trouble;	     /* in reading on; err has it */
	yaml_parser_t parser;
	uint32_t line_offset;
	struct mem_arena *document; /* what of the current document stays */
	struct mem_arena *item;	    /* the item that may be taken */
	struct mem_arena *arena;    /* the one of the two that nodes go to now */
	yaml_take *take;	    /* NULL: nothing is taken, or no more of this document */
	yaml_take *take_items;	    /* of every document */
	void *take_context;
	struct frame frames[MAX_DEPTH];
	uint32_t depth;
	const struct yaml_node **pending;
	size_t pending_count, pending_capacity;
	struct anchor anchors[MAX_ANCHORS];
	uint32_t anchor_count;
	uint64_t aliased; /* nodes that aliases of this document added */
	bool ended;
	struct err *err;
};

static enum err_code fail(struct yaml_reader *reader, enum err_code code,
			  const struct yaml_node *node, const char *what)
{
	return err_set(reader->err, code, reader->file, node->line, node->column, "%s", what);
}

/* From 1. */
static uint32_t column_of(const struct yaml_reader *reader, const yaml_mark_t *mark)
{
	return (uint32_t)(mark->column + (mark->line == 0 ? reader->shift : 0)) + 1;
}

/* ---- errors of the parser ---- */

/* The beginning of a line, from 1, if it is in the window; NULL. */
static const char *find_line(const struct yaml_reader *reader, size_t line)
{
	const char *at = reader->window.at, *end = reader->window.end;
	size_t number = reader->lines + 1;

	if (line < number || (line == number && reader->column != 0))
		return NULL;
	for (; number < line && at != NULL; number++) {
		at = memchr(at, '\n', (size_t)(end - at));
		at = at == NULL ? NULL : at + 1;
	}
	return at;
}

static bool has_expression(const struct yaml_reader *reader, const char *line)
{
	const char *end = reader->window.end;

	for (const char *p = line; p != NULL && p + 1 < end && *p != '\n'; p++)
		if (p[0] == '{' && p[1] == '{')
			return true;
	return false;
}

/* Does the line, or the one before it, hold an expression of Helm's templates? */
static bool is_template(const struct yaml_reader *reader, size_t line)
{
	return has_expression(reader, find_line(reader, line)) ||
	       has_expression(reader, find_line(reader, line - 1));
}

/* What libyaml says of text behind the end of a document. */
static const char no_start[] = "did not find expected <document start>";

static const char *hint(const struct yaml_reader *reader, size_t line, const char *problem)
{
	const char *at = find_line(reader, line), *end = reader->window.end;

	if (is_template(reader, line))
		return YAML_HELM_HINT;
	if (strcmp(problem, no_start) == 0)
		return "; the document before has ended: begin the next with a line \"---\"";
	if (strcmp(problem, "found invalid Unicode character escape code") == 0)
		return "; in YAML a character beyond U+FFFF is one escape, as \\U0001F600 is, not "
		       "two";
	if (strcmp(problem, "found character that cannot start any token") != 0)
		return "";
	while (at != NULL && at < end && *at == ' ')
		at++;
	return at != NULL && at < end && *at == '\t'
		       ? "; the line is indented with a tab: YAML wants spaces"
		       : "";
}

/* Moves a place on by a text. */
static void count_lines(const char *text, size_t size, size_t *lines, size_t *column)
{
	const char *newline;

	while ((newline = memchr(text, '\n', size)) != NULL) {
		size -= (size_t)(newline + 1 - text);
		text = newline + 1;
		(*lines)++;
		*column = 0;
	}
	*column += size;
}

static void place_of_offset(const struct yaml_reader *reader, uint64_t offset, size_t *line,
			    size_t *column)
{
	size_t size = (size_t)(reader->window.end - reader->window.at);
	uint64_t inside = offset > reader->bytes ? offset - reader->bytes : 0;

	*line = reader->lines;
	*column = reader->column;
	count_lines(reader->window.at, inside < size ? (size_t)inside : size, line, column);
	(*line)++;
	(*column)++;
}

/* Byte order marks, which stand before a later document where files were joined. */
static const char mark[] = "\n\xEF\xBB\xBF";

static bool has_mark(const struct source *source)
{
	return source->size >= 3 && memcmp(source->data, mark + 1, 3) == 0;
}

/* What begins like JSON is most likely meant to be. */
static bool is_json(const struct source *source)
{
	size_t i = has_mark(source) ? 3 : 0;

	while (i < source->size && strchr(" \t\r\n", source->data[i]) != NULL)
		i++;
	return i < source->size && (source->data[i] == '{' || source->data[i] == '[') &&
	       (i + 1 == source->size || source->data[i + 1] != '{');
}

static enum err_code parser_error(struct yaml_reader *reader)
{
	const yaml_parser_t *parser = &reader->parser;
	size_t line = parser->problem_mark.line + 1;
	size_t column = column_of(reader, &parser->problem_mark);
	long offset = (long)reader->line_offset;
	const char *problem = parser->problem != NULL ? parser->problem : "malformed";
	const char *what = reader->json ? "malformed JSON" : "malformed YAML";

	if (reader->trouble != ERR_OK)
		return reader->trouble;
	if (parser->error == YAML_MEMORY_ERROR)
		mem_exhausted(1, (size_t)(reader->window.end - reader->window.at));
	if (parser->error == YAML_READER_ERROR) {
		place_of_offset(reader, parser->problem_offset, &line, &column);
		return err_set(reader->err, ERR_SYNTAX, reader->file, offset + (long)line,
			       (long)column, "not YAML or JSON: %s; is this a text file in UTF-8?",
			       problem);
	}
	if (parser->context != NULL && parser->context_mark.line + 1 != line)
		err_set(reader->err, ERR_SYNTAX, reader->file, offset + (long)line, (long)column,
			"%s: %s %s that begins in line %zu%s", what, problem, parser->context,
			parser->context_mark.line + 1 + reader->line_offset,
			hint(reader, line, problem));
	else
		err_set(reader->err, ERR_SYNTAX, reader->file, offset + (long)line, (long)column,
			"%s: %s%s", what, problem, hint(reader, line, problem));
	if (is_template(reader, line))
		reader->err->fix = YAML_HELM_FIX;
	return ERR_SYNTAX;
}

/* ---- reader ---- */

static enum err_code too_long(const char *file, struct err *err)
{
	return err_set(err, ERR_LIMIT, file, 0, 0,
		       "a YAML or JSON file may have at most 64 GiB; split it, or write jobs as "
		       "CSV");
}

/* The window moves on, but keeps what the parser has not understood yet and may complain
 * about. */
static enum err_code move_window(struct yaml_reader *reader)
{
	struct source_window *window = &reader->window;
	size_t got = (size_t)(reader->fed - window->at);
	size_t gone = got > BEHIND ? got - BEHIND : 0;

	count_lines(window->at, gone, &reader->lines, &reader->column);
	reader->bytes += gone;
	window->at += gone;
	if (reader->bytes > MAX_BYTES)
		return too_long(reader->file, reader->err);
	if (source_more(window, reader->err) != ERR_OK)
		return reader->err->code;
	reader->fed = window->at + (got - gone);
	return ERR_OK;
}

static bool at_mark(const struct yaml_reader *reader)
{
	return reader->fed > reader->window.at && reader->window.end - reader->fed >= 3 &&
	       memcmp(reader->fed - 1, mark, 4) == 0;
}

/* At most size bytes: those before the next mark, or before what may be the beginning of one. */
static size_t up_to_mark(const struct yaml_reader *reader, size_t size)
{
	const char *at = reader->fed, *end = reader->window.end, *stop = end;
	ptrdiff_t least = reader->window.flow != NULL ? 3 : 0;

	if (size < (size_t)(end - at))
		stop = at + size;
	while ((at = memchr(at, 0xEF, (size_t)(stop - at))) != NULL) {
		if (at > reader->window.at && at[-1] == '\n' &&
		    (end - at < least || (end - at >= 3 && memcmp(at, mark + 1, 3) == 0)))
			return (size_t)(at - reader->fed);
		at++;
	}
	return (size_t)(stop - reader->fed);
}

/* As many bytes as there are, or as a mark or an escape takes. */
static void reach_on(struct yaml_reader *reader)
{
	while (reader->trouble == ERR_OK && reader->window.flow != NULL &&
	       (size_t)(reader->window.end - reader->fed) < YAML_JSON_ESCAPE)
		reader->trouble = move_window(reader);
}

/* libyaml asks for more. */
static int feed(void *data, unsigned char *buffer, size_t size, size_t *size_read)
{
	struct yaml_reader *reader = data;
	const char *end;

	reach_on(reader);
	if (reader->trouble == ERR_OK && reader->unbroken > SOURCE_RECORD_MAX)
		reader->trouble =
			err_set(reader->err, ERR_LIMIT, reader->file,
				(long)(reader->line_offset + reader->parser.mark.line + 1), 0,
				"a text or comment longer than %zu MiB ends here or further on",
				SOURCE_RECORD_MAX >> 20);
	if (reader->trouble != ERR_OK)
		return 0;
	reader->fed += at_mark(reader) ? 3 : 0;
	*size_read = up_to_mark(reader, size);
	end = reader->fed + *size_read;
	if (reader->json)
		*size_read = yaml_json_pass(reader->fed, end,
					    end < reader->window.end || reader->window.flow != NULL,
					    (char *)buffer, size, &end);
	else
		memcpy(buffer, reader->fed, *size_read);
	reader->fed = end;
	reader->unbroken += *size_read;
	return 1;
}

enum err_code yaml_open(const struct source *source, struct yaml_reader **out, struct err *err)
{
	return yaml_open_at(source, 0, out, err);
}

static void open_parser(struct yaml_reader *reader)
{
	if (!yaml_parser_initialize(&reader->parser))
		mem_exhausted(1, sizeof(reader->parser));
	yaml_parser_set_input(&reader->parser, feed, reader);
}

enum err_code yaml_open_at(const struct source *source, uint32_t line_offset,
			   struct yaml_reader **out, struct err *err)
{
	struct yaml_reader *reader = mem_calloc(1, sizeof(*reader));

	*out = reader;
	reader->file = source->name;
	reader->window = source_window(source);
	reader->json = is_json(source);
	reader->window.at += reader->json && has_mark(source) ? 3 : 0;
	reader->fed = reader->window.at;
	reader->line_offset = line_offset;
	reader->document = mem_arena_new();
	reader->item = mem_arena_new();
	reader->arena = reader->document;
	open_parser(reader);
	if (source->size <= MAX_BYTES)
		return ERR_OK;
	yaml_close(reader);
	*out = NULL;
	return too_long(source->name, err);
}

void yaml_close(struct yaml_reader *reader)
{
	if (reader == NULL)
		return;
	yaml_parser_delete(&reader->parser);
	mem_arena_free(reader->document);
	mem_arena_free(reader->item);
	mem_free(reader->pending);
	mem_free(reader);
}

static struct yaml_node *new_node(struct yaml_reader *reader, enum yaml_kind kind,
				  const yaml_event_t *event)
{
	struct yaml_node *node = mem_arena_alloc(reader->arena, sizeof(*node));

	node->kind = (uint8_t)kind;
	node->line = reader->line_offset + (uint32_t)event->start_mark.line + 1;
	node->column = column_of(reader, &event->start_mark);
	node->weight = 1;
	return node;
}

static void push_pending(struct yaml_reader *reader, const struct yaml_node *node)
{
	reader->pending = mem_grow(reader->pending, reader->pending_count + 1,
				   &reader->pending_capacity, NODE_POINTER);
	reader->pending[reader->pending_count++] = node;
}

/* ---- anchors and aliases ---- */

static enum err_code add_anchor(struct yaml_reader *reader, const yaml_char_t *name,
				const struct yaml_node *node, bool complete, uint32_t *index)
{
	*index = UINT32_MAX;
	if (name == NULL)
		return ERR_OK;
	if (reader->anchor_count == MAX_ANCHORS)
		return fail(reader, ERR_LIMIT, node, "more than 1000 anchors in one document");
	*index = reader->anchor_count++;
	reader->anchors[*index] =
		(struct anchor){.name = mem_arena_strdup(reader->arena, (const char *)name),
				.node = complete ? node : NULL};
	return ERR_OK;
}

static enum err_code read_alias(struct yaml_reader *reader, const yaml_event_t *event)
{
	const char *name = (const char *)event->data.alias.anchor;
	const struct yaml_node here = {.line = reader->line_offset +
					       (uint32_t)event->start_mark.line + 1,
				       .column = column_of(reader, &event->start_mark)};

	for (uint32_t i = reader->anchor_count; i-- > 0;) {
		const struct yaml_node *node = reader->anchors[i].node;

		if (strcmp(reader->anchors[i].name, name) != 0)
			continue;
		if (node == NULL)
			return fail(reader, ERR_SYNTAX, &here, "an alias inside its own anchor");
		reader->aliased += node->weight;
		if (reader->aliased > MAX_ALIASED)
			return fail(reader, ERR_LIMIT, &here,
				    "aliases repeat more than 10 million nodes");
		push_pending(reader, node);
		return ERR_OK;
	}
	return err_set(reader->err, ERR_UNKNOWN, reader->file, here.line, here.column,
		       "alias *%s: the document has no anchor &%s before it (anchors do not reach "
		       "beyond their document)",
		       name, name);
}

/* ---- maps ---- */

static bool same_text(const struct yaml_node *a, const struct yaml_node *b)
{
	return a->count == b->count && memcmp(a->text, b->text, a->count) == 0;
}

static enum err_code duplicate_key(struct yaml_reader *reader, const struct yaml_node *first,
				   const struct yaml_node *second)
{
	return err_set(reader->err, ERR_DUPLICATE, reader->file, second->line, second->column,
		       "key \"%.100s\" already set in map, in line %u", second->text, first->line);
}

static enum err_code check_keys(struct yaml_reader *reader, const struct yaml_pair *pairs,
				uint32_t count)
{
	struct name_table *seen = count > FEW_KEYS ? name_new() : NULL;
	enum err_code code = ERR_OK;

	for (uint32_t i = 0; i < count && code == ERR_OK; i++) {
		const struct yaml_node *key = pairs[i].key;
		uint32_t first = 0;

		if (seen != NULL)
			first = name_add_n(seen, key->text, key->count);
		else
			while (first < i && !same_text(pairs[first].key, key))
				first++;
		if (first != i)
			code = duplicate_key(reader, pairs[first].key, key);
	}
	name_free(seen);
	return code;
}

static bool is_merge(const struct yaml_node *key)
{
	return key->plain && key->count == 2 && memcmp(key->text, "<<", 2) == 0;
}

/* A map that is being put together behind what is pending. */
struct merging {
	size_t first;		  /* its pairs: pending[first..] */
	struct name_table *names; /* its keys, by the number of their pair */
};

/* The later one wins, in the place of the first. */
static void put_pair(struct yaml_reader *reader, const struct merging *m,
		     const struct yaml_node *key, const struct yaml_node *value)
{
	size_t at = m->first + 2 * (size_t)name_add_n(m->names, key->text, key->count);

	if (at == reader->pending_count) {
		push_pending(reader, key);
		push_pending(reader, value);
	}
	reader->pending[at + 1] = value;
}

static enum err_code merge_map(struct yaml_reader *reader, const struct merging *m,
			       const struct yaml_node *key, const struct yaml_node *from)
{
	if (from->kind != YAML_MAP)
		return fail(reader, ERR_SYNTAX, key, "\"<<\" needs a map or a list of maps");
	if (name_count(m->names) + from->count > MAX_MERGED)
		return fail(reader, ERR_LIMIT, key, "\"<<\" makes a map of more than 10000 keys");
	for (uint32_t i = 0; i < from->count; i++)
		put_pair(reader, m, from->pairs[i].key, from->pairs[i].value);
	return ERR_OK;
}

/* Of a list of maps the earlier ones win. */
static enum err_code merge_value(struct yaml_reader *reader, const struct merging *m,
				 const struct yaml_node *key, const struct yaml_node *value)
{
	enum err_code code = ERR_OK;

	if (value->kind != YAML_LIST)
		return merge_map(reader, m, key, value);
	for (uint32_t i = value->count; i-- > 0 && code == ERR_OK;)
		code = merge_map(reader, m, key, value->items[i]);
	return code;
}

/* No key of its own is there twice. */
static enum err_code check_own_keys(struct yaml_reader *reader, size_t first)
{
	size_t count = (reader->pending_count - first) / 2;
	struct yaml_pair *own = mem_calloc(count, sizeof(*own));
	uint32_t owned = 0;
	enum err_code code;

	for (size_t at = first; at < reader->pending_count; at += 2)
		if (!is_merge(reader->pending[at]))
			own[owned++] = (struct yaml_pair){.key = reader->pending[at]};
	code = check_keys(reader, own, owned);
	mem_free(own);
	return code;
}

/* As kubectl's reader does it: in the order of the file, so that what stands behind a "<<"
 * wins over what it brings, and what stands before does not. */
static enum err_code merge(struct yaml_reader *reader, size_t first)
{
	size_t end = reader->pending_count, at = first;
	struct merging m = {.first = end};
	enum err_code code;

	while (at < end && !is_merge(reader->pending[at]))
		at += 2;
	if (at >= end)
		return ERR_OK;
	code = check_own_keys(reader, first);
	m.names = name_new();
	for (at = first; at < end && code == ERR_OK; at += 2) {
		const struct yaml_node *key = reader->pending[at];

		if (is_merge(key))
			code = merge_value(reader, &m, key, reader->pending[at + 1]);
		else
			put_pair(reader, &m, key, reader->pending[at + 1]);
	}
	name_free(m.names);
	memmove(reader->pending + first, reader->pending + end,
		(reader->pending_count - end) * NODE_POINTER);
	reader->pending_count -= end - first;
	return code;
}

/* A plain key as the JSON that the API server gets has it: on is "true", 0x10 is "16". */
static const struct yaml_node *json_key(struct yaml_reader *reader, const struct yaml_node *key)
{
	enum yaml_type type = yaml_plain_type(key->text, key->count);
	struct yaml_node *out;
	char number[24];
	const char *text = number;
	int64_t value;

	if (type == YAML_BOOL)
		text = yaml_plain_bool(key->text, key->count) ? "true" : "false";
	else if (type == YAML_INT && yaml_plain_int(key->text, key->count, &value))
		snprintf(number, sizeof(number), "%lld", (long long)value);
	else
		return key;
	out = mem_arena_alloc(reader->arena, sizeof(*out));
	*out = *key;
	out->count = (uint32_t)strlen(text);
	out->text = mem_arena_strndup(reader->arena, text, out->count);
	return out;
}

static enum err_code bad_key(struct yaml_reader *reader, const struct yaml_node *key)
{
	bool template = is_template(reader, key->line - reader->line_offset);

	fail(reader, ERR_SYNTAX, key,
	     template ? "a key must be a text" YAML_HELM_HINT
		      : "a key must be a text, not a list or a map");
	if (template)
		reader->err->fix = YAML_HELM_FIX;
	return ERR_SYNTAX;
}

static enum err_code check_map(struct yaml_reader *reader, const struct frame *frame)
{
	for (size_t i = frame->first; i < reader->pending_count; i += 2) {
		const struct yaml_node *key = reader->pending[i];

		if (yaml_is_null(key))
			return fail(reader, ERR_SYNTAX, key, "a key must be a text, not nothing");
		if (key->kind == YAML_SCALAR && key->plain)
			reader->pending[i] = json_key(reader, key);
		if (key->kind != YAML_SCALAR)
			return bad_key(reader, key);
	}
	return ERR_OK;
}

static enum err_code offer_item(struct yaml_reader *reader);

static enum err_code finish_collection(struct yaml_reader *reader)
{
	struct frame *frame = &reader->frames[--reader->depth];
	struct yaml_node *node = frame->node;
	enum err_code code = ERR_OK;
	size_t count;
	void *children;

	if (node->kind == YAML_MAP) {
		code = check_map(reader, frame);
		if (code == ERR_OK)
			code = merge(reader, frame->first);
		if (code != ERR_OK)
			return code;
	}
	count = reader->pending_count - frame->first;
	children = mem_arena_alloc(reader->arena, count * NODE_POINTER);
	for (size_t i = 0; i < count; i++)
		node->weight += reader->pending[frame->first + i]->weight;
	if (count != 0)
		memcpy(children, reader->pending + frame->first, count * NODE_POINTER);
	reader->pending_count = frame->first;
	if (node->kind == YAML_LIST) {
		node->items = children;
		node->count = (uint32_t)count;
	} else {
		node->pairs = children; /* a pair is two pointers */
		node->count = (uint32_t)(count / 2);
		code = check_keys(reader, node->pairs, node->count);
	}
	if (frame->anchor != UINT32_MAX)
		reader->anchors[frame->anchor].node = node;
	push_pending(reader, node);
	if (code == ERR_OK && reader->arena == reader->item && reader->depth == 2)
		code = offer_item(reader);
	return code;
}

/* ---- items that are taken one by one ---- */

void yaml_stream_items(struct yaml_reader *reader, yaml_take *take, void *context)
{
	reader->take_items = take;
	reader->take_context = context;
}

/* Inside the list under the key "items" of the document itself, and nothing that
 * could refer to an item that is gone. */
static bool among_items(const struct yaml_reader *reader)
{
	const struct frame *map = &reader->frames[0], *list = &reader->frames[1];

	if (reader->take == NULL || reader->depth != 2 || reader->anchor_count != 0 ||
	    reader->aliased != 0 || map->node->kind != YAML_MAP || list->node->kind != YAML_LIST)
		return false;
	/* A list may stand where a key should: then nothing need be before it. */
	return (list->first - map->first) % 2 == 1 &&
	       yaml_text_is(reader->pending[list->first - 1], "items");
}

/* The newest of pending is an item that is complete. */
static enum err_code offer_item(struct yaml_reader *reader)
{
	enum err_code code = ERR_OK;

	reader->arena = reader->document;
	if (among_items(reader) &&
	    reader->take(reader->take_context, reader->pending[reader->pending_count - 1], &code)) {
		reader->pending_count--;
		mem_arena_reset(reader->item);
	} else {
		reader->take = NULL; /* what is in reader->item stays with the document */
	}
	return code;
}

/* ---- events ---- */

static enum err_code start_collection(struct yaml_reader *reader, enum yaml_kind kind,
				      const yaml_event_t *event, const yaml_char_t *anchor)
{
	struct yaml_node *node;
	struct frame *frame;
	uint32_t index;

	if (kind == YAML_MAP && among_items(reader))
		reader->arena = reader->item;
	node = new_node(reader, kind, event);
	if (reader->depth == MAX_DEPTH)
		return fail(reader, ERR_LIMIT, node, "nested more than 100 levels deep");
	if (add_anchor(reader, anchor, node, false, &index) != ERR_OK)
		return reader->err->code;
	frame = &reader->frames[reader->depth++];
	*frame = (struct frame){.node = node, .first = reader->pending_count, .anchor = index};
	return ERR_OK;
}

/* As kubectl's reader: !!int and its like make a quoted text what they say, if it is that;
 * any other tag makes it a text. */
static enum err_code read_tag(struct yaml_reader *reader, const yaml_event_t *event,
			      struct yaml_node *node)
{
	static const struct {
		const char *tag;
		enum yaml_type type;
	} rows[] = {{YAML_BOOL_TAG, YAML_BOOL},
		    {YAML_INT_TAG, YAML_INT},
		    {YAML_FLOAT_TAG, YAML_FLOAT},
		    {YAML_NULL_TAG, YAML_NULL}};
	const char *tag = (const char *)event->data.scalar.tag;
	enum yaml_type type =
		yaml_plain_type((const char *)event->data.scalar.value, event->data.scalar.length);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(tag, rows[i].tag) != 0)
			continue;
		node->plain = true;
		if (type != rows[i].type && (type != YAML_INT || rows[i].type != YAML_FLOAT))
			return err_set(reader->err, ERR_SYNTAX, reader->file, node->line,
				       node->column, "\"%.60s\" is no %s, as its tag says",
				       (const char *)event->data.scalar.value,
				       strrchr(tag, ':') + 1);
	}
	return ERR_OK;
}

static enum err_code read_text(struct yaml_reader *reader, const yaml_event_t *event,
			       struct yaml_node *node)
{
	const char *tag = (const char *)event->data.scalar.tag;
	const char *text = (const char *)event->data.scalar.value;
	size_t len = event->data.scalar.length;

	if (tag == NULL || strcmp(tag, "tag:yaml.org,2002:binary") != 0) {
		char *copy = mem_arena_strndup(reader->arena, text, len);

		len = reader->json ? yaml_json_restore(copy, len) : len;
		copy[len] = '\0';
		node->text = copy;
	} else {
		char *decoded = mem_arena_alloc(reader->arena, yaml_binary_room(len));

		if (!yaml_binary(text, len, decoded, &len))
			return fail(reader, ERR_SYNTAX, node,
				    "this is no base64, as its tag !!binary says");
		node->text = decoded;
	}
	node->count = (uint32_t)len;
	return ERR_OK;
}

static enum err_code read_scalar(struct yaml_reader *reader, const yaml_event_t *event)
{
	struct yaml_node *node = new_node(reader, YAML_SCALAR, event);
	uint32_t index;

	node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
		      event->data.scalar.tag == NULL;
	if (event->data.scalar.tag != NULL && read_tag(reader, event, node) != ERR_OK)
		return reader->err->code;
	if (read_text(reader, event, node) != ERR_OK)
		return reader->err->code;
	push_pending(reader, node);
	return add_anchor(reader, event->data.scalar.anchor, node, true, &index);
}

static enum err_code take_event(struct yaml_reader *reader, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		return read_scalar(reader, event);
	case YAML_ALIAS_EVENT:
		return read_alias(reader, event);
	case YAML_SEQUENCE_START_EVENT:
		return start_collection(reader, YAML_LIST, event,
					event->data.sequence_start.anchor);
	case YAML_MAPPING_START_EVENT:
		return start_collection(reader, YAML_MAP, event, event->data.mapping_start.anchor);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		return finish_collection(reader);
	case YAML_STREAM_END_EVENT:
		reader->ended = true;
		return ERR_OK;
	case YAML_NO_EVENT:
	case YAML_STREAM_START_EVENT:
	case YAML_DOCUMENT_START_EVENT:
	case YAML_DOCUMENT_END_EVENT:
		return ERR_OK;
	}
	return ERR_OK;
}

/* A parser for what begins here, in this line of the parser before. */
static void restart(struct yaml_reader *reader, const char *at, size_t line)
{
	reader->fed = reader->window.at = at;
	reader->line_offset += (uint32_t)line - 1;
	reader->lines = reader->column = reader->shift = reader->unbroken = 0;
	reader->bytes = 0;
	yaml_parser_delete(&reader->parser);
	open_parser(reader);
}

/* JSON documents may follow each other without a mark, as kubectl reads them (jq prints
 * them so); no such parser does. True: one begins where it stopped, and it is read anew
 * from there. */
static bool next_json(struct yaml_reader *reader)
{
	const yaml_mark_t stop = reader->parser.problem_mark;
	const char *problem = reader->parser.problem, *begin, *at;
	size_t shift = column_of(reader, &stop) - 1, column = stop.line == 0 ? reader->column : 0;

	if (!reader->json || problem == NULL || strcmp(problem, no_start) != 0)
		return false;
	if (stop.line == 0 && reader->bytes == 0)
		begin = reader->window.at;
	else
		begin = find_line(reader, stop.line + 1);
	at = begin;
	for (size_t i = 0; at != NULL && at < reader->fed && i <= stop.column; at++)
		i += ((unsigned char)*at & 0xC0) != 0x80; /* the first byte of a character */
	if (at == NULL || at == begin || (at[-1] != '{' && at[-1] != '['))
		return false;
	column += (size_t)(at - 1 - begin);
	restart(reader, at - 1, stop.line + 1);
	reader->column = column;
	reader->shift = shift;
	return true;
}

/* One document: *out is NULL if it is empty or the stream has ended. */
static enum err_code read_document(struct yaml_reader *reader, const struct yaml_node **out)
{
	enum err_code code = ERR_OK;
	bool done = false;

	mem_arena_free(reader->document);
	reader->document = mem_arena_new();
	mem_arena_reset(reader->item);
	reader->arena = reader->document;
	reader->take = reader->take_items;
	reader->depth = 0;
	reader->pending_count = 0;
	reader->anchor_count = 0;
	reader->aliased = 0;
	while (!done && code == ERR_OK) {
		yaml_event_t event;

		if (!yaml_parser_parse(&reader->parser, &event)) {
			if (next_json(reader))
				continue;
			return parser_error(reader);
		}
		reader->unbroken = 0;
		done = event.type == YAML_DOCUMENT_END_EVENT || event.type == YAML_STREAM_END_EVENT;
		code = take_event(reader, &event);
		yaml_event_delete(&event);
	}
	*out = reader->pending_count != 0 && !yaml_is_null(reader->pending[0]) ? reader->pending[0]
									       : NULL;
	return code;
}

enum err_code yaml_next(struct yaml_reader *reader, const struct yaml_node **out, struct err *err)
{
	enum err_code code = ERR_OK;

	reader->err = err;
	*out = NULL;
	while (*out == NULL && !reader->ended && code == ERR_OK)
		code = read_document(reader, out);
	return code;
}

/* ---- past an error ---- */

static bool is_separator(const char *line, const char *end)
{
	return end - line >= 3 && memcmp(line, "---", 3) == 0 &&
	       (end - line == 3 || strchr(" \t\r\n", line[3]) != NULL);
}

/* The first separator at the line or after, but not that of the present document; the line
 * moves on to it; NULL. */
static const char *find_separator(struct yaml_reader *reader, size_t *line)
{
	const char *at = find_line(reader, *line);

	if (at != NULL && *line > 1 && is_separator(at, reader->window.end))
		return at;
	while (at != NULL) {
		const char *newline = memchr(at, '\n', (size_t)(reader->window.end - at));

		if (newline == NULL && reader->window.flow != NULL) {
			reader->fed = reader->window.end;
			if (move_window(reader) != ERR_OK)
				return NULL;
			at = find_line(reader, *line);
			continue;
		}
		at = newline == NULL ? NULL : newline + 1;
		(*line)++;
		if (at != NULL && is_separator(at, reader->window.end))
			return at;
	}
	return NULL;
}

bool yaml_skip(struct yaml_reader *reader)
{
	size_t line = (size_t)reader->err->line - reader->line_offset;
	const char *at = NULL;

	if (!reader->ended && reader->trouble == ERR_OK && reader->err->line > 0)
		at = find_separator(reader, &line);
	if (at == NULL)
		return false;
	restart(reader, at, line);
	return true;
}

const struct yaml_node *yaml_find(const struct yaml_node *map, const char *key)
{
	size_t len = strlen(key);

	if (map == NULL || map->kind != YAML_MAP)
		return NULL;
	for (uint32_t i = 0; i < map->count; i++) {
		const struct yaml_pair *pair = &map->pairs[i];

		if (pair->key->count == len && memcmp(pair->key->text, key, len) == 0)
			return yaml_is_null(pair->value) ? NULL : pair->value;
	}
	return NULL;
}

bool yaml_is_null(const struct yaml_node *node)
{
	return node->kind == YAML_SCALAR && node->plain && yaml_plain_null(node->text, node->count);
}

bool yaml_text_is(const struct yaml_node *node, const char *text)
{
	size_t len = strlen(text);

	return node->kind == YAML_SCALAR && node->count == len &&
	       memcmp(node->text, text, len) == 0;
}

struct place yaml_place(const char *file, const struct yaml_node *node)
{
	return (struct place){.file = file, .line = node->line, .column = node->column};
}
