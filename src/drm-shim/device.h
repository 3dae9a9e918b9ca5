/* device.h: the device of this process and its open files.
 *
 * A descriptor of the device is one end of a SOCK_SEQPACKET pair; the name it
 * is bound to says which node it is, so a process that got it by exec or a
 * message knows it too. The socket's inode is the open file: dup and fork
 * need no bookkeeping. Events are written into the other end, which also
 * tells when the last descriptor is gone.
 *
 * One lock guards every object of the room except fences and syncobjs
 * (fence.h). It is recursive and never held while waiting or submitting. */
#ifndef SHIM_DEVICE_H
#define SHIM_DEVICE_H

#include "base/base.h"
#include "drm-shim/handle.h"

#include <pthread.h>
#include <sys/types.h>

struct bo;
struct engine;
struct kms;
struct platform;
struct space;

struct drm_file {
    atomic_uint refs;
    ino_t ino;
    int minor; /* 0: card0, 128: renderD128 */
    int peer;  /* -1: adopted from another process, no events */
    struct handle_table bos, contexts, spaces, syncobjs;
    struct hw_context *default_context; /* id 0, made at first use */
    struct space *space;                /* of contexts without their own */
    uint32_t magic;
    bool authenticated, master;
    bool has_bus_id; /* as the master that it is or was, since SET_VERSION */
    bool cap_universal_planes, cap_atomic, cap_aspect_ratio, cap_writeback;
    struct drm_file *next;
};

void device_lock(void);
void device_unlock(void);
/* Serialises submissions; taken before device_lock(). */
void device_submit_lock(void);
void device_submit_unlock(void);

/* Made at first need; abort is not an option, so NULL when out of memory. */
struct engine *device_engine(void);
/* The same, but NULL if nothing needed it so far. */
struct engine *device_engine_if_any(void);
const struct platform *device_platform(void);
struct kms *device_kms(void); /* lock held */

/* Opens a node: a descriptor or -1 and errno. */
int device_open(int minor, int flags);
/* The open file behind a descriptor, referenced; NULL if it is none of ours
 * (errno is kept). */
struct drm_file *device_file(int fd);
/* The same from memory, if the descriptor is known. */
struct drm_file *device_file_known(int fd);
void device_file_unref(struct drm_file *file);
/* Minor of a descriptor, -1 if it is none of ours. */
int device_minor_of_inode(int fd, ino_t ino);
/* Frees files that nobody has open any more. */
void device_collect(void);
/* Puts one event into the read side of the file. */
void device_send_event(struct drm_file *file, const void *event, size_t size_B);
bool device_was_opened(void);
struct drm_file *device_first_file(void); /* lock held */

/* Lists that belong to the device; lock held. */
struct bo **device_shared_bos(void);
/* Bytes of objects that drivers may take up again (madvise). Lock held. */
uint64_t *device_kept_B(void);
uint32_t device_add_name(struct bo *bo);
struct bo *device_find_name(uint32_t name);
void device_forget_name(uint32_t name);
uint32_t device_new_magic(void);

/* The wrappers' way in: as ioctl(2) and mmap(2). */
int device_ioctl(struct drm_file *file, unsigned long request, void *arg);
/* Whether a descriptor's owner knows what it has when it asks this. */
bool device_ioctl_is_frequent(unsigned long request);
void *device_mmap(struct drm_file *file, void *addr, size_t length, int prot,
                  int flags, uint64_t offset);

/* Reads the environment and registers for fork(). Idempotent. */
void device_init(void);
/* pthread_create() for a thread of ours, with the application's signals
 * blocked. 0 or an errno. */
int device_start_thread(pthread_t *thread, void *(*run)(void *), void *data);

#endif
