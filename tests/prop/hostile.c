/* hostile.c - input cut off, mangled and made up, by the thousand: every command ends with
 * an exit code that it documents, and with a sentence where it refuses.
 *
 * Seed -> a file of the samples of this repository -> one to four mutations (bytes, ranges,
 * numbers, values of YAML, bombs, another file's bytes) -> check, run, simulate, import and
 * trace. Sanitizers see what else goes wrong. A failure names the seed and leaves the file.
 *     build/asan/tests/prop/hostile [first seed [count]]
 */
#include <check.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/rng.h"
#include "tests/support/command.h"

#define SEEDS	  150
#define FILE_MAX  ((size_t)48 << 10)
#define TEXT_MAX  ((size_t)1 << 20)
#define GIGANTIC  200000
#define BOMB_ROWS 9

static uint64_t first_seed = 1;

static const char *const patterns[] = {
	"tests/fuzz/corpus/objects/*",
	"tests/fuzz/corpus/trace_csv/*",
	"tests/fuzz/corpus/trace_philly/*",
	"scenarios/*.yaml",
	"scenarios/*/*.yaml",
	"traces/*",
	"tests/corpus/odd/*",
	"tests/corpus/realistic/*",
};

static glob_t files;

struct text {
	char *bytes;
	size_t size;
};

static void read_file(const char *path, struct text *text)
{
	FILE *f = fopen(path, "rb");

	text->size = f != NULL ? fread(text->bytes, 1, FILE_MAX, f) : 0;
	if (f != NULL)
		fclose(f);
}

static const char *any_file(struct rng *rng)
{
	return files.gl_pathv[rng_below(rng, files.gl_pathc)];
}

/* ---- mutations ---- */

/* What is between from and to gives way to other bytes. */
static void replace(struct text *text, size_t from, size_t to, const char *with, size_t size)
{
	if (text->size - (to - from) + size > TEXT_MAX)
		return;
	memmove(text->bytes + from + size, text->bytes + to, text->size - to);
	memcpy(text->bytes + from, with, size);
	text->size = text->size - (to - from) + size;
}

static size_t any_place(const struct text *text, struct rng *rng)
{
	return rng_below(rng, text->size + 1);
}

static void cut(struct text *text, struct rng *rng)
{
	text->size = any_place(text, rng);
}

static void change_bytes(struct text *text, struct rng *rng)
{
	for (int i = 0; i < 4 && text->size > 0; i++)
		text->bytes[rng_below(rng, text->size)] = (char)rng_below(rng, 256);
}

static void insert_marks(struct text *text, struct rng *rng)
{
	static const struct {
		const char *bytes;
		size_t size;
	} marks[] = {
		{"\0", 1},
		{"\xff\xfe", 2},
		{"\xc3", 1},
		{"\t", 1},
		{"\r", 1},
		{"\n---\n", 5},
		{"\n...\n", 5},
		{"\"", 1},
		{"'", 1},
		{"*a", 2},
		{"&a ", 3},
		{"<<: *a\n", 7},
		{"\xEF\xBB\xBF", 3},
		{"{{ .Values.x }}", 15},
		{"%YAML 9.9\n", 10},
		{"!!binary ", 9},
		{"!!str ", 6},
		{": ", 2},
		{",,,", 3},
		{"[", 1},
		{"}", 1},
		{"\xf0\x9f\x98\x80", 4},
		{"#", 1},
		{"? ", 2},
	};
	size_t i = rng_below(rng, sizeof(marks) / sizeof(marks[0])), at = any_place(text, rng);

	replace(text, at, at, marks[i].bytes, marks[i].size);
}

static void remove_range(struct text *text, struct rng *rng)
{
	size_t from = any_place(text, rng), len = rng_below(rng, 400);

	replace(text, from, from + len < text->size ? from + len : text->size, "", 0);
}

static void repeat_range(struct text *text, struct rng *rng)
{
	size_t from = any_place(text, rng), len = rng_below(rng, 2000);
	char copy[2000];

	if (len > text->size - from)
		len = text->size - from;
	memcpy(copy, text->bytes + from, len);
	for (uint64_t i = rng_below(rng, 8); i > 0; i--)
		replace(text, from, from, copy, len);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Numbers as no one means them, in place of one that is there. */
static void change_number(struct text *text, struct rng *rng)
{
	static const char *const numbers[] = {
		"99999999999999999999999",
		"9223372036854775807",
		"-1",
		"1e400",
		"0",
		"9223372036854775808",
		"4294967295",
		"-0",
		"0x7fffffffffffffff",
		"0.0000000000000000001",
		"1e18",
		"NaN",
		".inf",
		"1_000",
		"1E",
		"16Ei",
		"-999Gi",
		"2147483648",
		"00012",
	};
	const char *with = numbers[rng_below(rng, sizeof(numbers) / sizeof(numbers[0]))];
	size_t at = any_place(text, rng), end;

	while (at < text->size && !is_digit(text->bytes[at]))
		at++;
	for (end = at; end < text->size && is_digit(text->bytes[end]);)
		end++;
	replace(text, at, end, with, strlen(with));
}

/* What stands behind a colon or comma, to the next one or the line's end. */
static void change_value(struct text *text, struct rng *rng)
{
	static const char *const values[] = {"~",	"[]",	  "{}",		"*a",	"&a x",
					     "|",	">-",	  "true",	"\"\"", "- - -",
					     "[{}]",	"{a: }",  "!!null x",	"'",	"@",
					     "{{ x }}", "[1, 2]", "2026-02-30", "",	"..."};
	const char *with = values[rng_below(rng, sizeof(values) / sizeof(values[0]))];
	size_t at = any_place(text, rng), end;

	while (at < text->size && text->bytes[at] != ':' && text->bytes[at] != ',')
		at++;
	at += at < text->size;
	for (end = at; end < text->size && strchr(",\n", text->bytes[end]) == NULL;)
		end++;
	replace(text, at, end, with, strlen(with));
}

static void splice(struct text *text, struct rng *rng)
{
	struct text other = {.bytes = mem_calloc(FILE_MAX, 1)};
	size_t at = any_place(text, rng), from, to;

	read_file(any_file(rng), &other);
	from = any_place(&other, rng);
	to = from + rng_below(rng, other.size - from + 1);
	replace(text, at, at, other.bytes + from, to - from);
	mem_free(other.bytes);
}

static void nest(struct text *text, struct rng *rng)
{
	static const char *const levels[] = {"[", "{a: ", "{\"a\": ", "- ", "? ", "(", "\"\","};
	const char *level = levels[rng_below(rng, sizeof(levels) / sizeof(levels[0]))];
	size_t at = any_place(text, rng);

	for (uint64_t i = rng_below(rng, 3000); i > 0; i--)
		replace(text, at, at, level, strlen(level));
}

static void bomb(struct text *text, struct rng *rng)
{
	char line[200];
	size_t at = rng_below(rng, 2) == 0 ? 0 : any_place(text, rng);

	for (int i = BOMB_ROWS; i > 0; i--) {
		int n = snprintf(line, sizeof(line),
				 "b%d: &b%d [*b%d, *b%d, *b%d, *b%d, *b%d, *b%d, *b%d, *b%d]\n", i,
				 i, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);

		replace(text, at, at, line, (size_t)n);
	}
	replace(text, at, at, "b0: &b0 [x, x, x]\n", 18);
}

static void grow(struct text *text, struct rng *rng)
{
	char *long_text = mem_calloc(GIGANTIC, 1);
	size_t at = any_place(text, rng);

	memset(long_text, "a9 \xc3,"[rng_below(rng, 5)], GIGANTIC);
	replace(text, at, at, long_text, GIGANTIC);
	mem_free(long_text);
}

static void mutate(struct text *text, struct rng *rng)
{
	static void (*const mutations[])(struct text *, struct rng *) = {
		cut,	      change_bytes,  insert_marks,  insert_marks, remove_range,
		repeat_range, change_number, change_number, change_value, change_value,
		splice,	      nest,	     bomb,	    grow,
	};

	for (uint64_t i = 1 + rng_below(rng, 4); i > 0; i--)
		mutations[rng_below(rng, sizeof(mutations) / sizeof(mutations[0]))](text, rng);
}

/* ---- commands ---- */

static const char *const commands[] = {
	"check %/x",
	"check %/x --strict -o json",
	"run -p kueue %/x --horizon 1h --nodes h100=2x8",
	"compare %/x --horizon 1h",
	"compare --trace %/x --horizon 1h",
	"simulate -f %/x %/dump.yaml",
	"simulate -f %/job.yaml %/x",
	"import %/x -o %/imported",
	"import %/x -o %/imported --redact",
	"trace stats %/x",
	"trace convert %/x -w %/y.jsonl",
};

static void run_commands(uint64_t seed)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		struct command run = command_run(commands[i]);

		ck_assert_msg(run.code >= 0 && run.code <= 2, "seed %llu: %s: exit code %d: %s",
			      (unsigned long long)seed, commands[i], run.code, run.err);
		ck_assert_msg(run.code != 2 || run.out[0] != '\0' || run.err[0] != '\0',
			      "seed %llu: %s: refused without a word", (unsigned long long)seed,
			      commands[i]);
		command_free(&run);
	}
}

static void write_file(const struct text *text)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/x", command_folder());
	f = fopen(path, "wb");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(text->bytes, 1, text->size, f), text->size);
	ck_assert_int_eq(fclose(f), 0);
}

static void copy_file(const char *path, const char *name)
{
	struct text text = {.bytes = mem_calloc(FILE_MAX + 1, 1)};

	read_file(path, &text);
	command_file(name, text.bytes);
	mem_free(text.bytes);
}

START_TEST(hostile)
{
	uint64_t seed = first_seed + (uint64_t)_i;
	struct text text = {.bytes = mem_calloc(TEXT_MAX, 1)};
	struct rng *rng = rng_new(seed, "hostile");

	copy_file("scenarios/own-cluster/cluster.yaml", "dump.yaml");
	copy_file("scenarios/own-cluster/job.yaml", "job.yaml");
	read_file(any_file(rng), &text);
	mutate(&text, rng);
	write_file(&text);
	run_commands(seed);
	rng_free(rng);
	mem_free(text.bytes);
}
END_TEST

int main(int argc, char **argv)
{
	Suite *suite = suite_create("prop/hostile");
	TCase *t = tcase_create("all");
	int count = argc > 2 ? atoi(argv[2]) : SEEDS, failed, flags = 0;
	SRunner *runner;

	if (argc > 1)
		first_seed = strtoull(argv[1], NULL, 10);
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		if (glob(patterns[i], flags, NULL, &files) != 0) {
			fprintf(stderr, "hostile: no %s\n", patterns[i]);
			return EXIT_FAILURE;
		}
		flags = GLOB_APPEND;
	}
	tcase_set_timeout(t, 120); /* a stalled machine is no failure */
	tcase_add_loop_test(t, hostile, 0, count);
	suite_add_tcase(suite, t);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	globfree(&files);
	return failed != 0;
}
