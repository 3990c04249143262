#include "sim/world/journal_block.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"

#define JOBS 3

static const uint32_t first_pod[JOBS] = {0, 4, 9};
static const struct journal_slots slots = {first_pod, JOBS};

static void check_same(const struct journal_record *records)
{
	uint8_t bytes[JOURNAL_BLOCK_BYTES];
	struct journal_record out[JOURNAL_BLOCK + 1], spare;
	size_t size = journal_block_pack(records, &slots, bytes);

	ck_assert_uint_le(size, JOURNAL_BLOCK_BYTES - JOURNAL_BLOCK_SPARE);
	memset(bytes + size, 0xff, JOURNAL_BLOCK_SPARE);
	memset(out, 0x55, sizeof(out));
	memset(&spare, 0x55, sizeof(spare));
	journal_block_unpack(bytes, &slots, out);
	ck_assert_mem_eq(out, records, JOURNAL_BLOCK * sizeof(*out));
	ck_assert_mem_eq(&out[JOURNAL_BLOCK], &spare, sizeof(spare));
}

/* One field after the other takes each of these. */
static const uint64_t edges[] = {
	0,	    1,		0xff,	    0x100,	 0xffff,      0x10000,		0xffffff,
	0x1000000,  0x7fffffff, 0x80000000, 1000000,	 255000000,   256000000,	0xfffffffe,
	0xffffffff, 1ULL << 32, 1u << 24,   65535000000, 65536000000, (1ULL << 40) - 1, 1ULL << 40,
	INT64_MAX,  1ULL << 63, UINT64_MAX,
};

START_TEST(any_value_comes_back)
{
	struct journal_record records[JOURNAL_BLOCK];

	for (size_t i = 0; i < JOURNAL_BLOCK; i++) {
		uint64_t value = edges[(size_t)_i];
		struct journal_record *r = &records[i];

		*r = (struct journal_record){.pod = UINT32_MAX, .kind = (uint16_t)i};
		switch (i % 8) {
		case 0:
			r->time = (simtime)value;
			break;
		case 1:
			r->job = (uint32_t)value;
			break;
		case 2:
			r->pod = (uint32_t)value;
			break;
		case 3:
			r->arg = (uint32_t)value;
			break;
		case 4:
			r->arg2 = (uint32_t)value;
			break;
		case 5:
			r->incarnation = (uint16_t)value;
			break;
		case 6:
			r->by_incarnation = (uint32_t)value;
			break;
		default:
			memset(r, 0xff, sizeof(*r));
			r->kind = JOURNAL_BLOCK_KINDS - 1;
			break;
		}
	}
	check_same(records);
}
END_TEST

START_TEST(random_records_come_back)
{
	struct rng *rng = rng_new((uint64_t)_i, "records");
	struct journal_record records[JOURNAL_BLOCK];

	for (size_t i = 0; i < JOURNAL_BLOCK; i++) {
		uint64_t scale = 1ULL << rng_below(rng, 40);

		records[i] = (struct journal_record){
			.time = (simtime)rng_below(rng, scale) *
				(rng_below(rng, 2) ? CLOCK_SECOND : 1),
			.job = (uint32_t)rng_below(rng, scale),
			.pod = rng_below(rng, 2) ? UINT32_MAX : (uint32_t)rng_below(rng, scale),
			.arg = (uint32_t)rng_below(rng, scale),
			.arg2 = (uint32_t)rng_below(rng, scale),
			.kind = (uint16_t)rng_below(rng, JOURNAL_BLOCK_KINDS),
			.incarnation = (uint16_t)rng_below(rng, 3),
			.by_incarnation = (uint32_t)rng_below(rng, 3),
		};
	}
	rng_free(rng);
	check_same(records);
}
END_TEST

/* Of two records the second goes without saying, or differs in one thing; or it is the next
 * block's. */
START_TEST(what_follows_comes_back)
{
	struct journal_record records[JOURNAL_BLOCK + 2];

	for (uint32_t i = 0; i < JOURNAL_BLOCK + 2; i += 2) {
		struct journal_record *r = &records[i];

		r[0] = (struct journal_record){.time = 7 * CLOCK_SECOND * i,
					       .job = i % JOBS,
					       .pod = first_pod[i % JOBS] + 1,
					       .arg = i};
		r[1] = r[0];
		r[1].kind = JOURNAL_BLOCK_FOLLOWER;
		r[1].pod = i % 16 == 2 ? 0 : UINT32_MAX;
		r[1].arg = i % 16 == 4 ? 2 : 1;
		r[1].arg2 = i % 16 == 6;
		r[1].job += i % 16 == 8;
		r[1].time += i % 16 == 10;
		r[1].kind = (uint16_t)(r[1].kind + (i % 16 == 12));
		r[1].by_incarnation = i % 32 == 14;
		r[1].incarnation = i % 32 == 30;
		r[0].incarnation = i % 32 == 16;
	}
	check_same(records + _i);
}
END_TEST

/* A job after the other comes, is bound, starts and ends: what most records tell. */
START_TEST(what_is_common_takes_few_bytes)
{
	struct journal_record records[JOURNAL_BLOCK];
	uint8_t bytes[JOURNAL_BLOCK_BYTES];

	for (uint32_t i = 0; i < JOURNAL_BLOCK; i++)
		records[i] = (struct journal_record){
			.time = (1000 + i / 4 * 7) * CLOCK_SECOND,
			.job = i % 4 == 3 && i > 40 ? i / 4 - 10 : i / 4,
			.pod = i % 4 == 1 ? 0 : UINT32_MAX,
			.arg = i % 4 == 1 ? 300 : i % 4 == 2,
			.kind = i % 4 == 2 ? JOURNAL_BLOCK_FOLLOWER : (uint16_t)(i % 4),
		};
	ck_assert_uint_le(journal_block_pack(records, &slots, bytes), JOURNAL_BLOCK * 15 / 4);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/world/journal_block");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, any_value_comes_back, 0, (int)(sizeof(edges) / sizeof(edges[0])));
	tcase_add_loop_test(t, random_records_come_back, 0, 500);
	tcase_add_loop_test(t, what_follows_comes_back, 0, 2);
	tcase_add_test(t, what_is_common_takes_few_bytes);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
