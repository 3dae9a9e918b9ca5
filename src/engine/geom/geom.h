/* geom.h: the geometry pipeline from vertex fetch to the clipper's output.
 * Private to the room; geom_draw() is in engine/draw.h.
 *
 * A draw is cut into chunks of some thousand primitives, wherever that is the
 * same whatever the number of workers. A chunk goes through vertex fetch, VS,
 * clipper and set-up on one worker, in its lane: a struct geom with memory of
 * its own. The lists of set-up primitives are drawn in the order of the chunks.
 *
 * Draws of one chunk, and those with tessellation, geometry shader or stream
 * output, have one lane. There the chunks run in order, and the jobs of
 * geom_for() on all workers; so do parts of many triangles, see tris.c.
 *
 * In a chunk, vertices and objects collect in a batch; the stages run one
 * after another over all of it. */
#ifndef ENGINE_GEOM_H
#define ENGINE_GEOM_H

#include "engine/geom/assemble.h"
#include "engine/msg/msg.h"
#include "engine/prim.h"

/* Vertices on the borders of chunks are shaded in both: a chunk has many more
 * primitives than rows of a large grid have. */
#define GEOM_CHUNK_PRIMS 8192
#define GEOM_BATCH_VERTS 8192
#define GEOM_BATCH_OBJECTS 8192
/* Vertices of a thread of the vertex shader. */
#define GEOM_THREAD_VERTS 8
/* Vertices that may be worked on after the last one, to be forgotten. */
#define GEOM_PAD_VERTS 16
/* Bytes of URB entries that one stage keeps alive at a time. */
#define GEOM_STAGE_URB_B (UINT64_C(8) << 20)

/* A shaded vertex. What the clipper derives from it is remembered for one
 * viewport: vertices are shared by objects, which mostly agree on that. */
struct geom_vert {
    struct prim_corner p; /* where it is on the screen, snapped too */
    uint32_t codes;       /* enum clip_code */
    uint8_t viewport;     /* of codes and p; VIEWPORT_NONE */
    bool edge_flag;
};
static_assert(sizeof(struct geom_vert) == PRIM_CORNER_STRIDE_B &&
                  !offsetof(struct geom_vert, p),
              "vertices are corners of meshes");
#define GEOM_VIEWPORT_NONE 0xff

struct fetch_plan;

struct batch_object {
    struct geom_object o;
    uint32_t first; /* in index[] */
};

/* Vertices with constants of their own, and whole threads: from first to the
 * next piece. See pieces.c. */
struct batch_piece {
    unsigned first, count;
    const uint32_t *push;
};

struct batch {
    unsigned vert_cap, object_cap, index_cap;
    unsigned vert_count, object_count, index_count;
    unsigned tri_count; /* instead of objects: see tris.c */
    struct geom_vert *vert;
    uint32_t *key, *instance; /* per vertex */
    struct batch_object *object;
    uint32_t *index; /* vertices of the objects */
    struct prim_tri *tri;
    unsigned piece_count; /* 0: constants are the stage's */
    struct batch_piece *piece;
    uint32_t *codes;     /* of the vertices */
    uint32_t *tri_key;   /* of the chunk's vertices, after the draw's first */
    uint32_t first_prim; /* of the chunk, if numbered */
    bool unique;         /* in the table, no two of them can meet */
    /* Which vertex has a key: open addressing, number + 1, 0 is free. Or, if
     * numbered, the number of the vertex with key least_key + i. */
    uint16_t *slot;
    uint32_t slot_mask, slot_shift;
    bool numbered;
    uint32_t least_key, key_range;
    /* The last batch left so many shaded vertices, with keys from that one on;
     * this one begins with `have` of them. */
    uint32_t shaded_count, shaded_key, shaded_instance;
    uint32_t have;
};

/* URB memory: one block for all stages, cut in regions. */
struct urb_region {
    uint32_t handle; /* of its first entry */
    uint32_t entry_B;
    uint32_t entries;
};

struct geom_lanes;
struct gs_queue;
struct tess_state;

/* What draws take over from the ones before: the context's. Larger pieces are
 * given back. */
#define GEOM_KEPT_B (128 * 1024)
#define GEOM_SPARE_B (4 * 1024 * 1024)
enum geom_piece { GEOM_URB, GEOM_BATCH, GEOM_CUT, GEOM_PIECES };

/* What larger draws need. */
struct geom_spare {
    void *p;
    size_t size_B;
};

struct geom_kept {
    alignas(64) uint8_t piece[GEOM_PIECES][GEOM_KEPT_B];
    struct geom_spare (*spare)[GEOM_PIECES]; /* of lanes, and of the draw */
    unsigned workers;
    struct fetch_plan *plan;
    uint64_t input_serial; /* of the draw that the plan was made for */
};

struct geom {
    const struct draw *draw;
    struct geom_kept *kept;   /* NULL: nothing */
    struct geom_spare *spare; /* the lane's, likewise */
    struct scene *scene;      /* made for the first primitive */
    struct prim_list *list;
    uint32_t *cut_vue; /* room for the vertices of a cut object */
    bool lane;         /* one of several, of this worker */
    unsigned worker;
    struct urb_space urb;
    struct urb_region vs_urb, hs_urb, ds_urb, gs_urb;
    struct fetch_plan *fetch;
    const struct geom_lanes *lanes;
    struct assembler assembler;
    struct batch batch;
    struct eu_launch vs_launch;
    bool vs_ready;                 /* vs_launch */
    bool tris;                     /* the draw goes through tris.c */
    bool unseen;                   /* vertices are only counted */
    struct gs_queue *gs;           /* NULL: no GS */
    struct tess_state *tess;       /* NULL: no tessellation */
    unsigned last_slots;           /* of a vertex of the last stage */
    unsigned vue_slots;            /* that raster gets */
    uint32_t user_clip, user_cull; /* bit per distance */
    uint32_t clip_codes, reject_codes;
    uint32_t instance; /* now being assembled */
    /* Indices that come next: vertex shaders fetch them by the way. */
    const uint8_t *ahead;
    uint32_t ahead_B;
    uint64_t cl_invocations, cl_primitives;
    uint64_t ia_vertices, ia_primitives;
};

static inline bool
geom_stopped(const struct geom *g)
{
    return g->draw->reset && atomic_load(g->draw->reset);
}

static inline uint32_t *
geom_entry(const struct geom *g, const struct urb_region *r, unsigned i)
{
    return (uint32_t *)(void *)(g->urb.base + (uint64_t)r->handle * 64 +
                                (uint64_t)r->entry_B * i);
}

static inline uint32_t
geom_handle(const struct geom *g, const uint32_t *vue)
{
    return (uint32_t)(((const uint8_t *)vue - g->urb.base) / 64);
}

/* Memory for the regions. */
bool geom_urb_init(struct geom *g);
/* Abandons the draw after a guest error. */
void geom_fail(struct geom *g);
/* Runs fn for [0, count) on the workers, inline when that is cheaper. */
void geom_for(struct geom *g, unsigned count,
              void (*fn)(struct geom *g, unsigned index, unsigned worker));
/* A thread environment and the start of a SIMD8 thread of a stage. */
void geom_env(const struct geom *g, const struct shader_stage *stage,
              unsigned worker, struct thread_env *env, struct eu_start *start,
              uint32_t dispatch_mask);
/* Header and constants of a thread's payload; fftid as stage_header().
 * Returns the first register after the constants, 0 if they do not fit. */
unsigned geom_payload(const struct shader_stage *stage,
                      struct eu_thread *thread, unsigned fftid);
/* An object leaves VS or DS. v: as in struct geom_assembled's key. */
void geom_shaded(struct geom *g, const struct geom_object *o,
                 struct geom_vert *const *v);

/* kept.c. Memory of 64 bytes' alignment, NULL if there is none. */
void geom_find_kept(struct geom *g);
struct geom_spare *geom_find_spare(const struct geom *g, unsigned worker);
void *geom_take(const struct geom *g, enum geom_piece piece, size_t size_B);
void geom_give(const struct geom *g, enum geom_piece piece, void *p);

/* batch.c. Room for the draw's vertices and objects; false without memory. */
bool batch_init(struct geom *g);
void batch_finish(struct geom *g);
/* Adds an object; an assemble_fn. */
void batch_object(void *ctx, const struct geom_assembled *in);
/* Gives numbers to the vertices of these keys, which lie in [least_key,
 * least_key + range), in the order of their keys. False if the batch is not
 * empty or they are too many. */
bool batch_number(struct geom *g, const uint32_t *key, uint32_t count,
                  uint32_t least_key, uint32_t range);
/* Before the vertices of g->instance. */
void batch_instance(struct geom *g);
/* Sends what there is through the stages, which makes room. */
void batch_run(struct geom *g);

/* tris.c: triangles that are not cut need few words. */
bool tris_possible(const struct geom *g);
bool tris_are_fan(const struct draw *draw);
/* Triangles prim_id, prim_id + 1, ... of a list, strip or fan. key: in
 * batch.tri_key, of the vertices that they have. */
void tris_add(struct geom *g, uint32_t prim_id, uint32_t count,
              const uint32_t *key);
/* What becomes of those of the batch, shaded. If it is numbered, they still
 * have to be made, should they be wanted: all of the chunk. */
void tris_run(struct geom *g);

/* pieces.c: vertices for which the batch of a draw that varies needs room; the
 * draw to the batch, as a whole. */
unsigned pieces_room(const struct draw *draw);
void pieces_add(struct geom *g);

/* chunk.c: the vertices of the draw. */
void chunks_run(struct geom *g);
/* Indices [at, at + count) of the index buffer, 0 beyond its end. */
void chunk_read_indices(const struct draw *draw, uint64_t at, uint32_t count,
                        uint32_t *key);

/* fetch.c. false after a guest error or without memory. */
bool fetch_init(struct geom *g);
void fetch_finish(struct geom *g);
/* 16-byte slots that the elements fill. */
unsigned fetch_slots(const struct fetch_plan *plan);
/* Dwords [from, from + count) of eight vertices, structure of arrays, as far as
 * there are elements for them; each lane needs a key. */
void fetch_lanes(const struct geom *g, const uint32_t key[8],
                 const uint32_t instance[8], unsigned from, unsigned count,
                 uint32_t (*out)[8]);
bool fetch_has_edge_flag(const struct fetch_plan *plan);
bool fetch_edge_flag(const struct geom *g, uint32_t key, uint32_t instance);
/* Writes fetch_slots() * 4 dwords; *edge_flag stays unless there is one. The
 * reference of fetch_lanes(). */
void fetch_vertex(const struct geom *g, uint32_t key, uint32_t instance,
                  uint32_t *out, bool *edge_flag);

/* vs.c: shades (or just fetches) the vertices of the batch, and prepares those
 * of triangles on their short way. */
void vs_run(struct geom *g);
/* Adds to the invocations. */
void vs_count(const struct geom *g, uint64_t count);

/* hsds.c: patches to objects, which go to geom_shaded(). */
bool hsds_init(struct geom *g);
void hsds_finish(struct geom *g);
void hsds_patch(struct geom *g, const struct geom_object *o,
                struct geom_vert *const *v);
void hsds_flush(struct geom *g);

/* gs.c: objects to objects, which go to output_object(). */
bool gs_init(struct geom *g);
void gs_finish(struct geom *g);
void gs_object(struct geom *g, const struct geom_object *o,
               struct geom_vert *const *v);
void gs_flush(struct geom *g);

/* output.c: stream-out, then the clipper. */
bool output_init(struct geom *g);
/* Index of the provoking vertex in trailing order. */
unsigned output_provoking(const struct draw *draw, const struct geom_object *o,
                          unsigned count);
void output_object(struct geom *g, const struct geom_object *o,
                   struct geom_vert *const *v, unsigned stream);
void output_finish(struct geom *g);

/* streamout.c */
void streamout_object(struct geom *g, unsigned stream,
                      struct geom_vert *const *v, unsigned count);
void streamout_finish(struct geom *g);

/* vertex.c: what the clipper wants to know of vertices, for one viewport. */
void vertex_prepare(const struct geom *g, struct geom_vert *v,
                    unsigned viewport);
/* Makes several in a row, whose entries lie stride_B apart, in this way; codes:
 * once more, side by side. There is room for GEOM_PAD_VERTS more. */
void vertex_prepare_all(const struct geom *g, const uint32_t *vue,
                        uint32_t stride_B, struct geom_vert *v, unsigned count,
                        unsigned viewport, uint32_t *codes);

/* clip.c. v has the 1, 2 or 3 vertices of the kind, in winding order. */
/* false without memory. */
bool clip_init(struct geom *g);
void clip_finish(struct geom *g);
void clip_object(struct geom *g, const struct geom_object *o,
                 struct geom_vert *const *v, unsigned provoking);

#endif
