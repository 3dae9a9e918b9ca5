/* ioctl_table.h: X(access, request, handler), one row per ioctl. The number
 * and the size of the argument come from the request of the kernel's header.
 * Included by ioctl.c and the tests only. */
#ifndef SHIM_IOCTL_TABLE_H
#define SHIM_IOCTL_TABLE_H

#define R IOCTL_RENDER
#define M IOCTL_MASTER
#define A IOCTL_AUTH
#define F (IOCTL_RENDER | IOCTL_FREQUENT)

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
    X(R, DRM_IOCTL_I915_PERF_OPEN, no_privilege)                     \
    X(R, DRM_IOCTL_I915_PERF_ADD_CONFIG, no_privilege)               \
    X(R, DRM_IOCTL_I915_PERF_REMOVE_CONFIG, no_privilege)            \
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
    X(M, DRM_IOCTL_MODE_CREATE_LEASE, not_supported)                 \
    X(M, DRM_IOCTL_MODE_LIST_LESSEES, mode_list_lessees)             \
    X(0, DRM_IOCTL_MODE_GET_LEASE, not_supported)                    \
    X(M, DRM_IOCTL_MODE_REVOKE_LEASE, not_supported)

#endif
