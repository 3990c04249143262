#include "sim/scenario/provisioning.h"

#include <string.h>

enum provisioning_class provisioning_class_of(const char *name)
{
	if (strcmp(name, "check-capacity.autoscaling.x-k8s.io") == 0)
		return PROVISIONING_CHECK_CAPACITY;
	if (strcmp(name, "best-effort-atomic-scale-up.autoscaling.x-k8s.io") == 0)
		return PROVISIONING_SCALE_UP;
	return PROVISIONING_OTHER;
}

enum provisioning_class provisioning_class(const struct scenario *s,
					   const struct provisioning_config *config)
{
	return provisioning_class_of(scenario_string(s, config->class_name));
}

bool provisioning_no_retry(const struct scenario *s, const struct provisioning_config *config)
{
	for (uint32_t i = 0; i < config->parameters.count; i++) {
		const struct label *parameter = &config->parameters.items[i];

		if (strcmp(scenario_string(s, parameter->key), "noRetry") == 0)
			return strcmp(scenario_string(s, parameter->value), "true") == 0;
	}
	return false;
}

bool provisioning_covers(const struct provisioning_config *config, const struct pod_shape *shape)
{
	uint64_t named = pod_shape_counts(shape);

	for (uint32_t r = 0; shape->limit != NULL && r < RES_MAX; r++) {
		if ((config->managed >> r & 1) != 0 && shape->limit[r] > 0)
			named |= UINT64_C(1) << r;
	}
	return config->managed == 0 || (config->managed & named) != 0;
}
