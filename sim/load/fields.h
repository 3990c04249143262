/* fields.h - typed fields of a map, with the path of each in what is said about it.
 *
 * A kind of object is described by tables of rows: a key, how its value is read,
 * and where it goes. What no row names is an unknown field: the API server drops
 * it, so it is a finding, or an error with --strict and in our own document.
 */
#ifndef SIM_FIELDS_H
#define SIM_FIELDS_H

#include <stddef.h>

#include "sim/load/builder.h"
#include "sim/load/tally.h"
#include "sim/yaml/yaml.h"

#define FIELDS_PATH 256

enum fields_unknown { FIELDS_WARN, FIELDS_REFUSE };

/* What can be made only when all is read. */
struct objects_crons;	  /* objects_cronjob.h */
struct objects_podgroups; /* objects_podgroup.h */

/* Who reads: one a file, reused for each object in it. */
struct fields {
	struct builder *builder;
	struct mem_arena *arena; /* lists and labels go here: the builder's, or a passing one */
	struct tally *tally;	 /* findings that would repeat */
	struct objects_crons *crons;
	struct objects_podgroups *groups;
	struct objects_trainjobs *trainjobs; /* what waits for its runtime (objects_trainjob.h) */
	const char *file;
	const char *kind; /* of the object being read; "" outside of any */
	const char *name;
	uint32_t version; /* enum fields_version of the object */
	enum fields_unknown unknown;
	char path[FIELDS_PATH];
	size_t path_len;
	struct err *err;
	/* NULL: the first error ends the reading of an object. Else each error of its fields
	 * is told to it, and the reading goes on and fails in the end. */
	void (*report)(void *context, const struct err *err);
	void *report_context;
	bool told; /* the error in err has been told */
};

enum fields_version { FIELDS_ANY_VERSION, FIELDS_OLD = 1, FIELDS_NEW = 2 };

struct field;
typedef enum err_code fields_read(struct fields *f, const struct field *row,
				  const struct yaml_node *value, void *out);

struct field {
	const char *key;
	fields_read *read; /* NULL: known, and of no effect here */
	size_t offset;	   /* of what it fills, in the record */
	const void *arg;   /* what the reader needs: an enum's words, rows of a map, ... */
	bool required;
	enum fields_version only; /* in objects of this version; else instead says what */
	const char *instead;
	const char *deprecated; /* what to do instead, where its version has it and none later */
};

/* Reads a map by its rows (ended by a NULL key). Null values count as absent. */
enum err_code fields_map(struct fields *f, const struct yaml_node *map, const struct field *rows,
			 void *out);

/* Each item of a list through read (its row is NULL), into elements of size bytes in f->arena.
 * At most limit items. An absent list is left as it was. */
enum err_code fields_list(struct fields *f, const struct yaml_node *list, fields_read *read,
			  size_t size, uint32_t limit, void **items, uint32_t *count);

/* Deeper in the path: ".key" or "[index]"; fields_leave takes what enter gave. */
size_t fields_enter(struct fields *f, const char *key);
size_t fields_enter_index(struct fields *f, uint32_t index);
void fields_leave(struct fields *f, size_t mark);

/* "KIND "NAME": path: message", at the node. */
enum err_code fields_error(struct fields *f, enum err_code code, const struct yaml_node *node,
			   const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void fields_finding(struct fields *f, enum finding_kind kind, const struct yaml_node *node,
		    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* The same under a rule of finding_rules.h, with what to do about it. */
void fields_fault(struct fields *f, enum finding_kind kind, const char *rule,
		  const struct yaml_node *node, const char *fix, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));
/* What to do about the error that was just made; returns its code. */
enum err_code fields_fix(struct fields *f, const char *fix);

/* Tells the error in f->err to the report, which is there, unless that was done. */
void fields_tell(struct fields *f);
/* After one of several readings: ERR_OK to go on with the next; *failed keeps the code of an
 * error that was told. fields_gathered is what they have come to. */
enum err_code fields_gather(struct fields *f, enum err_code code, enum err_code *failed);
enum err_code fields_gathered(struct fields *f, enum err_code code, enum err_code failed);

/* Something that is known and not modelled; counted. An error where unknown fields are
 * refused. */
enum err_code fields_not_modelled(struct fields *f, const struct yaml_node *node, const char *what)
	__attribute__((warn_unused_result));

/* ---- readers for rows ---- */

fields_read fields_nested;	/* arg: rows of the map, which fills the record at offset */
fields_read fields_string;	/* uint32_t: a string of the builder */
fields_read fields_bool;	/* bool */
fields_read fields_int32;	/* int32_t */
fields_read fields_count;	/* uint32_t, 0 or more */
fields_read fields_enum;	/* int; arg: struct fields_word[] */
fields_read fields_go_duration; /* simtime: "10m", "1h30m" as metav1.Duration */
fields_read fields_seconds;	/* simtime from a whole number of seconds */
fields_read fields_percent;	/* uint16_t *: per mille */
fields_read fields_keep;	/* const struct yaml_node *: as it stands */
fields_read fields_keep_map;	/* the same, which must be a map */
fields_read fields_weight;	/* int64_t nano units of a quantity */
fields_read fields_label_set;	/* struct label_set */
fields_read fields_selector;	/* struct label_selector */
fields_read fields_toleration;	/* struct toleration */
fields_read fields_taint;	/* struct taint */
/* Lists of them, at most max. */
enum err_code fields_tolerations(struct fields *f, const struct yaml_node *value, uint32_t max,
				 struct toleration_set *out);
enum err_code fields_taints(struct fields *f, const struct yaml_node *value, uint32_t max,
			    struct taint_set *out);
fields_read fields_expression; /* struct match_expression */

struct fields_word {
	const char *word; /* NULL ends */
	int value;
};

/* The only document of a file, its root read into out; alone: what is wrong with a second. */
enum err_code fields_one_document(struct fields *f, const struct source *source,
				  enum err_code (*read)(struct fields *f,
							const struct yaml_node *root, void *out),
				  void *out, const char *alone);

/* ---- readers for other readers ---- */

enum err_code fields_want_map(struct fields *f, const struct yaml_node *node);
enum err_code fields_want_list(struct fields *f, const struct yaml_node *node);
/* A text that is no number, boolean or null for YAML 1.1. */
enum err_code fields_want_text(struct fields *f, const struct yaml_node *node);
enum err_code fields_int_between(struct fields *f, const struct yaml_node *node, int64_t least,
				 int64_t most, int64_t *out);
/* The same where 32 bits hold it; out stays as it is on an error. */
enum err_code fields_count_between(struct fields *f, const struct yaml_node *node, uint32_t least,
				   uint32_t most, uint32_t *out);
/* A quantity >= 0, in the base units of the resource; nano: in 1e-9. */
enum err_code fields_amount(struct fields *f, const struct yaml_node *node, uint32_t resource,
			    int64_t *out);
/* A quantity >= 0 in whole units, rounded up, whatever it counts. */
enum err_code fields_whole(struct fields *f, const struct yaml_node *node, int64_t *out);
enum err_code fields_nano(struct fields *f, const struct yaml_node *node, int64_t *out);
/* A map of resource names to amounts >= 0: into a vector of RES_MAX, given says which. */
enum err_code fields_amounts(struct fields *f, const struct yaml_node *map, int64_t *vector,
			     uint64_t *given);
enum err_code fields_resource(struct fields *f, const struct yaml_node *name, size_t skip,
			      uint32_t *out);
/* The last condition of this type in a status.conditions list; NULL: none. */
const struct yaml_node *fields_condition(const struct yaml_node *list, const char *type);
/* A list of texts as strings of the builder. */
enum err_code fields_strings(struct fields *f, const struct yaml_node *list, uint32_t limit,
			     const uint32_t **out, uint32_t *count);

#endif
