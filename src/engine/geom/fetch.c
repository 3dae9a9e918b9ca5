/* fetch.c: vertex fetch: vertex elements, instancing, SGVS and component
 * packing to the dwords of a URB entry. A plan holds all that depends on the
 * draw only. */
#include "engine/geom/geom.h"
#include "engine/geom/vue_transpose.h"

#include <stdlib.h>

#define LANES 8
#define ROW_B 16

/* FETCH_CONSTANT: reads no memory; FETCH_COPY: copies whole dwords without
 * conversion. */
enum fetch_kind { FETCH_CONSTANT, FETCH_COPY, FETCH_CONVERT };

struct fetch_element {
    struct draw_vertex_buffer vb; /* a copy: the plan outlives the draw */
    const struct format_info *fmt;
    uint32_t offset_B, size_B; /* in memory */
    uint32_t step_rate;
    bool instancing;
    uint8_t kind;        /* enum fetch_kind */
    bool straight;       /* put_element() supports it */
    uint8_t dwords;      /* 4 or 8, before packing */
    uint8_t stored;      /* dwords left by component packing */
    uint16_t at_dw;      /* in the entry */
    uint8_t source_mask; /* dwords that come from memory */
    uint8_t lead_dw;     /* FETCH_COPY: number of leading source dwords */
    uint32_t fill[8];    /* constants for other dwords */
};

struct fetch_plan {
    unsigned count, slots;
    unsigned used_dw; /* the entry's dwords from here on are zero */
    bool has_edge_flag;
    struct fetch_element edge;
    struct fetch_element element[DRAW_MAX_VE];
    /* Dword of the entry for the value, or -1. */
    int vertex_id_dw, instance_id_dw;
};

static bool
is_copy(const struct format_info *fmt)
{
    unsigned bits = 0;
    if (fmt->lum || fmt->intensity || fmt->alpha_only || fmt->srgb)
        return false;
    for (unsigned c = 0; c < 4; c++) {
        const struct format_channel *ch = &fmt->ch[c];
        if (ch->kind == FORMAT_NONE)
            continue;
        if (ch->bits != 32 || ch->start_bit != c * 32 || bits != c * 32 ||
            (ch->kind != FORMAT_FLOAT && ch->kind != FORMAT_UINT &&
             ch->kind != FORMAT_SINT && ch->kind != FORMAT_RAW))
            return false;
        bits += 32;
    }
    return bits != 0;
}

static unsigned
passthru_components(unsigned format)
{
    /* R64, R64G64, R64G64B64 and R64G64B64A64_PASSTHRU. */
    static const uint16_t formats[] = {0x0a1, 0x021, 0x1bd, 0x1bc};
    for (unsigned i = 0; i < ARRAY_SIZE(formats); i++)
        if (formats[i] == format)
            return i + 1;
    return 0;
}

static bool
is_straight(const struct fetch_element *e)
{
    return e->dwords == 4 && (e->kind == FETCH_CONSTANT ||
                              (e->kind == FETCH_COPY && e->lead_dw <= 4 &&
                               !(e->source_mask >> e->lead_dw)));
}

/* An element without a usable format reads zeros. */
static void
plan_source(const struct draw *draw, struct fetch_element *e, unsigned format,
            unsigned vb)
{
    e->fmt = format_info(format);
    if (vb < DRAW_MAX_VB && draw->vb[vb].valid)
        e->vb = draw->vb[vb];
    if (!e->fmt || !e->fmt->can_vertex) {
        guest_error("vertex element of format 0x%x", format);
        e->source_mask = 0;
        return;
    }
    e->size_B = DIV_ROUND_UP(e->fmt->block_bits, 8);
    unsigned wide = passthru_components(format);
    if (!wide && !is_copy(e->fmt)) {
        e->kind = FETCH_CONVERT;
        return;
    }
    e->kind = FETCH_COPY;
    /* Missing components are 0, 0, 0, 1. */
    if (!wide && e->size_B < 16 && (e->source_mask & 8))
        e->fill[3] = e->fmt->is_int ? 1 : bits_from_float(1.0f);
    e->source_mask &= (uint8_t)((1u << (e->size_B / 4)) - 1);
    e->lead_dw = (uint8_t)__builtin_ctz(~(uint32_t)e->source_mask);
}

static uint32_t
control_constant(unsigned control)
{
    switch (control) {
    case GEN9_VFCOMP_STORE_1_FP: return bits_from_float(1.0f);
    case GEN9_VFCOMP_STORE_1_INT: return 1;
    case GEN9_VFCOMP_STORE_PID: unimp("vertex element with primitive id");
    }
    return 0;
}

static void
plan_element(const struct draw *draw, const struct draw_vertex_element *in,
             struct fetch_element *e)
{
    const struct gen9_vertex_element_state *ve = &in->ve;
    const uint32_t control[4] = {
        ve->component_0_control, ve->component_1_control,
        ve->component_2_control, ve->component_3_control};
    unsigned wide = passthru_components(ve->source_element_format);
    *e = (struct fetch_element){
        .offset_B = ve->source_element_offset,
        .instancing = in->instancing,
        .step_rate = in->step_rate,
        .dwords = 4,
    };
    /* KBL PRM vol 2d, VERTEX_ELEMENT_STATE: 64-bit components take two dwords.
     * The element has 256 bits if component 2 is stored, else 128. */
    if (wide && control[2] != GEN9_VFCOMP_NOSTORE)
        e->dwords = 8;
    for (unsigned i = 0; i < e->dwords; i++) {
        unsigned c = control[wide ? i / 2 : i];
        e->fill[i] = control_constant(c);
        if (c == GEN9_VFCOMP_STORE_SRC)
            e->source_mask |= (uint8_t)(1u << i);
    }
    if (e->source_mask)
        plan_source(draw, e, ve->source_element_format,
                    ve->vertex_buffer_index);
    e->stored = (uint8_t)((1u << e->dwords) - 1);
    e->straight = is_straight(e);
}

/* Dwords of element `index` that packing keeps. A bit stands for a component of
 * 32 or 64 bits. Elements from 32 on have no bits; all their components are
 * stored. SKL PRM vol 2a, 3DSTATE_VF_COMPONENT_PACKING. */
static uint8_t
packed_dwords(const struct draw *draw, unsigned index,
              const struct fetch_element *e, bool wide)
{
    if (!draw->vf.component_packing_enable || index >= DRAW_PACKED_VE)
        return e->stored;
    uint32_t on = draw->component_enables[index / 8] >> index % 8 * 4 & 0xf;
    uint32_t dwords = 0;
    for (unsigned c = 0; c < 4; c++)
        if (on >> c & 1)
            dwords |= wide ? 3u << 2 * c : 1u << c;
    return (uint8_t)(dwords & e->stored);
}

/* Place in the entry of dword `dw` of an element, or -1: not stored. */
static int
stored_at_dw(const struct fetch_element *e, unsigned dw)
{
    if (!(e->stored >> dw & 1))
        return -1;
    return e->at_dw + __builtin_popcount(e->stored & ((1u << dw) - 1));
}

static int
sgvs_dword(const struct fetch_plan *plan, bool enable, unsigned element,
           unsigned component)
{
    if (!enable || element >= plan->count)
        return -1;
    return stored_at_dw(&plan->element[element], component & 3);
}

/* Routines for straight elements write four dwords. Dwords after the stored
 * ones belong to the next element, which overwrites them. */
static void
settle_straight(struct fetch_plan *plan)
{
    for (unsigned i = 0; i < plan->count; i++) {
        struct fetch_element *e = &plan->element[i];
        bool leading = !(e->stored & (e->stored + 1u));
        e->straight = e->straight && leading &&
                      e->at_dw + 4u <= plan->slots * 4;
    }
}

static void
make_plan(const struct draw *draw, struct fetch_plan *plan)
{
    for (unsigned i = 0; i < MIN2(draw->ve_count, DRAW_MAX_VE); i++) {
        const struct gen9_vertex_element_state *ve = &draw->ve[i].ve;
        if (!ve->valid)
            continue;
        struct fetch_element e;
        plan_element(draw, &draw->ve[i], &e);
        if (ve->edge_flag_enable) {
            plan->has_edge_flag = true;
            plan->edge = e;
            continue;
        }
        bool wide = passthru_components(ve->source_element_format) != 0;
        e.stored = packed_dwords(draw, i, &e, wide);
        e.at_dw = (uint16_t)plan->used_dw;
        plan->used_dw += (unsigned)__builtin_popcount(e.stored);
        plan->element[plan->count++] = e;
    }
    plan->slots = DIV_ROUND_UP(plan->used_dw, 4);
    settle_straight(plan);
    plan->vertex_id_dw = sgvs_dword(plan, draw->sgvs.vertexid_enable,
                                    draw->sgvs.vertexid_element_offset,
                                    draw->sgvs.vertexid_component_number);
    plan->instance_id_dw = sgvs_dword(plan, draw->sgvs.instanceid_enable,
                                      draw->sgvs.instanceid_element_offset,
                                      draw->sgvs.instanceid_component_number);
}

bool
fetch_init(struct geom *g)
{
    const struct draw *draw = g->draw;
    struct geom_kept *kept = g->kept;
    g->lanes = geom_lanes_selected();
    if (kept && kept->plan && kept->input_serial == draw->input_serial) {
        g->fetch = kept->plan;
        return true;
    }
    g->fetch = kept && kept->plan ? kept->plan : malloc(sizeof *g->fetch);
    if (!g->fetch)
        return false;
    memset(g->fetch, 0, sizeof *g->fetch);
    make_plan(draw, g->fetch);
    if (kept) {
        kept->plan = g->fetch;
        kept->input_serial = draw->input_serial;
    }
    return true;
}

void
fetch_finish(struct geom *g)
{
    if (!g->kept || g->fetch != g->kept->plan)
        free(g->fetch);
    g->fetch = NULL;
}

unsigned
fetch_slots(const struct fetch_plan *plan)
{
    return plan->slots;
}

/* The element's bytes. Zeros beyond the buffer's end. */
static const void *
element_bytes(const struct draw *draw, const struct fetch_element *e,
              uint32_t vertex, uint32_t instance)
{
    static const uint8_t zero[32];
    const struct draw_vertex_buffer *vb = &e->vb;
    if (!vb->valid)
        return zero;
    uint32_t index = vertex;
    if (e->instancing)
        index = draw->start_instance +
                (e->step_rate ? instance / e->step_rate : 0);
    uint64_t at = (uint64_t)vb->pitch_B * index + e->offset_B;
    if (at + e->size_B > vb->size_B)
        return zero;
    return vm_ptr(draw->vm, vb->va + at);
}

static void
fetch_element_dwords(const struct draw *draw, const struct fetch_element *e,
                     uint32_t vertex, uint32_t instance, uint32_t *out)
{
    union {
        uint32_t dw[8];
        union color color;
    } in;
    memcpy(out, e->fill, e->dwords * 4u);
    if (e->kind == FETCH_CONSTANT)
        return;
    const void *bytes = element_bytes(draw, e, vertex, instance);
    if (e->kind == FETCH_COPY) {
        memcpy(out, bytes, e->lead_dw * 4u);
        if (!(e->source_mask >> e->lead_dw))
            return;
        memcpy(in.dw, bytes, e->size_B);
    } else {
        format_unpack(e->fmt, bytes, &in.color);
    }
    for (unsigned i = 0; i < e->dwords; i++)
        if (e->source_mask >> i & 1)
            out[i] = in.dw[i];
}

static uint32_t
vertex_number(const struct draw *draw, uint32_t key)
{
    return key +
           (draw->indexed ? (uint32_t)draw->base_vertex : draw->start_vertex);
}

bool
fetch_has_edge_flag(const struct fetch_plan *plan)
{
    return plan->has_edge_flag;
}

bool
fetch_edge_flag(const struct geom *g, uint32_t key, uint32_t instance)
{
    uint32_t flag[8];
    fetch_element_dwords(g->draw, &g->fetch->edge, vertex_number(g->draw, key),
                         instance, flag);
    return flag[0] != 0;
}

void
fetch_vertex(const struct geom *g, uint32_t key, uint32_t instance,
             uint32_t *out, bool *edge_flag)
{
    const struct draw *draw = g->draw;
    const struct fetch_plan *plan = g->fetch;
    uint32_t vertex = vertex_number(draw, key);
    for (unsigned i = 0; i < plan->count; i++) {
        const struct fetch_element *e = &plan->element[i];
        uint32_t in[8], *to = out + e->at_dw;
        if (e->stored + 1u == 1u << e->dwords) {
            fetch_element_dwords(draw, e, vertex, instance, to);
            continue;
        }
        fetch_element_dwords(draw, e, vertex, instance, in);
        for (unsigned c = 0; c < e->dwords; c++)
            if (e->stored >> c & 1)
                *to++ = in[c];
    }
    for (unsigned i = plan->used_dw; i < plan->slots * 4; i++)
        out[i] = 0;
    if (plan->vertex_id_dw >= 0)
        out[plan->vertex_id_dw] = key;
    if (plan->instance_id_dw >= 0)
        out[plan->instance_id_dw] = instance;
    if (plan->has_edge_flag)
        *edge_flag = fetch_edge_flag(g, key, instance);
}

/* ---- eight vertices --------------------------------------------------- */

/* Vertex numbers of eight lanes. */
struct lane_vertices {
    uint32_t at[LANES], most;
    bool in_row; /* at[0] and the seven after it */
};

/* Keys of a numbered batch ascend, except those repeated by a short thread.
 * Fills *v in place: a struct copied right after single stores would stall. */
static inline void
find_vertices(const struct geom *g, const uint32_t key[LANES],
              struct lane_vertices *v)
{
    const uint32_t first = vertex_number(g->draw, 0);
    const uint32_t least = key[0] + first, last = key[LANES - 1] + first;
    uint32_t most = 0, apart = 0;
    for (unsigned i = 0; i < LANES; i++)
        v->at[i] = key[i] + first;
    v->most = last;
    v->in_row = g->batch.numbered && last - least == LANES - 1 &&
                key[LANES - 1] != key[LANES - 2] && least < last;
    if (v->in_row)
        return;
    for (unsigned i = 0; i < LANES; i++) {
        most = MAX2(most, v->at[i]);
        apart |= key[i] - key[0] - i;
    }
    v->most = most;
    v->in_row = !apart && most == last;
}

/* Whether 16 bytes per lane are in the buffer, so that reading them is safe. */
static bool
rows_are_inside(const struct fetch_element *e, const struct lane_vertices *v)
{
    const struct draw_vertex_buffer *vb = &e->vb;
    return vb->valid && !e->instancing &&
           (uint64_t)vb->pitch_B * v->most + e->offset_B + ROW_B <= vb->size_B;
}

static void
put_rows(const struct draw *draw, const struct geom_lanes *lanes,
         const struct fetch_element *e, const struct lane_vertices *v,
         uint32_t (*out)[LANES])
{
    const uint8_t *row[LANES];
    uint64_t va = e->vb.va + e->offset_B, pitch_B = e->vb.pitch_B;
    if (v->in_row) {
        lanes->rows_apart(vm_ptr(draw->vm, va + pitch_B * v->at[0]),
                          e->vb.pitch_B, out);
        return;
    }
    const uint8_t *first = vm_has_moved(draw->vm) ? NULL : vm_ptr(draw->vm, va);
    for (unsigned i = 0; i < LANES; i++)
        row[i] = first ? first + pitch_B * v->at[i]
                       : vm_ptr(draw->vm, va + pitch_B * v->at[i]);
    lanes->rows(row, out);
}

static void
put_copies(const struct draw *draw, const struct geom_lanes *lanes,
           const struct fetch_element *e, const struct lane_vertices *v,
           const uint32_t instance[LANES], uint32_t (*out)[LANES])
{
    uint8_t copy[LANES][ROW_B];
    for (unsigned i = 0; i < LANES; i++)
        memcpy(copy[i], element_bytes(draw, e, v->at[i], instance[i]),
               e->lead_dw * 4u);
    lanes->rows_apart(copy[0], ROW_B, out);
}

static void
put_element(const struct draw *draw, const struct geom_lanes *lanes,
            const struct fetch_element *e, const struct lane_vertices *v,
            const uint32_t instance[LANES], uint32_t (*out)[LANES])
{
    if (e->lead_dw && rows_are_inside(e, v))
        put_rows(draw, lanes, e, v, out);
    else if (e->lead_dw)
        put_copies(draw, lanes, e, v, instance, out);
    for (unsigned c = e->lead_dw; c < 4; c++)
        for (unsigned i = 0; i < LANES; i++)
            out[c][i] = e->fill[c];
}

/* General path, one vertex after the other. */
static void
put_element_slowly(const struct draw *draw, const struct fetch_element *e,
                   const uint32_t vertex[LANES], const uint32_t instance[LANES],
                   uint32_t (*out)[LANES])
{
    for (unsigned i = 0; i < LANES; i++) {
        uint32_t in[8];
        fetch_element_dwords(draw, e, vertex[i], instance[i], in);
        for (unsigned c = 0, to = 0; c < e->dwords; c++)
            if (e->stored >> c & 1)
                out[to++][i] = in[c];
    }
}

static void
put_all(const struct geom *g, const uint32_t key[LANES],
        const uint32_t instance[LANES], uint32_t (*out)[LANES])
{
    const struct draw *draw = g->draw;
    const struct fetch_plan *plan = g->fetch;
    struct lane_vertices v;
    find_vertices(g, key, &v);
    for (unsigned i = 0; i < plan->count; i++) {
        const struct fetch_element *e = &plan->element[i];
        if (e->straight)
            put_element(draw, g->lanes, e, &v, instance, out + e->at_dw);
        else
            put_element_slowly(draw, e, v.at, instance, out + e->at_dw);
    }
    if (plan->used_dw < plan->slots * 4)
        memset(out + plan->used_dw, 0,
               (plan->slots * 4 - plan->used_dw) * sizeof *out);
    if (plan->vertex_id_dw >= 0)
        memcpy(out[plan->vertex_id_dw], key, sizeof *out);
    if (plan->instance_id_dw >= 0)
        memcpy(out[plan->instance_id_dw], instance, sizeof *out);
}

void
fetch_lanes(const struct geom *g, const uint32_t key[LANES],
            const uint32_t instance[LANES], unsigned from, unsigned count,
            uint32_t (*out)[LANES])
{
    unsigned have = g->fetch->slots * 4;
    if (!from && count == have) {
        put_all(g, key, instance, out);
        return;
    }
    uint32_t all[DRAW_MAX_VE * 8][LANES];
    put_all(g, key, instance, all);
    if (from < have)
        memcpy(out, all + from, MIN2(count, have - from) * sizeof *out);
}
