/* objects_trainjob.h - TrainJobs of trainer.kubeflow.org and the (Cluster)TrainingRuntimes
 * that they name.
 *
 * A TrainJob is the JobSet of its runtime with its own numbers put in (Kueue:
 * pkg/controller/jobs/trainjob, with Trainer 2.3): the runtime may stand in any file, so
 * jobs are made when all is read.
 */
#ifndef SIM_OBJECTS_TRAINJOB_H
#define SIM_OBJECTS_TRAINJOB_H

#include "sim/objects/object.h"

struct objects_trainjobs; /* objects_trainjobs_new; objects_trainjobs_free ends it */

struct objects_trainjobs *objects_trainjobs_new(void);
void objects_trainjobs_free(struct objects_trainjobs *trainjobs);

/* Into f->trainjobs. */
object_read objects_trainjob, objects_training_runtime;

/* After the last file: each becomes a job, or a finding if its runtime is not there. f has
 * no object; its arena is emptied after each by reset. Errors go to report, which says
 * whether to go on (ERR_OK). */
enum err_code objects_trainjobs_close(struct fields *f,
				      enum err_code (*report)(void *context, enum err_code code),
				      void *context);

#endif
