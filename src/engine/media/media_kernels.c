/* media_kernels.c: the kernels of a family, resolved when a thread first needs
 * them. */
#include "engine/media/media_family.h"

#include <stdlib.h>

/* Guess: more than any picture needs. Each of 64 descriptors may be run with
 * the tables of any other kernel. */
#define MAX_KERNELS 256

static bool
has_tables(const struct media_kernel *k, const struct shader_stage *parent)
{
    if (!parent || !k->parent)
        return parent == k->parent;
    return k->d.stage.binding_table_offset == parent->binding_table_offset &&
           k->d.stage.sampler_offset == parent->sampler_offset;
}

/* Children have their parent's tables: the descriptor's pointers are ignored
 * for child threads. KBL PRM vol 2d, INTERFACE_DESCRIPTOR_DATA. */
static bool
make_kernel(struct media_family *f, struct media_kernel *k)
{
    struct eu_start start;
    if (!f->work->resolve(f->work->ctx, k->descriptor, &k->d, &k->cache))
        return false;
    if (k->parent) {
        k->d.stage.binding_table_offset = k->parent->binding_table_offset;
        k->d.stage.sampler_offset = k->parent->sampler_offset;
    }
    stage_start(&k->d.stage, &start);
    start.ends_quietly = !stage_sends_all(&k->d.stage);
    eu_launch_init(&k->launch, &start);
    return true;
}

static void
free_kernel(struct media_kernel *k)
{
    eu_kernel_unref(k->d.stage.kernel);
    stage_cache_finish(&k->cache);
    free(k);
}

struct media_kernel *
media_kernel_find(struct media_family *f, unsigned descriptor,
                  const struct shader_stage *parent)
{
    struct media_kernel *k = f->kernels;
    for (; k; k = k->next)
        if (k->descriptor == descriptor && has_tables(k, parent))
            return k;
    k = f->kernel_count < MAX_KERNELS
            ? aligned_alloc(64, (sizeof *k + 63) / 64 * 64)
            : NULL;
    if (!k) {
        guest_error("too many kernels for media threads");
        return NULL;
    }
    memset(k, 0, sizeof *k);
    k->descriptor = descriptor;
    k->parent = parent;
    stage_cache_init(&k->cache, NULL);
    if (!make_kernel(f, k)) {
        free_kernel(k);
        return NULL;
    }
    k->next = f->kernels;
    f->kernels = k;
    f->kernel_count++;
    return k;
}

void
media_kernels_free(struct media_family *f)
{
    while (f->kernels) {
        struct media_kernel *k = f->kernels;
        f->kernels = k->next;
        free_kernel(k);
    }
}
