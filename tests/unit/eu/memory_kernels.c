/* memory_kernels.c: random messages that read and write memory, and their
 * reference implementation. */
#include "memory_kernels.h"

#include "eu/memory_use.h"
#include "eu/profile/send_counts.h"

#include <criterion/criterion.h>
#include <sys/mman.h>

#define STATELESS_NC 253
#define SLM 254
#define STATELESS 255
#define FAR_B 512 /* the last base in headers */

/* ---- memory ---- */

static uint8_t *
make_room(void)
{
    uint8_t *p = mmap(NULL, ROOM_B + 2 * PAGE_B, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(p, MAP_FAILED);
    cr_assert_eq(mprotect(p + PAGE_B, ROOM_B, PROT_READ | PROT_WRITE), 0);
    return p + PAGE_B;
}

void
make_rooms(struct world *w)
{
    for (unsigned i = 0; i < PLACES; i++)
        w->room[i] = make_room();
}

/* The ranges end at the room's end, except for alignment. */
void
make_world(struct world *w, struct rk *random)
{
    static const uint16_t sizes[] = {0, 3, 4, 15, 16, 64, 256, 260};
    for (unsigned i = 0; i < PLACES; i++) {
        uint64_t size_B = rk_chance(random, 80)
                              ? 1024 + rk_rnd(random, ROOM_B / 4 - 256) * 4
                              : sizes[rk_rnd(random, ARRAY_SIZE(sizes))];
        bool odd = rk_chance(random, 10) && size_B;
        w->size_B[i] = size_B - odd;
        w->vector_B[i] = rk_chance(random, 80) ? size_B - odd : 0;
        w->range[i] = mem_range(w->room[i] + ROOM_B - size_B, w->size_B[i],
                                w->vector_B[i]);
        if (i + 1 < PLACES)
            w->surfaces[i] = rk_chance(random, 90) ? &w->range[i] : NULL;
        for (unsigned d = 0; d < ROOM_B / 4; d++)
            ((uint32_t *)(void *)w->room[i])[d] = rk_rnd(random, UINT32_MAX);
    }
    for (unsigned i = STATELESS_NC; i <= STATELESS; i += 2) {
        struct mem_range *range = &w->stateless[i == STATELESS];
        uint64_t size_B = w->size_B[i % 3];
        *range = w->range[i % 3];
        range->vector_end_B = mem_range_end_B(size_B - MIN2(size_B, FAR_B), 1);
        w->surfaces[i] = w->surfaces[i % 3] ? range : NULL;
    }
    w->hash = w->sent = 0;
}

/* ---- reference implementation of messages ---- */

static const uint32_t *
payload(const struct eu_message *m, unsigned grf, unsigned lane)
{
    const uint32_t *reg = eu_message_reg(m, grf + lane / 8);
    return reg ? reg + lane % 8 : NULL;
}

static uint8_t *
place(const struct world *w, unsigned i, uint64_t size_B, uint64_t offset_B,
      unsigned bytes)
{
    return offset_B <= size_B && size_B - offset_B >= bytes
               ? w->range[i].mem + offset_B
               : NULL;
}

static void
update(unsigned op, uint8_t *p, uint32_t data)
{
    uint32_t v;
    if (!p || (uintptr_t)p & 3)
        return;
    memcpy(&v, p, 4);
    switch (op) {
    case 1: v &= data; break;
    case 2: v |= data; break;
    case 3: v ^= data; break;
    case 5: v++; break;
    case 6: v--; break;
    case 7: v += data; break;
    case 8: v -= data; break;
    case 4: v = data; break;
    default: break;
    }
    memcpy(p, &v, 4);
}

enum {
    READ,
    WRITE,
    ATOMIC,
    LD,
    READ_BYTES,
    WRITE_BYTES,
    READ_DWORDS,
    WRITE_DWORDS,
    KINDS,
    FENCE
};

static bool
is_bytes(int kind)
{
    return kind == READ_BYTES || kind == WRITE_BYTES;
}

static bool
is_dwords(int kind)
{
    return kind == READ_DWORDS || kind == WRITE_DWORDS;
}

/* Bytes per lane of a scattered message. */
static unsigned
scattered_B(const struct eu_message *m, int kind)
{
    return is_dwords(kind) ? 4 : 1u << bits_get(m->desc, 10, 11);
}

/* Where a lane of a scattered message accesses memory. */
static uint64_t
scattered_offset_B(const struct eu_message *m, int kind, uint32_t lane)
{
    unsigned bti = m->desc & 0xff;
    uint32_t offset_B = lane + (m->header ? m->src0[2] : 0);
    if (is_dwords(kind))
        offset_B = bti == SLM ? offset_B * 4 & 0x0fffffff : offset_B * 4;
    if (m->header && (bti == STATELESS || bti == STATELESS_NC))
        return (uint64_t)offset_B + m->src0[5];
    return offset_B;
}

static int
kind_of(const struct eu_message *m)
{
    if (m->sfid == EU_SFID_SAMPLER && bits_get(m->desc, 12, 16) == 7)
        return LD;
    switch (m->sfid == EU_SFID_DC0 ? bits_get(m->desc, 14, 18) : 0) {
    case 0x03: return READ_DWORDS;
    case 0x0b: return WRITE_DWORDS;
    case 0x04: return READ_BYTES;
    case 0x07: return FENCE;
    case 0x0c: return WRITE_BYTES;
    }
    switch (m->sfid == EU_SFID_DC1 ? bits_get(m->desc, 14, 18) : 0) {
    case 0x01: return READ;
    case 0x02: return ATOMIC;
    case 0x09: return WRITE;
    default: return -1;
    }
}

static void
move_scattered(const struct world *w, const struct eu_message *m, int kind,
               unsigned i, uint32_t *answer)
{
    unsigned bti = m->desc & 0xff, at = bti == SLM ? PLACES - 1 : bti % 3;
    unsigned bytes = scattered_B(m, kind);
    bool reads = kind == READ_BYTES || kind == READ_DWORDS;
    const uint32_t *u = payload(m, m->header, i);
    const uint32_t *v = payload(m, m->header + m->exec_size / 8u, i);
    uint8_t *p = place(w, at, w->size_B[at],
                       scattered_offset_B(m, kind, u ? *u : 0), bytes);
    if (p && bytes <= 4 && reads)
        memcpy(answer, p, bytes);
    else if (p && bytes <= 4 && v)
        memcpy(p, v, bytes);
}

static void
move_lane(const struct world *w, const struct eu_message *m, int kind,
          unsigned i, uint32_t answer[4])
{
    unsigned bti = m->desc & 0xff, at = bti == SLM ? PLACES - 1 : bti % 3;
    unsigned grfs = m->exec_size / 8, header = m->header, n = 0;
    const uint32_t *u = payload(m, header, i);
    uint64_t offset_B = u ? *u : 0, size_B = w->size_B[at];
    if (kind == LD)
        size_B = w->vector_B[at];
    else
        offset_B &= bti == SLM ? 0x0ffffffcu : 0xfffffffcu;
    if (kind == ATOMIC) {
        const uint32_t *v = payload(m, header + grfs, i);
        update(bits_get(m->desc, 8, 11), place(w, at, size_B, offset_B, 4),
               v ? *v : 0);
        return;
    }
    for (unsigned c = 0; c < 4; c++) {
        if (kind != LD && m->desc >> (8 + c) & 1)
            continue;
        uint8_t *p = place(w, at, size_B, offset_B + c * 4, 4);
        const uint32_t *v = payload(m, header + grfs * (n + 1), i);
        answer[n] = 0;
        if (p && kind == WRITE && v)
            memcpy(p, v, 4);
        else if (p && kind != WRITE)
            memcpy(&answer[n], p, 4);
        n++;
    }
}

/* Adds what a lane accesses, as far as it is in range. */
static void
use_lane(struct eu_memory_use *u, const struct world *w,
         const struct eu_message *m, int kind, unsigned i)
{
    unsigned bti = m->desc & 0xff, at = bti == SLM ? PLACES - 1 : bti % 3;
    const uint32_t *p = payload(m, m->header, i);
    uint64_t offset_B = p ? *p : 0, size_B = w->size_B[at];
    unsigned on = ~bits_get(m->desc, 8, 11) & 15, unit_B = 4, bytes = 4;
    if (is_bytes(kind) || is_dwords(kind)) {
        unit_B = bytes = scattered_B(m, kind);
        offset_B = scattered_offset_B(m, kind, (uint32_t)offset_B);
    } else if (kind == LD) {
        size_B = w->vector_B[at];
        bytes = 16;
    } else {
        offset_B &= bti == SLM ? 0x0ffffffcu : 0xfffffffcu;
    }
    if (kind == READ || kind == WRITE) {
        offset_B += on ? 4 * (unsigned)__builtin_ctz(on) : 0;
        bytes = on ? 128 - 4 * (unsigned)(__builtin_clz(on) + __builtin_ctz(on))
                   : 0;
    }
    if (offset_B >= size_B || bytes > 16)
        return;
    uint64_t rest_B = (size_B - offset_B) / unit_B * unit_B;
    uint64_t base = u->is_slm ? 0 : (uintptr_t)w->range[at].mem;
    if (rest_B && bytes)
        u->piece[u->count++] = (struct eu_memory_piece){
            base + offset_B, (uint16_t)MIN2(bytes, rest_B), (uint8_t)i};
}

/* For profiles. */
static void
count_memory(const struct world *w, const struct eu_thread *t,
             const struct eu_message *m, int kind)
{
    struct eu_memory_use u = {.is_slm = (m->desc & 0xff) == SLM,
                              .is_write = kind == WRITE || kind == ATOMIC ||
                                          kind == WRITE_BYTES ||
                                          kind == WRITE_DWORDS};
    for (unsigned i = 0; i < m->exec_size; i++) {
        if (!(m->exec_mask >> i & 1))
            continue;
        u.lanes++;
        use_lane(&u, w, m, kind, i);
    }
    eu_count_memory(t, &u);
}

enum eu_msg_result
answer(struct eu_thread *t, const struct eu_message *m)
{
    struct world *w = t->user;
    uint32_t v[16][4] = {{0}};
    int kind = kind_of(m);
    if (m->eot) /* may be omitted */
        return EU_MSG_OK;
    w->sent++;
    for (unsigned i = 0; kind < 0 && i < m->mlen_grf * 8u; i++)
        if (m->exec_mask >> i & 1)
            w->hash = (w->hash ^ m->src0[i]) * UINT64_C(0x100000001b3);
    if (kind == FENCE && m->rlen_grf)
        memset(m->dst, 0, EU_GRF_B);
    if (kind < 0 || kind == FENCE)
        return EU_MSG_OK;
    count_memory(w, t, m, kind);
    /* Channel by channel, as the data port does. */
    for (unsigned i = 0; i < m->exec_size; i++)
        if (m->exec_mask >> i & 1)
            (is_bytes(kind) || is_dwords(kind) ? move_scattered : move_lane)(
                w, m, kind, i, v[i]);
    unsigned rows = m->rlen_grf * 8u / m->exec_size;
    for (unsigned c = 0; c < MIN2(rows, 4u); c++)
        for (unsigned i = 0; i < m->exec_size; i++)
            if (m->exec_mask >> i & 1)
                m->dst[c * m->exec_size + i] = v[i][c];
    return EU_MSG_OK;
}

uint64_t
compare_memory_counts(const struct eu_kernel *kernel, const uint64_t *compiled,
                      const uint64_t *reference, uint64_t seed)
{
    uint32_t units = kernel->size_B / 8;
    uint64_t full = 0;
    for (uint32_t i = 0; i < kernel->insn_count; i++) {
        const struct eu_insn *n = &kernel->insns[i];
        struct eu_send_counts c[2] = {{0}, {0}};
        struct eu_send_shape shape = {
            .sfid = n->sfid, .exec_size = n->exec_size, .desc = n->desc};
        if (!eu_insn_is_send(n))
            continue;
        for (unsigned k = 0; k < 2; k++) {
            const uint64_t *at = &(k ? reference
                                     : compiled)[RK_SLOT + n->offset_B / 8];
            eu_send_counts_add(&c[k], at, units, shape);
            full += at[PROFILE_FULL_SAME * units] +
                    at[PROFILE_FULL_NEXT * units] +
                    at[PROFILE_FULL_APART * units];
        }
        cr_expect_arr_eq(
            &c[0], &c[1], sizeof c[0],
            "kernel %llu: 0x%x: %llu and %llu messages, %llu and "
            "%llu lines, %llu and %llu passes",
            (unsigned long long)seed, n->offset_B,
            (unsigned long long)c[0].sent, (unsigned long long)c[1].sent,
            (unsigned long long)c[0].lines, (unsigned long long)c[1].lines,
            (unsigned long long)c[0].slm_passes,
            (unsigned long long)c[1].slm_passes);
    }
    return full;
}

/* ---- kernels ---- */

unsigned
binary(struct rk *k, unsigned opcode, unsigned simd, unsigned d, unsigned a,
       unsigned b, bool is_imm)
{
    uint32_t dw[4] = {opcode};
    rk_put_exec(k, dw, simd);
    fields_put(dw, 35, 36, d ? EU_FILE_GRF : EU_FILE_ARF);
    fields_put(dw, 37, 40, EU_TYPE_UD);
    fields_put(dw, 53, 60, d);
    fields_put(dw, 61, 62, 1);
    for (unsigned s = 0; s < 2; s++) {
        fields_put(dw, s ? 89 : 41, s ? 90 : 42, EU_FILE_GRF);
        fields_put(dw, s ? 91 : 43, s ? 94 : 46, EU_TYPE_UD);
        fields_put(dw, s ? 101 : 69, s ? 108 : 76, s ? b : a);
        fields_put(dw, s ? 117 : 85, s ? 120 : 88, 4);
        fields_put(dw, s ? 114 : 82, s ? 116 : 84, 3);
        fields_put(dw, s ? 112 : 80, s ? 113 : 81, 1);
    }
    if (is_imm) {
        fields_put(dw, 89, 90, EU_FILE_IMM);
        dw[3] = b;
    }
    return rk_append(k, dw);
}

static unsigned
vector(struct rk *k, unsigned first, unsigned count)
{
    return first + 2 * rk_rnd(k, count);
}

static uint32_t
any_descriptor(struct rk *k, unsigned kind, unsigned channels, unsigned simd)
{
    uint32_t bti = rk_chance(k, 40)   ? SLM
                   : rk_chance(k, 20) ? STATELESS_NC + 2 * rk_rnd(k, 2)
                                      : rk_rnd(k, 3);
    uint32_t off = rk_chance(k, 5) ? rk_rnd(k, 16) : 15u << channels & 15;
    uint32_t answers = rk_chance(k, 10);
    uint32_t size = rk_chance(k, 2) ? 3 : rk_rnd(k, 3);
    switch (kind) {
    case READ_DWORDS:
    case WRITE_DWORDS:
        return bti | (simd == 16 ? 3u : 2u) << 8 |
               (kind == READ_DWORDS ? 3u : 11u) << 14;
    case READ_BYTES:
    case WRITE_BYTES:
        return bti | (simd == 16) << 8 | size << 10 |
               (kind == READ_BYTES ? 4u : 12u) << 14;
    case LD: return rk_rnd(k, 3) | 7u << 12 | (simd == 16 ? 2u : 1u) << 17;
    case ATOMIC:
        return bti | (1 + rk_rnd(k, 8)) << 8 | (simd == 8) << 12 |
               answers << 13 | 2u << 14;
    default:
        return bti | off << 8 | (simd == 16 ? 1u : 2u) << 12 |
               (kind == READ ? 1u : 9u) << 14;
    }
}

/* (W) mov (1|M0) r7.dw:ud value */
static void
set_header(struct rk *k, unsigned dw_index, uint32_t value)
{
    uint32_t dw[4] = {EU_OP_MOV};
    fields_put(dw, 34, 34, 1);
    fields_put(dw, 35, 36, EU_FILE_GRF);
    fields_put(dw, 37, 40, EU_TYPE_UD);
    fields_put(dw, 41, 42, EU_FILE_IMM);
    fields_put(dw, 43, 46, EU_TYPE_UD);
    fields_put(dw, 48, 52, dw_index * 4);
    fields_put(dw, 53, 60, HEADER);
    fields_put(dw, 61, 62, 1);
    dw[3] = value;
    rk_append(k, dw);
}

/* Mostly without an offset for all lanes, M0.2. */
static void
add_header(struct rk *k)
{
    set_header(k, 2, rk_chance(k, 95) ? 0 : rk_rnd(k, 16));
    set_header(k, 5, rk_rnd(k, FAR_B / 4 + 1) * 4);
}

/* A write's data follow the offsets, or are elsewhere. A header is alone, or in
 * front of the first offsets. */
void
add_message(struct rk *k, unsigned simd, bool reads_only)
{
    static const uint8_t readers[] = {READ, LD, READ_BYTES, READ_DWORDS};
    unsigned kind = reads_only ? readers[rk_rnd(k, ARRAY_SIZE(readers))]
                               : rk_rnd(k, KINDS),
             grfs = simd / 8;
    bool scattered = is_bytes((int)kind) || is_dwords((int)kind);
    bool header = scattered && rk_chance(k, 50);
    unsigned channels = kind == LD                      ? 4
                        : scattered || rk_chance(k, 50) ? 1
                                                        : 1 + rk_rnd(k, 4);
    bool reads = kind == READ || kind == LD || kind == READ_BYTES ||
                 kind == READ_DWORDS;
    bool split = (!reads || header) && rk_chance(k, 60);
    uint32_t dw[4] = {split ? EU_OP_SENDS : EU_OP_SEND};
    unsigned data = kind == ATOMIC ? grfs : reads ? 0 : channels * grfs;
    uint32_t desc = any_descriptor(k, kind, channels, simd);
    unsigned place = vector(k, PLACE, 8), second = vector(k, DATA, 28);
    unsigned mlen = grfs + (split ? 0 : data);
    if (header) {
        desc |= 1u << 19;
        place = HEADER;
        second = vector(k, PLACE, 7);
        mlen = split ? 1 : 1 + mlen;
        data += split ? grfs : 0;
        if (rk_chance(k, 90))
            add_header(k);
    }
    unsigned rlen = reads ? channels * grfs : kind == ATOMIC ? grfs : 0;
    bool answers = reads || (kind == ATOMIC && desc >> 13 & 1);
    rk_put_exec(k, dw, simd);
    fields_put(dw, 24, 27,
               kind == LD  ? EU_SFID_SAMPLER
               : scattered ? EU_SFID_DC0
                           : EU_SFID_DC1);
    fields_put(dw, 35, 36, answers);
    fields_put(dw, 53, 60, answers ? vector(k, DATA, 28) : 0);
    fields_put(dw, 69, 76, place);
    fields_put(dw, 96, 126, mlen << 25 | (answers ? rlen : 0) << 20 | desc);
    if (split) {
        fields_put(dw, 36, 36, data > 0);
        fields_put(dw, 44, 51, second);
        fields_put(dw, 64, 67, data);
    } else {
        fields_put(dw, 61, 62, 1);
        fields_put(dw, 41, 42, EU_FILE_GRF);
        fields_put(dw, 89, 90, EU_FILE_IMM);
    }
    if (!reads_only && rk_chance(k, 8))
        fields_put(dw, 16, 20, 1 | rk_rnd(k, 2) << 4);
    rk_append(k, dw);
}

/* (W) send (1|M0) */
void
add_fence(struct rk *k)
{
    uint32_t dw[4] = {EU_OP_SEND}, rlen = rk_rnd(k, 2);
    fields_put(dw, 24, 27, EU_SFID_DC0);
    fields_put(dw, 34, 34, 1);
    fields_put(dw, 35, 36, rlen ? EU_FILE_GRF : EU_FILE_ARF);
    fields_put(dw, 53, 60, rlen ? DATA + rk_rnd(k, 60) : 0);
    fields_put(dw, 61, 62, 1);
    fields_put(dw, 41, 42, EU_FILE_GRF);
    fields_put(dw, 69, 76, DATA);
    fields_put(dw, 89, 90, EU_FILE_IMM);
    fields_put(dw, 96, 126, 1 << 25 | rlen << 20 | 1 << 19 | 7 << 14);
    rk_append(k, dw);
}

void
add_other(struct rk *k, unsigned simd, bool flags)
{
    static const uint8_t opcodes[] = {EU_OP_ADD, EU_OP_XOR, EU_OP_AND};
    unsigned d = vector(k, DATA, 32), a = vector(k, DATA, 32);
    switch (rk_rnd(k, 4)) {
    case 0: /* changes the offsets */
        d = vector(k, PLACE, 8);
        binary(k, EU_OP_ADD, simd, d, d, rk_rnd(k, 9) * 4, true);
        break;
    case 1: /* flags that are used later */
        if (!flags)
            break;
        binary(k, EU_OP_CMP, 16, 0, a, vector(k, DATA, 32), false);
        fields_put((uint32_t *)(void *)(k->code + k->at_B[k->count - 1]), 24,
                   27, EU_CMOD_L);
        break;
    case 2: /* constants that stay in registers */
        binary(k, EU_OP_FRC, simd, d, a, a, false);
        uint32_t *dw = (void *)(k->code + k->at_B[k->count - 1]);
        fields_put(dw, 37, 40, EU_TYPE_F);
        fields_put(dw, 43, 46, EU_TYPE_F);
        break;
    default:
        binary(k, opcodes[rk_rnd(k, ARRAY_SIZE(opcodes))], simd, d, a,
               vector(k, DATA, 32), false);
    }
}

/* (W) send (16|M0) null r4: a barrier */
void
add_signal(struct rk *k)
{
    rk_append(k, (uint32_t[4]){0x03800031, 0x20000244, 0x06000080, 0x02000004});
}

/* wait n0.0 */
void
add_wait(struct rk *k)
{
    rk_append(k, (uint32_t[4]){0x00000030, 0x32000000, 0x00001200, 0});
}

void
add_branch(struct rk *k, unsigned opcode, bool predicated, int32_t jip_B,
           int32_t uip_B)
{
    uint32_t dw[4] = {opcode, 0, (uint32_t)uip_B, (uint32_t)jip_B};
    rk_put_exec(k, dw, 16);
    fields_put(dw, 16, 19, predicated);
    rk_append(k, dw);
}

void
begin_memory_kernel(struct rk *k, uint64_t seed)
{
    memset(k, 0, sizeof *k);
    k->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    k->gen = EU_GEN9;
    k->simd = 16;
}

void
add_end(struct rk *k, bool plain)
{
    for (unsigned reg = COUNT; reg < END; reg += 2)
        rk_add_send(k, reg, 2, 0, false);
    rk_add_send(k, 112, 1, 0, true);
    /* Messages with no meaning here that show the registers. */
    for (unsigned i = 0; i < (END - COUNT) / 2; i++) {
        uint32_t *dw = (void *)(k->code + k->at_B[k->count - 2 - i]);
        fields_put(dw, 24, 27, EU_SFID_NULL);
        if (plain)
            fields_put(dw, 16, 20, 0);
    }
}

void
fill(struct eu_thread *t, struct rk *random)
{
    static const uint8_t steps_B[] = {0, 0, 1, 2, 4, 4, 4, 16, 16, 8};
    bool together = rk_chance(random, 80);
    for (unsigned i = 0; i < EU_GRF_COUNT * 8; i++)
        eu_grf(t, 0)[i] = rk_rnd(random, UINT32_MAX);
    for (unsigned i = 0; i < 16; i++)
        eu_grf(t, LIMIT)[i] = 1 + rk_rnd(random, 4);
    for (unsigned i = 0; i < 16 && together; i++)
        eu_grf(t, LIMIT)[i] = 3;
    for (unsigned reg = PLACE; reg < DATA; reg += 2) {
        uint32_t first = rk_rnd(random, rk_chance(random, 80) ? 768 : ROOM_B);
        uint32_t step_B = steps_B[rk_rnd(random, ARRAY_SIZE(steps_B))];
        if (rk_chance(random, 60))
            first /= 4;
        if (rk_chance(random, 70))
            first &= ~3u;
        if (rk_chance(random, 10))
            first |= rk_rnd(random, 16) << 28;
        for (unsigned i = 0; i < 16; i++)
            eu_grf(t, reg)[i] = first + i * step_B;
        if (rk_chance(random, 4))
            eu_grf(t, reg)[rk_rnd(random, 16)] = rk_rnd(random, UINT32_MAX);
        if (rk_chance(random, 4))
            for (unsigned i = 0; i < 16; i++)
                eu_grf(t, reg)[i] = rk_rnd(random, 1024);
    }
}

void
start_in_world(struct eu_thread *t, struct world *w,
               const struct eu_kernel *kernel, uint32_t mask)
{
    struct eu_start s = {.kernel = kernel,
                         .simd = 16,
                         .dispatch_mask = mask,
                         .vector_mask = mask,
                         .denorm_f_retain = true,
                         .send = answer,
                         .surfaces = w->surfaces,
                         .slm = &w->range[PLACES - 1],
                         .user = w};
    eu_thread_init(t, &s);
}
