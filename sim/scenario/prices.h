/* prices.h - what nodes cost, from Prices documents: which price is a node's.
 *
 * A node's own price (usdPerHour of its pool, annotation gqsim/usd-per-hour) holds. Else,
 * in this order: the instance type of its label, its pool's name, its GPU model; of equal
 * ones the price that was read last. A price by model is worth gpus / price.gpus of it.
 */
#ifndef SIM_PRICES_H
#define SIM_PRICES_H

#include "sim/scenario/scenario.h"

/* The price of a node that has none of its own; NULL. */
const struct price *prices_find(const struct name_table *strings, const struct price *prices,
				uint32_t count, const struct node *node);
/* Is it interruptible capacity (karpenter.sh/capacity-type: spot and the like)? */
bool prices_is_spot(const struct name_table *strings, const struct node *node);

/* Micro-USD an hour of the node on demand, or, of a spot node, with the least discount. */
int64_t prices_of(const struct price *price, const struct node *node, bool spot);
/* The same with the least discount of a commitment; that on demand if there is none. */
int64_t prices_reserved(const struct price *price, const struct node *node);

#endif
