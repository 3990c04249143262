/* lab_request.h - what a browser asks of a play: the JSON API of gqsim lab, without HTTP.
 *
 * scenarios/README.md documents it. A body is one flat JSON object of texts and numbers.
 */
#ifndef SIM_LAB_REQUEST_H
#define SIM_LAB_REQUEST_H

#include "sim/page/lab_play.h"

#define LAB_REQUEST_BODY 4096 /* bytes of the largest body */

/* Does "job", "quota", "step", "end", "undo", "reset"; *speed is changed by "run": simulated
 * seconds a second, 0: stopped. ERR_UNKNOWN: there is no such action. */
enum err_code lab_request(struct lab_play *play, const char *action, const char *body, size_t size,
			  double *speed, struct err *err);

#endif
