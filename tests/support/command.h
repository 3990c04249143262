/* command.h - a command line run inside the test, and the files it needs. */
#ifndef TESTS_SUPPORT_COMMAND_H
#define TESTS_SUPPORT_COMMAND_H

#include "sim/input/cmd.h"

struct command {
	int code;
	char *out, *err; /* what it printed */
};

/* Runs "compare a.yaml b.csv --x y": words by blanks, the first the command's
 * name. "%" in a word stands for the folder of command_file. Free with
 * command_free. */
struct command command_run(const char *line);
void command_free(struct command *command);

/* A folder of this test's own; made on first use, gone when the test ends. Writes a
 * file there. */
const char *command_folder(void);
void command_file(const char *name, const char *text);
/* Its text, to be freed; NULL if there is none. */
char *command_read(const char *name);

/* The scenario of these files of the folder, named by blanks; the caller frees it. */
struct scenario *command_load(const char *names);
/* The job of this name. */
uint32_t command_job(const struct scenario *scenario, const char *name);

/* Two nodes of four GPUs, two ClusterQueues a and b of one cohort with 4 GPUs
 * each, where b may take back what it lent; their LocalQueues in "default". */
extern const char command_objects[];
/* Two gangs of 8 GPUs that deadlock when their pods are created in turn. */
extern const char command_gangs[];
/* a1 borrows all 8 GPUs, b1 takes its 4 back at 100 s; big can never run. */
extern const char command_reclaim[];

#endif
