/* media_families.c: media threads that depend on each other, as no driver sends
 * them: children, synchronized and persistent roots, scoreboards, groups and
 * masks of walkers, and threads that wait or spawn for ever. */
#include "media.h"
#include "media_kernels.h"

enum {
    PARENT,
    CHILD,
    START,
    CHAIN,
    RELEASE,
    STEP,
    WAITING,
    WAKE,
    OPEN,
    ANSWERS,
    GROUP,
    MARK,
    MASKED_MARK,
    KERNELS
};

/* Of commands. */
#define CHILDREN (1u << 31)
#define SYNCHRONIZED (1u << 24)
#define SCOREBOARD (1u << 21)

/* Eight threads at most; the scoreboard is one to the left. */
static const uint32_t vfe[] = {7u << 16 | 64u << 8, 0x00020020, 1u << 31 | 1,
                               0x0f};

static uint32_t *
begin(void)
{
    static const struct {
        const uint32_t *code;
        size_t size_B;
        uint32_t dw5, dw6;
    } kernels[KERNELS] = {
        [PARENT] = {parent_kernel, sizeof parent_kernel, 0, 0},
        [CHILD] = {child_kernel, sizeof child_kernel, 0, 0},
        [START] = {start_kernel, sizeof start_kernel, 0, 0},
        [CHAIN] = {chain_kernel, sizeof chain_kernel, 0, 0},
        [RELEASE] = {release_kernel, sizeof release_kernel, 0, 0},
        [STEP] = {step_kernel, sizeof step_kernel, 0, 0},
        [WAITING] = {waiting_kernel, sizeof waiting_kernel, 0, 0},
        [WAKE] = {wake_kernel, sizeof wake_kernel, 0, 0},
        [OPEN] = {open_kernel, sizeof open_kernel, 0, 0},
        [ANSWERS] = {answers_kernel, sizeof answers_kernel, 0, 0},
        [GROUP] = {group_kernel, sizeof group_kernel, 0, 1u << 21 | 1u << 16},
        [MARK] = {mark_kernel, sizeof mark_kernel, 0, 0},
        /* Constants that a mask replaces. */
        [MASKED_MARK] = {mark_kernel, sizeof mark_kernel, 2u << 16, 0},
    };
    clear_object();
    for (unsigned i = 0; i < KERNELS; i++)
        set_kernel(i, kernels[i].code, kernels[i].size_B, kernels[i].dw5,
                   kernels[i].dw6);
    return put_state(commands.dw, vfe, 0);
}

static uint32_t *
put_object(uint32_t *dw, unsigned kernel, uint32_t flags, unsigned x,
           unsigned y, unsigned mask)
{
    return PUT(dw, 0x71000004, kernel, flags, 0, x | y << 16, mask);
}

/* ------------------------------------------------------------------------ */

/* A parent of 60 children, of which seven run at a time. */
static void
check_children(uint32_t *dw, const char *what)
{
    const unsigned count = 60;
    unsigned wrong = 0;
    put_end(PUT(dw, 0x70040000, 0));
    int err = run(0);
    const uint8_t *bytes = (const void *)row(0);
    for (unsigned i = 0; i < count; i++) {
        const uint32_t *r = row(16 + i);
        wrong += r[6] != i || r[2] != CHILD * 32 || (r[4] & ~31u) != TABLE_B ||
                 r[3] != 0;
        wrong += r[8] != 3 * i + 5 || r[9] != i || r[10] != 0 || r[15] != 0x777;
        wrong += bytes[i] != (uint8_t)(0x80 + i);
    }
    for (unsigned i = count; i < 64; i++)
        wrong += bytes[i] != 0 || row(16 + i)[6] != 0;
    ok(!err && !wrong, "%s has 60 children: %u wrong", what, wrong);
}

static void
test_children(void)
{
    uint32_t *dw = begin();
    check_children(PUT(dw, 0x71000007, PARENT, CHILDREN, 0, 0, 0, 5, 60, 0),
                   "an object");
    dw = begin();
    check_children(PUT(dw, 0x7102000e, PARENT, CHILDREN, 0, 5, 60, 0, 0, 0, 0,
                       0, 0, 0, 0, 0, 0),
                   "a persistent root thread");
    dw = begin();
    check_children(PUT(dw, 0x7102000e, PARENT, CHILDREN | 1u << 23, 0, 5, 60, 0,
                       0, 0, 0, 0, 0, 0, 0, 0, 0),
                   "one with a fence");
}

/* Each child has one of its own; none waits for another. */
static void
test_chain(void)
{
    unsigned wrong = 0;
    uint32_t *dw = begin();
    put_end(PUT(dw, 0x71000005, START, CHILDREN, 0, 0, 0, 200));
    int err = run(0);
    for (unsigned i = 0; i <= 200; i++)
        wrong += row(i)[6] != i || row(i)[2] != CHAIN * 32;
    ok(!err && !wrong, "a chain of 201 children: %u wrong", wrong);
}

/* The synchronized threads come first, but must run last, in their order. */
static void
test_synchronized(void)
{
    uint32_t *dw = begin();
    for (unsigned i = 1; i <= 3; i++)
        dw = put_object(dw, STEP, SYNCHRONIZED, i, 9, 0);
    dw = PUT(dw, 0x71000007, RELEASE, 0, 0, 0, 0, 3, 41, 9);
    dw = put_store(dw, OTHER_VA + 10 * PITCH_B, 1);
    put_end(dw);
    int err = run(0);
    const uint32_t *r = row(9);
    ok(!err && r[0] == 41 && r[1] == 42 && r[2] == 43 && r[3] == 44 && !r[4],
       "synchronized roots run when they are released");
    ok(row(10)[0] == 1, "and a later command after them");
    dw = begin();
    /* MEDIA_OBJECT_WALKER: 4 by 1. */
    dw = PUT(dw, 0x7103000f, STEP, SYNCHRONIZED, 0, 0, 0, 0, 0, 0x00010005, 1,
             0, 0, 1, 0x00010005, 0, 0, 0x10000);
    put_end(PUT(dw, 0x71000007, RELEASE, CHILDREN, 0, 0, 0, 4, 70, 0));
    err = run(0);
    r = row(0);
    ok(!err && r[0] == 70 && r[1] == 71 && r[4] == 74 && !r[5],
       "so do those of a walker");
}

/* (1, 0) waits for a message from the last object, and (2, 0) for (1, 0). */
static void
test_scoreboard(void)
{
    uint32_t *dw = begin();
    dw = put_object(dw, WAITING, CHILDREN | SCOREBOARD, 1, 0, 1);
    dw = put_object(dw, WAKE, 0, 0, 0, 0);
    dw = put_object(dw, STEP, SCOREBOARD, 2, 0, 1);
    dw = put_object(dw, STEP, SCOREBOARD, 3, 0, 1);
    put_end(dw);
    int err = run(0);
    const uint32_t *r = row(0);
    ok(!err && r[1] == 1 && r[2] == 2 && r[3] == 3,
       "a scoreboard holds threads back: %u %u %u", r[1], r[2], r[3]);
}

/* To a thread that is none, with a wrong key, beyond the open register, and of
 * a length that is none. */
static void
test_answers(void)
{
    uint32_t *dw = begin();
    dw = put_object(dw, OPEN, CHILDREN, 0, 0, 0);
    put_end(put_object(dw, ANSWERS, 0, 0, 0, 0));
    int err = run(0);
    const uint32_t *r = row(7), *got = row(8);
    ok(!err && r[0] == 1 && r[1] == 2 && r[2] == 3 && r[3] == 3 && r[4] == 0,
       "wrong messages are answered: %u %u %u %u %u", r[0], r[1], r[2], r[3],
       r[4]);
    ok(got[0] == 0xabcd0123 && !got[1] && !got[7],
       "and change nothing, but the right one does");
}

/* ---- walkers ------------------------------------------------------------- */

/* Dwords 6 to 16 of a walk over columns by rows, row after row, with four
 * colours each. */
static uint32_t *
put_walk(uint32_t *dw, unsigned columns, unsigned rows)
{
    uint32_t size = columns | rows << 16;
    return PUT(dw, 3u << 24, rows - 1, size, 0, 0, 0x10000, 1, size, 0, columns,
               rows << 16);
}

static void
check_groups(unsigned select, unsigned columns, unsigned rows)
{
    unsigned wrong = 0;
    uint32_t *dw = begin();
    dw = PUT(dw, 0x71030010, GROUP, 0, 0, 0, select << 8);
    dw = put_walk(dw, columns, rows);
    put_end(PUT(dw, 1000));
    int err = run(0);
    for (unsigned y = 0; y < rows; y++)
        for (unsigned x = 0; x < columns; x++)
            for (unsigned c = 0; c < 4; c++)
                wrong += row(y)[x * 4 + c] !=
                         1000 + y * 256 + x * 4 + (c + 1) % 4;
    ok(!err && !wrong, "groups by loop %u: %u wrong", select, wrong);
}

static void
test_groups(void)
{
    uint32_t context = context_create(fd);
    check_groups(1, 8, 200);
    /* A walk of one column has the colours of one place in each group of local
     * loops, and so has one place in all. */
    check_groups(2, 1, 200);
    check_groups(3, 1, 200);
    check_groups(4, 1, 1);
    check_groups(5, 1, 1);
    uint32_t *dw = begin();
    dw = PUT(dw, 0x71030010, GROUP, 0, 0, 0, 5u << 8);
    put_end(PUT(put_walk(dw, 8, 3), 0));
    run(context);
    ok(count_resets(fd, context) == 1, "a group of 96 threads: a reset");
}

static void
check_mask(unsigned code, unsigned columns, unsigned rows)
{
    const unsigned pitch_B = 8u << code;
    unsigned wrong = 0;
    begin();
    uint8_t *mask = (void *)(object.dw + CURBE_B / 4);
    for (unsigned i = 0; i < rows * pitch_B; i++)
        mask[i] = (uint8_t)(i * 37 + 11);
    uint32_t *dw = put_state(commands.dw, vfe, rows * pitch_B);
    dw = PUT(dw, 0x71030010, MASKED_MARK, code << 22, 0, 0, 0);
    put_end(PUT(put_walk(dw, columns, rows), 500));
    int err = run(0);
    for (unsigned y = 0; y < rows; y++)
        for (unsigned x = 0; x < columns; x++)
            for (unsigned c = 0; c < 4; c++) {
                bool on = mask[y * pitch_B + x / 8] >> x % 8 & 1;
                wrong += row(y)[x * 4 + c] != (on ? 500 + c : 0);
            }
    ok(!err && !wrong, "a mask of %u bits a row: %u wrong", pitch_B * 8, wrong);
}

static void
test_masks(void)
{
    check_mask(1, 8, 16);
    check_mask(2, 8, 8);
    check_mask(3, 8, 4);
    begin();
    uint32_t *dw = put_state(commands.dw, vfe, 32);
    memset(object.dw + CURBE_B / 4, 0xff, 64);
    dw = PUT(dw, 0x71030010, MASKED_MARK, 1u << 22, 0, 0, 0);
    put_end(PUT(put_walk(dw, 8, 8), 500));
    ok(!run(0) && row(1)[31] == 503 && row(2)[0] == 0,
       "no threads after the mask's end");
}

/* ---- what never ends ----------------------------------------------------- */

static void
check_reset(uint32_t *dw, const char *what)
{
    uint32_t context = context_create(fd);
    put_end(dw);
    run(context);
    ok(count_resets(fd, context) == 1, "%s: a reset", what);
}

static void
test_endless(void)
{
    check_reset(put_object(begin(), STEP, SYNCHRONIZED, 1, 9, 0),
                "a root that nobody releases");
    check_reset(put_object(begin(), WAITING, CHILDREN, 1, 9, 0),
                "a root that nobody wakes");
    check_reset(PUT(begin(), 0x71000005, START, 0, 0, 0, 0, 3),
                "children of one that has none");
    check_reset(put_object(begin(), KERNELS, CHILDREN, 0, 0, 0),
                "a root without a kernel");
}

int
main(void)
{
    open_media();
    test_children();
    test_chain();
    test_synchronized();
    test_scoreboard();
    test_answers();
    test_groups();
    test_masks();
    test_endless();
    return done_testing();
}
