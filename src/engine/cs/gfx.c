/* gfx.c: handlers of 3D and common commands that do more than store a packet.
 * Layouts: KBL PRM vol 2d, through gen9_pack.h. */
#include "engine/cs/cs.h"

void
gfx_state_base_address(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    /* Gen8's packet ends before the bindless dwords. */
    uint32_t full[gen9_STATE_BASE_ADDRESS_len_dw] = {0};
    memcpy(full, dw, MIN2(len_dw * 4, sizeof full));
    struct gen9_state_base_address p;
    gen9_state_base_address_unpack(&p, full);
    struct hw_state *hw = cs->hw;
    if (p.general_state_base_address_modify_enable)
        hw->general_base = p.general_state_base_address;
    if (p.surface_state_base_address_modify_enable)
        hw->surface_base = p.surface_state_base_address;
    if (p.dynamic_state_base_address_modify_enable)
        hw->dynamic_base = p.dynamic_state_base_address;
    if (p.indirect_object_base_address_modify_enable)
        hw->indirect_base = p.indirect_object_base_address;
    if (p.instruction_base_address_modify_enable)
        hw->instruction_base = p.instruction_base_address;
    if (p.bindless_surface_state_base_address_modify_enable)
        hw->bindless_base = p.bindless_surface_state_base_address;
}

void
gfx_pipeline_select(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    struct gen9_pipeline_select p;
    gen9_pipeline_select_unpack(&p, dw);
    /* Gen9 has a write mask; on Gen8 these bits are zero and ignored. */
    if (cs->engine->config.gen < 9 || (p.mask_bits & 3) == 3)
        cs->hw->pipeline = p.pipeline_selection;
}

void
gfx_vertex_buffers(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    for (unsigned i = 1; i + 4 <= len_dw; i += 4) {
        struct gen9_vertex_buffer_state vb;
        gen9_vertex_buffer_state_unpack(&vb, dw + i);
        if (vb.vertex_buffer_index >= DRAW_MAX_VB) {
            cs_fail(cs, "vertex buffer %u", vb.vertex_buffer_index);
            return;
        }
        uint32_t *to = cs->hw->vertex_buffer[vb.vertex_buffer_index];
        uint32_t address[2] = {to[1], to[2]};
        memcpy(to, dw + i, 16);
        if (!vb.address_modify_enable)
            memcpy(to + 1, address, 8);
    }
}

void
gfx_vertex_elements(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    unsigned count = (len_dw - 1) / 2;
    if (count > DRAW_MAX_VE) {
        cs_fail(cs, "%u vertex elements", count);
        return;
    }
    memcpy(cs->hw->vertex_element, dw + 1, count * 8);
    cs->hw->vertex_element_count = count;
}

void
gfx_vf_instancing(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    unsigned index = bits_get(dw[1], 0, 5);
    if (index >= DRAW_MAX_VE) {
        cs_fail(cs, "instancing of vertex element %u", index);
        return;
    }
    memcpy(cs->hw->vf_instancing[index], dw, 12);
}

void
gfx_chroma_key(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    memcpy(cs->hw->chroma_key[bits_get(dw[1], 30, 31)], dw + 2, 8);
}

/* Replaces entries from the first one on. Draws read the table in place, which
 * is safe because the command is no state: no draw has pixels left to do. */
void
gfx_palette_load(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    bool second = dw[0] >> 16 == 0x790c;
    memcpy(cs->hw->palette[second], dw + 1,
           MIN2(len_dw - 1, SURFACE_COLORS) * 4);
}

void
gfx_so_buffer(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    struct gen9_3dstate_so_buffer p;
    gen9_3dstate_so_buffer_unpack(&p, dw);
    memcpy(cs->hw->so_buffer[p.so_buffer_index], dw, 32);
    if (!p.stream_offset_write_enable)
        return;
    uint32_t offset = p.stream_offset;
    if (offset == UINT32_MAX && p.stream_output_buffer_offset_address_enable)
        offset = vm_read32(cs->vm, p.stream_output_buffer_offset_address);
    cs->hw->reg[REG_SO_WRITE_OFFSET / 4 + p.so_buffer_index] = offset;
}

/* The next PIPE_CONTROL starts the operation, once. */
void
gfx_wm_hz_op(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    cs->hw->hz_op_pending = dw[1] != 0;
}

void
gfx_3dprimitive(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    struct gen9_3dprimitive p;
    gen9_3dprimitive_unpack(&p, dw);
    if (p.predicate_enable && !cs_predicate(cs->hw))
        return;
    context_begin_work(cs->ctx);
    if (!draw_run(cs->ctx, dw))
        cs->failed = true;
}
