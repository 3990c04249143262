#include "sim/page/page_config.h"

#include "core/num.h"

#define QUEUES_MAX 200

static const char *preemption(enum preemption_policy policy)
{
	switch (policy) {
	case PREEMPT_NEVER:
		return "Never";
	case PREEMPT_LOWER_PRIORITY:
		return "LowerPriority";
	case PREEMPT_LOWER_OR_NEWER_EQUAL_PRIORITY:
		return "LowerOrNewerEqualPriority";
	case PREEMPT_ANY:
		return "Any";
	}
	return "";
}

static void write_amount(struct jsonw *json, const struct scenario *s, uint32_t resource,
			 int64_t amount)
{
	char text[NUM_QUANTITY_TEXT];

	if (amount == QUOTA_ABSENT)
		jsonw_null(json, NULL);
	else if (amount == RES_UNLIMITED)
		jsonw_text(json, NULL, "unlimited");
	else
		jsonw_text(json, NULL,
			   num_format_quantity(amount, res_style(name_text(s->resources, resource)),
					       text));
}

/* [flavor, resource, nominal, borrowingLimit, lendingLimit] */
static void write_cells(struct jsonw *json, const struct scenario *s,
			const struct cluster_queue *queue)
{
	jsonw_array(json, "quotas");
	for (uint32_t g = 0; g < queue->group_count; g++) {
		const struct resource_group *group = &queue->groups[g];

		for (uint32_t i = 0; i < group->flavor_count * group->resource_count; i++) {
			uint32_t resource = group->resources[i % group->resource_count];
			const struct quota_cell *cell = &group->cells[i];

			jsonw_array(json, NULL);
			jsonw_text(
				json, NULL,
				scenario_string(s, group->flavor_names[i / group->resource_count]));
			jsonw_text(json, NULL, name_text(s->resources, resource));
			write_amount(json, s, resource, cell->nominal);
			write_amount(json, s, resource, cell->borrowing_limit);
			write_amount(json, s, resource, cell->lending_limit);
			jsonw_close_array(json);
		}
	}
	jsonw_close_array(json);
}

static void write_queues(struct jsonw *json, const struct scenario *s)
{
	jsonw_array(json, "queues");
	for (uint32_t i = 0; i < s->cluster_queue_count && i < QUEUES_MAX; i++) {
		const struct cluster_queue *queue = &s->cluster_queues[i];

		jsonw_object(json, NULL);
		jsonw_text(json, "name", scenario_string(s, queue->name));
		jsonw_text(json, "cohort",
			   queue->cohort == SCENARIO_NONE
				   ? ""
				   : scenario_string(s, s->cohorts[queue->cohort].name));
		jsonw_text(json, "strategy",
			   queue->strategy == QUEUE_STRICT_FIFO ? "StrictFIFO" : "BestEffortFIFO");
		jsonw_text(json, "reclaimWithinCohort", preemption(queue->reclaim_within_cohort));
		jsonw_text(json, "withinClusterQueue", preemption(queue->within_cluster_queue));
		write_cells(json, s, queue);
		jsonw_close_object(json);
	}
	jsonw_close_array(json);
}

void page_config_write(struct jsonw *json, const struct report *report)
{
	const struct report_column *column = &report->columns[0];
	const struct scenario *s = column->scenario;

	jsonw_object(json, "config");
	report_json_inputs(json, s, QUEUES_MAX);
	jsonw_integer(json, "seed", (int64_t)column->options->seed);
	jsonw_array(json, "settings");
	for (size_t i = 0; i < report->setting_count; i++)
		jsonw_text(json, NULL, report->settings[i]);
	jsonw_close_array(json);
	jsonw_array(json, "options");
	for (uint32_t i = 0; i < s->option_count; i++)
		jsonw_text(json, NULL, scenario_string(s, s->options[i]));
	jsonw_close_array(json);
	write_queues(json, s);
	jsonw_close_object(json);
}
