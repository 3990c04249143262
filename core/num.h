/* num.h - strict reading of numbers and Kubernetes quantities.
 *
 * The whole text must be the number: no blanks, no trailing letters, no "inf",
 * "nan" or hex. Nothing here depends on the locale.
 */
#ifndef CORE_NUM_H
#define CORE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool num_read_i64(const char *text, size_t len, int64_t *out);
bool num_read_u32(const char *text, size_t len, uint32_t *out);
/* Plain decimal, optional sign, fraction and exponent; used for weights only. */
bool num_read_double(const char *text, size_t len, double *out);

enum num_result {
	NUM_OK,
	NUM_MALFORMED,
	NUM_NEGATIVE, /* well formed, but below zero; *out is set all the same */
};

/* A Kubernetes quantity (resource.Quantity: "500m", "4Gi", "1e3", "0.5", "12E2")
 * scaled to base units, rounded up: milli = true gives thousandths (cpu), else
 * whole units. Values beyond the range saturate at INT64_MAX. */
enum num_result num_read_quantity(const char *text, size_t len, bool milli, int64_t *out);

#define NUM_DOUBLE_TEXT 40
/* The shortest text that reads back as the value, which must be finite. */
char *num_format_double(double value, char buf[NUM_DOUBLE_TEXT]);

#define NUM_QUANTITY_TEXT 40
/* How Kueue prints amounts in messages (spec KUEUE.md section 0): cpu from
 * milli-units ("1500m", "2"), binary = true for memory-like resources
 * ("1Gi", "1536Mi"), else decimal SI ("1k"). INT64_MAX prints "<unlimited>". */
enum num_style { NUM_MILLI, NUM_BINARY, NUM_DECIMAL };
char *num_format_quantity(int64_t amount, enum num_style style, char buf[NUM_QUANTITY_TEXT]);

#endif
