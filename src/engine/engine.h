/* engine.h: turns batches into memory writes. The only header of this room
 * that drm-shim and cli may include.
 *
 * One struct engine per process, made on the first device open. A VM is a GPU
 * address space (a reserved window of host memory), a context is a hardware
 * context with its register and pipeline state. Both are reference counted by
 * the queue: destroying one with work in flight is safe.
 * Calls are safe from any thread. */
#ifndef ENGINE_H
#define ENGINE_H

#include "base/base.h"

struct engine;
struct engine_vm;
struct engine_context;

struct engine_config {
    unsigned gen;     /* 8 or 9 */
    unsigned threads; /* that execute, the streamer among them; 0: execute
                         in the submitting thread */
    bool noop;        /* accept everything, execute nothing but post-sync
                         writes and the like that clients wait for */
    uint64_t timestamp_hz;
    unsigned eu_threads_per_subslice, subslices; /* bounds scratch slots */
    unsigned hang_limit_ms; /* of a semaphore wait; 0: as i915's */
};

struct engine *engine_create(const struct engine_config *config);
/* Waits for all work; after it no engine thread touches client memory. */
void engine_destroy(struct engine *engine);
/* After fork(), which leaves all memory to two processes. The child has no
 * engine threads; it starts its own lazily. */
void engine_after_fork_parent(struct engine *engine);
void engine_after_fork(struct engine *engine);
/* Set it when the application has installed a signal handler of its own: what
 * the engine needs is put back before its next batch. Also in signal handlers,
 * and before any code of the engine can run. */
extern atomic_bool engine_signals_changed;
/* Copies what may not be readable: false if some of it is not. */
bool engine_copy(void *to, const void *from, size_t size_B);
/* What of the kernels so far was not compiled, to trace(eu). */
void engine_trace_coverage(void);

/* What there is of an address space. Bits of a GPU address above it count for
 * nothing, so what clients have at addresses a multiple of it apart cannot be
 * there at the same time. */
#define ENGINE_VM_SIZE_B (UINT64_C(1) << 40)
/* NULL: out of memory. */
struct engine_vm *engine_vm_create(struct engine *engine);
void engine_vm_unref(struct engine_vm *vm);
/* Maps size_B bytes of fd from offset_B at GPU address va (all multiples of
 * 4096, canonical bits above 47 already removed). Replaces what was there.
 * 0 or a negative errno. The pages stay mapped after the fd is closed. */
int engine_vm_map(struct engine_vm *vm, uint64_t va, uint64_t size_B, int fd,
                  uint64_t offset_B);
/* The same for memory of the application (userptr): the same pages where they
 * are shared, a copy where they are private. */
int engine_vm_map_ptr(struct engine_vm *vm, uint64_t va, uint64_t size_B,
                      void *ptr);
void engine_vm_unmap(struct engine_vm *vm, uint64_t va, uint64_t size_B);
/* From now on others than batches may write what is mapped there: the client
 * has mapped it, or another process has it. */
void engine_vm_expose(struct engine_vm *vm, uint64_t va, uint64_t size_B);

struct engine_context *engine_context_create(struct engine *engine,
                                             struct engine_vm *vm);
void engine_context_destroy(struct engine_context *ctx);
/* Number of batches of this context that ended in a guest error, and of those
 * that were queued behind one. */
void engine_context_resets(struct engine_context *ctx, uint32_t *active,
                           uint32_t *pending);

enum engine_ring {
    ENGINE_RCS,
    ENGINE_BCS,
    ENGINE_VCS,
    ENGINE_VECS,
    ENGINE_RING_COUNT
};

enum engine_result { ENGINE_OK, ENGINE_GUEST_ERROR };

/* One submission. Batches of one context run in order; rings run in parallel.
 * wait() blocks until the in-fences have signalled; done() is called exactly
 * once, after the last memory write of the batch is visible. Both run on an
 * engine thread (with threads == 0: in the submitter, before engine_submit
 * returns) or in engine_help(), and must not submit. ready(): whether wait()
 * would return at once; takes no locks. users: where the batch may look at
 * memory that engine_vm_map_ptr() mapped; the caller's, until done(). The
 * struct is copied. */
struct engine_submit {
    struct engine_context *ctx;
    enum engine_ring ring;
    uint64_t batch_va;
    uint64_t batch_B;
    const uint64_t *users;
    unsigned user_count;
    void (*wait)(void *data);
    bool (*ready)(void *data);
    void (*done)(void *data, enum engine_result result);
    void *data;
};
void engine_submit(struct engine *engine, const struct engine_submit *submit);
/* Blocks while more than ENGINE_QUEUE_MAX batches of the context are queued,
 * until half are over, unless they wait for fences. For clients that submit
 * faster than batches run; they must hold no lock that done() or others need.
 * i915 does likewise when a context's ring is full. Guess: of its 16 KiB a
 * batch takes some 250 bytes. */
#define ENGINE_QUEUE_MAX 64u
void engine_throttle(struct engine_context *ctx);
/* For a thread that is about to sleep until a batch is over: runs one that it
 * has submitted itself, if one may run now. False: there is none. */
bool engine_help(struct engine *engine);
/* Blocks until everything submitted before has finished. */
void engine_idle(struct engine *engine);

uint64_t engine_timestamp(struct engine *engine); /* ticks, 36 bits */
/* Last colour target drawn to, for --framebuffer: RGBA8 rows top down.
 * False if none. The caller frees *rgba. */
bool engine_last_target(struct engine *engine, uint32_t *width,
                        uint32_t *height, uint8_t **rgba);
/* Reads a scan-out buffer that is mapped at mem: used by drm-shim's KMS for
 * --framebuffer. tiling: 0 linear, 1 X, 2 Y. fourcc as in drm_fourcc.h. */
bool engine_detile_rgba(const void *mem, uint64_t size_B, uint32_t width,
                        uint32_t height, uint32_t pitch_B, unsigned tiling,
                        uint32_t fourcc, uint8_t *rgba);

#endif
