/* jpeg_scan.c: decodes a scan: Huffman codes, dequantisation, inverse DCT,
 * samples into the surface. */
#include "engine/mfx/jpeg/jpeg.h"

#include "engine/mfx/mfx_bits.h"

/* The prediction that a restart sets: a half of the range of samples, times 8,
 * which the inverse DCT divides by. */
#define DC_RESET 1024

/* Entropy-coded data up to the next marker; then zeros. Apart, so that a block
 * keeps it in registers. */
struct scan_bits {
    const uint8_t *at, *end;
    uint64_t window;
    unsigned count;
    unsigned beyond; /* bits of the window that are not data */
};

struct decoder {
    const struct jpeg_scan *scan;
    struct mfx_report *report;
    struct scan_bits bits;
    int32_t dc[JPEG_COMPONENTS];
};

/* ---- bits --------------------------------------------------------------- */

/* Takes one byte; 0xff00 stands for 0xff, any other 0xff begins a marker. */
static bool
next_byte(struct scan_bits *b, uint8_t *byte)
{
    if (b->at >= b->end)
        return false;
    *byte = *b->at;
    if (*byte != 0xff) {
        b->at++;
        return true;
    }
    if (b->end - b->at < 2 || b->at[1] != 0)
        return false;
    b->at += 2;
    return true;
}

/* Takes four bytes, if there are so many and none is 0xff. */
static inline bool
take_four(struct scan_bits *b)
{
    uint32_t next;
    if (b->end - b->at < 4)
        return false;
    memcpy(&next, b->at, sizeof next);
    if ((~next - 0x01010101u) & next & 0x80808080u)
        return false;
    b->window |= (uint64_t)be32toh(next) << (32 - b->count);
    b->at += 4;
    b->count += 32;
    return true;
}

static struct scan_bits
take_bytes(struct scan_bits b)
{
    for (; b.count <= 56; b.count += 8) {
        uint8_t byte = 0;
        if (!next_byte(&b, &byte))
            b.beyond += 8;
        b.window |= (uint64_t)byte << (56 - b.count);
    }
    return b;
}

static inline void
skip_bits(struct scan_bits *b, unsigned n)
{
    b->window <<= n;
    b->count -= n;
}

static bool
ran_out(const struct scan_bits *b)
{
    return b->beyond > b->count;
}

/* Of a code that is longer than JPEG_FAST_BITS: its length, 0: there is none.
 */
static unsigned
long_code(const struct jpeg_huffman *h, uint32_t next)
{
    for (unsigned length = JPEG_FAST_BITS + 1; length <= 16; length++)
        if (next >> (16 - length) < h->limit[length])
            return length;
    return 0;
}

/* A code's value; at least 16 bits after it are in the window. */
static inline int
huffman_value(struct scan_bits *b, const struct jpeg_huffman *h)
{
    if (b->count < 32 && !take_four(b))
        *b = take_bytes(*b);
    uint32_t next = (uint32_t)(b->window >> 48);
    unsigned fast = h->fast[next >> (16 - JPEG_FAST_BITS)];
    if (fast) {
        skip_bits(b, fast >> 8);
        return fast & 0xff;
    }
    unsigned length = long_code(h, next);
    if (!length)
        return -1;
    skip_bits(b, length);
    return h->values[(int32_t)(next >> (16 - length)) + h->first[length]];
}

/* At most 15 bits, right after a code. */
static inline int32_t
signed_bits(struct scan_bits *b, unsigned n)
{
    if (!n)
        return 0;
    uint32_t v = (uint32_t)(b->window >> (64 - n));
    skip_bits(b, n);
    return mfx_signed(v, n);
}

/* ---- a block ------------------------------------------------------------- */

static inline bool
read_coefficients(struct scan_bits *b, const struct jpeg_component *comp,
                  int16_t block[64])
{
    for (unsigned i = 1; i < 64; i++) {
        int symbol = huffman_value(b, comp->ac);
        if (symbol < 0)
            return false;
        unsigned run = (unsigned)symbol >> 4, bits = symbol & 15;
        if (!bits && run != 15)
            break;
        i += run;
        if (i > 63)
            return false;
        unsigned place = mfx_zigzag[i];
        if (bits)
            block[place] = (int16_t)(signed_bits(b, bits) *
                                     comp->matrix[place]);
    }
    return true;
}

static bool
read_block(struct decoder *d, unsigned c, int16_t block[64])
{
    const struct jpeg_component *comp = &d->scan->component[c];
    struct scan_bits b = d->bits;
    int size = huffman_value(&b, comp->dc);
    bool ok = size >= 0 && size <= 15;
    if (ok) {
        uint32_t dc = (uint32_t)signed_bits(&b, (unsigned)size) *
                          comp->matrix[0] +
                      (uint32_t)d->dc[c];
        d->dc[c] = (int32_t)dc;
        block[0] = (int16_t)CLAMP(d->dc[c], INT16_MIN, INT16_MAX);
        ok = read_coefficients(&b, comp, block);
    }
    d->bits = b;
    return ok;
}

/* Any distance between samples. */
static void
put_apart(const struct jpeg_scan *scan, const struct jpeg_component *comp,
          unsigned at, uint8_t *row, const uint8_t line[8])
{
    for (unsigned x = 0; x < 8 && at < scan->target.pitch_B; x++) {
        row[mfx_column_B(&scan->target, at) + at % MFX_PIECE_B] = line[x];
        at += comp->step_B;
    }
}

/* Eight samples in a piece: side by side, or each second byte. */
static void
put_together(uint8_t *to, unsigned step_B, const uint8_t line[8])
{
    if (step_B == 1) {
        memcpy(to, line, 8);
        return;
    }
    for (unsigned x = 0; x < 8; x++)
        to[x * 2] = line[x];
}

static void
put_block(const struct jpeg_scan *scan, unsigned c, unsigned column,
          unsigned row, const int16_t block[64])
{
    const struct jpeg_component *comp = &scan->component[c];
    const struct mfx_surface *s = &scan->target;
    unsigned step_B = comp->step_B;
    unsigned at = comp->place_B + column * 8 * step_B;
    unsigned within = at % MFX_PIECE_B;
    bool together = step_B <= 2 && within + 7 * step_B < MFX_PIECE_B &&
                    at + 7 * step_B < s->pitch_B;
    uint8_t samples[64];
    for (unsigned i = 0; i < 64; i++)
        samples[i] = (uint8_t)CLAMP(block[i], 0, 255);
    size_t column_B = mfx_column_B(s, at) + within;
    for (unsigned y = 0; y < 8 && row * 8 + y < comp->row_limit; y++) {
        uint8_t *to = s->base + mfx_row_B(s, comp->place_row + row * 8 + y);
        if (together)
            put_together(to + column_B, step_B, samples + y * 8);
        else
            put_apart(scan, comp, at, to, samples + y * 8);
    }
}

/* ---- MCUs ---------------------------------------------------------------- */

/* Reads and writes a block, or writes grey where the data are broken. */
static bool
do_block(struct decoder *d, unsigned c, unsigned column, unsigned row,
         bool broken)
{
    const struct jpeg_component *comp = &d->scan->component[c];
    int16_t block[64] = {DC_RESET};
    bool ok = !broken && read_block(d, c, block);
    if (!ok) {
        memset(block, 0, sizeof block);
        block[0] = DC_RESET;
    }
    d->scan->idct(block);
    if (column < comp->columns && row < comp->rows)
        put_block(d->scan, c, column, row, block);
    return ok;
}

static bool
do_mcu(struct decoder *d, uint32_t mcu, bool broken)
{
    const struct jpeg_scan *scan = d->scan;
    unsigned x = mcu % scan->mcu_columns, y = mcu / scan->mcu_columns;
    bool ok = !broken;
    for (unsigned c = 0; c < JPEG_COMPONENTS; c++) {
        if (!(scan->components >> c & 1))
            continue;
        unsigned h = scan->interleaved ? scan->component[c].h : 1;
        unsigned v = scan->interleaved ? scan->component[c].v : 1;
        for (unsigned i = 0; i < h * v; i++)
            ok &= do_block(d, c, x * h + i % h, y * v + i / h, !ok);
    }
    return ok;
}

static void
reset(struct decoder *d)
{
    d->bits.window = 0;
    d->bits.count = d->bits.beyond = 0;
    for (unsigned c = 0; c < JPEG_COMPONENTS; c++)
        d->dc[c] = DC_RESET;
}

/* Goes to what follows the next RSTn; false: there is none. */
static bool
next_restart(struct decoder *d)
{
    struct scan_bits *b = &d->bits;
    for (; b->end - b->at >= 2; b->at++) {
        if (b->at[0] == 0xff && (b->at[1] & 0xf8) == 0xd0) {
            b->at += 2;
            reset(d);
            return true;
        }
    }
    b->at = b->end;
    reset(d);
    return false;
}

bool
jpeg_decode_scan(const struct jpeg_scan *scan, struct mfx_report *report)
{
    struct decoder d = {
        .scan = scan,
        .report = report,
        .bits = {.at = scan->stream.bytes,
                 .end = scan->stream.bytes + scan->stream.size_B},
    };
    bool broken = false;
    int64_t begun_ns = clock_tick_ns();
    reset(&d);
    for (uint32_t i = 0; i < scan->mcu_count; i++) {
        if (i && scan->restart_interval && i % scan->restart_interval == 0) {
            broken = !next_restart(&d);
            report->errors |= broken ? MFX_JPEG_MISSING_ECS : 0;
        }
        bool ok = do_mcu(&d, scan->first_mcu + i, broken);
        if (!ok && !broken)
            report->errors |= MFX_JPEG_BAD_CODE;
        if (ok && ran_out(&d.bits)) {
            report->errors |= MFX_JPEG_MISSING_BLOCK;
            ok = false;
        }
        broken |= !ok;
        report->decoded += ok;
        report->concealed += !ok;
        if (hang_is_hopeless(scan->hang, begun_ns, i + 1, scan->mcu_count,
                             "JPEG scan"))
            return false;
    }
    return true;
}
