/* test_input.c - from what is named on a command line to a scenario. */
#include "sim/input/input.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/sim/objects_case.h"

#define HEAD "name,namespace,queue,submit_s,duration_s,priority_class,pods,requests\n"
#define FLAVOR(name)                                                                               \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: " name "}\n"
#define QUEUE                                                                                      \
	FLAVOR("f")                                                                                \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q}\n"       \
	"spec: {namespaceSelector: {}, resourceGroups: [{coveredResources: [nvidia.com/gpu], "     \
	"flavors: [{name: f, resources: [{name: nvidia.com/gpu, nominalQuota: 8}]}]}]}\n"

static char folder[] = "/tmp/gqsim-input-XXXXXX";
static char home[4096];

static void enter(void)
{
	ck_assert_int_eq(chdir(folder), 0);
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "wb");

	ck_assert_msg(f != NULL, "%s", path);
	ck_assert_uint_eq(fwrite(text, 1, strlen(text), f), strlen(text));
	ck_assert_int_eq(fclose(f), 0);
}

static struct objects_case load(struct input_request request)
{
	struct objects_case c = {.s = NULL};

	c.code = input_load(&request, &c.s, NULL, &c.err);
	if (c.code != ERR_OK)
		err_format(&c.err, c.message, sizeof(c.message));
	return c;
}

static struct scenario *loaded(struct input_request request)
{
	struct objects_case c = load(request);

	ck_assert_msg(c.code == ERR_OK, "%s", c.message);
	return c.s;
}

static void setup(void)
{
	enter();
}

static void teardown(void)
{
	ck_assert_int_eq(system("rm -rf ./*"), 0);
	ck_assert_int_eq(chdir(home), 0);
}

/* Depth first in name order; other endings and hidden files are passed over. */
START_TEST(folders)
{
	static const char *const files[] = {"."};
	struct scenario *s;

	ck_assert_int_eq(mkdir("b", 0777), 0);
	ck_assert_int_eq(mkdir(".hidden", 0777), 0);
	write_file("c.yml", FLAVOR("third"));
	write_file("b/x.json", "{\"apiVersion\":\"kueue.x-k8s.io/v1beta2\",\"kind\":"
			       "\"ResourceFlavor\",\"metadata\":{\"name\":\"second\"}}");
	write_file("a.yaml", FLAVOR("first"));
	write_file("d.csv", HEAD "j,n,q,0,1,,1,nvidia.com/gpu=1\n");
	write_file("notes.md", "# not {{ YAML");
	write_file(".hidden/z.yaml", "a: [");
	ck_assert_int_eq(symlink(".", "loop"), 0);
	s = loaded((struct input_request){.files = files, .file_count = 1});
	ck_assert_uint_eq(s->flavor_count, 4); /* and the one of the derived queues */
	ck_assert_str_eq(objects_case_text(s, s->flavors[0].name), "first");
	ck_assert_str_eq(objects_case_text(s, s->flavors[1].name), "second");
	ck_assert_str_eq(objects_case_text(s, s->flavors[2].name), "third");
	ck_assert_uint_eq(s->job_count, 1);
	ck_assert_uint_eq(s->input_count, 4);
	ck_assert_str_eq(objects_case_text(s, s->input_names[1]), "./b/x.json");
	scenario_free(s);
	ck_assert_int_eq(system("rm -rf .hidden"), 0);
}
END_TEST

static const struct {
	const char *folder, *file;
	bool reads;
} inside[] = {
	{"in", "in/a.yaml", true},	   {"in/", "in/b/c.csv.gz", true},
	{"./in", "in/../in/a.yaml", true}, {".", "in/b/c.csv.gz", true},
	{"in/b", "in/a.yaml", false},	   {"in", "in/notes.md", false},
	{"in", "in/.hid.yaml", false},	   {"in", "in/new.yaml", false},
	{"in/a.yaml", "in/a.yaml", false},
};

/* What is written there would take the place of an input. */
START_TEST(files_in_folders)
{
	ck_assert(mkdir("in", 0777) == 0 && mkdir("in/b", 0777) == 0);
	write_file("in/a.yaml", "");
	write_file("in/b/c.csv.gz", "");
	write_file("in/notes.md", "");
	write_file("in/.hid.yaml", "");
	for (size_t i = 0; i < sizeof(inside) / sizeof(inside[0]); i++)
		ck_assert_msg(input_reads(inside[i].folder, inside[i].file) == inside[i].reads,
			      "%s", inside[i].file);
	ck_assert_int_eq(system("rm -rf in"), 0);
}
END_TEST

/* Where no job was found, what was passed over is named. */
START_TEST(jobs_that_were_not_read)
{
	static const char *const files[] = {"of"};
	struct scenario *s;
	struct err err;

	ck_assert_int_eq(mkdir("of", 0777), 0);
	write_file("of/a.yaml", FLAVOR("first"));
	write_file("of/jobs.txt", "");
	write_file("of/more.txt", "");
	s = loaded((struct input_request){.files = files, .file_count = 1});
	ck_assert_int_eq(input_need_jobs(s, &err), ERR_VALUE);
	ck_assert_ptr_nonnull(strstr(err.msg, "of/jobs.txt and 1 more not read"));
	scenario_free(s);
	ck_assert_int_eq(system("rm -rf of"), 0);
}
END_TEST

/* The name of a file in a folder outlives the loading only within the message. */
START_TEST(an_error_in_a_folder)
{
	static const char *const files[] = {"sub"};
	struct objects_case c;

	ck_assert_int_eq(mkdir("sub", 0777), 0);
	write_file("sub/a.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: A}\n");
	c = load((struct input_request){.files = files, .file_count = 1});
	ck_assert_int_eq(c.code, ERR_VALUE);
	ck_assert_ptr_null(c.err.file);
	ck_assert_ptr_eq(strstr(c.message, "sub/a.yaml:3:18: Node \"A\": metadata.name"),
			 c.message);
}
END_TEST

/* A list of jobs alone: Philly's hardware, and a queue a team. */
START_TEST(jobs_alone)
{
	static const char *const files[] = {"jobs.csv"};
	struct trace_summary summary;
	struct input_request request = {.files = files, .file_count = 1};
	struct scenario *s = NULL;
	struct err err;

	write_file("jobs.csv", HEAD "a,n,vision,0,60,,1,nvidia.com/gpu=1\n"
				    "b,n,speech,0,60,,1,nvidia.com/gpu=1\n");
	ck_assert_int_eq(input_load(&request, &s, &summary, &err), ERR_OK);
	ck_assert_str_eq(summary.format, "csv");
	ck_assert_uint_eq(summary.jobs, 2);
	ck_assert_uint_eq(s->node_count, 311);
	ck_assert_int_eq(scenario_gpus(s), 2488);
	ck_assert_uint_eq(s->cluster_queue_count, 2);
	ck_assert(s->derived_queues);
	ck_assert_uint_eq(scenario_job_cluster_queue(s, 1), 1);
	ck_assert_ptr_nonnull(objects_case_finding(s, "311 nodes of 8 GPUs are assumed"));
	scenario_free(s);
}
END_TEST

START_TEST(nodes_of_the_command_line)
{
	static const char *const files[] = {"jobs.csv"};
	struct scenario *s;

	write_file("jobs.csv", HEAD "a,n,q,0,60,,1,nvidia.com/gpu=1\n");
	s = loaded((struct input_request){
		.files = files, .file_count = 1, .nodes = "h100=3x8,l40s=2x4"});
	ck_assert_uint_eq(s->node_count, 5);
	ck_assert_int_eq(scenario_gpus(s), 32);
	ck_assert_int_eq(s->cluster_queues[0].groups[0].cells[0].nominal, 32);
	scenario_free(s);
}
END_TEST

START_TEST(nodes_of_virtual_clusters)
{
	static const char *const files[] = {"jobs.csv"};
	struct scenario *s;

	write_file("jobs.csv", HEAD "a,n,q,0,60,,1,nvidia.com/gpu=1\n");
	write_file("vc.csv", "vc,node num\nq,3\nother,4\n");
	s = loaded((struct input_request){.files = files, .file_count = 1, .vc_nodes = "vc.csv"});
	ck_assert_uint_eq(s->node_count, 7);
	ck_assert_uint_eq(s->cluster_queue_count, 2);
	ck_assert_int_eq(s->cluster_queues[0].groups[0].cells[0].nominal, 24);
	scenario_free(s);
}
END_TEST

/* Queues without nodes: quota alone decides, nothing is made up. */
START_TEST(queues_without_nodes)
{
	static const char *const files[] = {"jobs.csv", "q.yaml"};
	struct scenario *s;

	write_file("jobs.csv", HEAD "a,n,l,0,60,,1,nvidia.com/gpu=1\n");
	write_file("q.yaml", QUEUE);
	s = loaded((struct input_request){.files = files, .file_count = 2});
	ck_assert_uint_eq(s->node_count, 0);
	ck_assert_uint_eq(s->cluster_queue_count, 1);
	ck_assert(!s->derived_queues);
	scenario_free(s);
}
END_TEST

START_TEST(settings)
{
	static const char *const files[] = {"q.yaml"};
	static const char *const sets[] = {"cq/q:nvidia.com/gpu.nominalQuota=5",
					   "nodepool/h:.count=4"};
	struct scenario *s;
	struct objects_case c;

	write_file("q.yaml", QUEUE);
	s = loaded((struct input_request){
		.files = files, .file_count = 1, .nodes = "h=1x8", .sets = sets, .set_count = 2});
	ck_assert_uint_eq(s->node_count, 4);
	ck_assert_int_eq(s->cluster_queues[0].groups[0].cells[0].nominal, 5);
	scenario_free(s);
	c = load((struct input_request){
		.files = files, .file_count = 1, .sets = sets + 1, .set_count = 1});
	ck_assert_str_eq(c.message,
			 "--set nodepool/h:.count=4: there is no node pool \"h\", nor any "
			 "other");
}
END_TEST

/* Quotas that are made of the hardware follow a pool's size. */
START_TEST(derived_quota_follows_the_pool)
{
	static const char *const files[] = {"jobs.csv"};
	static const char *const sets[] = {"nodepool/h:.count=2"};
	struct scenario *s;

	write_file("jobs.csv", HEAD "a,n,q,0,60,,1,nvidia.com/gpu=1\n");
	s = loaded((struct input_request){
		.files = files, .file_count = 1, .nodes = "h=9x8", .sets = sets, .set_count = 1});
	ck_assert_int_eq(s->cluster_queues[0].groups[0].cells[0].nominal, 16);
	scenario_free(s);
}
END_TEST

START_TEST(a_trace_beside_its_document)
{
	static const char *const files[] = {"sub/story.yaml"};
	struct scenario *s;

	ck_assert_int_eq(mkdir("sub", 0777), 0);
	write_file("sub/story.yaml", "apiVersion: gqsim/v1\nkind: Simulation\n"
				     "nodePools: [{name: p, count: 1, gpus: 8}]\n"
				     "trace: {file: jobs.csv, format: csv}\n"
				     "jobs: [{name: own, duration: 1, gpus: 1}]\n");
	write_file("sub/jobs.csv", HEAD "a,n,q,0,60,,1,nvidia.com/gpu=1\n");
	s = loaded((struct input_request){.files = files, .file_count = 1});
	ck_assert_uint_eq(s->job_count, 2);
	ck_assert_uint_eq(s->node_count, 1);
	scenario_free(s);
}
END_TEST

START_TEST(a_job_of_the_trace_that_is_there_twice)
{
	static const char *const files[] = {"sub/story.yaml"};
	struct objects_case c;

	ck_assert_int_eq(mkdir("sub", 0777), 0);
	write_file("sub/story.yaml", "apiVersion: gqsim/v1\nkind: Simulation\n"
				     "trace: {file: jobs.csv}\n");
	write_file("sub/jobs.csv", HEAD "a,n,q,0,60,,1,nvidia.com/gpu=1\n"
					"a,n,q,0,60,,1,nvidia.com/gpu=1\n");
	c = load((struct input_request){.files = files, .file_count = 1});
	ck_assert_int_eq(c.code, ERR_DUPLICATE);
	ck_assert_ptr_eq(strstr(c.message, "sub/jobs.csv:3:1: job \"a\" is there twice"),
			 c.message);
}
END_TEST

static const struct {
	const char *file, *text, *trace, *format, *message;
} errors[] = {
	{"x.csv", "a,b\n1,2\n", NULL, NULL,
	 "x.csv:1:1: no list of jobs that is known (gqsim list traces): a header must name "
	 "at "
	 "least submit_s, duration_s and one of requests, gpus or podsets"},
	{"x.txt", "what is this", NULL, NULL,
	 "x.txt:1:1: this is a text, not an object with apiVersion, kind and metadata"},
	{"x.yaml", QUEUE, "x.yaml", NULL,
	 "x.yaml:1:1: no list of jobs that is known (gqsim list traces): a header must name "
	 "at least submit_s, duration_s and one of requests, gpus or podsets"},
	{"x.yaml", QUEUE, "x.yaml", "nosuch",
	 "there is no format \"nosuch\" of job lists; gqsim list traces names them"},
	{"x.yaml", QUEUE, "nowhere", NULL, "nowhere: cannot be opened: No such file or directory"},
};

START_TEST(refused)
{
	const char *const files[] = {errors[_i].file};
	struct objects_case c;

	write_file(errors[_i].file, errors[_i].text);
	c = load((struct input_request){.files = files,
					.file_count = 1,
					.trace = errors[_i].trace,
					.format = errors[_i].format});
	ck_assert_int_ne(c.code, ERR_OK);
	ck_assert_str_eq(c.message, errors[_i].message);
}
END_TEST

/* Loading twice gives the same; nothing is kept from one time to the next. */
START_TEST(again)
{
	static const char *const files[] = {"q.yaml"};
	struct scenario *a, *b;

	write_file("q.yaml", QUEUE);
	a = loaded((struct input_request){.files = files, .file_count = 1});
	b = loaded((struct input_request){.files = files, .file_count = 1});
	ck_assert_uint_eq(a->input_hashes[0], b->input_hashes[0]);
	ck_assert_uint_eq(name_count(a->strings), name_count(b->strings));
	scenario_free(a);
	scenario_free(b);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("all");
	int status;

	if (getcwd(home, sizeof(home)) == NULL || mkdtemp(folder) == NULL)
		return EXIT_FAILURE;
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, folders);
	tcase_add_test(t, files_in_folders);
	tcase_add_test(t, jobs_that_were_not_read);
	tcase_add_test(t, an_error_in_a_folder);
	tcase_add_test(t, jobs_alone);
	tcase_add_test(t, nodes_of_the_command_line);
	tcase_add_test(t, nodes_of_virtual_clusters);
	tcase_add_test(t, queues_without_nodes);
	tcase_add_test(t, settings);
	tcase_add_test(t, derived_quota_follows_the_pool);
	tcase_add_test(t, a_trace_beside_its_document);
	tcase_add_test(t, a_job_of_the_trace_that_is_there_twice);
	tcase_add_loop_test(t, refused, 0, ROWS(errors));
	tcase_add_test(t, again);
	status = objects_case_run("sim/input/input", t);
	rmdir(folder);
	return status;
}
