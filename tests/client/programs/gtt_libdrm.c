/* gtt_libdrm.c: uploads and reads back tiled objects as libdrm's clients do:
 * rows through drm_intel_gem_bo_map_gtt(), the blitter on the other side. The
 * tiled bytes are compared with a model. A second process takes part by PRIME.
 * TAP.
 *
 * usage: gtt_libdrm */
#include <fcntl.h>
#include <i915_drm.h>
#include <intel_bufmgr.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CPP 4
#define WIDEST_PX 1030
#define TALLEST 128

/* What a surface must be like, and what it is: libdrm chooses the pitch. */
struct surface {
    uint32_t tiling;
    int width_px, height;
    unsigned long pitch_B;
    drm_intel_bo *bo;
};

static drm_intel_bufmgr *bufmgr;
static int tests, failures, reuses;
static uint32_t rows[TALLEST * WIDEST_PX];

static void
die(const char *what)
{
    printf("Bail out! %s\n", what);
    exit(1);
}

static void
ok(int good, const char *what, const struct surface *s)
{
    printf("%sok %d - %c, %dx%d: %s\n", good ? "" : "not ", ++tests,
           "-XY"[s->tiling], s -> width_px, s -> height, what);
    failures += !good;
}

static void
open_device(void)
{
    int fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    bufmgr = fd < 0 ? NULL : drm_intel_bufmgr_gem_init(fd, 16384);
    if (!bufmgr)
        die("no device");
    drm_intel_bufmgr_gem_enable_reuse(bufmgr);
}

static uint32_t
texel(int x, int y, uint32_t seed)
{
    return ((uint32_t)(y * WIDEST_PX + x) + seed) * 0x9e3779b1u;
}

static void
alloc_surface(struct surface *s)
{
    uint32_t tiling = s->tiling;
    s->bo = drm_intel_bo_alloc_tiled(bufmgr, "surface", s->width_px, s->height,
                                     CPP, &tiling, &s->pitch_B,
                                     BO_ALLOC_FOR_RENDER);
    if (!s->bo || tiling != s->tiling)
        die("no surface");
}

/* ---- rows -------------------------------------------------------------- */

static uint8_t *
map_rows(const struct surface *s)
{
    int err = s->tiling == I915_TILING_NONE ? drm_intel_bo_map(s->bo, 1)
                                            : drm_intel_gem_bo_map_gtt(s->bo);
    if (err)
        die("no map");
    return s->bo->virtual;
}

static void
unmap_rows(const struct surface *s)
{
    if (s->tiling == I915_TILING_NONE)
        drm_intel_bo_unmap(s->bo);
    else
        drm_intel_gem_bo_unmap_gtt(s->bo);
}

static void
put_rows(const struct surface *s, uint8_t *to, uint32_t seed)
{
    for (int y = 0; y < s->height; y++) {
        for (int x = 0; x < s->width_px; x++)
            rows[x] = texel(x, y, seed);
        memcpy(to + (size_t)y * s->pitch_B, rows, (size_t)s->width_px * CPP);
    }
}

static int
rows_are(const struct surface *s, const uint8_t *from, uint32_t seed)
{
    for (int y = 0; y < s->height; y++) {
        memcpy(rows, from + (size_t)y * s->pitch_B, (size_t)s->width_px * CPP);
        for (int x = 0; x < s->width_px; x++)
            if (rows[x] != texel(x, y, seed))
                return 0;
    }
    return 1;
}

static void
upload(const struct surface *s, uint32_t seed)
{
    put_rows(s, map_rows(s), seed);
    unmap_rows(s);
}

static int
has_rows(const struct surface *s, uint32_t seed)
{
    int same = rows_are(s, map_rows(s), seed);
    unmap_rows(s);
    return same;
}

/* ---- tiles ------------------------------------------------------------- */

static uint32_t
tiled_texel(const struct surface *s, const uint8_t *tiles, int x, int y)
{
    uint32_t at_B = (uint32_t)x * CPP, row = (uint32_t)y, value;
    uint32_t width_B = s->tiling == I915_TILING_X ? 512 : 128;
    uint32_t height = 4096 / width_B;
    uint32_t tile = row / height * (uint32_t)(s->pitch_B / width_B) +
                    at_B / width_B;
    uint32_t in_x = at_B % width_B, in_y = row % height, in;
    if (s->tiling == I915_TILING_X)
        in = in_y << 9 | in_x;
    else
        in = in_x >> 4 << 9 | in_y << 4 | (in_x & 15);
    memcpy(&value, tiles + (size_t)tile * 4096 + in, sizeof value);
    return value;
}

static int
tiles_are(const struct surface *s, uint32_t seed)
{
    uint8_t *tiles = malloc(s->bo->size);
    if (!tiles || drm_intel_bo_get_subdata(s->bo, 0, s->bo->size, tiles))
        die("no bytes");
    int same = 1;
    for (int y = 0; y < s->height && same; y++)
        for (int x = 0; x < s->width_px && same; x++)
            same = tiled_texel(s, tiles, x, y) == texel(x, y, seed);
    free(tiles);
    return same;
}

/* ---- the blitter: BDW PRM vol 10, XY_SRC_COPY_BLT, BCS_SWCTRL ---------------
 */

static uint32_t batch[64];
static unsigned used;

static void
emit(uint32_t dw)
{
    batch[used++] = dw;
}

static void
emit_address(drm_intel_bo *bb, drm_intel_bo *target, uint32_t write)
{
    if (drm_intel_bo_emit_reloc(bb, used * 4, target, 0, I915_GEM_DOMAIN_RENDER,
                                write))
        die("no relocation");
    emit((uint32_t)target->offset64);
    emit((uint32_t)(target->offset64 >> 32));
}

static uint32_t
blt_pitch(const struct surface *s)
{
    return (uint32_t)(s->tiling ? s->pitch_B / 4 : s->pitch_B);
}

static void
emit_switch(uint32_t y_tiled)
{
    emit(0x11000001); /* MI_LOAD_REGISTER_IMM */
    emit(0x22200);
    emit(0x30000 | y_tiled);
}

static void
copy(const struct surface *to, const struct surface *from)
{
    drm_intel_bo *bb = drm_intel_bo_alloc(bufmgr, "batch", 4096, 4096);
    uint32_t size = (uint32_t)from->height << 16 | (uint32_t)from->width_px;
    used = 0;
    emit_switch((from->tiling == I915_TILING_Y) | (to->tiling == I915_TILING_Y)
                                                      << 1);
    emit(0x54f00008u | (to->tiling ? 1u << 11 : 0) |
         (from->tiling ? 1u << 15 : 0));
    emit(0x03cc0000u | blt_pitch(to));
    emit(0);
    emit(size);
    emit_address(bb, to->bo, I915_GEM_DOMAIN_RENDER);
    emit(0);
    emit(blt_pitch(from));
    emit_address(bb, from->bo, 0);
    emit_switch(0);
    emit(0x05000000);
    emit(0);
    if (drm_intel_bo_subdata(bb, 0, used * 4, batch) ||
        drm_intel_bo_mrb_exec(bb, (int)used * 4, NULL, 0, 0, I915_EXEC_BLT))
        die("no batch");
    drm_intel_bo_unreference(bb);
}

/* ---- cases ------------------------------------------------------------- */

static void
check_copies(struct surface *s)
{
    struct surface plain = {I915_TILING_NONE, s->width_px, s->height, 0, NULL};
    alloc_surface(s);
    alloc_surface(&plain);
    upload(s, 1);
    ok(tiles_are(s, 1), "what is uploaded is tiled", s);
    copy(&plain, s);
    ok(has_rows(&plain, 1), "the blitter reads what is uploaded", s);
    upload(&plain, 2);
    copy(s, &plain);
    ok(has_rows(s, 2), "what the blitter wrote is read back", s);
    ok(tiles_are(s, 2), "and stays", s);
    upload(s, 1);
    copy(&plain, s);
    ok(has_rows(&plain, 1), "uploads and batches take turns", s);
    drm_intel_bo_unreference(plain.bo);
}

/* No call tells the kernel of these writes. */
static void
check_unsynchronized(struct surface *s)
{
    struct surface plain = {I915_TILING_NONE, s->width_px, s->height, 0, NULL};
    alloc_surface(&plain);
    if (drm_intel_gem_bo_map_unsynchronized(s->bo))
        die("no map");
    put_rows(s, s->bo->virtual, 7);
    copy(&plain, s);
    ok(has_rows(&plain, 7), "writes without a call reach a batch", s);
    put_rows(s, s->bo->virtual, 8);
    copy(&plain, s);
    ok(has_rows(&plain, 8), "once more", s);
    drm_intel_gem_bo_unmap_gtt(s->bo);
    drm_intel_bo_unreference(plain.bo);
}

/* libdrm keeps freed objects with their maps, and tiles them anew. */
static void
check_reuse(struct surface *s)
{
    struct surface again = *s;
    void *before = map_rows(s);
    unmap_rows(s);
    uint32_t name = s->bo->handle;
    drm_intel_bo_unreference(s->bo);
    again.tiling = s->tiling == I915_TILING_X ? I915_TILING_Y : I915_TILING_X;
    alloc_surface(&again);
    int reused = again.bo->handle == (int)name && map_rows(&again) == before;
    reuses += reused;
    upload(&again, 3);
    ok(tiles_are(&again, 3),
       reused ? "the same map with another tiling" : "another object", &again);
    *s = again;
}

static void
check_prime(struct surface *s, const char *self)
{
    char fd_text[16], pitch[16], tiling[16], width[16], height[16];
    int fd, status = -1;
    upload(s, 4);
    if (drm_intel_bo_gem_export_to_prime(s->bo, &fd) || fcntl(fd, F_SETFD, 0))
        die("no descriptor");
    snprintf(fd_text, sizeof fd_text, "%d", fd);
    snprintf(pitch, sizeof pitch, "%lu", s->pitch_B);
    snprintf(tiling, sizeof tiling, "%u", s->tiling);
    snprintf(width, sizeof width, "%d", s->width_px);
    snprintf(height, sizeof height, "%d", s->height);
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        execl(self, self, fd_text, tiling, width, height, pitch, (char *)NULL);
        _exit(9);
    }
    waitpid(child, &status, 0);
    ok(!status, "another process reads it as rows", s);
    ok(has_rows(s, 5), "and what it wrote arrives", s);
    close(fd);
}

static int
other_process(char **argv)
{
    struct surface s = {(uint32_t)atoi(argv[2]), atoi(argv[3]), atoi(argv[4]),
                        strtoul(argv[5], NULL, 0), NULL};
    int fd = atoi(argv[1]);
    open_device();
    s.bo = drm_intel_bo_gem_create_from_prime(
        bufmgr, fd, (int)((unsigned long)s.height * s.pitch_B));
    if (!s.bo)
        return 2;
    if (!has_rows(&s, 4))
        return 3;
    upload(&s, 5);
    drm_intel_bo_unreference(s.bo);
    return 0;
}

int
main(int argc, char **argv)
{
    static struct surface surfaces[] = {
        {I915_TILING_X, 128, 64, 0, NULL},  {I915_TILING_X, 99, 37, 0, NULL},
        {I915_TILING_X, 1030, 63, 0, NULL}, {I915_TILING_Y, 32, 32, 0, NULL},
        {I915_TILING_Y, 99, 37, 0, NULL},   {I915_TILING_Y, 1030, 128, 0, NULL},
    };
    if (argc == 6)
        return other_process(argv);
    open_device();
    for (unsigned i = 0; i < sizeof surfaces / sizeof surfaces[0]; i++) {
        struct surface *s = &surfaces[i];
        check_copies(s);
        check_unsynchronized(s);
        check_reuse(s);
        check_prime(s, argv[0]);
        drm_intel_bo_unreference(s->bo);
    }
    printf("%sok %d - libdrm reused %d maps\n", reuses ? "" : "not ", ++tests,
           reuses);
    printf("1..%d\n", tests);
    return failures || !reuses;
}
