/* ioctl_fields.h: what the fields of an ioctl's argument mean, one row each,
 * so that most calls that the fuzz target makes are understood. */
#ifndef FUZZ_IOCTL_FIELDS_H
#define FUZZ_IOCTL_FIELDS_H

#include "drm-shim/ioctl/ioctl_handlers.h"
#include "drm-shim/ioctl/ioctl_table.h"

#include <drm.h>
#include <drm_mode.h>
#include <i915_drm.h>

enum field_kind {
    /* Handles and ids, most of which exist. */
    FIELD_BO,
    FIELD_CTX,
    FIELD_VM,
    FIELD_SYNCOBJ,
    FIELD_FD, /* of an export or a fence that an earlier call gave */
    FIELD_ID, /* that an earlier call gave: framebuffers, blobs, names */
    FIELD_CRTC,
    FIELD_CONNECTOR,
    FIELD_PLANE,
    FIELD_OBJECT, /* any of the display's, with its type in the next dword */
    FIELD_PROP,
    /* Numbers. */
    FIELD_SMALL, /* below 8 */
    FIELD_BYTE,
    FIELD_BYTES, /* sizes and offsets of objects */
    FIELD_FLAGS, /* none, one, a few */
    FIELD_PX,    /* widths and heights */
    FIELD_FORMAT,
    FIELD_PARAM_VALUE, /* of a context: a number or a pointer to anything */
    FIELD_TIMEOUT_NS,  /* relative and short */
    FIELD_DEADLINE_NS, /* now or soon */
    FIELD_MODE,        /* a struct drm_mode_modeinfo */
    /* Pointers. */
    FIELD_P_OUT,   /* room for an answer */
    FIELD_P_BYTES, /* data of the input */
    FIELD_P_USER,  /* pages of the application */
    FIELD_P_HANDLES,
    FIELD_P_POINTS,
    FIELD_P_OBJECT_IDS,
    FIELD_P_COUNTS,
    FIELD_P_PROPS,
    FIELD_P_VALUES,
    FIELD_P_CONNECTORS,
    FIELD_P_EXTENSIONS, /* of contexts */
    FIELD_P_REGIONS,    /* extensions of objects */
    FIELD_P_QUERY_ITEMS,
    /* Results to remember. */
    FIELD_NEW_FD,
    FIELD_NEW_ID,
};

/* X(request, struct, field, kind) */
#define IOCTL_FIELDS(X)                                                        \
    X(DRM_IOCTL_VERSION, drm_version, name_len, BYTE)                          \
    X(DRM_IOCTL_VERSION, drm_version, name, P_OUT)                             \
    X(DRM_IOCTL_GET_UNIQUE, drm_unique, unique_len, BYTE)                      \
    X(DRM_IOCTL_GET_UNIQUE, drm_unique, unique, P_OUT)                         \
    X(DRM_IOCTL_GET_MAGIC, drm_auth, magic, NEW_ID)                            \
    X(DRM_IOCTL_AUTH_MAGIC, drm_auth, magic, ID)                               \
    X(DRM_IOCTL_GET_CAP, drm_get_cap, capability, BYTE)                        \
    X(DRM_IOCTL_SET_CLIENT_CAP, drm_set_client_cap, capability, SMALL)         \
    X(DRM_IOCTL_SET_CLIENT_CAP, drm_set_client_cap, value, SMALL)              \
    X(DRM_IOCTL_GEM_CLOSE, drm_gem_close, handle, BO)                          \
    X(DRM_IOCTL_GEM_FLINK, drm_gem_flink, handle, BO)                          \
    X(DRM_IOCTL_GEM_FLINK, drm_gem_flink, name, NEW_ID)                        \
    X(DRM_IOCTL_GEM_OPEN, drm_gem_open, name, ID)                              \
    X(DRM_IOCTL_PRIME_HANDLE_TO_FD, drm_prime_handle, handle, BO)              \
    X(DRM_IOCTL_PRIME_HANDLE_TO_FD, drm_prime_handle, fd, NEW_FD)              \
    X(DRM_IOCTL_PRIME_FD_TO_HANDLE, drm_prime_handle, fd, FD)                  \
    X(DRM_IOCTL_I915_GETPARAM, drm_i915_getparam, param, BYTE)                 \
    X(DRM_IOCTL_I915_GETPARAM, drm_i915_getparam, value, P_OUT)                \
    X(DRM_IOCTL_I915_GEM_CREATE, drm_i915_gem_create, size, BYTES)             \
    X(DRM_IOCTL_I915_GEM_CREATE_EXT, drm_i915_gem_create_ext, size, BYTES)     \
    X(DRM_IOCTL_I915_GEM_CREATE_EXT, drm_i915_gem_create_ext, extensions,      \
      P_REGIONS)                                                               \
    X(DRM_IOCTL_I915_GEM_USERPTR, drm_i915_gem_userptr, user_ptr, P_USER)      \
    X(DRM_IOCTL_I915_GEM_USERPTR, drm_i915_gem_userptr, user_size, BYTES)      \
    X(DRM_IOCTL_I915_GEM_USERPTR, drm_i915_gem_userptr, flags, FLAGS)          \
    X(DRM_IOCTL_I915_GEM_PREAD, drm_i915_gem_pread, handle, BO)                \
    X(DRM_IOCTL_I915_GEM_PREAD, drm_i915_gem_pread, offset, BYTES)             \
    X(DRM_IOCTL_I915_GEM_PREAD, drm_i915_gem_pread, size, BYTES)               \
    X(DRM_IOCTL_I915_GEM_PREAD, drm_i915_gem_pread, data_ptr, P_OUT)           \
    X(DRM_IOCTL_I915_GEM_PWRITE, drm_i915_gem_pwrite, handle, BO)              \
    X(DRM_IOCTL_I915_GEM_PWRITE, drm_i915_gem_pwrite, offset, BYTES)           \
    X(DRM_IOCTL_I915_GEM_PWRITE, drm_i915_gem_pwrite, size, BYTE)              \
    X(DRM_IOCTL_I915_GEM_PWRITE, drm_i915_gem_pwrite, data_ptr, P_BYTES)       \
    X(DRM_IOCTL_I915_GEM_MMAP, drm_i915_gem_mmap, handle, BO)                  \
    X(DRM_IOCTL_I915_GEM_MMAP, drm_i915_gem_mmap, offset, BYTES)               \
    X(DRM_IOCTL_I915_GEM_MMAP, drm_i915_gem_mmap, size, BYTES)                 \
    X(DRM_IOCTL_I915_GEM_MMAP_OFFSET, drm_i915_gem_mmap_offset, handle, BO)    \
    X(DRM_IOCTL_I915_GEM_MMAP_OFFSET, drm_i915_gem_mmap_offset, flags, SMALL)  \
    X(DRM_IOCTL_I915_GEM_SET_DOMAIN, drm_i915_gem_set_domain, handle, BO)      \
    X(DRM_IOCTL_I915_GEM_SET_DOMAIN, drm_i915_gem_set_domain, read_domains,    \
      FLAGS)                                                                   \
    X(DRM_IOCTL_I915_GEM_SET_DOMAIN, drm_i915_gem_set_domain, write_domain,    \
      FLAGS)                                                                   \
    X(DRM_IOCTL_I915_GEM_SW_FINISH, drm_i915_gem_sw_finish, handle, BO)        \
    X(DRM_IOCTL_I915_GEM_SET_TILING, drm_i915_gem_set_tiling, handle, BO)      \
    X(DRM_IOCTL_I915_GEM_SET_TILING, drm_i915_gem_set_tiling, tiling_mode,     \
      SMALL)                                                                   \
    X(DRM_IOCTL_I915_GEM_SET_TILING, drm_i915_gem_set_tiling, stride, BYTES)   \
    X(DRM_IOCTL_I915_GEM_GET_TILING, drm_i915_gem_get_tiling, handle, BO)      \
    X(DRM_IOCTL_I915_GEM_SET_CACHING, drm_i915_gem_caching, handle, BO)        \
    X(DRM_IOCTL_I915_GEM_SET_CACHING, drm_i915_gem_caching, caching, SMALL)    \
    X(DRM_IOCTL_I915_GEM_GET_CACHING, drm_i915_gem_caching, handle, BO)        \
    X(DRM_IOCTL_I915_GEM_MADVISE, drm_i915_gem_madvise, handle, BO)            \
    X(DRM_IOCTL_I915_GEM_MADVISE, drm_i915_gem_madvise, madv, SMALL)           \
    X(DRM_IOCTL_I915_GEM_BUSY, drm_i915_gem_busy, handle, BO)                  \
    X(DRM_IOCTL_I915_GEM_WAIT, drm_i915_gem_wait, bo_handle, BO)               \
    X(DRM_IOCTL_I915_GEM_WAIT, drm_i915_gem_wait, timeout_ns, TIMEOUT_NS)      \
    X(DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, drm_i915_gem_context_create_ext,  \
      flags, FLAGS)                                                            \
    X(DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, drm_i915_gem_context_create_ext,  \
      extensions, P_EXTENSIONS)                                                \
    X(DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, drm_i915_gem_context_destroy,        \
      ctx_id, CTX)                                                             \
    X(DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, drm_i915_gem_context_param, ctx_id, \
      CTX)                                                                     \
    X(DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, drm_i915_gem_context_param, size,   \
      BYTE)                                                                    \
    X(DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, drm_i915_gem_context_param, param,  \
      BYTE)                                                                    \
    X(DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, drm_i915_gem_context_param, value,  \
      P_OUT)                                                                   \
    X(DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, drm_i915_gem_context_param, ctx_id, \
      CTX)                                                                     \
    X(DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, drm_i915_gem_context_param, size,   \
      BYTE)                                                                    \
    X(DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, drm_i915_gem_context_param, param,  \
      BYTE)                                                                    \
    X(DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, drm_i915_gem_context_param, value,  \
      PARAM_VALUE)                                                             \
    X(DRM_IOCTL_I915_GET_RESET_STATS, drm_i915_reset_stats, ctx_id, CTX)       \
    X(DRM_IOCTL_I915_GEM_VM_DESTROY, drm_i915_gem_vm_control, vm_id, VM)       \
    X(DRM_IOCTL_I915_QUERY, drm_i915_query, num_items, SMALL)                  \
    X(DRM_IOCTL_I915_QUERY, drm_i915_query, items_ptr, P_QUERY_ITEMS)          \
    X(DRM_IOCTL_I915_REG_READ, drm_i915_reg_read, offset, BYTES)               \
    X(DRM_IOCTL_SYNCOBJ_CREATE, drm_syncobj_create, flags, SMALL)              \
    X(DRM_IOCTL_SYNCOBJ_DESTROY, drm_syncobj_destroy, handle, SYNCOBJ)         \
    X(DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, drm_syncobj_handle, handle, SYNCOBJ)     \
    X(DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, drm_syncobj_handle, flags, SMALL)        \
    X(DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, drm_syncobj_handle, fd, NEW_FD)          \
    X(DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, drm_syncobj_handle, handle, SYNCOBJ)     \
    X(DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, drm_syncobj_handle, flags, SMALL)        \
    X(DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, drm_syncobj_handle, fd, FD)              \
    X(DRM_IOCTL_SYNCOBJ_WAIT, drm_syncobj_wait, handles, P_HANDLES)            \
    X(DRM_IOCTL_SYNCOBJ_WAIT, drm_syncobj_wait, timeout_nsec, DEADLINE_NS)     \
    X(DRM_IOCTL_SYNCOBJ_WAIT, drm_syncobj_wait, count_handles, SMALL)          \
    X(DRM_IOCTL_SYNCOBJ_WAIT, drm_syncobj_wait, flags, SMALL)                  \
    X(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, drm_syncobj_timeline_wait, handles,     \
      P_HANDLES)                                                               \
    X(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, drm_syncobj_timeline_wait, points,      \
      P_POINTS)                                                                \
    X(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, drm_syncobj_timeline_wait,              \
      timeout_nsec, DEADLINE_NS)                                               \
    X(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, drm_syncobj_timeline_wait,              \
      count_handles, SMALL)                                                    \
    X(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, drm_syncobj_timeline_wait, flags,       \
      SMALL)                                                                   \
    X(DRM_IOCTL_SYNCOBJ_RESET, drm_syncobj_array, handles, P_HANDLES)          \
    X(DRM_IOCTL_SYNCOBJ_RESET, drm_syncobj_array, count_handles, SMALL)        \
    X(DRM_IOCTL_SYNCOBJ_SIGNAL, drm_syncobj_array, handles, P_HANDLES)         \
    X(DRM_IOCTL_SYNCOBJ_SIGNAL, drm_syncobj_array, count_handles, SMALL)       \
    X(DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, drm_syncobj_timeline_array, handles,  \
      P_HANDLES)                                                               \
    X(DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, drm_syncobj_timeline_array, points,   \
      P_POINTS)                                                                \
    X(DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, drm_syncobj_timeline_array,           \
      count_handles, SMALL)                                                    \
    X(DRM_IOCTL_SYNCOBJ_QUERY, drm_syncobj_timeline_array, handles, P_HANDLES) \
    X(DRM_IOCTL_SYNCOBJ_QUERY, drm_syncobj_timeline_array, points, P_OUT)      \
    X(DRM_IOCTL_SYNCOBJ_QUERY, drm_syncobj_timeline_array, count_handles,      \
      SMALL)                                                                   \
    X(DRM_IOCTL_SYNCOBJ_QUERY, drm_syncobj_timeline_array, flags, SMALL)       \
    X(DRM_IOCTL_SYNCOBJ_TRANSFER, drm_syncobj_transfer, src_handle, SYNCOBJ)   \
    X(DRM_IOCTL_SYNCOBJ_TRANSFER, drm_syncobj_transfer, dst_handle, SYNCOBJ)   \
    X(DRM_IOCTL_SYNCOBJ_TRANSFER, drm_syncobj_transfer, src_point, SMALL)      \
    X(DRM_IOCTL_SYNCOBJ_TRANSFER, drm_syncobj_transfer, dst_point, SMALL)      \
    X(SHIM_IOCTL_SYNCOBJ_EVENTFD, shim_syncobj_eventfd, handle, SYNCOBJ)       \
    X(SHIM_IOCTL_SYNCOBJ_EVENTFD, shim_syncobj_eventfd, flags, SMALL)          \
    X(SHIM_IOCTL_SYNCOBJ_EVENTFD, shim_syncobj_eventfd, point, SMALL)          \
    X(SHIM_IOCTL_SYNCOBJ_EVENTFD, shim_syncobj_eventfd, fd, FD)                \
    IOCTL_FIELDS_KMS(X)

#define IOCTL_FIELDS_KMS(X)                                                    \
    X(DRM_IOCTL_CRTC_GET_SEQUENCE, drm_crtc_get_sequence, crtc_id, CRTC)       \
    X(DRM_IOCTL_CRTC_QUEUE_SEQUENCE, drm_crtc_queue_sequence, crtc_id, CRTC)   \
    X(DRM_IOCTL_CRTC_QUEUE_SEQUENCE, drm_crtc_queue_sequence, flags, SMALL)    \
    X(DRM_IOCTL_CRTC_QUEUE_SEQUENCE, drm_crtc_queue_sequence, sequence, SMALL) \
    X(DRM_IOCTL_MODE_GETRESOURCES, drm_mode_card_res, fb_id_ptr, P_OUT)        \
    X(DRM_IOCTL_MODE_GETRESOURCES, drm_mode_card_res, crtc_id_ptr, P_OUT)      \
    X(DRM_IOCTL_MODE_GETRESOURCES, drm_mode_card_res, count_fbs, BYTE)         \
    X(DRM_IOCTL_MODE_GETRESOURCES, drm_mode_card_res, count_crtcs, SMALL)      \
    X(DRM_IOCTL_MODE_GETCRTC, drm_mode_crtc, crtc_id, CRTC)                    \
    X(DRM_IOCTL_MODE_SETCRTC, drm_mode_crtc, set_connectors_ptr, P_CONNECTORS) \
    X(DRM_IOCTL_MODE_SETCRTC, drm_mode_crtc, count_connectors, SMALL)          \
    X(DRM_IOCTL_MODE_SETCRTC, drm_mode_crtc, crtc_id, CRTC)                    \
    X(DRM_IOCTL_MODE_SETCRTC, drm_mode_crtc, fb_id, ID)                        \
    X(DRM_IOCTL_MODE_SETCRTC, drm_mode_crtc, mode_valid, SMALL)                \
    X(DRM_IOCTL_MODE_SETCRTC, drm_mode_crtc, mode, MODE)                       \
    X(DRM_IOCTL_MODE_GETENCODER, drm_mode_get_encoder, encoder_id, OBJECT)     \
    X(DRM_IOCTL_MODE_GETCONNECTOR, drm_mode_get_connector, connector_id,       \
      CONNECTOR)                                                               \
    X(DRM_IOCTL_MODE_GETCONNECTOR, drm_mode_get_connector, modes_ptr, P_OUT)   \
    X(DRM_IOCTL_MODE_GETCONNECTOR, drm_mode_get_connector, count_modes, BYTE)  \
    X(DRM_IOCTL_MODE_GETCONNECTOR, drm_mode_get_connector, props_ptr, P_OUT)   \
    X(DRM_IOCTL_MODE_GETCONNECTOR, drm_mode_get_connector, prop_values_ptr,    \
      P_OUT)                                                                   \
    X(DRM_IOCTL_MODE_GETCONNECTOR, drm_mode_get_connector, count_props, BYTE)  \
    X(DRM_IOCTL_MODE_GETPLANERESOURCES, drm_mode_get_plane_res, plane_id_ptr,  \
      P_OUT)                                                                   \
    X(DRM_IOCTL_MODE_GETPLANERESOURCES, drm_mode_get_plane_res, count_planes,  \
      SMALL)                                                                   \
    X(DRM_IOCTL_MODE_GETPLANE, drm_mode_get_plane, plane_id, PLANE)            \
    X(DRM_IOCTL_MODE_GETPLANE, drm_mode_get_plane, count_format_types, BYTE)   \
    X(DRM_IOCTL_MODE_GETPLANE, drm_mode_get_plane, format_type_ptr, P_OUT)     \
    X(DRM_IOCTL_MODE_SETPLANE, drm_mode_set_plane, plane_id, PLANE)            \
    X(DRM_IOCTL_MODE_SETPLANE, drm_mode_set_plane, crtc_id, CRTC)              \
    X(DRM_IOCTL_MODE_SETPLANE, drm_mode_set_plane, fb_id, ID)                  \
    X(DRM_IOCTL_MODE_SETPLANE, drm_mode_set_plane, crtc_x, BYTE)               \
    X(DRM_IOCTL_MODE_SETPLANE, drm_mode_set_plane, crtc_w, PX)                 \
    X(DRM_IOCTL_MODE_SETPLANE, drm_mode_set_plane, crtc_h, PX)                 \
    X(DRM_IOCTL_MODE_SETPLANE, drm_mode_set_plane, src_w, PX)                  \
    X(DRM_IOCTL_MODE_SETPLANE, drm_mode_set_plane, src_h, PX)                  \
    X(DRM_IOCTL_MODE_PAGE_FLIP, drm_mode_crtc_page_flip, crtc_id, CRTC)        \
    X(DRM_IOCTL_MODE_PAGE_FLIP, drm_mode_crtc_page_flip, fb_id, ID)            \
    X(DRM_IOCTL_MODE_PAGE_FLIP, drm_mode_crtc_page_flip, flags, SMALL)         \
    X(DRM_IOCTL_MODE_CURSOR, drm_mode_cursor, flags, SMALL)                    \
    X(DRM_IOCTL_MODE_CURSOR, drm_mode_cursor, crtc_id, CRTC)                   \
    X(DRM_IOCTL_MODE_CURSOR, drm_mode_cursor, width, PX)                       \
    X(DRM_IOCTL_MODE_CURSOR, drm_mode_cursor, height, PX)                      \
    X(DRM_IOCTL_MODE_CURSOR, drm_mode_cursor, handle, BO)                      \
    X(DRM_IOCTL_MODE_CURSOR2, drm_mode_cursor2, flags, SMALL)                  \
    X(DRM_IOCTL_MODE_CURSOR2, drm_mode_cursor2, crtc_id, CRTC)                 \
    X(DRM_IOCTL_MODE_CURSOR2, drm_mode_cursor2, width, PX)                     \
    X(DRM_IOCTL_MODE_CURSOR2, drm_mode_cursor2, height, PX)                    \
    X(DRM_IOCTL_MODE_CURSOR2, drm_mode_cursor2, handle, BO)                    \
    X(DRM_IOCTL_MODE_GETGAMMA, drm_mode_crtc_lut, crtc_id, CRTC)               \
    X(DRM_IOCTL_MODE_GETGAMMA, drm_mode_crtc_lut, red, P_OUT)                  \
    X(DRM_IOCTL_MODE_GETPROPERTY, drm_mode_get_property, prop_id, PROP)        \
    X(DRM_IOCTL_MODE_GETPROPERTY, drm_mode_get_property, values_ptr, P_OUT)    \
    X(DRM_IOCTL_MODE_GETPROPERTY, drm_mode_get_property, enum_blob_ptr, P_OUT) \
    X(DRM_IOCTL_MODE_GETPROPERTY, drm_mode_get_property, count_values, SMALL)  \
    X(DRM_IOCTL_MODE_GETPROPERTY, drm_mode_get_property, count_enum_blobs,     \
      SMALL)                                                                   \
    X(DRM_IOCTL_MODE_SETPROPERTY, drm_mode_connector_set_property, prop_id,    \
      PROP)                                                                    \
    X(DRM_IOCTL_MODE_SETPROPERTY, drm_mode_connector_set_property,             \
      connector_id, CONNECTOR)                                                 \
    X(DRM_IOCTL_MODE_SETPROPERTY, drm_mode_connector_set_property, value,      \
      SMALL)                                                                   \
    X(DRM_IOCTL_MODE_OBJ_GETPROPERTIES, drm_mode_obj_get_properties,           \
      props_ptr, P_OUT)                                                        \
    X(DRM_IOCTL_MODE_OBJ_GETPROPERTIES, drm_mode_obj_get_properties,           \
      prop_values_ptr, P_OUT)                                                  \
    X(DRM_IOCTL_MODE_OBJ_GETPROPERTIES, drm_mode_obj_get_properties,           \
      count_props, BYTE)                                                       \
    X(DRM_IOCTL_MODE_OBJ_GETPROPERTIES, drm_mode_obj_get_properties, obj_id,   \
      OBJECT)                                                                  \
    X(DRM_IOCTL_MODE_OBJ_SETPROPERTY, drm_mode_obj_set_property, obj_id,       \
      OBJECT)                                                                  \
    X(DRM_IOCTL_MODE_OBJ_SETPROPERTY, drm_mode_obj_set_property, prop_id,      \
      PROP)                                                                    \
    X(DRM_IOCTL_MODE_OBJ_SETPROPERTY, drm_mode_obj_set_property, value, ID)    \
    X(DRM_IOCTL_MODE_GETPROPBLOB, drm_mode_get_blob, blob_id, ID)              \
    X(DRM_IOCTL_MODE_GETPROPBLOB, drm_mode_get_blob, length, BYTE)             \
    X(DRM_IOCTL_MODE_GETPROPBLOB, drm_mode_get_blob, data, P_OUT)              \
    X(DRM_IOCTL_MODE_CREATEPROPBLOB, drm_mode_create_blob, data, P_BYTES)      \
    X(DRM_IOCTL_MODE_CREATEPROPBLOB, drm_mode_create_blob, length, BYTE)       \
    X(DRM_IOCTL_MODE_CREATEPROPBLOB, drm_mode_create_blob, blob_id, NEW_ID)    \
    X(DRM_IOCTL_MODE_DESTROYPROPBLOB, drm_mode_destroy_blob, blob_id, ID)      \
    X(DRM_IOCTL_MODE_ATOMIC, drm_mode_atomic, flags, FLAGS)                    \
    X(DRM_IOCTL_MODE_ATOMIC, drm_mode_atomic, count_objs, SMALL)               \
    X(DRM_IOCTL_MODE_ATOMIC, drm_mode_atomic, objs_ptr, P_OBJECT_IDS)          \
    X(DRM_IOCTL_MODE_ATOMIC, drm_mode_atomic, count_props_ptr, P_COUNTS)       \
    X(DRM_IOCTL_MODE_ATOMIC, drm_mode_atomic, props_ptr, P_PROPS)              \
    X(DRM_IOCTL_MODE_ATOMIC, drm_mode_atomic, prop_values_ptr, P_VALUES)       \
    X(DRM_IOCTL_MODE_ADDFB, drm_mode_fb_cmd, width, PX)                        \
    X(DRM_IOCTL_MODE_ADDFB, drm_mode_fb_cmd, height, PX)                       \
    X(DRM_IOCTL_MODE_ADDFB, drm_mode_fb_cmd, pitch, BYTES)                     \
    X(DRM_IOCTL_MODE_ADDFB, drm_mode_fb_cmd, bpp, BYTE)                        \
    X(DRM_IOCTL_MODE_ADDFB, drm_mode_fb_cmd, depth, BYTE)                      \
    X(DRM_IOCTL_MODE_ADDFB, drm_mode_fb_cmd, handle, BO)                       \
    X(DRM_IOCTL_MODE_ADDFB, drm_mode_fb_cmd, fb_id, NEW_ID)                    \
    X(DRM_IOCTL_MODE_ADDFB2, drm_mode_fb_cmd2, width, PX)                      \
    X(DRM_IOCTL_MODE_ADDFB2, drm_mode_fb_cmd2, height, PX)                     \
    X(DRM_IOCTL_MODE_ADDFB2, drm_mode_fb_cmd2, pixel_format, FORMAT)           \
    X(DRM_IOCTL_MODE_ADDFB2, drm_mode_fb_cmd2, flags, FLAGS)                   \
    X(DRM_IOCTL_MODE_ADDFB2, drm_mode_fb_cmd2, handles[0], BO)                 \
    X(DRM_IOCTL_MODE_ADDFB2, drm_mode_fb_cmd2, pitches[0], BYTES)              \
    X(DRM_IOCTL_MODE_ADDFB2, drm_mode_fb_cmd2, fb_id, NEW_ID)                  \
    X(DRM_IOCTL_MODE_GETFB, drm_mode_fb_cmd, fb_id, ID)                        \
    X(DRM_IOCTL_MODE_GETFB2, drm_mode_fb_cmd2, fb_id, ID)                      \
    X(DRM_IOCTL_MODE_DIRTYFB, drm_mode_fb_dirty_cmd, fb_id, ID)                \
    X(DRM_IOCTL_MODE_CREATE_DUMB, drm_mode_create_dumb, height, PX)            \
    X(DRM_IOCTL_MODE_CREATE_DUMB, drm_mode_create_dumb, width, PX)             \
    X(DRM_IOCTL_MODE_CREATE_DUMB, drm_mode_create_dumb, bpp, BYTE)             \
    X(DRM_IOCTL_MODE_MAP_DUMB, drm_mode_map_dumb, handle, BO)                  \
    X(DRM_IOCTL_MODE_DESTROY_DUMB, drm_mode_destroy_dumb, handle, BO)          \
    X(DRM_IOCTL_MODE_CREATE_LEASE, drm_mode_create_lease, object_ids,          \
      P_OBJECT_IDS)                                                            \
    X(DRM_IOCTL_MODE_CREATE_LEASE, drm_mode_create_lease, object_count, SMALL) \
    X(DRM_IOCTL_MODE_CREATE_LEASE, drm_mode_create_lease, lessee_id, NEW_ID)   \
    X(DRM_IOCTL_MODE_CREATE_LEASE, drm_mode_create_lease, fd, NEW_FD)          \
    X(DRM_IOCTL_MODE_LIST_LESSEES, drm_mode_list_lessees, count_lessees,       \
      SMALL)                                                                   \
    X(DRM_IOCTL_MODE_LIST_LESSEES, drm_mode_list_lessees, lessees_ptr, P_OUT)  \
    X(DRM_IOCTL_MODE_GET_LEASE, drm_mode_get_lease, count_objects, SMALL)      \
    X(DRM_IOCTL_MODE_GET_LEASE, drm_mode_get_lease, objects_ptr, P_OUT)        \
    X(DRM_IOCTL_MODE_REVOKE_LEASE, drm_mode_revoke_lease, lessee_id, ID)

#endif
