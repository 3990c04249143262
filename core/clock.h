/* clock.h - simulated time: integer microseconds since the run's time zero.
 *
 * The only place where a decimal number of seconds becomes a time, and back.
 * Sums saturate at CLOCK_NEVER, so "never" needs no special case.
 */
#ifndef CORE_CLOCK_H
#define CORE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int64_t simtime; /* microseconds */

#define CLOCK_SECOND INT64_C(1000000)
#define CLOCK_MINUTE (60 * CLOCK_SECOND)
#define CLOCK_HOUR   (60 * CLOCK_MINUTE)
#define CLOCK_DAY    (24 * CLOCK_HOUR)
#define CLOCK_NEVER  INT64_MAX
#define CLOCK_TEXT   32 /* bytes that hold any formatted time */

/* a + b for b >= 0; CLOCK_NEVER absorbs. */
simtime clock_add(simtime a, simtime b);

/* The whole second that t lies in, as Kubernetes' metav1.Time truncates. */
simtime clock_floor_second(simtime t);

/* Reads decimal seconds ("90", "99.5", "4550879.0"), at most six significant
 * decimals, whole text, no sign, no exponent. False if it is anything else or
 * too large. */
bool clock_read_seconds(const char *text, size_t len, simtime *out);

/* Reads a duration as people write it: "90", "90s", "15m", "8h", "1h30m",
 * "2d" (bare numbers are seconds), "500ms". False if malformed. */
bool clock_read_duration(const char *text, size_t len, simtime *out);

/* What is wrong with a text that clock_read_duration does not read, and how to write it: the
 * end of a sentence that begins with the text. */
const char *clock_duration_fault(const char *text, size_t len);

/* Nearest microsecond to a number of seconds; the one rounding from double. */
simtime clock_from_double(double seconds);

/* "99.5", "600", "-3": seconds with decimals only where needed. Returns buf. */
char *clock_format_seconds(simtime t, char buf[CLOCK_TEXT]);

/* "2d 3h", "1h 30m", "15m 20s", "0s", "1.5s", "never": for people; two units. */
char *clock_format_human(simtime t, char buf[CLOCK_TEXT]);

#endif
