/* page.h - a report as one page: HTML that needs no network, nor any other file.
 *
 * sim/page/page.html is the frame, page.css and page.js are put into it, and the data as JSON
 * (page_data.h) in a script element that is never run.
 */
#ifndef SIM_PAGE_H
#define SIM_PAGE_H

#include "sim/report/report.h"

void page_write(FILE *out, const struct report *report);
/* The frame alone, which loads page.css, page.js and lab.js from where it came. */
void page_write_lab(FILE *out);

#endif
