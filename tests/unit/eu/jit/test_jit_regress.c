/* test_jit_regress.c: instructions on which the tiers once differed, in many
 * states. tests/fuzz/random_kernels found them, and prints them in this
 * form. */
#include <criterion/criterion.h>

#include "rk.h"

#define STATES 300
#define MOST_INSNS 12

static const struct {
    const char *what;
    enum eu_gen gen;
    uint32_t dw[MOST_INSNS][4];
} cases[] = {
    {"an integer is never unordered",
     EU_GEN9,
     {/* mov (16) (un)f0.0 r10.5<1>:ud -(abs)r3.0<0;1,0>:f */
      {0x09800001, 0x21543a08, 0x00006060, 0x00000000}}},
    {"a sum of integers is never -0",
     EU_GEN9,
     {/* mov (1) cr0.0 0x4e0: round down */
      {0x00000001, 0x30000604, 0x00000000, 0x000004e0},
      /* add (16) (lt)f0.0 r26.5<1>:f r63.0<0;1,0>:w r43.0<8;8,1>:w */
      {0x05800040, 0x23541ae8, 0x1a0007e0, 0x008d0560}}},
    {"what is overwritten later is needed if channels go off in between",
     EU_GEN9,
     {/* pln (16) (sat)r18.0<1>:f r19.0<8;8,1>:f r14.0<2;1,0>:f */
      {0x8080005a, 0x22403aeb, 0x3a8d0260, 0x004001c0},
      /* mov (1) sr0.2<1>:ud 0x25f269bb */
      {0x00000001, 0x2e080604, 0x00000000, 0x25f269bb},
      /* mul (16) r18.0<1>:f r15.5<0;1,0>:f r4.0<8;8,1>:f */
      {0x00800041, 0x22403ae8, 0x3a0001f4, 0x008d0080}}},
    {"on Gen8 the channel enables of HF are for pairs",
     EU_GEN8,
     {/* cmp (16) (ge)f0.0 r12.0<1>.yz:hf r24.xxxx:ud r16.xxxx:ud, Align16 */
      {0x04800110, 0x2186034c, 0x02050300, 0x00600200}}},
    {"MACH to UQ, saturated",
     EU_GEN9,
     {/* mach (8) (sat)r12.0<1>:uq (abs)r1.0<8;8,1>:uw -(abs)r1.0<8;8,1>:d */
      {0x80600049, 0x2180130a, 0x0a8d2020, 0x008d6020}}},
    {"lanes of an indirect destination wrap at 64 KiB like those of a source",
     EU_GEN9,
     {/* (W) mov (1) a0.6<1>:uw 0xff78:uw */
      {0x00000001, 0x220c1644, 0x00000000, 0xff78ff78},
      /* asr (8) (lt)f1.1 r[a0.6,120]<1>:d r8.1<4;4,1>:q r11.1<4;4,1>:q */
      {0x0560000c, 0xac784a2b, 0x4a690108, 0x00690168}}},
    {"one NaN is as good as another, further up in a block too",
     EU_GEN9,
     {/* mad (8) r89.2<1>:df r92.0<2;1>:df r96.0<2;1>:df r102.0<1>:df */
      {0x0060015b, 0x599ed801, 0x3905c1c8, 0x198720c0},
      /* nop */
      {0x0000007e, 0x00000000, 0x00000000, 0x00000000}}},
    {"flags beyond the last of a register",
     EU_GEN9,
     {/* (W&f0.1) avg (16|M8) r5.0<1>:ud r21.10<0;1,0>:w r24.0<8;8,1>:w */
      {0x00811042, 0x20a01a0d, 0x1a0002b4, 0x008d0300}}},
    {"ADDC that saturates",
     EU_GEN9,
     {/* addc (16) (sat)r6.0<1>:ud r3.0<1;1,0>:ud 0x98a35878:ud {AccWrEn} */
      {0x9080004e, 0x20c00208, 0x06200060, 0x98a35878}}},
    {"a copy may be denormal where a sum was not",
     EU_GEN9,
     {/* add (16) r10.0<1>:f r2.0<8;8,1>:f r4.0<8;8,1>:f */
      {0x00800040, 0x21403ae8, 0x3a8d0040, 0x008d0080},
      /* sel (16) (ge)f0.0 r12.0<1>:f r10.0<8;8,1>:f 0.0:f */
      {0x04800002, 0x21803ae8, 0x3e8d0140, 0x00000000},
      /* mov (16) r10.0<1>:f r6.0<8;8,1>:f */
      {0x00800001, 0x21403ae8, 0x008d00c0, 0x00000000},
      /* sel (16) (lt)f0.0 r14.0<1>:f r10.0<8;8,1>:f -0.0:f */
      {0x05800002, 0x21c03ae8, 0x3e8d0140, 0x80000000}}},
    {"what is doubled is added to itself",
     EU_GEN9,
     {/* mul (16) r10.0<1>:f r2.0<8;8,1>:f 2.0:f */
      {0x00800041, 0x21403ae8, 0x3e8d0040, 0x40000000},
      /* (f0.0) mul (16) (sat)r12.0<1>:f -r4.0<8;8,1>:f 2.0:f */
      {0x80810041, 0x21803ae8, 0x3e8d4080, 0x40000000},
      /* (f0.0) mul (16) r10.0<1>:f -(abs)r6.0<8;8,1>:f 2.0:f */
      {0x00810041, 0x21403ae8, 0x3e8d60c0, 0x40000000},
      /* mul (16) r14.0<1>:f r3.5<0;1,0>:f 2.0:f */
      {0x00800041, 0x21c03ae8, 0x3e000074, 0x40000000}}},
    {"sixteen doubles have two predicates",
     EU_GEN8,
     {/* (f1.0) mul (16) r4.1<1>:f -r12.0<8;8,1>:df r1.0<0;1,0>:f */
      {0x00810041, 0x208432ea, 0x3a8d4180, 0x00000020},
      /* (lt)f1.0 add (16) r20.0<1>:df r12.0<8;8,1>:df r12.0<8;8,1>:df */
      {0x05800040, 0x228032c8, 0x328d0180, 0x008d0180},
      /* (f1.0) mov (16) r4.0<1>:ud r6.0<8;8,1>:ud */
      {0x00810001, 0x20800208, 0x008d00c0, 0x00000000}}},
    {"SAD2 has flags for every second channel",
     EU_GEN8,
     {/* (f1.1.any2h) if (16) 32 32 */
      {0x00840022, 0x00000003, 0x00000020, 0x00000020},
      /* lrp (16) (lt)f0.1 r8.0<1>:f r26.7<0;0>:f r19.3<0;0>:f r3.0<1>:f */
      {0x0580015c, 0x081e0001, 0xf921afc9, 0x00c72026},
      /* endif (16) 16 */
      {0x00800025, 0x00000000, 0x00000000, 0x00000010},
      /* (W) sad2 (16) (lt)f0.1 r38.0<1>:uw r44.7<4;1,0>:b r38.0<0;2,1>:b */
      {0x05800050, 0x24c02a4d, 0x2a600587, 0x000504c0},
      /* (f0.1) sel (16) r72.0<1>:hf r79.0<8;8,1>:hf 3.527832e-02:hf */
      {0x00810002, 0x29005349, 0x5e8d09e0, 0x28842884}}},
    {"the least D has no other sign in DF either",
     EU_GEN8,
     {/* (W) (f0.0) mov (8) (ge)f0.0 r97.0<1>:df -r34.0<8;8,1>:d */
      {0x04610001, 0x2c200acc, 0x008d4440, 0x00000000},
      /* (W) (f0.0) mov (8) (ge)f0.0 r97.0<1>:df (abs)r34.0<8;8,1>:d */
      {0x04610001, 0x2c200acc, 0x008d2440, 0x00000000}}},
    {"an SMOV with an address outside of the registers",
     EU_GEN9,
     {/* (W) mov (1) a0.3<1>:uw 0xffd:uw */
      {0x00000001, 0x22061644, 0x00000000, 0x0ffd0ffd},
      /* smov (16) r[a0.3]<1>:f r2.3<0;1,0>:f 0x8:uw */
      {0x0080000a, 0xa6003ae8, 0x1600004c, 0x00080008}}},
    {"an SMOV of a channel whose address is inside",
     EU_GEN9,
     {/* (W) mov (1) a0.3<1>:uw 0x60:uw */
      {0x00000001, 0x22061644, 0x00000000, 0x00600060},
      /* smov (16) r[a0.3]<1>:f r2.3<0;1,0>:f 0x8:uw */
      {0x0080000a, 0xa6003ae8, 0x1600004c, 0x00080008},
      /* smov (16) r[a0.3]<1>:w r2.3<0;1,0>:w 0x8001:uw */
      {0x0080000a, 0xa6001a68, 0x16000046, 0x80018001}}},
    {"the second of three SMOVs has an address outside of the registers",
     EU_GEN9,
     {/* (W) mov (1) a0.2<1>:uw 0x60:uw */
      {0x00000001, 0x22041644, 0x00000000, 0x00600060},
      /* (W) mov (1) a0.3<1>:uw 0xffd:uw */
      {0x00000001, 0x22061644, 0x00000000, 0x0ffd0ffd},
      /* (W) mov (1) a0.4<1>:uw 0x80:uw */
      {0x00000001, 0x22081644, 0x00000000, 0x00800080},
      /* smov (16) r[a0.2]<1>:f r2.2<0;1,0>:f 0x4:uw */
      {0x0080000a, 0xa4003ae8, 0x16000048, 0x00040004},
      /* smov (16) r[a0.3]<1>:f r2.3<0;1,0>:f 0x8:uw */
      {0x0080000a, 0xa6003ae8, 0x1600004c, 0x00080008},
      /* smov (16) r[a0.4]<1>:f r2.4<0;1,0>:f 0x10:uw */
      {0x0080000a, 0xa8003ae8, 0x16000050, 0x00100010}}},
    {"three SMOVs inside, one of them after the end of 64 KiB",
     EU_GEN9,
     {/* (W) mov (1) a0.2<1>:uw 0x60:uw */
      {0x00000001, 0x22041644, 0x00000000, 0x00600060},
      /* (W) mov (1) a0.3<1>:uw 0xfff8:uw */
      {0x00000001, 0x22061644, 0x00000000, 0xfff8fff8},
      /* (W) mov (1) a0.4<1>:uw 0x80:uw */
      {0x00000001, 0x22081644, 0x00000000, 0x00800080},
      /* smov (16) r[a0.2]<1>:f r2.2<0;1,0>:f 0x4:uw */
      {0x0080000a, 0xa4003ae8, 0x16000048, 0x00040004},
      /* smov (16) r[a0.3]<1>:f r2.3<0;1,0>:f 0x8:uw */
      {0x0080000a, 0xa6003ae8, 0x1600004c, 0x00080008},
      /* smov (16) r[a0.4]<1>:f r2.4<0;1,0>:f 0x10:uw */
      {0x0080000a, 0xa8003ae8, 0x16000050, 0x00100010}}},
    {"bytes of channels that constants choose; the last constant stays",
     EU_GEN9,
     {/* (W) mov (1) a0.0<1>:uw 0x80:uw */
      {0x00000001, 0x22001644, 0x00000000, 0x00800080},
      /* (W) mov (1) a0.1<1>:uw 0x87:uw */
      {0x00000001, 0x22021644, 0x00000000, 0x00870087},
      /* (W) mov (1) a0.2<1>:uw 0x8e:uw */
      {0x00000001, 0x22041644, 0x00000000, 0x008e008e},
      /* (W) mov (1) f1.0<1>:uw 0x1:uw */
      {0x00000001, 0x26201644, 0x00000000, 0x00010001},
      /* (f1.0) mov (16) r[a0.0]<1>:b r3.0<0;1,0>:b */
      {0x00810001, 0xa0002aaa, 0x00000060, 0x00000000},
      /* (W) mov (1) f1.0<1>:uw 0x2:uw */
      {0x00000001, 0x26201644, 0x00000000, 0x00020002},
      /* (f1.0) mov (16) r[a0.1]<1>:b r3.1<0;1,0>:b */
      {0x00810001, 0xa2002aaa, 0x00000061, 0x00000000},
      /* (W) mov (1) f1.0<1>:uw 0x4:uw */
      {0x00000001, 0x26201644, 0x00000000, 0x00040004},
      /* (f1.0) mov (16) r[a0.2]<1>:b r3.2<0;1,0>:b */
      {0x00810001, 0xa4002aaa, 0x00000062, 0x00000000},
      /* (f1.0) mov (16) r6.0<1>:uw r3.0<0;1,0>:uw */
      {0x00810001, 0x20c0124a, 0x00000060, 0x00000000}}},
    {"a byte at the end of the registers, of one channel",
     EU_GEN9,
     {/* (W) mov (1) a0.0<1>:uw 0xfff:uw */
      {0x00000001, 0x22001644, 0x00000000, 0x0fff0fff},
      /* (W) mov (1) f1.0<1>:uw 0x1:uw */
      {0x00000001, 0x26201644, 0x00000000, 0x00010001},
      /* (f1.0) mov (16) r[a0.0]<1>:b r3.0<0;1,0>:b */
      {0x00810001, 0xa0002aaa, 0x00000060, 0x00000000},
      /* mov (16) r4.0<1>:ub r[a0.0]<1,0>:ub */
      {0x00800001, 0x20802288, 0x01e08000, 0x00000000}}},
    {"channels that are off have any address",
     EU_GEN9,
     {/* (W) mov (1) a0.5<1>:uw 0xfff0:uw */
      {0x00000001, 0x220a1644, 0x00000000, 0xfff0fff0},
      /* (f0.0) mov (16) r2.0<1>:f r[a0.0]<1,0>:f */
      {0x00810001, 0x20403ae8, 0x01e08000, 0x00000000},
      /* (f1.0) mov (16) r6.0<1>:uw r[a0.0]<1,0>:uw */
      {0x00810001, 0x20c0124a, 0x01e08000, 0x00000000}}},
};

static void
run_case(unsigned index, enum cpu_level cpu, enum rk_mode mode)
{
    static struct rk k;
    char text[512];
    struct rk_result r;
    if (cpu > cpu_selected())
        return;
    memset(&k, 0, sizeof k);
    k.gen = cases[index].gen;
    k.simd = 16;
    k.mode = mode;
    k.banks = mode == RK_BLOCKS;
    for (unsigned i = 0; i < MOST_INSNS && cases[index].dw[i][0]; i++)
        rk_append(&k, cases[index].dw[i]);
    for (unsigned reg = 1; reg < 112; reg += 15)
        rk_add_send(&k, reg, 15, 0, false);
    rk_add_send(&k, 112, 1, 0, true);
    for (uint64_t seed = 1; seed <= STATES; seed++) {
        bool same = rk_run(&k, seed, cpu, &r, text, sizeof text);
        cr_assert(r.built, "%s: not built", cases[index].what);
        cr_assert(same, "%s: state %llu: %s", cases[index].what,
                  (unsigned long long)seed, text);
    }
}

Test(jit_regress, what_once_differed_agrees)
{
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        run_case(i, CPU_AVX512, RK_STEPS);
        run_case(i, CPU_AVX2, RK_STEPS);
        run_case(i, CPU_AVX512, RK_BLOCKS);
        run_case(i, CPU_AVX2, RK_BLOCKS);
        run_case(i, CPU_AVX512, RK_WHOLE);
        run_case(i, CPU_AVX2, RK_WHOLE);
    }
}
