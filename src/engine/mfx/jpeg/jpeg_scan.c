/* jpeg_scan.c: decodes a scan: Huffman codes, dequantisation, inverse DCT,
 * samples into the surface. */
#include "engine/mfx/jpeg/jpeg.h"

#include "engine/mfx/mfx_bits.h"
#include "engine/mfx/mfx_idct.h"

/* The prediction that a restart sets: a half of the range of samples, times 8,
 * which the inverse DCT divides by. */
#define DC_RESET 1024

struct decoder {
    const struct jpeg_scan *scan;
    struct mfx_report *report;
    /* Entropy-coded data up to the next marker; then zeros. */
    const uint8_t *at, *end;
    uint64_t window;
    unsigned count;
    unsigned beyond; /* bits of the window that are not data */
    int32_t dc[JPEG_COMPONENTS];
};

/* ---- bits --------------------------------------------------------------- */

/* Takes one byte; 0xff00 stands for 0xff, any other 0xff begins a marker. */
static bool
next_byte(struct decoder *d, uint8_t *byte)
{
    if (d->at >= d->end)
        return false;
    *byte = *d->at;
    if (*byte != 0xff) {
        d->at++;
        return true;
    }
    if (d->end - d->at < 2 || d->at[1] != 0)
        return false;
    d->at += 2;
    return true;
}

static uint32_t
peek_bits(struct decoder *d, unsigned n)
{
    if (d->count < 32) {
        for (; d->count <= 56; d->count += 8) {
            uint8_t byte = 0;
            if (!next_byte(d, &byte))
                d->beyond += 8;
            d->window |= (uint64_t)byte << (56 - d->count);
        }
    }
    return (uint32_t)(d->window >> (64 - n));
}

static void
skip_bits(struct decoder *d, unsigned n)
{
    d->window <<= n;
    d->count -= n;
}

static bool
ran_out(const struct decoder *d)
{
    return d->beyond > d->count;
}

static int
huffman_value(struct decoder *d, const struct jpeg_huffman *h)
{
    uint32_t next = peek_bits(d, 16);
    unsigned fast = h->fast[next >> (16 - JPEG_FAST_BITS)];
    if (fast) {
        skip_bits(d, fast >> 8);
        return fast & 0xff;
    }
    for (unsigned length = JPEG_FAST_BITS + 1; length <= 16; length++) {
        uint32_t code = next >> (16 - length);
        if (code >= h->limit[length])
            continue;
        skip_bits(d, length);
        return h->values[(int32_t)code + h->first[length]];
    }
    return -1;
}

static int32_t
signed_bits(struct decoder *d, unsigned n)
{
    if (!n)
        return 0;
    uint32_t v = peek_bits(d, n);
    skip_bits(d, n);
    return mfx_signed(v, n);
}

/* ---- a block ------------------------------------------------------------- */

static bool
read_block(struct decoder *d, unsigned c, int16_t block[64])
{
    const struct jpeg_component *comp = &d->scan->component[c];
    int size = huffman_value(d, comp->dc);
    if (size < 0 || size > 15)
        return false;
    uint32_t dc = (uint32_t)signed_bits(d, (unsigned)size) * comp->matrix[0] +
                  (uint32_t)d->dc[c];
    d->dc[c] = (int32_t)dc;
    block[0] = (int16_t)CLAMP(d->dc[c], INT16_MIN, INT16_MAX);
    for (unsigned i = 1; i < 64; i++) {
        int symbol = huffman_value(d, comp->ac);
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
            block[place] = (int16_t)(signed_bits(d, bits) *
                                     comp->matrix[place]);
    }
    return true;
}

static void
put_block(const struct jpeg_scan *scan, unsigned c, unsigned column,
          unsigned row, const int16_t block[64])
{
    const struct jpeg_component *comp = &scan->component[c];
    for (unsigned y = 0; y < 8; y++) {
        if (row * 8 + y >= comp->row_limit)
            return;
        unsigned surface_row = comp->place_row + row * 8 + y;
        unsigned at = comp->place_B + column * 8 * comp->step_B;
        uint8_t *piece = NULL;
        for (unsigned x = 0; x < 8; x++, at += comp->step_B) {
            if (at >= scan->target.pitch_B)
                break;
            if (!piece || at % MFX_PIECE_B < comp->step_B)
                piece = mfx_piece(&scan->target, at, surface_row);
            piece[at % MFX_PIECE_B] = (uint8_t)CLAMP(block[y * 8 + x], 0, 255);
        }
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
    mfx_idct(block);
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
    d->window = 0;
    d->count = d->beyond = 0;
    for (unsigned c = 0; c < JPEG_COMPONENTS; c++)
        d->dc[c] = DC_RESET;
}

/* Goes to what follows the next RSTn; false: there is none. */
static bool
next_restart(struct decoder *d)
{
    for (; d->end - d->at >= 2; d->at++) {
        if (d->at[0] == 0xff && (d->at[1] & 0xf8) == 0xd0) {
            d->at += 2;
            reset(d);
            return true;
        }
    }
    d->at = d->end;
    reset(d);
    return false;
}

bool
jpeg_decode_scan(const struct jpeg_scan *scan, struct mfx_report *report)
{
    struct decoder d = {
        .scan = scan,
        .report = report,
        .at = scan->stream.bytes,
        .end = scan->stream.bytes + scan->stream.size_B,
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
        if (ok && ran_out(&d)) {
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
