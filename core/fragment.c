#include "core/fragment.h"

#include "core/mem.h"
#include "core/sort.h"

struct fragment {
	int64_t weight; /* of all kinds */
	int64_t *cpu;	/* ascending, distinct; row r of the tables: kinds up to cpu[r - 1] */
	uint32_t cpu_count;
	/* Column of what is left of a GPU: kinds of one GPU that want no more. */
	uint16_t column[GPU_SHARE_WHOLE + 1];
	uint32_t columns;
	int64_t *single;		    /* [row * columns + column]: weight */
	int64_t wholes[FRAGMENT_KINDS_MAX]; /* ascending, distinct: GPUs of kinds of several */
	uint32_t whole_count;
	int64_t *several; /* [row * (whole_count + 1) + those of no more GPUs]: weight */
};

static int compare_amounts(const void *a, const void *b, void *context)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	(void)context;
	return x < y ? -1 : x > y;
}

static uint32_t sort_distinct(int64_t *values, uint32_t count)
{
	uint32_t kept = 0;

	sort_stable(values, count, sizeof(*values), compare_amounts, NULL);
	for (uint32_t i = 0; i < count; i++)
		if (kept == 0 || values[i] != values[kept - 1])
			values[kept++] = values[i];
	return kept;
}

/* How many of them are not above the value? */
static uint32_t rank(const int64_t *values, uint32_t count, int64_t value)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (values[middle] <= value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* GPUs that must be wholly free; 0: a part of one will do. */
static int64_t wholes_of(const struct fragment_kind *kind)
{
	return kind->gpus.whole > 0 ? kind->gpus.whole + (kind->gpus.part > 0) : 0;
}

static bool is_several(const struct fragment_kind *kind)
{
	return wholes_of(kind) > 1;
}

/* Thousandths of one GPU; 0: no kind of one GPU. */
static uint32_t single_part(const struct fragment_kind *kind)
{
	if (is_several(kind))
		return 0;
	return kind->gpus.whole == 1 ? GPU_SHARE_WHOLE : kind->gpus.part;
}

static void make_axes(struct fragment *f, const struct fragment_kind *kinds, uint32_t count)
{
	bool wanted[GPU_SHARE_WHOLE + 1] = {false};

	f->cpu = mem_calloc(count, sizeof(*f->cpu));
	for (uint32_t i = 0; i < count; i++) {
		f->weight += kinds[i].weight;
		f->cpu[i] = kinds[i].cpu;
		wanted[single_part(&kinds[i])] = true;
		if (is_several(&kinds[i]))
			f->wholes[f->whole_count++] = wholes_of(&kinds[i]);
	}
	f->cpu_count = sort_distinct(f->cpu, count);
	f->whole_count = sort_distinct(f->wholes, f->whole_count);
	for (uint32_t left = 1; left <= GPU_SHARE_WHOLE; left++)
		f->column[left] = (uint16_t)(f->column[left - 1] + (wanted[left] ? 1 : 0));
	f->columns = f->column[GPU_SHARE_WHOLE] + 1u;
}

/* Each cell of a table of rows becomes the sum of those up to it in both directions. */
static void accumulate(int64_t *table, uint32_t rows, uint32_t columns)
{
	for (uint32_t r = 0; r < rows; r++)
		for (uint32_t c = 1; c < columns; c++)
			table[r * columns + c] += table[r * columns + c - 1];
	for (uint32_t r = 1; r < rows; r++)
		for (uint32_t c = 0; c < columns; c++)
			table[r * columns + c] += table[(r - 1) * columns + c];
}

struct fragment *fragment_new(const struct fragment_kind *kinds, uint32_t count,
			      const bool *reaches)
{
	struct fragment *f = mem_calloc(1, sizeof(*f));
	uint32_t rows;

	make_axes(f, kinds, count);
	rows = f->cpu_count + 1;
	f->single = mem_calloc((size_t)rows * f->columns, sizeof(*f->single));
	f->several = mem_calloc((size_t)rows * (f->whole_count + 1), sizeof(*f->several));
	for (uint32_t i = 0; i < count; i++) {
		uint32_t row = rank(f->cpu, f->cpu_count, kinds[i].cpu);
		uint32_t part = single_part(&kinds[i]);

		if (!reaches[i])
			continue;
		if (is_several(&kinds[i]))
			f->several[row * (f->whole_count + 1) +
				   rank(f->wholes, f->whole_count, wholes_of(&kinds[i]))] +=
				kinds[i].weight;
		else if (part > 0)
			f->single[row * f->columns + f->column[part]] += kinds[i].weight;
	}
	accumulate(f->single, rows, f->columns);
	accumulate(f->several, rows, f->whole_count + 1);
	return f;
}

void fragment_free(struct fragment *f)
{
	if (f == NULL)
		return;
	mem_free(f->cpu);
	mem_free(f->single);
	mem_free(f->several);
	mem_free(f);
}

/* What of one GPU is fragmented. */
static int64_t of_slot(const struct fragment *f, uint32_t row, uint32_t left)
{
	return left * (f->weight - f->single[row * f->columns + f->column[left]]);
}

/* What of the wholly free GPUs is. */
static int64_t of_wholes(const struct fragment *f, uint32_t row, int64_t whole)
{
	uint32_t holds = rank(f->wholes, f->whole_count, whole);

	if (whole <= 0)
		return 0;
	return whole * (of_slot(f, row, GPU_SHARE_WHOLE) -
			GPU_SHARE_WHOLE * f->several[row * (f->whole_count + 1) + holds]);
}

static int64_t of_node(const struct fragment *f, uint32_t row, const struct gpu_share *share,
		       int64_t whole)
{
	int64_t sum = of_wholes(f, row, whole);

	for (uint32_t i = 0; i < share->count; i++)
		if (share->slots[i] != GPU_SHARE_WHOLE)
			sum += of_slot(f, row, share->slots[i]);
	return sum;
}

int64_t fragment_of(const struct fragment *f, int64_t cpu, const struct gpu_share *share)
{
	return of_node(f, rank(f->cpu, f->cpu_count, cpu), share, share->whole);
}

int64_t fragment_after(const struct fragment *f, int64_t cpu, const struct gpu_share *share,
		       const struct gpu_demand *demand, uint32_t device)
{
	uint32_t row = rank(f->cpu, f->cpu_count, cpu);
	bool fresh = device == GPU_SHARE_FRESH;
	int64_t whole = share->whole - demand->whole;
	uint32_t left;

	if (demand->part == 0)
		return of_node(f, row, share, whole);
	left = fresh ? GPU_SHARE_WHOLE : share->slots[device];
	return of_node(f, row, share, whole - (fresh ? 1 : 0)) -
	       (fresh ? 0 : of_slot(f, row, left)) + of_slot(f, row, left - demand->part);
}
