/* records.h - journals written by hand: what a test of figures starts from. */
#ifndef TESTS_SUPPORT_RECORDS_H
#define TESTS_SUPPORT_RECORDS_H

#include "sim/world/journal.h"

void records_add(struct journal *journal, const struct journal_record *record);
/* Adds a record about a job; times in seconds. */
void records_job(struct journal *journal, int64_t at_s, enum journal_kind kind, uint32_t job,
		 uint32_t arg, uint32_t arg2);
/* About the index-th pod of a job. */
void records_pod(struct journal *journal, int64_t at_s, enum journal_kind kind, uint32_t job,
		 uint32_t index, uint32_t arg, uint32_t arg2);
/* Work thrown away, in seconds. */
void records_lost(struct journal *journal, int64_t at_s, uint32_t job, int64_t lost_s);
/* An admission of all pods of a job with one pod set, nvidia.com/gpu in flavor 0. */
uint32_t records_admission(struct journal *journal, uint32_t job, uint32_t queue, uint32_t borrow);

/* Puts another record in the place of one. */
void records_change(struct journal *journal, size_t number, const struct journal_record *record);
bool records_equal(const struct journal *a, const struct journal *b);

#endif
