/* object_versions.h - which apiVersions the API server takes: of Kubernetes 1.34, and of the
 * CRDs of Kueue at the modelled commit (config/components/crd/bases).
 *
 * What it refuses is an error, what it warns of advice; told once a kind and version, for a dump
 * of an old cluster has thousands of them.
 */
#ifndef SIM_OBJECT_VERSIONS_H
#define SIM_OBJECT_VERSIONS_H

#include <stdbool.h>

#include "core/name.h"
#include "sim/load/fields.h"

/* api: the object's apiVersion, [GROUP/]VERSION; read: the kind is modelled. told: what was said
 * before, by the caller's table. ERR_UNKNOWN under FIELDS_REFUSE. */
enum err_code object_versions_check(struct fields *f, const struct yaml_node *api, const char *kind,
				    bool read, struct name_table *told);

#endif
