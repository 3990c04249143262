#include "sim/objects/object_versions.h"

#include <stdio.h>
#include <string.h>

#define OLD_MAX	 4
#define KIND_MAX 8

static const struct served {
	const char *group;
	const char *now;	     /* the version to write; NULL: there is none */
	const char *old[OLD_MAX];    /* served, too, or unknown whether */
	bool deprecated;	     /* the old ones: its API server warns of them */
	const char *kinds[KIND_MAX]; /* of a group of which other kinds have such a version; none:
				      * all of the group */
	const char *gone[OLD_MAX];   /* not served any more; none: all that are not named above */
	const char *instead;	     /* what to write where there is no version; NULL */
} served[] = {
	{.group = "kueue.x-k8s.io", .now = "v1beta2", .old = {"v1beta1"}, .deprecated = true},
	{.group = "config.kueue.x-k8s.io", .now = "v1beta2", .old = {"v1beta1"}},
	{.group = "kubescheduler.config.k8s.io", .now = "v1"},
	{.group = "", .now = "v1"},
	{.group = "batch", .now = "v1"},
	{.group = "apps", .now = "v1"},
	{.group = "policy",
	 .now = NULL,
	 .kinds = {"PodSecurityPolicy"},
	 .gone = {"v1beta1"},
	 .instead = "label namespaces with pod-security.kubernetes.io/enforce in its place"},
	{.group = "policy", .now = "v1"},
	{.group = "scheduling.k8s.io", .now = "v1"},
	{.group = "node.k8s.io", .now = "v1"},
	/* kinds that are not read here; deprecation guide of Kubernetes */
	{.group = "extensions",
	 .now = NULL,
	 .gone = {"v1beta1"},
	 .instead = "write apiVersion: apps/v1, of Ingress and NetworkPolicy networking.k8s.io/v1"},
	{.group = "autoscaling", .now = "v2", .gone = {"v2beta1", "v2beta2"}},
	{.group = "networking.k8s.io",
	 .now = "v1",
	 .kinds = {"Ingress", "IngressClass"},
	 .gone = {"v1beta1"}},
	{.group = "rbac.authorization.k8s.io", .now = "v1", .gone = {"v1alpha1", "v1beta1"}},
	{.group = "apiextensions.k8s.io", .now = "v1", .gone = {"v1beta1"}},
	{.group = "apiregistration.k8s.io", .now = "v1", .gone = {"v1beta1"}},
	{.group = "admissionregistration.k8s.io",
	 .now = "v1",
	 .kinds = {"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"},
	 .gone = {"v1beta1"}},
	{.group = "storage.k8s.io",
	 .now = "v1",
	 .kinds = {"CSIDriver", "CSINode", "CSIStorageCapacity", "StorageClass",
		   "VolumeAttachment"},
	 .gone = {"v1beta1"}},
	{.group = "coordination.k8s.io", .now = "v1", .kinds = {"Lease"}, .gone = {"v1beta1"}},
	{.group = "discovery.k8s.io", .now = "v1", .gone = {"v1beta1"}},
	{.group = "events.k8s.io", .now = "v1", .gone = {"v1beta1"}},
	{.group = "certificates.k8s.io",
	 .now = "v1",
	 .kinds = {"CertificateSigningRequest"},
	 .gone = {"v1beta1"}},
	{.group = "flowcontrol.apiserver.k8s.io",
	 .now = "v1",
	 .gone = {"v1beta1", "v1beta2", "v1beta3"}},
};

static bool is_among(const char *const *list, size_t most, const char *text)
{
	for (size_t i = 0; i < most && list[i] != NULL; i++) {
		if (strcmp(list[i], text) == 0)
			return true;
	}
	return false;
}

static const struct served *find(const char *api, const char *kind)
{
	const char *slash = strchr(api, '/');
	size_t len = slash != NULL ? (size_t)(slash - api) : 0;

	for (size_t i = 0; i < sizeof(served) / sizeof(served[0]); i++) {
		const struct served *row = &served[i];

		if (strlen(row->group) == len && memcmp(row->group, api, len) == 0 &&
		    (row->kinds[0] == NULL || is_among(row->kinds, KIND_MAX, kind)))
			return row;
	}
	return NULL;
}

static bool is_new(struct name_table *told, const char *api, const char *kind)
{
	uint32_t before = name_count(told);
	char key[300];

	snprintf(key, sizeof(key), "%.140s %.140s", api, kind);
	return name_add(told, key) == before;
}

static void tell(struct fields *f, const struct yaml_node *api, const char *kind,
		 const struct served *row, bool gone, bool read)
{
	char fix[100] = "";

	if (row->now != NULL)
		snprintf(fix, sizeof(fix), "write apiVersion: %s%s%s", row->group,
			 row->group[0] != '\0' ? "/" : "", row->now);
	if (gone)
		fields_fault(
			f, FINDING_ERROR, "version-not-served", api,
			row->now != NULL ? fix : row->instead,
			"apiVersion %.80s, here and in any other %.80s, is not served any more: "
			"the API server refuses it%s",
			api->text, kind, read ? "; it is read here all the same" : "");
	else
		fields_fault(
			f, FINDING_ADVICE, "deprecated-version", api, fix,
			"apiVersion %.80s, here and in any other %.80s, is deprecated: the API "
			"server takes it with a warning, later versions will not",
			api->text, kind);
}

enum err_code object_versions_check(struct fields *f, const struct yaml_node *api, const char *kind,
				    bool read, struct name_table *told)
{
	const struct served *row = find(api->text, kind);
	const char *slash = strchr(api->text, '/'),
		   *version = slash != NULL ? slash + 1 : api->text;
	bool gone;

	if (row == NULL || (row->now != NULL && strcmp(row->now, version) == 0))
		return ERR_OK;
	gone = row->gone[0] != NULL ? is_among(row->gone, OLD_MAX, version)
				    : !is_among(row->old, OLD_MAX, version);
	if (!gone && !row->deprecated)
		return ERR_OK;
	if (gone && f->unknown == FIELDS_REFUSE) {
		fields_error(f, ERR_UNKNOWN, api, "apiVersion \"%.80s\" is not served any more",
			     api->text);
		return fields_fix(f, row->now != NULL ? "write the version that is served"
						      : row->instead);
	}
	if (is_new(told, api->text, kind))
		tell(f, api, kind, row, gone, read);
	return ERR_OK;
}
