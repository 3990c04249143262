#include "sim/input/cmd.h"
#include "sim/world/policy.h"

static bool said_before(const struct policy_row *row, const struct policy *policy)
{
	for (const struct policy_row *r = policy_rows(); r < row; r++) {
		if (r->admission == policy || r->placement == policy)
			return true;
	}
	return row->placement == policy && row->admission == policy;
}

static void say(const struct cmd_context *context, const struct policy_row *row,
		const struct policy *policy)
{
	if (policy != NULL && !said_before(row, policy))
		fprintf(context->out, "models %s\n", policy->models);
}

static int run_version(const struct cmd_context *context, const struct cmd_args *args)
{
	struct err err;

	if (cmd_most_operands(args, 0, &err) != ERR_OK)
		return cmd_fail(context, &err);
	fprintf(context->out, "gqsim %s\n", GQSIM_VERSION);
	for (const struct policy_row *row = policy_rows(); row->name != NULL; row++) {
		say(context, row, row->admission);
		say(context, row, row->placement);
	}
	return CMD_OK;
}

const struct cmd_row cmd_version_row = {
	.name = "version",
	.synopsis = "",
	.summary = "this program's version, and which schedulers it models",
	.help = "Also: gqsim --version\n",
	.run = run_version,
};
