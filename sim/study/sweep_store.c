#include "sim/study/sweep_store.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem.h"
#include "sim/tool/jsonw.h"
#include "sim/tool/output.h"

#define FORMAT	       "1"
#define APPLICATION_ID 1735488375 /* "gqsw" */
#define BUSY_MS	       60000

struct sweep_store {
	sqlite3 *db;
	char *path; /* for messages */
	size_t dimension_count;
	bool logs;  /* there may be a write-ahead log */
	bool fresh; /* the file was made by this */
	bool goes;  /* with the close */
};

static const char schema[] =
	"PRAGMA application_id=1735488375;"
	"CREATE TABLE sweep(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
	"CREATE TABLE input(name TEXT PRIMARY KEY, hash TEXT NOT NULL) WITHOUT ROWID;"
	"CREATE TABLE dimension(position INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
	"  sets TEXT NOT NULL);"
	"CREATE TABLE point(id INTEGER PRIMARY KEY, status TEXT NOT NULL, message TEXT);"
	"CREATE TABLE setting(point INTEGER, dimension INTEGER, value TEXT NOT NULL,"
	"  PRIMARY KEY(point, dimension)) WITHOUT ROWID;"
	"CREATE TABLE metric(name TEXT PRIMARY KEY, unit TEXT NOT NULL, rank INTEGER NOT NULL)"
	"  WITHOUT ROWID;"
	"CREATE TABLE figure(point INTEGER, metric TEXT, value NUMERIC,"
	"  PRIMARY KEY(point, metric)) WITHOUT ROWID;"
	"CREATE VIEW result AS SELECT p.id AS point, p.status, d.name AS dimension,"
	"  s.value AS setting, f.metric, f.value FROM point p"
	"  LEFT JOIN setting s ON s.point = p.id"
	"  LEFT JOIN dimension d ON d.position = s.dimension"
	"  LEFT JOIN figure f ON f.point = p.id;";

/* ---- errors and statements ---- */

static enum err_code fail(const struct sweep_store *store, struct err *err)
{
	int code = sqlite3_errcode(store->db) & 0xff;

	if (code == SQLITE_NOMEM)
		mem_exhausted(1, 0);
	if (code == SQLITE_NOTADB)
		return err_set(err, ERR_VALUE, NULL, 0, 0,
			       "%.200s is no database of a sweep: name one that gqsim sweep wrote, "
			       "or a file that is not there yet",
			       store->path);
	if (code == SQLITE_CORRUPT)
		return err_set(err, ERR_VALUE, NULL, 0, 0,
			       "%.200s is damaged (%.100s): remove it, and run the sweep again",
			       store->path, sqlite3_errmsg(store->db));
	if (code == SQLITE_BUSY)
		return err_set(err, ERR_IO, NULL, 0, 0, "%.200s is in use by another program",
			       store->path);
	return err_set(err, ERR_IO, NULL, 0, 0, "%.200s: %.200s", store->path,
		       sqlite3_errmsg(store->db));
}

static enum err_code execute(struct sweep_store *store, const char *sql, struct err *err)
{
	if (sqlite3_exec(store->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		return fail(store, err);
	return ERR_OK;
}

static enum err_code prepare(struct sweep_store *store, const char *sql, sqlite3_stmt **out,
			     struct err *err)
{
	*out = NULL;
	if (sqlite3_prepare_v2(store->db, sql, -1, out, NULL) != SQLITE_OK)
		return fail(store, err);
	return ERR_OK;
}

static void bind_text(sqlite3_stmt *statement, int at, const char *text)
{
	sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC);
}

/* Steps once; *more: a row is there. */
static enum err_code step(struct sweep_store *store, sqlite3_stmt *statement, bool *more,
			  struct err *err)
{
	int code = sqlite3_step(statement);

	*more = code == SQLITE_ROW;
	return code == SQLITE_ROW || code == SQLITE_DONE ? ERR_OK : fail(store, err);
}

/* A statement that gives nothing, to be bound anew and run again. */
static enum err_code run(struct sweep_store *store, sqlite3_stmt *statement, struct err *err)
{
	bool more;
	enum err_code code = step(store, statement, &more, err);

	sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
	return code;
}

static const char *text_at(sqlite3_stmt *statement, int column)
{
	const unsigned char *text = sqlite3_column_text(statement, column);

	return text == NULL ? "" : (const char *)text;
}

static enum err_code single_number(struct sweep_store *store, const char *sql, int64_t *out,
				   struct err *err)
{
	sqlite3_stmt *statement;
	bool more = false;
	enum err_code code = prepare(store, sql, &statement, err);

	*out = 0;
	if (code == ERR_OK)
		code = step(store, statement, &more, err);
	if (code == ERR_OK && more)
		*out = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return code;
}

/* All or nothing. */
static enum err_code commit(struct sweep_store *store, enum err_code code, struct err *err)
{
	struct err ignored;

	if (code == ERR_OK)
		code = execute(store, "COMMIT", err);
	if (code != ERR_OK)
		execute(store, "ROLLBACK", &ignored);
	return code;
}

/* ---- opening ---- */

bool sweep_store_is(const char *path)
{
	char head[16] = "";
	FILE *file = fopen(path, "rb");
	size_t len = file == NULL ? 0 : fread(head, 1, sizeof(head), file);

	if (file != NULL)
		fclose(file);
	return len == sizeof(head) && memcmp(head, "SQLite format 3", sizeof(head)) == 0;
}

static enum err_code put_pair(struct sweep_store *store, const char *key, const char *value,
			      struct err *err)
{
	sqlite3_stmt *statement;
	enum err_code code = prepare(store, "INSERT INTO sweep VALUES(?, ?)", &statement, err);

	if (code != ERR_OK)
		return code;
	bind_text(statement, 1, key);
	bind_text(statement, 2, value);
	code = run(store, statement, err);
	sqlite3_finalize(statement);
	return code;
}

static enum err_code put_dimensions(struct sweep_store *store, const struct sweep_header *header,
				    struct err *err)
{
	sqlite3_stmt *statement;
	enum err_code code =
		prepare(store, "INSERT INTO dimension VALUES(?, ?, ?)", &statement, err);

	for (size_t i = 0; i < header->dimension_count && code == ERR_OK; i++) {
		sqlite3_bind_int64(statement, 1, (sqlite3_int64)i);
		bind_text(statement, 2, header->names[i]);
		bind_text(statement, 3, header->sets[i]);
		code = run(store, statement, err);
	}
	sqlite3_finalize(statement);
	return code;
}

static enum err_code create(struct sweep_store *store, const struct sweep_header *header,
			    struct err *err)
{
	char text[32];
	enum err_code code = execute(store, "BEGIN IMMEDIATE", err);

	if (code != ERR_OK)
		return code;
	code = execute(store, schema, err);
	if (code == ERR_OK)
		code = put_pair(store, "format", FORMAT, err);
	if (code == ERR_OK)
		code = put_pair(store, "gqsim", GQSIM_VERSION, err);
	if (code == ERR_OK)
		code = put_pair(store, "plan", header->plan, err);
	snprintf(text, sizeof(text), "%" PRIu64, header->points);
	if (code == ERR_OK)
		code = put_pair(store, "points", text, err);
	if (code == ERR_OK)
		code = put_dimensions(store, header, err);
	return commit(store, code, err);
}

/* SQLite takes ":memory:", "file:..." and an empty name for something else than files. */
static char *file_name(const char *path)
{
	size_t size = strlen(path) + sizeof("./");
	char *name = mem_calloc(1, size);

	snprintf(name, size, "%s%s", path[0] == '/' ? "" : "./", path);
	return name;
}

static enum err_code open_file(const char *path, int flags, struct sweep_store **out,
			       struct err *err)
{
	struct sweep_store *store = mem_calloc(1, sizeof(*store));
	char *name = path == NULL ? mem_strdup(":memory:") : file_name(path);
	int result;

	store->path = mem_strdup(path == NULL ? "memory" : path);
	*out = store;
	result = sqlite3_open_v2(name, &store->db, flags, NULL);
	mem_free(name);
	if (result != SQLITE_OK)
		return fail(store, err);
	sqlite3_busy_timeout(store->db, BUSY_MS);
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	return execute(store, "PRAGMA trusted_schema=OFF", err);
}

/* Is it whole, and a sweep's of this format? */
static enum err_code check_file(struct sweep_store *store, struct err *err)
{
	int64_t id, count = 0;
	enum err_code code = single_number(store, "PRAGMA application_id", &id, err);

	if (code == ERR_OK && id != APPLICATION_ID)
		return err_set(err, ERR_VALUE, NULL, 0, 0,
			       "%.200s is no database of a sweep: name one that gqsim sweep wrote, "
			       "or a file that is not there yet",
			       store->path);
	if (code == ERR_OK)
		code = single_number(store, "SELECT quick_check = 'ok' FROM pragma_quick_check(1)",
				     &id, err);
	if (code == ERR_OK && id != 1)
		return err_set(err, ERR_VALUE, NULL, 0, 0,
			       "%.200s is damaged: remove it, and run the sweep again",
			       store->path);
	if (code == ERR_OK)
		code = single_number(
			store,
			"SELECT count(*) FROM sweep WHERE key='format' AND value='" FORMAT "'",
			&count, err);
	if (code == ERR_OK && count != 1)
		return err_set(err, ERR_VALUE, NULL, 0, 0,
			       "%.200s has a format that this version does not know", store->path);
	if (code == ERR_OK)
		code = single_number(store, "SELECT count(*) FROM dimension", &count, err);
	store->dimension_count = (size_t)count;
	return code;
}

static enum err_code expect(struct sweep_store *store, const char *key, const char *wanted,
			    const char *says, struct err *err)
{
	sqlite3_stmt *statement;
	bool more = false, same = false;
	enum err_code code = prepare(store, "SELECT value FROM sweep WHERE key=?", &statement, err);

	if (code == ERR_OK) {
		bind_text(statement, 1, key);
		code = step(store, statement, &more, err);
	}
	same = code == ERR_OK && more && strcmp(text_at(statement, 0), wanted) == 0;
	sqlite3_finalize(statement);
	if (code == ERR_OK && !same)
		return err_set(err, ERR_VALUE, NULL, 0, 0, "%.200s %s: give another file to -o",
			       store->path, says);
	return code;
}

static enum err_code open_for(struct sweep_store *store, const struct sweep_header *header,
			      struct err *err)
{
	int64_t tables;
	enum err_code code =
		single_number(store, "SELECT count(*) FROM sqlite_master", &tables, err);

	if (code == ERR_OK && tables == 0)
		code = create(store, header, err);
	if (code == ERR_OK)
		code = check_file(store, err);
	if (code == ERR_OK)
		code = expect(store, "plan", header->plan, "holds another sweep", err);
	if (code == ERR_OK)
		code = expect(store, "gqsim", GQSIM_VERSION,
			      "was written by another version of gqsim", err);
	/* With a write-ahead log a point does not wait for the disk, and others may read. A
	 * killed program loses nothing; a power cut may lose the last points. Where there can
	 * be none (file systems of a network), SQLite stays with a journal. */
	if (code == ERR_OK)
		code = execute(store, "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL", err);
	store->logs = code == ERR_OK;
	return code;
}

static enum err_code finish_open(struct sweep_store **out, enum err_code code)
{
	if (code == ERR_OK)
		return code;
	sweep_store_close(*out);
	*out = NULL;
	return code;
}

enum err_code sweep_store_open(const char *path, const struct sweep_header *header,
			       struct sweep_store **out, struct err *err)
{
	bool fresh = path != NULL && access(path, F_OK) != 0;
	enum err_code code = open_file(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, out, err);
	struct stat info;

	if (code == ERR_OK)
		code = open_for(*out, header, err);
	(*out)->fresh = fresh;
	code = finish_open(out, code);
	if (code != ERR_OK && fresh && stat(path, &info) == 0 && info.st_size == 0)
		unlink(path); /* a full disk: nothing was written */
	return code;
}

enum err_code sweep_store_read(const char *path, struct sweep_store **out, struct err *err)
{
	enum err_code code = open_file(path, SQLITE_OPEN_READONLY, out, err);

	if (code == ERR_OK)
		code = check_file(*out, err);
	return finish_open(out, code);
}

void sweep_store_forget(struct sweep_store *store)
{
	struct err ignored;
	int64_t points = 0;

	if (store != NULL && store->fresh)
		store->goes = single_number(store, "SELECT count(*) FROM point", &points,
					    &ignored) == ERR_OK &&
			      points == 0;
}

void sweep_store_close(struct sweep_store *store)
{
	if (store == NULL)
		return;
	/* One file is left behind, which needs no right to write beside it. */
	if (store->logs)
		sqlite3_exec(store->db, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL);
	sqlite3_close(store->db);
	if (store->goes)
		unlink(store->path);
	mem_free(store->path);
	mem_free(store);
}

/* ---- points ---- */

enum err_code sweep_store_done(struct sweep_store *store, uint64_t point, bool *out,
			       struct err *err)
{
	sqlite3_stmt *statement;
	enum err_code code = prepare(store, "SELECT 1 FROM point WHERE id=? AND status<>'failed'",
				     &statement, err);

	*out = false;
	if (code != ERR_OK)
		return code;
	sqlite3_bind_int64(statement, 1, (sqlite3_int64)point);
	code = step(store, statement, out, err);
	sqlite3_finalize(statement);
	return code;
}

enum err_code sweep_store_input(struct sweep_store *store, const char *name, uint64_t hash,
				struct err *err)
{
	sqlite3_stmt *statement;
	char text[32];
	bool more = false, same;
	enum err_code code = prepare(
		store,
		"INSERT INTO input VALUES(?1, ?2) ON CONFLICT DO UPDATE SET name=?1 RETURNING hash",
		&statement, err);

	if (code != ERR_OK)
		return code;
	snprintf(text, sizeof(text), "%016" PRIx64, hash);
	bind_text(statement, 1, name);
	bind_text(statement, 2, text);
	code = step(store, statement, &more, err);
	same = code == ERR_OK && more && strcmp(text_at(statement, 0), text) == 0;
	if (code == ERR_OK && !same)
		code = err_set(err, ERR_VALUE, NULL, 0, 0,
			       "%.200s is not as it was when %.200s was begun: give another file "
			       "to -o",
			       name, store->path);
	else if (code == ERR_OK)
		code = step(store, statement, &more, err);
	sqlite3_finalize(statement);
	return code;
}

static enum err_code put_head(struct sweep_store *store, const struct sweep_row *row,
			      struct err *err)
{
	static const char *const clear[] = {"DELETE FROM setting WHERE point=?",
					    "DELETE FROM figure WHERE point=?"};
	sqlite3_stmt *statement;
	enum err_code code = ERR_OK;

	for (int i = 0; i < 2 && code == ERR_OK; i++) {
		code = prepare(store, clear[i], &statement, err);
		if (code != ERR_OK)
			return code;
		sqlite3_bind_int64(statement, 1, (sqlite3_int64)row->point);
		code = run(store, statement, err);
		sqlite3_finalize(statement);
	}
	if (code == ERR_OK)
		code = prepare(store, "INSERT OR REPLACE INTO point VALUES(?, ?, ?)", &statement,
			       err);
	if (code != ERR_OK)
		return code;
	sqlite3_bind_int64(statement, 1, (sqlite3_int64)row->point);
	bind_text(statement, 2, row->status);
	bind_text(statement, 3, row->message);
	code = run(store, statement, err);
	sqlite3_finalize(statement);
	return code;
}

static enum err_code put_settings(struct sweep_store *store, const struct sweep_row *row,
				  struct err *err)
{
	sqlite3_stmt *statement;
	enum err_code code = prepare(store, "INSERT INTO setting VALUES(?, ?, ?)", &statement, err);

	for (size_t i = 0; i < store->dimension_count && code == ERR_OK; i++) {
		sqlite3_bind_int64(statement, 1, (sqlite3_int64)row->point);
		sqlite3_bind_int64(statement, 2, (sqlite3_int64)i);
		bind_text(statement, 3, row->values[i]);
		code = run(store, statement, err);
	}
	sqlite3_finalize(statement);
	return code;
}

static enum err_code put_figures(struct sweep_store *store, const struct sweep_row *row,
				 struct err *err)
{
	sqlite3_stmt *metric, *figure = NULL;
	enum err_code code =
		prepare(store, "INSERT OR IGNORE INTO metric VALUES(?, ?, ?)", &metric, err);

	if (code == ERR_OK)
		code = prepare(store, "INSERT INTO figure VALUES(?, ?, ?)", &figure, err);
	for (size_t i = 0; i < row->figure_count && code == ERR_OK; i++) {
		const struct sweep_figure *f = &row->figures[i];

		bind_text(metric, 1, f->metric);
		bind_text(metric, 2, f->unit);
		sqlite3_bind_int64(metric, 3, f->rank);
		code = run(store, metric, err);
		if (code != ERR_OK)
			break;
		sqlite3_bind_int64(figure, 1, (sqlite3_int64)row->point);
		bind_text(figure, 2, f->metric);
		bind_text(figure, 3, strcmp(f->text, "never") == 0 ? NULL : f->text);
		code = run(store, figure, err);
	}
	sqlite3_finalize(metric);
	sqlite3_finalize(figure);
	return code;
}

enum err_code sweep_store_put(struct sweep_store *store, const struct sweep_row *row,
			      struct err *err)
{
	enum err_code code = execute(store, "BEGIN IMMEDIATE", err);

	if (code != ERR_OK)
		return code;
	code = put_head(store, row, err);
	if (code == ERR_OK)
		code = put_settings(store, row, err);
	if (code == ERR_OK)
		code = put_figures(store, row, err);
	return commit(store, code, err);
}

/* ---- merging ---- */

static enum err_code attach(struct sweep_store *store, const char *path, struct err *err)
{
	sqlite3_stmt *statement;
	enum err_code code = prepare(store, "ATTACH ? AS part", &statement, err);

	char *name;

	if (code != ERR_OK)
		return code;
	name = file_name(path);
	bind_text(statement, 1, name);
	code = run(store, statement, err);
	sqlite3_finalize(statement);
	mem_free(name);
	return code;
}

/* The same program, plan, dimensions and input files, and no point that came out
 * otherwise; a failure gives way to a result. */
static enum err_code check_part(struct sweep_store *store, const char *path, struct err *err)
{
	static const struct {
		const char *sql, *says;
	} rows[] = {
		{"SELECT count(*) FROM (SELECT * FROM part.sweep EXCEPT SELECT * FROM main.sweep)",
		 "is of another sweep"},
		{"SELECT count(*) FROM (SELECT * FROM part.dimension EXCEPT "
		 "SELECT * FROM main.dimension)",
		 "is of another sweep"},
		{"SELECT count(*) FROM part.input p JOIN main.input m ON m.name=p.name "
		 "AND m.hash<>p.hash",
		 "read other files of the same names"},
		{"SELECT count(*) FROM (SELECT f.* FROM part.figure f "
		 "JOIN main.point m ON m.id=f.point AND m.status<>'failed' "
		 "JOIN part.point p ON p.id=f.point AND p.status<>'failed' "
		 "EXCEPT SELECT * FROM main.figure)",
		 "has other results for the same points"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int64_t count;
		enum err_code code = single_number(store, rows[i].sql, &count, err);

		if (code != ERR_OK)
			return code;
		if (count != 0)
			return err_set(err, ERR_VALUE, NULL, 0, 0,
				       "%.200s %s than the files before it", path, rows[i].says);
	}
	return ERR_OK;
}

static const char take_part[] =
	"CREATE TEMP TABLE taken AS SELECT id FROM part.point p WHERE id NOT IN "
	"  (SELECT id FROM main.point m WHERE m.status<>'failed' OR p.status='failed');"
	"DELETE FROM main.setting WHERE point IN (SELECT id FROM taken);"
	"DELETE FROM main.figure WHERE point IN (SELECT id FROM taken);"
	"INSERT OR IGNORE INTO main.input SELECT * FROM part.input;"
	"INSERT OR IGNORE INTO main.metric SELECT * FROM part.metric;"
	"INSERT OR REPLACE INTO main.point SELECT * FROM part.point"
	"  WHERE id IN (SELECT id FROM taken);"
	"INSERT INTO main.setting SELECT * FROM part.setting"
	"  WHERE point IN (SELECT id FROM taken);"
	"INSERT INTO main.figure SELECT * FROM part.figure WHERE point IN (SELECT id FROM taken);"
	"DROP TABLE taken;";

enum err_code sweep_store_merge(struct sweep_store *store, const char *path, struct err *err)
{
	struct sweep_store *part;
	struct err ignored;
	enum err_code code = sweep_store_read(path, &part, err);

	if (code != ERR_OK)
		return code;
	sweep_store_close(part);
	code = attach(store, path, err);
	if (code != ERR_OK)
		return code;
	code = execute(store, "BEGIN IMMEDIATE", err);
	if (code == ERR_OK) {
		code = check_part(store, path, err);
		if (code == ERR_OK)
			code = execute(store, take_part, err);
		code = commit(store, code, err);
	}
	if (code == ERR_OK)
		return execute(store, "DETACH part", err);
	execute(store, "DETACH part", &ignored);
	return code;
}

enum err_code sweep_store_like(const char *path, struct sweep_store *like, struct sweep_store **out,
			       struct err *err)
{
	static const char copy[] = "INSERT INTO main.sweep SELECT * FROM part.sweep;"
				   "INSERT INTO main.dimension SELECT * FROM part.dimension;";
	enum err_code code = open_file(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, out, err);

	if (code == ERR_OK)
		code = execute(*out, schema, err);
	if (code == ERR_OK)
		code = attach(*out, like->path, err);
	if (code == ERR_OK)
		code = execute(*out, copy, err);
	if (code == ERR_OK)
		code = execute(*out, "DETACH part", err);
	return finish_open(out, code);
}

/* ---- reading ---- */

enum err_code sweep_store_count(struct sweep_store *store, struct sweep_counts *out,
				struct err *err)
{
	static const char *const sql[] = {
		"SELECT CAST(value AS INTEGER) FROM sweep WHERE key='points'",
		"SELECT count(*) FROM point", "SELECT count(*) FROM point WHERE status<>'ok'"};
	int64_t numbers[3];

	for (int i = 0; i < 3; i++) {
		if (single_number(store, sql[i], &numbers[i], err) != ERR_OK)
			return err->code;
	}
	*out = (struct sweep_counts){(uint64_t)numbers[0], (uint64_t)numbers[1],
				     (uint64_t)numbers[2]};
	return ERR_OK;
}

enum err_code sweep_store_failures(struct sweep_store *store, uint32_t limit, FILE *out,
				   struct err *err)
{
	sqlite3_stmt *statement;
	bool more = true;
	enum err_code code = prepare(store,
				     "SELECT id, status, coalesce(message, '') FROM point "
				     "WHERE status<>'ok' ORDER BY id LIMIT ?",
				     &statement, err);

	if (code != ERR_OK)
		return code;
	sqlite3_bind_int64(statement, 1, limit);
	while (code == ERR_OK && more) {
		code = step(store, statement, &more, err);
		if (code == ERR_OK && more)
			fprintf(out, "  point %s: %s: %s\n", text_at(statement, 0),
				text_at(statement, 1), text_at(statement, 2));
	}
	sqlite3_finalize(statement);
	return code;
}

/* The settings and the figures of a point, in the order of their columns; value NULL and
 * present 0 where the point lacks a figure. */
static const char settings_sql[] = "SELECT d.name, s.value FROM dimension d LEFT JOIN setting s "
				   "ON s.dimension=d.position AND s.point=?1 ORDER BY d.position";
static const char figures_sql[] = "SELECT m.name, f.value, f.point IS NOT NULL FROM metric m "
				  "LEFT JOIN figure f ON f.metric=m.name AND f.point=?1 "
				  "ORDER BY m.rank, m.name";

struct reading {
	struct sweep_store *store;
	sqlite3_stmt *points, *settings, *figures;
};

static void end_reading(struct reading *r)
{
	sqlite3_finalize(r->points);
	sqlite3_finalize(r->settings);
	sqlite3_finalize(r->figures);
}

static enum err_code begin_reading(struct sweep_store *store, struct reading *r, struct err *err)
{
	enum err_code code;

	*r = (struct reading){.store = store};
	code = prepare(store, "SELECT id, status, message FROM point ORDER BY id", &r->points, err);
	if (code == ERR_OK)
		code = prepare(store, settings_sql, &r->settings, err);
	if (code == ERR_OK)
		code = prepare(store, figures_sql, &r->figures, err);
	return code;
}

/* Calls put for each row that a statement has for a point. */
typedef void put_cell(void *context, sqlite3_stmt *statement);
static enum err_code each_cell(struct reading *r, sqlite3_stmt *statement, put_cell *put,
			       void *context, struct err *err)
{
	bool more = true;
	enum err_code code = ERR_OK;

	sqlite3_bind_int64(statement, 1, sqlite3_column_int64(r->points, 0));
	while (code == ERR_OK && more) {
		code = step(r->store, statement, &more, err);
		if (code == ERR_OK && more)
			put(context, statement);
	}
	sqlite3_reset(statement);
	return code;
}

static void put_csv_name(void *context, sqlite3_stmt *statement)
{
	putc(',', context);
	output_csv(context, text_at(statement, 0));
}

static void put_csv_value(void *context, sqlite3_stmt *statement)
{
	putc(',', context);
	if (sqlite3_column_count(statement) == 3 && sqlite3_column_int(statement, 2) == 1 &&
	    sqlite3_column_type(statement, 1) == SQLITE_NULL)
		fputs("never", context);
	else
		output_csv(context, text_at(statement, 1));
}

static enum err_code csv_rows(struct reading *r, FILE *out, struct err *err)
{
	bool more = true;
	enum err_code code;

	fputs("point,status,message", out);
	code = each_cell(r, r->settings, put_csv_name, out, err);
	if (code == ERR_OK)
		code = each_cell(r, r->figures, put_csv_name, out, err);
	putc('\n', out);
	while (code == ERR_OK) {
		code = step(r->store, r->points, &more, err);
		if (code != ERR_OK || !more)
			break;
		fprintf(out, "%s,%s,", text_at(r->points, 0), text_at(r->points, 1));
		output_csv(out, text_at(r->points, 2));
		code = each_cell(r, r->settings, put_csv_value, out, err);
		if (code == ERR_OK)
			code = each_cell(r, r->figures, put_csv_value, out, err);
		putc('\n', out);
	}
	return code;
}

enum err_code sweep_store_csv(struct sweep_store *store, FILE *out, struct err *err)
{
	struct reading r;
	enum err_code code = begin_reading(store, &r, err);

	if (code == ERR_OK)
		code = csv_rows(&r, out, err);
	end_reading(&r);
	return code;
}

static void put_json_value(void *context, sqlite3_stmt *statement)
{
	struct jsonw *json = context;
	const char *key = text_at(statement, 0);

	if (sqlite3_column_count(statement) == 3 && sqlite3_column_int(statement, 2) == 0)
		return;
	switch (sqlite3_column_type(statement, 1)) {
	case SQLITE_INTEGER:
		jsonw_integer(json, key, sqlite3_column_int64(statement, 1));
		break;
	case SQLITE_FLOAT:
		jsonw_number(json, key, sqlite3_column_double(statement, 1));
		break;
	case SQLITE_NULL:
		jsonw_null(json, key);
		break;
	default:
		jsonw_text(json, key, text_at(statement, 1));
		break;
	}
}

static enum err_code json_rows(struct reading *r, struct jsonw *json, struct err *err)
{
	bool more = true;
	enum err_code code = ERR_OK;

	while (code == ERR_OK) {
		code = step(r->store, r->points, &more, err);
		if (code != ERR_OK || !more)
			break;
		jsonw_object(json, NULL);
		jsonw_integer(json, "point", sqlite3_column_int64(r->points, 0));
		jsonw_text(json, "status", text_at(r->points, 1));
		if (sqlite3_column_type(r->points, 2) != SQLITE_NULL)
			jsonw_text(json, "message", text_at(r->points, 2));
		jsonw_object(json, "settings");
		code = each_cell(r, r->settings, put_json_value, json, err);
		jsonw_close_object(json);
		jsonw_object(json, "figures");
		if (code == ERR_OK)
			code = each_cell(r, r->figures, put_json_value, json, err);
		jsonw_close_object(json);
		jsonw_close_object(json);
	}
	return code;
}

enum err_code sweep_store_json(struct sweep_store *store, FILE *out, struct err *err)
{
	struct reading r;
	struct jsonw json;
	enum err_code code = begin_reading(store, &r, err);

	if (code == ERR_OK) {
		jsonw_begin(&json, out);
		jsonw_array(&json, "points");
		code = json_rows(&r, &json, err);
		jsonw_close_array(&json);
		jsonw_end(&json);
	}
	end_reading(&r);
	return code;
}
