#include "sim/tool/progress.h"

#include <inttypes.h>
#include <pthread.h>
#include <time.h>

#include "core/mem.h"

#define FIRST_LINE_AFTER 0.5 /* seconds: short runs stay silent */
#define LINE_EVERY	 0.2

struct run {
	struct progress *all;
	uint64_t finished;
};

struct progress {
	FILE *terminal;
	pthread_mutex_t lock;
	struct run *runs;
	size_t run_count;
	uint64_t total; /* jobs of all runs */
	const char *what;
	double begun, printed;
	int shown; /* a line stands there */
};

static double host_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

struct progress *progress_new(FILE *terminal, size_t runs, uint64_t jobs, const char *what)
{
	struct progress *progress = mem_calloc(1, sizeof(*progress));

	progress->terminal = terminal;
	pthread_mutex_init(&progress->lock, NULL);
	progress->runs = mem_calloc(runs, sizeof(*progress->runs));
	progress->run_count = runs;
	progress->total = jobs * runs;
	progress->what = what;
	progress->begun = host_seconds();
	progress->printed = progress->begun + FIRST_LINE_AFTER - LINE_EVERY;
	for (size_t i = 0; i < runs; i++)
		progress->runs[i].all = progress;
	return progress;
}

void progress_expect(struct progress *progress, uint64_t total)
{
	pthread_mutex_lock(&progress->lock);
	progress->total = total;
	pthread_mutex_unlock(&progress->lock);
}

void progress_free(struct progress *progress)
{
	if (progress == NULL)
		return;
	if (progress->shown) {
		fputs("\r\033[K", progress->terminal);
		fflush(progress->terminal);
	}
	pthread_mutex_destroy(&progress->lock);
	mem_free(progress->runs);
	mem_free(progress);
}

void *progress_run(struct progress *progress, size_t run)
{
	return &progress->runs[run];
}

static void print_line(struct progress *progress, double now)
{
	uint64_t finished = 0;
	double share, left;
	char text[CLOCK_TEXT];

	for (size_t i = 0; i < progress->run_count; i++)
		finished += progress->runs[i].finished;
	if (finished == 0 || finished > progress->total)
		return;
	share = (double)finished / (double)progress->total;
	left = (now - progress->begun) * (1 - share) / share;
	clock_format_human(clock_from_double(left) / CLOCK_SECOND * CLOCK_SECOND, text);
	fprintf(progress->terminal, "\r\033[K%3.0f %%  %" PRIu64 " of %" PRIu64 " %s  %s left",
		100 * share, finished, progress->total, progress->what, text);
	fflush(progress->terminal);
	progress->shown = 1;
}

void progress_report(void *context, simtime now, uint32_t finished)
{
	struct run *run = context;
	struct progress *progress = run->all;
	double host = host_seconds();

	(void)now;
	pthread_mutex_lock(&progress->lock);
	run->finished = finished;
	if (host >= progress->printed + LINE_EVERY) {
		progress->printed = host;
		print_line(progress, host);
	}
	pthread_mutex_unlock(&progress->lock);
}
