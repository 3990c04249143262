#include "sim/study/sweep_mpi.h"

#include <mpi.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "core/mem.h"

enum { TAG_ASK = 1, TAG_LEAVE, TAG_ANSWER };

struct team {
	struct sweep_team public; /* first */
	pthread_mutex_t lock;	  /* one question at a time */
};

/* Waiting ranks leave the processor to those that work; MPI itself would spin. */
static void nap(void)
{
	const struct timespec moment = {0, 200000};

	nanosleep(&moment, NULL);
}

static void wait_for(MPI_Request *request)
{
	int done = 0;

	for (MPI_Test(request, &done, MPI_STATUS_IGNORE); !done;
	     MPI_Test(request, &done, MPI_STATUS_IGNORE))
		nap();
}

bool sweep_mpi_launched(char *(*get)(const char *name))
{
	return get("OMPI_COMM_WORLD_SIZE") != NULL || get("PMIX_RANK") != NULL ||
	       get("PMI_RANK") != NULL;
}

struct verdict {
	int code;
	char text[sizeof(((struct err *)NULL)->msg)];
};

/* Rank 0's own error comes first: most errors are those of all. */
static void judge(const struct sweep_team *team, const struct verdict *all, struct verdict *out)
{
	*out = all[0];
	for (uint32_t i = 1; i < team->size && out->code == ERR_OK; i++) {
		struct err err;

		if (all[i].code == ERR_OK)
			continue;
		out->code = (int)err_set(&err, (enum err_code)all[i].code, NULL, 0, 0,
					 "rank %u: %.490s", (unsigned)i, all[i].text);
		memcpy(out->text, err.msg, sizeof(out->text));
	}
}

static enum err_code agree(struct sweep_team *team, enum err_code code, struct err *err)
{
	struct verdict mine = {.code = (int)code}, verdict;
	struct verdict *all = mem_calloc(team->size, sizeof(*all));

	if (code != ERR_OK)
		err_format(err, mine.text, sizeof(mine.text));
	MPI_Gather(&mine, (int)sizeof(mine), MPI_BYTE, all, (int)sizeof(mine), MPI_BYTE, 0,
		   MPI_COMM_WORLD);
	if (team->rank == 0)
		judge(team, all, &verdict);
	MPI_Bcast(&verdict, (int)sizeof(verdict), MPI_BYTE, 0, MPI_COMM_WORLD);
	mem_free(all);
	if (code != ERR_OK && team->rank == 0)
		return code; /* as it was, with its place */
	if (verdict.code == ERR_OK)
		return ERR_OK;
	return err_set(err, (enum err_code)verdict.code, NULL, 0, 0, "%s", verdict.text);
}

static void share(struct sweep_team *team, void *data, size_t size)
{
	const size_t most = (size_t)1 << 30; /* MPI counts with int */
	char *at = data;

	(void)team;
	for (size_t n; size > 0; at += n, size -= n) {
		n = size < most ? size : most;
		MPI_Bcast(at, (int)n, MPI_BYTE, 0, MPI_COMM_WORLD);
	}
}

static uint64_t ask(struct sweep_team *public, const char *parcel, size_t size)
{
	struct team *team = (struct team *)public;
	MPI_Request request;
	uint64_t item;

	pthread_mutex_lock(&team->lock);
	MPI_Send(parcel, (int)size, MPI_BYTE, 0, TAG_ASK, MPI_COMM_WORLD);
	MPI_Irecv(&item, 1, MPI_UINT64_T, 0, TAG_ANSWER, MPI_COMM_WORLD, &request);
	wait_for(&request);
	pthread_mutex_unlock(&team->lock);
	return item;
}

static void leave(struct sweep_team *team)
{
	(void)team;
	MPI_Send(NULL, 0, MPI_BYTE, 0, TAG_LEAVE, MPI_COMM_WORLD);
}

static enum sweep_call hear(struct sweep_team *team, uint32_t *rank, char **parcel, size_t *size)
{
	MPI_Status status;
	int any, bytes;

	(void)team;
	MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &any, &status);
	if (!any) {
		nap();
		return SWEEP_SILENCE;
	}
	MPI_Get_count(&status, MPI_BYTE, &bytes);
	*rank = (uint32_t)status.MPI_SOURCE;
	*size = (size_t)bytes;
	*parcel = mem_calloc(*size, 1);
	MPI_Recv(*parcel, bytes, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
		 MPI_STATUS_IGNORE);
	if (status.MPI_TAG == TAG_ASK)
		return SWEEP_ASKED;
	mem_free(*parcel);
	return SWEEP_LEFT;
}

static void answer(struct sweep_team *team, uint32_t rank, uint64_t item)
{
	(void)team;
	MPI_Send(&item, 1, MPI_UINT64_T, (int)rank, TAG_ANSWER, MPI_COMM_WORLD);
}

enum err_code sweep_mpi_join(struct sweep_team **out, struct err *err)
{
	struct team *team = mem_calloc(1, sizeof(*team));
	int provided, rank, size;

	MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	pthread_mutex_init(&team->lock, NULL);
	team->public = (struct sweep_team){.rank = (uint32_t)rank,
					   .size = (uint32_t)size,
					   .agree = agree,
					   .share = share,
					   .ask = ask,
					   .leave = leave,
					   .hear = hear,
					   .answer = answer};
	*out = &team->public;
	if (provided >= MPI_THREAD_SERIALIZED)
		return ERR_OK;
	return err_set(err, ERR_LIMIT, NULL, 0, 0,
		       "this MPI library cannot be called from threads: build gqsim with another");
}

void sweep_mpi_leave(struct sweep_team *public)
{
	struct team *team = (struct team *)public;
	MPI_Request request;

	if (team == NULL)
		return;
	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	wait_for(&request);
	MPI_Finalize();
	pthread_mutex_destroy(&team->lock);
	mem_free(team);
}
