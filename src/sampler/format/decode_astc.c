/* decode_astc.c: ASTC, two-dimensional blocks, LDR profile. Format: Khronos
 * Data Format Specification, "ASTC"; section names below are from there.
 * Illegal and HDR blocks decode to the error colour, magenta: Kaby Lake has no
 * HDR profile. The stock driver's format table has the ASTC_HDR formats from
 * the next generation on, and on Broxton, where the driver never uses them. */
#include "sampler/format/astc_integers.h"
#include "sampler/format/format_ops.h"

#define MAX_WEIGHTS 64

struct astc_block {
    uint64_t bits[2];
    unsigned width, height; /* of the block */
    unsigned grid_w, grid_h;
    struct astc_range weight_range;
    bool dual;
    unsigned planes, partitions, seed;
    unsigned selector; /* channel that the second plane controls */
    unsigned mode[4];  /* colour end point mode of each partition */
    struct astc_range color_range;
    unsigned color_at, color_values;
    uint8_t weight[MAX_WEIGHTS]; /* 0..64, planes interleaved */
    int end[4][2][4];
    bool bad[4]; /* partitions with HDR end points */
};

/* "Block mode": 11 bits. Returns false if the mode is reserved. */
static bool
read_block_mode(struct astc_block *b)
{
    unsigned m = decode_bits(b->bits, 0, 11);
    unsigned a = m >> 5 & 3, c = m >> 7 & 3;
    unsigned r = m >> 4 & 1;
    bool high = m >> 9 & 1;
    b->dual = m >> 10 & 1;
    if (m & 3) {
        r |= (m & 3) << 1;
        switch (m >> 2 & 3) {
        case 0: b->grid_w = c + 4, b->grid_h = a + 2; break;
        case 1: b->grid_w = c + 8, b->grid_h = a + 2; break;
        case 2: b->grid_w = a + 2, b->grid_h = c + 8; break;
        default:
            b->grid_w = c & 2 ? (c & 1) + 2 : a + 2;
            b->grid_h = c & 2 ? a + 2 : (c & 1) + 6;
        }
    } else {
        if (!(m >> 2 & 3))
            return false;
        r |= (m >> 2 & 3) << 1;
        switch (c) {
        case 0: b->grid_w = 12, b->grid_h = a + 2; break;
        case 1: b->grid_w = a + 2, b->grid_h = 12; break;
        case 2:
            b->grid_w = a + 6, b->grid_h = (m >> 9 & 3) + 6;
            b->dual = high = false;
            break;
        default:
            if (a >= 2)
                return false;
            b->grid_w = a ? 10 : 6, b->grid_h = a ? 6 : 10;
        }
    }
    b->planes = b->dual ? 2 : 1;
    b->weight_range = astc_ranges[r - 2 + (high ? 6 : 0)];
    return b->grid_w <= b->width && b->grid_h <= b->height;
}

/* Reads the colour end point modes. End points use all bits that weights leave.
 */
static bool
read_color_modes(struct astc_block *b, unsigned weight_bits)
{
    unsigned top = 128 - weight_bits;
    b->partitions = decode_bits(b->bits, 11, 2) + 1;
    if (b->dual && b->partitions == 4)
        return false;
    if (b->partitions == 1) {
        b->mode[0] = decode_bits(b->bits, 13, 4);
        b->color_at = 17;
    } else {
        b->seed = decode_bits(b->bits, 13, 10);
        b->color_at = 29;
        unsigned modes = decode_bits(b->bits, 23, 6);
        unsigned base = modes & 3;
        if (base) {
            unsigned extra = 3 * b->partitions - 4;
            top -= extra;
            modes |= decode_bits(b->bits, top, extra) << 6;
        }
        for (unsigned i = 0; i < b->partitions; i++) {
            unsigned above = modes >> (2 + i) & 1;
            unsigned low = modes >> (2 + b->partitions + 2 * i) & 3;
            b->mode[i] = base ? (base - 1 + above) << 2 | low : modes >> 2;
        }
    }
    if (b->dual) {
        top -= 2;
        b->selector = decode_bits(b->bits, top, 2);
    }
    for (unsigned i = 0; i < b->partitions; i++)
        b->color_values += 2 * ((b->mode[i] >> 2) + 1);
    if (b->color_values > 18)
        return false;
    for (unsigned i = ASTC_RANGES; i-- > ASTC_RANGE_6;) {
        unsigned need = astc_integers_size(astc_ranges[i], b->color_values);
        if (b->color_at + need <= top) {
            b->color_range = astc_ranges[i];
            return true;
        }
    }
    return false;
}

static uint64_t
reverse_bits64(uint64_t v)
{
    uint64_t out = 0;
    for (unsigned i = 0; i < 64; i++)
        out |= (v >> i & 1) << (63 - i);
    return out;
}

/* Weights are stored downwards from bit 127. */
static void
read_weights(struct astc_block *b, unsigned count, unsigned weight_bits)
{
    uint64_t reversed[2] = {reverse_bits64(b->bits[1]),
                            reverse_bits64(b->bits[0])};
    uint8_t low[MAX_WEIGHTS] = {0}, high[MAX_WEIGHTS] = {0};
    astc_integers_read(reversed, 0, weight_bits, b->weight_range, count, low,
                       high);
    for (unsigned i = 0; i < count; i++)
        b->weight[i] = astc_integers_to_weight(b->weight_range, low[i],
                                               high[i]);
}

/* Moves the top bit of *offset to *base, and sign-extends *offset. */
static void
transfer_bit(int *offset, int *base)
{
    *base = *base >> 1 | (*offset & 0x80);
    *offset = *offset >> 1 & 0x3f;
    if (*offset & 0x20)
        *offset -= 0x40;
}

static void
set_end(int end[4], int r, int g, int b, int a)
{
    end[0] = CLAMP(r, 0, 255);
    end[1] = CLAMP(g, 0, 255);
    end[2] = CLAMP(b, 0, 255);
    end[3] = CLAMP(a, 0, 255);
}

static void
set_contracted(int end[4], int r, int g, int b, int a)
{
    set_end(end, (r + b) >> 1, (g + b) >> 1, b, a);
}

static void
set_rgb_direct(int e[2][4], const int *v, int a0, int a1)
{
    if (v[1] + v[3] + v[5] >= v[0] + v[2] + v[4]) {
        set_end(e[0], v[0], v[2], v[4], a0);
        set_end(e[1], v[1], v[3], v[5], a1);
    } else {
        set_contracted(e[0], v[1], v[3], v[5], a1);
        set_contracted(e[1], v[0], v[2], v[4], a0);
    }
}

/* v is base, offset alternately, after transfer_bit(). */
static void
set_rgb_offset(int e[2][4], const int *v, int a0, int a1)
{
    int r = v[0] + v[1], g = v[2] + v[3], b = v[4] + v[5];
    if (v[1] + v[3] + v[5] >= 0) {
        set_end(e[0], v[0], v[2], v[4], a0);
        set_end(e[1], r, g, b, a1);
    } else {
        set_contracted(e[0], r, g, b, a1);
        set_contracted(e[1], v[0], v[2], v[4], a0);
    }
}

/* "Color endpoint decoding". Returns false for HDR modes. */
static bool
set_ends(unsigned mode, int *v, int e[2][4])
{
    switch (mode) {
    case 0: /* luminance */
        set_end(e[0], v[0], v[0], v[0], 255);
        set_end(e[1], v[1], v[1], v[1], 255);
        return true;
    case 1: { /* luminance, base and offset */
        int l0 = v[0] >> 2 | (v[1] & 0xc0), l1 = l0 + (v[1] & 0x3f);
        set_end(e[0], l0, l0, l0, 255);
        set_end(e[1], l1, l1, l1, 255);
        return true;
    }
    case 4: /* luminance and alpha */
        set_end(e[0], v[0], v[0], v[0], v[2]);
        set_end(e[1], v[1], v[1], v[1], v[3]);
        return true;
    case 5: { /* luminance and alpha, base and offset */
        transfer_bit(&v[1], &v[0]);
        transfer_bit(&v[3], &v[2]);
        int l1 = v[0] + v[1];
        set_end(e[0], v[0], v[0], v[0], v[2]);
        set_end(e[1], l1, l1, l1, v[2] + v[3]);
        return true;
    }
    case 6:  /* colour and scale */
    case 10: /* and two alphas */
        set_end(e[0], v[0] * v[3] >> 8, v[1] * v[3] >> 8, v[2] * v[3] >> 8,
                mode == 10 ? v[4] : 255);
        set_end(e[1], v[0], v[1], v[2], mode == 10 ? v[5] : 255);
        return true;
    case 8:  /* two colours */
    case 12: /* with alpha */
        set_rgb_direct(e, v, mode == 12 ? v[6] : 255, mode == 12 ? v[7] : 255);
        return true;
    case 9:  /* base and offset */
    case 13: /* with alpha */
        for (unsigned i = 0; i < (mode == 13 ? 8 : 6); i += 2)
            transfer_bit(&v[i + 1], &v[i]);
        set_rgb_offset(e, v, mode == 13 ? v[6] : 255,
                       mode == 13 ? v[6] + v[7] : 255);
        return true;
    default: return false;
    }
}

static void
read_colors(struct astc_block *b)
{
    uint8_t low[18] = {0}, high[18] = {0};
    int value[18 + 8] = {0};
    unsigned bits = astc_integers_size(b->color_range, b->color_values);
    astc_integers_read(b->bits, b->color_at, b->color_at + bits, b->color_range,
                       b->color_values, low, high);
    for (unsigned i = 0; i < b->color_values; i++)
        value[i] = astc_integers_to_color(b->color_range, low[i], high[i]);
    int *v = value;
    for (unsigned i = 0; i < b->partitions; i++) {
        b->bad[i] = !set_ends(b->mode[i], v, b->end[i]);
        v += 2 * ((b->mode[i] >> 2) + 1);
    }
}

/* "Partition pattern generation": a hash gives four planes over (x, y). The
 * highest plane at a texel selects its partition. */
static uint32_t
partition_hash(uint32_t p)
{
    p ^= p >> 15;
    p *= 0xeede0891u;
    p ^= p >> 5;
    p += p << 16;
    p ^= p >> 7;
    p ^= p >> 3;
    p ^= p << 6;
    p ^= p >> 17;
    return p;
}

static unsigned
find_partition(const struct astc_block *b, unsigned x, unsigned y)
{
    if (b->partitions == 1)
        return 0;
    if (b->width * b->height < 31) {
        x *= 2;
        y *= 2;
    }
    unsigned seed = b->seed + (b->partitions - 1) * 1024;
    uint32_t h = partition_hash(seed);
    unsigned sh_a = seed & 2 ? 4 : 5, sh_b = b->partitions == 3 ? 6 : 5;
    unsigned sh_x = seed & 1 ? sh_a : sh_b, sh_y = seed & 1 ? sh_b : sh_a;
    unsigned best = 0, best_value = 0;
    for (unsigned i = 0; i < b->partitions; i++) {
        unsigned sx = h >> 8 * i & 15, sy = h >> (8 * i + 4) & 15;
        unsigned offset = h >> (14 - 4 * i);
        unsigned value = ((sx * sx >> sh_x) * x + (sy * sy >> sh_y) * y +
                          offset) &
                         63;
        if (i == 0 || value > best_value) {
            best = i;
            best_value = value;
        }
    }
    return best;
}

/* "Weight infill": bilinear from the grid, in 1/16. */
static unsigned
infill_weight(const struct astc_block *b, unsigned x, unsigned y,
              unsigned plane)
{
    unsigned w = b->width, h = b->height;
    unsigned s = (1024 + w / 2) / (w - 1) * x;
    unsigned t = (1024 + h / 2) / (h - 1) * y;
    unsigned gs = (s * (b->grid_w - 1) + 32) >> 6;
    unsigned gt = (t * (b->grid_h - 1) + 32) >> 6;
    unsigned fs = gs & 15, ft = gt & 15;
    unsigned w11 = (fs * ft + 8) >> 4;
    unsigned at = (gs >> 4) + (gt >> 4) * b->grid_w;
    unsigned offset[4] = {0, 1, b->grid_w, b->grid_w + 1};
    unsigned factor[4] = {16 - fs - ft + w11, fs - w11, ft - w11, w11};
    unsigned sum = 8;
    for (unsigned i = 0; i < 4; i++) {
        unsigned n = (at + offset[i]) * b->planes + plane;
        if (factor[i] && n < MAX_WEIGHTS)
            sum += b->weight[n] * factor[i];
    }
    return sum >> 4;
}

/* Finishes a 16-bit channel. sRGB formats use its upper byte; other formats
 * convert it to half float, rounded towards zero. */
static float
finish_channel(const struct format_info *fmt, unsigned channel, uint32_t v)
{
    if (fmt->srgb)
        return channel < 3 ? format_srgb8[v >> 8] : format_unorm8[v >> 8];
    if (v == 0xffff)
        return 1.0f;
    unsigned drop = v < 2048 ? 0 : 32 - 11 - (unsigned)__builtin_clz(v);
    return (float)(v >> drop << drop) / 65536.0f;
}

static void
fill_block(union color *out, unsigned count, const union color *c)
{
    for (unsigned i = 0; i < count; i++)
        out[i] = *c;
}

static const union color error_color = {.f = {1.0f, 0.0f, 1.0f, 1.0f}};

/* "Void-extent blocks": one colour for the whole block. */
static void
decode_void_extent(const struct format_info *fmt, const uint64_t bits[2],
                   unsigned texels, union color *out)
{
    bool hdr = bits[0] >> 9 & 1, reserved_ok = (bits[0] >> 10 & 3) == 3;
    unsigned s0 = decode_bits(bits, 12, 13), s1 = decode_bits(bits, 25, 13);
    unsigned t0 = decode_bits(bits, 38, 13), t1 = decode_bits(bits, 51, 13);
    bool none = (s0 & s1 & t0 & t1) == 0x1fff;
    union color c = error_color;
    if (!hdr && reserved_ok && (none || (s0 < s1 && t0 < t1))) {
        for (unsigned i = 0; i < 4; i++)
            c.f[i] = finish_channel(fmt, i, decode_bits(bits, 64 + 16 * i, 16));
    }
    fill_block(out, texels, &c);
}

static void
decode_texel(const struct format_info *fmt, const struct astc_block *b,
             unsigned x, unsigned y, union color *out)
{
    unsigned p = find_partition(b, x, y);
    if (b->bad[p]) {
        *out = error_color;
        return;
    }
    unsigned weight[2];
    weight[0] = infill_weight(b, x, y, 0);
    weight[1] = b->dual ? infill_weight(b, x, y, 1) : weight[0];
    for (unsigned c = 0; c < 4; c++) {
        unsigned w = weight[b->dual && c == b->selector];
        uint32_t e0 = (uint32_t)b->end[p][0][c];
        uint32_t e1 = (uint32_t)b->end[p][1][c];
        e0 = e0 << 8 | (fmt->srgb ? 0x80 : e0);
        e1 = e1 << 8 | (fmt->srgb ? 0x80 : e1);
        out->f[c] = finish_channel(fmt, c, (e0 * (64 - w) + e1 * w + 32) >> 6);
    }
}

void
decode_astc(const struct format_info *fmt, const uint8_t *block,
            union color *out)
{
    struct astc_block b = {.width = fmt->block_w, .height = fmt->block_h};
    unsigned texels = b.width * b.height;
    memcpy(b.bits, block, sizeof b.bits);
    if ((b.bits[0] & 0x1ff) == 0x1fc) {
        decode_void_extent(fmt, b.bits, texels, out);
        return;
    }
    unsigned weights = 0, weight_bits = 0;
    bool ok = read_block_mode(&b);
    if (ok) {
        weights = b.grid_w * b.grid_h * b.planes;
        weight_bits = astc_integers_size(b.weight_range, weights);
        ok = weights <= MAX_WEIGHTS && weight_bits >= 24 && weight_bits <= 96 &&
             read_color_modes(&b, weight_bits);
    }
    if (!ok) {
        fill_block(out, texels, &error_color);
        return;
    }
    read_weights(&b, weights, weight_bits);
    read_colors(&b);
    for (unsigned i = 0; i < texels; i++)
        decode_texel(fmt, &b, i % b.width, i / b.width, &out[i]);
}
