/* object_option.h - options of a run that stand in a document; the command line wins. */
#ifndef SIM_OBJECT_OPTION_H
#define SIM_OBJECT_OPTION_H

#include "sim/load/fields.h"

/* Sets the option of that name without dashes. Tried at once, so that a mistake is
 * reported at the node; what counts is the text, since the command line may still
 * change it. */
enum err_code object_option(struct fields *f, const char *name, const char *text,
			    const struct yaml_node *node);

#endif
