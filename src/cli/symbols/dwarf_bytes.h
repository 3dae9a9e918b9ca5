/* dwarf_bytes.h: reads DWARF's encodings from bytes that nobody vouches for. */
#ifndef CLI_SYMBOLS_DWARF_BYTES_H
#define CLI_SYMBOLS_DWARF_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Unread bytes. Reading beyond the end gives 0 and sets failed. */
struct bytes {
    const uint8_t *at, *end;
    bool failed;
};

static inline uint64_t
take(struct bytes *b, unsigned size_B)
{
    uint64_t v = 0;
    if ((size_t)(b->end - b->at) < size_B) {
        b->failed = true;
        b->at = b->end;
        return 0;
    }
    for (unsigned i = 0; i < size_B; i++)
        v |= (uint64_t)b->at[i] << (8 * i);
    b->at += size_B;
    return v;
}

/* LEB128, section 7.6. Bits above the 64th are dropped. */
static inline uint64_t
take_leb(struct bytes *b, bool is_signed)
{
    uint64_t v = 0, byte;
    unsigned shift = 0;
    do {
        byte = take(b, 1);
        if (shift < 64)
            v |= (byte & 127) << shift;
        shift += 7;
    } while (byte & 128 && !b->failed);
    if (is_signed && byte & 64 && shift < 64)
        v |= UINT64_MAX << shift;
    return v;
}

static inline const char *
take_text(struct bytes *b)
{
    const uint8_t *end = memchr(b->at, 0, (size_t)(b->end - b->at));
    const char *text = (const char *)b->at;
    if (!end) {
        b->failed = true;
        b->at = b->end;
        return "";
    }
    b->at = end + 1;
    return text;
}

static inline struct bytes
take_part(struct bytes *b, uint64_t size_B)
{
    if (size_B > (size_t)(b->end - b->at)) {
        b->failed = true;
        size_B = (size_t)(b->end - b->at);
    }
    struct bytes part = {b->at, b->at + size_B, false};
    b->at += size_B;
    return part;
}

#endif
