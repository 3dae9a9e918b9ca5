/* soak_gl.c: frames and kernels by the million, through the stock GL driver.
 *
 * usage: soak_gl frames|kernels COUNT; run by scripts/soak */
#include "../gl/gl.h"
#include "soak.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_PX 32
#define IN_FLIGHT 4 /* frames */

static const char vs[] =
    "#version 430\n"
    "void main() { gl_Position = vec4(gl_VertexID & 1, gl_VertexID >> 1, 0, 1) "
    "* 4.0 - vec4(1, 1, 0, 3); }";

static void
make_target(void)
{
    GLuint texture, fbo;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, SIZE_PX, SIZE_PX);
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                           texture, 0);
    glViewport(0, 0, SIZE_PX, SIZE_PX);
    GLuint vao;
    glGenVertexArrays(1, &vao);
    glBindVertexArray(vao);
}

/* Red, of the pixel in the middle. */
static unsigned
read_red(void)
{
    unsigned char pixel[4];
    glReadPixels(SIZE_PX / 2, SIZE_PX / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE,
                 pixel);
    return pixel[0];
}

/* Waits for the frame IN_FLIGHT before this one, as a swap chain does. The
 * driver keeps a batch buffer for each frame that it was ever ahead: without
 * the bound, how far that is depends on the machine's load, and a change of
 * load looks like a leak. */
static void
limit_frames_in_flight(unsigned i)
{
    static GLsync fences[IN_FLIGHT];
    GLsync *fence = &fences[i % IN_FLIGHT];
    if (*fence) {
        glClientWaitSync(*fence, GL_SYNC_FLUSH_COMMANDS_BIT,
                         GL_TIMEOUT_IGNORED);
        glDeleteSync(*fence);
    }
    *fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
}

static int frame_color;

static bool
draw_frame(unsigned i)
{
    unsigned red = i % 256;
    glUniform1f(frame_color, (float)red / 255);
    glClear(GL_COLOR_BUFFER_BIT);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    limit_frames_in_flight(i);
    glFlush();
    if (i % 64 == 0 && read_red() != red)
        return false;
    return true;
}

/* A program that no other step has. */
static bool
draw_kernel(unsigned i)
{
    char fs[256];
    unsigned red = i % 256;
    snprintf(fs, sizeof fs,
             "#version 430\n"
             "out vec4 c; void main() { float x = gl_FragCoord.x * %u.0; "
             "c = vec4(%u.0 / 255.0, fract(x), 0, 1); }",
             i + 1, red);
    GLuint program = gl_program(vs, fs);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    bool good = read_red() == red;
    glUseProgram(0);
    glDeleteProgram(program);
    return good;
}

static void
prepare_frames(void)
{
    GLuint program = gl_program(vs, "#version 430\n"
                                    "uniform float red; out vec4 c;"
                                    "void main() { c = vec4(red, 0, 0, 1); }");
    frame_color = glGetUniformLocation(program, "red");
}

int
main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    bool frames = !strcmp(argv[1], "frames");
    gl_open_core();
    make_target();
    if (frames)
        prepare_frames();
    return !soak_run((unsigned)atoi(argv[2]), frames ? draw_frame : draw_kernel,
                     glFinish);
}
