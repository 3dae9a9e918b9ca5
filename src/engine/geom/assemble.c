/* assemble.c: primitive assembly, see assemble.h. */
#include "engine/geom/assemble.h"

#include "gen9_pack.h"

static uint32_t
key_at(const struct assembler *a, uint32_t n)
{
    return a->ring[n & 31];
}

static void
emit_keys(struct assembler *a, struct geom_assembled *out, unsigned count)
{
    out->o.count = (uint8_t)count;
    out->o.prim_id = a->prim_id;
    a->emit(a->ctx, out);
}

/* Emits the last `size` vertices of a list. */
static void
list_object(struct assembler *a, unsigned kind, unsigned size)
{
    if (a->count % size)
        return;
    struct geom_assembled out = {.o = {
                                     .kind = (uint8_t)kind,
                                     .edge_mask = kind == GEOM_TRI ? 7 : 0,
                                     .edge_flags = kind == GEOM_TRI,
                                 }};
    for (unsigned i = 0; i < size; i++)
        out.key[i] = key_at(a, a->count - size + i);
    emit_keys(a, &out, size);
    a->prim_id++;
}

static void
line(struct assembler *a, uint32_t k0, uint32_t k1, bool continues)
{
    struct geom_assembled out = {
        .o = {.kind = GEOM_LINE, .continues = continues},
        .key = {k0, k1},
    };
    emit_keys(a, &out, 2);
    a->prim_id++;
}

static void
line_strip(struct assembler *a)
{
    if (a->count >= 2)
        line(a, key_at(a, a->count - 2), key_at(a, a->count - 1), a->count > 2);
}

static void
line_strip_adj(struct assembler *a)
{
    if (a->count < 4)
        return;
    struct geom_assembled out = {
        .o = {.kind = GEOM_LINE_ADJ, .continues = a->count > 4}};
    for (unsigned i = 0; i < 4; i++)
        out.key[i] = key_at(a, a->count - 4 + i);
    emit_keys(a, &out, 4);
    a->prim_id++;
}

static void
tri(struct assembler *a, const struct geom_object *o, uint32_t k0, uint32_t k1,
    uint32_t k2)
{
    struct geom_assembled out = {.o = *o, .key = {k0, k1, k2}};
    out.o.kind = GEOM_TRI;
    emit_keys(a, &out, 3);
}

static void
tri_strip(struct assembler *a, bool reverse)
{
    if (a->count < 3)
        return;
    uint32_t i = a->count - 3;
    tri(a, &(struct geom_object){.edge_mask = 7, .odd = (i & 1) != reverse},
        key_at(a, i), key_at(a, i + 1), key_at(a, i + 2));
    a->prim_id++;
}

static void
tri_fan(struct assembler *a)
{
    if (a->count < 3)
        return;
    tri(a, &(struct geom_object){.edge_mask = 7, .family = FAMILY_FAN},
        a->first, key_at(a, a->count - 2), key_at(a, a->count - 1));
    a->prim_id++;
}

/* A quad becomes a polygon whose first vertex is the quad's last, which
 * provokes (BDW PRM vol 2b, 3D_Prim_Topo_Type: converted to POLYGON). */
static void
quad(struct assembler *a, uint32_t k0, uint32_t k1, uint32_t k2, uint32_t k3,
     bool edge_flags)
{
    struct geom_object o = {
        .family = FAMILY_POLYGON, .edge_mask = 1 | 2, .edge_flags = edge_flags};
    tri(a, &o, k3, k0, k1);
    o.edge_mask = 2 | 4;
    tri(a, &o, k3, k1, k2);
    a->prim_id++;
}

static void
quad_list(struct assembler *a)
{
    uint32_t n = a->count;
    if (n % 4 == 0)
        quad(a, key_at(a, n - 4), key_at(a, n - 3), key_at(a, n - 2),
             key_at(a, n - 1), true);
}

static void
quad_strip(struct assembler *a)
{
    uint32_t n = a->count;
    if (n < 4 || n % 2)
        return;
    /* The quad 0 1 3 2, rotated so that its provoking vertex 3 comes last. */
    quad(a, key_at(a, n - 2), key_at(a, n - 4), key_at(a, n - 3),
         key_at(a, n - 1), false);
}

/* Emits the triangle that ends at vertex `last`. It comes one vertex late,
 * because only the next vertex or the end tells whether its closing edge is a
 * border. */
static void
polygon_tri(struct assembler *a, uint32_t last, bool closes)
{
    struct geom_object o = {
        .family = FAMILY_POLYGON,
        .edge_flags = true,
        .edge_mask = (uint8_t)((last == 2 ? 1 : 0) | 2 | (closes ? 4 : 0)),
    };
    tri(a, &o, a->first, key_at(a, last - 1), key_at(a, last));
}

/* Triangle i of a strip with adjacency has vertices 2i, 2i+2, 2i+4. Its
 * neighbour across the second edge depends on whether it is the last
 * triangle. */
static void
tri_strip_adj(struct assembler *a, uint32_t i, bool last)
{
    uint32_t n = 2 * i;
    uint32_t before = i ? n - 2 : n + 1;   /* across edge n, n+2 */
    uint32_t after = last ? n + 5 : n + 6; /* across n+2, n+4 */
    struct geom_assembled out = {
        .o = {.kind = GEOM_TRI_ADJ, .odd = i & 1, .edge_mask = 7},
        .key = {key_at(a, n), key_at(a, before), key_at(a, n + 2),
                key_at(a, after), key_at(a, n + 4), key_at(a, n + 3)},
    };
    emit_keys(a, &out, 6);
    a->prim_id++;
}

static void
tri_strip_adj_vertex(struct assembler *a)
{
    /* With 2i + 8 vertices, triangle i is not the last one. */
    if (a->count >= 8 && a->count % 2 == 0)
        tri_strip_adj(a, a->count / 2 - 4, false);
}

bool
assemble_init(struct assembler *a, unsigned topology, assemble_fn emit,
              void *ctx)
{
    *a = (struct assembler){.topology = topology, .emit = emit, .ctx = ctx};
    if (topology >= 32 && topology < 64)
        return true;
    return topology >= GEN9_3DPRIM_POINTLIST &&
           topology <= GEN9_3DPRIM_TRIFAN_NOSTIPPLE && topology != 21;
}

bool
assemble_span(unsigned topology, struct assemble_span *span)
{
    static const struct assemble_span table[32] = {
        [GEN9_3DPRIM_POINTLIST] = {1, 1},
        [GEN9_3DPRIM_POINTLIST_BF] = {1, 1},
        [GEN9_3DPRIM_LINELIST] = {2, 2},
        [GEN9_3DPRIM_LINESTRIP] = {2, 1},
        [GEN9_3DPRIM_TRILIST] = {3, 3},
        [GEN9_3DPRIM_TRISTRIP] = {3, 1},
        [GEN9_3DPRIM_TRISTRIP_REVERSE] = {3, 1},
        [GEN9_3DPRIM_TRIFAN] = {3, 1},
        [GEN9_3DPRIM_TRIFAN_NOSTIPPLE] = {3, 1},
        [GEN9_3DPRIM_QUADLIST] = {4, 4},
        [GEN9_3DPRIM_QUADSTRIP] = {4, 2},
        [GEN9_3DPRIM_RECTLIST] = {3, 3},
    };
    if (topology < ARRAY_SIZE(table))
        *span = table[topology];
    return topology < ARRAY_SIZE(table) && span->size;
}

void
assemble_seek(struct assembler *a, const struct assemble_span *span,
              uint32_t prim_id, uint32_t first, const uint32_t *key)
{
    a->count = prim_id * span->step;
    a->prim_id = prim_id;
    a->first = first;
    unsigned keys = span->size - span->step;
    for (unsigned i = 0; i < keys; i++)
        a->ring[a->count++ & 31] = key[i];
}

void
assemble_vertex(struct assembler *a, uint32_t key)
{
    if (!a->count)
        a->first = key;
    a->ring[a->count & 31] = key;
    a->count++;
    if (a->topology >= 32) {
        list_object(a, GEOM_PATCH, a->topology - 31);
        return;
    }
    switch (a->topology) {
    case GEN9_3DPRIM_POINTLIST:
    case GEN9_3DPRIM_POINTLIST_BF: list_object(a, GEOM_POINT, 1); break;
    case GEN9_3DPRIM_LINELIST: list_object(a, GEOM_LINE, 2); break;
    case GEN9_3DPRIM_LINESTRIP:
    case GEN9_3DPRIM_LINESTRIP_CONT:
    case GEN9_3DPRIM_LINESTRIP_BF:
    case GEN9_3DPRIM_LINESTRIP_CONT_BF:
    case GEN9_3DPRIM_LINELOOP: line_strip(a); break;
    case GEN9_3DPRIM_TRILIST: list_object(a, GEOM_TRI, 3); break;
    case GEN9_3DPRIM_TRISTRIP: tri_strip(a, false); break;
    case GEN9_3DPRIM_TRISTRIP_REVERSE: tri_strip(a, true); break;
    case GEN9_3DPRIM_TRIFAN:
    case GEN9_3DPRIM_TRIFAN_NOSTIPPLE: tri_fan(a); break;
    case GEN9_3DPRIM_QUADLIST: quad_list(a); break;
    case GEN9_3DPRIM_QUADSTRIP: quad_strip(a); break;
    case GEN9_3DPRIM_LINELIST_ADJ: list_object(a, GEOM_LINE_ADJ, 4); break;
    case GEN9_3DPRIM_LINESTRIP_ADJ: line_strip_adj(a); break;
    case GEN9_3DPRIM_TRILIST_ADJ: list_object(a, GEOM_TRI_ADJ, 6); break;
    case GEN9_3DPRIM_TRISTRIP_ADJ: tri_strip_adj_vertex(a); break;
    case GEN9_3DPRIM_POLYGON:
        if (a->count >= 4)
            polygon_tri(a, a->count - 2, false);
        break;
    case GEN9_3DPRIM_RECTLIST: list_object(a, GEOM_RECT, 3); break;
    }
}

void
assemble_cut(struct assembler *a)
{
    uint32_t n = a->count;
    switch (a->topology) {
    case GEN9_3DPRIM_LINELOOP:
        if (n >= 2)
            line(a, key_at(a, n - 1), a->first, true);
        break;
    case GEN9_3DPRIM_POLYGON:
        if (n >= 3) {
            polygon_tri(a, n - 1, true);
            a->prim_id++;
        }
        break;
    case GEN9_3DPRIM_TRISTRIP_ADJ:
        if (n >= 6)
            tri_strip_adj(a, n / 2 - 3, true);
        break;
    }
    a->count = 0;
}

void
assemble_end(struct assembler *a)
{
    assemble_cut(a);
    a->prim_id = 0;
}
