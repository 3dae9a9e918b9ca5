/* draw_input.c: freezes vertex buffers and elements, the index buffer and
 * stream output. */
#include "engine/freeze/draw_private.h"

static void
vertex_buffers(const struct hw_state *hw, struct draw *draw)
{
    for (unsigned i = 0; i < DRAW_MAX_VB; i++) {
        struct gen9_vertex_buffer_state vb;
        gen9_vertex_buffer_state_unpack(&vb, hw->vertex_buffer[i]);
        draw->vb[i] = (struct draw_vertex_buffer){
            .valid = !vb.null_vertex_buffer && vb.buffer_size,
            .va = vb.buffer_starting_address,
            .size_B = vb.buffer_size,
            .pitch_B = vb.buffer_pitch,
        };
    }
}

static void
vertex_elements(const struct hw_state *hw, struct draw *draw)
{
    draw->ve_count = hw->vertex_element_count;
    for (unsigned i = 0; i < draw->ve_count; i++) {
        struct gen9_3dstate_vf_instancing inst;
        gen9_3dstate_vf_instancing_unpack(&inst, hw->vf_instancing[i]);
        gen9_vertex_element_state_unpack(&draw->ve[i].ve,
                                         hw->vertex_element[i]);
        draw->ve[i].instancing = inst.instancing_enable;
        draw->ve[i].step_rate = inst.instance_data_step_rate;
        if (draw->ve[i].ve.vertex_buffer_index >= DRAW_MAX_VB)
            draw->ve[i].ve.valid = false;
    }
}

void
draw_input_vertices(struct engine_context *ctx, struct draw *draw)
{
    const struct hw_state *hw = ctx->hw;
    vertex_buffers(hw, draw);
    vertex_elements(hw, draw);
    struct gen9_3dstate_index_buffer ib;
    gen9_3dstate_index_buffer_unpack(&ib,
                                     hw_packet(hw, HW_3DSTATE_INDEX_BUFFER));
    draw->index_buffer.va = ib.buffer_starting_address;
    draw->index_buffer.size_B = ib.buffer_size;
    draw->index_buffer.index_B = 1u << MIN2(ib.index_format, 2);
    gen9_3dstate_vf_unpack(&draw->vf, hw_packet(hw, HW_3DSTATE_VF));
    gen9_3dstate_vf_sgvs_unpack(&draw->sgvs, hw_packet(hw, HW_3DSTATE_VF_SGVS));
    memcpy(draw->component_enables,
           hw_packet(hw, HW_3DSTATE_VF_COMPONENT_PACKING) + 1,
           sizeof draw->component_enables);
    draw->vf_statistics = hw_packet(hw, HW_3DSTATE_VF_STATISTICS)[0] & 1;
}

/* ---- stream output ----------------------------------------------------- */

static void
so_streams(const struct hw_state *hw, struct draw *draw)
{
    const uint32_t *dw = hw_packet(hw, HW_3DSTATE_SO_DECL_LIST);
    unsigned rows = (bits_get(dw[0], 0, 8) + 2 - 3) / 2;
    const struct gen9_3dstate_streamout *so = &draw->so;
    const unsigned read[4][2] = {
        {so->stream_0_vertex_read_offset, so->stream_0_vertex_read_length},
        {so->stream_1_vertex_read_offset, so->stream_1_vertex_read_length},
        {so->stream_2_vertex_read_offset, so->stream_2_vertex_read_length},
        {so->stream_3_vertex_read_offset, so->stream_3_vertex_read_length},
    };
    for (unsigned i = 0; i < 4; i++) {
        struct draw_so_stream *s = &draw->so_stream[i];
        s->buffer_mask = bits_get(dw[1], i * 4, i * 4 + 3);
        s->decl_count = MIN2(bits_get(dw[2], i * 8, i * 8 + 7), rows);
        s->decl_count = MIN2(s->decl_count, ARRAY_SIZE(s->decl));
        s->read_offset = read[i][0];
        s->read_length = read[i][1] + 1; /* the field is the length minus 1 */
        for (unsigned n = 0; n < s->decl_count; n++) {
            uint32_t decl = dw[3 + n * 2 + i / 2] >> (i % 2 * 16) & 0xffff;
            gen9_so_decl_unpack(&s->decl[n], &decl);
        }
    }
}

static void
so_buffers(struct engine_context *ctx, struct draw *draw)
{
    struct hw_state *hw = ctx->hw;
    const struct gen9_3dstate_streamout *so = &draw->so;
    const unsigned pitch[4] = {
        so->buffer_0_surface_pitch, so->buffer_1_surface_pitch,
        so->buffer_2_surface_pitch, so->buffer_3_surface_pitch};
    for (unsigned i = 0; i < 4; i++) {
        struct gen9_3dstate_so_buffer p;
        gen9_3dstate_so_buffer_unpack(&p, hw->so_buffer[i]);
        draw->so_buffer[i] = (struct draw_so_buffer){
            .enabled = p.so_buffer_enable,
            .va = p.surface_base_address,
            .size_B = ((uint64_t)p.surface_size + 1) * 4,
            .pitch_B = pitch[i],
            .offset_write = p.stream_output_buffer_offset_address_enable,
            .offset_va = p.stream_output_buffer_offset_address,
            .offset_B = &hw->reg[REG_SO_WRITE_OFFSET / 4 + i],
        };
    }
}

void
draw_input_streamout(struct engine_context *ctx, struct draw *draw)
{
    gen9_3dstate_streamout_unpack(&draw->so,
                                  hw_packet(ctx->hw, HW_3DSTATE_STREAMOUT));
    if (!draw->so.so_function_enable)
        return;
    so_streams(ctx->hw, draw);
    so_buffers(ctx, draw);
}
