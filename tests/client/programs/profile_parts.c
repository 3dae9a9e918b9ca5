/* profile_parts.c: work in parts, for profiles of some of them.
 *
 * usage: profile_parts STEP...
 *   draw:N     N draws of a triangle that covers 64x64 pixels, submitted
 *              together
 *   flip       shows a frame on the display
 *   WORD       writes the word, as pause, to the FIFO $PARTS_FIFO
 *
 * See run_parts.py. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xf86drm.h>
#include <xf86drmMode.h>

#include "../../gl/gl.h"

#define SIZE 64

static void
check(int failed, const char *what)
{
    if (!failed)
        return;
    perror(what);
    exit(3);
}

/* ---- the display --------------------------------------------------------- */

static struct {
    int fd;
    uint32_t crtc, connector, fb[2];
    drmModeModeInfo mode;
    unsigned flips;
} display = {.fd = -1};

static uint32_t
make_fb(void)
{
    uint32_t handle, pitch, fb;
    uint64_t size_B;
    check(drmModeCreateDumbBuffer(display.fd, display.mode.hdisplay,
                                  display.mode.vdisplay, 32, 0, &handle, &pitch,
                                  &size_B),
          "dumb buffer");
    check(drmModeAddFB(display.fd, display.mode.hdisplay, display.mode.vdisplay,
                       24, 32, pitch, handle, &fb),
          "frame buffer");
    return fb;
}

static void
open_display(void)
{
    display.fd = open("/dev/dri/card0", O_RDWR | O_CLOEXEC);
    drmModeRes *res = display.fd < 0 ? NULL : drmModeGetResources(display.fd);
    check(!res || !res->count_crtcs || !res->count_connectors, "display");
    display.crtc = res->crtcs[0];
    display.connector = res->connectors[0];
    drmModeConnector *c = drmModeGetConnector(display.fd, display.connector);
    check(!c || !c->count_modes, "connector");
    display.mode = c->modes[0];
    drmModeFreeConnector(c);
    drmModeFreeResources(res);
    display.fb[0] = make_fb();
    display.fb[1] = make_fb();
}

static void
on_flip(int fd, unsigned sequence, unsigned s, unsigned us, void *data)
{
    (void)fd, (void)sequence, (void)s, (void)us, (void)data;
}

static void
flip(void)
{
    drmEventContext events = {.version = 2, .page_flip_handler = on_flip};
    if (display.fd < 0)
        open_display();
    uint32_t fb = display.fb[display.flips % 2];
    if (!display.flips++) {
        check(drmModeSetCrtc(display.fd, display.crtc, fb, 0, 0,
                             &display.connector, 1, &display.mode),
              "first frame");
        return;
    }
    check(drmModePageFlip(display.fd, display.crtc, fb,
                          DRM_MODE_PAGE_FLIP_EVENT, NULL),
          "frame");
    check(drmHandleEvent(display.fd, &events), "event");
}

/* ---- draws --------------------------------------------------------------- */

static void
make_target(void)
{
    GLuint fbo, color, vertices;
    glGenVertexArrays(1, &vertices);
    glBindVertexArray(vertices);
    glGenFramebuffers(1, &fbo);
    glGenRenderbuffers(1, &color);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glBindRenderbuffer(GL_RENDERBUFFER, color);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, SIZE, SIZE);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                              GL_RENDERBUFFER, color);
    glViewport(0, 0, SIZE, SIZE);
}

static void
draw(int count)
{
    for (int i = 0; i < count; i++)
        glDrawArrays(GL_TRIANGLES, 0, 3);
    glFinish();
}

/* The sine tells the shader from the driver's own. */
static const char vs[] =
    "#version 430 core\n"
    "void main() { gl_Position = vec4(gl_VertexID == 1 ? 3 : -1,\n"
    "                                 gl_VertexID == 2 ? 3 : -1, 0, 1); }\n";
static const char fs[] = "#version 430 core\n"
                         "layout(location = 0) out vec4 c;\n"
                         "void main() { c = vec4(sin(gl_FragCoord.x)); }\n";

static void
tell(const char *word)
{
    const char *path = getenv("PARTS_FIFO");
    int fd = path ? open(path, O_WRONLY | O_CLOEXEC) : -1;
    check(fd < 0 || dprintf(fd, "%s\n", word) < 0, "PARTS_FIFO");
    close(fd);
}

int
main(int argc, char **argv)
{
    gl_open_core();
    make_target();
    glUseProgram(gl_program(vs, fs));
    for (int i = 1; i < argc; i++) {
        if (!strncmp(argv[i], "draw:", 5))
            draw(atoi(argv[i] + 5));
        else if (!strcmp(argv[i], "flip"))
            flip();
        else
            tell(argv[i]);
    }
    return 0;
}
