#include "core/gpu_share.h"

#include "core/mem.h"

void gpu_share_free(struct gpu_share *share)
{
	mem_free(share->slots);
	*share = (struct gpu_share){.slots = NULL};
}

static int64_t at_most(int64_t value, int64_t bound)
{
	return value < bound ? value : bound;
}

struct gpu_demand gpu_share_demand(int64_t gpus, int64_t milli)
{
	int64_t whole = milli / GPU_SHARE_WHOLE;

	if (gpus > whole || (gpus == whole && milli % GPU_SHARE_WHOLE == 0))
		return (struct gpu_demand){.whole = gpus};
	return (struct gpu_demand){.whole = whole, .part = (uint32_t)(milli % GPU_SHARE_WHOLE)};
}

void gpu_share_resize(struct gpu_share *share, int64_t from, int64_t to)
{
	share->whole += at_most(to, GPU_SHARE_MAX) - at_most(from, GPU_SHARE_MAX);
}

bool gpu_share_takes(const struct gpu_share *share, uint32_t slot, uint32_t part)
{
	return share->slots[slot] != GPU_SHARE_WHOLE && share->slots[slot] >= part;
}

bool gpu_share_fits(const struct gpu_share *share, const struct gpu_demand *demand)
{
	if (demand->whole > 0 && share->whole < demand->whole)
		return false;
	if (demand->part == 0 || share->whole > demand->whole)
		return true;
	for (uint32_t i = 0; i < share->count; i++)
		if (gpu_share_takes(share, i, demand->part))
			return true;
	return false;
}

int64_t gpu_share_room(const struct gpu_share *share)
{
	return share->left + (share->whole > 0 ? share->whole * GPU_SHARE_WHOLE : 0);
}

uint32_t gpu_share_tightest(const struct gpu_share *share, uint32_t part)
{
	uint32_t best = GPU_SHARE_FRESH;

	for (uint32_t i = 0; i < share->count; i++)
		if (gpu_share_takes(share, i, part) &&
		    (best == GPU_SHARE_FRESH || share->slots[i] < share->slots[best]))
			best = i;
	return best;
}

/* A wholly free GPU comes into part use. */
static uint32_t open_slot(struct gpu_share *share)
{
	uint32_t slot = 0;

	while (slot < share->count && share->slots[slot] != GPU_SHARE_WHOLE)
		slot++;
	if (slot == share->count) {
		share->slots = mem_grow(share->slots, share->count + 1u, &share->capacity,
					sizeof(*share->slots));
		share->slots[share->count++] = GPU_SHARE_WHOLE;
	}
	share->whole--;
	share->left += GPU_SHARE_WHOLE;
	return slot;
}

uint32_t gpu_share_take(struct gpu_share *share, const struct gpu_demand *demand, uint32_t device)
{
	share->whole -= demand->whole;
	if (demand->part == 0)
		return GPU_SHARE_FRESH;
	if (device == GPU_SHARE_FRESH)
		device = open_slot(share);
	share->slots[device] = (uint16_t)(share->slots[device] - demand->part);
	share->left -= demand->part;
	return device;
}

void gpu_share_give(struct gpu_share *share, const struct gpu_demand *demand, uint32_t slot)
{
	share->whole += demand->whole;
	if (demand->part == 0)
		return;
	share->slots[slot] = (uint16_t)(share->slots[slot] + demand->part);
	share->left += demand->part;
	if (share->slots[slot] == GPU_SHARE_WHOLE) {
		share->whole++;
		share->left -= GPU_SHARE_WHOLE;
	}
}
