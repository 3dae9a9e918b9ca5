/* ioctl_lease.c: leases: CREATE_LEASE, LIST_LESSEES, GET_LEASE, REVOKE_LEASE.
 */
#include "drm-shim/core/core.h"
#include "drm-shim/ioctl/ioctl_handlers.h"
#include "drm-shim/kms/kms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

/* Reads the client's list of objects as a mask. */
static int
read_objects(const struct drm_file *file, const struct drm_mode_create_lease *c,
             unsigned *objects)
{
    int err = 0;
    uint32_t *ids = client_read_array(c->object_ids, c->object_count,
                                      sizeof *ids, &err);
    if (!ids)
        return err;
    *objects = 0;
    for (uint32_t i = 0; i < c->object_count && !err; i++) {
        unsigned bit = lease_bit(ids[i]);
        if (!bit)
            err = ids[i] == KMS_ENCODER ||
                          kms_find_fb(kms_of_device(), ids[i]) ||
                          kms_find_blob(kms_of_device(), ids[i])
                      ? -EINVAL
                      : -ENOENT;
        else if (*objects & bit)
            err = -ENOSPC; /* named twice */
        *objects |= bit;
    }
    free(ids);
    /* A client without universal planes leases the CRTC's planes with it. */
    if (!err && !file->cap_universal_planes && *objects & LEASE_CRTC)
        *objects |= LEASE_PRIMARY | LEASE_CURSOR;
    return err;
}

/* A lessee id that the lessor has not given out. Lock held. */
static uint32_t
free_id(const struct drm_file *lessor)
{
    uint32_t id = 1;
    for (const struct drm_file *f = device_first_file(); f;) {
        bool taken = f->lease.lessor == lessor && f->lease.id == id;
        id += taken;
        f = taken ? device_first_file() : f->next;
    }
    return id;
}

static int
check_objects(const struct drm_file *lessor, unsigned objects)
{
    if (!(objects & LEASE_CRTC) || !(objects & LEASE_CONNECTOR) ||
        !(objects & (LEASE_PRIMARY | LEASE_CURSOR)))
        return -EINVAL;
    for (const struct drm_file *f = device_first_file(); f; f = f->next)
        if (f->lease.lessor == lessor && f->lease.objects & objects)
            return -EBUSY;
    return 0;
}

int
ioctl_mode_create_lease(struct drm_file *file, void *arg)
{
    struct drm_mode_create_lease *c = arg;
    unsigned objects = 0;
    if (c->flags & ~(uint32_t)(O_CLOEXEC | O_NONBLOCK) || !c->object_count ||
        file->lease.lessee)
        return -EINVAL;
    device_collect();
    device_lock();
    int err = read_objects(file, c, &objects);
    if (!err)
        err = check_objects(file, objects);
    int fd = err ? -1 : device_open_lease((int)c->flags, objects);
    struct drm_file *lessee = fd < 0 ? NULL : device_file(fd);
    if (lessee) {
        lessee->lease.id = free_id(file);
        lessee->lease.lessor = file;
        c->lessee_id = lessee->lease.id;
        c->fd = (uint32_t)fd;
        device_file_unref(lessee);
    }
    device_unlock();
    return err ? err : lessee ? 0 : -ENOMEM;
}

/* drm_mode_list_lessees and drm_mode_get_lease have one layout: a count,
 * padding and a pointer. Copies as many ids as fit, and returns the count of
 * all. */
static int
answer_ids(uint32_t *count, uint32_t pad, uint64_t to, const uint32_t *ids,
           uint32_t have)
{
    if (pad)
        return -EINVAL;
    uint32_t n = MIN2(*count, have);
    *count = have;
    return n ? client_write(to, ids, n * sizeof *ids) : 0;
}

int
ioctl_mode_list_lessees(struct drm_file *file, void *arg)
{
    struct drm_mode_list_lessees *l = arg;
    uint32_t ids[LEASE_OBJECTS], n = 0;
    device_collect();
    device_lock();
    for (const struct drm_file *f = device_first_file(); f; f = f->next)
        if (f->lease.lessor == file && f->lease.objects)
            ids[n++] = f->lease.id; /* no two have an object in common */
    device_unlock();
    return answer_ids(&l->count_lessees, l->pad, l->lessees_ptr, ids, n);
}

int
ioctl_mode_get_lease(struct drm_file *file, void *arg)
{
    struct drm_mode_get_lease *g = arg;
    uint32_t ids[LEASE_OBJECTS];
    device_lock();
    uint32_t n = lease_visible(file, ids);
    device_unlock();
    return answer_ids(&g->count_objects, g->pad, g->objects_ptr, ids, n);
}

int
ioctl_mode_revoke_lease(struct drm_file *file, void *arg)
{
    const struct drm_mode_revoke_lease *r = arg;
    int err = -ENOENT;
    device_lock();
    for (struct drm_file *f = device_first_file(); f; f = f->next) {
        if (f->lease.lessor == file && f->lease.id == r->lessee_id) {
            f->lease.objects = 0;
            err = 0;
        }
    }
    device_unlock();
    return err;
}
