#include "sim/engine/batch.h"

#include <pthread.h>

#include "core/mem.h"

struct queue {
	batch_work *work;
	void *context;
	size_t count;
	size_t next; /* under the lock */
	pthread_mutex_t lock;
};

static bool take(struct queue *queue, size_t *i)
{
	bool any;

	pthread_mutex_lock(&queue->lock);
	any = queue->next < queue->count;
	if (any)
		*i = queue->next++;
	pthread_mutex_unlock(&queue->lock);
	return any;
}

static void *work_off(void *context)
{
	struct queue *queue = context;
	size_t i;

	while (take(queue, &i))
		queue->work(queue->context, i);
	return NULL;
}

void batch_each(size_t count, unsigned threads, batch_work *work, void *context)
{
	struct queue queue = {.work = work, .context = context, .count = count};
	size_t helpers = threads < count ? threads : count;
	pthread_t *thread = mem_calloc(count, sizeof(*thread));
	size_t started = 0;

	pthread_mutex_init(&queue.lock, NULL);
	/* This thread works too; where no other can be had it does everything. */
	while (started + 1 < helpers &&
	       pthread_create(&thread[started], NULL, work_off, &queue) == 0)
		started++;
	work_off(&queue);
	for (size_t i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
	pthread_mutex_destroy(&queue.lock);
	mem_free(thread);
}

static void execute(void *context, size_t i)
{
	struct batch_run *run = (struct batch_run *)context + i;

	run->code = engine_run(run->scenario, run->policy, &run->options, run->detail,
			       &run->journal, &run->err);
}

enum err_code batch_execute(struct batch_run *runs, size_t count, unsigned threads, struct err *err)
{
	batch_each(count, threads, execute, runs);
	for (size_t i = 0; i < count; i++) {
		if (runs[i].code != ERR_OK) {
			*err = runs[i].err;
			return runs[i].code;
		}
	}
	return ERR_OK;
}
