/* media_objects.c: media commands with small kernels, as no driver sends them:
 * what threads find in their registers, the order of a walker with a
 * scoreboard, thread groups, and commands that are wrong. */
#include "media.h"

/* Writes r0 to r3 side by side in row r2.0, each by a media block of 32 bytes.
 */
static const uint32_t kernel[] = {
    0x00600001, 0x2fe0020c, 0x008d0000, 0x00000000, 0x00600001, 0x2e00060c,
    0x00000000, 0x00000000, 0x00000001, 0x2e04020c, 0x00000040, 0x00000000,
    0x00000001, 0x2e08060c, 0x00000000, 0x0000001f, 0x00600001, 0x2e20020c,
    0x008d0000, 0x00000000, 0x0c600031, 0x20000204, 0x06000e00, 0x040a8000,
    0x00000001, 0x2e00060c, 0x00000000, 0x00000020, 0x00600001, 0x2e20020c,
    0x008d0020, 0x00000000, 0x0c600031, 0x20000204, 0x06000e00, 0x040a8000,
    0x00000001, 0x2e00060c, 0x00000000, 0x00000040, 0x00600001, 0x2e20020c,
    0x008d0040, 0x00000000, 0x0c600031, 0x20000204, 0x06000e00, 0x040a8000,
    0x00000001, 0x2e00060c, 0x00000000, 0x00000060, 0x00600001, 0x2e20020c,
    0x008d0060, 0x00000000, 0x0c600031, 0x20000204, 0x06000e00, 0x040a8000,
    0x07600031, 0x20000204, 0x06000fe0, 0x82000010,
};

/* At r0.1's x and y: a dword that is one more than its left neighbour. */
static const uint32_t walk_kernel[] = {
    0x00600001, 0x2fe0020c, 0x008d0000, 0x00000000, 0x00600001, 0x2e00060c,
    0x00000000, 0x00000000, 0x00000001, 0x2140120c, 0x00000004, 0x00000000,
    0x00000001, 0x2e04120c, 0x00000006, 0x00000000, 0x00000009, 0x2160020c,
    0x06000140, 0x00000002, 0x00000040, 0x2e000a2c, 0x0e000160, 0xfffffffc,
    0x00000001, 0x2e08060c, 0x00000000, 0x00000003, 0x0c600031, 0x2280020c,
    0x06000e00, 0x02190000, 0x00600001, 0x2e20060c, 0x00000000, 0x00000000,
    0x00000040, 0x2e20020c, 0x06000280, 0x00000001, 0x00000001, 0x2e00020c,
    0x00000160, 0x00000000, 0x0c600031, 0x20000204, 0x06000e00, 0x040a8000,
    0x07600031, 0x20000204, 0x06000fe0, 0x82000010,
};

/* With a scoreboard: one to the left. */
static const uint32_t vfe[] = {0x00271000, 0x00020020, 1u << 31 | 1, 0x0f};

static void
fill_object(void)
{
    clear_object();
    set_kernel(0, kernel, sizeof kernel, 1u << 16, 0);
    set_kernel(1, walk_kernel, sizeof walk_kernel, 0, 0);
    for (unsigned i = 0; i < 16; i++)
        object.dw[CURBE_B / 4 + i] = 0xc0000000 + i;
    for (unsigned i = 0; i < 16; i++)
        object.dw[INDIRECT_B / 4 + i] = 0x1d000000 + i;
}

static uint32_t *
begin(void)
{
    return put_state(commands.dw, vfe, 64);
}

static bool
is_row(unsigned y, uint32_t place, uint32_t inline_1)
{
    const uint32_t *r = row(y);
    return r[1] == place && r[8] == 0xc0000000 && r[15] == 0xc0000007 &&
           r[16] == y && r[17] == inline_1 && r[18] == 0;
}

/* ------------------------------------------------------------------------ */

static void
test_object(void)
{
    fill_object();
    uint32_t *dw = begin();
    dw = PUT(dw, 0x71000006, 0, 12, INDIRECT_B, 7 | 9u << 16, 0x30000, 3, 77);
    dw = PUT(dw, 0x70040000, 0);
    put_end(dw);
    ok(!run(0), "an object runs");
    ok(is_row(3, 7 | 9u << 16, 77), "and has place, constants, inline data");
    ok(row(3)[24] == 0x1d000000 && row(3)[26] == 0x1d000002 && row(3)[27] == 0,
       "and indirect data");
    ok(row(3)[2] == 3, "and its colour");
}

static void
test_root_thread(void)
{
    fill_object();
    uint32_t *dw = begin();
    put_end(PUT(dw, 0x7102000e, 0, 0, 0, 5, 55, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    ok(!run(0) && is_row(5, 0, 55), "a persistent root thread runs");
}

static void
test_group(void)
{
    fill_object();
    uint32_t *dw = begin();
    dw = PUT(dw, 0x71060007, 0, 0, 0, 1, 0, 42, 10, 1);
    dw = PUT(dw, 0x71060007, 0, 1u << 23, 0, 2, 0, 42, 11, 2);
    dw = PUT(dw, 0x71060007, 0, 0, 0, 3, 0, 43, 12, 3);
    dw = PUT(dw, 0x71060007, 0, 0, 0, 4, 0, 44, 13, 4);
    dw = PUT(dw, 0x70040000, 0);
    put_end(dw);
    ok(!run(0) && is_row(10, 1, 1) && is_row(11, 2, 2), "a thread group runs");
    ok(is_row(12, 3, 3), "another group ends one");
    ok(is_row(13, 4, 4), "a flush, too");
}

/* A walk at 26 degrees over 16 by 12 places. */
static void
test_walker(void)
{
    unsigned wrong = 0;
    fill_object();
    uint32_t *dw = begin();
    dw = PUT(dw, 0x7103000f, 1, 0x200000, 0, 0, 1, 0, 0x0fff0fff, 0x000c0010, 0,
             0, 1, 0x00010ffe, 0x000c0010, 0, 0x10, 0x000c0000);
    put_end(dw);
    int err = run(0);
    for (unsigned y = 0; y < 12; y++)
        for (unsigned x = 0; x < 16; x++)
            wrong += row(y)[x] != x + 1;
    ok(!err && !wrong, "a walker respects its scoreboard: %u wrong", wrong);
    ok(row(12)[0] == 0 && row(0)[16] == 0, "and ends where it should");
}

static void
test_wrong_commands(void)
{
    uint32_t context = context_create(fd);
    fill_object();
    uint32_t *dw = begin();
    dw = PUT(dw, 0x71000004, 5, 0, 0, 0, 0);
    put_end(dw);
    run(context);
    ok(count_resets(fd, context) == 1, "an object without a kernel: a reset");
    context = context_create(fd);
    fill_object();
    dw = begin();
    /* All of the address space as indirect data. */
    dw = PUT(dw, 0x71000006, 0, 0x1ffff, 0xffffff00, 0, 0, 20, 1);
    dw = PUT(dw, 0x7103000f, 1, 0, 0, 0, 0, 0x0f1f3300, 0x0fff0fff, 0x07ff07ff,
             0x07ff07ff, 0, 0, 0, 0x07ff07ff, 0x0fff0fff, 0x00010001,
             0x00010001);
    put_end(dw);
    run(context);
    ok(is_row(20, 0, 1), "data from nowhere are as long as registers");
}

int
main(void)
{
    open_media();
    test_object();
    test_root_thread();
    test_group();
    test_walker();
    test_wrong_commands();
    return done_testing();
}
