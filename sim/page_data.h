/* page_data.h - all that a page shows of a report, as one JSON object.
 *
 * scenarios/README.md documents the object. Small inputs are told whole. Of large ones
 * (limits in page_data.c) it has some jobs with their pods and histories, and of all
 * jobs the figures, levels over time and how busy nodes were; "shown" and "of" tell.
 */
#ifndef SIM_PAGE_DATA_H
#define SIM_PAGE_DATA_H

#include "sim/report.h"

void page_data_write(FILE *out, const struct report *report);

#endif
