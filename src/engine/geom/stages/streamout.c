/* streamout.c: stream output: writes all vertices of an object to buffers, or
 * none. */
#include "engine/geom/geom.h"

static bool
fits(const struct draw *draw, const struct draw_so_stream *stream,
     unsigned count)
{
    for (unsigned b = 0; b < 4; b++) {
        const struct draw_so_buffer *so = &draw->so_buffer[b];
        if (!(stream->buffer_mask >> b & 1))
            continue;
        if (!so->enabled ||
            (uint64_t)*so->offset_B + (uint64_t)so->pitch_B * count >
                so->size_B)
            return false;
    }
    return true;
}

static void
write_vertex(const struct geom *g, const struct draw_so_stream *stream,
             const uint32_t *vue)
{
    const struct draw *draw = g->draw;
    uint64_t at[4];
    for (unsigned b = 0; b < 4; b++)
        at[b] = draw->so_buffer[b].enabled ? *draw->so_buffer[b].offset_B : 0;
    for (unsigned i = 0; i < MIN2(stream->decl_count, 128); i++) {
        const struct gen9_so_decl *decl = &stream->decl[i];
        unsigned b = decl->output_buffer_slot & 3;
        const struct draw_so_buffer *so = &draw->so_buffer[b];
        unsigned slot = stream->read_offset * 2 + decl->register_index;
        for (unsigned c = 0; c < 4; c++) {
            if (!(decl->component_mask >> c & 1))
                continue;
            /* Skip a hole, and an element outside of the buffer, which is
             * possible only if the pitch is smaller than the declarations. */
            if (!decl->hole_flag && so->enabled && at[b] + 4 <= so->size_B)
                vm_write32(draw->vm, so->va + at[b],
                           slot < g->last_slots ? vue[slot * 4 + c] : 0);
            at[b] += 4;
        }
    }
    for (unsigned b = 0; b < 4; b++)
        if (stream->buffer_mask >> b & 1)
            *draw->so_buffer[b].offset_B += draw->so_buffer[b].pitch_B;
}

void
streamout_object(struct geom *g, unsigned stream, struct geom_vert *const *v,
                 unsigned count)
{
    const struct draw *draw = g->draw;
    const struct draw_so_stream *s = &draw->so_stream[stream];
    bool statistics = draw->so.so_statistics_enable;
    /* Counts streams without buffers, too. Observed: drivers take
     * PRIMITIVES_GENERATED of streams 1 to 3 from it. */
    if (statistics)
        atomic_fetch_add(&draw->stats->so_storage_needed[stream], 1);
    if (!s->buffer_mask || !fits(draw, s, count))
        return;
    for (unsigned i = 0; i < count; i++)
        write_vertex(g, s, v[i]->p.v.vue);
    if (statistics)
        atomic_fetch_add(&draw->stats->so_prims_written[stream], 1);
}

void
streamout_finish(struct geom *g)
{
    const struct draw *draw = g->draw;
    if (!draw->so.so_function_enable)
        return;
    for (unsigned b = 0; b < 4; b++) {
        const struct draw_so_buffer *so = &draw->so_buffer[b];
        if (so->enabled && so->offset_write)
            vm_write32(draw->vm, so->offset_va, *so->offset_B);
    }
}
