/* test_vectors.c: runs every vector through the disassembler and the EU.
 *
 * test_vectors interp|avx2|avx512 FILE...
 *
 * The words must disassemble to the text beside them. The reference
 * interpreter, and eu_run() with the tier that SOFTLAKE_EU and SOFTLAKE_CPU
 * select, must give the expected registers. Where a bound allows several
 * values, both must agree. All unnamed registers must keep their values. Writes
 * TAP, a line per group. */
#include "vectors.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/fields.h"
#include "eu/jit/jit.h"
#include "eu/tiers/kernel.h"
#include "eu/tiers/tiers.h"

#define FRAME_WORDS 20
#define DUMP_GRF 0xf1 /* binding table entries of the frame's messages */
#define DUMP_ARF 0xf2
#define BUDGET 10000

/* Instructions of the frame, as words. */
static const uint32_t set_cr0[4] = {0x00000001, 0x30000604, 0, 0};
static const uint32_t get_f0[4] = {0x00000001, 0x2000000c, 0x00000600, 0};
static const uint32_t get_f1[4] = {0x00000001, 0x2004000c, 0x00000620, 0};
static const uint32_t get_a0[4] = {0x00800001, 0x2020104c, 0x00b10200, 0};
static const uint32_t end_thread[4] = {0x07600031, 0x20000204, 0x06000e00,
                                       0x82000010};

/* Registers and state after a run. */
struct outcome {
    enum eu_status status;
    unsigned grf_count;
    uint8_t grf[EU_GRF_COUNT * EU_GRF_B];
    uint32_t f[2];
    uint16_t a0[16];
};

/* ---- running ---- */

static void
put_word(uint32_t *code, unsigned *at, const uint32_t word[4])
{
    memcpy(code + *at * 4, word, 16);
    ++*at;
}

static void
put_dump(uint32_t *code, unsigned *at, unsigned first_grf, unsigned count,
         unsigned bti)
{
    const uint32_t word[4] = {0x0c600031, 0x20000204,
                              0x06000000 | first_grf << 5, count << 25 | bti};
    put_word(code, at, word);
}

/* Builds code that writes cr0, runs the vector and sends all registers to the
 * test. */
static unsigned
frame(uint32_t *code, const struct vector_inputs *in, const struct vector *v)
{
    unsigned at = 0;
    put_word(code, &at, set_cr0);
    code[3] = in->cr0;
    for (unsigned i = 0; i < v->insn_count; i++)
        put_word(code, &at, v->words[i]);
    for (unsigned first = 0; first < EU_GRF_COUNT; first += 15)
        put_dump(code, &at, first, MIN2(15u, EU_GRF_COUNT - first), DUMP_GRF);
    put_word(code, &at, get_f0);
    put_word(code, &at, get_f1);
    put_word(code, &at, get_a0);
    put_dump(code, &at, 0, 2, DUMP_ARF);
    put_word(code, &at, end_thread);
    return at * 16;
}

/* Answers a tested message with its payload, summed per lane, plus its
 * descriptors. */
static void
answer(const struct eu_message *m)
{
    for (unsigned i = 0; i < m->rlen_grf * 8u; i++) {
        uint32_t sum = m->desc + m->ex_desc + m->check_tdr;
        if (!(m->exec_mask >> i % m->exec_size & 1))
            continue;
        for (unsigned k = 0; k < m->mlen_grf + m->ex_mlen_grf; k++)
            sum += eu_message_reg(m, k)[i % 8] * (k + 1);
        m->dst[i] = sum;
    }
}

static enum eu_msg_result
take(struct eu_thread *t, const struct eu_message *m)
{
    struct outcome *out = t->user;
    unsigned bti = m->desc & 0xff;
    if (m->eot)
        return EU_MSG_OK;
    if (bti == DUMP_GRF && out->grf_count < EU_GRF_COUNT) {
        memcpy(out->grf + out->grf_count * EU_GRF_B, m->src0,
               m->mlen_grf * EU_GRF_B);
        out->grf_count += m->mlen_grf;
    } else if (bti == DUMP_ARF) {
        memcpy(out->f, m->src0, 8);
        memcpy(out->a0, m->src0 + 8, 32);
    } else {
        answer(m);
    }
    return EU_MSG_OK;
}

static void
start(struct eu_thread *t, const struct vector_inputs *in,
      const struct eu_kernel *kernel, struct outcome *out)
{
    const struct eu_start s = {
        .kernel = kernel,
        .simd = 32,
        .dispatch_mask = in->dispatch,
        .vector_mask = in->dispatch,
        .send = take,
        .user = out,
    };
    eu_thread_init(t, &s);
    memcpy(t->grf, in->grf, sizeof t->grf);
    memcpy(t->f, in->f, sizeof t->f);
    memcpy(t->a0, in->a0, sizeof t->a0);
    memset(out, 0, sizeof *out);
}

static void
run(const struct vector_inputs *in, const struct eu_kernel *kernel,
    enum eu_status (*how)(struct eu_thread *, uint64_t), struct outcome *out)
{
    static struct eu_thread t;
    start(&t, in, kernel, out);
    out->status = how(&t, BUDGET);
}

/* ---- evaluation ---- */

struct judge {
    const struct vector_file *file;
    const struct vector *v;
    const char *tier;
    unsigned failures; /* of this group */
};

static void PRINTF_LIKE(2, 3) complain(struct judge *j, const char *fmt, ...)
{
    va_list ap;
    printf("# %s:%u: %s: %s\n#   ", j->file->path, j->v->line, j->tier,
           j->v->text[j->v->insn_count - 1]);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    printf("\n");
    j->failures++;
}

static double
float_value(uint64_t bits, unsigned size_B)
{
    double d;
    if (size_B == 8) {
        memcpy(&d, &bits, 8);
        return d;
    }
    if (size_B == 4)
        return float_from_bits((uint32_t)bits);
    unsigned exp = bits_get((uint32_t)bits, 10, 14);
    double man = bits_get((uint32_t)bits, 0, 9);
    d = exp == 31  ? (man != 0 ? NAN : INFINITY)
        : exp == 0 ? ldexp(man, -24)
                   : ldexp(man + 1024, (int)exp - 25);
    return bits >> 15 & 1 ? -d : d;
}

static bool
is_quiet_nan(uint64_t bits, unsigned size_B)
{
    static const uint64_t quiet[9] = {
        [2] = 0x7e00, [4] = 0x7fc00000, [8] = UINT64_C(0x7ff8) << 48};
    return quiet[size_B] && (bits & quiet[size_B]) == quiet[size_B];
}

/* Neighbouring floats are neighbouring integers. */
static double
ulps(uint64_t a, uint64_t b)
{
    return a > b ? (double)(a - b) : (double)(b - a);
}

static bool
within_bound(const struct vector_reg *r, uint64_t got, uint64_t want)
{
    double g = float_value(got, r->size_B), w = float_value(want, r->size_B);
    if (got == want || r->bound == BOUND_EXACT || !isfinite(g) || !isfinite(w))
        return got == want;
    switch (r->bound) {
    case BOUND_ULP:
        return signbit(g) == signbit(w) && ulps(got, want) <= r->limit;
    case BOUND_RELATIVE: return fabs(g - w) <= r->limit * fabs(w);
    default: return fabs(g - w) <= r->limit;
    }
}

static uint64_t
element(const uint8_t *grf, unsigned size_B, unsigned i)
{
    uint64_t bits = 0;
    memcpy(&bits, grf + i * size_B, size_B);
    return bits;
}

static void
judge_reg(struct judge *j, const struct vector_reg *r, const uint8_t *before,
          const uint8_t *after)
{
    for (unsigned i = 0; i < EU_GRF_B / r->size_B; i++) {
        uint64_t was = element(before, r->size_B, i);
        uint64_t got = element(after, r->size_B, i);
        bool fine = true;
        switch (r->want[i]) {
        case WANT_SAME: fine = got == was; break;
        case WANT_BITS: fine = within_bound(r, got, r->bits[i]); break;
        case WANT_NAN: fine = is_quiet_nan(got, r->size_B); break;
        default: break;
        }
        if (fine)
            continue;
        if (r->want[i] == WANT_NAN)
            complain(j, "r%u[%u] is 0x%llx, expected a NaN", r->reg, i,
                     (unsigned long long)got);
        else
            complain(j, "r%u[%u] is 0x%llx, expected 0x%llx", r->reg, i,
                     (unsigned long long)got,
                     (unsigned long long)(r->want[i] ? r->bits[i] : was));
        return;
    }
}

static void
judge_grf(struct judge *j, const struct vector_inputs *in,
          const struct outcome *out)
{
    const struct vector_reg *regs[EU_GRF_COUNT] = {NULL};
    for (unsigned i = 0; i < j->v->reg_count; i++)
        regs[j->v->regs[i].reg] = &j->v->regs[i];
    for (unsigned g = 0; g < EU_GRF_COUNT; g++) {
        const uint8_t *before = in->grf + g * EU_GRF_B;
        const uint8_t *after = out->grf + g * EU_GRF_B;
        if (regs[g])
            judge_reg(j, regs[g], before, after);
        else if (memcmp(before, after, EU_GRF_B))
            complain(j, "r%u changed", g);
    }
}

static void
judge_outcome(struct judge *j, const struct vector_inputs *in,
              const struct outcome *out, const char *tier)
{
    const struct vector *v = j->v;
    j->tier = tier;
    if (v->fails) {
        if (out->status != EU_FAILED)
            complain(j, "status %d, expected a guest error", out->status);
        return;
    }
    if (out->status != EU_FINISHED) {
        complain(j, "status %d at the end", out->status);
        return;
    }
    judge_grf(j, in, out);
    for (unsigned i = 0; i < 2; i++)
        if ((out->f[i] ^ v->f[i]) & v->f_care[i])
            complain(j, "f%u is %08x, expected %08x", i, out->f[i], v->f[i]);
    for (unsigned i = 0; i < 16; i++)
        if (out->a0[i] != v->a0[i])
            complain(j, "a0.%u is %04x, expected %04x", i, out->a0[i],
                     v->a0[i]);
}

/* Where a bound allows several results, both tiers must agree. */
static void
judge_agreement(struct judge *j, const struct outcome *a,
                const struct outcome *b)
{
    j->tier = "both tiers";
    for (unsigned i = 0; i < j->v->reg_count; i++) {
        const struct vector_reg *r = &j->v->regs[i];
        const uint8_t *x = a->grf + r->reg * EU_GRF_B;
        const uint8_t *y = b->grf + r->reg * EU_GRF_B;
        for (unsigned n = 0; n < EU_GRF_B / r->size_B; n++)
            if (r->want[n] == WANT_BITS &&
                element(x, r->size_B, n) != element(y, r->size_B, n)) {
                complain(j, "r%u[%u] is 0x%llx interpreted, 0x%llx selected",
                         r->reg, n,
                         (unsigned long long)element(x, r->size_B, n),
                         (unsigned long long)element(y, r->size_B, n));
                break;
            }
    }
}

static void
squeeze(char *out, const char *in)
{
    const char *end = strstr(in, "//");
    char *first = out;
    for (; *in && in != end; in++)
        if (*in != ' ' || (out > first && out[-1] != ' '))
            *out++ = *in;
    while (out > first && out[-1] == ' ')
        out--;
    *out = '\0';
}

static void
judge_text(struct judge *j, const struct vector_inputs *in)
{
    j->tier = "disassembler";
    for (unsigned i = 0; i < j->v->insn_count; i++) {
        struct eu_insn insn;
        char raw[512], text[512];
        const char *why = NULL;
        if (!eu_decode(&insn, j->v->words[i], 16, in->gen, &why)) {
            complain(j, "instruction %u: %s", i, why);
            continue;
        }
        eu_disasm(raw, sizeof raw, &insn, in->gen);
        squeeze(text, raw);
        /* "-": iga64 refuses to disassemble it */
        if (strcmp(j->v->text[i], "-") && strcmp(text, j->v->text[i]))
            complain(j, "reads %s", text);
    }
}

static void
judge_vector(struct judge *j, const struct vector_inputs *in)
{
    static struct outcome reference, selected;
    uint32_t code[(VECTOR_MAX_WORDS + FRAME_WORDS) * 4];
    unsigned size_B = frame(code, in, j->v);
    const struct eu_kernel *k = eu_kernel_get(code, size_B, in->gen);
    judge_text(j, in);
    j->tier = "decoder";
    if (!k) {
        if (!j->v->fails)
            complain(j, "no kernel");
        return;
    }
    run(in, k, eu_run_reference, &reference);
    run(in, k, eu_run, &selected);
    judge_outcome(j, in, &reference, "reference interpreter");
    judge_outcome(j, in, &selected, "selected tier");
    judge_agreement(j, &reference, &selected);
    eu_kernel_unref(k);
}

/* ---- files ---- */

struct tally {
    unsigned groups, vectors, failed_groups;
};

static void
report(struct tally *tally, const char *path, const char *group,
       const struct judge *j, unsigned count)
{
    const char *slash = strrchr(path, '/');
    tally->groups++;
    tally->failed_groups += j->failures > 0;
    printf("%sok %u - %s: %s, %u vectors\n", j->failures ? "not " : "",
           tally->groups, slash ? slash + 1 : path, group, count);
}

static void
judge_file(struct tally *tally, const char *path)
{
    static struct vector_file file;
    static struct vector v;
    char group[VECTOR_TEXT_MAX] = "";
    struct judge j = {.file = &file, .v = &v};
    unsigned number = 0, count = 0;
    if (!vector_open(&file, path)) {
        printf("Bail out! %s cannot be read\n", path);
        exit(1);
    }
    while (vector_next(&file, &v)) {
        if (file.group != number && number)
            report(tally, path, group, &j, count);
        if (file.group != number)
            j.failures = count = 0;
        number = file.group;
        memcpy(group, file.inputs.name, sizeof group);
        judge_vector(&j, &file.inputs);
        count++;
        tally->vectors++;
    }
    report(tally, path, group, &j, count);
}

/* Selects the tier to test, before the EU first reads the environment. */
static bool
select_tier(const char *tier)
{
    bool interp = !strcmp(tier, "interp");
    setenv("SOFTLAKE_EU", interp ? "interp" : "jit", 1);
    if (interp)
        return true;
    setenv("SOFTLAKE_CPU", tier, 1);
    return cpu_selected() == (strcmp(tier, "avx2") ? CPU_AVX512 : CPU_AVX2);
}

int
main(int argc, char **argv)
{
    struct tally tally = {0, 0, 0};
    if (argc < 3)
        return 2;
    if (!select_tier(argv[1])) {
        printf("1..0 # SKIP the host lacks %s\n", argv[1]);
        return 0;
    }
    for (int i = 2; i < argc; i++)
        judge_file(&tally, argv[i]);
    printf("1..%u\n# %u vectors\n", tally.groups, tally.vectors);
    return tally.failed_groups > 0;
}
