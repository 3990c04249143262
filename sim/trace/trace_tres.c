#include "sim/trace/trace_tres.h"

#include <string.h>

bool trace_tres_next(const struct csv_field *list, size_t *at, struct csv_field *key,
		     struct csv_field *value)
{
	const char *entry = list->text + *at, *comma, *equals;
	size_t len;

	if (*at >= list->len)
		return false;
	comma = memchr(entry, ',', list->len - *at);
	len = comma != NULL ? (size_t)(comma - entry) : list->len - *at;
	equals = memchr(entry, '=', len);
	*key = (struct csv_field){.text = entry,
				  .len = equals != NULL ? (size_t)(equals - entry) : len};
	*value = (struct csv_field){.text = ""};
	if (equals != NULL)
		*value = (struct csv_field){.text = equals + 1, .len = len - key->len - 1};
	*at += len + 1;
	return true;
}
