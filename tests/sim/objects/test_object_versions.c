/* test_object_versions.c - what the API server refuses, what it warns of, and what it takes. */
#include "sim/objects/object_versions.h"

#include "tests/sim/objects_case.h"

#define NAMED "metadata: {name: a}\n"

static const struct {
	const char *api, *kind;
	const char *says; /* NULL: nothing */
} rows[] = {
	{"policy/v1", "PodDisruptionBudget", NULL},
	{"policy/v1beta1", "PodDisruptionBudget", "refuses it; it is read here all the same"},
	{"policy/v1beta1", "PodSecurityPolicy", "the API server refuses it"},
	{"kueue.x-k8s.io/v1beta2", "ResourceFlavor", NULL},
	{"kueue.x-k8s.io/v1beta1", "ResourceFlavor", "is deprecated: the API server takes it"},
	{"kueue.x-k8s.io/v1alpha1", "ResourceFlavor", "not served any more"},
	/* kinds that are not read */
	{"extensions/v1beta1", "DaemonSet", "not served any more"},
	{"networking.k8s.io/v1", "Ingress", NULL},
	{"networking.k8s.io/v1beta1", "Ingress", "not served any more"},
	{"networking.k8s.io/v1beta1", "ServiceCIDR", NULL},
	{"autoscaling/v2beta2", "HorizontalPodAutoscaler", "not served any more"},
	{"autoscaling/v1", "HorizontalPodAutoscaler", NULL},
	{"storage.k8s.io/v1beta1", "VolumeAttributesClass", NULL},
	{"storage.k8s.io/v1beta1", "StorageClass", "not served any more"},
	{"example.com/v1beta1", "Ingress", NULL},
};

START_TEST(versions)
{
	char text[400];
	struct scenario *s;

	snprintf(text, sizeof(text),
		 "apiVersion: %s\nkind: %s\n" NAMED "---\napiVersion: %s\nkind: %s\n"
		 "metadata: {name: b}\n",
		 rows[_i].api, rows[_i].kind, rows[_i].api, rows[_i].kind);
	s = objects_case_load(text);
	if (rows[_i].says == NULL)
		ck_assert_ptr_null(objects_case_finding(s, "apiVersion "));
	else
		ck_assert_ptr_nonnull(objects_case_finding(s, rows[_i].says));
	for (uint32_t i = 0, told = 0; i < s->finding_count; i++) {
		told += strstr(scenario_string(s, s->findings[i].text), "apiVersion ") != NULL;
		ck_assert_uint_le(told, 1); /* of two objects */
	}
	scenario_free(s);
}
END_TEST

START_TEST(strict)
{
	static const char gone[] = "apiVersion: policy/v1beta1\nkind: PodSecurityPolicy\n" NAMED;
	struct objects_case c = objects_case_bytes(gone, strlen(gone), true);

	ck_assert_str_eq(c.message, "t:1:13: PodSecurityPolicy: apiVersion \"policy/v1beta1\" is "
				    "not served any more");
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, versions, 0, ROWS(rows));
	tcase_add_test(t, strict);
	return objects_case_run("sim/objects/object_versions", t);
}
