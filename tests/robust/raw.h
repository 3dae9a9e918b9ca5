/* raw.h: raw i915 and syncobj ioctls through the preloaded library, and what
 * tests with several processes need. Plain C and TAP: the programs are linked
 * with nothing of ours. Functions that fail end the process. */
#ifndef TESTS_ROBUST_RAW_H
#define TESTS_ROBUST_RAW_H

#include <drm.h>
#include <errno.h>
#include <i915_drm.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/types.h>

/* One line of TAP. */
void ok(bool good, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The plan, and the exit status. */
int done_testing(void);

int64_t now_ms(void);
void sleep_ms(unsigned ms);

int open_render(void);
/* 0 or -errno. */
int call(int fd, unsigned long request, void *arg);
uint32_t bo_create(int fd, uint64_t size_B);
void bo_close(int fd, uint32_t handle);
uint32_t *bo_map(int fd, uint32_t handle, uint64_t size_B);
int bo_wait(int fd, uint32_t handle, int64_t timeout_ms);
bool bo_busy(int fd, uint32_t handle);
int bo_export(int fd, uint32_t handle);
uint32_t bo_import(int fd, int file); /* 0: refused */
uint32_t context_create(int fd);

/* A batch of one process: what it does, and what it needs. */
struct batch {
    uint32_t handle;    /* made by batch_*() */
    uint32_t target;    /* object that it writes; 0: none */
    uint32_t semaphore; /* object that it waits for; 0: none */
    uint32_t context;
    int fence_in; /* sync_file, 0: none */
};

/* Where the target of a batch is. */
#define TARGET_VA UINT64_C(0x20000000)
/* A batch that ends when *go becomes 1; or at once if go is NULL. */
struct batch batch_create(int fd, uint32_t target, uint32_t **go);
/* 0 or -errno; the sync_file in *fence_out unless NULL. */
int batch_submit(int fd, const struct batch *batch, int *fence_out);

uint32_t syncobj_create(int fd);
int syncobj_export(int fd, uint32_t handle);
uint32_t syncobj_import(int fd, int file); /* 0: refused */
int syncobj_set_file(int fd, uint32_t handle, int sync_file);
int syncobj_wait(int fd, uint32_t handle, int64_t timeout_ms);
void syncobj_destroy(int fd, uint32_t handle);
bool is_signalled(int sync_file, int timeout_ms);

/* Another process with a socket to this one. */
struct peer {
    pid_t pid;
    int socket;
};
struct peer peer_start(void (*run)(int socket));
void peer_kill(struct peer *peer);
void send_file(int socket, int file);
int receive_file(int socket);
void send_byte(int socket);
bool receive_byte(int socket);

/* Of this process, without standard streams. */
unsigned count_files(void);
unsigned count_threads(void);

#endif
