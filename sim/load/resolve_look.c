#include "sim/load/resolve_look.h"

#include <stdarg.h>
#include <stdio.h>

const char *resolve_text(const struct resolver *r, uint32_t string)
{
	return name_text(r->builder->strings, string);
}

uint32_t resolve_lookup(const struct resolver *r, enum kind kind, uint32_t name, uint32_t ns)
{
	uint32_t index = draft_index_get(&r->placed[kind].index, name, ns);

	return index < r->placed[kind].live ? index : SCENARIO_NONE;
}

enum err_code resolve_fault(struct resolver *r, enum err_code code, struct place at,
			    const char *fix, const char *fmt, ...)
{
	const struct finding_rule rule = {code == ERR_DUPLICATE ? "defined-twice" : "input-error",
					  FINDING_ERROR};
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (!r->builder->keep_going) {
		err_set(r->err, code, at.file, at.line, at.column, "%s", text);
		r->err->fix = fix;
		return code;
	}
	draft_fault(r->builder, &rule, at, fix, "%s", text);
	return ERR_OK;
}
