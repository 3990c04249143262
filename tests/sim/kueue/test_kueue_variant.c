/* test_kueue_variant.c - jobs that pursue several flavors at once (KEP 8691): what Kueue's
 * pkg/controller/concurrentadmission and its integration tests have of it. */
#include "sim/kueue/kueue_variant.h"

#include <check.h>
#include <string.h>

#include "core/mem.h"
#include "tests/support/kueue_story.h"

/* The rows of a run, without those that tell of variants. */
static char *events(const char *yaml, const char *csv)
{
	char *got = kueue_story_events(yaml, csv), *to = got;

	for (char *from = got, *end; *from != '\0'; from = end) {
		size_t length = strcspn(from, "\n") + 1;
		const char *comma = strchr(from, ',');

		end = from + length;
		if (strncmp(comma + strcspn(comma + 1, ",") - 6, "Variant", 7) == 0 ||
		    strncmp(comma + 1, "Blocked", 7) == 0)
			continue;
		memmove(to, from, length);
		to += length;
	}
	*to = '\0';
	return got;
}

#define GATE                                                                                       \
	"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"                         \
	"featureGates: {ConcurrentAdmission: true}\n---\n"
#define FLAVOR(name)                                                                               \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: " name         \
	"}\n---\n"
#define QUOTA(flavor) "    - {name: " flavor ", resources: [{name: cpu, nominalQuota: 4}]}\n"
/* Queue q with 4 cpu of each of r, o and s, best first. */
#define QUEUE(migration, more) GATE QUEUES(migration, more)
#define QUEUES(migration, more)                                                                    \
	FLAVOR("r")                                                                                \
	FLAVOR("o")                                                                                \
	FLAVOR("s")                                                                                \
	"apiVersion: kueue.x-k8s.io/v1beta2\n"                                                     \
	"kind: ClusterQueue\nmetadata: {name: q}\n"                                                \
	"spec:\n  namespaceSelector: {}\n"                                                         \
	"  concurrentAdmissionPolicy: {migration: "                                                \
	"{" migration "}}\n" more "  resourceGroups:\n  - coveredResources: "                      \
	"[cpu]\n    flavors:\n" QUOTA("r") QUOTA("o") QUOTA("s") "---\n" STORY_QUEUE_TAIL
#define TRY	"mode: TryPreferredFlavors"
#define CHECKED "  admissionChecksStrategy: {admissionChecks: [{name: c, onFlavors: [r]}]}\n"
#define CHECK                                                                                      \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: AdmissionCheck\nmetadata: {name: c}\n"     \
	"spec: {controllerName: x}\n"
#define CLASSES                                                                                    \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: WorkloadPriorityClass\n"                   \
	"metadata: {name: high}\nvalue: 100\n"
#define COLUMNS "name,namespace,queue,submit_s,duration_s,pods,requests"
#define GOT(at, job, flavor)                                                                       \
	at ",QuotaReserved,default/" job ",q,count=1;flavors=cpu:" flavor ";borrow=0\n"
#define GONE(at, job)  at ",Finished,default/" job ",q,\n"
#define MOVES(at, job) at ",Evicted,default/" job ",q,reason=FlavorMigration\n"
#define FREE(at, job)  at ",Released,default/" job ",q,\n"

static const struct {
	const char *name, *yaml, *csv, *want;
} rows[] = {
	{"starts on the first flavor that has room, and moves up whenever one is free",
	 QUEUE(TRY, ""),
	 COLUMNS "\na,default,q,0,10,1,cpu=4\nb,default,q,0,30,1,cpu=4\nc,default,q,0,50,1,cpu=4\n",
	 GOT("0", "a", "r") GOT("0", "b", "o") GOT("0", "c", "s") GONE("10", "a") MOVES("11", "b")
		 FREE("16", "b") GOT("16", "b", "r") MOVES("16", "c") FREE("21", "c")
			 GOT("21", "c", "o") GONE("46", "b") MOVES("47", "c") FREE("52", "c")
				 GOT("52", "c", "r") GONE("102", "c")},
	{"stays where it was admitted first", QUEUE("mode: RetainFirstAdmission", ""),
	 COLUMNS "\na,default,q,0,10,1,cpu=4\nb,default,q,0,30,1,cpu=4\n",
	 GOT("0", "a", "r") GOT("0", "b", "o") GONE("10", "a") GONE("30", "b")},
	{"moves to the last acceptable flavor and better ones only",
	 QUEUE(TRY ", constraints: {lastAcceptableFlavorName: r}", ""),
	 COLUMNS "\na,default,q,0,40,1,cpu=4\nb,default,q,0,10,1,cpu=4\nc,default,q,0,50,1,cpu=4\n",
	 GOT("0", "a", "r") GOT("0", "b", "o") GOT("0", "c", "s") GONE("10", "b") GONE("40", "a")
		 MOVES("41", "c") FREE("46", "c") GOT("46", "c", "r") GONE("96", "c")},
	{"runs on another flavor while a check of the better one is asked",
	 QUEUE(TRY, CHECKED) CHECK, COLUMNS ",check_s\na,default,q,0,50,1,cpu=4,20\n",
	 GOT("0", "a", "o") "20,Check,default/a,q,result=Ready\n"
			    "20,Evicted,default/a,q,reason=Deactivated\n" FREE("25", "a")
				    GOT("25", "a", "r") GONE("75", "a")},
	{"is never tried again on a flavor whose check rejected it", QUEUE(TRY, CHECKED) CHECK,
	 COLUMNS ",check_s,check_result\na,default,q,0,50,1,cpu=4,20,Rejected\n",
	 GOT("0", "a", "o") "20,Check,default/a,q,result=Rejected\n"
			    "20,Evicted,default/a,q,reason=DeactivatedDueToAdmissionCheck\n" FREE(
				    "25", "a") GOT("25", "a", "o") GONE("75", "a")},
	{"one variant preempts, of the best flavor",
	 QUEUE(TRY, "  preemption: {withinClusterQueue: LowerPriority}\n") CLASSES,
	 COLUMNS ",priority_class\na,default,q,0,90,1,cpu=4,\nb,default,q,0,90,1,cpu=4,\n"
		 "c,default,q,0,90,1,cpu=4,\nh,default,q,10,20,1,cpu=4,high\n",
	 GOT("0", "a", "r") GOT("0", "b", "o") GOT(
		 "0", "c",
		 "s") "10,Preempted,default/a,q,"
		      "reason=InClusterQueue;preemptor=default/h;preemptor_cq=q\n" FREE("15", "a")
			      GOT("15", "h", "r") GONE("35", "h") GOT("36", "a", "r")
				      GONE("90", "b") GONE("90", "c") GONE("126", "a")},
};

/* h may have room on r, and preempts a there; but r is cut to less than h needs before a is gone.
 * Five minutes after the gate of r it is the turn of o. */
#define CUT                                                                                        \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\n"                            \
	"metadata: {name: q, annotations: {gqsim/at: '12'}}\nspec:\n"                              \
	"  namespaceSelector: {}\n  concurrentAdmissionPolicy: {migration: {" TRY "}}\n"           \
	"  preemption: {withinClusterQueue: LowerPriority}\n"                                      \
	"  resourceGroups:\n  - coveredResources: [cpu]\n    flavors:\n"                           \
	"    - {name: r, resources: [{name: cpu, nominalQuota: 2}]}\n" QUOTA("o") QUOTA("s")

START_TEST(the_turn_passes_after_five_minutes)
{
	char *got = events(
		QUEUE(TRY, "  preemption: {withinClusterQueue: LowerPriority}\n") CUT CLASSES,
		COLUMNS ",priority_class\na,default,q,0,900,1,cpu=4,\nb,default,q,0,900,1,cpu=4,\n"
			"c,default,q,0,900,1,cpu=4,\nh,default,q,10,20,1,cpu=4,high\n");

	ck_assert_msg(strstr(got, "10,Preempted,default/a,") != NULL, "%s", got);
	ck_assert_msg(strstr(got, "\n310,Preempted,default/b,q,reason=InClusterQueue;"
				  "preemptor=default/h;preemptor_cq=q\n" FREE("315", "b")
					  GOT("315", "h", "o")) != NULL,
		      "%s", got);
	mem_free(got);
}
END_TEST

START_TEST(whole_runs)
{
	char *got = events(rows[_i].yaml, rows[_i].csv);

	ck_assert_msg(strcmp(got, rows[_i].want) == 0, "%s: got\n%swant\n%s", rows[_i].name, got,
		      rows[_i].want);
	mem_free(got);
}
END_TEST

/* The queue loses flavor r at 10 s: Kueue hears of it a batch later, deletes the variant that
 * ran there, and with it its quota; the others were switched on again. A stopped LocalQueue
 * is unknown to it meanwhile. */
#define QUEUE_WITH(annotation, flavors)                                                            \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\n"                            \
	"metadata: {name: q, annotations: {" annotation "}}\nspec:\n"                              \
	"  namespaceSelector: {}\n  concurrentAdmissionPolicy: {migration: {" TRY "}}\n"           \
	"  resourceGroups:\n  - coveredResources: [cpu]\n    flavors:\n" flavors
#define LQ_WITH(annotation, stop)                                                                  \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"                              \
	"metadata: {name: q, namespace: default, annotations: {" annotation "}}\n"                 \
	"spec: {clusterQueue: q" stop "}\n"

static const struct {
	const char *name, *yaml, *csv, *want;
} changes[] = {
	{"a flavor that leaves takes its variant along",
	 QUEUE(TRY, "") QUEUE_WITH("gqsim/at: '10'", QUOTA("o")),
	 COLUMNS "\na,default,q,0,50,1,cpu=4\n",
	 GOT("0", "a", "r") "11,Evicted,default/a,q,reason=ConcurrentAdmission\n" FREE("16", "a")
		 GOT("16", "a", "o") GONE("66", "a")},
	{"one that comes brings another",
	 QUEUE(TRY, "") QUEUE_WITH("gqsim/at: '10'", QUOTA("o"))
		 QUEUE_WITH("gqsim/at: '20'", QUOTA("s") QUOTA("o")),
	 COLUMNS "\na,default,q,0,50,1,cpu=4\n",
	 GOT("0", "a", "r") "11,Evicted,default/a,q,reason=ConcurrentAdmission\n" FREE("16", "a")
		 GOT("16", "a", "o") MOVES("21", "a") FREE("26", "a") GOT("26", "a", "s")
			 GONE("76", "a")},
	{"nobody looks after the variants of a stopped LocalQueue",
	 QUEUE(TRY, "") LQ_WITH("gqsim/at: '5'", ", stopPolicy: Hold")
		 QUEUE_WITH("gqsim/at: '10'", QUOTA("o")) LQ_WITH("gqsim/at: '30'", ""),
	 COLUMNS "\na,default,q,0,50,1,cpu=4\n",
	 GOT("0", "a", "r") "30,Evicted,default/a,q,reason=ConcurrentAdmission\n" FREE("35", "a")
		 GOT("35", "a", "o") GONE("85", "a")},
};

/* Jobs have 6 s for their pods, and one more try. */
#define HURRIED                                                                                    \
	"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"                         \
	"featureGates: {ConcurrentAdmission: true}\nwaitForPodsReady:\n  timeout: 6s\n"            \
	"  blockAdmission: true\n"                                                                 \
	"  requeuingStrategy: {backoffBaseSeconds: 8, backoffLimitCount: 1}\n---\n"

/* The variant stays admitted, so the job is again, at once if its quota is free at once. */
START_TEST(time_for_pods_starts_anew)
{
	char *got = kueue_story_prompt_events(
		HURRIED QUEUES(TRY, ""),
		COLUMNS ",ready_s\na,default,q,0,50,1,cpu=4,100\nb,default,q,1,20,1,cpu=4,\n");

	ck_assert_msg(strstr(got, "\n6,Evicted,default/a,q,reason=PodsReadyTimeout;"
				  "requeue_count=1;requeue_at=14\n" GOT("6", "a", "r")) != NULL,
		      "%s", got);
	ck_assert_msg(strstr(got, "\n12,Evicted,default/a,q,"
				  "reason=DeactivatedDueToRequeuingLimitExceeded\n") != NULL,
		      "%s", got);
	ck_assert_msg(strstr(got, ",Finished,default/b,") != NULL, "%s", got);
	mem_free(got);
}
END_TEST

START_TEST(queues_that_change)
{
	char *got = events(changes[_i].yaml, changes[_i].csv);

	ck_assert_msg(strcmp(got, changes[_i].want) == 0, "%s: got\n%s", changes[_i].name, got);
	mem_free(got);
}
END_TEST

/* The job is told what each of its variants waits for. */
START_TEST(each_variant_says_why_it_waits)
{
	char *got = kueue_story_told(QUEUE(TRY, ""), COLUMNS
				     "\na,default,q,0,endless,1,cpu=4\n"
				     "b,default,q,0,endless,1,cpu=4\n"
				     "c,default,q,0,endless,1,cpu=4\nd,default,q,1,9,1,cpu=4\n");

	ck_assert_msg(strstr(got,
			     "b,WaitingForQuota: variant r: couldn't assign flavors to pod set "
			     "main: insufficient unused quota for cpu in flavor r, 4 more needed, "
			     "skipping flavor o due to WorkloadAllowedResourceFlavorAnnotation "
			     "annotation") != NULL,
		      "%s", got);
	ck_assert_msg(strstr(got, "d,WaitingForQuota: variant s: ") != NULL, "%s", got);
	ck_assert_msg(strstr(got, "Deactivated") == NULL, "%s", got);
	mem_free(got);
}
END_TEST

/* Of variants that nobody looks after nothing is told: it is told of their job. */
START_TEST(a_job_says_that_its_queue_is_stopped)
{
	char *got = kueue_story_told(
		QUEUE(TRY, "") LQ_WITH("gqsim/at: '10'", ", stopPolicy: HoldAndDrain"),
		COLUMNS "\na,default,q,0,50,1,cpu=4\n");

	ck_assert_msg(strstr(got, "15,a,Suspended: LocalQueue q is inactive") != NULL, "%s", got);
	mem_free(got);
}
END_TEST

/* In Kueue's words (its controller of variants, and the condition that its scheduler sets). */
START_TEST(variants_are_told_of)
{
	static const char *const want[] = {
		"0,CreatedVariant,default/a,q,\"message=Variant Workload \"\"default/a-r\"\" "
		"created\"\n",
		"0,DeactivatedVariant,default/a,q,\"message=Variant Workload deactivated due to "
		"being "
		"lower priority than admitted Variant \"\"default/a-r\"\"\"\n",
		"10,BlockedOnPreemptionGates,default/h,q,\"message=\"\"default/h-r\"\": Workload "
		"requires "
		"preemption, but it's gated\"\n",
		"10,PreemptionUngatedVariant,default/h,q,\"message=Opened preemption gate for "
		"variant "
		"workload \"\"default/h-r\"\"\"\n",
		"310,PreemptionUngatedVariant,default/h,q,\"message=Opened preemption gate for "
		"variant "
		"workload \"\"default/h-o\"\"\"\n",
		"15,ActivatedVariant,default/a,q,message=Variant Workload activated due to no "
		"other "
		"Variant being admitted\n",
	};
	char *got = kueue_story_events(
		QUEUE(TRY, "  preemption: {withinClusterQueue: LowerPriority}\n") CUT CLASSES,
		COLUMNS ",priority_class\na,default,q,0,900,1,cpu=4,\nb,default,q,0,900,1,cpu=4,\n"
			"c,default,q,0,900,1,cpu=4,\nh,default,q,10,20,1,cpu=4,high\n");

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		ck_assert_msg(strstr(got, want[i]) != NULL, "no \"%s\" in\n%s", want[i], got);
	mem_free(got);
}
END_TEST

START_TEST(a_variant_that_goes_is_told_of)
{
	static const char want[] = "11,DeletedVariant,default/a,q,\"message=Variant Workload "
				   "\"\"default/a-r\"\" deleted; flavor \"\"r\"\" no longer in "
				   "ClusterQueue\"\n";
	char *got = kueue_story_events(QUEUE(TRY, "") QUEUE_WITH("gqsim/at: '10'", QUOTA("o")),
				       COLUMNS "\na,default,q,0,50,1,cpu=4\n");

	ck_assert_msg(strstr(got, want) != NULL, "no \"%s\" in\n%s", want, got);
	mem_free(got);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sim/kueue_variant");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_loop_test(t, whole_runs, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_test(t, the_turn_passes_after_five_minutes);
	tcase_add_loop_test(t, queues_that_change, 0, (int)(sizeof(changes) / sizeof(changes[0])));
	tcase_add_test(t, time_for_pods_starts_anew);
	tcase_add_test(t, each_variant_says_why_it_waits);
	tcase_add_test(t, a_job_says_that_its_queue_is_stopped);
	tcase_add_test(t, variants_are_told_of);
	tcase_add_test(t, a_variant_that_goes_is_told_of);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
