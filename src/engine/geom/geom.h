/* geom.h: the geometry pipeline, from vertex fetch to the clipper's output.
 * Other rooms use only geom_draw() and geom_kept_free(), called by freeze/.
 *
 * A draw is split into chunks of some thousand primitives, independently of the
 * number of workers. One worker takes a chunk through vertex fetch, VS, clipper
 * and set-up in its lane: a struct geom with its own memory. Raster draws the
 * lists of set-up primitives in the order of the chunks.
 *
 * Draws of one chunk, and draws with tessellation, geometry shader or stream
 * output, have one lane. It runs the chunks in order, and uses all workers for
 * the jobs of geom_for() and for parts of many triangles (tri_fast_path.c).
 *
 * Within a chunk, vertices and objects are collected in a batch; each stage
 * runs over the whole batch before the next. */
#ifndef ENGINE_GEOM_H
#define ENGINE_GEOM_H

#include "engine/geom/assemble.h"
#include "engine/raster/raster.h"
#include "engine/thread/thread.h"

/* Vertices on the border of two chunks are shaded twice. Chunks are large, so
 * that this is rare: a chunk has many more primitives than a row of a large
 * grid. */
#define GEOM_CHUNK_PRIMS 8192
#define GEOM_BATCH_VERTS 8192
#define GEOM_BATCH_OBJECTS 8192
/* Vertices per vertex shader thread. */
#define GEOM_THREAD_VERTS 8
/* Padding: vertices after the last one that vectors may process. */
#define GEOM_PAD_VERTS 16
/* Bytes of URB entries that a stage keeps at a time. */
#define GEOM_STAGE_URB_B (UINT64_C(8) << 20)

/* A shaded vertex. The clipper's results are cached for one viewport, because
 * objects that share a vertex mostly use the same one. */
struct geom_vert {
    struct prim_corner p; /* screen position, also snapped */
    uint32_t codes;       /* enum clip_code */
    uint8_t viewport;     /* of codes and p, or GEOM_VIEWPORT_NONE */
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

/* A range of a merged draw (merged_draws.c): its vertices have their own
 * constants and begin a new thread. */
struct batch_piece {
    unsigned first, count;
    const uint32_t *push;
};

struct batch {
    unsigned vert_cap, object_cap, index_cap;
    unsigned vert_count, object_count, index_count;
    unsigned tri_count; /* used instead of objects: see tri_fast_path.c */
    struct geom_vert *vert;
    uint32_t *key, *instance; /* per vertex */
    struct batch_object *object;
    uint32_t *index; /* vertices of the objects */
    struct prim_tri *tri;
    unsigned piece_count; /* 0: all vertices use the stage's constants */
    struct batch_piece *piece;
    uint32_t *codes;     /* of the vertices, side by side */
    uint32_t *tri_key;   /* of the chunk's vertices, after the draw's first */
    uint32_t first_prim; /* first primitive of the chunk, if numbered */
    bool unique;         /* the keys have distinct slots in the table */
    /* Vertex by key: a hash table with open addressing; vertex + 1, 0 is free.
     * If numbered: the vertex with key least_key + i. */
    uint16_t *slot;
    uint32_t slot_mask, slot_shift;
    bool numbered;
    uint32_t least_key, key_range;
    /* The previous batch left shaded_count shaded vertices, with keys from
     * shaded_key on. The first `have` vertices of this batch are among them. */
    uint32_t shaded_count, shaded_key, shaded_instance;
    uint32_t have;
};

/* URB memory: one block for all stages, divided into regions. */
struct urb_region {
    uint32_t handle; /* of the first entry */
    uint32_t entry_B;
    uint32_t entries;
};

struct geom_lanes;
struct gs_queue;
struct tess_state;

/* Memory that a context reuses from draw to draw: a fixed block of GEOM_KEPT_B
 * bytes per use. Larger blocks are kept up to GEOM_SPARE_B bytes. */
#define GEOM_KEPT_B (128 * 1024)
#define GEOM_SPARE_B (4 * 1024 * 1024)
enum geom_piece { GEOM_URB, GEOM_BATCH, GEOM_CUT, GEOM_PIECES };

/* A kept block of a larger draw. */
struct geom_spare {
    void *p;
    size_t size_B;
};

struct geom_kept {
    alignas(64) uint8_t piece[GEOM_PIECES][GEOM_KEPT_B];
    struct geom_spare (*spare)[GEOM_PIECES]; /* per worker, then the draw's */
    unsigned workers;
    struct fetch_plan *plan;
    uint64_t input_serial; /* draw.input_serial of the plan */
};

struct geom {
    const struct draw *draw;
    struct geom_kept *kept;   /* NULL: no memory is reused */
    struct geom_spare *spare; /* the lane's; NULL: none */
    struct scene *scene;      /* created for the first primitive */
    struct prim_list *list;
    uint32_t *cut_vue; /* entries of the vertices of a clipped object */
    bool lane;         /* this is one of several lanes, run by `worker` */
    unsigned worker;
    struct urb_space urb;
    struct urb_region vs_urb, hs_urb, ds_urb, gs_urb;
    struct fetch_plan *fetch;
    const struct geom_lanes *lanes;
    struct assembler assembler;
    struct batch batch;
    struct eu_launch vs_launch;
    bool vs_ready;           /* vs_launch is initialised */
    bool tris;               /* the draw takes the path of tri_fast_path.c */
    bool unseen;             /* no output: vertices are only counted */
    struct gs_queue *gs;     /* NULL: no GS */
    struct tess_state *tess; /* NULL: no tessellation */
    unsigned last_slots;     /* slots of a vertex of the last stage */
    unsigned vue_slots;      /* slots that raster reads */
    uint32_t user_clip, user_cull; /* bit per distance */
    uint32_t clip_codes, reject_codes;
    uint32_t instance; /* being assembled */
    /* Next indices, prefetched while shading. */
    const uint8_t *ahead;
    uint32_t ahead_B;
    uint64_t cl_invocations, cl_primitives;
    uint64_t cl_cut, cl_pieces; /* objects that are cut; made of them */
    uint64_t ia_vertices, ia_primitives;
    /* Progress of the draw, for geom_look_at_clock(). `splits`: work counts
     * primitives, else vertices. All lanes are taken to make equal progress. */
    bool splits;
    int64_t begun_ns; /* clock_tick_ns() */
    double work, lanes_count;
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

/* Allocates the regions. False: out of memory. */
bool geom_urb_init(struct geom *g);
/* Abandons the draw if it would take too long (hang.h). */
void geom_look_at_clock(struct geom *g);
/* Abandons the draw after a guest error. */
void geom_fail(struct geom *g);
/* Runs fn for [0, count) on the workers, or in this thread if that is
 * cheaper. */
void geom_for(struct geom *g, unsigned count,
              void (*fn)(struct geom *g, unsigned index, unsigned worker));
/* Fills a thread environment and the start of a SIMD8 thread of a stage. */
void geom_env(const struct geom *g, const struct shader_stage *stage,
              unsigned worker, struct thread_env *env, struct eu_start *start,
              uint32_t dispatch_mask);
/* Writes header and constants of a thread's payload; fftid as for
 * stage_header(). Returns the first register after the constants; 0: they do
 * not fit. */
unsigned geom_payload(const struct shader_stage *stage,
                      struct eu_thread *thread, unsigned fftid);
/* Passes an object from VS or DS to the GS or to output. v: vertices as struct
 * geom_assembled's keys. */
void geom_shaded(struct geom *g, const struct geom_object *o,
                 struct geom_vert *const *v);

/* draw_scratch.c. Memory is aligned to 64 bytes. NULL: out of memory. */
void geom_find_kept(struct geom *g);
struct geom_spare *geom_find_spare(const struct geom *g, unsigned worker);
void *geom_take(const struct geom *g, enum geom_piece piece, size_t size_B);
void geom_give(const struct geom *g, enum geom_piece piece, void *p);

/* vertex_batch.c. Allocates the batch. False: out of memory. */
bool batch_init(struct geom *g);
void batch_finish(struct geom *g);
/* Adds an object; an assemble_fn. */
void batch_object(void *ctx, const struct geom_assembled *in);
/* Numbers the vertices with these keys, in key order. The keys lie in
 * [least_key, least_key + range). False: the batch is not empty, or they are
 * too many. */
bool batch_number(struct geom *g, const uint32_t *key, uint32_t count,
                  uint32_t least_key, uint32_t range);
/* Called before the vertices of g->instance. */
void batch_instance(struct geom *g);
/* Runs the batch through the stages and empties it. */
void batch_run(struct geom *g);

/* tri_fast_path.c: a compact form for triangles that need no clipping. */
bool tris_possible(const struct geom *g);
bool tris_are_fan(const struct draw *draw);
/* Adds triangles prim_id, prim_id + 1, ... of a list, strip or fan. key: their
 * vertices' keys, in batch.tri_key. */
void tris_add(struct geom *g, uint32_t prim_id, uint32_t count,
              const uint32_t *key);
/* Rejects, clips or passes on the shaded triangles of the batch. If it is
 * numbered, its triangles, all of the chunk, are made only here. */
void tris_run(struct geom *g);

/* merged_draws.c: pieces_room() returns the batch's vertices for a draw with
 * vs_varies; pieces_add() adds the whole draw to the batch. */
unsigned pieces_room(const struct draw *draw);
void pieces_add(struct geom *g);

/* chunk.c: runs the draw's chunks. */
void chunks_run(struct geom *g);
/* Reads indices [at, at + count) of the index buffer, 0 beyond its end. */
void chunk_read_indices(const struct draw *draw, uint64_t at, uint32_t count,
                        uint32_t *key);

/* fetch.c. False after a guest error, or out of memory. */
bool fetch_init(struct geom *g);
void fetch_finish(struct geom *g);
/* Number of 16-byte slots that the elements fill. */
unsigned fetch_slots(const struct fetch_plan *plan);
/* Fetches dwords [from, from + count) of eight vertices, as structure of
 * arrays, as far as elements define them. Every lane needs a key. */
void fetch_lanes(const struct geom *g, const uint32_t key[8],
                 const uint32_t instance[8], unsigned from, unsigned count,
                 uint32_t (*out)[8]);
bool fetch_has_edge_flag(const struct fetch_plan *plan);
bool fetch_edge_flag(const struct geom *g, uint32_t key, uint32_t instance);
/* The reference of fetch_lanes(), for one vertex: writes fetch_slots() * 4
 * dwords. *edge_flag is written only if an element has one. */
void fetch_vertex(const struct geom *g, uint32_t key, uint32_t instance,
                  uint32_t *out, bool *edge_flag);

/* vs.c: shades the batch's vertices, or only fetches them if there is no VS.
 * Prepares vertices of tri_fast_path.c for the clipper. */
void vs_run(struct geom *g);
/* Adds to the VS invocation counter. */
void vs_count(const struct geom *g, uint64_t count);

/* tess_stages.c: turns patches into objects and passes them to
 * geom_shaded(). */
bool hsds_init(struct geom *g);
void hsds_finish(struct geom *g);
void hsds_patch(struct geom *g, const struct geom_object *o,
                struct geom_vert *const *v);
void hsds_flush(struct geom *g);

/* gs.c: runs the GS on objects and passes its objects to output_object(). */
bool gs_init(struct geom *g);
void gs_finish(struct geom *g);
void gs_object(struct geom *g, const struct geom_object *o,
               struct geom_vert *const *v);
void gs_flush(struct geom *g);

/* output.c: stream output, then the clipper. */
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

/* vertex_prepare.c: computes clip codes and screen position of a vertex, for
 * one viewport. */
void vertex_prepare(const struct geom *g, struct geom_vert *v,
                    unsigned viewport);
/* Initialises and prepares vertices whose entries lie stride_B apart. codes: a
 * second copy of their codes, side by side. Arrays have room for GEOM_PAD_VERTS
 * more. */
void vertex_prepare_all(const struct geom *g, const uint32_t *vue,
                        uint32_t stride_B, struct geom_vert *v, unsigned count,
                        unsigned viewport, uint32_t *codes);

/* clip.c. v has the 1, 2 or 3 vertices of the kind, in winding order.
 * clip_init() returns false if out of memory. */
bool clip_init(struct geom *g);
void clip_finish(struct geom *g);
void clip_object(struct geom *g, const struct geom_object *o,
                 struct geom_vert *const *v, unsigned provoking);

/* Runs the draw from vertex fetch to the last pixel, on draw->pool. Called in
 * the thread that executes the batch. Returns when all memory writes are done,
 * except deferred pixels (raster_has_deferred()). */
void geom_draw(const struct draw *draw);
void geom_kept_free(struct geom_kept *kept);

#endif
