#include "sim/page/lab_request.h"

#include <stdlib.h>
#include <string.h>

#include "sim/yaml/yaml_scalar.h"

#define SPEED_MAX 864000.0 /* ten days a second */

struct asked {
	struct lab_play *play;
	const struct yaml_node *body;
	double *speed;
};

static enum err_code read_text(const struct asked *asked, const char *key, const char *otherwise,
			       const char **out, struct err *err)
{
	const struct yaml_node *node = yaml_find(asked->body, key);

	*out = otherwise;
	if (node != NULL && node->kind == YAML_SCALAR && strlen(node->text) == node->count)
		*out = node->text;
	else if (node != NULL)
		return err_set(err, ERR_VALUE, NULL, 0, 0, "%s must be a text", key);
	if (*out == NULL)
		return err_set(err, ERR_VALUE, NULL, 0, 0, "%s is missing", key);
	return ERR_OK;
}

static enum err_code read_whole(const struct asked *asked, const char *key, int64_t *out,
				struct err *err)
{
	const struct yaml_node *node = yaml_find(asked->body, key);

	if (node == NULL)
		return ERR_OK;
	if (node->kind != YAML_SCALAR || yaml_scalar_type(node) != YAML_INT || !yaml_int(node, out))
		return err_set(err, ERR_VALUE, NULL, 0, 0, "%s must be a whole number", key);
	return ERR_OK;
}

static enum err_code submit(const struct asked *asked, struct err *err)
{
	struct lab_job job = {.pods = 1, .gpus = 1, .count = 1};

	if (read_text(asked, "queue", NULL, &job.queue, err) != ERR_OK ||
	    read_text(asked, "name", "job", &job.name, err) != ERR_OK ||
	    read_text(asked, "duration", "1h", &job.duration, err) != ERR_OK ||
	    read_text(asked, "priority", "", &job.priority, err) != ERR_OK ||
	    read_whole(asked, "pods", &job.pods, err) != ERR_OK ||
	    read_whole(asked, "gpus", &job.gpus, err) != ERR_OK ||
	    read_whole(asked, "count", &job.count, err) != ERR_OK)
		return err->code;
	return lab_play_submit(asked->play, &job, err);
}

static enum err_code change_quota(const struct asked *asked, struct err *err)
{
	struct lab_quota quota = {.queue = NULL};

	if (read_text(asked, "queue", NULL, &quota.queue, err) != ERR_OK ||
	    read_text(asked, "flavor", NULL, &quota.flavor, err) != ERR_OK ||
	    read_text(asked, "resource", "nvidia.com/gpu", &quota.resource, err) != ERR_OK ||
	    read_text(asked, "field", "nominalQuota", &quota.field, err) != ERR_OK ||
	    read_text(asked, "value", NULL, &quota.value, err) != ERR_OK)
		return err->code;
	return lab_play_quota(asked->play, &quota, err);
}

static enum err_code step(const struct asked *asked, struct err *err)
{
	const char *text;
	simtime by;

	if (read_text(asked, "by", NULL, &text, err) != ERR_OK)
		return err->code;
	if (!clock_read_duration(text, strlen(text), &by))
		return err_set(err, ERR_VALUE, NULL, 0, 0, "by: a time such as 10m");
	return lab_play_step(asked->play, by, err);
}

static enum err_code run(const struct asked *asked, struct err *err)
{
	const char *text;
	char *end;
	double speed;

	if (read_text(asked, "speed", NULL, &text, err) != ERR_OK)
		return err->code;
	speed = strtod(text, &end);
	if (end == text || *end != '\0' || !(speed >= 0 && speed <= SPEED_MAX))
		return err_set(err, ERR_VALUE, NULL, 0, 0,
			       "speed: simulated seconds a second, 0 to %.0f", SPEED_MAX);
	*asked->speed = speed;
	return ERR_OK;
}

static enum err_code to_end(const struct asked *asked, struct err *err)
{
	*asked->speed = 0;
	return lab_play_end(asked->play, err);
}

static enum err_code undo(const struct asked *asked, struct err *err)
{
	return lab_play_undo(asked->play, err);
}

static enum err_code reset(const struct asked *asked, struct err *err)
{
	*asked->speed = 0;
	return lab_play_reset(asked->play, err);
}

static enum err_code dispatch(const struct asked *asked, const char *action, struct err *err)
{
	static const struct {
		const char *name;
		enum err_code (*act)(const struct asked *asked, struct err *err);
	} rows[] = {{"job", submit}, {"quota", change_quota}, {"step", step},  {"run", run},
		    {"end", to_end}, {"undo", undo},	      {"reset", reset}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(rows[i].name, action) == 0)
			return rows[i].act(asked, err);
	return err_set(err, ERR_UNKNOWN, NULL, 0, 0, "there is no action %.40s", action);
}

enum err_code lab_request(struct lab_play *play, const char *action, const char *body, size_t size,
			  double *speed, struct err *err)
{
	struct source source = {.name = "request", .data = body, .size = size};
	struct asked asked = {.play = play, .speed = speed};
	struct yaml_reader *reader = NULL;
	enum err_code code;

	/* JSON has no anchors: they could make much of little. */
	if (size > LAB_REQUEST_BODY || memchr(body, '&', size) != NULL)
		return err_set(err, ERR_LIMIT, NULL, 0, 0,
			       "a body is a small JSON object of texts and numbers");
	code = yaml_open(&source, &reader, err);
	if (code != ERR_OK)
		return code;
	code = yaml_next(reader, &asked.body, err);
	if (code == ERR_OK && asked.body != NULL && asked.body->kind != YAML_MAP)
		code = err_set(err, ERR_VALUE, NULL, 0, 0, "the body must be a JSON object");
	if (code == ERR_OK)
		code = dispatch(&asked, action, err);
	err->file = NULL; /* it goes with this call */
	yaml_close(reader);
	return code;
}
