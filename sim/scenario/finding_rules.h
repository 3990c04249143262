/* finding_rules.h - every rule that a finding of gqsim check can fall under. */
#ifndef SIM_FINDING_RULES_H
#define SIM_FINDING_RULES_H

#include <stdbool.h>
#include <stddef.h>

struct finding_rule_row {
	const char *name; /* kebab-case, for filters and SARIF */
	const char *what; /* what is wrong, a few words */
};

/* By index; a NULL name ends. */
const struct finding_rule_row *finding_rules(void);
bool finding_rules_has(const char *name, size_t len);

#endif
