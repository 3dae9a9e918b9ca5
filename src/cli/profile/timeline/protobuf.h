/* protobuf.h: writes protobuf messages
 * (https://protobuf.dev/programming-guides/encoding/).
 *
 * Callers: writers of traces; one thread. The caller owns a struct proto, which
 * begins zeroed, and frees its data. */
#ifndef CLI_PROFILE_TIMELINE_PROTOBUF_H
#define CLI_PROFILE_TIMELINE_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct proto {
    uint8_t *data;
    size_t size_B, capacity_B;
    bool failed; /* no memory */
};

void proto_raw(struct proto *m, const void *data, size_t size_B);
void proto_varint(struct proto *m, uint64_t n);
/* Wire type 0; 0 is the default, and left out. */
void proto_number(struct proto *m, unsigned field, uint64_t n);
/* Wire type 1. */
void proto_fixed64(struct proto *m, unsigned field, uint64_t n);
/* Wire type 2. */
void proto_bytes(struct proto *m, unsigned field, const void *data,
                 size_t size_B);
void proto_text(struct proto *m, unsigned field, const char *text);
/* Ends an inner message, which becomes a field of the outer one. */
void proto_message(struct proto *m, unsigned field, struct proto *inner);

#endif
