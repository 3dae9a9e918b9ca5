/* oa_flex.c: the flexible EU counters, A7 to A20. A metric set chooses what
 * each of them counts, by 12 bits of a register: an event, the shader stage and
 * the kind of instruction.
 *
 * Guess: the meaning of the bits, from the registers of stock drivers' sets and
 * the formulas that they use the counters in; all of them agree. The cycles are
 * a model (eu_busy_read()), at 1140 MHz (oa.c). Stalls and the occupancy of
 * threads are not modelled: 0. */
#include "engine/oa/oa.h"

#include "eu/eu.h"

/* Bits of a selector. */
enum { EVENT_BITS = 4, STAGE_BITS = 4, SHAPE_BITS = 4, SELECTOR_BITS = 12 };

struct pipes {
    uint64_t cycles[EU_PIPES];
};

static uint64_t
fpu0(const struct pipes *p)
{
    return p->cycles[EU_PIPE_FPU0];
}

static uint64_t
fpu1(const struct pipes *p)
{
    return p->cycles[EU_PIPE_FPU1];
}

static uint64_t
send(const struct pipes *p)
{
    return p->cycles[EU_PIPE_SEND];
}

/* The second FPU takes all that the first one takes, so this is how long both
 * may work at the same time. Sums and no minima: clients subtract. */
static uint64_t
both_fpus(const struct pipes *p)
{
    return fpu0(p);
}

/* As if sends never overlapped with other instructions. */
static uint64_t
any_pipe(const struct pipes *p)
{
    return fpu1(p) + send(p);
}

/* Events without a row count nothing. */
static uint64_t (*const events[1 << EVENT_BITS])(const struct pipes *p) = {
    fpu0, fpu1, send, both_fpus, any_pipe,
};

/* The instructions that a kind stands for, as bits of enum eu_shape. The first
 * kind is any instruction, the second one instructions of both FPUs at once,
 * which the model has none of. */
static const uint8_t shapes[1 << SHAPE_BITS] = {
    (1 << EU_SHAPES) - 1, 0, 1 << EU_SHAPE_TERNARY, 1 << EU_SHAPE_BINARY,
    1 << EU_SHAPE_MOVE,
};

/* stage: 0 for all, or that of eu_kernel_note_use() plus one. */
static struct pipes
add_up(const struct eu_busy *busy, unsigned stage, unsigned of_shapes)
{
    struct pipes p = {0};
    for (unsigned s = 0; s < EU_BUSY_STAGES; s++)
        for (unsigned i = 0; i < EU_PIPES && (!stage || s + 1 == stage); i++)
            for (unsigned k = 0; k < EU_SHAPES; k++)
                if (of_shapes >> k & 1)
                    p.cycles[i] += busy->cycles[s][i][k];
    return p;
}

static uint64_t
evaluate(const struct eu_busy *busy, uint32_t selector)
{
    unsigned event = selector & ((1 << EVENT_BITS) - 1);
    unsigned stage = selector >> EVENT_BITS & ((1 << STAGE_BITS) - 1);
    unsigned shape = selector >> (EVENT_BITS + STAGE_BITS) &
                     ((1 << SHAPE_BITS) - 1);
    struct pipes p = add_up(busy, stage, shapes[shape]);
    return events[event] ? events[event](&p) : 0;
}

void
oa_flex_read(const uint32_t flex[ENGINE_OA_FLEX], uint64_t a[OA_FLEX_COUNTERS])
{
    struct eu_busy busy;
    eu_busy_read(&busy);
    for (unsigned i = 0; i < OA_FLEX_COUNTERS; i++)
        a[i] = evaluate(&busy, flex[i / 2] >> i % 2 * SELECTOR_BITS &
                                   ((1u << SELECTOR_BITS) - 1));
}
