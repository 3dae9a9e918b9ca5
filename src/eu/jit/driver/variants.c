/* variants.c: compiles the two variants of a kernel's code, and owns them;
 * keeps the facts that analysis finds on the way. */
#include "eu/jit/driver/driver.h"

#include "eu/jit/session/session.h"

#include <stdlib.h>

/* Larger kernels are interpreted: no known shader has this size. */
#define MAX_OPS 65536u

static void
publish_live_in(const struct eu_kernel *kernel, const struct eu_live_in *in)
{
    struct eu_kernel *k = (struct eu_kernel *)kernel;
    struct eu_live_in *mine, *none = NULL;
    if (atomic_load_explicit(&k->live_in, memory_order_relaxed))
        return;
    mine = malloc(sizeof *mine);
    if (!mine)
        return;
    *mine = *in;
    if (!atomic_compare_exchange_strong(&k->live_in, &none, mine))
        free(mine);
}

static struct jit_places *
keep_places(const struct jit *j)
{
    uint32_t n = j->f->k->op_count, starts = n;
    bool keeps_live = j->f->flags & (EU_JIT_SPLIT | EU_JIT_STEP);
    while (starts && !(j->f->start[starts - 1] & JIT_START))
        starts--;
    size_t live_B = keeps_live ? n * sizeof *j->f->live[0] : 0;
    size_t starts_B = starts * sizeof *j->label, at_B = n * sizeof *j->at;
    struct jit_places *p = malloc(sizeof *p + 2 * live_B + 2 * starts_B + at_B +
                                  n);
    if (!p)
        return NULL;
    p->starts = starts;
    p->live[0] = keeps_live ? (struct jit_set *)(p + 1) : NULL;
    p->live[1] = keeps_live ? p->live[0] + n : NULL;
    p->label = (uint32_t *)((uint8_t *)(p + 1) + 2 * live_B);
    p->body = p->label + starts;
    p->at = p->body + starts;
    p->start = (uint8_t *)(p->at + n);
    for (unsigned i = 0; keeps_live && i < 2; i++)
        memcpy(p->live[i], j->f->live[i], live_B);
    memcpy(p->label, j->label, starts_B);
    memcpy(p->body, j->body, starts_B);
    memcpy(p->at, j->at, at_B);
    memcpy(p->start, j->f->start, n);
    return p;
}

/* Allocates the code and its places; NULL: neither is allocated. */
static void *
make_code(struct jit *j, struct jit_facts *f, struct jit_places **places)
{
    void *code = jit_make_code(j, f);
    *places = code ? keep_places(j) : NULL;
    if (*places || !code)
        return code;
    eu_exec_release(code, j->x.size);
    return NULL;
}

static struct eu_jit *
make_full(struct jit *j, struct jit_facts *f)
{
    struct eu_jit *jit = calloc(1, sizeof *jit);
    void *code = jit ? make_code(j, f, &jit->places) : NULL;
    if (!code) {
        free(jit);
        return NULL;
    }
    for (uint32_t i = 0; i < j->variant_exit_count; i++) {
        uintptr_t at = atomic_load_explicit(&j->variant_exits[i],
                                            memory_order_relaxed);
        if (at)
            atomic_init(&j->variant_exits[i], (uintptr_t)code + at);
    }
    jit->code = code;
    jit->size_B = j->x.size;
    jit->text_B = j->text_B;
    jit->kernel = f->origin;
    jit->if_converted = f->if_converted;
    jit->cpu = f->evex ? CPU_AVX512 : CPU_AVX2;
    jit->flags = f->flags;
    jit->required_mask = f->required_mask;
    jit->needs_nearest = j->needs_nearest;
    jit->needs_flush = j->needs_flush;
    jit->needs_denorms = j->needs_denorms;
    jit->needs_halves = j->needs_halves;
    jit->native_count = j->native_count;
    jit->variant_exits = j->variant_exits;
    jit->variant_exit_count = j->variant_exit_count;
    jit->chains = j->chain_at;
    jit->lockstep = jit_makes_lockstep(j);
    jit->chain_grf = j->chain_grf;
    jit->chain_weights = j->chain_grf && f->weights_grf;
    jit->groups = jit_makes_groups(j);
    jit->lockstep_keeps = jit->groups ? jit_group_keeps(j)
                                      : jit_lockstep_keeps(j);
    jit->lane_independent = f->in.lane_independent;
    jit->quad_dependent = f->in.quad_dependent;
    if (!(f->flags & (EU_JIT_SPLIT | EU_JIT_STEP)))
        publish_live_in(f->origin, &f->in);
    j->variant_exits = NULL;
    return jit;
}

/* flat: on entry, whether if-conversion and guarded IFs are allowed; on return,
 * whether there are some. */
static struct eu_jit *
compile_full(const struct eu_kernel *kernel, enum cpu_level cpu, unsigned flags,
             bool *flat)
{
    struct jit_facts f;
    struct jit j;
    jit_begin(&j, &f, kernel, cpu, flags);
    f.unmasked = true;
    f.may_if_convert = *flat;
    struct eu_jit *jit = make_full(&j, &f);
    *flat = f.if_converted || f.guards;
    jit_finish(&j);
    return jit;
}

struct eu_jit *
eu_jit_compile(const struct eu_kernel *kernel, enum cpu_level cpu,
               unsigned flags)
{
    bool flat = !(flags & (EU_JIT_SPLIT | EU_JIT_STEP | EU_JIT_COUNTS));
    if (cpu == CPU_SSE4 || kernel->op_count > MAX_OPS)
        return NULL;
    struct eu_jit *jit = compile_full(kernel, cpu, flags, &flat);
    if (jit || !flat)
        return jit;
    /* Such code cannot leave an op to the interpreter. */
    flat = false;
    return compile_full(kernel, cpu, flags, &flat);
}

/* ---- live-in registers of a kernel ---- */

static bool
find_live_in(const struct eu_kernel *kernel, struct eu_live_in *in)
{
    struct jit_facts f;
    struct jit j;
    jit_begin(&j, &f, kernel, CPU_AVX512, 0);
    f.unmasked = true;
    bool found = jit_allocate(&j, &f) && jit_analyse(&f, true);
    if (found)
        *in = f.in;
    jit_finish(&j);
    return found;
}

const struct eu_live_in *
eu_kernel_live_in(const struct eu_kernel *k)
{
    struct eu_live_in *in = atomic_load_explicit(&k->live_in,
                                                 memory_order_acquire);
    if (in)
        return in;
    struct eu_live_in found = {.acc = true,
                               .full = {UINT64_MAX, UINT64_MAX},
                               .masked = {UINT64_MAX, UINT64_MAX},
                               .written = {UINT64_MAX, UINT64_MAX}};
    if (k->op_count <= MAX_OPS)
        find_live_in(k, &found);
    publish_live_in(k, &found);
    return atomic_load_explicit(&k->live_in, memory_order_acquire);
}

/* ---- the masked variant ---- */

static void
free_masked(struct jit_masked *m)
{
    if (!m)
        return;
    eu_code_event_end(m->gdb);
    eu_exec_release(m->code, m->size_B);
    free(m->places);
    free(m);
}

static void
show_masked(const struct eu_jit *jit, struct jit_masked *m)
{
    struct jit_variant copy = {.kernel = jit->kernel,
                               .code = m->code,
                               .size_B = m->size_B,
                               .text_B = m->text_B,
                               .at = m->places->at,
                               .masked = true};
    m->gdb = eu_code_event_begin(&copy);
    if (trace_on(TRACE_jit))
        eu_jit_list(jit, &copy);
}

struct jit_variant
eu_jit_unmasked_variant(const struct eu_jit *jit)
{
    return (struct jit_variant){.kernel = jit->kernel,
                                .code = jit->code,
                                .size_B = jit->size_B,
                                .text_B = jit->text_B,
                                .at = jit->places->at};
}

void
eu_jit_announce(struct eu_jit *jit)
{
    const struct jit_variant copy = eu_jit_unmasked_variant(jit);
    jit->gdb = eu_code_event_begin(&copy);
    jit->announced = true;
}

static struct jit_masked *
make_masked(const struct eu_jit *jit)
{
    struct jit_masked *m = calloc(1, sizeof *m);
    struct jit_facts f;
    struct jit j;
    jit_begin(&j, &f, jit->kernel, jit->cpu, jit->flags);
    j.other = jit;
    void *code = m ? make_code(&j, &f, &m->places) : NULL;
    if (code) {
        m->code = code;
        m->size_B = j.x.size;
        m->text_B = j.text_B;
    } else {
        free(m);
        m = NULL;
    }
    jit_finish(&j);
    return m;
}

const struct jit_masked *
eu_jit_masked(const struct eu_jit *compiled)
{
    struct eu_jit *jit = (struct eu_jit *)compiled;
    struct jit_masked *m = atomic_load_explicit(&jit->masked,
                                                memory_order_acquire);
    if (m || atomic_load_explicit(&jit->masked_failed, memory_order_relaxed))
        return m;
    struct jit_masked *mine = make_masked(jit);
    if (!mine) {
        atomic_store_explicit(&jit->masked_failed, true, memory_order_relaxed);
        return NULL;
    }
    if (!atomic_compare_exchange_strong(&jit->masked, &m, mine)) {
        free_masked(mine);
        return m;
    }
    for (uint32_t i = 0; i < jit->variant_exit_count; i++)
        if (atomic_load_explicit(&jit->variant_exits[i], memory_order_relaxed))
            atomic_store_explicit(&jit->variant_exits[i],
                                  (uintptr_t)mine->code +
                                      mine->places->label[i],
                                  memory_order_release);
    if (jit->announced)
        show_masked(jit, mine);
    return mine;
}

size_t
eu_jit_total_B(void)
{
    return eu_exec_total_B();
}

void
eu_jit_free(struct eu_jit *jit)
{
    if (!jit)
        return;
    free_masked(jit->masked);
    for (unsigned i = 0; i < ARRAY_SIZE(jit->lockstep_code); i++)
        eu_jit_free_lockstep(jit->lockstep_code[i].code);
    eu_code_event_end(jit->gdb);
    eu_exec_release(jit->code, jit->size_B);
    free(jit->places);
    free(jit->variant_exits);
    free(jit);
}
