/* report_prometheus.c - a run in the metric families of Kueue: one pass over its
 * journal for what is counted and timed, and what is in use at its end; what waits
 * then the policy has told (journal.account).
 */
#include "sim/report/prometheus_end.h"
#include "sim/report/prometheus_events.h"
#include "sim/report/report.h"

/* What NVIDIA's exporter would show, averaged over the run: per cent of the GPUs that pods of
 * a namespace hold. Only where jobs say how busy they keep them. */
static void write_utilisation(FILE *out, const struct metrics *m)
{
	static const struct prometheus_family family = {
		.name = "DCGM_FI_DEV_GPU_UTIL",
		.help = "GPU utilization (in %), over the run and the GPUs of a namespace.",
		.labels = {"namespace"},
		.type = PROMETHEUS_GAUGE};
	struct prometheus *all;

	if (m->busy == NULL)
		return;
	all = prometheus_new(&family, 1);
	for (uint32_t n = 0; n < m->busy->count; n++) {
		const char *name = scenario_string(m->journal->scenario, m->namespaces[n]);

		if (m->busy->groups[n].held > 0)
			prometheus_set(all, 0, &name, 100 * busy_share(&m->busy->groups[n]));
	}
	prometheus_write(out, all);
	prometheus_free(all);
}

void report_prometheus_run(FILE *out, const struct report *report)
{
	struct prometheus_pass p;

	prometheus_pass_open(&p, report->columns[0].journal);
	prometheus_events_count(&p);
	prometheus_end_report(&p);
	prometheus_write(out, p.out);
	write_utilisation(out, report->columns[0].metrics);
	prometheus_pass_close(&p);
}
