/* avc_direct.c: direct prediction, and the motion that it takes from another
 * picture. ITU-T H.264, 8.4.1.2.
 *
 * A picture's motion is in the buffer that MFX_AVC_DIRECTMODE_STATE names; no
 * client reads it, so the layout is ours: 16 dwords a macroblock, one a 4x4
 * block, 64 bytes as drivers allocate. A dword has the vector of list 0, or of
 * list 1 without that, in 14 and 12 bits, and 6 of the 24 bits of its 8x8
 * block's reference. References are named by a hash of their address, because
 * lists change from picture to picture. The rows of two fields take turns. */
#include "engine/mfx/avc/avc.h"

#include <stdlib.h>

/* A colocated reference: it exists; its refIdx is 0; it is a bottom field; a
 * field picture or a field macroblock refers to it. */
enum {
    COL_INTER = 1 << 0,
    COL_IS_0 = 1 << 1,
    COL_BOTTOM = 1 << 2,
    COL_FIELD = 1 << 3,
    COL_FIELD_PICTURE = 1 << 4,
    COL_HASH_SHIFT = 5,
};
#define COL_HASH_MASK 0x7ffffu
#define MV_X_BITS 14
#define MV_Y_BITS 12

struct colocated {
    unsigned info;
    int mv[2];
};

int32_t
avc_current_poc(const struct avc_decoder *d)
{
    const int32_t *poc = d->picture.poc + 2 * AVC_STORES;
    if (d->picture.field)
        return poc[d->picture.bottom];
    if (d->mbaff_field)
        return poc[d->row & 1];
    return MIN2(poc[0], poc[1]);
}

int
avc_scale_factor(const struct avc_decoder *d, const struct avc_ref *ref0,
                 const struct avc_ref *ref1)
{
    int64_t far = (int64_t)ref1->poc - ref0->poc;
    if (!far || ref0->long_term)
        return INT32_MAX;
    int64_t near = (int64_t)avc_current_poc(d) - ref0->poc;
    int td = (int)CLAMP(far, -128, 127), tb = (int)CLAMP(near, -128, 127);
    int tx = (16384 + abs(td / 2)) / td;
    int scale = (tb * tx + 32) >> 6;
    return CLAMP(scale, -1024, 1023);
}

/* ---- motion of pictures ---- */

/* The row of macroblocks in the buffer. */
static unsigned
buffer_row(const struct avc_decoder *d)
{
    return d->picture.field ? d->row * 2 + d->picture.bottom : d->row;
}

static unsigned
describe_ref(const struct avc_decoder *d, unsigned b8, unsigned *list)
{
    const struct avc_mb *mb = d->mb;
    unsigned info = 0;
    if (d->field)
        info = d->picture.field ? COL_FIELD | COL_FIELD_PICTURE : COL_FIELD;
    *list = mb->ref[0][b8] < 0;
    int ref = mb->ref[*list][b8];
    if (ref < 0)
        return info;
    unsigned id = mb->ref_id[*list][b8];
    info |= COL_INTER | (ref ? 0 : COL_IS_0);
    if (d->field && (id & 3) == 2)
        info |= COL_BOTTOM;
    return info | d->picture.ref_hash[id / 4 % AVC_STORES] << COL_HASH_SHIFT;
}

void
avc_store_motion(struct avc_decoder *d)
{
    if (!d->picture.motion)
        return;
    uint32_t *to = d->picture.motion +
                   ((size_t)buffer_row(d) * d->picture.width_mb + d->column) *
                       16;
    for (unsigned b8 = 0; b8 < 4; b8++) {
        unsigned list, info = describe_ref(d, b8, &list);
        for (unsigned i = 0; i < 4; i++) {
            unsigned block = b8 / 2 * 8 + b8 % 2 * 2 + i / 2 * 4 + i % 2;
            const int16_t *mv = d->mb->mv[list][block];
            uint32_t x = (uint32_t)mv[0] & ((1u << MV_X_BITS) - 1);
            uint32_t y = (uint32_t)mv[1] & ((1u << MV_Y_BITS) - 1);
            to[block] = x << (32 - MV_X_BITS) | y << 6 | (info >> i * 6 & 63);
        }
    }
}

static struct colocated
read_block(const uint32_t *mb, unsigned x, unsigned y)
{
    struct colocated c = {0};
    unsigned first = y / 2 * 8 + x / 2 * 2;
    for (unsigned i = 0; i < 4; i++)
        c.info |= (mb[first + i / 2 * 4 + i % 2] & 63) << i * 6;
    if (c.info & COL_INTER) {
        int32_t v = (int32_t)mb[y * 4 + x];
        c.mv[0] = v >> (32 - MV_X_BITS);
        c.mv[1] = (int32_t)((uint32_t)v << MV_X_BITS) >> (32 - MV_Y_BITS);
    }
    return c;
}

/* Which field of a frame or of a pair is nearer, 8.4.1.2.1. */
static unsigned
nearer_field(const struct avc_decoder *d, const struct avc_ref *ref)
{
    const int32_t *poc = d->picture.poc + ref->id / 4 % AVC_STORES * 2;
    int64_t current = avc_current_poc(d);
    return llabs(poc[0] - current) >= llabs(poc[1] - current);
}

/* The colocated block of the 4x4 block (x, y), table 8-6. */
static struct colocated
find_colocated(const struct avc_decoder *d, unsigned x, unsigned y)
{
    const struct avc_picture *p = &d->picture;
    const struct avc_ref *ref = &d->refs->list[1][0];
    const uint32_t *motion = p->ref_motion[ref->id / 4 % AVC_STORES];
    if (!motion || !ref->present)
        return (struct colocated){0};
    unsigned row = buffer_row(d);
    if (p->direct_8x8_inference) {
        x = x / 2 * 3;
        y = y / 2 * 3;
    }
    unsigned half = y / 2;
#define MB_AT(r) (motion + ((size_t)(r)*p->width_mb + d->column) * 16)
    unsigned tag = MB_AT(row)[0] & 63;
    bool col_field = tag & COL_FIELD;
    if (!d->field && col_field) {
        y = row % 2 * 2 + half;
        row = (row & ~1u) + nearer_field(d, ref);
    } else if (d->field && !col_field) {
        y = half * 2;
        row = (row & ~1u) + half;
    } else if (p->field && tag & COL_FIELD_PICTURE) {
        row = (row & ~1u) + ((ref->id & 3) == 2);
    }
    struct colocated c = read_block(MB_AT(row), x, y);
#undef MB_AT
    return c;
}

/* ---- spatial ---- */

static int
min_positive(int a, int b)
{
    return a >= 0 && b >= 0 ? MIN2(a, b) : MAX2(a, b);
}

struct spatial {
    int ref[2];
    int16_t mv[2][2];
    bool zero; /* neither list has a reference around */
};

static struct spatial
predict_spatial(const struct avc_decoder *d)
{
    struct spatial s = {0};
    for (unsigned list = 0; list < 2; list++) {
        struct avc_near near[3];
        avc_near_blocks(d, list, 0, 0, 4, near);
        int ref = min_positive(near[0].ref,
                               min_positive(near[1].ref, near[2].ref));
        s.ref[list] = ref < 0 ? -1 : ref;
        if (ref >= 0)
            avc_predict_vector(d, list, ref, 0, 0, 4, s.mv[list]);
    }
    s.zero = s.ref[0] < 0 && s.ref[1] < 0;
    if (s.zero)
        s.ref[0] = s.ref[1] = 0;
    return s;
}

/* colZeroFlag */
static bool
is_still(const struct avc_decoder *d, unsigned x, unsigned y)
{
    if (d->refs->list[1][0].long_term)
        return false;
    struct colocated c = find_colocated(d, x, y);
    return c.info & COL_INTER && c.info & COL_IS_0 && abs(c.mv[0]) <= 1 &&
           abs(c.mv[1]) <= 1;
}

static void
set_spatial(struct avc_decoder *d, const struct spatial *s, unsigned x,
            unsigned y, unsigned size)
{
    static const int16_t zero[2] = {0, 0};
    bool needed = !s->zero && (s->ref[0] == 0 || s->ref[1] == 0);
    bool still = needed && is_still(d, x, y);
    for (unsigned list = 0; list < 2; list++) {
        bool none = s->zero || s->ref[list] < 0 || (still && s->ref[list] == 0);
        avc_set_vector(d, list, x, y, size, size, none ? zero : s->mv[list]);
    }
}

/* ---- temporal ---- */

/* The lowest refIdx of list 0 of what the colocated block referred to. */
static unsigned
map_ref(const struct avc_decoder *d, const struct colocated *c)
{
    const struct avc_ref_set *refs = d->refs;
    unsigned hash = c->info >> COL_HASH_SHIFT & COL_HASH_MASK, parity = 3;
    if (d->field && c->info & COL_FIELD)
        parity = c->info & COL_BOTTOM ? 2 : 1;
    else if (d->field)
        parity = (d->picture.field ? d->picture.bottom : d->row & 1) ? 2 : 1;
    for (unsigned i = 0; i < refs->count[0]; i++) {
        const struct avc_ref *r = &refs->list[0][i];
        if (r->present && (r->id & 3) == parity &&
            d->picture.ref_hash[r->id / 4 % AVC_STORES] == hash)
            return i;
    }
    return 0;
}

static void
set_temporal(struct avc_decoder *d, unsigned x, unsigned y, unsigned size)
{
    struct colocated c = find_colocated(d, x, y);
    unsigned ref = c.info & COL_INTER ? map_ref(d, &c) : 0;
    if (d->field && !(c.info & COL_FIELD))
        c.mv[1] /= 2;
    else if (!d->field && c.info & COL_FIELD)
        c.mv[1] *= 2;
    int scale = avc_scale_factor(d, &d->refs->list[0][ref],
                                 &d->refs->list[1][0]);
    int16_t mv[2][2];
    for (unsigned i = 0; i < 2; i++) {
        bool plain = scale == INT32_MAX;
        mv[0][i] = (int16_t)(plain ? c.mv[i] : (scale * c.mv[i] + 128) >> 8);
        mv[1][i] = (int16_t)(plain ? 0 : mv[0][i] - c.mv[i]);
    }
    unsigned b8 = y / 2 * 2 + x / 2;
    d->mb->ref[0][b8] = (int8_t)ref;
    d->mb->ref[1][b8] = 0;
    for (unsigned list = 0; list < 2; list++)
        avc_set_vector(d, list, x, y, size, size, mv[list]);
}

void
avc_direct(struct avc_decoder *d, unsigned blocks)
{
    bool spatial = d->slice.direct_spatial;
    bool big = d->picture.direct_8x8_inference;
    struct spatial s = {0};
    if (spatial)
        s = predict_spatial(d);
    for (unsigned b8 = 0; b8 < 4; b8++) {
        if (!(blocks >> b8 & 1))
            continue;
        unsigned x = b8 % 2 * 2, y = b8 / 2 * 2;
        d->sub[b8] = big ? AVC_WHOLE : AVC_FOUR;
        for (unsigned list = 0; spatial && list < 2; list++)
            d->mb->ref[list][b8] = (int8_t)s.ref[list];
        for (unsigned i = 0; i < (big ? 1 : 4); i++) {
            unsigned bx = x + i % 2, by = y + i / 2, size = big ? 2 : 1;
            if (spatial)
                set_spatial(d, &s, bx, by, size);
            else
                set_temporal(d, bx, by, size);
        }
    }
}
