#include "sim/page/watch_play.h"

#include <time.h>

#define FRAMES_A_SECOND 10
#define FRAMES_BELOW	12 /* where they do not follow each other in one place */

#define HOME "\033[H"  /* to the first line */
#define WIPE "\033[2J" /* the whole screen */
#define REST "\033[J"  /* what is below */

static void wait_a_frame(void)
{
	const struct timespec pause = {.tv_nsec = 1000000000L / FRAMES_A_SECOND};

	nanosleep(&pause, NULL);
}

static simtime time_of(const struct report_column *column, uint32_t i, uint32_t frames)
{
	const struct metrics *m = column->metrics;

	return m->begin + (simtime)((double)(m->end - m->begin) * ((double)i / frames));
}

void watch_play(const struct cmd_context *context, const struct report_column *column,
		uint32_t seconds)
{
	const struct watch_look look = {.utf8 = context->out_utf8, .colour = context->out_terminal};
	uint32_t frames = context->out_screen ? seconds * FRAMES_A_SECOND : FRAMES_BELOW;
	struct watch *watch = watch_new(column);

	if (context->out_screen)
		fputs(WIPE, context->out);
	for (uint32_t i = 0; i <= frames; i++) {
		/* What was asked to stop shows how it ends. */
		if (context->stop != NULL && *context->stop != 0)
			i = frames;
		fputs(context->out_screen ? HOME REST : "", context->out);
		watch_frame(watch, time_of(column, i, frames), &look, context->out);
		if (!context->out_screen && i < frames)
			fputs("\n", context->out);
		fflush(context->out);
		if (context->out_screen && i < frames)
			wait_a_frame();
	}
	watch_free(watch);
}
