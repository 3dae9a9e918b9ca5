/* sweep_ballot.c: communication between invocations: ballots, votes and values
 * of other lanes, in uniform control flow and where only some lanes are active,
 * in compute shaders of every workgroup size. */
#include "sweep.h"

#include <stdio.h>
#include <string.h>

#define LANES 256
#define VALUES 12

static uint32_t input[LANES], seen[LANES][VALUES];

static const char source[] =
    "#extension GL_ARB_shader_ballot : require\n"
    "#extension GL_ARB_shader_group_vote : require\n"
    "#extension GL_ARB_gpu_shader_int64 : require\n"
    "layout(std430, binding = 0) buffer I { uint i[]; };"
    "layout(std430, binding = 1) buffer O { uint o[]; };"
    "uint word(uint64_t v) { return unpackUint2x32(v).x; }"
    "void main(){ uint n = gl_GlobalInvocationID.x, v = i[n], k = n * 12u;"
    "uint lane = gl_SubGroupInvocationARB;"
    "o[k] = gl_SubGroupSizeARB; o[k + 1u] = lane;"
    "o[k + 2u] = word(ballotARB((v & 1u) != 0u));"
    "if ((v & 6u) != 0u) {"
    "o[k + 3u] = word(ballotARB((v & 8u) != 0u));"
    "o[k + 4u] = readFirstInvocationARB(v);"
    "o[k + 5u] = uint(anyInvocationARB((v & 48u) == 0u));"
    "o[k + 6u] = uint(allInvocationsARB((v & 48u) != 0u));"
    "o[k + 7u] = uint(allInvocationsEqualARB((v & 64u) != 0u));"
    "} else { o[k + 3u] = word(ballotARB(true)); }"
    "o[k + 8u] = readInvocationARB(v, 5u);"
    "o[k + 9u] = word(gl_SubGroupLeMaskARB);"
    "o[k + 10u] = word(gl_SubGroupGtMaskARB);"
    "uint times = 0u; for (uint c = 0u; c < (v >> 8 & 7u); c++)"
    " times += bitCount(word(ballotARB(true)));"
    "o[k + 11u] = times; }";

/* Lanes of the subgroup that begins at `first` whose value has any bit of
 * `mask`. */
static uint32_t
lanes_with(unsigned first, unsigned size, uint32_t mask)
{
    uint32_t set = 0;
    for (unsigned i = 0; i < size; i++)
        if (input[first + i] & mask)
            set |= 1u << i;
    return set;
}

static void
expect(unsigned n, unsigned size, uint32_t want[VALUES])
{
    unsigned lane = n % size, first = n - lane;
    uint32_t all = size == 32 ? ~0u : (1u << size) - 1, times = 0;
    uint32_t taken = lanes_with(first, size, 6);
    uint32_t high = lanes_with(first, size, 48);
    uint32_t bit6 = lanes_with(first, size, 64);
    memset(want, 0, VALUES * sizeof *want);
    want[0] = size;
    want[1] = lane;
    want[2] = lanes_with(first, size, 1);
    want[3] = all & ~taken;
    if (input[n] & 6) {
        want[3] = lanes_with(first, size, 8) & taken;
        want[4] = input[first + (unsigned)__builtin_ctz(taken)];
        want[5] = (~high & taken) != 0;
        want[6] = (high & taken) == taken;
        want[7] = (bit6 & taken) == 0 || (bit6 & taken) == taken;
    }
    want[8] = input[first + 5];
    want[9] = (uint32_t)((UINT64_C(2) << lane) - 1);
    want[10] = all & ~want[9];
    for (uint32_t c = 0; c < (input[n] >> 8 & 7); c++)
        for (unsigned i = 0; i < size; i++)
            times += (input[first + i] >> 8 & 7) > c;
    want[11] = times;
}

static void
run_case(const char *name, unsigned local_size)
{
    char text[2400];
    /* Extensions come first. */
    snprintf(text, sizeof text, GLSL "%s\nlayout(local_size_x = %u) in;",
             source, local_size);
    GLuint program = gl_compute(text);
    unsigned rare = sweep_random(3);
    for (unsigned i = 0; i < LANES; i++) {
        input[i] = sweep_random(1 << 16);
        for (unsigned k = 0; k < rare; k++)
            input[i] &= sweep_random(1 << 16) | 0x700;
    }
    memset(seen, 0, sizeof seen);
    GLuint b[2] = {
        sweep_buffer(GL_SHADER_STORAGE_BUFFER, 0, input, sizeof input),
        sweep_buffer(GL_SHADER_STORAGE_BUFFER, 1, seen, sizeof seen)};
    glDispatchCompute(LANES / local_size, 1, 1);
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glGetNamedBufferSubData(b[1], 0, sizeof seen, seen);
    unsigned size = seen[0][0], bad = 0, lane = 0, which = 0;
    bool sound = size == 8 || size == 16 || size == 32;
    for (unsigned n = 0; n < LANES && sound; n++) {
        uint32_t want[VALUES];
        expect(n, size, want);
        for (unsigned k = 0; k < VALUES; k++)
            if (seen[n][k] != want[k] && !bad++) {
                lane = n;
                which = k;
            }
    }
    sweep_verdict(name, sound && !bad,
                  "%u values with subgroups of %u, the first is %u of lane %u: "
                  "%#x",
                  bad, size, which, lane, seen[lane][which]);
    glDeleteBuffers(2, b);
    glDeleteProgram(program);
}

void
sweep_ballot(void)
{
    for (unsigned size = 32; size <= 256; size *= 2) {
        if (!sweep_begin(sweep_name("ballot.%u", size)))
            continue;
        for (unsigned n = 0; n < (sweep_large ? 50 : 8); n++) {
            char name[40];
            snprintf(name, sizeof name, "ballot.%u.%u", size, n);
            run_case(name, size);
        }
    }
}
