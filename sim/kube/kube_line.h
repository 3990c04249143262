/* kube_line.h - pods standing in line, many lines in one pool.
 *
 * A line keeps an order that its user gave it. Lines are joined, split after the
 * n-th pod, and searched for the first pod that carries one of some marks, each
 * in O(log length) (a treap whose priorities are a hash of the numbers of its
 * items, so that its shape is the same in every run). Pods leave from anywhere.
 */
#ifndef SIM_KUBE_LINE_H
#define SIM_KUBE_LINE_H

#include <stdbool.h>
#include <stdint.h>

#define LINE_EMPTY  UINT32_MAX
#define LINE_NOBODY UINT32_MAX

struct kube_lines; /* the pool; owned by the caller: kube_lines_new/kube_lines_free */

struct kube_lines *kube_lines_new(uint32_t pod_slots);
void kube_lines_free(struct kube_lines *lines);

/* A line of one pod, which stands in no other. marks: a set of bits. */
uint32_t kube_line_make(struct kube_lines *lines, uint32_t pod, uint64_t marks);
uint32_t kube_line_join(struct kube_lines *lines, uint32_t front, uint32_t back);
/* The first n pods (n <= length) and the others; line is gone. */
void kube_line_split(struct kube_lines *lines, uint32_t line, uint32_t n, uint32_t *front,
		     uint32_t *back);
uint32_t kube_line_length(const struct kube_lines *lines, uint32_t line);
/* Whom to look for: who carries one of the marks (its own are told) and is meant (NULL: each
 * is). */
typedef bool kube_line_means(void *context, uint32_t pod, uint64_t marks);
struct kube_line_wish {
	uint64_t marks;
	kube_line_means *means;
	void *context;
};
/* The first such pod, the first from of the line left out; LINE_NOBODY, before which the whole
 * line stands. Costs as many steps as there are marked ones before it. */
struct kube_line_found {
	uint32_t before; /* so many stand before it */
	uint32_t pod;
};
struct kube_line_found kube_line_find(const struct kube_lines *lines, uint32_t line, uint32_t from,
				      const struct kube_line_wish *wish);
/* Calls back for each pod of a part of the line, in its order. */
struct kube_line_part {
	uint32_t first, count;
};
typedef void kube_line_visit(void *context, uint32_t pod);
void kube_line_each(const struct kube_lines *lines, uint32_t line,
		    const struct kube_line_part *part, kube_line_visit *visit, void *context);
/* The pod before which n stand; n is below the length. */
uint32_t kube_line_at(const struct kube_lines *lines, uint32_t line, uint32_t n);
/* The pod, which stands in a line, carries these marks from now on. */
void kube_line_mark(struct kube_lines *lines, uint32_t pod, uint64_t marks);
/* Takes a pod out of its line; returns what is left of the line. */
uint32_t kube_line_leave(struct kube_lines *lines, uint32_t pod);

/* Does the pod stand in any line? */
bool kube_line_stands(const struct kube_lines *lines, uint32_t pod);
/* A number below 2^31 that the user hangs on a line; ask by any of its pods. It belongs to
 * the line as returned: set it again after each join, split or leave. */
void kube_line_set_owner(struct kube_lines *lines, uint32_t line, uint32_t owner);
uint32_t kube_line_owner(const struct kube_lines *lines, uint32_t pod);

#endif
