/* watch_play.h - a run played on a terminal, frame after frame; elsewhere some frames below
 * each other.
 */
#ifndef SIM_WATCH_PLAY_H
#define SIM_WATCH_PLAY_H

#include "sim/input/cmd.h"
#include "sim/page/watch.h"

/* The whole run in so many seconds, until the user stops it. */
void watch_play(const struct cmd_context *context, const struct report_column *column,
		uint32_t seconds);

#endif
