#include "sim/scenario/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/sort.h"

#define ABSENT (-1)
#define TEXT   1024 /* of the names of resources in one fault */

struct faults {
	const char **items; /* heap */
	uint32_t count;
	size_t capacity;
};

struct checking {
	const struct name_table *resources;
	struct mem_arena *arena;
	uint32_t resource_count;
	/* of all ranges: [pod], ABSENT where there is none */
	int64_t max[2][RES_MAX], min[2][RES_MAX];
	struct faults limits, ranges;
};

static int compare_names(const void *a, const void *b, void *context)
{
	const struct checking *c = context;

	return strcmp(name_text(c->resources, *(const uint32_t *)a),
		      name_text(c->resources, *(const uint32_t *)b));
}

/* Amounts that are above others, where both are there: a fault at the place. */
static void compare(struct checking *c, struct faults *faults, const int64_t *amounts,
		    const int64_t *most, const char *place, const char *what)
{
	uint32_t above[RES_MAX], count = 0;
	char names[TEXT] = "", *text;
	size_t used = 0, size;

	for (uint32_t r = 0; r < c->resource_count; r++) {
		if (amounts[r] != ABSENT && most[r] != ABSENT && amounts[r] > most[r])
			above[count++] = r;
	}
	if (count == 0)
		return;
	sort_stable(above, count, sizeof(*above), compare_names, c);
	for (uint32_t i = 0; i < count && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s\"%s\"",
					 i > 0 ? "," : "", name_text(c->resources, above[i]));
	size = strlen(place) + strlen(names) + strlen(what) + sizeof(": Invalid value: []: ");
	text = mem_arena_alloc(c->arena, size);
	snprintf(text, size, "%s: Invalid value: [%s]: %s", place, names, what);
	faults->items = mem_grow(faults->items, faults->count + 1U, &faults->capacity,
				 sizeof(*faults->items));
	faults->items[faults->count++] = text;
}

/* The smallest maximum and the largest minimum of each resource. */
static void summarise(struct checking *c, const struct limit_range *const *ranges, uint32_t count)
{
	for (int pod = 0; pod < 2; pod++)
		for (uint32_t r = 0; r < RES_MAX; r++)
			c->max[pod][r] = c->min[pod][r] = ABSENT;
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t n = 0; n < ranges[i]->item_count; n++) {
			const struct limit_range_item *item = &ranges[i]->items[n];
			int64_t *max = c->max[item->pod], *min = c->min[item->pod];

			for (uint32_t r = 0; r < c->resource_count; r++) {
				if (item->max != NULL && item->max[r] != ABSENT &&
				    (max[r] == ABSENT || item->max[r] < max[r]))
					max[r] = item->max[r];
				if (item->min != NULL && item->min[r] > min[r])
					min[r] = item->min[r];
			}
		}
}

static void check_container(struct checking *c, const struct template_container *container,
			    const struct limit_range *const *ranges, uint32_t range_count,
			    const char *place)
{
	int64_t request[RES_MAX], limit[RES_MAX], least[RES_MAX], most[RES_MAX];

	for (uint32_t r = 0; r < c->resource_count; r++) {
		request[r] = limit[r] = ABSENT;
		template_request(container, ranges, range_count, r, &request[r]);
		template_limit(container, ranges, range_count, r, &limit[r]);
		most[r] = request[r] > limit[r] ? request[r] : limit[r];
		least[r] = request[r] < limit[r] ? request[r] : limit[r];
		if (least[r] == ABSENT)
			least[r] = most[r];
	}
	compare(c, &c->limits, request, limit, place, "requests must not exceed its limits");
	compare(c, &c->ranges, most, c->max[false], place,
		"requests must not be above the limitRange max");
	compare(c, &c->ranges, c->min[false], least, place,
		"requests must not be below the limitRange min");
}

/* Init containers and sidecars stand in one list of the pod, the others in one. */
static void check_containers(struct checking *c, const struct pod_template *template, bool main,
			     const struct limit_range *const *ranges, uint32_t range_count)
{
	uint32_t index = 0;

	for (uint32_t i = 0; i < template->container_count; i++) {
		const struct template_container *container = &template->containers[i];
		char place[48];

		if ((container->role == TEMPLATE_MAIN) != main)
			continue;
		snprintf(place, sizeof(place), ".%s[%" PRIu32 "]",
			 main ? "containers" : "initContainers", index++);
		check_container(c, container, ranges, range_count, place);
	}
}

/* Pod-level resources, as far as Kueue sees them. */
static void check_level(struct checking *c, const struct pod_template *template)
{
	int64_t request[RES_MAX], limit[RES_MAX];

	if (template->wrapped)
		return;
	for (uint32_t r = 0; r < c->resource_count; r++) {
		bool asked = (template->requests.given >> r & 1) != 0;
		bool bounded = (template->limits.given >> r & 1) != 0;

		request[r] = asked ? template->requests.amount[r] : ABSENT;
		limit[r] = bounded ? template->limits.amount[r] : ABSENT;
	}
	compare(c, &c->limits, request, limit, ".resources", "requests must not exceed its limits");
}

static void check_pod(struct checking *c, const struct pod_shape *shape)
{
	int64_t total[RES_MAX];

	for (uint32_t r = 0; r < c->resource_count; r++)
		total[r] = (pod_shape_counts(shape) >> r & 1) != 0 ? pod_shape_counted(shape)[r]
								   : ABSENT;
	compare(c, &c->ranges, total, c->max[true], "",
		"requests must not be above the limitRange max");
	compare(c, &c->ranges, c->min[true], total, "",
		"requests must not be below the limitRange min");
}

/* ---- the API server ---- */

#define REFUSALS 64 /* different sentences of one LimitRange; more are cut off */

/* What one LimitRange says against a pod: "a", or "[a, b]". */
struct refusal {
	char text[2 * TEXT]; /* sentences, each with its end */
	size_t starts[REFUSALS];
	size_t used;
	uint32_t count;
};

/* Adds a sentence that is not there yet. */
static void say(struct refusal *r, const char *sentence)
{
	size_t size = strlen(sentence) + 1;

	for (uint32_t i = 0; i < r->count; i++) {
		if (strcmp(r->text + r->starts[i], sentence) == 0)
			return;
	}
	if (r->count == REFUSALS || size > sizeof(r->text) - r->used)
		return;
	memcpy(r->text + r->used, sentence, size);
	r->starts[r->count++] = r->used;
	r->used += size;
}

static void refuse(struct refusal *r, const struct checking *c, uint32_t resource, bool most,
		   bool pod, int64_t bound, const char *what, int64_t amount)
{
	const char *name = name_text(c->resources, resource);
	char limit[NUM_QUANTITY_TEXT], given[NUM_QUANTITY_TEXT], but[NUM_QUANTITY_TEXT + 40];
	char sentence[TEXT];

	num_format_quantity(bound, res_style(name), limit);
	if (amount == ABSENT)
		snprintf(but, sizeof(but), ".  No %s is specified", what);
	else
		snprintf(but, sizeof(but), ", but %s is %s", what,
			 num_format_quantity(amount, res_style(name), given));
	snprintf(sentence, sizeof(sentence), "%s %s usage per %s is %s%s",
		 most ? "maximum" : "minimum", name, pod ? "Pod" : "Container", limit, but);
	say(r, sentence);
}

/* The API server divides in floating point. */
static void enforce_ratio(struct refusal *r, const struct checking *c, uint32_t resource, bool pod,
			  int64_t most, int64_t request, int64_t limit)
{
	double ratio = request > 0 ? (double)limit / (double)request : 0;
	char sentence[TEXT], text[NUM_QUANTITY_TEXT], but[80];

	if (request <= 0)
		snprintf(but, sizeof(but), "no request is specified or request is 0");
	else if (limit <= 0)
		snprintf(but, sizeof(but), "no limit is specified or limit is 0");
	else if (ratio * 1000 > (double)most)
		snprintf(but, sizeof(but), "provided ratio is %f", ratio);
	else
		return;
	snprintf(sentence, sizeof(sentence), "%s max limit to request ratio per %s is %s, but %s",
		 name_text(c->resources, resource), pod ? "Pod" : "Container",
		 num_format_quantity(most, NUM_MILLI, text), but);
	say(r, sentence);
}

static int64_t bound_of(const int64_t *bounds, uint32_t resource)
{
	return bounds == NULL ? ABSENT : bounds[resource];
}

static void enforce(struct refusal *r, const struct checking *c,
		    const struct limit_range_item *item, const int64_t *request,
		    const int64_t *limit)
{
	for (uint32_t i = 0; i < c->resource_count; i++) {
		int64_t min = bound_of(item->min, i);

		/* A container's request is the minimum if nothing else is said. */
		if (min != ABSENT && (request[i] != ABSENT || item->pod) && request[i] < min)
			refuse(r, c, i, false, item->pod, min, "request", request[i]);
		else if (min != ABSENT && limit[i] != ABSENT && limit[i] < min)
			refuse(r, c, i, false, item->pod, min, "limit", limit[i]);
	}
	for (uint32_t i = 0; i < c->resource_count; i++) {
		int64_t max = bound_of(item->max, i);

		if (max != ABSENT && (limit[i] == ABSENT || limit[i] > max))
			refuse(r, c, i, true, item->pod, max, "limit", limit[i]);
		else if (max != ABSENT && request[i] > max)
			refuse(r, c, i, true, item->pod, max, "request", request[i]);
	}
	for (uint32_t i = 0; i < c->resource_count; i++) {
		if (bound_of(item->max_ratio, i) != ABSENT)
			enforce_ratio(r, c, i, item->pod, item->max_ratio[i], request[i], limit[i]);
	}
}

static void enforce_on_containers(struct refusal *r, const struct checking *c,
				  const struct limit_range_item *item,
				  const struct pod_template *template, bool main,
				  const struct limit_range *const *ranges, uint32_t range_count)
{
	int64_t request[RES_MAX], limit[RES_MAX];

	for (uint32_t k = 0; k < template->container_count; k++) {
		if ((template->containers[k].role == TEMPLATE_MAIN) != main)
			continue;
		for (uint32_t i = 0; i < c->resource_count; i++) {
			request[i] = limit[i] = ABSENT;
			template_request(&template->containers[k], ranges, range_count, i,
					 &request[i]);
			template_limit(&template->containers[k], ranges, range_count, i, &limit[i]);
		}
		enforce(r, c, item, request, limit);
	}
}

static void enforce_on_pod(struct refusal *r, const struct checking *c,
			   const struct limit_range_item *item, const struct pod_shape *shape)
{
	int64_t request[RES_MAX], limit[RES_MAX];

	for (uint32_t i = 0; i < c->resource_count; i++) {
		request[i] = (shape->requested >> i & 1) != 0 ? shape->request[i] : ABSENT;
		limit[i] = shape->limit != NULL ? shape->limit[i] : ABSENT;
	}
	enforce(r, c, item, request, limit);
}

static const char *joined(const struct checking *c, const struct refusal *r)
{
	size_t size = r->used + 2 * (size_t)r->count + 3, used = 0;
	char *text = mem_arena_alloc(c->arena, size);

	if (r->count == 1) {
		memcpy(text, r->text, r->used);
		return text;
	}
	for (uint32_t i = 0; i < r->count; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", i == 0 ? "[" : ", ",
					 r->text + r->starts[i]);
	snprintf(text + used, size - used, "]");
	return text;
}

static const char *forbidden(const struct checking *c, const struct pod_template *template,
			     const struct limit_range *const *ranges, uint32_t range_count,
			     const struct pod_shape *shape)
{
	for (uint32_t i = 0; i < range_count; i++) {
		struct refusal r = {.count = 0};

		for (uint32_t n = 0; n < ranges[i]->item_count; n++) {
			const struct limit_range_item *item = &ranges[i]->items[n];

			if (item->pod) {
				enforce_on_pod(&r, c, item, shape);
				continue;
			}
			enforce_on_containers(&r, c, item, template, true, ranges, range_count);
			enforce_on_containers(&r, c, item, template, false, ranges, range_count);
		}
		if (r.count != 0)
			return joined(c, &r);
	}
	return NULL;
}

static const char *const *keep(struct checking *c, const struct faults *faults)
{
	const char **kept = mem_arena_alloc(c->arena, (faults->count + 1U) * sizeof(*kept));

	for (uint32_t i = 0; i < faults->count; i++)
		kept[i] = faults->items[i];
	mem_free(faults->items);
	return kept;
}

const struct pod_faults *limits_check(const struct pod_template *template,
				      const struct limit_range *const *ranges, uint32_t range_count,
				      const struct pod_shape *shape,
				      const struct name_table *resources, struct mem_arena *arena)
{
	struct checking c = {
		.resources = resources, .arena = arena, .resource_count = name_count(resources)};
	struct pod_faults *faults = NULL;
	const char *refusal = forbidden(&c, template, ranges, range_count, shape);

	summarise(&c, ranges, range_count);
	check_containers(&c, template, false, ranges, range_count);
	check_containers(&c, template, true, ranges, range_count);
	check_level(&c, template);
	check_pod(&c, shape);
	if (c.limits.count + c.ranges.count == 0 && refusal == NULL)
		return NULL;
	faults = mem_arena_alloc(arena, sizeof(*faults));
	*faults = (struct pod_faults){
		.limit_count = c.limits.count, .range_count = c.ranges.count, .forbidden = refusal};
	faults->limits = keep(&c, &c.limits);
	faults->ranges = keep(&c, &c.ranges);
	return faults;
}

static bool exceeds(const struct template_amounts *requests, const struct template_amounts *limits)
{
	for (uint64_t both = requests->given & limits->given; both != 0; both &= both - 1) {
		uint32_t r = (uint32_t)__builtin_ctzll(both);

		if (requests->amount[r] > limits->amount[r])
			return true;
	}
	return false;
}

bool limits_exceeded(const struct pod_template *template)
{
	for (uint32_t c = 0; c < template->container_count; c++)
		if (exceeds(&template->containers[c].requests, &template->containers[c].limits))
			return true;
	return !template->wrapped && exceeds(&template->requests, &template->limits);
}
