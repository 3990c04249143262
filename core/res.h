/* res.h - resource names and vectors of amounts.
 *
 * Amounts are int64 in base units: cpu in thousandths, everything else whole
 * (memory in bytes, GPUs in devices). RES_UNLIMITED absorbs (spec KUEUE.md
 * section 0); all other sums saturate instead of wrapping.
 *
 * A resource is a dense index into the scenario's table of resource names; the
 * first five are always there. A vector is int64_t[resource count].
 */
#ifndef CORE_RES_H
#define CORE_RES_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/name.h"
#include "core/num.h"

#define RES_UNLIMITED INT64_MAX
#define RES_MAX	      64 /* distinct resource names in one scenario: presence is a 64-bit set */

enum { RES_CPU, RES_MEMORY, RES_EPHEMERAL, RES_PODS, RES_GPU /* nvidia.com/gpu */, RES_FIXED };

/* Parts of GPUs are counted in thousandths of a GPU, as the open-gpu-share plugin and
 * Alibaba's traces do. A node has 1000 for each of its GPUs, and whole GPUs take
 * theirs; on which GPU of the node a part lies only policies know that ask
 * (core/gpu_share.h). */
#define RES_GPU_MILLI "alibabacloud.com/gpu-milli"

/* A table with the fixed resources in it; free with name_free. */
struct name_table *res_table_new(void);

/* Is it counted in milli-units? (cpu and requests.cpu-like names: only "cpu") */
bool res_is_milli(uint32_t resource);
/* Devices that the reports count as GPUs: any name whose part after the slash
 * is "gpu" (nvidia.com/gpu, amd.com/gpu, ...), or i915/xe of gpu.intel.com. */
bool res_is_gpu(const char *name);
/* How an amount of it is printed in messages. */
enum num_style res_style(const char *name);

/* Saturating; RES_UNLIMITED, the largest number there is, absorbs. */
static inline int64_t res_add(int64_t a, int64_t b)
{
	int64_t sum;

	if (a == RES_UNLIMITED || b == RES_UNLIMITED)
		return RES_UNLIMITED;
	if (!__builtin_add_overflow(a, b, &sum))
		return sum;
	return b > 0 ? INT64_MAX : INT64_MIN;
}

/* The same, for a, b >= 0. */
static inline int64_t res_mul(int64_t a, int64_t b)
{
	int64_t product;

	assert(a >= 0 && b >= 0);
	return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

/* UNLIMITED - finite = UNLIMITED, - UNLIMITED = 0; finite - UNLIMITED = INT64_MIN (spec KUEUE.md
 * section 0). */
static inline int64_t res_sub(int64_t a, int64_t b)
{
	int64_t rest;

	if (a == RES_UNLIMITED)
		return b == RES_UNLIMITED ? 0 : RES_UNLIMITED;
	if (b == RES_UNLIMITED)
		return INT64_MIN;
	if (!__builtin_sub_overflow(a, b, &rest))
		return rest;
	return b < 0 ? INT64_MAX : INT64_MIN;
}

/* Order in which Kueue walks the requests of a pod set: 64-bit FNV-1a of the
 * name, then the name (spec KUEUE.md section 0). */
uint64_t res_order_key(const char *name);

#endif
