/* eu.h: runs EU kernels. It knows no pipeline, memory or surface: the engine's
 * send function answers every message.
 *
 * Caller: the engine, in any worker thread. A struct eu_kernel is immutable and
 * shared. A struct eu_thread belongs to one caller at a time, lives on its
 * stack or in its arena and needs no destructor. Source: BDW PRM vol 7, KBL PRM
 * vol 7 and vol 2d. */
#ifndef EU_H
#define EU_H

#include "base/range.h"
#include "eu/isa/isa.h"
#include "eu/message.h"

#define EU_GRF_COUNT 128
/* Surfaces of a message: 252 binding table indices and the special ones. */
#define EU_SURFACES 256
#define EU_GRF_B 32

struct eu_kernel; /* decoded code, compiled when first run */

/* Returns the kernel that starts at code: from a process-wide cache, found by
 * content, or decoded now. Decoding follows the code up to its last reachable
 * EOT and reads at most avail_B bytes. Returns NULL, after a guest error, if
 * the code cannot be decoded. Reference counted: release with
 * eu_kernel_unref(), which accepts NULL. */
const struct eu_kernel *eu_kernel_get(const void *code, size_t avail_B,
                                      enum eu_gen gen);
void eu_kernel_unref(const struct eu_kernel *kernel);
/* Like eu_kernel_get(), but the kernel counts for eu_busy_read(). */
const struct eu_kernel *eu_kernel_get_counted(const void *code, size_t avail_B,
                                              enum eu_gen gen);
/* For profiles, and eu_busy_read(): the kernel runs in this stage (the engine's
 * enum stage_kind).
 */
void eu_kernel_note_use(const struct eu_kernel *kernel, unsigned stage,
                        unsigned simd);
/* A model of how long the instructions of counted kernels have kept the pipes
 * of the EUs busy, in cycles, all EUs together: executions, which are exact,
 * times the cycles that an instruction of its size takes to issue. */
enum eu_pipe { EU_PIPE_FPU0, EU_PIPE_FPU1, EU_PIPE_SEND, EU_PIPES };
enum eu_shape {
    EU_SHAPE_OTHER,
    EU_SHAPE_TERNARY,
    EU_SHAPE_BINARY,
    EU_SHAPE_MOVE,
    EU_SHAPES
};
#define EU_BUSY_STAGES 6 /* of eu_kernel_note_use() */
struct eu_busy {
    uint64_t cycles[EU_BUSY_STAGES][EU_PIPES][EU_SHAPES];
};
/* Sums since the process began. Any thread. */
void eu_busy_read(struct eu_busy *busy);
/* A SIGBUS at addr: whether it was the counters of a profile, whose file system
 * is full, and the access can be repeated. In the signal's handler. */
bool eu_profile_answer_fault(uintptr_t addr);
/* Lists the instructions that each kernel leaves to the interpreter, for
 * trace(eu). */
void eu_trace_fallbacks(void);
/* XXH3 of the code, by which profiles name kernels. */
uint64_t eu_kernel_content_hash(const struct eu_kernel *kernel);
size_t eu_kernel_size_B(const struct eu_kernel *kernel);
/* Bit n of word n/32: a send with an immediate descriptor names binding table
 * entry n. Returns false if a send takes its descriptor from a register: then
 * any entry may be used. */
bool eu_kernel_surfaces(const struct eu_kernel *kernel, uint32_t used[8]);
/* Pure kernel: its messages only sample, load constants and access the URB.
 * Such a kernel has no effect besides its URB entries. */
bool eu_kernel_is_pure(const struct eu_kernel *kernel);

enum eu_status {
    EU_RUNNING,  /* the budget is used up */
    EU_WAITING,  /* at `wait` with n0 zero: run the group's other threads */
    EU_FINISHED, /* EOT sent */
    EU_FAILED,   /* guest error, already reported */
};

/* Chain epilogue: takes each thread's last message as the thread ends, instead
 * of thread->captured. fn is a C function or NULL. Compiled code calls it with
 * the EU_CAPTURE_GRF registers in the host's vector registers: four with
 * AVX-512, eight with AVX2. More arguments follow: the thread's struct
 * eu_chain_entry, arg, and the lanes of captured_mask.
 *
 * store_pair (AVX-512): one epilogue call for two consecutive threads that need
 * no registers copied. Arguments: eight vectors, the first thread's struct
 * eu_chain_entry, arg. With AVX-512 it is NULL only if fn is.
 *
 * sample_store: NULL, or handles the last sampler message and the epilogue in
 * one call, where the answer is the payload (eu_launch.sample_store).
 * Arguments: the message's two vectors (AVX2: four), then the arguments of fn.
 * It returns false if it has done nothing; compiled code then sends the
 * message. */
struct eu_epilogue {
    void (*fn)(void);
    const void *arg;
    void (*sample_store)(void);
    void (*store_pair)(void);
};

/* Chain: threads that compiled code runs one after another; see
 * eu_launch_chain(). */
#define EU_CHAIN_GRF 4
#define EU_CHAIN_THREADS 4
/* Byte of the live lanes of a pixel shader thread: a dword of its second header
 * register. */
#define EU_LIVE_B (EU_GRF_B + 28)
struct eu_chain_entry {
    /* Registers, or the weights that PLN reads (eu_launch.chain_weights): the
     * first weight of sixteen channels, then the second. */
    alignas(64) uint8_t payload[EU_CHAIN_GRF * EU_GRF_B];
    uint8_t *captured; /* or data for the epilogue's function */
    uint32_t dispatch_mask, vector_mask, mask; /* mask: the one in use */
    uint32_t more; /* nonzero: another entry follows */
    /* Lanes of the captured message. An epilogue is called with the lanes of
     * dispatch_mask here. */
    uint32_t captured_mask;
    uint32_t live;    /* the dword at EU_LIVE_B, if eu_launch.chain_sets_mask */
    const void *next; /* for the epilogue: data of the next thread */
};

struct eu_thread {
    alignas(64) uint8_t grf[EU_GRF_COUNT * EU_GRF_B];
    uint64_t scratch[32]; /* results of compiled code before they are stored */
    /* Accumulators as flat bytes, 64 per register: acc0 holds 16 F/D lanes or 8
     * Q/DF lanes. acc2..acc9 are the math macro registers. See interp/ for the
     * high bits of integer products. */
    alignas(64) uint8_t acc[10][64];
    alignas(64) int64_t acc_wide[2][16]; /* integer accumulators, 64 bit */
    uint32_t chan_ip[32];                /* per channel: where it resumes */
    void *user;                          /* for the send function */
    alignas(32) struct eu_message
        message; /* the message that compiled code sends */
    /* NULL, or where the last message goes instead of being sent, if the launch
     * captures it: EU_CAPTURE_GRF registers. Its lanes are
     * message.exec_mask. */
    uint8_t *captured;
    struct eu_chain_entry *chain; /* NULL, or the chain entry now running */
    struct eu_epilogue epilogue;  /* of the chain */
    /* Not yet added to the statistics: */
    uint32_t message_count;
    uint64_t interpreted_count; /* executed by the interpreter */
    /* From here on a launch copies the state that all its threads begin
     * with. */
    alignas(32) uint16_t a0[16];
    uint32_t f[2];
    uint32_t cr0[3];
    uint32_t sr0[4]; /* [2] dispatch mask, [3] vector mask */
    uint32_t n0[3];
    uint32_t sp[2];
    uint32_t ip;           /* byte offset in the kernel */
    uint32_t live;         /* channels now executing at ip */
    uint32_t mask;         /* the dispatched channels of live */
    uint32_t mxcsr;        /* host float mode that cr0 asks for */
    uint32_t mxcsr_keep;   /* mxcsr without flushing */
    uint32_t ends_quietly; /* see eu_start */
    uint64_t clock;        /* virtual time, read through tm0 */
    enum eu_status status;
    const struct eu_kernel *kernel;
    eu_send_fn send;
    const struct mem_range *const *surfaces; /* see eu_start; never NULL */
    const struct eu_direct *const *direct;   /* likewise */
    const struct mem_range *slm;             /* never NULL */
    unsigned *arrived;                       /* see eu_start */
    const void *waits_at; /* NULL, or the wait in compiled code */
    /* NULL, or how often each instruction ran: one entry per 8 bytes of code,
     * shared by all EU threads of one host thread. A thread with counts is
     * interpreted. */
    uint64_t *counts;
    uint64_t insn_count;
};

struct eu_start {
    const struct eu_kernel *kernel;
    unsigned simd; /* 8, 16, 32: channels the dispatch mask may hold */
    uint32_t dispatch_mask;
    uint32_t vector_mask;
    bool vector_mask_enable;
    bool alt_mode; /* Floating Point Mode = Alternate */
    bool denorm_f_retain;
    uint8_t rounding; /* 0 RTNE, 1 up, 2 down, 3 zero */
    bool single_program_flow;
    uint64_t clock; /* initial value of tm0 */
    eu_send_fn send;
    /* Compiled code ends the thread without sending its last message, if that
     * message only tells the thread spawner that the thread ends. */
    bool ends_quietly;
    /* NULL, or memory that compiled code may read and write itself: EU_SURFACES
     * entries by binding table index. An entry is NULL until it is known, which
     * may be while the thread runs. slm is shared local memory. Messages to any
     * other surface are sent. */
    const struct mem_range *const *surfaces;
    const struct mem_range *slm;
    /* NULL, or how many threads of the group have arrived at its barrier.
     * Compiled code adds one: all threads of a group run on one host thread. */
    unsigned *arrived;
    /* NULL, or EU_DIRECTS entries, one for each of the kernel's first sampler
     * messages (eu_message.site). An entry is NULL until the send function
     * finds that compiled code may call it, for all threads of this start. */
    const struct eu_direct *const *direct;
    void *user;
    uint64_t *counts;
};

/* Makes the thread ready to run at its kernel's first instruction. Leaves the
 * GRF alone: the caller fills in the payload before or after. */
void eu_thread_init(struct eu_thread *thread, const struct eu_start *start);

/* Runs until EOT, a wait, an error, or about `budget` executed instructions
 * (EU_RUNNING: call again). */
enum eu_status eu_run(struct eu_thread *thread, uint64_t budget);

#define EU_THREAD_BEGIN_B \
    (sizeof(struct eu_thread) - offsetof(struct eu_thread, a0))

#define EU_CAPTURE_GRF 8

/* Which of a thread's state its instructions may change, besides registers. */
enum eu_clobbers {
    EU_CLOBBERS_ALL,
    EU_CLOBBERS_ADDRESS_AND_FLAGS,
    EU_CLOBBERS_NONE,
};

struct eu_jit;
struct eu_launch;
typedef enum eu_status (*eu_launch_fn)(const struct eu_launch *launch,
                                       struct eu_thread *thread,
                                       uint64_t budget);

/* Launch: state common to all threads of a kernel and a start, computed once.
 * Plain data: it may be copied and needs no destructor. It is immutable while
 * any number of workers run its threads. The kernel must outlive it. */
struct eu_launch {
    struct eu_start start; /* masks and user are per thread */
    /* Live-in registers: bit n%32 of word n/32 says that GRF n may be read
     * before the kernel writes it. The caller sets these registers, to payload
     * or zero, and may leave others undefined. */
    uint32_t live_in[4];

    /* Registers that some instruction writes. Others keep their value from one
     * thread to the next. */
    uint32_t written[4];
    /* Every thread ends with an equal message of EU_CAPTURE_GRF registers
     * without a header, so that thread->captured can take it. */
    bool captures_rt_write;
    bool last_pred; /* its predicate may leave out active lanes */
    uint8_t last_sfid;
    uint32_t last_desc;
    uint32_t sfids; /* bit each: shared functions of other messages */
    /* sfid 0, or the sampler message right before the last message: two vectors
     * without a header. Its answer is the last message's payload. */
    struct eu_message sample_store;
    /* Deterministic: threads with equal payload and masks have equal results if
     * their messages have equal answers. */
    bool steady;

    /* First payload register of a chain's threads, or 0: no chains. */
    unsigned chain_grf;
    bool chain_weights; /* the payload is the first PLN's weights */
    bool chains;        /* eu_launch_chain() may be used */
    /* The kernel reads only EU_LIVE_B's dword of that register: compiled code
     * sets the dword for each thread of a chain. */
    bool chain_sets_mask;

    /* Private to src/eu. */
    uint8_t clobbers; /* enum eu_clobbers */
    uint32_t zero[4]; /* GRFs that a thread with channels off may also read */
    uint32_t required_mask; /* channels that unmasked code needs */
    bool lane_independent,
        quad_dependent; /* lanes observe their quad, but no other lane */
    bool acc;           /* accumulators may be read */
    uint32_t mxcsr;
    eu_launch_fn run, resume;
    const struct eu_jit *jit; /* the compiled code of run(), or NULL */
    /* Enters compiled code with the thread, a budget, an entry point and the
     * channels. Returns the budget left. */
    int64_t (*enter)(struct eu_thread *, int64_t, const void *, uint64_t);
    const void *entry;
    /* NULL, or runs threads of a chain in lockstep, where that pays. Advances
     * thread->chain to the first thread that has not finished. Returns true,
     * with the last entry, if all have finished. Each begins with the thread's
     * current registers and its own payload. */
    bool (*lockstep)(const struct eu_launch *, struct eu_thread *,
                     int64_t *left);
    /* NULL, or runs two started threads of a group, with all channels on, that
     * end quietly. Each has the budget. Returns false if it has done
     * nothing. */
    bool (*two)(const struct eu_launch *, struct eu_thread *, uint64_t budget);
    alignas(64) uint8_t begin[EU_THREAD_BEGIN_B];
};

void eu_launch_init(struct eu_launch *launch, const struct eu_start *start);

/* For a copy of a launch: gives its threads shared local memory and a barrier
 * of their own. */
void eu_launch_set_group(struct eu_launch *launch, const struct mem_range *slm,
                         unsigned *arrived);

/* Makes a thread ready to run at the kernel's first instruction. Leaves
 * thread->user and the GRF alone, except registers that no caller fills. */
void eu_launch_start(const struct eu_launch *launch, struct eu_thread *thread,
                     uint32_t dispatch_mask, uint32_t vector_mask);

/* eu_launch_start(), then eu_run(); continue a thread that has not finished
 * with eu_run(). */
enum eu_status eu_launch_run(const struct eu_launch *launch,
                             struct eu_thread *thread, uint32_t dispatch_mask,
                             uint32_t vector_mask, uint64_t budget);

/* eu_launch_run() for two adjacent threads at once, if launch->two is set and
 * it pays. Returns false if neither has run. If one fails, the other may not
 * continue. */
bool eu_launch_run_two(const struct eu_launch *launch, struct eu_thread *thread,
                       const uint32_t mask[2], uint64_t budget);

/* eu_launch_run() for one of many threads whose last message is captured,
 * between eu_launch_begin() and eu_launch_end(). All share one budget, *left.
 * The caller sets thread->captured. A thread that does not finish has not
 * captured anything: continue it with eu_run(). */
enum eu_status eu_launch_next(const struct eu_launch *launch,
                              struct eu_thread *thread, uint32_t dispatch_mask,
                              uint32_t vector_mask, int64_t *left);
/* Whether compiled code runs the launch's threads. */
static inline bool
eu_launch_is_compiled(const struct eu_launch *l)
{
    return l->enter != NULL;
}
/* Continues eu_launch_next() for a thread that compiled code has left. */
enum eu_status eu_launch_go_on(const struct eu_launch *launch,
                               struct eu_thread *thread, int64_t *left);
/* Call before the first and after the last of these threads. Counts the budget
 * that they spent and `caught` captured messages, `times` times. */
void eu_launch_count_from(struct eu_thread *thread);
void eu_launch_count(struct eu_thread *thread, uint64_t spent, unsigned caught,
                     unsigned times);

/* eu_run() for a launched thread that has already run. */
enum eu_status eu_launch_resume(const struct eu_launch *launch,
                                struct eu_thread *thread, uint64_t budget);

/* Call around many runs on one host thread: sets the host's float mode once
 * instead of for each run. before: the value that eu_launch_begin()
 * returned. */
uint32_t eu_launch_begin(const struct eu_launch *launch);
void eu_launch_end(const struct eu_launch *launch, uint32_t before);

/* Zeroes the live-in registers from first_grf on. */
void eu_launch_zero(const struct eu_launch *launch, struct eu_thread *thread,
                    unsigned first_grf);

/* Whether threads with these channels on may run unmasked code: all of
 * required_mask are on, or some are and lanes are independent. A thread without
 * any channel may not, because it would take no branch. */
static inline bool
eu_masks_nothing(uint32_t mask, uint32_t required_mask, bool lane_independent,
                 bool quad_dependent)
{
    uint32_t all = mask & mask >> 1 & mask >> 2 & mask >> 3 & 0x11111111;
    return (mask & required_mask) == required_mask ||
           (lane_independent && mask && !(mask & ~required_mask) &&
            (!quad_dependent || all * 15 == mask));
}

/* Sets the thread's masks and enters compiled code. */
static inline enum eu_status
eu_launch_enter(const struct eu_launch *l, struct eu_thread *t,
                uint32_t dispatch_mask, uint32_t vector_mask, uint32_t mask,
                int64_t *left)
{
    t->sr0[2] = dispatch_mask;
    t->sr0[3] = vector_mask;
    t->mask = mask;
    *left = l->enter(t, *left, l->entry, mask);
    return t->status == EU_FINISHED ? EU_FINISHED : eu_launch_go_on(l, t, left);
}

/* eu_launch_next(), inline, in the caller's instruction set. again: this
 * function finished the previous thread, and only registers changed since. */
static inline enum eu_status
eu_launch_quick(const struct eu_launch *l, struct eu_thread *t,
                uint32_t dispatch_mask, uint32_t vector_mask, bool again,
                int64_t *left)
{
    bool vmask = l->start.vector_mask_enable;
    uint32_t mask = vmask ? vector_mask : dispatch_mask;
    if (l->acc || !eu_masks_nothing(mask, l->required_mask, l->lane_independent,
                                    l->quad_dependent))
        return eu_launch_next(l, t, dispatch_mask, vector_mask, left);
    if (!again || l->clobbers == EU_CLOBBERS_ALL)
        memcpy(t->a0, l->begin, sizeof l->begin);
    else if (l->clobbers == EU_CLOBBERS_ADDRESS_AND_FLAGS)
        memcpy(t->a0, l->begin, sizeof t->a0 + sizeof t->f);
    t->ip = 0;
    t->status = EU_RUNNING;
    return eu_launch_enter(l, t, dispatch_mask, vector_mask, mask, left);
}

/* Whether threads of this launch can follow each other without restoring state
 * or checking masks. */
static inline bool
eu_launch_is_plain(const struct eu_launch *l)
{
    return !l->acc && l->lane_independent && !l->quad_dependent &&
           l->clobbers == EU_CLOBBERS_NONE;
}

/* eu_launch_quick() with `again`, for a plain launch. */
static inline enum eu_status
eu_launch_again(const struct eu_launch *l, struct eu_thread *t,
                uint32_t dispatch_mask, uint32_t vector_mask, int64_t *left)
{
    bool vmask = l->start.vector_mask_enable;
    t->ip = 0;
    t->status = EU_RUNNING;
    return eu_launch_enter(l, t, dispatch_mask, vector_mask,
                           vmask ? vector_mask : dispatch_mask, left);
}

/* Whether a thread with these channels may be part of a chain. */
static inline bool
eu_launch_takes(const struct eu_launch *l, uint32_t mask)
{
    return eu_masks_nothing(mask, l->required_mask, l->lane_independent,
                            l->quad_dependent);
}

/* Register, counted from chain_grf, of part i of a chain entry's payload. */
static inline unsigned
eu_chain_place(bool weights, unsigned i)
{
    static_assert(EU_CHAIN_GRF == 4, "two weights, in two halves each");
    return weights ? (i & 1) * 2 + i / 2 : i;
}

/* Copies an entry's payload to the thread's registers. */
static inline void
eu_chain_take(const struct eu_launch *l, struct eu_thread *t,
              const struct eu_chain_entry *row)
{
    uint8_t *grf = t->grf + l->chain_grf * EU_GRF_B;
    if (!l->chain_weights) {
        memcpy(grf, row->payload, sizeof row->payload);
        return;
    }
    for (unsigned i = 0; i < EU_CHAIN_GRF; i++)
        memcpy(grf + eu_chain_place(true, i) * EU_GRF_B,
               row->payload + i * EU_GRF_B, EU_GRF_B);
}

/* eu_launch_quick() for a chain of threads, which differ in their masks and in
 * the payload from chain_grf on. Returns the entry that has not finished, or
 * the last entry. t is the first of EU_CHAIN_THREADS threads, which lockstep
 * uses. alike: the epilogue changes no registers for the next thread. */
static inline struct eu_chain_entry *
eu_launch_chain(const struct eu_launch *l, struct eu_thread *t,
                struct eu_chain_entry *row, struct eu_epilogue tail, bool alike,
                int64_t *left)
{
    t->chain = row;
    t->epilogue = tail;
    bool pairs = alike && l->lockstep && !tail.sample_store;
    if (!pairs || !l->lockstep(l, t, left)) {
        row = t->chain;
        t->captured = row->captured;
        eu_chain_take(l, t, row);
        if (l->chain_sets_mask)
            memcpy(t->grf + EU_LIVE_B, &row->live, sizeof row->live);
        eu_launch_quick(l, t, row->dispatch_mask, row->vector_mask, false,
                        left);
    }
    row = t->chain;
    t->chain = NULL;
    t->epilogue = (struct eu_epilogue){.fn = NULL};
    return row;
}

/* Runs the first threads of a chain, in lockstep where possible. Each begins
 * with the thread's current registers. Returns how many have finished. */
static inline unsigned
eu_launch_chain_two(const struct eu_launch *l, struct eu_thread *t,
                    struct eu_chain_entry *row, struct eu_epilogue tail,
                    int64_t *left)
{
    t->chain = row;
    t->epilogue = tail;
    bool all = l->lockstep(l, t, left);
    unsigned done = (unsigned)(t->chain - row) + all;
    t->chain = NULL;
    t->epilogue = (struct eu_epilogue){.fn = NULL};
    return done;
}

static inline uint32_t *
eu_grf(struct eu_thread *thread, unsigned grf)
{
    return (uint32_t *)(void *)(thread->grf + grf * EU_GRF_B);
}

#endif
