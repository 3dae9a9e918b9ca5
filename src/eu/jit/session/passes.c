/* passes.c: the passes of one compilation, in their order. */
#include "eu/jit/session/session.h"

#include "eu/jit/branch/branch.h"
#include "eu/jit/ext_math/ext_math.h"
#include "eu/jit/lower/lower.h"
#include "eu/jit/sends/sends.h"
#include "eu/jit/transform/transform.h"
#include "eu/profile/profile.h"

/* ---- analysis and transformations ---- */

/* Profiles count the IF of a macro, and checks stop at it. */
static bool
drop_macros(struct jit_facts *f, struct jit_walk *w)
{
    (void)w;
    if (!(f->flags & (EU_JIT_COUNTS | EU_JIT_STEP)))
        jit_drop_macros(f);
    return true;
}

static bool
note_ops(struct jit_facts *f, struct jit_walk *w)
{
    jit_lane_deps_begin(&w->lane_deps);
    jit_note_ops(f, w);
    return true;
}

static bool
convert_ifs(struct jit_facts *f, struct jit_walk *w)
{
    jit_if_convert(f, &w->lane_deps);
    f->finds_flags |= f->has_flow;
    return true;
}

/* Lockstep: moves ops down to where their results are needed. */
static bool
sink_ops(struct jit_facts *f, struct jit_walk *w)
{
    (void)w;
    if (f->threads > 1 && !f->group && (f->in.sfids || f->sinks) && !f->in.acc)
        jit_sink(f);
    return true;
}

static bool
find_live(struct jit_facts *f, struct jit_walk *w)
{
    (void)w;
    return jit_find_live(f);
}

static bool
guard_ifs(struct jit_facts *f, struct jit_walk *w)
{
    (void)w;
    return jit_guard_ifs(f);
}

/* Facts that launches ask for: struct eu_live_in. */
static bool
sum_up(struct jit_facts *f, struct jit_walk *w)
{
    memcpy(f->in.written, &w->written, sizeof f->in.written);
    f->in.required_mask = f->required_mask;
    f->in.steady = !w->sees_state && !f->has_modes;
    memcpy(f->in.full, f->live[0][0].w, sizeof f->in.full);
    memcpy(f->in.masked, f->live[1][0].w, sizeof f->in.masked);
    f->in.chain_sets_mask = jit_chain_sets_mask(f);
    return true;
}

static bool
judge_lanes(struct jit_facts *f, struct jit_walk *w)
{
    if (w->whole && f->has_flow && f->only_counts)
        jit_lane_deps_follow_loops(&w->lane_deps, f);
    f->in.lane_independent = w->lane_deps.ended &&
                             (!f->has_flow || f->only_counts) &&
                             !f->has_modes && !f->in.acc;
    f->in.quad_dependent = w->lane_deps.quad_dependent;
    f->in.clobbers = f->in.lane_independent ? f->clobbers : EU_CLOBBERS_ALL;
    return true;
}

static bool (*const analysis[])(struct jit_facts *, struct jit_walk *) = {
    drop_macros, /* MADMs of IEEE macros */
    note_ops,    /* basic blocks, def-use, messages, lane dependence */
    convert_ifs, /* IF, ELSE and ENDIF become predicates and SEL */
    sink_ops,    /* lockstep: ops go where their results are needed */
    find_live,   /* liveness of registers and flags, backwards */
    guard_ifs,   /* other IFs run both arms, each in its channels */
    sum_up,      /* live registers at the kernel's first instruction */
    judge_lanes, /* lane independence, also with counted loops */
};

bool
jit_analyse(struct jit_facts *f, bool whole)
{
    struct jit_walk w = {.whole = whole, .follows = whole};
    for (unsigned i = 0; i < ARRAY_SIZE(analysis); i++)
        if (!analysis[i](f, &w))
            return false;
    return true;
}

/* ---- code ---- */

static void (*const emission[])(struct jit *) = {
    jit_prologue,
    jit_compile_blocks,       /* op by op: branch/, sends/, lower/ */
    jit_lower_out_of_line,    /* rarely taken branches */
    jit_count_partial_blocks, /* profiles */
    jit_memory_slow_paths,    /* accesses that send their message */
    jit_outside_errors,       /* indirect operands outside the registers */
    jit_leave_loops,          /* stores of pinned registers on exits */
    jit_enter_loops,          /* loads of pinned registers on entries */
    jit_emit_stubs,           /* jumps to the other variant */
    jit_emit_exits,           /* the epilogue, and returns to the interpreter */
    jit_resolve_jumps,
    jit_math_helpers,       /* MATH of large angles */
    jit_math_denorm_fixups, /* MATH of denormals */
    jit_place_pool,         /* constants */
};

/* For profiles: both variants have the same basic blocks. */
static void
tell_blocks(const struct jit_facts *f)
{
    const struct eu_kernel *k = f->origin;
    uint32_t units = k->size_B / 8;
    uint8_t *begins = arena_take(f->memory, units, 1);
    if (!begins)
        return;
    memset(begins, 0, units);
    for (uint32_t i = 0; i + 1 < k->op_count; i++)
        if (f->start[i] & JIT_START && k->ops[i].fn != eu_op_link)
            begins[k->ops[i].ip / 8] = 1;
    eu_profile_blocks(k->profile_slot, begins, units);
}

void *
jit_make_code(struct jit *j, struct jit_facts *f)
{
    bool whole = f->unmasked && !(f->flags & (EU_JIT_SPLIT | EU_JIT_STEP));
    if (!jit_allocate(j, f) || !jit_analyse(f, whole) || !jit_pin_loops(j))
        return NULL;
    if (f->flags & EU_JIT_COUNTS && f->unmasked)
        tell_blocks(f);
    for (unsigned i = 0; i < ARRAY_SIZE(emission); i++)
        emission[i](j);
    if (j->x.failed || j->failed)
        return NULL;
    return eu_exec_publish(j->x.code, j->x.size);
}
