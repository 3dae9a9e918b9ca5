/* vue_transpose_strided.h: put_vertices() of vue_transpose_tmpl.h, for files
 * that define the functions declared here. */

/* Transposes columns to rows, one vertex after the other. */
static inline void put_rows(struct geom_vert *v, const vec r[4]);
/* prim_snap() of two vectors, interleaved. */
static inline void snap(int32_t out[LANES][2], const vec *x, const vec *y);

static inline void
put_vertices(struct geom_vert *v, const vec p[4], ivec codes,
             const struct lane_entries *e)
{
    alignas(64) int32_t xy[LANES][2];
    const uint8_t *vue = e->vue;
    snap(xy, &p[0], &p[1]);
    put_rows(v, p);
    for (unsigned i = 0; i < LANES; i++, vue += e->stride_B) {
        v[i].p.v.vue = (const uint32_t *)(const void *)vue;
        memcpy(&v[i].p.x, xy[i], sizeof xy[i]);
        uint64_t last = (uint64_t)e->tail << 32 | (uint32_t)codes[i];
        memcpy(&v[i].codes, &last, sizeof last);
    }
}
