/* test_pack.c - compressed files: what each format packs it unpacks, and what is damaged,
 * cut off or a bomb is told so. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"
#include "sim/tool/output.h"
#include "sim/tool/source.h"
#include "tests/support/command.h"

static const char *const names[] = {"a.gz", "a.zst", "a.xz"};
#define NAMES ((int)(sizeof(names) / sizeof(names[0])))

static const char *path(const char *name)
{
	static char text[256];

	snprintf(text, sizeof(text), "%s/%s", command_folder(), name);
	return text;
}

/* A file of this text, packed as its name says. */
static void write_packed(const char *name, const char *text, size_t size)
{
	struct output output;
	struct err err;

	ck_assert_int_eq(output_open(&output, path(name), stdout, &err), ERR_OK);
	ck_assert_uint_eq(fwrite(text, 1, size, output.file), size);
	ck_assert_int_eq(output_close(&output, &err), ERR_OK);
}

/* The bytes of a file as they are; the caller's to free. */
static char *raw(const char *name, size_t *size)
{
	FILE *f = fopen(path(name), "rb");
	char *bytes = malloc(1 << 22);

	ck_assert_ptr_nonnull(f);
	*size = fread(bytes, 1, 1 << 22, f);
	fclose(f);
	return bytes;
}

static void write_raw(const char *name, const char *bytes, size_t size)
{
	FILE *f = fopen(path(name), "wb");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(bytes, 1, size, f), size);
	ck_assert_int_eq(fclose(f), 0);
}

/* Text that does not pack to nothing. */
static char *noise(size_t size)
{
	char *text = malloc(size + 1);
	unsigned seed = 1;

	for (size_t i = 0; i < size; i++) {
		seed = seed * 1103515245u + 12345u;
		text[i] = (char)('a' + (seed >> 16) % 26);
	}
	text[size] = '\0';
	return text;
}

static const size_t sizes[] = {0, 1, 65535, 65536, 65537, 1000000};

START_TEST(there_and_back)
{
	char *text = noise(1000000);

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct source source;
		struct err err;
		size_t size;
		char *bytes;

		write_packed(names[_i], text, sizes[i]);
		bytes = raw(names[_i], &size);
		ck_assert_ptr_eq(pack_detect(bytes, size), pack_of_name(names[_i]));
		write_raw("renamed", bytes, size); /* by its bytes, not by its name */
		ck_assert_int_eq(source_read(path("renamed"), &source, &err), ERR_OK);
		ck_assert_uint_eq(source.size, sizes[i]);
		ck_assert_mem_eq(source.data, text, sizes[i]);
		ck_assert_int_eq(source.data[source.size], '\0');
		source_close(&source);
		free(bytes);
	}
	free(text);
}
END_TEST

/* cat a.gz b.gz, and zero bytes behind: as the tools of the formats have it. */
START_TEST(several_streams)
{
	struct source source;
	struct err err;
	size_t size;
	char *bytes;

	write_packed(names[_i], "one\n", 4);
	bytes = raw(names[_i], &size);
	memcpy(bytes + size, bytes, size);
	memset(bytes + 2 * size, 0, 8);
	write_raw("twice", bytes, 2 * size + (_i == 2 ? 0 : 8));
	ck_assert_int_eq(source_read(path("twice"), &source, &err), ERR_OK);
	ck_assert_str_eq(source.data, "one\none\n");
	source_close(&source);
	free(bytes);
}
END_TEST

START_TEST(cut_off)
{
	char *text = noise(100000), *bytes;
	size_t size;

	write_packed(names[_i], text, 100000);
	bytes = raw(names[_i], &size);
	for (size_t cut = 7; cut < size; cut += 1 + size / 37) {
		struct source source;
		struct err err;

		write_raw("cut", bytes, cut);
		ck_assert_int_eq(source_read(path("cut"), &source, &err), ERR_SYNTAX);
		ck_assert_msg(strstr(err.msg, "is cut off") != NULL, "%s", err.msg);
	}
	free(bytes);
	free(text);
}
END_TEST

START_TEST(damaged)
{
	char *text = noise(100000), *bytes;
	struct source source;
	struct err err;
	size_t size;

	write_packed(names[_i], text, 100000);
	bytes = raw(names[_i], &size);
	for (size_t i = size / 2; i < size / 2 + 64; i++)
		bytes[i] = (char)~bytes[i];
	write_raw("damaged", bytes, size);
	ck_assert_int_eq(source_read(path("damaged"), &source, &err), ERR_SYNTAX);
	ck_assert_msg(strstr(err.msg, "is damaged") != NULL || strstr(err.msg, "cut off") != NULL,
		      "%s", err.msg);
	free(bytes);
	free(text);
}
END_TEST

START_TEST(garbage_behind_the_magic)
{
	static const char *const heads[] = {"\x1f\x8b garbage", "\x28\xb5\x2f\xfd\xff\xff\xff",
					    ("\xfd"
					     "7zXZ\0garbage")};
	static const size_t lengths[] = {10, 7, 13};
	struct source source;
	struct err err;

	write_raw("garbage", heads[_i], lengths[_i]);
	ck_assert_int_eq(source_read(path("garbage"), &source, &err), ERR_SYNTAX);
}
END_TEST

/* More than the floor out of next to nothing. */
START_TEST(bomb)
{
	char *zeros = calloc(1, 1 << 20);
	struct source source;
	struct output output;
	struct err err;

	ck_assert_int_eq(output_open(&output, path(names[_i]), stdout, &err), ERR_OK);
	for (size_t i = 0; i <= PACK_FLOOR >> 20; i++)
		fwrite(zeros, 1, 1 << 20, output.file);
	ck_assert_int_eq(output_close(&output, &err), ERR_OK);
	ck_assert_int_eq(source_read(path(names[_i]), &source, &err), ERR_LIMIT);
	ck_assert_msg(strstr(err.msg, "unpacks to more than 256 MiB") != NULL, "%s", err.msg);
	free(zeros);
}
END_TEST

START_TEST(names_and_stems)
{
	ck_assert_ptr_null(pack_of_name("a.csv"));
	ck_assert_ptr_null(pack_of_name(".gz"));
	ck_assert_ptr_null(pack_detect("", 0));
	ck_assert_ptr_null(pack_detect("\x1f", 1));
	ck_assert_uint_eq(pack_stem("a.csv.gz"), 5);
	ck_assert_uint_eq(pack_stem("a.csv"), 5);
	ck_assert_ptr_ne(pack_of_name("a.zst"), pack_of_name("a.xz"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sim/tool/pack");
	TCase *t = tcase_create("all");
	SRunner *runner;
	int failed;

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, there_and_back, 0, NAMES);
	tcase_add_loop_test(t, several_streams, 0, NAMES);
	tcase_add_loop_test(t, cut_off, 0, NAMES);
	tcase_add_loop_test(t, damaged, 0, NAMES);
	tcase_add_loop_test(t, garbage_behind_the_magic, 0, NAMES);
	tcase_add_loop_test(t, bomb, 0, NAMES);
	tcase_add_test(t, names_and_stems);
	suite_add_tcase(suite, t);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
