/* device_state.h: the state of the process's one device: locks, platform,
 * engine, lists.
 *
 * The device lock guards every object of the room except fences and syncobjs
 * (fence.h). It is recursive, and no thread holds it while it waits or
 * submits. Lists are only touched with the device lock held. Any thread. */
#ifndef DRM_SHIM_CORE_DEVICE_STATE_H
#define DRM_SHIM_CORE_DEVICE_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct bo;
struct drm_file;
struct engine;
struct kms;
struct platform;

/* Makes the locks and reads the environment. Idempotent. */
void device_state_init(void);
/* In the child of fork(): releases both locks. */
void device_locks_after_fork(void);

void device_lock(void);
void device_unlock(void);
/* Serialises submissions; taken before device_lock(). */
void device_submit_lock(void);
void device_submit_unlock(void);

const struct platform *device_platform(void);
/* Created at first use; NULL when out of memory. */
struct engine *device_engine(void);
/* NULL if no call has needed the engine so far. */
struct engine *device_engine_if_any(void);
/* pthread_create() for a thread of the library, with the application's signals
 * blocked. 0 or an errno. */
int device_start_thread(pthread_t *thread, void *(*run)(void *), void *data);

/* How long work of another process is waited for, which this process cannot
 * reset: a little longer than the hang limit. */
int64_t device_foreign_limit_ns(void);

bool device_was_opened(void);
void device_note_opened(void);
/* The open files, newest first, and the head of their list. */
struct drm_file *device_first_file(void);
struct drm_file **device_files(void);
/* The virtual display, NULL until kms_of_device() makes it. */
struct kms **device_kms_slot(void);

/* Objects that other processes may have. */
struct bo **device_shared_bos(void);
/* Bytes of objects that drivers may reclaim (madvise). */
uint64_t *device_kept_B(void);
/* Global names of objects (FLINK). 0: out of memory. */
uint32_t device_add_name(struct bo *bo);
struct bo *device_find_name(uint32_t name);
void device_forget_name(uint32_t name);

uint32_t device_new_magic(void);
/* Distinguishes the socket names of one process; lock not needed. */
unsigned device_new_serial(void);

#endif
