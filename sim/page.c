#include "sim/page.h"

#include <string.h>

#include "sim/output.h"
#include "sim/page_data.h"
#include "sim/page_files.h"

#define STYLE  "<!--style-->"
#define SCRIPT "<!--script-->"
/* The page may load nothing, whatever is in it. */
#define ALONE                                                                                      \
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "    \
	"'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; "            \
	"form-action 'none'\">\n"

/* No "<" can end the element, or begin a comment in it. */
static void write_data(FILE *out, const struct report *report)
{
	struct output_text text;

	output_text_open(&text);
	page_data_write(text.file, report);
	output_text_close(&text);
	for (size_t at = 0; at < text.size;) {
		size_t plain = strcspn(text.data + at, "<");

		fwrite(text.data + at, 1, plain, out);
		at += plain;
		if (at < text.size) {
			fputs("\\u003c", out);
			at++;
		}
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
	fputs("<script type=\"application/json\" id=\"data\">", out);
	write_data(out, report);
	fprintf(out, "</script>\n<script>\n%s</script>", page_js);
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
