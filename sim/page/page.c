#include "sim/page/page.h"

#include <string.h>

#include "core/mem.h"
#include "sim/page/page_data.h"
#include "sim/page/page_files.h"
#include "sim/tool/output.h"
#include "sim/tool/pack.h"

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

/* What is not large is told as it is; what is, briefly, and as much of it as fits. */
static const struct page_room whole = {
	.jobs = 20000, .spans = 60000, .events = 200000, .text = 1000000};
static const struct page_room large = {
	.jobs = 200000, .spans = 600000, .events = 1200000, .text = 1000000, .brief = true};
/* It always fits: test_page.c tries the worst. */
static const struct page_room least = {
	.jobs = 2000, .spans = 15000, .events = 12000, .text = 250000, .brief = true};
/* A room is made so much smaller than it would have to be. */
#define CAUTION 0.95

static char *pack_data(const struct report *report, const struct page_room *room)
{
	struct output_text text;
	char *packed = NULL;

	output_text_open(&text);
	page_data_write(text.file, report, room);
	output_text_close(&text);
	packed = pack_base64(text.data, text.size);
	output_text_free(&text);
	return packed;
}

/* The room for this share of what it had; of jobs, of those that there are. */
static struct page_room shrink(const struct page_room *room, uint32_t jobs, double share)
{
	double part = share * (room->jobs > jobs ? (double)jobs / room->jobs : 1);

	return (struct page_room){
		.jobs = (uint32_t)(room->jobs * part),
		.spans = (size_t)((double)room->spans * part),
		.events = (size_t)((double)room->events * part),
		.text = room->text,
		.brief = true,
	};
}

static char *pack_what_fits(const struct report *report)
{
	uint32_t jobs = report->columns[0].scenario->job_count;
	struct page_room room = jobs <= whole.jobs ? whole : large;
	char *packed = pack_data(report, &room);

	while (strlen(packed) > PACKED_MAX && room.jobs > least.jobs) {
		if (room.brief)
			room = shrink(&room, jobs,
				      CAUTION * (double)PACKED_MAX / (double)strlen(packed));
		else
			room = large;
		if (room.jobs < least.jobs)
			room = least;
		mem_free(packed);
		packed = pack_data(report, &room);
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

	if (report->columns[0].scenario->job_count <= whole.jobs) {
		output_text_open(&text);
		page_data_write(text.file, report, &whole);
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
