/* sha1.c: Source: FIPS 180-4, sections 5.1.1, 5.3.1 and 6.1.2. */
#include "cli/symbols/sha1.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define BLOCK_B 64u

static uint32_t
rotate(uint32_t x, unsigned n)
{
    return x << n | x >> (32 - n);
}

/* The function and the constant of a round, without the parts that all rounds
 * add. */
static uint32_t
mix(unsigned round, const uint32_t s[5])
{
    const uint32_t b = s[1], c = s[2], d = s[3];
    switch (round / 20) {
    case 0: return ((b & c) | (~b & d)) + 0x5a827999u;
    case 1: return (b ^ c ^ d) + 0x6ed9eba1u;
    case 2: return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdcu;
    default: return (b ^ c ^ d) + 0xca62c1d6u;
    }
}

static void
add_block(uint32_t hash[5], const uint8_t *p)
{
    uint32_t w[80], s[5];
    for (unsigned i = 0; i < 16; i++)
        w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 |
               (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
    for (unsigned i = 16; i < 80; i++)
        w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    memcpy(s, hash, sizeof s);
    for (unsigned i = 0; i < 80; i++) {
        uint32_t next = rotate(s[0], 5) + mix(i, s) + s[4] + w[i];
        s[4] = s[3];
        s[3] = s[2];
        s[2] = rotate(s[1], 30);
        s[1] = s[0];
        s[0] = next;
    }
    for (unsigned i = 0; i < 5; i++)
        hash[i] += s[i];
}

void
sha1_text(char text[41], const void *data, size_t size_B)
{
    uint32_t hash[5] = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u,
                        0xc3d2e1f0u};
    uint8_t last[2 * BLOCK_B] = {0};
    size_t whole_B = size_B / BLOCK_B * BLOCK_B, rest_B = size_B - whole_B;
    size_t last_B = rest_B + 9 <= BLOCK_B ? BLOCK_B : 2 * BLOCK_B;
    for (size_t i = 0; i < whole_B; i += BLOCK_B)
        add_block(hash, (const uint8_t *)data + i);
    if (rest_B)
        memcpy(last, (const uint8_t *)data + whole_B, rest_B);
    last[rest_B] = 0x80;
    for (unsigned i = 0; i < 8; i++)
        last[last_B - 1 - i] = (uint8_t)((uint64_t)size_B * 8 >> (8 * i));
    for (size_t i = 0; i < last_B; i += BLOCK_B)
        add_block(hash, last + i);
    for (unsigned i = 0; i < 5; i++)
        snprintf(text + (size_t)8 * i, 9, "%08x", hash[i]);
}
