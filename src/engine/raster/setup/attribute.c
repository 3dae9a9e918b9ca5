/* attribute.c: attribute setup: 3DSTATE_SBE and 3DSTATE_SBE_SWIZ. Each
 * attribute takes two registers of the pixel shader's payload; component c has
 * four dwords there: a1 - a0, a2 - a0, unused, a0. */
#include "base/transpose.h"
#include "engine/raster/scene.h"

/* The source of an attribute: a vertex slot with swizzle, or constants. */
struct attr_source {
    unsigned slot;
    uint8_t swizzle;  /* component per output component, 2 bits each */
    uint8_t override; /* components that come from value[] */
    uint32_t value[4];
};

#define SWIZZLE_XYZW 0xe4
#define SWIZZLE_WWWW 0xff

static void
constant_source(struct attr_source *src, unsigned code, uint32_t primitive_id)
{
    const uint32_t one = 0x3f800000;
    for (unsigned c = 0; c < 4; c++) {
        switch (code) {
        case GEN9_SF_OUTPUT_ATTRIBUTE_DETAIL_CONSTANT_SOURCE_CONST_0001_FLOAT:
            src->value[c] = c == 3 ? one : 0;
            break;
        case GEN9_SF_OUTPUT_ATTRIBUTE_DETAIL_CONSTANT_SOURCE_CONST_1111_FLOAT:
            src->value[c] = one;
            break;
        case GEN9_SF_OUTPUT_ATTRIBUTE_DETAIL_CONSTANT_SOURCE_PRIM_ID:
            src->value[c] = primitive_id;
            break;
        default: src->value[c] = 0; break;
        }
    }
}

static void
apply_swizzle(struct attr_source *src,
              const struct gen9_sf_output_attribute_detail *a, bool back,
              uint32_t primitive_id, unsigned base)
{
    src->slot = base + a->source_attribute;
    switch (a->swizzle_select) {
    case GEN9_SF_OUTPUT_ATTRIBUTE_DETAIL_SWIZZLE_SELECT_INPUTATTR_FACING:
        src->slot += back;
        break;
    case GEN9_SF_OUTPUT_ATTRIBUTE_DETAIL_SWIZZLE_SELECT_INPUTATTR_W:
        src->swizzle = SWIZZLE_WWWW;
        break;
    case GEN9_SF_OUTPUT_ATTRIBUTE_DETAIL_SWIZZLE_SELECT_INPUTATTR_FACING_W:
        src->slot += back;
        src->swizzle = SWIZZLE_WWWW;
        break;
    default: break;
    }
    constant_source(src, a->constant_source, primitive_id);
    src->override = (uint8_t)(a->component_override_x << 0 |
                              a->component_override_y << 1 |
                              a->component_override_z << 2 |
                              a->component_override_w << 3);
}

static void
find_source(const struct draw *d, unsigned i, const struct prim *p, bool back,
            struct attr_source *src)
{
    const struct gen9_3dstate_sbe *sbe = &d->sbe;
    unsigned base = sbe->vertex_urb_entry_read_offset * 2;
    *src = (struct attr_source){.slot = base + i, .swizzle = SWIZZLE_XYZW};
    if (sbe->attribute_swizzle_enable && i < 16)
        apply_swizzle(src, &d->sbe_swiz.attribute[i], back, p->primitive_id,
                      base);
    if (sbe->primitive_id_override_attribute_select == i) {
        unsigned comps = sbe->primitive_id_override_component_x << 0 |
                         sbe->primitive_id_override_component_y << 1 |
                         sbe->primitive_id_override_component_z << 2 |
                         sbe->primitive_id_override_component_w << 3;
        for (unsigned c = 0; c < 4; c++) {
            if (comps >> c & 1)
                src->value[c] = p->primitive_id;
        }
        src->override |= (uint8_t)comps;
    }
}

static uint32_t
fetch(const struct attr_source *src, const uint32_t *vue, unsigned slots,
      unsigned c)
{
    if (src->override >> c & 1)
        return src->value[c];
    unsigned from = src->swizzle >> (2 * c) & 3;
    return src->slot < slots ? vue[src->slot * 4 + from] : 0;
}

static void
point_sprite(uint32_t *out, bool lower_left)
{
    memset(out, 0, ATTR_DW * 4);
    out[0] = bits_from_float(1);
    out[4 + 1] = bits_from_float(lower_left ? -1 : 1);
    out[4 + 3] = bits_from_float(lower_left ? 1 : 0);
    out[12 + 3] = bits_from_float(1);
}

static void
interpolated(uint32_t *out, const struct attr_source *src,
             const uint32_t *const vue[3], unsigned slots, unsigned count)
{
    for (unsigned c = 0; c < 4; c++) {
        uint32_t a0 = fetch(src, vue[0], slots, c);
        float f0 = float_from_bits(a0);
        float f1 = float_from_bits(fetch(src, vue[1], slots, c));
        float f2 = float_from_bits(fetch(src, vue[2], slots, c));
        out[4 * c] = count > 1 ? bits_from_float(f1 - f0) : 0;
        out[4 * c + 1] = count > 2 ? bits_from_float(f2 - f0) : 0;
        out[4 * c + 2] = 0;
        out[4 * c + 3] = a0;
    }
}

void
attr_plan(struct scene *sc)
{
    const struct prim none = {0};
    sc->attr_plain = true;
    for (unsigned i = 0; i < sc->attr_count; i++) {
        struct attr_source front, back;
        find_source(sc->draw, i, &none, false, &front);
        find_source(sc->draw, i, &none, true, &back);
        sc->attr_plain &= front.swizzle == SWIZZLE_XYZW && !front.override &&
                          front.slot == back.slot;
        sc->attr_slot[i] = (uint16_t)front.slot;
    }
}

/* interpolated() of a whole slot: transposes four rows: two of deltas, one of
 * zeros, one of values. */
static void
interpolated_slot(uint32_t *out, const uint32_t *v0, const uint32_t *v1,
                  const uint32_t *v2)
{
    base_vec4 r[4] = {{0}}, f0, f1, f2;
    memcpy(&f0, v0, sizeof f0);
    memcpy(&f1, v1, sizeof f1);
    memcpy(&f2, v2, sizeof f2);
    r[0] = f1 - f0;
    r[1] = f2 - f0;
    r[3] = f0;
    transpose_4x4(r);
    memcpy(out, r, sizeof r);
}

void
attr_fill_plain(const struct scene *sc, const uint32_t *flat,
                const uint32_t *const vue[3], unsigned slots, uint32_t *out)
{
    uint32_t is_flat = sc->draw->sbe.constant_interpolation_enable;
    if (!sc->attr_count)
        memset(out, 0, ATTR_DW * 4);
    for (unsigned i = 0; i < sc->attr_count; i++, out += ATTR_DW) {
        unsigned slot = sc->attr_slot[i];
        if (slot < slots && !(is_flat >> i & 1)) {
            interpolated_slot(out, vue[0] + slot * 4, vue[1] + slot * 4,
                              vue[2] + slot * 4);
            continue;
        }
        memset(out, 0, ATTR_DW * 4);
        for (unsigned c = 0; slot < slots && c < 4; c++)
            out[4 * c + 3] = flat[slot * 4 + c];
    }
}

size_t
attr_room_B(const struct scene *sc)
{
    return MAX2(sc->attr_count, 1u) * ATTR_DW * sizeof(uint32_t);
}

void
attr_fill(const struct scene *sc, const struct prim *p,
          const struct prim_vertex *const v[3], unsigned count, bool back,
          bool point, uint32_t *out)
{
    const struct draw *d = sc->draw;
    const struct gen9_3dstate_sbe *sbe = &d->sbe;
    const uint32_t *flat = p->flat_vue;
    if (!flat)
        flat = p->v[p->provoking < 3 ? p->provoking : 0].vue;
    bool cut = p->cut && count == 3;
    const uint32_t *vue[3];
    for (unsigned i = 0; i < 3; i++)
        vue[i] = cut ? p->cut->vue[i] : v[i]->vue;
    if (sc->attr_plain && count == 3 && !point) {
        attr_fill_plain(sc, flat, vue, p->vue_slots, out);
        return;
    }
    memset(out, 0, attr_room_B(sc));
    for (unsigned i = 0; i < sc->attr_count; i++) {
        uint32_t *a = out + i * ATTR_DW;
        if (point && (sbe->point_sprite_texture_coordinate_enable >> i & 1)) {
            point_sprite(
                a,
                sbe->point_sprite_texture_coordinate_origin ==
                    GEN9_3DSTATE_SBE_POINT_SPRITE_TEXTURE_COORDINATE_ORIGIN_LOWERLEFT);
            continue;
        }
        struct attr_source src;
        find_source(d, i, p, back, &src);
        if (sbe->constant_interpolation_enable >> i & 1) {
            for (unsigned c = 0; c < 4; c++)
                a[4 * c + 3] = fetch(&src, flat, p->vue_slots, c);
        } else {
            interpolated(a, &src, vue, p->vue_slots, count);
        }
    }
}

const uint32_t *
attr_setup(struct prim_list *list, const struct prim *p,
           const struct prim_vertex *const v[3], unsigned count, bool back,
           bool point)
{
    uint32_t *out = arena_take(&list->arena, attr_room_B(list->scene), 64);
    if (out)
        attr_fill(list->scene, p, v, count, back, point, out);
    return out;
}
