/* media_payload.c: see media_payload.h. */
#include "engine/media/media_payload.h"

unsigned
media_append(uint8_t *grf, unsigned at_B, const void *data, uint64_t size_B)
{
    const unsigned room_B = EU_GRF_COUNT * EU_GRF_B - at_B;
    size_B = MIN2(size_B, room_B);
    if (size_B)
        memcpy(grf + at_B, data, size_B);
    /* The next part begins in a register of its own. */
    unsigned padded_B = ((unsigned)size_B + EU_GRF_B - 1) / EU_GRF_B * EU_GRF_B;
    memset(grf + at_B + size_B, 0, padded_B - size_B);
    return at_B + padded_B;
}

void
media_fill_payload(const struct dispatch *d, const struct eu_launch *launch,
                   struct eu_thread *t, const struct media_object *object,
                   unsigned fftid)
{
    uint8_t *grf = (uint8_t *)eu_grf(t, 0);
    stage_header(&d->stage, eu_grf(t, 0), fftid);
    uint64_t rows_B = object->no_constants
                          ? 0
                          : (uint64_t)d->per_thread_grf * EU_GRF_B;
    unsigned end_B = media_append(grf, EU_GRF_B, d->curbe,
                                  MIN2(rows_B, d->curbe_B));
    /* Rows after the CURBE's end are zero. */
    for (; end_B < EU_GRF_B + rows_B && end_B < EU_GRF_COUNT * EU_GRF_B;
         end_B += EU_GRF_B)
        memset(grf + end_B, 0, EU_GRF_B);
    end_B = media_append(grf, end_B, object->inline_data,
                         object->inline_dw * 4u);
    end_B = media_append(grf, end_B, object->indirect, object->indirect_B);
    eu_launch_zero(launch, t, end_B / EU_GRF_B);
}

void
media_set_position(struct eu_thread *t, const struct media_position *p)
{
    uint32_t *r0 = eu_grf(t, 0);
    r0[1] = p->x | (uint32_t)p->y << 16;
    r0[2] = p->color;
}
