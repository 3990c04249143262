#include "sim/study/sweep_range.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/num.h"

#define MILLI  1000
#define PLACES 3
#define MOST   (INT64_MAX / (MILLI * MILLI))

void sweep_texts_add(struct sweep_texts *texts, const char *text)
{
	texts->items =
		mem_grow(texts->items, texts->count + 1, &texts->capacity, sizeof(*texts->items));
	texts->items[texts->count++] = text;
}

void sweep_texts_free(struct sweep_texts *texts)
{
	mem_free(texts->items);
	*texts = (struct sweep_texts){NULL, 0, 0};
}

/* "64Gi" as 64000 thousandths and "Gi". */
static bool read_end(const char *text, int64_t *milli, const char **unit)
{
	size_t len = strspn(text, "0123456789.");
	const char *dot = memchr(text, '.', len);

	*unit = text + len;
	if (len == 0 || (dot != NULL && (size_t)(text + len - dot) > PLACES + 1))
		return false;
	return num_read_quantity(text, len, true, milli) == NUM_OK && *milli <= MOST;
}

static const char *write_value(struct mem_arena *arena, int64_t milli, const char *unit)
{
	char text[128];
	int len = snprintf(text, sizeof(text), "%" PRId64, milli / MILLI);

	if (milli % MILLI != 0) {
		len += snprintf(text + len, sizeof(text) - (size_t)len, ".%03d",
				(int)(milli % MILLI));
		while (text[len - 1] == '0')
			len--;
	}
	snprintf(text + len, sizeof(text) - (size_t)len, "%.60s", unit);
	return mem_arena_strdup(arena, text);
}

/* How values go on: to value * factor / 1000 + step, in thousandths. */
static enum err_code read_stride(const char *step, const char *factor, const char *unit,
				 int64_t *add, int64_t *times, struct err *err)
{
	const char *other = "";

	*add = factor == NULL ? MILLI : 0;
	*times = MILLI;
	if (step != NULL && factor != NULL)
		return err_set(err, ERR_VALUE, NULL, 0, 0, "a range has a step or a factor");
	if (step != NULL && (!read_end(step, add, &other) || *add == 0 ||
			     (other[0] != '\0' && strcmp(other, unit) != 0)))
		return err_set(err, ERR_VALUE, NULL, 0, 0,
			       "\"%.60s\" is not a step above 0, with the unit of the ends", step);
	if (factor != NULL &&
	    (!read_end(factor, times, &other) || *times <= MILLI || other[0] != '\0'))
		return err_set(err, ERR_VALUE, NULL, 0, 0, "\"%.60s\" is not a factor above 1",
			       factor);
	return ERR_OK;
}

enum err_code sweep_range_add(struct mem_arena *arena, const char *from, const char *to,
			      const char *step, const char *factor, struct sweep_texts *out,
			      struct err *err)
{
	int64_t value, last, add, times;
	const char *unit, *last_unit;
	enum err_code code;

	if (!read_end(from, &value, &unit) || !read_end(to, &last, &last_unit) ||
	    (strcmp(unit, last_unit) != 0 && (unit[0] != '\0' || value != 0)))
		return err_set(err, ERR_VALUE, NULL, 0, 0,
			       "%.60s..%.60s: the ends of a range are numbers of 0 or more with at "
			       "most three places and the same unit",
			       from, to);
	code = read_stride(step, factor, last_unit, &add, &times, err);
	if (code != ERR_OK)
		return code;
	if (value > last || (value == 0 && add == 0))
		return err_set(err, ERR_VALUE, NULL, 0, 0, "%.60s..%.60s: a range goes upwards%s",
			       from, to, add == 0 ? ", and by a factor not from 0" : "");
	for (size_t n = 0; value <= last; n++) {
		int64_t next = value / MILLI * times + value % MILLI * times / MILLI + add;

		if (n == SWEEP_RANGE_MAX)
			return err_set(err, ERR_LIMIT, NULL, 0, 0,
				       "%.60s..%.60s: more than %d values", from, to,
				       SWEEP_RANGE_MAX);
		sweep_texts_add(out, write_value(arena, value, last_unit));
		if (next <= value)
			return err_set(err, ERR_VALUE, NULL, 0, 0,
				       "%.60s..%.60s: the factor does not lead anywhere", from, to);
		value = next;
	}
	return ERR_OK;
}

enum err_code sweep_range_read(struct mem_arena *arena, const char *text, struct sweep_texts *out,
			       struct err *err)
{
	const char *dots = strstr(text, "..");
	char *from, *to, *step;

	if (dots == NULL || strchr("0123456789", text[0]) == NULL) {
		sweep_texts_add(out, mem_arena_strdup(arena, text));
		return ERR_OK;
	}
	from = mem_arena_strndup(arena, text, (size_t)(dots - text));
	to = mem_arena_strdup(arena, dots + 2);
	step = strstr(to, "..");
	if (step == NULL)
		return sweep_range_add(arena, from, to, NULL, NULL, out, err);
	*step = '\0';
	step += 2;
	if (step[0] == 'x')
		return sweep_range_add(arena, from, to, NULL, step + 1, out, err);
	return sweep_range_add(arena, from, to, step, NULL, out, err);
}
