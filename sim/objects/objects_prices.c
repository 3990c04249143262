/* objects_prices.c - what nodes cost, as of a date. Unknown keys are errors.
 *
 *   date: YYYY-MM-DD          required: when these were the prices
 *   nodes:
 *   - instanceType: TEXT      this or gpuModel is required: of label
 *                             node.kubernetes.io/instance-type, or the name of a pool
 *     gpuModel: TEXT          a word of label nvidia.com/gpu.product, such as H100
 *     gpus: NUMBER            required: of such a node
 *     usdPerHour: NUMBER      required: of the whole node, on demand
 *     spotDiscount: {least: PERCENT, most: PERCENT}
 *     reservedDiscount: {least: PERCENT, most: PERCENT}
 */
#include "sim/objects/objects_prices.h"

#include <stdio.h>
#include <string.h>

#include "sim/trace/trace.h"

#define DATE_TEXT 40
#define MAX_GPUS  1000000

struct range {
	uint16_t least, most; /* per mille */
};

static enum err_code read_range(struct fields *f, const struct field *row,
				const struct yaml_node *value, void *out)
{
	static const struct field rows[] = {
		{.key = "least",
		 .read = fields_percent,
		 .offset = offsetof(struct range, least),
		 .required = true},
		{.key = "most",
		 .read = fields_percent,
		 .offset = offsetof(struct range, most),
		 .required = true},
		{.key = NULL},
	};
	struct range *range = out;

	(void)row;
	if (fields_map(f, value, rows, range) != ERR_OK)
		return f->err->code;
	if (range->least > range->most)
		return fields_error(f, ERR_VALUE, value, "least is above most");
	return ERR_OK;
}

static enum err_code read_usd(struct fields *f, const struct field *row,
			      const struct yaml_node *value, void *out)
{
	int64_t *micro = out;

	(void)row;
	if (fields_nano(f, value, micro) != ERR_OK)
		return f->err->code;
	*micro /= 1000;
	return *micro > 0 ? ERR_OK : fields_error(f, ERR_VALUE, value, "must be more than 0");
}

static enum err_code read_gpus(struct fields *f, const struct field *row,
			       const struct yaml_node *value, void *out)
{
	(void)row;
	return fields_count_between(f, value, 1, MAX_GPUS, out);
}

struct reading {
	struct price price;
	struct range spot, reserved;
};

#define AT(member) offsetof(struct reading, member)

static enum err_code read_price(struct fields *f, const struct yaml_node *node)
{
	static const struct field rows[] = {
		{.key = "instanceType", .read = fields_string, .offset = AT(price.instance_type)},
		{.key = "gpuModel", .read = fields_string, .offset = AT(price.model)},
		{.key = "gpus", .read = read_gpus, .offset = AT(price.gpus), .required = true},
		{.key = "usdPerHour",
		 .read = read_usd,
		 .offset = AT(price.micro_usd_per_hour),
		 .required = true},
		{.key = "spotDiscount", .read = read_range, .offset = AT(spot)},
		{.key = "reservedDiscount", .read = read_range, .offset = AT(reserved)},
		{.key = NULL},
	};
	struct reading reading = {.price = {.instance_type = NAME_NONE, .model = NAME_NONE}};

	if (fields_map(f, node, rows, &reading) != ERR_OK)
		return f->err->code;
	if (reading.price.instance_type == NAME_NONE && reading.price.model == NAME_NONE)
		return fields_error(f, ERR_VALUE, node,
				    "say of which nodes: instanceType or gpuModel");
	reading.price.spot_least = reading.spot.least;
	reading.price.spot_most = reading.spot.most;
	reading.price.reserved_least = reading.reserved.least;
	reading.price.reserved_most = reading.reserved.most;
	builder_price(f->builder, &reading.price);
	return ERR_OK;
}

static enum err_code read_prices(struct fields *f, const struct field *row,
				 const struct yaml_node *value, void *out)
{
	enum err_code code = fields_want_list(f, value);

	(void)row;
	(void)out;
	for (uint32_t i = 0; code == ERR_OK && i < value->count; i++) {
		size_t mark = fields_enter_index(f, i);

		code = read_price(f, value->items[i]);
		fields_leave(f, mark);
	}
	return code;
}

static enum err_code read_date(struct fields *f, const struct field *row,
			       const struct yaml_node *value, void *out)
{
	char day[DATE_TEXT];
	simtime time;

	(void)row;
	(void)out;
	snprintf(day, sizeof(day), "%.20s 00:00:00", value->kind == YAML_SCALAR ? value->text : "");
	if (!trace_read_clock(day, strlen(day), &time))
		return fields_error(f, ERR_VALUE, value, "must be a date, such as 2026-11-29");
	builder_price_date(f->builder, value->text);
	return ERR_OK;
}

enum err_code objects_prices(struct fields *f, const struct object *object)
{
	static const struct field rows[] = {
		{.key = "apiVersion"},
		{.key = "kind"},
		{.key = "metadata"},
		{.key = "date", .read = read_date, .required = true},
		{.key = "nodes", .read = read_prices, .required = true},
		{.key = NULL},
	};
	enum fields_unknown before = f->unknown;
	bool nothing = false; /* the rows put what they read into the builder */
	enum err_code code;

	f->unknown = FIELDS_REFUSE;
	code = fields_map(f, object->node, rows, &nothing);
	f->unknown = before;
	return code;
}
