/* apart.h - functions that do not become a part of those that call them.
 *
 * What a function needs registers for it saves first, and with it what became a part of it:
 * so where the usual way is short, what is seldom done on it stands apart.
 */
#ifndef CORE_APART_H
#define CORE_APART_H

#define APART __attribute__((noinline))

#endif
