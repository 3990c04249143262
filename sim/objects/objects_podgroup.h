/* objects_podgroup.h - Pods of one group: annotation or label kueue.x-k8s.io/pod-group-name (which
 * of them, the feature gate WorkloadIdentifierAnnotations says), annotation
 * kueue.x-k8s.io/pod-group-total-count.
 *
 * A group is one workload for Kueue, and a gang here: a job of the group's name, a pod set
 * for each role (Kueue: pkg/controller/jobs/pod), which is an annotation role-hash that
 * Kueue wrote, else a shape of pod. It comes when its last pod does and works as long as the
 * longest of them. With annotation pod-group-fast-admission it comes when its first pod
 * does, and all its pods are like that one. Of more pods than it counts those that came last
 * are left out; one whose pods do not agree in their count and queue is, whole.
 */
#ifndef SIM_OBJECTS_PODGROUP_H
#define SIM_OBJECTS_PODGROUP_H

#include "sim/objects/objects_work.h"

struct objects_podgroups *objects_podgroups_new(void); /* objects_podgroups_free releases it */
void objects_podgroups_free(struct objects_podgroups *groups);

/* Does the pod belong to a group? */
bool objects_podgroup_names(const struct object *object);
/* Such a pod joins its group. */
enum err_code objects_podgroup_add(struct fields *f, struct objects_work *work);
/* All groups become jobs; once, when all is read. */
void objects_podgroups_close(struct objects_podgroups *groups, struct builder *builder);

#endif
