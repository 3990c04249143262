#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem.h"
#include "sim/input/cmd.h"
#include "sim/study/sweep_store.h"
#include "sim/tool/output.h"

/* All parts into the new store, which is begun as the first one says. */
static enum err_code join(const struct cmd_args *args, const char *path,
			  struct sweep_counts *counts, struct err *err)
{
	struct sweep_store *first, *all = NULL;
	enum err_code code = sweep_store_read(args->operands[0], &first, err);

	if (code != ERR_OK)
		return code;
	code = sweep_store_like(path, first, &all, err);
	sweep_store_close(first);
	for (size_t i = 0; i < args->operand_count && code == ERR_OK; i++)
		code = sweep_store_merge(all, args->operands[i], err);
	if (code == ERR_OK)
		code = sweep_store_count(all, counts, err);
	sweep_store_close(all);
	return code;
}

/* Nothing, an empty file or a sweep's database: nothing else is replaced. */
static enum err_code check_target(const char *path, struct err *err)
{
	struct sweep_store *store = NULL;
	struct stat info;
	enum err_code code;

	if (output_direct(path))
		return err_set(
			err, ERR_USAGE, NULL, 0, 0,
			"-o %.200s: a database is a regular file, this is none: name another",
			path);
	if (stat(path, &info) != 0 || info.st_size == 0)
		return ERR_OK;
	code = sweep_store_read(path, &store, err);
	sweep_store_close(store);
	return code;
}

/* Under a temporary name until it is complete; it may be one of the parts. */
static enum err_code merge(const struct cmd_args *args, struct sweep_counts *counts,
			   struct err *err)
{
	const char *path = cmd_value(args, "output");
	size_t size = path == NULL ? 0 : strlen(path) + 32;
	char *temporary;
	enum err_code code;

	if (path == NULL || args->operand_count == 0)
		return err_set(
			err, ERR_USAGE, NULL, 0, 0,
			"write gqsim merge A.db B.db -o ALL.db: the databases of the shards, "
			"and where they go");
	if (check_target(path, err) != ERR_OK)
		return err->code;
	temporary = mem_calloc(1, size);
	snprintf(temporary, size, "%s.%ld.tmp", path, (long)getpid());
	code = join(args, temporary, counts, err);
	if (code == ERR_OK && rename(temporary, path) != 0)
		code = err_set(err, ERR_IO, NULL, 0, 0, "cannot write %.300s: %s", path,
			       strerror(errno));
	if (code != ERR_OK)
		unlink(temporary);
	mem_free(temporary);
	return code;
}

static int run_merge(const struct cmd_context *context, const struct cmd_args *args)
{
	struct sweep_counts counts;
	struct err err;

	if (merge(args, &counts, &err) != ERR_OK)
		return cmd_fail(context, &err);
	fprintf(context->out, "%s: %" PRIu64 " of %" PRIu64 " points, %" PRIu64 " failed\n",
		cmd_value(args, "output"), counts.run, counts.points, counts.failed);
	return CMD_OK;
}

static const struct cmd_option options[] = {
	{"output", 'o', "FILE", "where all points go", "@path"},
	{NULL, 0, NULL, NULL, NULL},
};

const struct cmd_row cmd_merge_row = {
	.name = "merge",
	.synopsis = "DB... -o DB",
	.summary = "the shards of a sweep as one database",
	.help = "Joins the databases that the shards of one sweep wrote (gqsim sweep --shard).\n"
		"They must come from the same points, inputs and version of gqsim. A point that\n"
		"several have is kept once; a result replaces a failure, and two different\n"
		"results are an error. The joined database is as if one sweep had run all\n"
		"points; where points are missing, gqsim sweep -o on it runs them.\n"
		"\n"
		"Examples:\n"
		"  Three shards:\n"
		"    gqsim merge part-1.db part-2.db part-3.db -o all.db\n"
		"    gqsim sweep all.db -o csv\n",
	.options = options,
	.run = run_merge,
};
