/* journal_block.h - records of a journal, packed: mostly some 4 bytes each instead of 32.
 *
 * A block of records stands for itself: times and jobs are written as what they differ by
 * from the record before, pods as what they differ by from their job's first, and numbers
 * with the bytes that they need. Widths stand in front of each record, so that reading
 * and writing take no jump that hangs on the data.
 */
#ifndef SIM_JOURNAL_BLOCK_H
#define SIM_JOURNAL_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "core/clock.h"

struct journal_record {
	simtime time;
	uint32_t job; /* JOB_NONE where no job is concerned */
	uint32_t pod; /* slot: first_pod of the job + index; NAME_NONE where none is */
	uint32_t arg;
	uint32_t arg2;
	uint16_t kind;	      /* enum journal_kind, below JOURNAL_BLOCK_KINDS */
	uint16_t incarnation; /* of the pod: 0 the first, n: the n-th replacement */
	uint32_t by_incarnation;
};

#define JOURNAL_BLOCK	    64 /* records */
#define JOURNAL_BLOCK_KINDS 64
/* A record of this kind (J_STARTED) that follows one of a pod, of the same job and time, and says
 * no more than that it is the first attempt, takes no bytes of its own: so with most jobs. */
#define JOURNAL_BLOCK_FOLLOWER 26
#define JOURNAL_BLOCK_SPARE    8 /* bytes that must follow a block: it is read in pieces of 8 */
#define JOURNAL_BLOCK_BYTES    (JOURNAL_BLOCK * 33 + JOURNAL_BLOCK_SPARE) /* at most */

/* By which slots of pods are told. */
struct journal_slots {
	const uint32_t *first_pod; /* [job_count] */
	uint32_t job_count;
};

/* Packs JOURNAL_BLOCK records into at most JOURNAL_BLOCK_BYTES. Returns how many they take,
 * without the spare ones. */
size_t journal_block_pack(const struct journal_record *records, const struct journal_slots *slots,
			  uint8_t *out);
void journal_block_unpack(const uint8_t *bytes, const struct journal_slots *slots,
			  struct journal_record *records);

#endif
