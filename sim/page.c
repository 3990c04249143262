#include "sim/page.h"

#include <string.h>

#include "core/mem.h"
#include "sim/output.h"
#include "sim/pack.h"
#include "sim/page_data.h"
#include "sim/page_files.h"

#define STYLE  "<!--style-->"
#define SCRIPT "<!--script-->"
/* The page may load nothing, whatever is in it. */
#define ALONE                                                                                      \
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "    \
	"'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; "            \
	"form-action 'none'\">\n"

/* Bytes of data: up to the first they stand there as JSON; larger ones are packed, and told
 * with less and less until they are below the second. */
#define PLAIN_MAX  ((size_t)500000)
#define PACKED_MAX ((size_t)1850000)

/* The last always fits: test_page.c tries the worst. */
static const struct page_room rooms[] = {
	{.jobs = 20000, .spans = 60000, .events = 200000, .text = 1000000},
	{.jobs = 200000, .spans = 600000, .events = 900000, .text = 1000000, .brief = true},
	{.jobs = 100000, .spans = 300000, .events = 500000, .text = 500000, .brief = true},
	{.jobs = 50000, .spans = 150000, .events = 250000, .text = 500000, .brief = true},
	{.jobs = 25000, .spans = 75000, .events = 120000, .text = 250000, .brief = true},
	{.jobs = 10000, .spans = 30000, .events = 50000, .text = 250000, .brief = true},
	{.jobs = 2000, .spans = 15000, .events = 12000, .text = 250000, .brief = true},
};
#define ROOMS (sizeof(rooms) / sizeof(rooms[0]))

static char *pack_data(const struct report *report, size_t room)
{
	struct output_text text;
	char *packed = NULL;

	output_text_open(&text);
	page_data_write(text.file, report, &rooms[room]);
	output_text_close(&text);
	packed = pack_base64(text.data, text.size);
	output_text_free(&text);
	return packed;
}

/* The first room is for what is not large; of the others it is no use to try one that all
 * jobs have room in after another such. */
static bool is_worth_trying(uint32_t jobs, size_t room)
{
	if (room == 0)
		return jobs <= rooms[0].jobs;
	return room + 1 == ROOMS || rooms[room + 1].jobs < jobs;
}

static char *pack_what_fits(const struct report *report)
{
	uint32_t jobs = report->columns[0].scenario->job_count;
	char *packed = NULL;

	for (size_t room = 0; room < ROOMS; room++) {
		if (!is_worth_trying(jobs, room))
			continue;
		mem_free(packed);
		packed = pack_data(report, room);
		if (strlen(packed) <= PACKED_MAX)
			break;
	}
	return packed;
}

/* No "<" can end the element, or begin a comment in it. */
static void write_plain(FILE *out, const char *text, size_t size)
{
	fputs("<script type=\"application/json\" id=\"data\">", out);
	for (size_t at = 0; at < size;) {
		size_t plain = strcspn(text + at, "<");

		fwrite(text + at, 1, plain, out);
		at += plain;
		if (at < size) {
			fputs("\\u003c", out);
			at++;
		}
	}
	fputs("</script>\n", out);
}

static void write_data(FILE *out, const struct report *report)
{
	struct output_text text = {.data = NULL};
	char *packed;

	if (report->columns[0].scenario->job_count <= rooms[0].jobs) {
		output_text_open(&text);
		page_data_write(text.file, report, &rooms[0]);
		output_text_close(&text);
	}
	if (text.data != NULL && text.size <= PLAIN_MAX) {
		write_plain(out, text.data, text.size);
	} else {
		packed = pack_what_fits(report);
		fprintf(out, "<script type=\"text/plain\" id=\"data\">%s</script>\n", packed);
		mem_free(packed);
	}
	output_text_free(&text);
}

/* What stands before the mark in the frame; the rest. */
static const char *write_until(FILE *out, const char *frame, const char *mark)
{
	const char *at = strstr(frame, mark);

	fwrite(frame, 1, (size_t)(at - frame), out);
	return at + strlen(mark);
}

void page_write(FILE *out, const struct report *report)
{
	const char *rest = write_until(out, page_html, STYLE);

	fprintf(out, ALONE "<style>\n%s</style>", page_css);
	rest = write_until(out, rest, SCRIPT);
	write_data(out, report);
	fprintf(out, "<script>\n%s</script>", page_js);
	fputs(rest, out);
}

void page_write_lab(FILE *out)
{
	const char *rest = write_until(out, page_html, STYLE);

	fputs("<link rel=\"stylesheet\" href=\"page.css\">", out);
	rest = write_until(out, rest, SCRIPT);
	fputs("<script src=\"page.js\"></script>\n<script src=\"lab.js\"></script>", out);
	fputs(rest, out);
}
