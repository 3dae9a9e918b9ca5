/* test_blt_model.c: every command of the blitter against the model: raster
 * operations, tilings, depths, random rest. */
#include "blt_bench.h"

TestSuite(blt_model, .init = bench_init, .fini = bench_finish, .timeout = 120);

/* Each of the operands alone, and together with others. */
static const uint8_t rops[] = {0x00, 0xff, 0xf0, 0xcc, 0xaa, 0x55,
                               0x5a, 0x66, 0x88, 0xee, 0xb8, 0xca};

static void
check_command(unsigned opcode)
{
    bool has_source = blt_has_source(opcode);
    for (unsigned dst = LINEAR; dst <= TILE_Y; dst++) {
        for (unsigned src = LINEAR; src <= (has_source ? TILE_Y : LINEAR);
             src++) {
            for (unsigned i = 0; i < ARRAY_SIZE(rops); i++) {
                bool bytes = opcode == 0x40 || opcode == 0x43;
                bench_make(&(struct blt_choice){
                    .opcode = opcode,
                    .rop = rops[i],
                    .log2_B = (i + dst + src) % 3,
                    .dst = bytes ? LINEAR : dst,
                    .src = bytes ? LINEAR : src,
                    .one_surface = !bytes && dst == src && i % 2,
                });
            }
        }
    }
    bench_run();
}

#define COMMAND(name, opcode)  \
    Test(blt_model, name)      \
    {                          \
        check_command(opcode); \
    }

COMMAND(pixel, 0x24)
COMMAND(scanlines, 0x25)
COMMAND(text, 0x26)
COMMAND(text_immediate, 0x31)
COMMAND(color_bytes, 0x40)
COMMAND(src_copy_bytes, 0x43)
COMMAND(color, 0x50)
COMMAND(pat, 0x51)
COMMAND(mono_pat, 0x52)
COMMAND(src_copy, 0x53)
COMMAND(mono_src_copy, 0x54)
COMMAND(full, 0x55)
COMMAND(full_mono_src, 0x56)
COMMAND(full_mono_pattern, 0x57)
COMMAND(full_mono_pattern_mono_src, 0x58)
COMMAND(mono_pat_fixed, 0x59)
COMMAND(mono_src_copy_immediate, 0x71)
COMMAND(pat_immediate, 0x72)
COMMAND(src_copy_chroma, 0x73)
COMMAND(full_immediate_pattern, 0x74)
COMMAND(full_mono_src_immediate_pattern, 0x75)
COMMAND(pat_chroma, 0x76)
COMMAND(pat_chroma_immediate, 0x77)

Test(blt_model, all_raster_operations)
{
    for (unsigned rop = 0; rop < 256; rop++)
        bench_make(&(struct blt_choice){
            .opcode = rop & 1 ? 0x55 : 0x58, .rop = rop, .log2_B = rop % 3});
    for (unsigned rop = 0; rop < 256; rop++)
        bench_make(&(struct blt_choice){
            .opcode = rop & 1 ? 0x57 : 0x56, .rop = rop, .log2_B = rop % 3});
    bench_run();
}

Test(blt_model, fast_copy_between_all_tilings)
{
    for (unsigned dst = LINEAR; dst <= TILE_YS; dst++)
        for (unsigned src = LINEAR; src <= TILE_YS; src++)
            for (unsigned log2_B = 0; log2_B <= 4; log2_B++)
                for (unsigned n = 0; n < 4; n++)
                    bench_make(&(struct blt_choice){.opcode = 0x42,
                                                    .log2_B = log2_B,
                                                    .dst = dst,
                                                    .src = src,
                                                    .one_surface = dst == src &&
                                                                   n % 2});
    bench_run();
}

/* Overlapping copies within a surface are right whatever the direction. */
Test(blt_model, copies_within_a_surface)
{
    for (unsigned n = 0; n < 600; n++) {
        enum model_tiling t = n % 3;
        bench_make(&(struct blt_choice){.opcode = n % 5 ? 0x53 : 0x42,
                                        .rop = n % 7 ? 0xcc : 0x66,
                                        .log2_B = n / 3 % 3,
                                        .dst = t,
                                        .src = t,
                                        .one_surface = true});
    }
    bench_run();
}

Test(blt_model, random_blits)
{
    for (unsigned n = 0; n < 4000; n++) {
        unsigned opcode = blt_opcodes[blt_random(&maker) % BLT_OPCODES];
        bool bytes = opcode == 0x40 || opcode == 0x43, fast = opcode == 0x42;
        unsigned tilings = bytes ? 1 : fast ? 5 : 3;
        struct blt_choice c = {
            .opcode = opcode,
            .rop = blt_random(&maker) & 255,
            .log2_B = blt_random(&maker) % (fast ? 5 : 3),
            .dst = blt_random(&maker) % tilings,
            .src = blt_has_source(opcode) ? blt_random(&maker) % tilings : 0,
        };
        c.one_surface = !bytes && c.src == c.dst && n % 3 == 0;
        bench_make(&c);
    }
    bench_run();
}
