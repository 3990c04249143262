#include "core/err.h"

#include <stdarg.h>
#include <stdio.h>

const char *err_text(enum err_code code)
{
	static const char *const text[] = {
#define X(code, text) [code] = (text),
		ERR_MAP(X)
#undef X
	};

	return text[code];
}

enum err_code err_set(struct err *err, enum err_code code, const char *file, long line, long column,
		      const char *fmt, ...)
{
	va_list ap;

	*err = (struct err){.code = code, .file = file, .line = line, .column = column};
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	return code;
}

void err_format(const struct err *err, char *buf, unsigned long size)
{
	if (err->file == NULL)
		snprintf(buf, size, "%s", err->msg);
	else if (err->line == 0)
		snprintf(buf, size, "%s: %s", err->file, err->msg);
	else if (err->column == 0)
		snprintf(buf, size, "%s:%ld: %s", err->file, err->line, err->msg);
	else
		snprintf(buf, size, "%s:%ld:%ld: %s", err->file, err->line, err->column, err->msg);
}
