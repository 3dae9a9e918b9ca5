/* Vertex fetch: VERTEX_ELEMENT_STATE, VF_INSTANCING, VF_SGVS to the dwords of
 * a vertex's URB entry. What depends on the draw only is worked out once. */
#include "engine/geom/geom.h"
#include "engine/geom/lanes.h"

#include <stdlib.h>

#define LANES 8
#define ROW_B 16

enum fetch_kind {
    FETCH_CONSTANT, /* nothing is read */
    FETCH_COPY,     /* whole dwords, no conversion */
    FETCH_CONVERT,
};

struct fetch_element {
    struct draw_vertex_buffer vb; /* the plan serves draws elsewhere too */
    const struct format_info *fmt;
    uint32_t offset_B, size_B; /* of the element in memory */
    uint32_t step_rate;
    bool instancing;
    uint8_t kind;   /* enum fetch_kind */
    bool straight;  /* put_element() knows it */
    uint8_t dwords; /* written: 4 or 8 */
    uint16_t slot;
    uint8_t source_mask; /* written dwords that come from memory */
    uint8_t lead_dw;     /* FETCH_COPY: how many of them in a row from 0 */
    uint32_t fill[8];    /* the other dwords */
};

struct fetch_plan {
    unsigned count, slots;
    bool has_edge_flag;
    struct fetch_element edge;
    struct fetch_element element[DRAW_MAX_VE];
    /* Dword of the entry that gets the value, or -1. */
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
    switch (format) {
    case 0x0a1: return 1; /* R64_PASSTHRU */
    case 0x021: return 2; /* R64G64_PASSTHRU */
    case 0x1bd: return 3; /* R64G64B64_PASSTHRU */
    case 0x1bc: return 4; /* R64G64B64A64_PASSTHRU */
    default: return 0;
    }
}

static bool
is_straight(const struct fetch_element *e)
{
    return e->dwords == 4 && (e->kind == FETCH_CONSTANT ||
                              (e->kind == FETCH_COPY && e->lead_dw <= 4 &&
                               !(e->source_mask >> e->lead_dw)));
}

/* Without a usable format the element reads zeros. */
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
    /* Components that the format lacks are 0, 0, 0, 1. */
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
    /* KBL PRM vol 2d, VERTEX_ELEMENT_STATE: 64-bit components take two dwords
     * and the element 128 or 256 bits, the latter if component 2 is stored. */
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
    e->straight = is_straight(e);
}

static int
sgvs_dword(const struct fetch_plan *plan, bool enable, unsigned element,
           unsigned component)
{
    if (!enable || element >= plan->count)
        return -1;
    return (int)(plan->element[element].slot * 4u + (component & 3));
}

static void
make_plan(const struct draw *draw, struct fetch_plan *plan)
{
    unsigned slot = 0;
    for (unsigned i = 0; i < MIN2(draw->ve_count, DRAW_MAX_VE); i++) {
        if (!draw->ve[i].ve.valid)
            continue;
        struct fetch_element e;
        plan_element(draw, &draw->ve[i], &e);
        if (draw->ve[i].ve.edge_flag_enable) {
            plan->has_edge_flag = true;
            plan->edge = e;
            continue;
        }
        e.slot = (uint16_t)slot;
        slot += e.dwords / 4u;
        plan->element[plan->count++] = e;
    }
    plan->slots = slot;
    plan->vertex_id_dw = sgvs_dword(plan, draw->sgvs.vertexid_enable,
                                    draw->sgvs.vertexid_element_offset,
                                    draw->sgvs.vertexid_component_number);
    plan->instance_id_dw = sgvs_dword(plan, draw->sgvs.instanceid_enable,
                                      draw->sgvs.instanceid_element_offset,
                                      draw->sgvs.instanceid_component_number);
    if (draw->vf.component_packing_enable)
        unimp("vertex component packing");
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

/* The element's bytes, or zeros: fetches beyond the buffer's end read 0. */
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
        fetch_element_dwords(draw, e, vertex, instance, out + e->slot * 4u);
    }
    if (plan->vertex_id_dw >= 0)
        out[plan->vertex_id_dw] = key;
    if (plan->instance_id_dw >= 0)
        out[plan->instance_id_dw] = instance;
    if (plan->has_edge_flag)
        *edge_flag = fetch_edge_flag(g, key, instance);
}

/* ---- eight vertices --------------------------------------------------- */

/* The vertices of eight lanes. */
struct lane_vertices {
    uint32_t at[LANES], most;
    bool in_row; /* at[0] and the seven behind it */
};

/* Keys of a numbered batch ascend, but for those that a short thread
 * repeats. In place: members that are copied together right after they have
 * been stored one by one take a while. */
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

/* Sixteen bytes of each lane: what lies behind an element is as good as its own
 * bytes, as far as it lies in the buffer. */
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
    uint64_t va = e->vb.va + e->offset_B;
    if (v->in_row) {
        lanes->rows_apart(
            vm_ptr(draw->vm, va + (uint64_t)e->vb.pitch_B * v->at[0]),
            e->vb.pitch_B, out);
        return;
    }
    for (unsigned i = 0; i < LANES; i++)
        row[i] = vm_ptr(draw->vm, va + (uint64_t)e->vb.pitch_B * v->at[i]);
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

/* One vertex after the other, for what put_element() does not know. */
static void
put_element_slowly(const struct draw *draw, const struct fetch_element *e,
                   const uint32_t vertex[LANES], const uint32_t instance[LANES],
                   uint32_t (*out)[LANES])
{
    for (unsigned i = 0; i < LANES; i++) {
        uint32_t in[8];
        fetch_element_dwords(draw, e, vertex[i], instance[i], in);
        for (unsigned c = 0; c < e->dwords; c++)
            out[c][i] = in[c];
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
            put_element(draw, g->lanes, e, &v, instance, out + e->slot * 4u);
        else
            put_element_slowly(draw, e, v.at, instance, out + e->slot * 4u);
    }
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
