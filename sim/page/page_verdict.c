#include "sim/page/page_verdict.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "sim/tool/human.h"

/* "2 jobs never start, 16 GPU-hours are held idle, 95 % of jobs start within 3h 26m" */
static void tell_alone(const struct metrics *m, char *buf, size_t size)
{
	enum human_unit unit = human_gpu_unit(m->idle);
	char a[HUMAN_TEXT], b[HUMAN_TEXT], c[2 * HUMAN_TEXT], wait[HUMAN_TEXT];

	if (isinf(m->wait.p95))
		snprintf(c, sizeof(c), "5 %% or more of them never start");
	else
		snprintf(c, sizeof(c), "95 %% of jobs start within %s",
			 human_wait(m->wait.p95, wait));
	if (m->never_started == 0)
		snprintf(a, sizeof(a), "every");
	else
		human_count(m->never_started, a);
	snprintf(buf, size, "%s job%s %s, %s %s are held idle, %s", a,
		 m->never_started > 1 ? "s" : "",
		 m->never_started == 0	 ? "starts"
		 : m->never_started == 1 ? "never starts"
					 : "never start",
		 human_gpu_time(m->idle, unit, b), human_gpu_unit_text(unit), c);
}

static void add(char *buf, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static void add(char *buf, size_t size, const char *fmt, ...)
{
	size_t len = strlen(buf);
	va_list ap;

	len += (size_t)snprintf(buf + len, size - len, "%s", len == 0 ? "" : ", ");
	va_start(ap, fmt);
	vsnprintf(buf + len, size - len, fmt, ap);
	va_end(ap);
}

static void tell_against(const struct metrics *m, const struct metrics *than, char *buf,
			 size_t size)
{
	int64_t stuck = (int64_t)m->never_started - than->never_started;
	int64_t idle = m->idle - than->idle;
	enum human_unit unit = human_gpu_unit(idle < 0 ? -idle : idle);
	char a[HUMAN_TEXT], b[HUMAN_TEXT];

	buf[0] = '\0';
	human_count(stuck < 0 ? -stuck : stuck, a);
	if (stuck == 0)
		add(buf, size, "as many jobs never start");
	else
		add(buf, size, "%s %s", a,
		    stuck < 0 ? "fewer jobs never start" : "more jobs never start");
	human_gpu_time(idle < 0 ? -idle : idle, unit, a);
	snprintf(b, sizeof(b), "%s %s held idle", idle < 0 ? "fewer" : "more",
		 human_gpu_unit_text(unit));
	if (idle == 0)
		add(buf, size, "as many GPU-hours held idle");
	else
		add(buf, size, "%s %s", a, b);
	human_wait(m->wait.p95, a);
	human_wait(than->wait.p95, b);
	if (strcmp(a, b) == 0)
		add(buf, size, "the same p95 wait of %s", a);
	else
		add(buf, size, "a p95 wait of %s instead of %s", a, b);
}

const char *page_verdict(const struct report *report, size_t i, char buf[PAGE_VERDICT_TEXT])
{
	const struct report_column *column = &report->columns[i];
	char text[PAGE_VERDICT_TEXT / 2];

	if (i == 0) {
		tell_alone(column->metrics, text, sizeof(text));
		snprintf(buf, PAGE_VERDICT_TEXT, "%.200s: %s.", column->title, text);
	} else {
		tell_against(column->metrics, report->columns[0].metrics, text, sizeof(text));
		snprintf(buf, PAGE_VERDICT_TEXT, "%.120s against %.120s: %s.", column->title,
			 report->columns[0].title, text);
	}
	return buf;
}
