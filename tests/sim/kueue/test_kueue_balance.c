/* test_kueue_balance.c - preferred levels balanced, by hand and against all ways to
 * choose domains.
 */
#include "sim/kueue/kueue_balance.h"

#include <check.h>
#include <stdlib.h>

#include "core/mem.h"
#include "sim/kueue/kueue_tas.h"
#include "tests/sim/topology_case.h"

#define HOST "kubernetes.io/hostname"

static void turn_on(struct topology_case *c)
{
	uint32_t *gate = mem_arena_alloc(c->s.arena, sizeof(*gate));
	bool *on = mem_arena_alloc(c->s.arena, sizeof(*on));

	*gate = case_string(c, "TASBalancedPlacement");
	*on = true;
	c->s.config.gates = gate;
	c->s.config.gate_values = on;
	c->s.config.gate_count = 1;
}

static const struct placement {
	const char *name;
	uint32_t count;
	const char *level;
	const char *slices; /* level; NULL */
	uint32_t size;
	bool leader; /* and one pod of it in the group */
	bool required;
	struct case_row rows[7];
	const char *as_usual, *balanced;
} cases[] = {
	{.name = "two hosts get half each",
	 .count = 10,
	 .level = "rack",
	 .rows = {{.values = "r/a", .gpus = 8}, {.values = "r/b", .gpus = 8}},
	 .as_usual = "a:8 b:2",
	 .balanced = "a:5 b:5"},
	{.name = "an odd one goes to the first",
	 .count = 11,
	 .level = "rack",
	 .rows = {{.values = "r/a", .gpus = 8}, {.values = "r/b", .gpus = 8}},
	 .as_usual = "a:8 b:3",
	 .balanced = "a:6 b:5"},
	{.name = "no more than there is room for",
	 .count = 12,
	 .level = "rack",
	 .rows = {{.values = "r/a", .gpus = 9}, {.values = "r/b", .gpus = 4}},
	 .as_usual = "a:9 b:3",
	 .balanced = "a:8 b:4"},
	{.name = "the rack in which hosts get most",
	 .count = 8,
	 .level = "rack",
	 .rows = {{.values = "r/a", .gpus = 7},
		  {.values = "r/b", .gpus = 1},
		  {.values = "s/c", .gpus = 4},
		  {.values = "s/d", .gpus = 4}},
	 .as_usual = "a:7 b:1",
	 .balanced = "c:4 d:4"},
	{.name = "the two hosts with the least room that hold it",
	 .count = 8,
	 .level = "rack",
	 .rows = {{.values = "r/a", .gpus = 7},
		  {.values = "r/b", .gpus = 5},
		  {.values = "r/c", .gpus = 4}},
	 .as_usual = "a:7 c:1",
	 .balanced = "b:4 c:4"},
	{.name = "whole slices",
	 .count = 8,
	 .level = "rack",
	 .slices = HOST,
	 .size = 2,
	 .rows = {{.values = "r/a", .gpus = 7}, {.values = "r/b", .gpus = 7}},
	 .as_usual = "a:6 b:2",
	 .balanced = "a:4 b:4"},
	{.name = "a leader stands beside",
	 .count = 10,
	 .level = "rack",
	 .leader = true,
	 .rows = {{.values = "r/a", .gpus = 7}, {.values = "r/b", .gpus = 5}},
	 .as_usual = "a:6 b:4 | a:1",
	 .balanced = "a:5 b:5 | a:1"},
	{.name = "a required level is not balanced",
	 .count = 10,
	 .level = "rack",
	 .required = true,
	 .rows = {{.values = "r/a", .gpus = 8}, {.values = "r/b", .gpus = 8}},
	 .as_usual = "a:8 b:2",
	 .balanced = "a:8 b:2"},
	{.name = "what no group of siblings holds is placed as usual",
	 .count = 6,
	 .level = HOST,
	 .rows = {{.values = "r/a", .gpus = 4}, {.values = "s/b", .gpus = 4}},
	 .as_usual = "a:4 b:2",
	 .balanced = "a:4 b:2"},
};

static void print(const struct kueue_tas *tas, const struct kueue_tas_set *set, char *out)
{
	for (uint32_t i = 0; i < set->spot_count; i++) {
		const struct kueue_tas_spot *spot = &tas->spots[set->first_spot + i];

		sprintf(out + strlen(out), "%s%s:%u", i > 0 ? " " : "",
			kueue_topology_place(tas->topology, spot->place), spot->pods);
	}
}

static void place(struct topology_case *c, const struct placement *p, char *out)
{
	struct kueue_tas *tas = kueue_tas_new(c->t);
	struct pod_shape shape = c->gpu;
	struct kueue_tas_set sets[2];

	shape.topology_mode = p->required ? TOPOLOGY_REQUIRED : TOPOLOGY_PREFERRED;
	shape.topology_level = case_string(c, p->level);
	if (p->leader)
		shape.topology_group = case_string(c, "group");
	if (p->slices != NULL) {
		shape.slice_level = case_string(c, p->slices);
		shape.slice_size = p->size;
	}
	sets[0] = sets[1] = kueue_tas_request(&shape);
	sets[0].count = p->count;
	sets[1].count = 1;
	*out = '\0';
	ck_assert(kueue_tas_place(tas, sets, p->leader ? 2 : 1, false));
	print(tas, &sets[0], out);
	if (p->leader) {
		strcat(out, " | ");
		print(tas, &sets[1], out);
	}
	kueue_tas_free(tas);
}

START_TEST(pods_are_balanced)
{
	struct topology_case c;
	char got[256];

	case_open(&c, "rack " HOST, cases[_i].rows);
	place(&c, &cases[_i], got);
	ck_assert_msg(strcmp(got, cases[_i].as_usual) == 0, "%s: %s", cases[_i].name, got);
	turn_on(&c);
	place(&c, &cases[_i], got);
	ck_assert_msg(strcmp(got, cases[_i].balanced) == 0, "%s: %s", cases[_i].name, got);
	case_close(&c);
}
END_TEST

#define HOSTS 5

/* Everybody gets so many at least: an even part, but no more than the smallest of as
 * few hosts as can be has room for. */
static int64_t threshold_of(const int64_t *room, int64_t need, int *fewest)
{
	int64_t left = need, last = INT64_MAX;
	bool taken[HOSTS] = {false};

	for (*fewest = 0; left > 0; ++*fewest) {
		int largest = -1;

		for (int i = 0; i < HOSTS; i++) {
			if (!taken[i] && (largest < 0 || room[i] > room[largest]))
				largest = i;
		}
		taken[largest] = true;
		last = room[largest];
		left -= last;
	}
	return last < need / *fewest ? last : need / *fewest;
}

/* The least room of so many hosts that hold all, each as much as the threshold. */
static int64_t tightest(const int64_t *room, int64_t need)
{
	int64_t best = INT64_MAX;
	int fewest;
	int64_t threshold = threshold_of(room, need, &fewest);

	for (unsigned set = 1; set < 1U << HOSTS; set++) {
		int64_t sum = 0;
		int used = 0;

		for (int i = 0; i < HOSTS; i++) {
			if ((set >> i & 1) == 0)
				continue;
			sum += room[i] < threshold ? -need : room[i];
			used++;
		}
		if (used == fewest && sum >= need && sum < best)
			best = sum;
	}
	return best;
}

/* Hosts of one level: those chosen are as few as can be, and have the least room. */
START_TEST(as_any_choice_by_hand)
{
	static const char *const names[HOSTS] = {"a", "b", "c", "d", "e"};
	struct case_row rows[HOSTS + 1] = {{.values = NULL}};
	struct kueue_room rooms[HOSTS] = {{0}};
	uint32_t chosen[HOSTS];
	int64_t room[HOSTS], need, sum = 0, given = 0;
	struct topology_case c;
	struct kueue_balance balance;
	unsigned seed = (unsigned)_i * 2654435761U + 12345U;

	for (int i = 0; i < HOSTS; i++) {
		seed = seed * 1103515245U + 12345U;
		room[i] = 4 + (seed >> 16) % 5;
		sum += room[i];
		rows[i] = (struct case_row){.values = names[i], .gpus = room[i]};
		rooms[i] = (struct kueue_room){room[i], room[i], room[i], room[i], 0, 0};
	}
	need = 1 + (int64_t)(seed >> 8) % (sum / 2);
	case_open(&c, HOST, rows);
	balance = (struct kueue_balance){
		.tree = &c.t->trees[0], .size = 1, .need = need, .rooms = rooms, .chosen = chosen};
	if (kueue_balance_choose(&balance)) {
		int64_t have = 0;

		for (uint32_t i = 0; i < balance.chosen_count; i++) {
			have += room[chosen[i]];
			given += rooms[chosen[i]].pods;
		}
		ck_assert_int_eq(have, tightest(room, need));
		ck_assert_int_eq(given, need);
	} else {
		for (int i = 0; i < HOSTS; i++)
			ck_assert_int_eq(rooms[i].pods, room[i]);
	}
	case_close(&c);
}
END_TEST

START_TEST(too_much_is_left_alone)
{
	static const struct case_row rows[] = {{.values = "a", .gpus = 2}, {.values = NULL}};
	struct kueue_room rooms[1] = {{2, 2, 2, 2, 0, 0}};
	uint32_t chosen[1];
	struct topology_case c;
	struct kueue_balance balance;

	case_open(&c, HOST, rows);
	balance = (struct kueue_balance){
		.tree = &c.t->trees[0], .size = 1, .need = 3, .rooms = rooms, .chosen = chosen};
	ck_assert(!kueue_balance_choose(&balance));
	ck_assert_int_eq(rooms[0].pods, 2);
	balance.need = 0;
	ck_assert(!kueue_balance_choose(&balance));
	case_close(&c);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sim/kueue/kueue_balance");
	TCase *t = tcase_create("all");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(t, pods_are_balanced, 0, (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_loop_test(t, as_any_choice_by_hand, 0, 200);
	tcase_add_test(t, too_much_is_left_alone);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
