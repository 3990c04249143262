/* err.h - what went wrong with the user's input, and where.
 *
 * A fallible function returns enum err_code (ERR_OK is 0) and fills *err once,
 * at the place that knows the most; callers only pass it on. The struct is
 * plain data owned by the caller: nothing to free. Bugs are not errors: they
 * go to assert(). The message is a sentence a user can act on: what is wrong,
 * and what would be right.
 */
#ifndef CORE_ERR_H
#define CORE_ERR_H

#define ERR_MAP(X)                                                                                 \
	X(ERR_OK, "ok")                                                                            \
	X(ERR_USAGE, "wrong command line")                                                         \
	X(ERR_IO, "cannot read or write")                                                          \
	X(ERR_SYNTAX, "malformed input")                                                           \
	X(ERR_VALUE, "value out of range")                                                         \
	X(ERR_UNKNOWN, "unknown name")                                                             \
	X(ERR_DUPLICATE, "defined twice")                                                          \
	X(ERR_LIMIT, "beyond a limit of this program")

enum err_code {
#define X(code, text) code,
	ERR_MAP(X)
#undef X
};

struct err {
	enum err_code code;
	const char *file; /* borrowed: outlives the load; NULL if no file */
	long line;	  /* 1-based; 0 if unknown */
	long column;	  /* 1-based; 0 if unknown */
	char msg[512];
	const char *fix; /* a literal: what to do, where msg does not say it; NULL */
};

const char *err_text(enum err_code code);

/* Fills *err and returns code, so that "return err_set(...)" is the idiom. */
enum err_code err_set(struct err *err, enum err_code code, const char *file, long line, long column,
		      const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* "file:line:column: message" without a newline, as compilers print it; parts
 * that are unknown are left out. Writes at most size bytes, always terminated. */
void err_format(const struct err *err, char *buf, unsigned long size);

#endif
