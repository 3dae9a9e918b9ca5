/* eu.h: executes kernels. Knows no pipeline, no memory, no surfaces: all of
 * those are behind the send function that the engine passes in.
 *
 * Who calls: engine, from any worker. A struct eu_kernel is immutable and
 * shared; a struct eu_thread belongs to one caller at a time, lives on its
 * stack or in its arena and needs no destructor. */
#ifndef EU_H
#define EU_H

#include "base/range.h"
#include "eu/isa/isa.h"
#include "eu/message.h"

#define EU_GRF_COUNT 128
/* What messages may name: 252 of a binding table, and what is special. */
#define EU_SURFACES 256
#define EU_GRF_B 32

struct eu_kernel; /* decoded (and, later, compiled) code */

/* The kernel that starts at code, found by content in a process-wide cache or
 * decoded now. At most avail_B bytes are read; decoding follows the code up
 * to its last reachable EOT. NULL after a guest error if it cannot be decoded.
 * Reference counted: release with eu_kernel_unref (NULL is fine). */
const struct eu_kernel *eu_kernel_get(const void *code, size_t avail_B,
                                      enum eu_gen gen);
void eu_kernel_unref(const struct eu_kernel *kernel);
/* What each kernel leaves to the interpreter, to trace(eu). */
void eu_trace_coverage(void);
size_t eu_kernel_size_B(const struct eu_kernel *kernel);
/* Bit n of word n/32: a send with an immediate descriptor names binding table
 * entry n. Returns false if some send takes its descriptor from a register,
 * so that any entry may be used. */
bool eu_kernel_surfaces(const struct eu_kernel *kernel, uint32_t used[8]);
/* Whether its messages only sample, load constants and access the URB: without
 * its URB entries nobody can tell that it ran. */
bool eu_kernel_is_pure(const struct eu_kernel *kernel);

enum eu_status {
    EU_RUNNING,  /* eu_run() returned because the budget was used up */
    EU_WAITING,  /* at `wait` with n0 zero: run the group's other threads */
    EU_FINISHED, /* EOT sent */
    EU_FAILED,   /* guest error, already reported */
};

/* What takes the last message of a row's threads as each one ends, instead of
 * `caught`. A function of C that compiled code calls with the EU_CATCH_GRF
 * registers as vectors, which the host passes in its own vector registers: four
 * of them with AVX-512, eight with AVX2; then with the thread's struct eu_row,
 * arg, and the lanes of caught_mask. fn is NULL if there is none.
 *
 * two: with AVX-512 the same for a thread and the one behind it, of which
 * neither needs registers copied: eight vectors, the first thread's struct
 * eu_row, arg. Not NULL there unless fn is.
 *
 * copy: NULL, or what does the work of the tail and of the message before it,
 * where the one's answer is the other's payload (eu_launch.copied). Called with
 * that message's two vectors, four with AVX2, then as fn; returns a bool: false
 * with nothing done, and the message is sent. */
struct eu_tail {
    void (*fn)(void);
    const void *arg;
    void (*copy)(void);
    void (*two)(void);
};

/* One of many threads that compiled code runs one after the other, see
 * eu_launch_row(). */
#define EU_ROW_GRF 4
#define EU_ROW_THREADS 4
/* Which lanes of a pixel shader's thread are lit, in its second header. */
#define EU_LIT_B (EU_GRF_B + 28)
struct eu_row {
    /* The registers, or weights as PLN reads them (eu_launch.row_weights): the
     * first one's of sixteen channels before the second one's. */
    alignas(64) uint8_t payload[EU_ROW_GRF * EU_GRF_B];
    uint8_t *caught; /* or whatever the tail asks for */
    uint32_t dispatch_mask, vector_mask, mask; /* the last: one of the others */
    uint32_t more; /* not zero: another one comes behind it */
    /* Lanes of what was caught; for tails, those of dispatch_mask before. */
    uint32_t caught_mask;
    uint32_t lit;     /* the dword at EU_LIT_B, where eu_launch.own_lit is */
    const void *next; /* for the tail: what the one behind it needs */
};

struct eu_thread {
    alignas(64) uint8_t grf[EU_GRF_COUNT * EU_GRF_B];
    uint64_t scratch[32]; /* compiled code: results on their way */
    /* Accumulators as flat bytes, 64 per register: acc0 holds 16 F/D lanes
     * or 8 Q/DF lanes; see interp/ for how integer products keep their high
     * bits. acc2..acc9 are the math macro registers. */
    alignas(64) uint8_t acc[10][64];
    alignas(64) int64_t acc_wide[2][16];   /* integer accumulators, 64 bit */
    uint32_t chan_ip[32];                  /* per channel: where it resumes */
    void *user;                            /* for the send function */
    alignas(32) struct eu_message message; /* compiled code: what it sends */
    /* NULL, or where the last message of a launch that catches goes instead of
     * being sent: EU_CATCH_GRF registers; its lanes are message.exec_mask. */
    uint8_t *caught;
    struct eu_row *row;  /* NULL, or the one of a row that now runs */
    struct eu_tail tail; /* the row's */
    /* Not yet added to the statistics: */
    uint32_t message_count;
    uint64_t interpreted_count; /* instructions that the JIT left out */
    /* From here on a launch copies what all its threads begin with. */
    alignas(32) uint16_t a0[16];
    uint32_t f[2];
    uint32_t cr0[3];
    uint32_t sr0[4]; /* [2] dispatch mask, [3] vector mask */
    uint32_t n0[3];
    uint32_t sp[2];
    uint32_t ip;           /* byte offset in the kernel */
    uint32_t live;         /* channels now executing at ip */
    uint32_t mask;         /* of those, the dispatched ones */
    uint32_t mxcsr;        /* host float mode that cr0 asks for */
    uint32_t mxcsr_keep;   /* the same, but nothing is flushed */
    uint32_t ends_quietly; /* see eu_start */
    uint64_t clock;        /* virtual time, read through tm0 */
    enum eu_status status;
    const struct eu_kernel *kernel;
    eu_send_fn send;
    const struct mem_range *const *surfaces; /* see eu_start; never NULL */
    const struct eu_direct *const *direct;   /* likewise */
    const struct mem_range *slm;             /* never NULL */
    unsigned *arrived;                       /* see eu_start */
    const void *waits_at; /* NULL, or where in compiled code */
    /* NULL, or how often each instruction ran (one entry per 8 bytes of code,
     * shared by any threads of one host thread). Whoever counts interprets. */
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
    uint64_t clock; /* what tm0 counts on from */
    eu_send_fn send;
    /* Compiled code need not send the last message if it is for the thread
     * spawner: it says that the thread ends. */
    bool ends_quietly;
    /* NULL, or what compiled code may read and write itself where a message
     * names it: EU_SURFACES entries by binding table index, each NULL until
     * somebody knows it, which may be while the thread runs; and shared local
     * memory. What is not there is sent. */
    const struct mem_range *const *surfaces;
    const struct mem_range *slm;
    /* NULL, or how many threads of the group have arrived at its barrier, for
     * compiled code to count one: all run on one thread of the host. */
    unsigned *arrived;
    /* NULL, or EU_DIRECTS entries, one for each of the kernel's first sampler
     * messages (eu_message.site): each is NULL until the send function finds
     * that it may be called, for all threads that start so. */
    const struct eu_direct *const *direct;
    void *user;
    uint64_t *counts;
};

/* Makes the thread ready to run at its kernel's first instruction. The GRF is
 * left as it is: fill in the payload before or after. */
void eu_thread_init(struct eu_thread *thread, const struct eu_start *start);

/* Runs until EOT, a wait, an error, or until about `budget` instructions were
 * executed (EU_RUNNING: call again). */
enum eu_status eu_run(struct eu_thread *thread, uint64_t budget);

#define EU_THREAD_BEGIN_B \
    (sizeof(struct eu_thread) - offsetof(struct eu_thread, a0))

#define EU_CATCH_GRF 8

/* Which of a thread's state its instructions may change, registers aside. */
enum eu_leaves {
    EU_LEAVES_ALL,
    EU_LEAVES_ADDRESS_AND_FLAGS,
    EU_LEAVES_NONE,
};

struct eu_jit;
struct eu_launch;
typedef enum eu_status (*eu_launch_fn)(const struct eu_launch *launch,
                                       struct eu_thread *thread,
                                       uint64_t budget);

/* Any number of threads of one kernel that begin alike: what is the same for
 * all of them is decided once. Plain data: may be copied, is immutable while
 * threads are run, by any number of workers, and needs no destructor; the
 * kernel has to outlive it. */
struct eu_launch {
    struct eu_start start; /* masks and user are each thread's own */
    /* Bit n%32 of word n/32: GRF n may be read before the kernel writes it.
     * Whoever runs a thread gives these a value, payload or zero, and no
     * others: what those hold cannot matter. */
    uint32_t live_in[4];

    /* What no instruction writes stays from one thread to the next. */
    uint32_t written[4];
    /* Every thread ends with the same message, of EU_CATCH_GRF registers
     * without a header, which thread->caught can have. */
    bool catches;
    bool last_pred; /* of all lanes that are on, some may not be in it */
    uint8_t last_sfid;
    uint32_t last_desc;
    uint32_t sfids; /* bit each: where other messages go */
    /* sfid 0, or the sampler message of two vectors without a header whose
     * answer is the payload of the last one, which comes next. */
    struct eu_message copied;
    /* Threads whose payload and masks are the same do the same, as far as
     * their messages are answered alike. */
    bool steady;

    /* Where threads of a row have their payload, or 0: there are no rows. */
    unsigned row_grf;
    bool row_weights; /* those are what the kernel's first PLN reads */
    bool rows;        /* they may follow each other: eu_launch_row() */
    /* Of the register that has it, no dword but the one at EU_LIT_B is read:
     * threads of a row find theirs in the row. */
    bool own_lit;

    /* Private to src/eu. */
    uint8_t leaves;    /* enum eu_leaves */
    uint32_t zero[4];  /* GRFs a thread with channels off may read too */
    uint32_t need;     /* without one of these, channels are off */
    bool apart, quads; /* unless the kernel's lanes keep to themselves */
    bool acc;          /* accumulators may be read */
    uint32_t mxcsr;
    eu_launch_fn run, resume;
    const struct eu_jit *jit; /* what run() begins with; else NULL */
    /* Its code: the thread, a budget, where to begin, the channels; returns
     * what is left of the budget. */
    int64_t (*enter)(struct eu_thread *, int64_t, const void *, uint64_t);
    const void *entry;
    /* NULL, or the threads of a row several at a time, where that pays:
     * thread->row moves on to one that is left over, or true: to the last, all
     * have finished. Each begins with the registers that the thread has now,
     * its payload aside. */
    bool (*pairs)(const struct eu_launch *, struct eu_thread *, int64_t *left);
    /* NULL, or two threads of a group, with all channels on, that have been
     * started and end quietly; each has the budget. False: they have done
     * nothing. */
    bool (*two)(const struct eu_launch *, struct eu_thread *, uint64_t budget);
    alignas(64) uint8_t begin[EU_THREAD_BEGIN_B];
};

void eu_launch_init(struct eu_launch *launch, const struct eu_start *start);

/* For copies whose threads have shared local memory and a barrier of their own.
 */
void eu_launch_set_group(struct eu_launch *launch, const struct mem_range *slm,
                         unsigned *arrived);

/* Makes a thread ready to run at the kernel's first instruction. thread->user
 * and the GRF are left as they are but for registers that no caller fills. */
void eu_launch_start(const struct eu_launch *launch, struct eu_thread *thread,
                     uint32_t dispatch_mask, uint32_t vector_mask);

/* eu_launch_start(), then as eu_run(), which also goes on with it. */
enum eu_status eu_launch_run(const struct eu_launch *launch,
                             struct eu_thread *thread, uint32_t dispatch_mask,
                             uint32_t vector_mask, uint64_t budget);

/* The same for two that lie behind each other, at a time, if launch->two and
 * where that pays. False: neither has run. If one of them has failed the other
 * may not go on. */
bool eu_launch_run_two(const struct eu_launch *launch, struct eu_thread *thread,
                       const uint32_t mask[2], uint64_t budget);

/* The same for one of many threads that catch, between eu_launch_begin() and
 * _end(), with one budget together: *left. The caller sets thread->caught. A
 * thread that does not finish has not used it: it goes on with eu_run(). */
enum eu_status eu_launch_next(const struct eu_launch *launch,
                              struct eu_thread *thread, uint32_t dispatch_mask,
                              uint32_t vector_mask, int64_t *left);
/* Whether they may be. */
static inline bool
eu_launch_is_compiled(const struct eu_launch *l)
{
    return l->enter != NULL;
}
/* The rest of it for a thread that compiled code has left. */
enum eu_status eu_launch_go_on(const struct eu_launch *launch,
                               struct eu_thread *thread, int64_t *left);
/* Before the first of them, and after the last: counts what they have spent of
 * that budget and `caught` messages, all of it `times` times. */
void eu_launch_count_from(struct eu_thread *thread);
void eu_launch_count(struct eu_thread *thread, uint64_t spent, unsigned caught,
                     unsigned times);

/* eu_run() for a launched thread that has run already. */
enum eu_status eu_launch_resume(const struct eu_launch *launch,
                                struct eu_thread *thread, uint64_t budget);

/* Around many runs on one host thread: the host's float mode is the threads'
 * meanwhile, which saves switching to it for each. end: what begin returned */
uint32_t eu_launch_begin(const struct eu_launch *launch);
void eu_launch_end(const struct eu_launch *launch, uint32_t before);

/* Zeroes the registers of live_in from this one on. */
void eu_launch_zero(const struct eu_launch *launch, struct eu_thread *thread,
                    unsigned first_grf);

/* Threads with these channels on may run code that masks nothing: all that the
 * kernel could disable, or some of these, which then never part. Without any,
 * nobody would take a branch. */
static inline bool
eu_masks_nothing(uint32_t mask, uint32_t need, bool apart, bool quads)
{
    uint32_t all = mask & mask >> 1 & mask >> 2 & mask >> 3 & 0x11111111;
    return (mask & need) == need ||
           (apart && mask && !(mask & ~need) && (!quads || all * 15 == mask));
}

/* The masks, and off it goes. */
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

/* eu_launch_next(), in the instruction set of whoever includes this. again:
 * the thread is one that this has finished before, and nobody has touched it
 * since, registers aside. */
static inline enum eu_status
eu_launch_quick(const struct eu_launch *l, struct eu_thread *t,
                uint32_t dispatch_mask, uint32_t vector_mask, bool again,
                int64_t *left)
{
    bool vmask = l->start.vector_mask_enable;
    uint32_t mask = vmask ? vector_mask : dispatch_mask;
    if (l->acc || !eu_masks_nothing(mask, l->need, l->apart, l->quads))
        return eu_launch_next(l, t, dispatch_mask, vector_mask, left);
    if (!again || l->leaves == EU_LEAVES_ALL)
        memcpy(t->a0, l->begin, sizeof l->begin);
    else if (l->leaves == EU_LEAVES_ADDRESS_AND_FLAGS)
        memcpy(t->a0, l->begin, sizeof t->a0 + sizeof t->f);
    t->ip = 0;
    t->status = EU_RUNNING;
    return eu_launch_enter(l, t, dispatch_mask, vector_mask, mask, left);
}

/* Whether threads of this launch follow each other with nothing to restore and
 * nothing to ask, whatever lanes are on. */
static inline bool
eu_launch_is_plain(const struct eu_launch *l)
{
    return !l->acc && l->apart && !l->quads && l->leaves == EU_LEAVES_NONE;
}

/* eu_launch_quick() of a plain launch's thread, again. */
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

/* Whether a thread with these channels may be in a row. */
static inline bool
eu_launch_takes(const struct eu_launch *l, uint32_t mask)
{
    return eu_masks_nothing(mask, l->need, l->apart, l->quads);
}

/* The register, from row_grf on, that part i of a row's payload is for. */
static inline unsigned
eu_row_place(bool weights, unsigned i)
{
    static_assert(EU_ROW_GRF == 4, "two weights, in two halves each");
    return weights ? (i & 1) * 2 + i / 2 : i;
}

/* A row's payload in the thread's registers. */
static inline void
eu_row_take(const struct eu_launch *l, struct eu_thread *t,
            const struct eu_row *row)
{
    uint8_t *grf = t->grf + l->row_grf * EU_GRF_B;
    if (!l->row_weights) {
        memcpy(grf, row->payload, sizeof row->payload);
        return;
    }
    for (unsigned i = 0; i < EU_ROW_GRF; i++)
        memcpy(grf + eu_row_place(true, i) * EU_GRF_B,
               row->payload + i * EU_GRF_B, EU_GRF_B);
}

/* eu_launch_quick() for a row of threads, which differ in their masks and in
 * the payload from row_grf on. Returns the one that has not finished, or the
 * last. The thread is the first of EU_ROW_THREADS, for what runs several;
 * alike: the tail changes no registers for the next one. */
static inline struct eu_row *
eu_launch_row(const struct eu_launch *l, struct eu_thread *t,
              struct eu_row *row, struct eu_tail tail, bool alike,
              int64_t *left)
{
    t->row = row;
    t->tail = tail;
    bool pairs = alike && l->pairs && !tail.copy;
    if (!pairs || !l->pairs(l, t, left)) {
        row = t->row;
        t->caught = row->caught;
        eu_row_take(l, t, row);
        if (l->own_lit)
            memcpy(t->grf + EU_LIT_B, &row->lit, sizeof row->lit);
        eu_launch_quick(l, t, row->dispatch_mask, row->vector_mask, false,
                        left);
    }
    row = t->row;
    t->row = NULL;
    t->tail = (struct eu_tail){.fn = NULL};
    return row;
}

/* The first threads of a row that takes them, of which each begins with the
 * registers that the thread has now, if they can run two at a time: returns how
 * many have finished. */
static inline unsigned
eu_launch_two(const struct eu_launch *l, struct eu_thread *t,
              struct eu_row *row, struct eu_tail tail, int64_t *left)
{
    t->row = row;
    t->tail = tail;
    bool all = l->pairs(l, t, left);
    unsigned done = (unsigned)(t->row - row) + all;
    t->row = NULL;
    t->tail = (struct eu_tail){.fn = NULL};
    return done;
}

static inline uint32_t *
eu_grf(struct eu_thread *thread, unsigned grf)
{
    return (uint32_t *)(void *)(thread->grf + grf * EU_GRF_B);
}

#endif
