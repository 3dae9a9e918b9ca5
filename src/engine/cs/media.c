/* media.c: handlers of compute and media commands: constants, interface
 * descriptors, walkers, objects. */
#include "engine/cs/cs.h"

void
media_curbe_load(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    struct gen9_media_curbe_load p;
    gen9_media_curbe_load_unpack(&p, dw);
    /* Read the data now, because the driver may reuse its memory. */
    if (p.curbe_total_data_length > HW_CURBE_B) {
        cs_fail(cs, "CURBE of %u bytes", p.curbe_total_data_length);
        return;
    }
    cs->hw->curbe_B = p.curbe_total_data_length;
    memcpy(cs->hw->curbe,
           vm_ptr(cs->vm, cs->hw->dynamic_base + p.curbe_data_start_address),
           p.curbe_total_data_length);
}

void
media_interface_descriptor_load(struct cs *cs, const uint32_t *dw,
                                unsigned len_dw)
{
    struct gen9_media_interface_descriptor_load p;
    gen9_media_interface_descriptor_load_unpack(&p, dw);
    uint32_t size_B = p.interface_descriptor_total_length;
    if (size_B > sizeof cs->hw->interface_descriptor) {
        cs_fail(cs, "interface descriptors of %u bytes", size_B);
        return;
    }
    gpu_va va = cs->hw->dynamic_base +
                p.interface_descriptor_data_start_address;
    memcpy(cs->hw->interface_descriptor, vm_ptr(cs->vm, va), size_B);
}

void
media_gpgpu_walker(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    struct gen9_gpgpu_walker p;
    gen9_gpgpu_walker_unpack(&p, dw);
    if (p.predicate_enable && !cs_predicate(cs->hw))
        return;
    context_begin_work(cs->ctx);
    if (!dispatch_run(cs->ctx, dw))
        cs->failed = true;
}

/* Runs a media command's threads. */
static void
run_media(struct cs *cs, const uint32_t *dw, unsigned len_dw,
          bool (*run)(struct engine_context *, const uint32_t *, unsigned))
{
    context_begin_work(cs->ctx);
    if (!run(cs->ctx, dw, len_dw))
        cs->failed = true;
}

void
media_object(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    run_media(cs, dw, len_dw, media_object_run);
}

void
media_object_prt(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    run_media(cs, dw, len_dw, media_object_prt_run);
}

void
media_object_walker(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    run_media(cs, dw, len_dw, media_object_walker_run);
}

void
media_object_grpid(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    run_media(cs, dw, len_dw, media_object_grpid_run);
}

/* Runs the threads that wait; all other threads have ended. */
void
media_state_flush(struct cs *cs, const uint32_t *dw, unsigned len_dw)
{
    if (!media_end(cs->ctx))
        cs->failed = true;
}
