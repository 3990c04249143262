/* human.h - figures as people read them; the exact ones are in JSON. */
#ifndef SIM_HUMAN_H
#define SIM_HUMAN_H

#include <stdint.h>

#include "core/clock.h"

#define HUMAN_TEXT 48

/* "1,234,567" */
char *human_count(int64_t n, char buf[HUMAN_TEXT]);
/* "41.2 %"; "<0.1 %" for what rounds to nothing and is not */
char *human_share(double share, char buf[HUMAN_TEXT]);
/* Of seconds: "2d 3h", "0s"; "never" for infinite ones. */
char *human_wait(double seconds, char buf[HUMAN_TEXT]);
/* A point in time, or how long: two units, whole seconds where it is a minute or more. */
char *human_time(simtime time, char buf[HUMAN_TEXT]);

/* GPU-time is shown in one unit a row: hours if any is at least 10 h. */
enum human_unit { HUMAN_GPU_SECONDS, HUMAN_GPU_HOURS };
enum human_unit human_gpu_unit(int64_t largest_gpu_microseconds);
const char *human_gpu_unit_text(enum human_unit unit); /* "GPU-seconds", "GPU-hours" */
char *human_gpu_time(int64_t gpu_microseconds, enum human_unit unit, char buf[HUMAN_TEXT]);

#endif
