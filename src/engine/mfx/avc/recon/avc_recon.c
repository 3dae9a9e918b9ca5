/* avc_recon.c: routines by instruction set. */
#include "base/cpu.h"
#include "engine/mfx/avc/recon/recon_ref.h"

#define ROUTINES(isa)                                                     \
    {                                                                     \
        .add_4x4 = avc_add_4x4_##isa, .add_8x8 = avc_add_8x8_##isa,       \
        .luma = avc_luma_##isa, .chroma = avc_chroma_##isa,               \
        .average = avc_average_##isa, .weight_one = avc_weight_one_##isa, \
        .weight_two = avc_weight_two_##isa,                               \
        .filter_luma = avc_filter_luma_##isa,                             \
        .filter_chroma = avc_filter_chroma_##isa,                         \
    }

const struct avc_recon avc_recon_ref = ROUTINES(ref);
const struct avc_recon avc_recon_avx2 = ROUTINES(avx2);

const struct avc_recon *
avc_recon_selected(void)
{
    return cpu_selected() >= CPU_AVX2 ? &avc_recon_avx2 : &avc_recon_ref;
}
