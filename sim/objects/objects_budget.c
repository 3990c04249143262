#include "sim/objects/objects_budget.h"

#include <stdlib.h>
#include <string.h>

/* "25%" or a number of pods. */
static enum err_code read_amount(struct fields *f, const struct field *row,
				 const struct yaml_node *value, void *out)
{
	struct disruption_budget *budget = out;
	const enum budget_rule *rule = row->arg;
	char *end;

	if (budget->rule != BUDGET_NONE)
		return fields_error(f, ERR_VALUE, value,
				    "minAvailable and maxUnavailable exclude each other");
	if (value->kind != YAML_SCALAR)
		return fields_error(f, ERR_VALUE, value, "must be a number or a percentage");
	budget->rule = *rule;
	budget->amount = strtol(value->text, &end, 10);
	budget->percent = strcmp(end, "%") == 0;
	if (end == value->text || value->text[0] < '0' || value->text[0] > '9' ||
	    (*end != '\0' && !budget->percent) || budget->amount > INT32_MAX ||
	    (budget->percent && budget->amount > 100))
		return fields_error(f, ERR_VALUE, value,
				    "\"%.40s\" is neither a number of pods nor a percentage such "
				    "as \"25%%\"",
				    value->text);
	return ERR_OK;
}

enum err_code objects_budget(struct fields *f, const struct object *object)
{
	static const enum budget_rule min = BUDGET_MIN_AVAILABLE, max = BUDGET_MAX_UNAVAILABLE;
	static const struct field spec_rows[] = {
		{.key = "selector",
		 .read = fields_selector,
		 .offset = offsetof(struct disruption_budget, selector)},
		{.key = "minAvailable", .read = read_amount, .arg = &min},
		{.key = "maxUnavailable", .read = read_amount, .arg = &max},
		{.key = "unhealthyPodEvictionPolicy"},
		{.key = NULL},
	};
	static const struct field rows[] = {
		OBJECT_HEAD,
		{.key = "spec", .read = fields_nested, .arg = spec_rows},
		{.key = NULL},
	};
	struct disruption_budget budget = {.name = object->name, .ns = object->ns};
	enum err_code code = fields_map(f, object->node, rows, &budget);

	if (code == ERR_OK)
		builder_add(f->builder, KIND_BUDGET, &budget, object->where, object->at);
	return code;
}
