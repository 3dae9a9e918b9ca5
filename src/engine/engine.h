/* engine.h: executes batches: GPU commands become writes to memory. The only
 * header of this room that drm-shim and cli may include.
 *
 * One struct engine per process, created on the first device open. A VM is a
 * GPU address space: a reserved window of host memory. A context is a hardware
 * context with its register and pipeline state. The queue holds references to
 * both, so destroying one with work in flight is safe. Calls are safe from any
 * thread. */
#ifndef ENGINE_H
#define ENGINE_H

#include "base/base.h"

struct engine;
struct engine_vm;
struct engine_context;

struct engine_config {
    unsigned gen;     /* 8 or 9 */
    unsigned threads; /* that execute, including the one that runs the batch; 0:
                         execute in the submitting thread */
    bool noop; /* accept every command, but execute only post-sync writes and
                  others that clients wait for */
    uint64_t timestamp_hz;
    unsigned eu_threads_per_subslice, subslices; /* bounds scratch slots */
    bool keep_target; /* copy the last target before its memory is unmapped, for
                         engine_last_target() */
    /* See hang.h; also limits semaphore waits. 0: as i915's. */
    unsigned hang_limit_ms;
};

struct engine *engine_create(const struct engine_config *config);
/* Waits for all work, except batches whose fences never signal. Afterwards no
 * engine thread touches client memory. */
void engine_destroy(struct engine *engine);
/* Call around fork(): before it, in the parent and in the child. Takes the
 * engine's locks, but waits for no batch. Parent and child share all GPU memory
 * from then on. The child has no engine threads; it starts its own on first
 * use. */
void engine_before_fork(struct engine *engine);
void engine_after_fork_parent(struct engine *engine);
void engine_after_fork(struct engine *engine);
/* Set when the application installs a signal handler of its own: the engine
 * reinstalls its handlers before its next batch. May be set in signal handlers,
 * and before any engine code runs. */
extern atomic_bool engine_signals_changed;
/* The engine's handlers have been installed. */
extern atomic_bool engine_has_handler;
struct sigaction;
/* sigaction() of the application, if engine_has_handler. True: done, because
 * the engine's handler of this signal is installed and stays so. Safe in signal
 * handlers. */
bool engine_sigaction(int sig, const struct sigaction *act,
                      struct sigaction *old);
/* Number of commands so far that drew, dispatched or copied, or would have
 * (config.noop). */
uint64_t engine_work(struct engine *engine);
/* When this thread's faults were last seen not to be blocked: clock_tick_ns().
 * Set to 0 when the application changes the thread's signal mask. */
extern __thread int64_t engine_unblocked_ns
    __attribute__((tls_model("initial-exec")));
/* Whether engine_copy() can be used here for memory that may be bad. A system
 * call once per tick. */
bool engine_catches_faults(void);
/* Copies memory that may be unreadable. False: part of it is. */
bool engine_copy(void *to, const void *from, size_t size_B);
/* Reports to trace(eu) the instructions that were interpreted, not compiled. */
void engine_trace_coverage(void);

/* Upper limit of what an address space can map at a time; the host may have
 * fewer addresses. GPU addresses go up to ENGINE_VA_END. Batches run faster if
 * no two mappings lie a multiple of engine_vm_size_B() apart. */
#define ENGINE_VM_SIZE_B (UINT64_C(1) << 40)
#define ENGINE_VA_END (UINT64_C(1) << 48)
/* NULL: out of memory or addresses; prints a message. */
struct engine_vm *engine_vm_create(struct engine *engine);
void engine_vm_unref(struct engine_vm *vm);
uint64_t engine_vm_size_B(const struct engine_vm *vm); /* a power of two */
/* Maps size_B bytes of fd from offset_B at GPU address va (all multiples of
 * 4096, canonical bits above 47 already removed). Replaces earlier mappings. 0
 * or a negative errno; -ENOSPC: no room in the window, or the process has
 * almost as many mappings as the host allows. The pages stay mapped after the
 * fd is closed. */
int engine_vm_map(struct engine_vm *vm, uint64_t va, uint64_t size_B, int fd,
                  uint64_t offset_B);
/* Maps memory of the application (userptr): shared pages are aliased, private
 * pages are copied around batches. */
int engine_vm_map_ptr(struct engine_vm *vm, uint64_t va, uint64_t size_B,
                      void *ptr);
void engine_vm_unmap(struct engine_vm *vm, uint64_t va, uint64_t size_B);
/* Whether any mapping is away from its home in the window (see vm.h). */
bool engine_vm_has_moved(const struct engine_vm *vm);
/* Whether the whole range is translated with one shift, so that a surface may
 * span it. */
bool engine_vm_is_straight(const struct engine_vm *vm, uint64_t va,
                           uint64_t size_B);
/* Moves mappings so that engine_vm_is_straight() holds. No batch may use the
 * range meanwhile. False: no room in the window, or out of memory. */
bool engine_vm_straighten(struct engine_vm *vm, uint64_t va, uint64_t size_B);
/* From now on the CPU may write the range as well: the client has mapped it, or
 * (shared) another process has it. */
void engine_vm_expose(struct engine_vm *vm, uint64_t va, uint64_t size_B,
                      bool shared);

struct engine_context *engine_context_create(struct engine *engine,
                                             struct engine_vm *vm);
void engine_context_destroy(struct engine_context *ctx);
/* active: batches of this context that ended in a guest error; pending: batches
 * that were queued after one of them. */
void engine_context_resets(struct engine_context *ctx, uint32_t *active,
                           uint32_t *pending);

/* The rings, one row each: name, I915_ENGINE_CLASS_*, MMIO base, index of
 * commands of type 3 (see struct cs_ring). */
#define ENGINE_RINGS(X)                         \
    X(RCS, "rcs", RENDER, 0x2000, cs_index_gfx) \
    X(BCS, "bcs", COPY, 0x22000, cs_index_gfx)  \
    X(VCS, "vcs", VIDEO, 0x12000, cs_index_vid) \
    X(VECS, "vecs", VIDEO_ENHANCE, 0x1a000, cs_index_veb)

enum engine_ring {
#define X(ring, name, uapi_class, mmio, commands) ENGINE_##ring,
    ENGINE_RINGS(X)
#undef X
        ENGINE_RING_COUNT
};

enum engine_result { ENGINE_OK, ENGINE_GUEST_ERROR };

/* One submission; the struct is copied. Batches of one context run in order;
 * rings run in parallel.
 * wait() blocks until the in-fences have signalled. ready() tells whether
 * wait() would return at once; it takes no locks. done() is called exactly
 * once, after the last memory write of the batch is visible. wait() and done()
 * run on an engine thread or in engine_help(); with threads == 0 they run in
 * the submitter before engine_submit() returns. They must not submit.
 * users: addresses of memory mapped by engine_vm_map_ptr() that the batch may
 * access; owned by the caller, valid until done(). */
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
    uint64_t number; /* set by the engine, for timelines */
};
void engine_submit(struct engine *engine, const struct engine_submit *submit);
/* The same in two steps, for callers with a lock: engine_enqueue() does not
 * wait. False: nobody else runs the batch, call engine_run() without the lock.
 */
bool engine_enqueue(struct engine *engine, const struct engine_submit *submit);
void engine_run(const struct engine_submit *submit);
/* Throttles clients that submit faster than batches run. Blocks while more than
 * ENGINE_QUEUE_MAX batches of the context are queued, until half have ended,
 * unless the context waits for fences. The caller must hold no lock that done()
 * or another thread needs. i915 does likewise when a context's ring is full.
 * Guess: a batch takes some 250 of the ring's 16 KiB. */
#define ENGINE_QUEUE_MAX 64u
void engine_throttle(struct engine_context *ctx);
/* For a thread that is about to sleep until a batch ends: runs one batch that
 * it has submitted itself and that may run now. False: there is none. */
bool engine_help(struct engine *engine);
/* Blocks until every batch submitted before has ended. */
void engine_idle(struct engine *engine);

#define ENGINE_TIMESTAMP_MASK ((UINT64_C(1) << 36) - 1)
uint64_t engine_timestamp(struct engine *engine); /* ticks, 36 bits */

/* Performance counters (oa/oa.h). Between start and stop, draws and dispatches
 * that begin are counted, without shortcuts that change counts. sample() is
 * called by the thread that executes a batch, before the batch and again after
 * it, before done(). False: out of memory. */
enum engine_oa_moment {
    ENGINE_OA_BEGINS,
    ENGINE_OA_ENDS,
    ENGINE_OA_ENDS_QUERY, /* the batch ended a query, too */
};
typedef void (*engine_oa_sample_fn)(uint32_t context_id,
                                    enum engine_oa_moment moment);
bool engine_oa_start(struct engine *engine, engine_oa_sample_fn sample);
void engine_oa_stop(struct engine *engine);
/* What the flexible counters count: the registers 0xe458, 0xe558, 0xe658,
 * 0xe758, 0xe45c, 0xe55c and 0xe65c. */
#define ENGINE_OA_FLEX 7
struct engine_oa_set {
    uint32_t flex[ENGINE_OA_FLEX];
    /* B0 is how long any ring is busy, C7 how long the render ring is; else B
     * and C count nothing. */
    bool rings;
};
bool engine_oa_configure(struct engine *engine,
                         const struct engine_oa_set *set);
/* Fills a report of format A32u40_A4u32_B8_C8. */
#define ENGINE_OA_REPORT_DW 64
void engine_oa_report(struct engine *engine, uint32_t reason,
                      uint32_t context_id,
                      uint32_t report[ENGINE_OA_REPORT_DW]);
/* What reports call the context: not zero, and its own unless it shares that of
 * another context. */
uint32_t engine_context_id(const struct engine_context *ctx);
void engine_context_share_id(struct engine_context *ctx,
                             const struct engine_context *other);
/* Last colour target drawn to, for --framebuffer: RGBA8 rows, top down. False:
 * none yet. The caller frees *rgba. */
bool engine_last_target(struct engine *engine, uint32_t *width,
                        uint32_t *height, uint8_t **rgba);
/* Converts a scan-out buffer mapped at mem to RGBA8. Called by drm-shim's KMS
 * for --framebuffer. tiling: 0 linear, 1 X, 2 Y. fourcc as in drm_fourcc.h. */
bool engine_detile_rgba(const void *mem, uint64_t size_B, uint32_t width,
                        uint32_t height, uint32_t pitch_B, unsigned tiling,
                        uint32_t fourcc, uint8_t *rgba);

#endif
