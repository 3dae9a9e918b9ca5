/* shared_clear.c: two processes take turns with an image whose modifier has
 * CCS: one process clears it repeatedly and the other one reads it, and vice
 * versa. Both must see the colours that OpenGL promises. TAP. */
#include "../../gl/gl.h"

#include <fcntl.h>
#include <gbm.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE 256
#define ROUNDS 8
#define FOURCC_AB24 0x34324241u
#define MOD_INTEL(n) ((uint64_t)1 << 56 | (n))
#define MOD_Y_TILED MOD_INTEL(2)
#define MOD_Y_TILED_CCS MOD_INTEL(4)

static const uint64_t modifiers[] = {MOD_Y_TILED_CCS, MOD_Y_TILED};

struct image {
    uint64_t modifier;
    int planes;
    uint32_t stride_B[4], offset_B[4];
};

/* ---- between processes ---- */

static void
send_image(int to, const struct image *im, int fd)
{
    char room[CMSG_SPACE(sizeof fd)] = {0};
    struct iovec iov = {(void *)im, sizeof *im};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = room,
                         .msg_controllen = sizeof room};
    struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(c), &fd, sizeof fd);
    if (sendmsg(to, &msg, 0) != (ssize_t)sizeof *im)
        gl_die("sendmsg", "failed");
}

static int
receive_image(int from, struct image *im)
{
    int fd;
    char room[CMSG_SPACE(sizeof fd)];
    struct iovec iov = {im, sizeof *im};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = room,
                         .msg_controllen = sizeof room};
    if (recvmsg(from, &msg, 0) != (ssize_t)sizeof *im || !CMSG_FIRSTHDR(&msg))
        gl_die("recvmsg", "failed");
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof fd);
    return fd;
}

static void
tell(int to, uint32_t what)
{
    if (write(to, &what, sizeof what) != (ssize_t)sizeof what)
        gl_die("write", "the other process is gone");
}

static uint32_t
hear(int from)
{
    uint32_t what;
    if (read(from, &what, sizeof what) != (ssize_t)sizeof what)
        gl_die("read", "the other process is gone");
    return what;
}

/* ---- drawing ------------------------------------------------------------- */

static GLuint
import_image(const struct image *im, int fd)
{
    EGLint a[64] = {
        EGL_WIDTH,          SIZE, EGL_HEIGHT, SIZE, EGL_LINUX_DRM_FOURCC_EXT,
        (EGLint)FOURCC_AB24};
    static const EGLint plane[4][5] = {
        {EGL_DMA_BUF_PLANE0_FD_EXT, EGL_DMA_BUF_PLANE0_OFFSET_EXT,
         EGL_DMA_BUF_PLANE0_PITCH_EXT, EGL_DMA_BUF_PLANE0_MODIFIER_LO_EXT,
         EGL_DMA_BUF_PLANE0_MODIFIER_HI_EXT},
        {EGL_DMA_BUF_PLANE1_FD_EXT, EGL_DMA_BUF_PLANE1_OFFSET_EXT,
         EGL_DMA_BUF_PLANE1_PITCH_EXT, EGL_DMA_BUF_PLANE1_MODIFIER_LO_EXT,
         EGL_DMA_BUF_PLANE1_MODIFIER_HI_EXT},
    };
    unsigned n = 6;
    for (int i = 0; i < im->planes && i < 2; i++) {
        const EGLint value[5] = {
            fd, (EGLint)im->offset_B[i], (EGLint)im->stride_B[i],
            (EGLint)(uint32_t)im->modifier, (EGLint)(im->modifier >> 32)};
        for (unsigned k = 0; k < 5; k++) {
            a[n++] = plane[i][k];
            a[n++] = value[k];
        }
    }
    a[n] = EGL_NONE;
    EGLImageKHR image = eglCreateImageKHR(
        eglGetCurrentDisplay(), EGL_NO_CONTEXT, EGL_LINUX_DMA_BUF_EXT, NULL, a);
    if (!image)
        gl_die("import", "refused");
    GLuint t, fbo;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glEGLImageTargetTexture2DOES(GL_TEXTURE_2D, image);
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                           t, 0);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        gl_die("framebuffer", "incomplete");
    return fbo;
}

static uint32_t
color_of(unsigned n)
{
    return n * 0x3507b1u ^ 0xff000000u;
}

static void
clear_to(uint32_t rgba)
{
    glClearColor((rgba & 255) / 255.0f, (rgba >> 8 & 255) / 255.0f,
                 (rgba >> 16 & 255) / 255.0f, (rgba >> 24) / 255.0f);
    glClear(GL_COLOR_BUFFER_BIT);
}

/* Clears twice, the second time to this colour; part of the first clear
 * remains. */
static void
draw(unsigned n)
{
    clear_to(color_of(n + 100));
    clear_to(color_of(n + 200));
    if (n & 1) {
        glEnable(GL_SCISSOR_TEST);
        glScissor(0, 0, SIZE / 2 + 3, SIZE);
    }
    clear_to(color_of(n));
    glDisable(GL_SCISSOR_TEST);
    glFinish();
}

/* Whether the image holds that colour. */
static uint32_t
looks_right(unsigned n)
{
    static uint32_t texels[SIZE * SIZE];
    glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    for (unsigned i = 0; i < SIZE * SIZE; i++) {
        bool other = n & 1 && i % SIZE >= SIZE / 2 + 3;
        if (texels[i] != color_of(other ? n + 200 : n))
            return 0;
    }
    return 1;
}

static int
run_child(int parent)
{
    struct image im;
    int fd = receive_image(parent, &im);
    gl_open_core();
    import_image(&im, fd);
    for (unsigned n = 0; n < ROUNDS; n++) {
        hear(parent);
        tell(parent, looks_right(2 * n + 1));
        draw(2 * n + 2);
        tell(parent, 0);
    }
    return 0;
}

static int
allocate(struct gbm_device *gbm, uint64_t modifier, struct image *im)
{
    struct gbm_bo *bo = gbm_bo_create_with_modifiers(gbm, SIZE, SIZE,
                                                     FOURCC_AB24, &modifier, 1);
    if (!bo)
        return -1;
    *im = (struct image){.modifier = gbm_bo_get_modifier(bo),
                         .planes = gbm_bo_get_plane_count(bo)};
    for (int i = 0; i < im->planes && i < 4; i++) {
        im->stride_B[i] = gbm_bo_get_stride_for_plane(bo, i);
        im->offset_B[i] = gbm_bo_get_offset(bo, i);
    }
    return gbm_bo_get_fd(bo);
}

/* The parent initialises GL after the child has its memory: each has its own.
 */
static void
run_modifier(unsigned at, struct gbm_device *gbm, int child)
{
    struct image im;
    int fd = allocate(gbm, modifiers[at], &im);
    if (fd < 0) {
        printf("ok %u - modifier %#llx # SKIP not offered\n", at + 1,
               (unsigned long long)modifiers[at]);
        return;
    }
    send_image(child, &im, fd);
    GLuint fbo = import_image(&im, fd);
    unsigned wrong = 0;
    for (unsigned n = 0; n < ROUNDS; n++) {
        glBindFramebuffer(GL_FRAMEBUFFER, fbo);
        draw(2 * n + 1);
        tell(child, 0);
        wrong += !hear(child);
        hear(child);
        wrong += !looks_right(2 * n + 2);
    }
    printf("%s %u - modifier %#llx, %d planes: %u of %u looks wrong\n",
           wrong ? "not ok" : "ok", at + 1, (unsigned long long)im.modifier,
           im.planes, wrong, 2 * ROUNDS);
}

int
main(void)
{
    const unsigned count = sizeof modifiers / sizeof modifiers[0];
    int link[2][2];
    for (unsigned i = 0; i < count; i++) {
        if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, link[i]))
            gl_die("socketpair", "failed");
        fflush(stdout);
        pid_t pid = fork();
        if (!pid) {
            close(link[i][0]);
            return run_child(link[i][1]);
        }
        close(link[i][1]);
    }
    int fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    struct gbm_device *gbm = fd < 0 ? NULL : gbm_create_device(fd);
    if (!gbm)
        gl_die("gbm", "no device");
    gl_open_core();
    printf("1..%u\n", count);
    for (unsigned i = 0; i < count; i++) {
        run_modifier(i, gbm, link[i][0]);
        close(link[i][0]);
    }
    fflush(stdout);
    while (wait(NULL) > 0)
        ;
    return 0;
}
