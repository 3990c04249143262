#define ZLIB_CONST /* zlib does not write to its input */

#include "sim/tool/pack.h"

#include <assert.h>
#include <errno.h>
#include <lzma.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "core/mem.h"

#define STEP	    ((size_t)1 << 16)
#define XZ_MEMORY   (UINT64_C(256) << 20)
#define ZLIB_GZIP   16 /* added to the window's bits: a gzip header, not zlib's own */
#define ZLIB_MEMORY 8  /* zlib's default */

enum step { STEP_MORE, STEP_END, STEP_BAD, STEP_MEMORY };

/* Bytes on their way through a library. */
struct flow {
	union {
		z_stream gzip;
		lzma_stream xz;
		ZSTD_DCtx *unzstd;
		ZSTD_CCtx *zstd;
	} with;
	const char *in;
	size_t in_left;
	char *out;
	size_t out_left;
	bool last; /* nothing comes after in */
};

/* A format: how a flow begins, takes a step, and ends, in both directions. */
struct pack_row {
	const char *name;
	const char *ending;
	const char *magic;
	size_t magic_len;
	bool (*open)(struct flow *flow);
	enum step (*unpack)(struct flow *flow);
	void (*close)(struct flow *flow);
	bool (*open_pack)(struct flow *flow);
	enum step (*pack)(struct flow *flow);
	void (*close_pack)(struct flow *flow);
};

/* ---- gzip ---- */

static bool open_gzip(struct flow *flow)
{
	return inflateInit2(&flow->with.gzip, MAX_WBITS + ZLIB_GZIP) == Z_OK;
}

static bool open_pack_gzip(struct flow *flow)
{
	return deflateInit2(&flow->with.gzip, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
			    MAX_WBITS + ZLIB_GZIP, ZLIB_MEMORY, Z_DEFAULT_STRATEGY) == Z_OK;
}

static uInt at_most(size_t size)
{
	return size > (size_t)1 << 30 ? (uInt)1 << 30 : (uInt)size;
}

/* One call of inflate or deflate. */
static int step_gzip(struct flow *flow, int (*call)(z_stream *, int), int mode)
{
	z_stream *z = &flow->with.gzip;
	uInt in = at_most(flow->in_left), out = at_most(flow->out_left);
	int status;

	z->next_in = (const Bytef *)flow->in;
	z->avail_in = in;
	z->next_out = (Bytef *)flow->out;
	z->avail_out = out;
	status = call(z, mode);
	flow->in += in - z->avail_in;
	flow->in_left -= in - z->avail_in;
	flow->out += out - z->avail_out;
	flow->out_left -= out - z->avail_out;
	return status;
}

static enum step unpack_gzip(struct flow *flow)
{
	int status = step_gzip(flow, inflate, Z_NO_FLUSH);

	if (status == Z_STREAM_END)
		return inflateReset(&flow->with.gzip) == Z_OK ? STEP_END : STEP_BAD;
	if (status == Z_MEM_ERROR)
		return STEP_MEMORY;
	return status == Z_OK || status == Z_BUF_ERROR ? STEP_MORE : STEP_BAD;
}

static enum step pack_gzip(struct flow *flow)
{
	int status = step_gzip(flow, deflate, flow->last ? Z_FINISH : Z_NO_FLUSH);

	if (status == Z_STREAM_END)
		return STEP_END;
	return status == Z_OK || status == Z_BUF_ERROR ? STEP_MORE : STEP_BAD;
}

static void close_gzip(struct flow *flow)
{
	inflateEnd(&flow->with.gzip);
}

static void close_pack_gzip(struct flow *flow)
{
	deflateEnd(&flow->with.gzip);
}

/* ---- zstd ---- */

static bool open_zstd(struct flow *flow)
{
	flow->with.unzstd = ZSTD_createDCtx();
	return flow->with.unzstd != NULL;
}

static bool open_pack_zstd(struct flow *flow)
{
	flow->with.zstd = ZSTD_createCCtx();
	return flow->with.zstd != NULL &&
	       !ZSTD_isError(ZSTD_CCtx_setParameter(flow->with.zstd, ZSTD_c_checksumFlag, 1));
}

static void moved(struct flow *flow, const ZSTD_inBuffer *in, const ZSTD_outBuffer *out)
{
	flow->in += in->pos;
	flow->in_left -= in->pos;
	flow->out += out->pos;
	flow->out_left -= out->pos;
}

static enum step unpack_zstd(struct flow *flow)
{
	ZSTD_inBuffer in = {flow->in, flow->in_left, 0};
	ZSTD_outBuffer out = {flow->out, flow->out_left, 0};
	size_t status = ZSTD_decompressStream(flow->with.unzstd, &out, &in);

	moved(flow, &in, &out);
	if (ZSTD_isError(status))
		return STEP_BAD;
	return status == 0 ? STEP_END : STEP_MORE;
}

static enum step pack_zstd(struct flow *flow)
{
	ZSTD_inBuffer in = {flow->in, flow->in_left, 0};
	ZSTD_outBuffer out = {flow->out, flow->out_left, 0};
	size_t status = ZSTD_compressStream2(flow->with.zstd, &out, &in,
					     flow->last ? ZSTD_e_end : ZSTD_e_continue);

	moved(flow, &in, &out);
	if (ZSTD_isError(status))
		return STEP_BAD;
	return flow->last && status == 0 ? STEP_END : STEP_MORE;
}

static void close_zstd(struct flow *flow)
{
	ZSTD_freeDCtx(flow->with.unzstd);
}

static void close_pack_zstd(struct flow *flow)
{
	ZSTD_freeCCtx(flow->with.zstd);
}

/* ---- xz ---- */

static bool open_xz(struct flow *flow)
{
	return lzma_stream_decoder(&flow->with.xz, XZ_MEMORY, LZMA_CONCATENATED) == LZMA_OK;
}

static bool open_pack_xz(struct flow *flow)
{
	return lzma_easy_encoder(&flow->with.xz, LZMA_PRESET_DEFAULT, LZMA_CHECK_CRC64) == LZMA_OK;
}

/* The library knows itself in which direction its stream goes. */
static enum step step_xz(struct flow *flow)
{
	lzma_stream *xz = &flow->with.xz;
	lzma_ret status;

	xz->next_in = (const uint8_t *)flow->in;
	xz->avail_in = flow->in_left;
	xz->next_out = (uint8_t *)flow->out;
	xz->avail_out = flow->out_left;
	status = lzma_code(xz, flow->last ? LZMA_FINISH : LZMA_RUN);
	flow->in += flow->in_left - xz->avail_in;
	flow->in_left = xz->avail_in;
	flow->out += flow->out_left - xz->avail_out;
	flow->out_left = xz->avail_out;
	if (status == LZMA_STREAM_END)
		return STEP_END;
	if (status == LZMA_MEMLIMIT_ERROR || status == LZMA_MEM_ERROR)
		return STEP_MEMORY;
	return status == LZMA_OK || status == LZMA_BUF_ERROR ? STEP_MORE : STEP_BAD;
}

static void close_xz(struct flow *flow)
{
	lzma_end(&flow->with.xz);
}

static const struct pack_row rows[] = {
	{"gzip", ".gz", "\x1f\x8b", 2, open_gzip, unpack_gzip, close_gzip, open_pack_gzip,
	 pack_gzip, close_pack_gzip},
	{"zstd", ".zst", "\x28\xb5\x2f\xfd", 4, open_zstd, unpack_zstd, close_zstd, open_pack_zstd,
	 pack_zstd, close_pack_zstd},
	{"xz", ".xz",
	 "\xfd"
	 "7zXZ",
	 6, open_xz, step_xz, close_xz, open_pack_xz, step_xz, close_xz},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

const struct pack_row *pack_detect(const char *data, size_t size)
{
	for (size_t i = 0; i < ROWS; i++)
		if (size >= rows[i].magic_len &&
		    memcmp(data, rows[i].magic, rows[i].magic_len) == 0)
			return &rows[i];
	return NULL;
}

const struct pack_row *pack_of_name(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < ROWS; i++) {
		size_t end = strlen(rows[i].ending);

		if (len > end && strcmp(name + len - end, rows[i].ending) == 0)
			return &rows[i];
	}
	return NULL;
}

size_t pack_stem(const char *name)
{
	const struct pack_row *row = pack_of_name(name);

	return strlen(name) - (row != NULL ? strlen(row->ending) : 0);
}

/* ---- unpacking ---- */

struct pack_reader {
	const struct pack_row *row;
	const char *file;
	struct flow flow;
	uint64_t taken, given; /* bytes */
	bool between;	       /* behind the end of a stream: another may follow, or */
	bool padding;	       /* zero bytes, as tapes and block devices leave them */
};

struct pack_reader *pack_open(const struct pack_row *row, const char *file)
{
	struct pack_reader *reader = mem_calloc(1, sizeof(*reader));

	reader->row = row;
	reader->file = file;
	if (!row->open(&reader->flow))
		mem_exhausted(1, 0);
	return reader;
}

void pack_close(struct pack_reader *reader)
{
	if (reader == NULL)
		return;
	reader->row->close(&reader->flow);
	mem_free(reader);
}

static uint64_t limit(const struct pack_reader *reader)
{
	return reader->taken > PACK_FLOOR / PACK_RATIO_MAX ? reader->taken * PACK_RATIO_MAX
							   : PACK_FLOOR;
}

static enum err_code failed(const struct pack_reader *reader, enum step step, struct err *err)
{
	const char *name = reader->row->name;

	if (reader->given > limit(reader))
		return err_set(
			err, ERR_LIMIT, reader->file, 0, 0,
			"this %s file unpacks to more than %llu MiB, over %d times its size: "
			"refused; unpack it yourself if that is right",
			name, (unsigned long long)(limit(reader) >> 20), PACK_RATIO_MAX);
	if (step == STEP_MEMORY)
		return err_set(err, ERR_LIMIT, reader->file, 0, 0,
			       "this %s file needs too much memory to unpack", name);
	if (step == STEP_MORE)
		return err_set(err, ERR_SYNTAX, reader->file, 0, 0,
			       "this %s file is cut off: its end is missing", name);
	return err_set(err, ERR_SYNTAX, reader->file, 0, 0, "this %s file is damaged, at byte %llu",
		       name, (unsigned long long)reader->taken);
}

/* Behind a stream: true if another one begins with what is at hand. */
static bool next_stream(struct pack_reader *reader, struct pack_input *in)
{
	for (; in->size > 0 && *in->bytes == '\0'; in->bytes++, in->size--) {
		reader->padding = true;
		reader->taken++;
	}
	reader->between = in->size == 0;
	return !reader->between;
}

static enum step take_step(struct pack_reader *reader, struct pack_input *in, char *out,
			   size_t size, size_t *got)
{
	struct flow *flow = &reader->flow;
	enum step step;

	flow->in = in->bytes;
	flow->in_left = in->size;
	flow->last = in->last;
	flow->out = out;
	flow->out_left = size;
	step = reader->row->unpack(flow);
	reader->taken += in->size - flow->in_left;
	in->bytes = flow->in;
	in->size = flow->in_left;
	*got = size - flow->out_left;
	reader->given += *got;
	reader->between = step == STEP_END;
	return step;
}

enum err_code pack_read(struct pack_reader *reader, struct pack_input *in, char *out, size_t size,
			size_t *got, struct err *err)
{
	*got = 0;
	while (*got == 0) {
		size_t before = in->size;
		enum step step;

		if (reader->between && !next_stream(reader, in))
			return ERR_OK;
		if (reader->padding)
			return failed(reader, STEP_BAD, err);
		step = take_step(reader, in, out, size, got);
		if (step == STEP_BAD || step == STEP_MEMORY || reader->given > limit(reader))
			return failed(reader, step, err);
		if (step == STEP_MORE && *got == 0 && in->size == before && in->last)
			return failed(reader, step, err); /* nothing moves: it is cut off */
		if (step == STEP_MORE && in->size == 0 && !in->last)
			return ERR_OK;
	}
	return ERR_OK;
}

/* ---- packing from file to file ---- */

struct buffers {
	char in[STEP], out[STEP];
};

/* Everything that one buffer of input gives. */
static bool pack_buffer(const struct pack_row *row, struct flow *flow, struct buffers *b, FILE *to)
{
	enum step step;

	do {
		size_t size;

		flow->out = b->out;
		flow->out_left = sizeof(b->out);
		step = row->pack(flow);
		size = (size_t)(flow->out - b->out);
		if (step == STEP_BAD || step == STEP_MEMORY)
			errno = ENOMEM;
		if (step == STEP_BAD || step == STEP_MEMORY || fwrite(b->out, 1, size, to) != size)
			return false;
	} while (flow->last ? step != STEP_END : flow->in_left > 0);
	return true;
}

bool pack_copy(const struct pack_row *row, FILE *from, FILE *to)
{
	struct buffers *b = mem_calloc(1, sizeof(*b));
	struct flow flow = {.last = false};
	bool good = true;

	if (!row->open_pack(&flow))
		mem_exhausted(1, 0);
	while (good && !flow.last) {
		flow.in = b->in;
		flow.in_left = fread(b->in, 1, sizeof(b->in), from);
		flow.last = flow.in_left < sizeof(b->in);
		good = ferror(from) == 0 && pack_buffer(row, &flow, b, to);
	}
	row->close_pack(&flow);
	mem_free(b);
	return good;
}

/* ---- in a text ---- */

static void encode_base64(const unsigned char in[3], size_t count, char out[4])
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned bits = (unsigned)in[0] << 16 | (unsigned)(count > 1 ? in[1] : 0) << 8 |
			(unsigned)(count > 2 ? in[2] : 0);

	for (size_t i = 0; i < 4; i++)
		out[i] = i > count ? '=' : digits[bits >> (18 - 6 * i) & 63];
}

char *pack_base64(const char *text, size_t size)
{
	uLongf packed = compressBound((uLong)size);
	unsigned char *bytes = mem_calloc(packed + 3, 1);
	int code = compress2(bytes, &packed, (const Bytef *)text, (uLong)size, Z_BEST_COMPRESSION);
	char *out;

	assert(code == Z_OK); /* it is as large as zlib wants it */
	(void)code;
	out = mem_calloc((packed + 2) / 3 * 4 + 1, 1);
	for (size_t i = 0; i < packed; i += 3)
		encode_base64(bytes + i, packed - i < 3 ? packed - i : 3, out + i / 3 * 4);
	mem_free(bytes);
	return out;
}
