#include "sim/resourcequota.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NO_LIMIT (-1)

struct usage {
	int64_t *used; /* per resource */
	int64_t pods;
};

struct resourcequota {
	const struct scenario *scenario;
	struct usage *usage; /* [resource_quota_count] */
};

struct resourcequota *resourcequota_new(const struct scenario *scenario)
{
	struct resourcequota *q;

	if (scenario->resource_quota_count == 0)
		return NULL;
	q = mem_calloc(1, sizeof(*q));
	q->scenario = scenario;
	q->usage = mem_calloc(scenario->resource_quota_count, sizeof(*q->usage));
	for (uint32_t i = 0; i < scenario->resource_quota_count; i++)
		q->usage[i].used = mem_calloc(scenario->resource_count, sizeof(int64_t));
	return q;
}

void resourcequota_free(struct resourcequota *q)
{
	if (q == NULL)
		return;
	for (uint32_t i = 0; i < q->scenario->resource_quota_count; i++)
		mem_free(q->usage[i].used);
	mem_free(q->usage);
	mem_free(q);
}

static bool names(const struct pod_shape *shape, uint32_t resource)
{
	return (shape->requested >> resource & 1) != 0;
}

static bool limits(const struct resource_quota *quota, uint32_t resource)
{
	return resource != RES_PODS && quota->hard != NULL && quota->hard[resource] != NO_LIMIT;
}

static bool exceeds(const struct resource_quota *quota, const struct usage *usage,
		    const struct pod_shape *shape, uint32_t resource)
{
	return limits(quota, resource) && shape->request[resource] > 0 &&
	       res_add(usage->used[resource], shape->request[resource]) > quota->hard[resource];
}

/* "requests.cpu=2,requests.memory=4Gi" of what is exceeded, by name; which picks
 * the amounts. */
static void list_exceeded(const struct resourcequota *q, uint32_t index,
			  const struct pod_shape *shape, int which, char *out, size_t size)
{
	const struct scenario *s = q->scenario;
	const struct resource_quota *quota = &s->resource_quotas[index];
	const struct usage *usage = &q->usage[index];
	size_t at = 0;

	if (quota->hard_pods != NO_LIMIT && usage->pods + 1 > quota->hard_pods) {
		const int64_t amounts[] = {1, usage->pods, quota->hard_pods};

		at += (size_t)snprintf(out, size, "pods=%" PRId64, amounts[which]);
	}
	for (uint32_t r = 0; r < s->resource_count && at < size; r++) {
		const char *name = name_text(s->resources, r);
		char text[NUM_QUANTITY_TEXT];

		if (!exceeds(quota, usage, shape, r))
			continue;
		const int64_t amounts[] = {shape->request[r], usage->used[r], quota->hard[r]};

		num_format_quantity(amounts[which], res_style(name), text);
		at += (size_t)snprintf(out + at, size - at, "%srequests.%s=%s", at > 0 ? "," : "",
				       name, text);
	}
}

/* cpu and memory must be named by every pod of a namespace that limits them. */
static uint32_t unnamed(const struct resource_quota *quota, const struct pod_shape *shape)
{
	static const uint32_t compute[] = {RES_CPU, RES_MEMORY};

	for (size_t i = 0; i < sizeof(compute) / sizeof(compute[0]); i++) {
		if (limits(quota, compute[i]) && !names(shape, compute[i]))
			return compute[i];
	}
	return SCENARIO_NONE;
}

static bool refuses(const struct resourcequota *q, uint32_t index, const struct pod_shape *shape,
		    char *why, size_t size)
{
	const struct scenario *s = q->scenario;
	const struct resource_quota *quota = &s->resource_quotas[index];
	const char *name = scenario_string(s, quota->name);
	uint32_t missing = unnamed(quota, shape);
	char text[3][512] = {"", "", ""};

	if (missing != SCENARIO_NONE) {
		snprintf(why, size, "failed quota: %s: must specify requests.%s", name,
			 name_text(s->resources, missing));
		return true;
	}
	for (int which = 0; which < 3; which++)
		list_exceeded(q, index, shape, which, text[which], sizeof(text[which]));
	if (text[0][0] == '\0')
		return false;
	snprintf(why, size, "exceeded quota: %s, requested: %s, used: %s, limited: %s", name,
		 text[0], text[1], text[2]);
	return true;
}

static void add(struct resourcequota *q, uint32_t ns, const struct pod_shape *shape, int64_t sign)
{
	for (uint32_t i = 0; i < q->scenario->resource_quota_count; i++) {
		if (q->scenario->resource_quotas[i].ns != ns)
			continue;
		q->usage[i].pods += sign;
		for (uint32_t r = 0; r < q->scenario->resource_count; r++)
			q->usage[i].used[r] += sign * shape->request[r];
	}
}

bool resourcequota_charge(struct resourcequota *q, uint32_t ns, const struct pod_shape *shape,
			  char *why, size_t size)
{
	for (uint32_t i = 0; i < q->scenario->resource_quota_count; i++) {
		if (q->scenario->resource_quotas[i].ns == ns && refuses(q, i, shape, why, size))
			return false;
	}
	add(q, ns, shape, 1);
	return true;
}

void resourcequota_refund(struct resourcequota *q, uint32_t ns, const struct pod_shape *shape)
{
	add(q, ns, shape, -1);
}
