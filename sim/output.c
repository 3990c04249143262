#include "sim/output.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem.h"

static bool is_standard(const char *path)
{
	return strcmp(path, "-") == 0;
}

static bool written_directly(const char *path)
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

enum err_code output_open(struct output *output, const char *path, FILE *standard, struct err *err)
{
	*output = (struct output){.path = path, .standard = standard};
	if (is_standard(path)) {
		output->file = standard;
		return ERR_OK;
	}
	if (!written_directly(path))
		output->temporary = temporary_name(path);
	output->file = fopen(output->temporary != NULL ? output->temporary : path, "w");
	if (output->file == NULL) {
		int number = errno;

		mem_free(output->temporary);
		output->temporary = NULL;
		return failed(output, number, err);
	}
	return ERR_OK;
}

enum err_code output_close(struct output *output, struct err *err)
{
	int number = 0;

	if (ferror(output->file) != 0)
		number = EIO;
	if (output->file == output->standard) {
		if (fflush(output->file) != 0)
			number = errno;
		return number == 0 ? ERR_OK : failed(output, number, err);
	}
	if (fclose(output->file) != 0)
		number = errno;
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

void output_csv(FILE *file, const char *text)
{
	if (text[strcspn(text, ",\"\r\n")] == '\0') {
		fputs(text, file);
		return;
	}
	putc('"', file);
	for (; *text != '\0'; text++) {
		if (*text == '"')
			putc('"', file);
		putc(*text, file);
	}
	putc('"', file);
}
