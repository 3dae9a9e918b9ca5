/* protobuf.c: encodes fields. */
#include "cli/profile/timeline/protobuf.h"

#include <stdlib.h>
#include <string.h>

void
proto_raw(struct proto *m, const void *data, size_t size_B)
{
    if (m->size_B + size_B > m->capacity_B) {
        size_t capacity_B = 2 * (m->size_B + size_B) + 64;
        void *more = realloc(m->data, capacity_B);
        m->failed |= !more;
        if (!more)
            return;
        m->data = more;
        m->capacity_B = capacity_B;
    }
    if (size_B)
        memcpy(m->data + m->size_B, data, size_B);
    m->size_B += size_B;
}

void
proto_varint(struct proto *m, uint64_t n)
{
    uint8_t bytes[10];
    size_t count = 0;
    for (; n > 127; n >>= 7)
        bytes[count++] = (uint8_t)(n | 128);
    bytes[count++] = (uint8_t)n;
    proto_raw(m, bytes, count);
}

void
proto_number(struct proto *m, unsigned field, uint64_t n)
{
    if (!n)
        return;
    proto_varint(m, field << 3);
    proto_varint(m, n);
}

void
proto_fixed64(struct proto *m, unsigned field, uint64_t n)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(n >> 8 * i);
    proto_varint(m, field << 3 | 1);
    proto_raw(m, bytes, sizeof bytes);
}

void
proto_bytes(struct proto *m, unsigned field, const void *data, size_t size_B)
{
    proto_varint(m, field << 3 | 2);
    proto_varint(m, size_B);
    proto_raw(m, data, size_B);
}

void
proto_text(struct proto *m, unsigned field, const char *text)
{
    proto_bytes(m, field, text, strlen(text));
}

void
proto_message(struct proto *m, unsigned field, struct proto *inner)
{
    proto_bytes(m, field, inner->data, inner->size_B);
    m->failed |= inner->failed;
    inner->size_B = 0;
}
