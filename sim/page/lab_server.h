/* lab_server.h - gqsim lab over HTTP (libmicrohttpd): the page, its files, the plays.
 *
 * One thread answers requests; whoever calls lab_server_tick moves running plays on. A lock
 * keeps them apart. Everything is bounded: connections, bodies, requests a second, plays,
 * streams of a play. Who asks must name localhost or an IP address as host, so that no name
 * that is made to point here gets through, and changes must come from the page itself.
 */
#ifndef SIM_LAB_SERVER_H
#define SIM_LAB_SERVER_H

#include "sim/input/cmd.h"

#define LAB_SERVER_PLAYS       16
#define LAB_SERVER_STREAMS     8    /* of a play */
#define LAB_SERVER_CONNECTIONS 1500 /* more are closed at once */
#define LAB_SERVER_RATE	       100  /* changes a second, twice as many at a time */

struct lab_server;

/* listen: an IPv4 or IPv6 address; port 0: any free one. */
enum err_code lab_server_start(const struct cmd_context *context, const struct cmd_args *args,
			       const char *listen, unsigned port, struct lab_server **out,
			       struct err *err);
unsigned lab_server_port(const struct lab_server *server);
/* So much time has passed. */
void lab_server_tick(struct lab_server *server, double seconds);
/* Ends streams, waits for answers under way, closes. */
void lab_server_stop(struct lab_server *server);

/* May a request with this Host header, and this Origin (NULL: none), be answered? */
bool lab_server_trusts(const char *host, const char *origin, unsigned port);

#endif
