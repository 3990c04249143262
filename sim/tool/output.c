#define _GNU_SOURCE /* O_TMPFILE, where there is one */
#include "sim/tool/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem.h"

static bool is_standard(const char *path)
{
	return strcmp(path, "-") == 0;
}

bool output_direct(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

static char *temporary_name(const char *path)
{
	size_t size = strlen(path) + 32;
	char *name = mem_calloc(size, 1);

	snprintf(name, size, "%s.%ld.tmp", path, (long)getpid());
	return name;
}

static enum err_code failed(const struct output *output, int number, struct err *err)
{
	return err_set(err, ERR_IO, NULL, 0, 0, "cannot write %.300s: %s", output->path,
		       strerror(number));
}

#ifdef O_TMPFILE
#define DESCRIPTOR_TEXT 40

static char *descriptor_name(int descriptor, char buf[DESCRIPTOR_TEXT])
{
	snprintf(buf, DESCRIPTOR_TEXT, "/proc/self/fd/%d", descriptor);
	return buf;
}

/* In the target's folder, without a name until it is complete: whatever ends the program
 * leaves nothing behind. NULL: not on this system. */
static FILE *open_nameless(const char *path)
{
	char *folder = mem_strdup(path), *slash = strrchr(folder, '/');
	char name[DESCRIPTOR_TEXT];
	FILE *file = NULL;
	int descriptor;

	if (slash != NULL)
		slash[slash == folder] = '\0';
	descriptor = open(slash == NULL ? "." : folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	mem_free(folder);
	if (descriptor < 0)
		return NULL;
	if (access(descriptor_name(descriptor, name), F_OK) == 0)
		file = fdopen(descriptor, "w");
	if (file == NULL)
		close(descriptor);
	return file;
}

/* errno's number, or 0. */
static int give_name(FILE *file, const char *name)
{
	char from[DESCRIPTOR_TEXT];

	return linkat(AT_FDCWD, descriptor_name(fileno(file), from), AT_FDCWD, name,
		      AT_SYMLINK_FOLLOW) == 0
		       ? 0
		       : errno;
}
#else
static FILE *open_nameless(const char *path)
{
	(void)path;
	return NULL;
}

static int give_name(FILE *file, const char *name)
{
	(void)file;
	(void)name;
	return ENOTSUP;
}
#endif

static FILE *open_target(struct output *output)
{
	FILE *target = NULL;

	if (output->temporary != NULL)
		target = open_nameless(output->path);
	output->nameless = target != NULL;
	if (target != NULL)
		return target;
	return fopen(output->temporary != NULL ? output->temporary : output->path, "w");
}

/* The text of what is packed later goes to a file without a name. */
static bool open_files(struct output *output)
{
	FILE *target = open_target(output);
	int number = errno;

	output->file = target;
	if (target == NULL || output->pack == NULL)
		return target != NULL;
	output->file = tmpfile();
	if (output->file != NULL) {
		output->packed = target;
		return true;
	}
	number = errno;
	fclose(target);
	errno = number;
	return false;
}

enum err_code output_open(struct output *output, const char *path, FILE *standard, struct err *err)
{
	*output = (struct output){.path = path, .standard = standard};
	if (is_standard(path)) {
		output->file = standard;
		return ERR_OK;
	}
	output->pack = pack_of_name(path);
	if (!output_direct(path))
		output->temporary = temporary_name(path);
	if (!open_files(output)) {
		int number = errno;

		if (output->temporary != NULL)
			unlink(output->temporary);
		mem_free(output->temporary);
		output->temporary = NULL;
		return failed(output, number, err);
	}
	return ERR_OK;
}

/* errno's number, or 0. A write that failed earlier fails again, and tells why. */
static int write_rest(FILE *file)
{
	bool bad = ferror(file) != 0;

	if (fflush(file) != 0)
		return errno;
	return bad ? EIO : 0;
}

/* Both: errno's number, or that of what failed before, or 0. */
static int pack_files(struct output *output, int number)
{
	FILE *text = output->file;

	if (output->packed == NULL)
		return number;
	if (number == 0 &&
	    (fseek(text, 0, SEEK_SET) != 0 || !pack_copy(output->pack, text, output->packed)))
		number = errno != 0 ? errno : EIO;
	fclose(text);
	output->file = output->packed;
	output->packed = NULL;
	return number == 0 ? write_rest(output->file) : number;
}

static int close_files(struct output *output)
{
	int number = pack_files(output, write_rest(output->file));

	if (number == 0 && output->nameless)
		number = give_name(output->file, output->temporary);
	if (fclose(output->file) != 0 && number == 0)
		number = errno;
	return number;
}

enum err_code output_close(struct output *output, struct err *err)
{
	int number;

	if (output->file == output->standard) {
		number = write_rest(output->file);
		return number == 0 ? ERR_OK : failed(output, number, err);
	}
	number = close_files(output);
	if (output->temporary != NULL) {
		if (number == 0 && rename(output->temporary, output->path) != 0)
			number = errno;
		if (number != 0)
			unlink(output->temporary);
		mem_free(output->temporary);
		output->temporary = NULL;
	}
	return number == 0 ? ERR_OK : failed(output, number, err);
}

void output_text_open(struct output_text *text)
{
	*text = (struct output_text){.size = 0};
	text->file = open_memstream(&text->data, &text->size);
	if (text->file == NULL)
		mem_exhausted(1, 1);
}

void output_text_close(struct output_text *text)
{
	if (fclose(text->file) != 0)
		mem_exhausted(text->size, 1);
	text->file = NULL;
}

void output_text_free(struct output_text *text)
{
	free(text->data);
	text->data = NULL;
}

void output_csv(FILE *file, const char *text)
{
	if (text[strcspn(text, ",\"\r\n")] == '\0') {
		fputs(text, file);
		return;
	}
	putc('"', file);
	while (*text != '\0') {
		size_t plain = strcspn(text, "\"");

		fwrite(text, 1, plain, file);
		text += plain;
		if (*text == '"') {
			fputs("\"\"", file);
			text++;
		}
	}
	putc('"', file);
}
