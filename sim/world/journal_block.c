#include "sim/world/journal_block.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "core/apart.h"

/* What stands in front of each record: its kind, and the width of each of its fields. */
#define KIND_BITS  6
#define TIME_SHIFT KIND_BITS
#define JOB_SHIFT  (TIME_SHIFT + 3)
#define ARG_SHIFT  (JOB_SHIFT + 2)
#define ARG2_SHIFT (ARG_SHIFT + 2)
#define POD_SHIFT  (ARG2_SHIFT + 2)
#define HEAD_BYTES 2
/* And of those of a pod. */
#define NUMBER_SHIFT   2
#define BY_SHIFT       4
#define FOLLOWED_SHIFT 6
#define POD_HEAD_BYTES 1
static_assert(1 << KIND_BITS == JOURNAL_BLOCK_KINDS, "a kind fits");

static const uint64_t masks[9] = {
	0,	    0xff,	  0xffff,	  0xffffff,
	0xffffffff, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff,
	UINT64_MAX,
};

/* Widths by code: of numbers, and of times, whose unit hangs on it. */
static const uint8_t number_widths[4] = {0, 1, 2, 4};
/* The codes of numbers by their length in bits. */
static const uint8_t number_codes[33] = {0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2,
					 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3};
static const uint8_t time_widths[8] = {0, 1, 2, 3, 4, 5, 8, 8};
static const uint32_t time_units[8] = {1, CLOCK_SECOND, CLOCK_SECOND, 1, 1, 1, 1, 1};

/* Eight bytes, the lowest first: blocks never leave the machine, but masks count on it. */
static uint64_t load(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	value = __builtin_bswap64(value);
#endif
	return value;
}

static void store(uint8_t *at, uint64_t value)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	value = __builtin_bswap64(value);
#endif
	memcpy(at, &value, sizeof(value));
}

/* Small whatever the sign. */
static uint32_t fold(uint32_t difference)
{
	return difference << 1 ^ (0U - (difference >> 31));
}

static uint32_t unfold(uint32_t folded)
{
	return folded >> 1 ^ (0U - (folded & 1));
}

static uint32_t number_code(uint32_t number)
{
	/* 63 less so many zeros in front: as an exclusive or a processor that counts from the other
	 * end takes no step for it. */
	return number_codes[__builtin_clzll((uint64_t)number << 1 | 1) ^ 63];
}

static APART uint32_t odd_time_code(uint64_t difference)
{
	uint32_t code = 3;

	while (difference > masks[time_widths[code]])
		code++;
	return code;
}

/* Mostly times differ by whole seconds, or not at all. *value: what to write. */
static uint32_t time_code(uint64_t difference, uint64_t *value)
{
	uint64_t seconds = difference / CLOCK_SECOND;

	*value = difference;
	if (seconds > 0xffff || seconds * CLOCK_SECOND != difference)
		return odd_time_code(difference);
	*value = seconds;
	return (uint32_t)(seconds != 0) + (seconds > 0xff);
}

static uint32_t first_pod(const struct journal_slots *slots, uint32_t job)
{
	return job < slots->job_count ? slots->first_pod[job] : 0;
}

static uint8_t *put(uint8_t *at, uint32_t number, uint32_t code)
{
	store(at, number);
	return at + number_widths[code];
}

/* Is there nothing to say of the second that does not go without saying? */
static bool follows(const struct journal_record *r, const struct journal_record *second)
{
	uint64_t other = (uint64_t)(r->time ^ second->time);

	other |= (r->job ^ second->job) | (second->kind ^ JOURNAL_BLOCK_FOLLOWER) |
		 (second->arg ^ 1) | second->arg2 | ~second->pod | second->incarnation |
		 second->by_incarnation;
	return other == 0;
}

static uint8_t *pack_pod(const struct journal_record *r, const struct journal_slots *slots,
			 uint32_t followed, uint8_t *at)
{
	uint32_t pod = r->pod - first_pod(slots, r->job);
	uint32_t index = number_code(pod), number, by;

	if ((r->incarnation | r->by_incarnation) == 0) { /* as of most */
		*at = (uint8_t)(index | followed << FOLLOWED_SHIFT);
		return put(at + POD_HEAD_BYTES, pod, index);
	}
	number = number_code(r->incarnation);
	by = number_code(r->by_incarnation);
	*at = (uint8_t)(index | number << NUMBER_SHIFT | by << BY_SHIFT |
			followed << FOLLOWED_SHIFT);
	at = put(at + POD_HEAD_BYTES, pod, index);
	at = put(at, r->incarnation, number);
	return put(at, r->by_incarnation, by);
}

size_t journal_block_pack(const struct journal_record *records, const struct journal_slots *slots,
			  uint8_t *out)
{
	const struct journal_record *end = records + JOURNAL_BLOCK;
	uint8_t *at = out;
	uint64_t time = 0;
	uint32_t job = 0;

	for (const struct journal_record *r = records; r < end; r++) {
		uint64_t value;
		uint32_t other = fold(r->job - job);
		uint32_t when = time_code((uint64_t)r->time - time, &value),
			 who = number_code(other), arg = number_code(r->arg), arg2 = 0;
		uint32_t pod = (~r->pod | r->incarnation | r->by_incarnation) != 0;

		if (r->arg2 != 0) /* seldom */
			arg2 = number_code(r->arg2);
		store(at, r->kind | when << TIME_SHIFT | who << JOB_SHIFT | arg << ARG_SHIFT |
				  arg2 << ARG2_SHIFT | pod << POD_SHIFT);
		at += HEAD_BYTES;
		store(at, value);
		at += time_widths[when];
		at = put(at, other, who);
		at = put(at, r->arg, arg);
		if (arg2 != 0)
			at = put(at, r->arg2, arg2);
		time = (uint64_t)r->time;
		job = r->job;
		if (pod != 0) {
			bool followed = r + 1 < end && follows(r, r + 1);

			at = pack_pod(r, slots, followed, at);
			r += followed;
		}
	}
	return (size_t)(at - out);
}

static uint32_t get(const uint8_t **at, uint32_t code)
{
	uint32_t width = number_widths[code & 3];
	uint32_t number = (uint32_t)(load(*at) & masks[width]);

	*at += width;
	return number;
}

/* Is it followed by a record without bytes? */
static bool unpack_pod(const uint8_t **at, const struct journal_slots *slots,
		       struct journal_record *r)
{
	uint32_t head = **at;

	*at += POD_HEAD_BYTES;
	r->pod = first_pod(slots, r->job) + get(at, head);
	r->incarnation = (uint16_t)get(at, head >> NUMBER_SHIFT);
	r->by_incarnation = get(at, head >> BY_SHIFT);
	return head >> FOLLOWED_SHIFT != 0;
}

static void unpack_follower(const struct journal_record *r, struct journal_record *second)
{
	second->time = r->time;
	second->job = r->job;
	second->pod = UINT32_MAX;
	second->arg = 1;
	second->arg2 = 0;
	second->kind = JOURNAL_BLOCK_FOLLOWER;
	second->incarnation = 0;
	second->by_incarnation = 0;
}

void journal_block_unpack(const uint8_t *bytes, const struct journal_slots *slots,
			  struct journal_record *records)
{
	const uint8_t *at = bytes;
	uint64_t time = 0;
	uint32_t job = 0;

	for (struct journal_record *r = records; r < records + JOURNAL_BLOCK; r++) {
		uint32_t head = (uint32_t)(load(at) & masks[HEAD_BYTES]);
		uint32_t when = head >> TIME_SHIFT & 7;

		at += HEAD_BYTES;
		time += (load(at) & masks[time_widths[when]]) * time_units[when];
		at += time_widths[when];
		job += unfold(get(&at, head >> JOB_SHIFT));
		r->time = (simtime)time;
		r->job = job;
		r->arg = get(&at, head >> ARG_SHIFT);
		r->arg2 = get(&at, head >> ARG2_SHIFT);
		r->kind = (uint16_t)(head & (JOURNAL_BLOCK_KINDS - 1));
		r->pod = UINT32_MAX;
		r->incarnation = 0;
		r->by_incarnation = 0;
		if (head >> POD_SHIFT != 0 && unpack_pod(&at, slots, r)) {
			unpack_follower(r, r + 1);
			r++;
		}
	}
}
