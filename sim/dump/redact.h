/* redact.h - other names in place of those that tell whose cluster it is.
 *
 * Two passes: all texts that may go out are shown to it, then each is looked up. What is
 * known to be no name stays: words of the API (CamelCase), numbers, amounts, times, and
 * names that every cluster has (redact.c lists them). All else is replaced, the same text
 * by the same name everywhere. Within a role the names keep their order, for Kueue and
 * Kubernetes sometimes go by it.
 */
#ifndef SIM_REDACT_H
#define SIM_REDACT_H

#include <stdbool.h>

enum redact_role {
	REDACT_RESOURCE, /* of a vendor that is not known: "corp.example/fpga" */
	REDACT_NAMESPACE,
	REDACT_QUEUE, /* ClusterQueue, LocalQueue */
	REDACT_COHORT,
	REDACT_FLAVOR,
	REDACT_NODE,
	REDACT_CLASS,
	REDACT_JOB,
	REDACT_LABEL, /* key of a label */
	REDACT_VALUE, /* of a label, and whatever else */
	REDACT_ROLES
};

struct redact; /* redact_new; redact_free ends it */

struct redact *redact_new(void);
void redact_free(struct redact *redact);

/* The text is to be replaced; the lowest role that it is shown in names it. */
void redact_hide(struct redact *redact, enum redact_role role, const char *text);
/* The same unless it is known to be no name. */
void redact_show(struct redact *redact, enum redact_role role, const char *text);
/* A label; a value of a key that every cluster has stays, unless it is a name elsewhere. */
void redact_show_label(struct redact *redact, const char *key, const char *value);

/* After the last text was shown. */
void redact_settle(struct redact *redact);
/* What stands for it; the text itself if it stays. Owned by redact. The value of a label may
 * be a word of the API, which elsewhere stays. */
const char *redact_text(const struct redact *redact, const char *text);
const char *redact_value(const struct redact *redact, const char *text);

#endif
