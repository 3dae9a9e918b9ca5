/* share_peer.h: a process that shares objects with the one under test, and may
 * do with them what it likes.
 *
 * Peers are children of a process that share_begin() forks before anything else
 * runs, so that a peer has a device of its own and inherits no threads. It
 * takes bytes, acts as they say, and answers with descriptors. */
#ifndef FUZZ_SHARE_PEER_H
#define FUZZ_SHARE_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PEER_FDS_MAX 8
#define PEER_BYTES_MAX 256

/* Call it before the device is used. */
void share_begin(void);
/* Acts in the peer, which is started if there is none: the descriptors that it
 * sent. */
unsigned share_ask(const uint8_t *data, size_t size_B, int fds[PEER_FDS_MAX]);
/* Kills the peer, at any moment. */
void share_kill(void);

#endif
