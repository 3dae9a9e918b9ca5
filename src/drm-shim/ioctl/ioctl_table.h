/* ioctl_table.h: X(access, request, handler), one row per ioctl.
 *
 * The request of the kernel's header gives the number and the size of the
 * argument. The handler is ioctl_<handler>() in ioctl_*.c; ioctl_handlers.h
 * declares it from this row. To add an ioctl: a row here, its handler there. */
#ifndef DRM_SHIM_IOCTL_IOCTL_TABLE_H
#define DRM_SHIM_IOCTL_IOCTL_TABLE_H

enum ioctl_access {
    IOCTL_RENDER = 1 << 0,   /* allowed on the render node */
    IOCTL_MASTER = 1 << 1,   /* only for the master of the card */
    IOCTL_AUTH = 1 << 2,     /* only for authenticated clients of the card */
    IOCTL_FREQUENT = 1 << 3, /* never first on a new descriptor */

    /* The letters of the table. */
    IOCTL_ACCESS_0 = 0,
    IOCTL_ACCESS_R = IOCTL_RENDER,
    IOCTL_ACCESS_M = IOCTL_MASTER,
    IOCTL_ACCESS_A = IOCTL_AUTH,
    IOCTL_ACCESS_F = IOCTL_RENDER | IOCTL_FREQUENT,
};

#define IOCTL_TABLE(X)                                               \
    X(R, DRM_IOCTL_VERSION, version)                                 \
    X(0, DRM_IOCTL_GET_UNIQUE, get_unique)                           \
    X(0, DRM_IOCTL_GET_MAGIC, get_magic)                             \
    X(M, DRM_IOCTL_AUTH_MAGIC, auth_magic)                           \
    X(0, DRM_IOCTL_GET_CLIENT, get_client)                           \
    X(M, DRM_IOCTL_SET_VERSION, set_version)                         \
    X(R, DRM_IOCTL_GET_CAP, get_cap)                                 \
    X(0, DRM_IOCTL_SET_CLIENT_CAP, set_client_cap)                   \
    X(0, DRM_IOCTL_SET_MASTER, set_master)                           \
    X(0, DRM_IOCTL_DROP_MASTER, drop_master)                         \
    X(F, DRM_IOCTL_GEM_CLOSE, gem_close)                             \
    X(A, DRM_IOCTL_GEM_FLINK, gem_flink)                             \
    X(A, DRM_IOCTL_GEM_OPEN, gem_open)                               \
    X(R, DRM_IOCTL_PRIME_HANDLE_TO_FD, prime_handle_to_fd)           \
    X(R, DRM_IOCTL_PRIME_FD_TO_HANDLE, prime_fd_to_handle)           \
    X(R, DRM_IOCTL_I915_GETPARAM, getparam)                          \
    X(F, DRM_IOCTL_I915_GEM_CREATE, gem_create)                      \
    X(R, DRM_IOCTL_I915_GEM_CREATE_EXT, gem_create_ext)              \
    X(R, DRM_IOCTL_I915_GEM_USERPTR, gem_userptr)                    \
    X(R, DRM_IOCTL_I915_GEM_PREAD, gem_pread)                        \
    X(R, DRM_IOCTL_I915_GEM_PWRITE, gem_pwrite)                      \
    X(R, DRM_IOCTL_I915_GEM_MMAP, gem_mmap)                          \
    X(F, DRM_IOCTL_I915_GEM_MMAP_OFFSET, gem_mmap_offset)            \
    X(F, DRM_IOCTL_I915_GEM_SET_DOMAIN, gem_set_domain)              \
    X(R, DRM_IOCTL_I915_GEM_SW_FINISH, gem_sw_finish)                \
    X(R, DRM_IOCTL_I915_GEM_SET_TILING, gem_set_tiling)              \
    X(R, DRM_IOCTL_I915_GEM_GET_TILING, gem_get_tiling)              \
    X(R, DRM_IOCTL_I915_GEM_GET_APERTURE, gem_get_aperture)          \
    X(R, DRM_IOCTL_I915_GEM_SET_CACHING, gem_set_caching)            \
    X(R, DRM_IOCTL_I915_GEM_GET_CACHING, gem_get_caching)            \
    X(F, DRM_IOCTL_I915_GEM_MADVISE, gem_madvise)                    \
    X(F, DRM_IOCTL_I915_GEM_BUSY, gem_busy)                          \
    X(F, DRM_IOCTL_I915_GEM_WAIT, gem_wait)                          \
    X(R, DRM_IOCTL_I915_GEM_THROTTLE, gem_throttle)                  \
    X(F, DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, execbuffer2)             \
    X(R, DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, context_create)      \
    X(R, DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, context_destroy)        \
    X(R, DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, context_getparam)      \
    X(R, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, context_setparam)      \
    X(R, DRM_IOCTL_I915_GET_RESET_STATS, get_reset_stats)            \
    X(R, DRM_IOCTL_I915_GEM_VM_CREATE, vm_create)                    \
    X(R, DRM_IOCTL_I915_GEM_VM_DESTROY, vm_destroy)                  \
    X(R, DRM_IOCTL_I915_QUERY, query)                                \
    X(R, DRM_IOCTL_I915_REG_READ, reg_read)                          \
    X(R, DRM_IOCTL_I915_PERF_OPEN, perf_open)                        \
    X(R, DRM_IOCTL_I915_PERF_ADD_CONFIG, perf_add_config)            \
    X(R, DRM_IOCTL_I915_PERF_REMOVE_CONFIG, perf_remove_config)      \
    X(M, DRM_IOCTL_I915_INIT, no_op)                                 \
    X(A, DRM_IOCTL_I915_FLUSH, no_op)                                \
    X(A, DRM_IOCTL_I915_FLIP, no_op)                                 \
    X(A, DRM_IOCTL_I915_BATCHBUFFER, no_op)                          \
    X(A, DRM_IOCTL_I915_IRQ_EMIT, no_op)                             \
    X(A, DRM_IOCTL_I915_IRQ_WAIT, no_op)                             \
    X(M, DRM_IOCTL_I915_SETPARAM, no_op)                             \
    X(A, DRM_IOCTL_I915_ALLOC, no_op)                                \
    X(A, DRM_IOCTL_I915_FREE, no_op)                                 \
    X(M, DRM_IOCTL_I915_INIT_HEAP, no_op)                            \
    X(A, DRM_IOCTL_I915_CMDBUFFER, no_op)                            \
    X(M, DRM_IOCTL_I915_DESTROY_HEAP, no_op)                         \
    X(M, DRM_IOCTL_I915_SET_VBLANK_PIPE, no_op)                      \
    X(A, DRM_IOCTL_I915_GET_VBLANK_PIPE, no_op)                      \
    X(A, DRM_IOCTL_I915_VBLANK_SWAP, no_op)                          \
    X(M, DRM_IOCTL_I915_HWS_ADDR, no_op)                             \
    X(M, DRM_IOCTL_I915_GEM_INIT, no_op)                             \
    X(A, DRM_IOCTL_I915_GEM_EXECBUFFER, invalid)                     \
    X(A, DRM_IOCTL_I915_GEM_PIN, no_device)                          \
    X(A, DRM_IOCTL_I915_GEM_UNPIN, no_device)                        \
    X(M, DRM_IOCTL_I915_GEM_ENTERVT, no_op)                          \
    X(M, DRM_IOCTL_I915_GEM_LEAVEVT, no_op)                          \
    X(0, DRM_IOCTL_I915_GET_PIPE_FROM_CRTC_ID, get_pipe_from_crtc)   \
    X(M, DRM_IOCTL_I915_OVERLAY_PUT_IMAGE, no_device)                \
    X(M, DRM_IOCTL_I915_OVERLAY_ATTRS, no_device)                    \
    X(M, DRM_IOCTL_I915_SET_SPRITE_COLORKEY, set_sprite_colorkey)    \
    X(M, DRM_IOCTL_I915_GET_SPRITE_COLORKEY, no_op)                  \
    X(F, DRM_IOCTL_SYNCOBJ_CREATE, syncobj_create)                   \
    X(F, DRM_IOCTL_SYNCOBJ_DESTROY, syncobj_destroy)                 \
    X(R, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, syncobj_handle_to_fd)       \
    X(R, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, syncobj_fd_to_handle)       \
    X(F, DRM_IOCTL_SYNCOBJ_WAIT, syncobj_wait)                       \
    X(F, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, syncobj_timeline_wait)     \
    X(F, DRM_IOCTL_SYNCOBJ_RESET, syncobj_reset)                     \
    X(F, DRM_IOCTL_SYNCOBJ_SIGNAL, syncobj_signal)                   \
    X(F, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, syncobj_timeline_signal) \
    X(F, DRM_IOCTL_SYNCOBJ_QUERY, syncobj_query)                     \
    X(R, DRM_IOCTL_SYNCOBJ_TRANSFER, syncobj_transfer)               \
    X(R, SHIM_IOCTL_SYNCOBJ_EVENTFD, syncobj_eventfd)                \
    X(0, DRM_IOCTL_WAIT_VBLANK, wait_vblank)                         \
    X(0, DRM_IOCTL_CRTC_GET_SEQUENCE, crtc_get_sequence)             \
    X(0, DRM_IOCTL_CRTC_QUEUE_SEQUENCE, crtc_queue_sequence)         \
    X(0, DRM_IOCTL_MODE_GETRESOURCES, mode_getresources)             \
    X(0, DRM_IOCTL_MODE_GETCRTC, mode_getcrtc)                       \
    X(M, DRM_IOCTL_MODE_SETCRTC, mode_setcrtc)                       \
    X(0, DRM_IOCTL_MODE_GETENCODER, mode_getencoder)                 \
    X(0, DRM_IOCTL_MODE_GETCONNECTOR, mode_getconnector)             \
    X(0, DRM_IOCTL_MODE_GETPLANERESOURCES, mode_getplaneresources)   \
    X(0, DRM_IOCTL_MODE_GETPLANE, mode_getplane)                     \
    X(M, DRM_IOCTL_MODE_SETPLANE, mode_setplane)                     \
    X(M, DRM_IOCTL_MODE_PAGE_FLIP, mode_page_flip)                   \
    X(M, DRM_IOCTL_MODE_CURSOR, mode_cursor)                         \
    X(M, DRM_IOCTL_MODE_CURSOR2, mode_cursor2)                       \
    X(0, DRM_IOCTL_MODE_GETGAMMA, mode_getgamma)                     \
    X(M, DRM_IOCTL_MODE_SETGAMMA, mode_setgamma)                     \
    X(0, DRM_IOCTL_MODE_GETPROPERTY, mode_getproperty)               \
    X(M, DRM_IOCTL_MODE_SETPROPERTY, mode_setproperty)               \
    X(0, DRM_IOCTL_MODE_OBJ_GETPROPERTIES, mode_obj_getproperties)   \
    X(M, DRM_IOCTL_MODE_OBJ_SETPROPERTY, mode_obj_setproperty)       \
    X(0, DRM_IOCTL_MODE_GETPROPBLOB, mode_getpropblob)               \
    X(0, DRM_IOCTL_MODE_CREATEPROPBLOB, mode_createpropblob)         \
    X(0, DRM_IOCTL_MODE_DESTROYPROPBLOB, mode_destroypropblob)       \
    X(M, DRM_IOCTL_MODE_ATOMIC, mode_atomic)                         \
    X(0, DRM_IOCTL_MODE_ADDFB, mode_addfb)                           \
    X(0, DRM_IOCTL_MODE_ADDFB2, mode_addfb2)                         \
    X(0, DRM_IOCTL_MODE_RMFB, mode_rmfb)                             \
    X(0, DRM_IOCTL_MODE_GETFB, mode_getfb)                           \
    X(0, DRM_IOCTL_MODE_GETFB2, mode_getfb2)                         \
    X(M, DRM_IOCTL_MODE_DIRTYFB, mode_dirtyfb)                       \
    X(0, DRM_IOCTL_MODE_CREATE_DUMB, mode_create_dumb)               \
    X(0, DRM_IOCTL_MODE_MAP_DUMB, mode_map_dumb)                     \
    X(0, DRM_IOCTL_MODE_DESTROY_DUMB, mode_destroy_dumb)             \
    X(M, DRM_IOCTL_MODE_CREATE_LEASE, mode_create_lease)             \
    X(M, DRM_IOCTL_MODE_LIST_LESSEES, mode_list_lessees)             \
    X(M, DRM_IOCTL_MODE_GET_LEASE, mode_get_lease)                   \
    X(M, DRM_IOCTL_MODE_REVOKE_LEASE, mode_revoke_lease)

#endif
