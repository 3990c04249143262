/* objects_kubeflow.h - the jobs of kubeflow.org: PyTorchJob, TFJob, XGBoostJob, PaddleJob,
 * JAXJob and MPIJob.
 *
 * A pod set a replica type, in Kueue's order of them (pkg/controller/jobs/kubeflow, mpijob).
 * runLauncherAsWorker changes nothing here: the launcher is a pod of its own either way.
 */
#ifndef SIM_OBJECTS_KUBEFLOW_H
#define SIM_OBJECTS_KUBEFLOW_H

#include "sim/objects/object.h"

object_read objects_kubeflow;

#endif
