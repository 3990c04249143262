/* page_config.h - under what a run was made, for a page: inputs, options, quotas. */
#ifndef SIM_PAGE_CONFIG_H
#define SIM_PAGE_CONFIG_H

#include "sim/report/report.h"
#include "sim/tool/jsonw.h"

/* The member "config". */
void page_config_write(struct jsonw *json, const struct report *report);

#endif
