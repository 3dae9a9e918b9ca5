/* fd_pass.h: passes a descriptor to another process over a Unix socket. The
 * launcher sends its report's descriptor (cli/launch/strict.c); the preloaded
 * library receives it (drm-shim/report/report_find.c). Any thread; no state. */
#ifndef BASE_FD_PASS_H
#define BASE_FD_PASS_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

/* The abstract address of a name of at most 100 characters, for bind() and
 * connect(). Returns its length. An abstract address is not a file: any user of
 * the network namespace may connect to it. */
socklen_t fd_pass_address(struct sockaddr_un *address, const char *name);

/* Sends a copy of fd with one byte, without waiting. False: errno is set. */
bool fd_pass_send(int connection, int fd);
/* Waits for a message and returns its descriptor, which the caller owns; -1: it
 * has none. */
int fd_pass_receive(int connection);

/* A copy of fd that exec keeps, numbered in the upper eighth of the soft limit.
 * Programs that close or count descriptors use lower numbers. -1: errno is
 * set. */
int fd_pass_dup_high(int fd);

#endif
