#include "sim/objects/objects_roles.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#define NAME 300

enum err_code objects_roles_begin(struct fields *f, struct objects_roles *roles,
				  const struct object *object)
{
	*roles = (struct objects_roles){.count = 0};
	objects_work_begin(&roles->work, object);
	return objects_work_head(f, &roles->work);
}

static uint32_t lower_name(struct fields *f, const char *name)
{
	char text[NAME];
	size_t len = 0;

	for (; name[len] != '\0' && len < NAME; len++)
		text[len] = (char)tolower((unsigned char)name[len]);
	return builder_string(f->builder, text, len);
}

static enum err_code check_number(struct fields *f, const struct objects_roles *roles,
				  const struct yaml_node *place, uint64_t pods)
{
	for (uint32_t i = 0; i < roles->count; i++)
		pods += roles->sets[i].pods;
	if (roles->count == OBJECTS_ROLES_MAX)
		return fields_error(f, ERR_LIMIT, place,
				    "more than %d pod sets: a Workload of Kueue has no more",
				    OBJECTS_ROLES_MAX);
	if (pods > OBJECTS_OWN_MAX_PODS)
		return fields_error(f, ERR_LIMIT, place, "%" PRIu64 " pods; at most %d are allowed",
				    pods, OBJECTS_OWN_MAX_PODS);
	return ERR_OK;
}

enum err_code objects_roles_add(struct fields *f, struct objects_roles *roles,
				const struct objects_role *role)
{
	struct objects_work_set *set = &roles->sets[roles->count];
	enum err_code code = check_number(f, roles, role->place, role->pods);
	size_t mark;

	if (code != ERR_OK)
		return code;
	mark = fields_enter(f, role->path);
	code = objects_pod_template(f, role->template, &set->pod);
	fields_leave(f, mark);
	set->name = lower_name(f, role->name);
	roles->works[roles->count] = OBJECTS_OWN_MISSING;
	set->pods = set->min_pods = (uint32_t)role->pods;
	roles->count++;
	return code;
}

/* The first class that a role names holds for all. */
static void choose_class(struct objects_roles *roles)
{
	for (uint32_t i = 0; i < roles->count; i++) {
		if (roles->sets[i].pod.priority_class == NAME_NONE)
			continue;
		roles->sets[0].pod.priority_class = roles->sets[i].pod.priority_class;
		return;
	}
}

/* Their number of replicas is fixed once Kueue has admitted them. */
static enum err_code drop_scaling(struct fields *f, struct objects_work *work)
{
	struct job_change *kept = mem_arena_alloc(
		builder_arena(f->builder), (work->control.change_count + 1u) * sizeof(*kept));
	uint32_t count = 0;

	for (uint32_t i = 0; i < work->control.change_count; i++) {
		if (work->control.changes[i].replicas == JOB_NONE)
			kept[count++] = work->control.changes[i];
	}
	if (count == work->control.change_count)
		return ERR_OK;
	work->control.changes = kept;
	work->control.change_count = count;
	return fields_not_modelled(f, work->object->node, "gqsim/replicas-at");
}

void objects_roles_after(struct objects_roles *roles, uint32_t set, uint32_t before, bool done)
{
	roles->after[set] |= UINT32_C(1) << before;
	if (done)
		roles->after_done[set] |= UINT32_C(1) << before;
}

/* Which of them the job has: those without pods are left out, and nobody waits for them. */
static uint32_t place_of(const struct objects_roles *roles, uint32_t set)
{
	uint32_t place = 0;

	for (uint32_t i = 0; i < set; i++)
		place += roles->sets[i].pods != 0;
	return place;
}

void objects_roles_ready(struct fields *f, struct objects_roles *roles, uint32_t first,
			 uint32_t count, bool any)
{
	uint32_t from = place_of(roles, first), to = place_of(roles, first + count);
	struct ready_rule *rule;

	if (from == to)
		return;
	rule = mem_arena_alloc(builder_arena(f->builder), sizeof(*rule));
	*rule = (struct ready_rule){
		.first = (uint16_t)from, .count = (uint16_t)(to - from), .any = any};
	roles->work.control.ready = rule;
}

static simtime stage_work(struct fields *f, const struct objects_roles *roles, uint32_t set)
{
	if (roles->works[set] >= 0)
		return roles->works[set];
	fields_finding(f, FINDING_NOTE, roles->work.object->node,
		       "others wait until %s is done, and nothing says how long that takes "
		       "(gqsim/duration in its template's annotations): no time",
		       name_text(builder_strings(f->builder), roles->sets[set].name));
	return 0;
}

/* Of the sets that are done before others begin; by the job's pod sets. */
static const simtime *stage_works(struct fields *f, const struct objects_roles *roles)
{
	const struct job_control *control = &roles->work.control;
	simtime *works = mem_arena_alloc(builder_arena(f->builder), roles->count * sizeof(*works));
	uint32_t done = 0;

	for (uint32_t i = 0; i < roles->count; i++)
		works[i] = OBJECTS_OWN_MISSING;
	for (uint32_t i = 0; i < control->startup_count; i++)
		if (control->startups[i].complete)
			done |= UINT32_C(1) << control->startups[i].after;
	for (uint32_t i = 0; i < roles->count; i++)
		if (roles->sets[i].pods != 0 && (done >> place_of(roles, i) & 1) != 0)
			works[place_of(roles, i)] = stage_work(f, roles, i);
	return works;
}

static bool has_order(const struct objects_roles *roles)
{
	uint32_t any = 0;

	for (uint32_t i = 0; i < roles->count; i++)
		any |= roles->after[i];
	return any != 0;
}

static enum err_code order_sets(struct fields *f, struct objects_roles *roles)
{
	struct job_control *control = &roles->work.control;
	struct startup *startups;

	control->startup_count = 0;
	if (!has_order(roles))
		return ERR_OK;
	if ((roles->work.common.flags & JOB_NOT_GANG) != 0)
		return fields_not_modelled(f, roles->work.object->node,
					   "the start-up order of pods that work each for itself");
	startups = mem_arena_alloc(builder_arena(f->builder),
				   (size_t)roles->count * roles->count * sizeof(*startups));
	for (uint32_t set = 0; set < roles->count; set++) {
		for (uint32_t before = 0; before < roles->count; before++) {
			if ((roles->after[set] >> before & 1) == 0 || roles->sets[set].pods == 0 ||
			    roles->sets[before].pods == 0)
				continue;
			startups[control->startup_count++] = (struct startup){
				.set = (uint16_t)place_of(roles, set),
				.after = (uint16_t)place_of(roles, before),
				.complete = (roles->after_done[set] >> before & 1) != 0};
		}
	}
	control->startups = startups;
	control->set_works = stage_works(f, roles);
	return ERR_OK;
}

/* ---- pod sets that are placed together ---- */

/* Kinds whose webhooks look at them (jobframework: ValidatePodSetGroupingTopology). */
static bool has_checked_groups(const char *kind)
{
	static const char *const kinds[] = {"JobSet",	  "LeaderWorkerSet", "MPIJob",
					    "RayCluster", "RayJob",	     "RayService"};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i], kind) == 0)
			return true;
	return false;
}

/* What is wrong with the two sets of a group; NULL: nothing. */
static const char *wrong_pair(const struct objects_work_set *a, const struct objects_work_set *b)
{
	const struct pod_shape *x = &a->pod.template.base, *y = &b->pod.template.base;

	if (a->pods != 1 && b->pods != 1)
		return "at least one of its two pod sets must have 1 replica";
	if (x->topology_mode != y->topology_mode || x->topology_level != y->topology_level)
		return "its two pod sets must ask for the same topology";
	return NULL;
}

/* The group of the set, which is its first. */
static const char *wrong_group(const struct objects_roles *roles, uint32_t set)
{
	uint32_t group = roles->sets[set].pod.template.base.topology_group;
	uint32_t others = 0, other = 0;

	for (uint32_t i = 0; i < roles->count; i++) {
		if (i == set || roles->sets[i].pod.template.base.topology_group != group)
			continue;
		if (i < set)
			return NULL; /* it was looked at */
		other = i;
		others++;
	}
	return others == 1 ? wrong_pair(&roles->sets[set], &roles->sets[other])
			   : "a group must have exactly 2 pod sets";
}

static enum err_code check_groups(struct fields *f, const struct objects_roles *roles)
{
	if (!has_checked_groups(roles->work.object->list_kind))
		return ERR_OK;
	for (uint32_t i = 0; i < roles->count; i++) {
		uint32_t group = roles->sets[i].pod.template.base.topology_group;
		const char *why = group == NAME_NONE ? NULL : wrong_group(roles, i);

		if (why != NULL)
			return fields_error(f, ERR_VALUE, roles->work.object->node,
					    "podset-group-name \"%.60s\": %s",
					    name_text(builder_strings(f->builder), group), why);
	}
	return ERR_OK;
}

static bool matters(struct fields *f, struct objects_roles *roles)
{
	for (uint32_t i = 0; i < roles->count; i++) {
		roles->work.pod = roles->sets[i].pod;
		if (objects_pod_has_gpus(f, &roles->work.pod))
			return true;
	}
	return objects_work_matters(f, &roles->work);
}

enum err_code objects_roles_finish(struct fields *f, struct objects_roles *roles,
				   enum objects_roles_life life)
{
	struct objects_work *work = &roles->work;
	uint32_t pods = 0;

	if (objects_work_check_failures(f, work) != ERR_OK || check_groups(f, roles) != ERR_OK)
		return f->err->code;
	if (life == OBJECTS_ROLES_SERVES && !matters(f, roles))
		return ERR_OK;
	for (uint32_t i = 0; i < roles->count; i++)
		pods += roles->sets[i].pods;
	work->control.completions = pods;
	choose_class(roles);
	if (drop_scaling(f, work) != ERR_OK || order_sets(f, roles) != ERR_OK)
		return f->err->code;
	if (work->own.duration == OBJECTS_OWN_MISSING) {
		work->job.duration = life == OBJECTS_ROLES_SERVES ? JOB_ENDLESS : CLOCK_HOUR;
		work->assumed = life == OBJECTS_ROLES_TRAINS && work->own.duration_count == 0;
	}
	return objects_work_finish_sets(f, work, roles->sets, roles->count);
}

enum err_code objects_roles_beyond(struct fields *f, const struct field *row,
				   const struct yaml_node *value, void *out)
{
	(void)out;
	return fields_not_modelled(f, value, row->arg);
}

enum err_code objects_roles_beyond_word(struct fields *f, const struct field *row,
					const struct yaml_node *value, void *out)
{
	const struct objects_roles_word *beyond = row->arg;

	(void)out;
	return yaml_text_is(value, beyond->word) ? fields_not_modelled(f, value, beyond->what)
						 : ERR_OK;
}
