#include "sim/report/report_quotas.h"

#include "sim/tool/table.h"
#include "sim/world/resourcequota.h"

/* NULL: no column made any up. */
static struct resourcequota *derived(const struct report *report)
{
	for (size_t i = 0; i < report->count; i++) {
		const struct scenario *s = report->columns[i].scenario;

		if (report->columns[i].policy->derive_quotas && s->resource_quota_count == 0)
			return resourcequota_new(s, true);
	}
	return NULL;
}

static const struct scenario *scenario_of(const struct report *report)
{
	size_t i = 0;

	while (!report->columns[i].policy->derive_quotas)
		i++;
	return report->columns[i].scenario;
}

static const char *amount(const struct scenario *s, const struct resource_quota *quota,
			  uint32_t resource, char text[NUM_QUANTITY_TEXT])
{
	num_format_quantity(quota->hard[resource], res_style(name_text(s->resources, resource)),
			    text);
	return text;
}

static void put_quota(struct table *table, const struct scenario *s,
		      const struct resource_quota *quota)
{
	char text[NUM_QUANTITY_TEXT];

	for (uint32_t r = 0; r < s->resource_count; r++) {
		if (quota->hard[r] < 0)
			continue;
		table_row(table);
		table_cell(table, 0, "  %s", scenario_string(s, quota->ns));
		table_cell(table, 1, "%s", name_text(s->resources, r));
		table_cell(table, 2, "%s", amount(s, quota, r, text));
		table_cell(table, 3, "derived from ClusterQueue %s",
			   scenario_string(s, quota->name));
	}
}

void report_quotas_write(FILE *out, const struct report *report)
{
	struct resourcequota *quotas = derived(report);
	const struct resource_quota *list;
	struct table *table;
	uint32_t count;

	if (quotas == NULL)
		return;
	list = resourcequota_list(quotas, &count);
	table = table_new(4, 1u << 2);
	for (uint32_t i = 0; i < count; i++)
		put_quota(table, scenario_of(report), &list[i]);
	fputs("\nResourceQuotas (namespace, resource, hard limit):\n", out);
	table_print(table, out, false, NULL);
	table_free(table);
	resourcequota_free(quotas);
}

static void write_quota(struct jsonw *json, const struct scenario *s,
			const struct resource_quota *quota)
{
	char text[NUM_QUANTITY_TEXT];

	for (uint32_t r = 0; r < s->resource_count; r++) {
		if (quota->hard[r] < 0)
			continue;
		jsonw_object(json, NULL);
		jsonw_text(json, "namespace", scenario_string(s, quota->ns));
		jsonw_text(json, "resource", name_text(s->resources, r));
		jsonw_text(json, "amount", amount(s, quota, r, text));
		jsonw_text(json, "cluster_queue", scenario_string(s, quota->name));
		jsonw_close_object(json);
	}
}

void report_quotas_json(struct jsonw *json, const struct report *report)
{
	struct resourcequota *quotas = derived(report);
	const struct resource_quota *list;
	uint32_t count;

	if (quotas == NULL)
		return;
	list = resourcequota_list(quotas, &count);
	jsonw_array(json, "derived_resource_quotas");
	for (uint32_t i = 0; i < count; i++)
		write_quota(json, scenario_of(report), &list[i]);
	jsonw_close_array(json);
	resourcequota_free(quotas);
}
