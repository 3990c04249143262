/* trace_models.h - the GPU models that a trace's jobs ask for.
 *
 * A wish is a node's nvidia.com/gpu.product, or several joined by "|", any of which
 * will do. It becomes required node affinity where some node is of such a model; on
 * hardware that has none of them it would only keep the job waiting for ever, so there
 * it is dropped, and counted.
 */
#ifndef SIM_TRACE_MODELS_H
#define SIM_TRACE_MODELS_H

#include "sim/load/builder.h"

#define TRACE_MODELS_LABEL "nvidia.com/gpu.product"

struct trace_models; /* owned by the caller: trace_models_new/trace_models_free */

/* keep_all: whatever the nodes are. The builder is borrowed. */
struct trace_models *trace_models_new(struct builder *builder, bool keep_all);
void trace_models_free(struct trace_models *models);

/* The term of a wish, in the builder's arena; NULL: no wish, or a dropped one. */
const struct node_term *trace_models_term(struct trace_models *models, const char *text,
					  size_t len);

#endif
