#include "sim/kube/kube_line.h"

#include <check.h>

#include "core/rng.h"

#define PODS 64
#define LAST (UINT64_C(1) << 63)

static uint32_t line_of(struct kube_lines *l, uint32_t first, uint32_t count)
{
	uint32_t line = LINE_EMPTY;

	for (uint32_t i = 0; i < count; i++)
		line = kube_line_join(l, line,
				      kube_line_make(l, first + i, UINT64_C(1) << (first + i) % 8));
	return line;
}

/* How many stand before the first with one of the marks, from there on. */
static uint32_t before_mark(struct kube_lines *l, uint32_t line, uint32_t from, uint64_t marks)
{
	struct kube_line_found found =
		kube_line_find(l, line, from, &(struct kube_line_wish){.marks = marks});

	if (found.pod == LINE_NOBODY)
		ck_assert_uint_eq(found.before, kube_line_length(l, line));
	else
		ck_assert_uint_eq(kube_line_at(l, line, found.before), found.pod);
	return found.before;
}

START_TEST(order_is_kept)
{
	struct kube_lines *l = kube_lines_new(PODS);
	uint32_t line = line_of(l, 0, 20), front, back;

	ck_assert_uint_eq(kube_line_length(l, line), 20);
	kube_line_split(l, line, 7, &front, &back);
	ck_assert_uint_eq(kube_line_length(l, front), 7);
	ck_assert_uint_eq(kube_line_at(l, front, 0), 0);
	ck_assert_uint_eq(kube_line_at(l, back, 0), 7);
	line = kube_line_join(l, back, front);
	ck_assert_uint_eq(kube_line_at(l, line, 0), 7);
	kube_lines_free(l);
}
END_TEST

START_TEST(split_at_the_ends)
{
	struct kube_lines *l = kube_lines_new(PODS);
	uint32_t line = line_of(l, 0, 5), front, back;

	kube_line_split(l, line, 0, &front, &back);
	ck_assert_uint_eq(front, LINE_EMPTY);
	kube_line_split(l, back, 5, &front, &back);
	ck_assert_uint_eq(back, LINE_EMPTY);
	ck_assert_uint_eq(kube_line_length(l, front), 5);
	kube_line_split(l, LINE_EMPTY, 0, &front, &back);
	ck_assert_uint_eq(front, LINE_EMPTY);
	ck_assert_uint_eq(back, LINE_EMPTY);
	kube_lines_free(l);
}
END_TEST

START_TEST(marks_are_found)
{
	struct kube_lines *l = kube_lines_new(PODS);
	uint32_t line = line_of(l, 0, 20);

	ck_assert_uint_eq(before_mark(l, line, 0, 1 << 3), 3);
	ck_assert_uint_eq(before_mark(l, line, 0, 1 << 5 | 1 << 7), 5);
	ck_assert_uint_eq(before_mark(l, line, 0, 0), 20);
	ck_assert_uint_eq(before_mark(l, LINE_EMPTY, 0, 1), 0);
	line = kube_line_leave(l, 3);
	ck_assert_uint_eq(before_mark(l, line, 0, 1 << 3), 10); /* pod 11, one is gone */
	kube_lines_free(l);
}
END_TEST

START_TEST(owners_belong_to_lines)
{
	struct kube_lines *l = kube_lines_new(PODS);
	uint32_t a = line_of(l, 0, 10), b = line_of(l, 10, 10);

	kube_line_set_owner(l, a, 1);
	kube_line_set_owner(l, b, 2);
	for (uint32_t pod = 0; pod < 20; pod++)
		ck_assert_uint_eq(kube_line_owner(l, pod), pod < 10 ? 1 : 2);
	ck_assert(kube_line_stands(l, 4));
	ck_assert(!kube_line_stands(l, 30));
	kube_lines_free(l);
}
END_TEST

struct visited {
	uint32_t pods[PODS], count;
};

static void visit(void *context, uint32_t pod)
{
	struct visited *v = context;

	v->pods[v->count++] = pod;
}

/* The pods of a part, and the first of them on that carry some marks. */
static void check_part(struct kube_lines *l, uint32_t line, struct rng *rng, const uint32_t *model,
		       uint32_t count)
{
	struct kube_line_part part = {.first = (uint32_t)rng_below(rng, count + 1)};
	uint64_t marks = UINT64_C(1) << rng_below(rng, 8);
	uint32_t before = part.first;
	struct visited v = {.count = 0};

	part.count = (uint32_t)rng_below(rng, count - part.first + 1);
	kube_line_each(l, line, &part, visit, &v);
	ck_assert_uint_eq(v.count, part.count);
	for (uint32_t i = 0; i < v.count; i++) {
		ck_assert_uint_eq(v.pods[i], model[part.first + i]);
		ck_assert_uint_eq(kube_line_at(l, line, part.first + i), v.pods[i]);
	}
	while (before < count && (UINT64_C(1) << model[before] % 8 & marks) == 0)
		before++;
	ck_assert_uint_eq(before_mark(l, line, part.first, marks), before);
}

static bool is_third(void *context, uint32_t pod, uint64_t marks)
{
	(void)context;
	return pod % 3 == 0 && marks == UINT64_C(1) << pod % 8;
}

/* With marks that every other pod has, and some of these meant. */
static void check_meant(struct kube_lines *l, uint32_t line, struct rng *rng, const uint32_t *model,
			uint32_t count)
{
	struct kube_line_wish wish = {.marks = 0x55, .means = is_third};
	uint32_t from = (uint32_t)rng_below(rng, count + 1), before = from;
	struct kube_line_found found = kube_line_find(l, line, from, &wish);

	while (before < count && (model[before] % 2 != 0 || model[before] % 3 != 0))
		before++;
	ck_assert_uint_eq(found.before, before);
	ck_assert_uint_eq(found.pod, before < count ? model[before] : LINE_NOBODY);
}

START_TEST(marks_are_changed)
{
	struct kube_lines *l = kube_lines_new(PODS);
	uint32_t line = line_of(l, 0, 20);

	kube_line_mark(l, 13, 1 << 9);
	ck_assert_uint_eq(before_mark(l, line, 0, 1 << 9), 13);
	ck_assert_uint_eq(before_mark(l, line, 6, 1 << 5), 20);
	kube_line_mark(l, 7, 1 << 9 | LAST);
	ck_assert_uint_eq(before_mark(l, line, 0, LAST), 7);
	ck_assert_uint_eq(before_mark(l, line, 0, 1 << 9), 7);
	kube_line_mark(l, 7, LAST);
	ck_assert_uint_eq(before_mark(l, line, 0, LAST), 7);
	ck_assert_uint_eq(before_mark(l, line, 0, 1 << 9), 13);
	kube_line_mark(l, 7, 0);
	ck_assert_uint_eq(before_mark(l, line, 0, UINT64_MAX), 0);
	ck_assert_uint_eq(before_mark(l, line, 7, UINT64_MAX), 8);
	ck_assert_uint_eq(before_mark(l, line, 0, LAST), 20);
	line = kube_line_leave(l, 13);
	ck_assert_uint_eq(before_mark(l, line, 0, 1 << 9), 19);
	kube_lines_free(l);
}
END_TEST

/* Against a plain array: join, split, leave, find at random. */
START_TEST(random_against_an_array)
{
	struct rng *rng = rng_new((uint64_t)_i + 1, "line");
	struct kube_lines *l = kube_lines_new(PODS);
	uint32_t model[PODS], count = 0, line = LINE_EMPTY, next = 0;

	for (int step = 0; step < 300; step++) {
		uint32_t n = (uint32_t)rng_below(rng, count + 1), front, back, kept[PODS];
		uint64_t marks = UINT64_C(1) << rng_below(rng, 8);
		uint32_t before = 0;

		if (count < PODS - 1 && rng_below(rng, 2) == 0) {
			while (kube_line_stands(l, next % PODS))
				next++;
			line = kube_line_join(
				l, line,
				kube_line_make(l, next % PODS, UINT64_C(1) << next % PODS % 8));
			model[count++] = next % PODS;
		} else if (n < count) {
			line = kube_line_leave(l, model[n]);
			for (uint32_t i = n; i + 1 < count; i++)
				model[i] = model[i + 1];
			count--;
		} else if (count > 2) { /* rotate */
			kube_line_split(l, line, count / 3, &front, &back);
			line = kube_line_join(l, back, front);
			for (uint32_t i = 0; i < count; i++)
				kept[i] = model[(i + count / 3) % count];
			for (uint32_t i = 0; i < count; i++)
				model[i] = kept[i];
		}
		while (before < count && (UINT64_C(1) << model[before] % 8 & marks) == 0)
			before++;
		ck_assert_uint_eq(kube_line_length(l, line), count);
		ck_assert_uint_eq(before_mark(l, line, 0, marks), before);
		check_part(l, line, rng, model, count);
		check_meant(l, line, rng, model, count);
		if (count != 0)
			ck_assert_uint_eq(kube_line_at(l, line, 0), model[0]);
	}
	kube_lines_free(l);
	rng_free(rng);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kube/kube_line");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, order_is_kept);
	tcase_add_test(t, split_at_the_ends);
	tcase_add_test(t, marks_are_found);
	tcase_add_test(t, marks_are_changed);
	tcase_add_test(t, owners_belong_to_lines);
	tcase_add_loop_test(t, random_against_an_array, 0, 50);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
