/* object.h - one Kubernetes object of a file, its head already read. */
#ifndef SIM_OBJECT_H
#define SIM_OBJECT_H

#include "sim/load/fields.h"

struct object {
	const struct yaml_node *node; /* the whole object */
	struct place where;	      /* of its name, else of its beginning */
	const char *version;	      /* of its apiVersion: "v1beta2" */
	const char *list_kind;	      /* kind it got */
	uint32_t name, ns;	      /* strings; ns "default" unless given */
	bool asked;		      /* what if it were submitted now? */
	bool generated_name;	      /* it has only a generateName: name is that, plus a number */
	const struct yaml_node *labels, *annotations; /* maps; NULL */
	const struct yaml_node *created;	      /* metadata.creationTimestamp; NULL */
	simtime at;				      /* gqsim/at; KIND_ALWAYS */
	simtime delete_at;			      /* gqsim/delete-at; KIND_ALWAYS */
};

/* Rows that every object has; they were read with its head. */
#define OBJECT_HEAD                                                                                \
	{.key = "apiVersion"}, {.key = "kind"}, {.key = "metadata"},                               \
	{                                                                                          \
		.key = "status"                                                                    \
	}

typedef enum err_code object_read(struct fields *f, const struct object *object);

#endif
