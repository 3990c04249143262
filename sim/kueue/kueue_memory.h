/* kueue_memory.h - from which flavor on a workload's next scan starts (spec 3.8).
 */
#ifndef SIM_KUEUE_MEMORY_H
#define SIM_KUEUE_MEMORY_H

#include "sim/kueue/kueue_state.h"

/* Memory of the flavor scan. tried has one index per slot of the job's form. */
void kueue_memory_set(struct kueue *k, uint32_t job, const int16_t *tried);
void kueue_memory_clear(struct kueue *k, uint32_t job);
/* NULL: starts from the first flavor everywhere. */
const int16_t *kueue_memory_get(const struct kueue *k, uint32_t job);
/* Did the last scan stop before the last flavor of a group? */
bool kueue_memory_pending(const struct kueue *k, uint32_t job);
/* Is it too old to go by (spec 3.8)? */
bool kueue_memory_outdated(const struct kueue *k, uint32_t job, uint32_t queue);

#endif
