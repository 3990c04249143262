/* shape.h - a pod_shape as a value: hash, equality, copy, and the fields that
 * follow from others. */
#ifndef SIM_SHAPE_H
#define SIM_SHAPE_H

#include "core/job.h"
#include "core/mem.h"

/* What kube-scheduler assumes for scoring where a container names none. */
#define SHAPE_DEFAULT_CPU    INT64_C(100)		  /* milli */
#define SHAPE_DEFAULT_MEMORY (INT64_C(200) * 1024 * 1024) /* bytes */

/* Fills requested, nonzero_*, gpus and container_count where they are zero, from
 * request (width resources, named by resources). */
void shape_complete(struct pod_shape *shape, const struct name_table *resources, uint32_t width);

/* The vectors of a have width_a resources, those of b width_b; what is missing
 * counts as 0. */
uint64_t shape_hash(const struct pod_shape *shape, uint32_t width);
bool shape_equal(const struct pod_shape *a, uint32_t width_a, const struct pod_shape *b,
		 uint32_t width_b);

/* Copies everything it points at; vectors go into vectors with width elements. */
struct pod_shape shape_copy(struct mem_arena *arena, struct mem_arena *vectors,
			    const struct pod_shape *shape, uint32_t width);

/* A vector of width elements copied into one of wider, the rest being fill. */
int64_t *shape_widen(struct mem_arena *arena, const int64_t *vector, uint32_t width, uint32_t wider,
		     int64_t fill);

#endif
