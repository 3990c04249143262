/* test_source.c - files in memory: mapped, read, and from standard input. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "sim/tool/source.h"
#include "tests/sim/objects_case.h"
#include "tests/sim/window_case.h"

static char path[] = "/tmp/gqsim-source-XXXXXX";

static void write_file(size_t size)
{
	FILE *f = fopen(path, "wb");

	ck_assert_ptr_nonnull(f);
	for (size_t i = 0; i < size; i++)
		fputc('a' + (int)(i % 26), f);
	ck_assert_int_eq(fclose(f), 0);
}

/* Around a page and around what is mapped: the byte behind the end is zero. */
static const size_t sizes[] = {0, 1, 4095, 4096, 65535, 65536, 65537, 1 << 17, (1 << 17) + 1};

START_TEST(every_size)
{
	struct source source;
	struct err err;

	write_file(sizes[_i]);
	ck_assert_int_eq(source_read(path, &source, &err), ERR_OK);
	ck_assert_uint_eq(source.size, sizes[_i]);
	ck_assert_str_eq(source.name, path);
	ck_assert_int_eq(source.data[source.size], '\0');
	for (size_t i = 0; i < source.size; i++)
		ck_assert_int_eq(source.data[i], 'a' + (int)(i % 26));
	source_close(&source);
	source_close(&source); /* twice is fine */
}
END_TEST

START_TEST(standard_input)
{
	struct source source;
	struct err err;

	write_file(100000);
	ck_assert_ptr_nonnull(freopen(path, "r", stdin));
	ck_assert_int_eq(source_read("-", &source, &err), ERR_OK);
	ck_assert_str_eq(source.name, "stdin");
	ck_assert_uint_eq(source.size, 100000);
	ck_assert_int_eq(source.data[source.size], '\0');
	source_close(&source);
}
END_TEST

START_TEST(missing_file)
{
	struct source source;
	struct err err;

	ck_assert_int_eq(source_read("/nowhere/at/all", &source, &err), ERR_IO);
	ck_assert_str_eq(err.file, "/nowhere/at/all");
	ck_assert_str_eq(err.msg, "cannot be opened: No such file or directory");
}
END_TEST

START_TEST(folder)
{
	struct source source;
	struct err err;

	ck_assert_int_eq(source_read("/tmp", &source, &err), ERR_IO);
	ck_assert_str_eq(err.msg, "is a folder, not a file");
}
END_TEST

/* Line by line, whatever the window: some lines are longer than it. */
START_TEST(lines_through_a_window)
{
	static const char text[] = "\xEF\xBB\xBF"
				   "one\ntwo\r\n\na line of more bytes than there are "
				   "at hand\nlast";
	static const char *const want[] = {"one", "two", "",
					   "a line of more bytes than there are at hand", "last"};
	const struct source whole = {.data = text, .size = sizeof(text) - 1};

	for (size_t window = 8; window <= 64; window++) {
		struct source_lines lines;
		struct source source;
		struct err err;
		const char *line;
		size_t len;

		window_case_open(&source, text, sizeof(text) - 1, window);
		lines = source_lines(&source);
		for (size_t i = 0; i < ROWS(want); i++) {
			ck_assert_int_eq(source_next_line(&lines, &line, &len, &err), ERR_OK);
			ck_assert_ptr_nonnull(line);
			ck_assert_msg(len == strlen(want[i]) && memcmp(line, want[i], len) == 0,
				      "window %zu, line %zu: %.*s", window, i, (int)len, line);
			ck_assert_int_eq(lines.number, (long)i + 1);
		}
		ck_assert_int_eq(source_next_line(&lines, &line, &len, &err), ERR_OK);
		ck_assert_ptr_null(line);
		ck_assert_uint_eq(source_hash(&source), source_hash(&whole));
		source_close(&source);
	}
}
END_TEST

START_TEST(nul_in_a_line)
{
	struct source_lines lines;
	struct source source;
	struct err err;
	const char *line;
	size_t len;

	window_case_open(&source, "a\nb\0c\nd\n", 8, 8);
	lines = source_lines(&source);
	ck_assert_int_eq(source_next_line(&lines, &line, &len, &err), ERR_OK);
	ck_assert_int_eq(source_next_line(&lines, &line, &len, &err), ERR_SYNTAX);
	ck_assert_int_eq(err.line, 2);
	source_close(&source);
}
END_TEST

START_TEST(whole_behind_a_window)
{
	struct source source;
	struct err err;

	window_case_open(&source, "0123456789abcdefghij", 20, 8);
	ck_assert_ptr_nonnull(source.flow);
	ck_assert_int_eq(source_whole(&source, &err), ERR_OK);
	ck_assert_ptr_null(source.flow);
	ck_assert_str_eq(source.data, "0123456789abcdefghij");
	source_close(&source);
}
END_TEST

/* XXH3 of 64 bits: values that its other implementations give. */
START_TEST(hash)
{
	const struct source empty = {.data = "", .size = 0};
	const struct source a = {.data = "a", .size = 1};
	const struct source abc = {.data = "abc", .size = 3};

	ck_assert_uint_eq(source_hash(&empty), UINT64_C(0x2d06800538d394c2));
	ck_assert_uint_eq(source_hash(&a), UINT64_C(0xe6c632b61e964e1f));
	ck_assert_uint_eq(source_hash(&abc), UINT64_C(0x78af5f94892f3950));
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");
	int fd = mkstemp(path), status;

	if (fd < 0)
		return EXIT_FAILURE;
	close(fd);
	tcase_add_loop_test(t, every_size, 0, ROWS(sizes));
	tcase_add_test(t, standard_input);
	tcase_add_test(t, missing_file);
	tcase_add_test(t, folder);
	tcase_add_test(t, lines_through_a_window);
	tcase_add_test(t, nul_in_a_line);
	tcase_add_test(t, whole_behind_a_window);
	tcase_add_test(t, hash);
	status = objects_case_run("sim/tool/source", t);
	unlink(path);
	return status;
}
