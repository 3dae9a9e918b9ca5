/* ioctl.h: one row per ioctl, one function per row.
 *
 * A handler gets its argument in a buffer of the struct's full size (zeros
 * where the client's struct was shorter) and returns >= 0 or -errno; the
 * buffer is copied back afterwards. No lock is held. */
#ifndef SHIM_IOCTL_H
#define SHIM_IOCTL_H

#include "drm-shim/device.h"

enum ioctl_access {
    IOCTL_RENDER = 1 << 0,   /* allowed on the render node */
    IOCTL_MASTER = 1 << 1,   /* only for the master of the card */
    IOCTL_AUTH = 1 << 2,     /* only for authenticated clients of the card */
    IOCTL_FREQUENT = 1 << 3, /* not the first thing asked of a descriptor */
};

/* ioctl_core.c */
int ioctl_version(struct drm_file *file, void *arg);
int ioctl_get_unique(struct drm_file *file, void *arg);
int ioctl_get_magic(struct drm_file *file, void *arg);
int ioctl_auth_magic(struct drm_file *file, void *arg);
int ioctl_get_client(struct drm_file *file, void *arg);
int ioctl_set_version(struct drm_file *file, void *arg);
int ioctl_get_cap(struct drm_file *file, void *arg);
int ioctl_set_client_cap(struct drm_file *file, void *arg);
int ioctl_set_master(struct drm_file *file, void *arg);
int ioctl_drop_master(struct drm_file *file, void *arg);
int ioctl_no_privilege(struct drm_file *file, void *arg);
int ioctl_not_supported(struct drm_file *file, void *arg);

/* ioctl_gem.c */
int ioctl_gem_create(struct drm_file *file, void *arg);
int ioctl_gem_create_ext(struct drm_file *file, void *arg);
int ioctl_gem_close(struct drm_file *file, void *arg);
int ioctl_gem_flink(struct drm_file *file, void *arg);
int ioctl_gem_open(struct drm_file *file, void *arg);
int ioctl_gem_userptr(struct drm_file *file, void *arg);
int ioctl_prime_handle_to_fd(struct drm_file *file, void *arg);
int ioctl_prime_fd_to_handle(struct drm_file *file, void *arg);
int ioctl_gem_set_tiling(struct drm_file *file, void *arg);
int ioctl_gem_get_tiling(struct drm_file *file, void *arg);
int ioctl_gem_set_caching(struct drm_file *file, void *arg);
int ioctl_gem_get_caching(struct drm_file *file, void *arg);
int ioctl_gem_madvise(struct drm_file *file, void *arg);
int ioctl_gem_get_aperture(struct drm_file *file, void *arg);

/* ioctl_gem_access.c */
int ioctl_gem_mmap(struct drm_file *file, void *arg);
int ioctl_gem_mmap_offset(struct drm_file *file, void *arg);
int ioctl_gem_pread(struct drm_file *file, void *arg);
int ioctl_gem_pwrite(struct drm_file *file, void *arg);
int ioctl_gem_set_domain(struct drm_file *file, void *arg);
int ioctl_gem_sw_finish(struct drm_file *file, void *arg);
int ioctl_gem_busy(struct drm_file *file, void *arg);
int ioctl_gem_wait(struct drm_file *file, void *arg);
int ioctl_gem_throttle(struct drm_file *file, void *arg);

/* ioctl_context.c */
int ioctl_context_create(struct drm_file *file, void *arg);
int ioctl_context_destroy(struct drm_file *file, void *arg);
int ioctl_context_getparam(struct drm_file *file, void *arg);
int ioctl_context_setparam(struct drm_file *file, void *arg);
int ioctl_get_reset_stats(struct drm_file *file, void *arg);
int ioctl_vm_create(struct drm_file *file, void *arg);
int ioctl_vm_destroy(struct drm_file *file, void *arg);

/* ioctl_query.c */
int ioctl_getparam(struct drm_file *file, void *arg);
int ioctl_query(struct drm_file *file, void *arg);
int ioctl_reg_read(struct drm_file *file, void *arg);

/* ioctl_exec.c */
int ioctl_execbuffer2(struct drm_file *file, void *arg);

/* ioctl_sync.c */
int ioctl_syncobj_create(struct drm_file *file, void *arg);
int ioctl_syncobj_destroy(struct drm_file *file, void *arg);
int ioctl_syncobj_handle_to_fd(struct drm_file *file, void *arg);
int ioctl_syncobj_fd_to_handle(struct drm_file *file, void *arg);
int ioctl_syncobj_wait(struct drm_file *file, void *arg);
int ioctl_syncobj_timeline_wait(struct drm_file *file, void *arg);
int ioctl_syncobj_reset(struct drm_file *file, void *arg);
int ioctl_syncobj_signal(struct drm_file *file, void *arg);
int ioctl_syncobj_timeline_signal(struct drm_file *file, void *arg);
int ioctl_syncobj_query(struct drm_file *file, void *arg);
int ioctl_syncobj_transfer(struct drm_file *file, void *arg);

/* ioctl_kms.c */
int ioctl_mode_getresources(struct drm_file *file, void *arg);
int ioctl_mode_getcrtc(struct drm_file *file, void *arg);
int ioctl_mode_setcrtc(struct drm_file *file, void *arg);
int ioctl_mode_getencoder(struct drm_file *file, void *arg);
int ioctl_mode_getconnector(struct drm_file *file, void *arg);
int ioctl_mode_getplaneresources(struct drm_file *file, void *arg);
int ioctl_mode_getplane(struct drm_file *file, void *arg);
int ioctl_mode_setplane(struct drm_file *file, void *arg);
int ioctl_mode_page_flip(struct drm_file *file, void *arg);
int ioctl_mode_cursor(struct drm_file *file, void *arg);
int ioctl_mode_cursor2(struct drm_file *file, void *arg);
int ioctl_mode_getgamma(struct drm_file *file, void *arg);
int ioctl_mode_setgamma(struct drm_file *file, void *arg);
int ioctl_mode_list_lessees(struct drm_file *file, void *arg);

/* ioctl_vblank.c */
int ioctl_wait_vblank(struct drm_file *file, void *arg);
int ioctl_crtc_get_sequence(struct drm_file *file, void *arg);
int ioctl_crtc_queue_sequence(struct drm_file *file, void *arg);

/* ioctl_fb.c */
int ioctl_mode_addfb(struct drm_file *file, void *arg);
int ioctl_mode_addfb2(struct drm_file *file, void *arg);
int ioctl_mode_rmfb(struct drm_file *file, void *arg);
int ioctl_mode_getfb(struct drm_file *file, void *arg);
int ioctl_mode_getfb2(struct drm_file *file, void *arg);
int ioctl_mode_dirtyfb(struct drm_file *file, void *arg);
int ioctl_mode_create_dumb(struct drm_file *file, void *arg);
int ioctl_mode_map_dumb(struct drm_file *file, void *arg);
int ioctl_mode_destroy_dumb(struct drm_file *file, void *arg);

/* ioctl_props.c */
int ioctl_mode_getproperty(struct drm_file *file, void *arg);
int ioctl_mode_setproperty(struct drm_file *file, void *arg);
int ioctl_mode_obj_getproperties(struct drm_file *file, void *arg);
int ioctl_mode_obj_setproperty(struct drm_file *file, void *arg);
int ioctl_mode_getpropblob(struct drm_file *file, void *arg);
int ioctl_mode_createpropblob(struct drm_file *file, void *arg);
int ioctl_mode_destroypropblob(struct drm_file *file, void *arg);
int ioctl_mode_atomic(struct drm_file *file, void *arg);

/* Helpers of the handlers. */
/* The object of a handle, referenced; NULL if there is none. */
struct bo *ioctl_bo(struct drm_file *file, uint32_t handle);
/* Gives the caller's reference to a new handle; 0: out of memory. */
uint32_t ioctl_bo_handle(struct drm_file *file, struct bo *bo);
uint64_t ioctl_mmap_token(uint32_t handle);

#endif
