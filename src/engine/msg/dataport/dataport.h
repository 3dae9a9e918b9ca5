/* dataport.h: address ranges, payload access and handlers of data port
 * messages. Internal to engine/msg. Any worker. */
#ifndef ENGINE_MSG_DATAPORT_DATAPORT_H
#define ENGINE_MSG_DATAPORT_DATAPORT_H

#include "engine/msg/dataport/gather_scatter.h"
#include "engine/state/thread_env.h"

/* Messages of data port 1. */
enum {
    DC1_UNTYPED_READ = 0x01,
    DC1_UNTYPED_ATOMIC = 0x02,
    DC1_MEDIA_BLOCK_READ = 0x04,
    DC1_TYPED_READ = 0x05,
    DC1_TYPED_ATOMIC = 0x06,
    DC1_UNTYPED_WRITE = 0x09,
    DC1_MEDIA_BLOCK_WRITE = 0x0a,
    DC1_TYPED_WRITE = 0x0d,
    DC1_A64_SCATTERED_READ = 0x10,
    DC1_A64_UNTYPED_READ = 0x11,
    DC1_A64_ATOMIC = 0x12,
    DC1_A64_BLOCK_READ = 0x14,
    DC1_A64_BLOCK_WRITE = 0x15,
    DC1_A64_UNTYPED_WRITE = 0x19,
    DC1_A64_SCATTERED_WRITE = 0x1a,
    DC1_UNTYPED_ATOMIC_FLOAT = 0x1b,
    DC1_A64_ATOMIC_FLOAT = 0x1d,
};

/* A flat range of bytes; message offsets are relative to its start. */
struct dp_range {
    uint8_t *mem;
    uint64_t size_B;
    const struct surface *surf; /* NULL for SLM and stateless */
    uint64_t ignored;           /* bits of offsets to ignore */
    /* NULL, or an address space with moved buffers. Then offsets are relative
     * to address va, and each is translated by itself. */
    const struct engine_vm *vm;
    gpu_va va;
};

/* Observed: IGC sets the high nibble of pointers into shared local memory, so
 * that none is null, and leaves it in message offsets. */
#define SLM_IGNORED UINT64_C(0xf0000000)

/* The range of a descriptor's binding table index. base_B: the base of
 * stateless access, the header's M0.5. */
struct dp_range dataport_range(const struct thread_env *env,
                               const struct eu_message *m, uint32_t base_B);

/* size_B bytes of stateless memory. */
struct dp_range dataport_flat_range(const struct thread_env *env, gpu_va va,
                                    uint64_t size_B);

/* The surface of a typed message: binding table or bindless. */
const struct surface *dataport_surface(const struct thread_env *env,
                                       const struct eu_message *m);

static inline uint8_t *
dataport_at(const struct dp_range *r, uint64_t offset_B, unsigned bytes)
{
    offset_B &= ~r->ignored;
    if (offset_B > r->size_B || r->size_B - offset_B < bytes)
        return NULL;
    return r->vm ? vm_ptr(r->vm, r->va + offset_B) : r->mem + offset_B;
}

/* `count` registers of the payload from `grf` on. NULL: they are not
 * contiguous. */
static inline const uint32_t *
dataport_operand(const struct eu_message *m, unsigned grf, unsigned count)
{
    if (grf + count <= m->mlen_grf)
        return m->src0 + grf * 8;
    if (grf < m->mlen_grf || grf - m->mlen_grf + count > m->ex_mlen_grf)
        return NULL;
    return m->src1 + (grf - m->mlen_grf) * 8;
}

/* Dword `lane` of an operand that starts `grf` registers into the payload and
 * has one dword per lane. 0: the payload is too short. */
static inline uint32_t
dataport_lane(const struct eu_message *m, unsigned grf, unsigned lane)
{
    const uint32_t *reg = eu_message_reg(m, grf + lane / 8);
    return reg ? reg[lane % 8] : 0;
}

static inline uint64_t
dataport_lane64(const struct eu_message *m, unsigned grf, unsigned lane)
{
    const uint32_t *reg = eu_message_reg(m, grf + lane / 4);
    uint64_t v = 0;
    if (reg)
        memcpy(&v, reg + lane % 4 * 2, 8);
    return v;
}

/* Writes dword `lane` of a response operand if the response is long enough. */
static inline void
dataport_answer(const struct eu_message *m, unsigned grf, unsigned lane,
                uint32_t value)
{
    if (m->dst && grf + lane / 8 < m->rlen_grf)
        m->dst[(grf + lane / 8) * 8 + lane % 8] = value;
}

/* Enabled lanes of a message of `lanes` channels. */
static inline uint32_t
dataport_mask(const struct eu_message *m, unsigned lanes)
{
    return m->exec_mask & (lanes >= 32 ? ~0u : (1u << lanes) - 1);
}

/* atomic.c. `op` is AOP_*; return the message's response. p must be aligned to
 * its size. */
uint32_t atomic_int32(unsigned op, uint32_t *p, uint32_t src0, uint32_t src1);
uint64_t atomic_int64(unsigned op, uint64_t *p, uint64_t src0, uint64_t src1);
uint32_t atomic_float32(unsigned op, uint32_t *p, uint32_t src0, uint32_t src1);
/* Number of data operands of an integer atomic: 0 for inc/dec/predec, 2 for
 * CMPWR. */
unsigned atomic_operands(unsigned op);
/* An integer operation for all enabled lanes. False, with nothing done: a lane
 * is out of bounds. `contended`: other workers may access the same memory. dst
 * may be NULL. */
bool atomic_lanes(unsigned op, bool contended, const struct lane_access *a,
                  const uint32_t *offset_B, const uint32_t *src0,
                  const uint32_t *src1, uint32_t *dst);
#define AOP_FMAX 1
#define AOP_FMIN 2
#define AOP_FCMPWR 3

/* Lanes and channels of an untyped message. */
struct untyped_shape {
    unsigned lanes, disabled; /* bit n: channel n is disabled */
};

/* Byte offset of a lane: U, or U * stride + V for structured buffers. The low
 * two bits are ignored. at: register of the first operand; grfs: of each. */
uint64_t untyped_offset_B(const struct dp_range *r, const struct eu_message *m,
                          unsigned at, unsigned grfs, unsigned lane);
/* False: invalid SIMD mode, reported by unimp(). */
bool untyped_shape(const struct eu_message *m, struct untyped_shape *shape);
/* Moves dwords of the enabled channels between lanes and memory. at[c][i]:
 * address of channel c of lane i; NULL is out of bounds, which reads 0 and
 * drops writes. data_grf: first data register of a write. */
void untyped_transfer(const struct eu_message *m,
                      const struct untyped_shape *shape, uint8_t *at[4][16],
                      unsigned data_grf, bool write);

enum eu_msg_result untyped_access(struct thread_env *env,
                                  const struct eu_message *m, bool write);
enum eu_msg_result untyped_atomic(struct thread_env *env,
                                  const struct eu_message *m, bool is_float);

enum eu_msg_result typed_read(struct thread_env *env,
                              const struct eu_message *m);
enum eu_msg_result typed_write(struct thread_env *env,
                               const struct eu_message *m);
enum eu_msg_result typed_atomic(struct thread_env *env,
                                const struct eu_message *m);

/* The texels that lanes access, for profiles. False: none, unimp() says why
 * when the message is handled. */
struct typed_texels {
    const struct surface *s;
    uint32_t mask;
    const uint8_t *at[8]; /* of lanes in the mask; NULL: out of bounds */
};
bool typed_find_texels(const struct thread_env *env, const struct eu_message *m,
                       struct typed_texels *texels);

/* typed_lanes.c: fast paths of typed read, write and atomics, and of `ld` from
 * a buffer without a header, for surfaces of common forms. False: not handled,
 * with nothing done. */
bool typed_lanes_read(const struct surface *s, const struct eu_message *m);
bool typed_lanes_write(const struct surface *s, const struct eu_message *m);
bool typed_lanes_atomic(const struct surface *s, const struct eu_message *m);
bool typed_lanes_ld(const struct surface *s, const struct eu_message *m,
                    unsigned lanes);

enum eu_msg_result media_block(struct thread_env *env,
                               const struct eu_message *m, bool write);
/* For profiles: calls add() for each byte that the message accesses, with its
 * offset in the surface. NULL: there is no such block, else its surface. */
const struct surface *
media_block_walk(const struct thread_env *env, const struct eu_message *m,
                 bool write, void (*add)(void *data, uint64_t offset_B),
                 void *data);

enum eu_msg_result a64_scattered(struct thread_env *env,
                                 const struct eu_message *m, bool write);
enum eu_msg_result a64_untyped(struct thread_env *env,
                               const struct eu_message *m, bool write);
enum eu_msg_result a64_atomic(struct thread_env *env,
                              const struct eu_message *m, bool is_float);
enum eu_msg_result a64_block(struct thread_env *env, const struct eu_message *m,
                             bool write);
/* Converts the lanes' addresses to offsets from a->mem, in an address space
 * with moved buffers. False: the addresses have no common shift. */
bool a64_place_moved(const struct engine_vm *vm, const uint64_t va[16],
                     struct lane_access *a, uint32_t offset_B[16]);

/* OWord block transfer between contiguous memory and registers; size_code is
 * descriptor bits 10:8. */
enum eu_msg_result block_transfer(const struct dp_range *r, uint64_t offset_B,
                                  const struct eu_message *m,
                                  unsigned size_code, bool write,
                                  unsigned data_grf);

#endif
