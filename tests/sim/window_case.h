/* window_case.h - a text as a file that passes through a window of a few bytes. */
#ifndef TESTS_SIM_WINDOW_CASE_H
#define TESTS_SIM_WINDOW_CASE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/tool/source.h"

static inline void window_case_open(struct source *source, const char *text, size_t size,
				    size_t window)
{
	char path[] = "/tmp/gqsim-window-XXXXXX";
	struct err err;
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "wb");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(text, 1, size, f), size);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_int_eq(source_open_window(path, window, source, &err), ERR_OK);
	ck_assert_int_eq(unlink(path), 0);
	source->name = "t";
}

#endif
