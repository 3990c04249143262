/* sweep_store.h - the results of a sweep in one SQLite file.
 *
 *   sweep(key, value)              format, gqsim (version), plan (fingerprint), points
 *   input(name, hash)              files that were read: XXH3 of their bytes
 *   dimension(position, name, sets)
 *   point(id, status, message)     id from 0; status ok, livelock or failed, and why
 *   setting(point, dimension, value)  dimension: its position; value as it was written
 *   metric(name, unit, rank)       rank: the order in exports, then by name
 *   figure(point, metric, value)   a number; NULL: never
 *   result                         a view: point, status, dimension and figure, named
 *
 * A point is one transaction: a sweep that is killed loses only points that were not
 * complete. What a file holds does not depend on the order in which points came. Nothing in
 * it depends on the clock or the machine. The only user of SQLite; not for several threads
 * at once.
 */
#ifndef SIM_SWEEP_STORE_H
#define SIM_SWEEP_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/err.h"

struct sweep_store; /* owned by the caller: sweep_store_open/sweep_store_close */

/* What a file is about; borrowed. */
struct sweep_header {
	const char *plan; /* fingerprint */
	uint64_t points;
	const char *const *names; /* of dimensions */
	const char *const *sets;
	size_t dimension_count;
};

/* Opens the file, or makes it. It must be of the same plan and of this version of the
 * program. path NULL: in memory. */
enum err_code sweep_store_open(const char *path, const struct sweep_header *header,
			       struct sweep_store **out, struct err *err);
/* A file that is there, whatever its plan; read-only. ERR_VALUE: damaged, or no sweep's. */
enum err_code sweep_store_read(const char *path, struct sweep_store **out, struct err *err);
/* A new file for the results of this one; it must not be there yet. */
enum err_code sweep_store_like(const char *path, struct sweep_store *like, struct sweep_store **out,
			       struct err *err);
void sweep_store_close(struct sweep_store *store);
/* Before the close of one that nothing came of: a file that sweep_store_open made goes, if no
 * point was kept, so that the command may be corrected and given again. */
void sweep_store_forget(struct sweep_store *store);
/* Does the file begin as SQLite's do? */
bool sweep_store_is(const char *path);

/* Has the point been run, without failing? */
enum err_code sweep_store_done(struct sweep_store *store, uint64_t point, bool *out,
			       struct err *err);
/* Remembers that a file was read. ERR_VALUE: the results come from another version of it. */
enum err_code sweep_store_input(struct sweep_store *store, const char *name, uint64_t hash,
				struct err *err);

struct sweep_figure {
	const char *metric, *unit;
	uint32_t rank;
	const char *text; /* a number, or "never" */
};

struct sweep_row { /* all borrowed */
	uint64_t point;
	const char *status, *message; /* message NULL: none */
	const char *const *values;    /* a dimension */
	const struct sweep_figure *figures;
	size_t figure_count;
};

/* Adds a point, or puts it in the place of what was there: one transaction. */
enum err_code sweep_store_put(struct sweep_store *store, const struct sweep_row *row,
			      struct err *err);

/* Takes the points of another file of the same plan: one transaction. ERR_VALUE: it is of
 * another plan, or the same point came out otherwise. */
enum err_code sweep_store_merge(struct sweep_store *store, const char *path, struct err *err);

struct sweep_counts {
	uint64_t points, run, failed; /* failed: of those run; livelocks among them */
};
enum err_code sweep_store_count(struct sweep_store *store, struct sweep_counts *out,
				struct err *err);

/* The first so many points that failed, one a line. */
enum err_code sweep_store_failures(struct sweep_store *store, uint32_t limit, FILE *out,
				   struct err *err);

/* A row a point: its dimensions and figures. */
enum err_code sweep_store_csv(struct sweep_store *store, FILE *out, struct err *err);
enum err_code sweep_store_json(struct sweep_store *store, FILE *out, struct err *err);

#endif
