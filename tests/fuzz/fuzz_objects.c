/* fuzz_objects.c - bytes as a file of objects: an error that says something, or a
 * scenario whose every index points at something. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "sim/load/join.h"
#include "sim/objects/objects.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void want(bool holds)
{
	if (!holds)
		abort();
}

static void check_groups(const struct scenario *s, const struct resource_group *groups,
			 uint32_t count)
{
	for (uint32_t g = 0; g < count; g++) {
		uint32_t cells = groups[g].flavor_count * groups[g].resource_count;

		for (uint32_t f = 0; f < groups[g].flavor_count; f++)
			want(groups[g].flavors[f] < s->flavor_count ||
			     groups[g].flavors[f] == SCENARIO_NONE);
		for (uint32_t r = 0; r < groups[g].resource_count; r++)
			want(groups[g].resources[r] < s->resource_count);
		for (uint32_t c = 0; c < cells; c++)
			want(groups[g].cells[c].nominal >= 0 &&
			     groups[g].cells[c].borrowing_limit >= QUOTA_ABSENT &&
			     groups[g].cells[c].lending_limit >= QUOTA_ABSENT);
	}
}

static void check_job(const struct scenario *s, const struct job *job)
{
	want(job->submit >= 0 && job->duration >= 0 && job->utilisation <= 1000);
	want(job->common->local_queue < s->local_queue_count ||
	     job->common->local_queue == JOB_NONE);
	want(job->extra < s->extra_count || job->extra == JOB_NONE);
	want(job->common->pod_set_count > 0 && job->common->pods > 0);
	for (uint32_t i = 0; i < job->common->pod_set_count; i++) {
		const struct pod_set *set = &s->pod_sets[job->common->first_pod_set + i];
		const struct pod_shape *shape = &s->shapes[set->shape];

		want(set->min_count >= 1 && set->min_count <= set->count);
		want(shape->container_count >= 1);
		for (uint32_t r = 0; r < s->resource_count; r++)
			want(shape->request[r] >= 0);
	}
}

static void check(const struct scenario *s)
{
	for (uint32_t i = 0; i < s->cluster_queue_count; i++) {
		want(s->cluster_queues[i].cohort < s->cohort_count ||
		     s->cluster_queues[i].cohort == SCENARIO_NONE);
		check_groups(s, s->cluster_queues[i].groups, s->cluster_queues[i].group_count);
	}
	for (uint32_t i = 0; i < s->cohort_count; i++) {
		want(s->cohorts[i].parent < s->cohort_count ||
		     s->cohorts[i].parent == SCENARIO_NONE);
		check_groups(s, s->cohorts[i].groups, s->cohorts[i].group_count);
	}
	for (uint32_t i = 0; i < s->node_count; i++)
		for (uint32_t r = 0; r < s->resource_count; r++)
			want(s->nodes[i].allocatable[r] >= 0);
	for (uint32_t i = 0; i < s->job_count; i++)
		check_job(s, &s->jobs[i]);
	for (uint32_t i = 1; i < s->job_count; i++)
		want(s->jobs[scenario_by_submit(s, i - 1)].submit <=
		     s->jobs[scenario_by_submit(s, i)].submit);
	for (uint32_t i = 1; i < s->update_count; i++)
		want(s->updates[i - 1].at <= s->updates[i].at);
	for (uint32_t i = 0; i < s->finding_count; i++)
		want(scenario_string(s, s->findings[i].text)[0] != '\0');
}

static void read(const struct source *source, bool strict)
{
	struct builder *builder = builder_new();
	struct objects *objects = objects_new(builder, strict);
	struct scenario *s = NULL;
	struct err err = {.code = ERR_OK};
	enum err_code code;

	builder_strict(builder, strict);
	code = objects_read(objects, source, &err);
	if (code == ERR_OK)
		code = objects_join(objects, &err);
	objects_finish(objects);
	objects_free(objects);
	if (code == ERR_OK) {
		join_rows(builder);
		code = builder_finish(builder, &s, &err);
	} else {
		builder_free(builder);
	}
	if (code != ERR_OK) {
		want(err.code == code && err.msg[0] != '\0');
		return;
	}
	check(s);
	scenario_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1); /* exactly as long: reading on is seen */
	struct source source = {.name = "fuzz", .data = text, .size = size};

	if (text == NULL)
		return 0;
	for (size_t i = 0; i < size; i++)
		text[i] = (char)data[i];
	text[size] = '\0';
	read(&source, false);
	read(&source, true);
	free(text);
	return 0;
}
