/* bare_loop.c - about the least that a machine must do for a run of a trace: what bench
 * divides by.
 *
 * Usage: bare_loop trace.csv   (job_id,submit_s,gpus,duration_s, as philly_like writes it)
 * Jobs start first in, first out on 312 nodes with 8 GPUs, a gang at once: arrivals stand in
 * an array, ends in a heap of four children a node, nodes in a list for each number of free
 * GPUs, the fullest that fits is taken. No names, no records, no policy. Prints jobs, events,
 * CPU seconds of scanning the mapped file once, CPU seconds of the loop, peak MiB.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/bench/measure.h"

#define NODES	 312
#define PER_NODE 8
#define NONE	 UINT32_MAX
#define FAN	 4

struct loop {
	uint32_t *submit, *duration, *first_node;
	uint8_t *gpus;
	uint32_t count;
	uint64_t *ends; /* heap: time << 24 | job */
	uint32_t end_count;
	/* nodes with k free GPUs: a list with a head each */
	uint32_t next[NODES + PER_NODE + 1], before[NODES + PER_NODE + 1];
	uint32_t listed[PER_NODE + 1];
	uint8_t free[NODES];
	uint32_t gang[NODES]; /* the next node of its job */
};

/* ---- the file, once ---- */

static const char *number(const char *at, char stop, uint32_t *out)
{
	uint32_t n = 0;

	while (*at != stop)
		n = n * 10 + (uint32_t)(*at++ - '0');
	*out = n;
	return at + 1;
}

static void scan(struct loop *l, const char *path)
{
	int file = open(path, O_RDONLY);
	struct stat stat;
	const char *text, *end;
	size_t most;

	if (file < 0 || fstat(file, &stat) != 0 || stat.st_size == 0) {
		perror(path);
		exit(2);
	}
	text = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	close(file);
	most = (size_t)stat.st_size / 8 + 1;
	end = text + stat.st_size;
	l->submit = malloc(most * sizeof(*l->submit));
	l->duration = malloc(most * sizeof(*l->duration));
	l->gpus = malloc(most);
	while (*text++ != '\n')
		;
	while (text < end) {
		uint32_t id, gpus;

		text = number(text, ',', &id);
		text = number(text, ',', &l->submit[l->count]);
		text = number(text, ',', &gpus);
		text = number(text, '\n', &l->duration[l->count]);
		l->gpus[l->count++] = (uint8_t)gpus;
	}
}

/* ---- ends of jobs ---- */

static void push(struct loop *l, uint64_t key)
{
	uint32_t at = l->end_count++;

	for (; at > 0 && l->ends[(at - 1) / FAN] > key; at = (at - 1) / FAN)
		l->ends[at] = l->ends[(at - 1) / FAN];
	l->ends[at] = key;
}

static uint64_t pop(struct loop *l)
{
	uint64_t top = l->ends[0], key = l->ends[--l->end_count];
	uint32_t at = 0;

	for (uint32_t child = 1; child < l->end_count; child = FAN * at + 1) {
		uint32_t best = child,
			 last = child + FAN < l->end_count ? child + FAN : l->end_count;

		while (++child < last)
			best = l->ends[child] < l->ends[best] ? child : best;
		if (l->ends[best] >= key)
			break;
		l->ends[at] = l->ends[best];
		at = best;
	}
	l->ends[at] = key;
	return top;
}

/* ---- nodes ---- */

static void list(struct loop *l, uint32_t node)
{
	uint32_t head = NODES + l->free[node];

	l->next[node] = l->next[head];
	l->before[node] = head;
	l->before[l->next[head]] = node;
	l->next[head] = node;
	l->listed[l->free[node]]++;
}

static void unlist(struct loop *l, uint32_t node)
{
	l->next[l->before[node]] = l->next[node];
	l->before[l->next[node]] = l->before[node];
	l->listed[l->free[node]]--;
}

static void change(struct loop *l, uint32_t node, int gpus)
{
	unlist(l, node);
	l->free[node] = (uint8_t)(l->free[node] + gpus);
	list(l, node);
}

static int place(struct loop *l, uint32_t job)
{
	uint32_t gpus = l->gpus[job], fit = gpus, nodes = gpus / PER_NODE, first = NONE;

	if (gpus < PER_NODE) {
		while (fit <= PER_NODE && l->listed[fit] == 0)
			fit++;
		if (fit > PER_NODE)
			return 0;
		l->first_node[job] = l->next[NODES + fit];
		change(l, l->first_node[job], -(int)gpus);
		return 1;
	}
	if (l->listed[PER_NODE] < nodes)
		return 0;
	for (; nodes > 0; nodes--) {
		uint32_t node = l->next[NODES + PER_NODE];

		change(l, node, -PER_NODE);
		l->gang[node] = first;
		first = node;
	}
	l->first_node[job] = first;
	return 1;
}

static void leave(struct loop *l, uint32_t job)
{
	if (l->gpus[job] < PER_NODE) {
		change(l, l->first_node[job], l->gpus[job]);
		return;
	}
	for (uint32_t node = l->first_node[job]; node != NONE; node = l->gang[node])
		change(l, node, PER_NODE);
}

/* ---- the loop ---- */

static uint64_t run(struct loop *l)
{
	uint32_t arrived = 0, waiting = 0;
	uint64_t events = 0, now;

	for (uint32_t head = NODES; head <= NODES + PER_NODE; head++)
		l->next[head] = l->before[head] = head;
	for (uint32_t node = 0; node < NODES; node++) {
		l->free[node] = PER_NODE;
		list(l, node);
	}
	while (l->end_count > 0 || arrived < l->count) {
		if (l->end_count > 0 &&
		    (arrived == l->count || l->ends[0] >> 24 <= l->submit[arrived])) {
			uint64_t key = pop(l);

			now = key >> 24;
			leave(l, (uint32_t)(key & 0xffffff));
		} else {
			now = l->submit[arrived++];
		}
		events++;
		for (; waiting < arrived && place(l, waiting); waiting++)
			push(l, (now + l->duration[waiting]) << 24 | waiting);
	}
	return events;
}

int main(int argc, char **argv)
{
	static struct loop loop;
	double start = measure_cpu(), scanned;
	uint64_t events;

	if (argc != 2) {
		fprintf(stderr, "usage: bare_loop trace.csv\n");
		return 2;
	}
	scan(&loop, argv[1]);
	scanned = measure_cpu() - start;
	loop.first_node = malloc(loop.count * sizeof(*loop.first_node));
	loop.ends = malloc(((size_t)loop.count + 1) * sizeof(*loop.ends));
	start = measure_cpu();
	events = run(&loop);
	printf("%" PRIu32 " %" PRIu64 " %.6f %.6f %.1f\n", loop.count, events, scanned,
	       measure_cpu() - start, measure_peak_mib());
	return 0;
}
