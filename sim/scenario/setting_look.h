/* setting_look.h - one --set, cut up, and what its parts share: messages, finding the object
 * that it names, words of a few.
 */
#ifndef SIM_SETTING_LOOK_H
#define SIM_SETTING_LOOK_H

#include "sim/scenario/draft.h"
#include "sim/tool/nearest.h"

#define SETTING_PIECE 256
#define SETTING_MILLI 1000

enum setting_target {
	SETTING_CLUSTER_QUEUE,
	SETTING_COHORT,
	SETTING_LOCAL_QUEUE,
	SETTING_POOL,
	SETTING_JOBS,
	SETTING_CONFIG,
	SETTING_RUN,
	SETTING_FLAVOR,
};

struct setting {
	const char *text; /* the whole, for messages */
	enum setting_target target;
	char name[SETTING_PIECE];
	char resource[SETTING_PIECE]; /* "": a field of the object */
	char flavor[SETTING_PIECE];   /* "": not given */
	char field[SETTING_PIECE];
	const char *value;
	struct builder *builder;
	struct err *err;
};

/* "--set TEXT: ..." */
enum err_code setting_fail(struct setting *s, enum err_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
enum err_code setting_no_field(struct setting *s, const char *fields);

/* What there is, for a message about something that there is not. */
struct setting_listing {
	char text[300];
	size_t used;
	struct nearest nearest;
};
void setting_list_begin(struct setting_listing *listing, const char *wanted);
void setting_list_offer(struct setting_listing *listing, const char *word);
enum err_code setting_not_found(struct setting *s, const struct setting_listing *listing,
				const char *what, const char *wanted);

/* The last record of that name, which is the one that holds; NULL: the error is set. */
void *setting_record(struct setting *s, enum kind kind);

struct setting_choice {
	const char *text; /* NULL ends a list */
	int value;
};
/* The value as one of these words; out: an int. */
enum err_code setting_word(struct setting *s, const struct setting_choice *words, void *out);

/* Jobs: "all", a namespace, or a pattern of NAMESPACE/NAME. */
bool setting_names_job(const struct setting *s, const struct job *job);

/* The parts; each has its fields in sim/scenario/setting.h. */
enum err_code setting_pool(struct setting *s);
enum err_code setting_jobs(struct setting *s);
/* GPUs in slices: of a pool (string), of jobs. */
enum err_code setting_mig_pool(struct setting *s, uint32_t pool);
enum err_code setting_mig_jobs(struct setting *s);
/* Groups that cover whole GPUs cover the slices that the quota is about, too. */
enum err_code setting_mig_cover(struct setting *s, const struct resource_group **groups,
				uint32_t count);

#endif
