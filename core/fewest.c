#include "core/fewest.h"

#include <string.h>

#include "core/mem.h"

void fewest_begin(struct fewest *search, uint32_t least, uint32_t most, uint32_t guess,
		  uint32_t verify)
{
	if (guess < least)
		guess = least;
	*search = (struct fewest){.least = least,
				  .most = most,
				  .guess = guess > most ? most : guess,
				  .verify = verify};
}

void fewest_free(struct fewest *search)
{
	mem_free(search->known);
	*search = (struct fewest){0};
}

/* Where the number stands, or would. */
static size_t place_of(const struct fewest *search, uint32_t number)
{
	size_t at = 0;

	while (at < search->count && search->known[at].number < number)
		at++;
	return at;
}

static bool is_known(const struct fewest *search, uint32_t number)
{
	size_t at = place_of(search, number);

	return at < search->count && search->known[at].number == number;
}

void fewest_tell(struct fewest *search, uint32_t number, bool passes)
{
	size_t at = place_of(search, number);

	if (is_known(search, number))
		return;
	search->known = mem_grow(search->known, search->count + 1, &search->capacity,
				 sizeof(*search->known));
	memmove(&search->known[at + 1], &search->known[at],
		(search->count - at) * sizeof(*search->known));
	search->known[at] = (struct fewest_known){number, passes};
	search->count++;
}

bool fewest_found(const struct fewest *search, uint32_t *out)
{
	for (size_t i = 0; i < search->count; i++) {
		if (search->known[i].passes) {
			*out = search->known[i].number;
			return true;
		}
	}
	return false;
}

/* The numbers that are taken for failures end here: least - 1, or a known failure below
 * the answer. */
static int64_t highest_failure(const struct fewest *search, uint32_t answer)
{
	int64_t highest = (int64_t)search->least - 1;

	for (size_t i = 0; i < search->count && search->known[i].number < answer; i++)
		highest = search->known[i].number;
	return highest;
}

/* Numbers that divide the stretch between into equal parts. */
static size_t divide(int64_t fails, uint32_t passes, uint32_t *out, size_t max)
{
	int64_t inside = (int64_t)passes - fails - 1;
	int64_t parts = inside < (int64_t)max ? inside + 1 : (int64_t)max + 1;

	for (int64_t i = 1; i < parts; i++)
		out[i - 1] = (uint32_t)(fails + ((int64_t)passes - fails) * i / parts);
	return (size_t)(parts - 1);
}

static size_t add(const struct fewest *search, uint32_t number, uint32_t *out, size_t count,
		  size_t max)
{
	if (count == max || is_known(search, number) || (count > 0 && out[count - 1] == number))
		return count;
	out[count] = number;
	return count + 1;
}

/* The guess, unless more were not enough: then the middle of what is left. */
static uint32_t first(const struct fewest *search)
{
	uint32_t failed = search->count > 0 ? search->known[search->count - 1].number : 0;

	if (search->guess >= failed || failed >= search->most)
		return search->guess;
	return failed + (search->most - failed) / 2;
}

size_t fewest_next(const struct fewest *search, uint32_t *out, size_t max)
{
	uint32_t answer;
	int64_t fails;
	size_t count = 0;

	if (!fewest_found(search, &answer)) {
		count = add(search, first(search), out, count, max);
		return add(search, search->most, out, count, max);
	}
	fails = highest_failure(search, answer);
	if ((int64_t)answer - fails > 1)
		return divide(fails, answer, out, max);
	for (uint32_t i = 1; i <= search->verify && answer >= search->least + i; i++)
		count = add(search, answer - i, out, count, max);
	return count;
}
