/* generator_write.h - a generator as the document that sim/gen/generator_spec.h reads. */
#ifndef SIM_GENERATOR_WRITE_H
#define SIM_GENERATOR_WRITE_H

#include <stdio.h>

#include "sim/gen/generator.h"

/* What is as it would be anyway is left out; a rhythm that all teams share stands once. */
void generator_write(FILE *out, const struct generator *generator);

#endif
