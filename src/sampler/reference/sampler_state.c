/* sampler_state.c: decodes SAMPLER_STATE. KBL PRM vol 2d, SAMPLER_STATE. */
#include "sampler/reference/sample.h"

static uint8_t
decode_rounding(const struct gen9_sampler_state *st)
{
    return (uint8_t)(st->r_address_min_filter_rounding_enable << 0 |
                     st->r_address_mag_filter_rounding_enable << 1 |
                     st->v_address_min_filter_rounding_enable << 2 |
                     st->v_address_mag_filter_rounding_enable << 3 |
                     st->u_address_min_filter_rounding_enable << 4 |
                     st->u_address_mag_filter_rounding_enable << 5);
}

/* Guess: reserved filters mean nearest. */
static uint8_t
decode_filter(uint32_t filter)
{
    return filter <= FILTER_ANISOTROPIC || filter == FILTER_MONO
               ? (uint8_t)filter
               : FILTER_NEAREST;
}

void
sampler_decode(struct sampler *s, const uint32_t state[4],
               uint32_t *border_offset_B, unsigned gen)
{
    struct gen9_sampler_state st;
    gen9_sampler_state_unpack(&st, state);
    *s = (struct sampler){
        .disabled = st.sampler_disable,
        .min_filter = decode_filter(st.min_mode_filter),
        .mag_filter = decode_filter(st.mag_mode_filter),
        .mip_filter = (uint8_t)st.mip_mode_filter,
        .anisotropic_ewa = st.anisotropic_algorithm,
        .max_anisotropy = (uint8_t)(2 * (st.maximum_anisotropy + 1)),
        .wrap = {(uint8_t)st.tcx_address_control_mode,
                 (uint8_t)st.tcy_address_control_mode,
                 (uint8_t)st.tcz_address_control_mode},
        .shadow_func = (uint8_t)st.shadow_function,
        .non_normalized = st.non_normalized_coordinate_enable,
        .cube_override = st.cube_surface_control_mode,
        .lod_preclamp = (uint8_t)st.lod_preclamp_mode,
        .dx9_border = st.texture_border_color_mode,
        .lod_bias = st.texture_lod_bias,
        .min_lod = st.min_lod,
        .max_lod = st.max_lod,
        .mag_clamp_mode = (uint8_t)st.lod_clamp_magnification_mode,
        .rounding_enable = decode_rounding(&st),
        .chromakey = st.chromakey_enable,
        .key_mode = (uint8_t)st.chromakey_mode,
        .key_index = (uint8_t)st.chromakey_index,
    };
    if (s->mip_filter != MIP_NEAREST && s->mip_filter != MIP_LINEAR)
        s->mip_filter = MIP_NONE;
    if (st.reduction_type_enable)
        s->reduction = (uint8_t)st.reduction_type;
    *border_offset_B = (uint32_t)st.border_color_pointer;
}
