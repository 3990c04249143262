#include "sim/objects/objects_own.h"

#include <stdio.h>
#include <string.h>

#include "sim/load/jobchange.h"
#include "sim/tool/nearest.h"

#define OWN	    "gqsim/"
#define NO_RETRY    "provreq.kueue.x-k8s.io/noRetry"
#define PER_CENT    10
#define MAX_LIST    100000
#define MAX_CHANGES 1000

enum own_kind {
	OWN_SUBMIT,
	OWN_DURATION,
	OWN_GANG,
	OWN_CHECKPOINT,
	OWN_RESTART_COST,
	OWN_UTILISATION,
	OWN_CANCEL,
	OWN_UNGATE,
	OWN_POD_DURATIONS,
	OWN_POD_FAILURES,
	OWN_REPLICAS,
	OWN_PARALLELISM,
	OWN_SUSPEND,
	OWN_RESUME,
	OWN_UNTIL,
	OWN_COUNT,
};

static const char *const own_keys[OWN_COUNT] = {
	[OWN_SUBMIT] = OWN "submit-at",
	[OWN_DURATION] = OWN "duration",
	[OWN_GANG] = OWN "gang",
	[OWN_CHECKPOINT] = OWN "checkpoint-interval",
	[OWN_RESTART_COST] = OWN "restart-cost",
	[OWN_UTILISATION] = OWN "gpu-utilisation",
	[OWN_CANCEL] = OWN "cancel-at",
	[OWN_UNGATE] = OWN "ungate-at",
	[OWN_POD_DURATIONS] = OWN "pod-durations",
	[OWN_POD_FAILURES] = OWN "pod-failures",
	[OWN_REPLICAS] = OWN "replicas-at",
	[OWN_PARALLELISM] = OWN "parallelism-at",
	[OWN_SUSPEND] = OWN "suspend-at",
	[OWN_RESUME] = OWN "resume-at",
	[OWN_UNTIL] = OWN "until",
};

static enum err_code read_time(struct fields *f, const struct yaml_node *value, const char *key,
			       simtime *out)
{
	if (clock_read_duration(value->text, value->count, out))
		return ERR_OK;
	return fields_error(f, ERR_VALUE, value, "annotation %s: \"%.60s\" %s", key, value->text,
			    clock_duration_fault(value->text, value->count));
}

static enum err_code read_duration(struct fields *f, const struct yaml_node *value, simtime *out)
{
	if (yaml_text_is(value, "endless")) {
		*out = JOB_ENDLESS;
		return ERR_OK;
	}
	return read_time(f, value, own_keys[OWN_DURATION], out);
}

static enum err_code read_gang(struct fields *f, const struct yaml_node *value, int *gang)
{
	if (yaml_text_is(value, "false"))
		*gang = 0;
	else if (yaml_text_is(value, "true"))
		*gang = 1;
	else
		return fields_error(f, ERR_VALUE, value,
				    "annotation gqsim/gang: \"%.60s\" is neither \"true\" nor "
				    "\"false\"",
				    value->text);
	return ERR_OK;
}

static enum err_code read_utilisation(struct fields *f, const struct yaml_node *value, int *out)
{
	size_t len = value->count;
	double percent;

	if (len > 0 && value->text[len - 1] == '%')
		len--;
	if (!num_read_double(value->text, len, &percent) || percent < 0 || percent > 100)
		return fields_error(f, ERR_VALUE, value,
				    "annotation gqsim/gpu-utilisation: \"%.60s\" is not between 0 "
				    "and 100 per cent",
				    value->text);
	*out = (int)(percent * PER_CENT + 0.5);
	return ERR_OK;
}

/* ---- lists ---- */

/* The item of a comma-separated list that begins at *at, without blanks around it; moves
 * *at behind it. False: there is none left. */
static bool next_item(const struct yaml_node *value, size_t *at, const char **text, size_t *len)
{
	const char *comma;
	size_t end;

	if (*at > value->count)
		return false;
	comma = memchr(value->text + *at, ',', value->count - *at);
	end = comma != NULL ? (size_t)(comma - value->text) : value->count;
	*text = value->text + *at;
	*len = end - *at;
	*at = end + 1;
	while (*len > 0 && **text == ' ') {
		(*text)++;
		(*len)--;
	}
	while (*len > 0 && (*text)[*len - 1] == ' ')
		(*len)--;
	return true;
}

static uint32_t count_items(const struct yaml_node *value)
{
	uint32_t count = 1;

	for (size_t i = 0; i < value->count; i++)
		count += value->text[i] == ',';
	return count;
}

static enum err_code bad_item(struct fields *f, const struct yaml_node *value, enum own_kind kind,
			      const char *text, size_t len, const char *should)
{
	return fields_error(f, ERR_VALUE, value, "annotation %s: \"%.*s\" is not %s",
			    own_keys[kind], len > 60 ? 60 : (int)len, text, should);
}

static enum err_code too_long(struct fields *f, const struct yaml_node *value, enum own_kind kind)
{
	return fields_error(f, ERR_LIMIT, value, "annotation %s: at most %d items are possible",
			    own_keys[kind], MAX_LIST);
}

static enum err_code read_durations(struct fields *f, const struct yaml_node *value,
				    struct objects_own *own)
{
	uint32_t count = count_items(value);
	const char *text;
	size_t at = 0, len;
	simtime *items;

	if (count > MAX_LIST)
		return too_long(f, value, OWN_POD_DURATIONS);
	items = mem_arena_alloc(builder_arena(f->builder), count * sizeof(*items));
	for (uint32_t i = 0; next_item(value, &at, &text, &len); i++) {
		if (!clock_read_duration(text, len, &items[i]))
			return bad_item(f, value, OWN_POD_DURATIONS, text, len,
					"a time: write seconds, or a duration such as 15m");
	}
	own->durations = items;
	own->duration_count = count;
	return ERR_OK;
}

/* "[INDEX:]TIME[/CODE]" or "[INDEX:]-" */
static bool parse_fate(const char *text, size_t len, struct pod_fate *out)
{
	const char *colon = memchr(text, ':', len), *slash;
	uint32_t code = 1;

	*out = (struct pod_fate){.index = JOB_NONE, .after = -1, .code = 1};
	if (colon != NULL) {
		size_t digits = (size_t)(colon - text);

		if (!num_read_u32(text, digits, &out->index) || out->index == JOB_NONE)
			return false;
		text += digits + 1;
		len -= digits + 1;
	}
	if (len == 1 && *text == '-')
		return true;
	slash = memchr(text, '/', len);
	if (slash != NULL) {
		size_t before = (size_t)(slash - text);

		if (!num_read_u32(slash + 1, len - before - 1, &code) || code == 0 || code > 255)
			return false;
		len = before;
	}
	out->code = (int32_t)code;
	return clock_read_duration(text, len, &out->after);
}

static enum err_code read_failures(struct fields *f, const struct yaml_node *value,
				   struct objects_own *own)
{
	uint32_t count = count_items(value);
	struct pod_fate *items;
	const char *text;
	size_t at = 0, len;

	if (count > MAX_LIST)
		return too_long(f, value, OWN_POD_FAILURES);
	items = mem_arena_alloc(builder_arena(f->builder), count * sizeof(*items));
	for (uint32_t i = 0; next_item(value, &at, &text, &len); i++) {
		if (!parse_fate(text, len, &items[i]))
			return bad_item(f, value, OWN_POD_FAILURES, text, len,
					"\"-\", or a time of failure such as 5m, 5m/137 (exit "
					"code) or 3:5m (completion index)");
	}
	own->fates = items;
	own->fate_count = count;
	return ERR_OK;
}

static enum err_code read_replicas(struct fields *f, const struct yaml_node *value,
				   enum own_kind kind, struct objects_own *own)
{
	const char *text;
	size_t at = 0, len;

	if (count_items(value) > MAX_CHANGES)
		return fields_error(f, ERR_LIMIT, value,
				    "annotation %s: at most %d items are possible", own_keys[kind],
				    MAX_CHANGES);
	while (next_item(value, &at, &text, &len)) {
		struct job_change change = {.suspend = -1};
		const char *equals = memchr(text, '=', len);
		size_t before = equals == NULL ? 0 : (size_t)(equals - text);

		if (equals == NULL || !clock_read_duration(text, before, &change.at) ||
		    !num_read_u32(equals + 1, len - before - 1, &change.replicas) ||
		    change.replicas > OBJECTS_OWN_MAX_PODS)
			return bad_item(f, value, kind, text, len, "TIME=PODS, such as 8h=4");
		jobchange_add(builder_arena(f->builder), &own->changes, &own->change_count, change);
	}
	return ERR_OK;
}

static enum err_code read_suspend(struct fields *f, const struct yaml_node *value,
				  enum own_kind kind, struct objects_own *own)
{
	struct job_change change = {.replicas = JOB_NONE, .suspend = kind == OWN_SUSPEND};

	if (read_time(f, value, own_keys[kind], &change.at) != ERR_OK)
		return f->err->code;
	jobchange_add(builder_arena(f->builder), &own->changes, &own->change_count, change);
	return ERR_OK;
}

/* ---- all of them ---- */

static enum err_code read_own(struct fields *f, enum own_kind kind, const struct yaml_node *value,
			      struct objects_own *own)
{
	switch (kind) {
	case OWN_SUBMIT:
		return read_time(f, value, own_keys[kind], &own->submit);
	case OWN_DURATION:
		return read_duration(f, value, &own->duration);
	case OWN_GANG:
		return read_gang(f, value, &own->gang);
	case OWN_CHECKPOINT:
		return read_time(f, value, own_keys[kind], &own->checkpoint);
	case OWN_RESTART_COST:
		return read_time(f, value, own_keys[kind], &own->restart_cost);
	case OWN_UTILISATION:
		return read_utilisation(f, value, &own->utilisation);
	case OWN_CANCEL:
		return read_time(f, value, own_keys[kind], &own->cancel_at);
	case OWN_UNGATE:
		return read_time(f, value, own_keys[kind], &own->ungate_at);
	case OWN_POD_DURATIONS:
		return read_durations(f, value, own);
	case OWN_POD_FAILURES:
		return read_failures(f, value, own);
	case OWN_REPLICAS:
	case OWN_PARALLELISM:
		return read_replicas(f, value, kind, own);
	case OWN_SUSPEND:
	case OWN_RESUME:
		return read_suspend(f, value, kind, own);
	case OWN_UNTIL:
		return read_time(f, value, own_keys[kind], &own->until);
	case OWN_COUNT:
		break;
	}
	return ERR_OK;
}

static enum err_code unknown_own(struct fields *f, const struct yaml_node *key)
{
	struct nearest nearest;
	char fix[120] = "delete it: it has no effect";

	nearest_begin(&nearest, key->text);
	for (int i = 0; i < OWN_COUNT; i++)
		nearest_offer(&nearest, own_keys[i]);
	if (f->unknown == FIELDS_REFUSE)
		return fields_error(f, ERR_UNKNOWN, key, "unknown annotation %.80s%s%s%s",
				    key->text, nearest.best != NULL ? "; did you mean " : "",
				    nearest.best != NULL ? nearest.best : "",
				    nearest.best != NULL ? "?" : "");
	if (nearest.best != NULL)
		snprintf(fix, sizeof(fix), "write %.60s, or delete it", nearest.best);
	fields_fault(f, FINDING_WARNING, "unknown-field", key, fix,
		     "unknown annotation %.80s is ignored%s%s%s", key->text,
		     nearest.best != NULL ? "; did you mean " : "",
		     nearest.best != NULL ? nearest.best : "", nearest.best != NULL ? "?" : "");
	return ERR_OK;
}

enum err_code objects_own_read(struct fields *f, const struct yaml_node *map,
			       struct objects_own *own)
{
	enum err_code code = ERR_OK;

	*own = (struct objects_own){.submit = OBJECTS_OWN_MISSING,
				    .duration = OBJECTS_OWN_MISSING,
				    .checkpoint = OBJECTS_OWN_MISSING,
				    .restart_cost = OBJECTS_OWN_MISSING,
				    .cancel_at = OBJECTS_OWN_MISSING,
				    .ungate_at = OBJECTS_OWN_MISSING,
				    .until = OBJECTS_OWN_MISSING,
				    .gang = -1,
				    .utilisation = -1};
	for (uint32_t i = 0; map != NULL && i < map->count && code == ERR_OK; i++) {
		const struct yaml_pair *pair = &map->pairs[i];
		int k = 0;

		/* The only parameter by which cluster-autoscaler answers otherwise. */
		if (yaml_text_is(pair->key, NO_RETRY))
			own->no_retry = yaml_text_is(pair->value, "true");
		if (strncmp(pair->key->text, OWN, sizeof(OWN) - 1) != 0 ||
		    yaml_text_is(pair->key, OWN "pool") || yaml_text_is(pair->key, OWN "at") ||
		    yaml_is_null(pair->value))
			continue;
		while (k < OWN_COUNT && !yaml_text_is(pair->key, own_keys[k]))
			k++;
		code = k == OWN_COUNT ? unknown_own(f, pair->key)
				      : read_own(f, (enum own_kind)k, pair->value, own);
	}
	return code;
}
