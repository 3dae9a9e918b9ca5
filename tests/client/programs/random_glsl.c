/* random_glsl.c: runs a random program as a compute, fragment or vertex shader
 * that reads and writes storage buffers. */
#include "random_ast.h"

#include "../../gl/gl.h"

#include <string.h>

#define SIDE_PX 8

const enum rp_language rp_device_language = RP_GLSL;
const char *const rp_device_name = "GLSL";

bool
rp_device_open(void)
{
    GLuint buffers[2], texture, framebuffer, vao;
    gl_open_core();
    glGenVertexArrays(1, &vao);
    glBindVertexArray(vao);
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, SIDE_PX, SIDE_PX);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 0);
    glViewport(0, 0, SIDE_PX, SIDE_PX);
    glGenBuffers(2, buffers);
    for (GLuint n = 0; n < 2; n++)
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, n, buffers[n]);
    return !glGetError();
}

static GLuint
stage_program(GLenum stage, const char *source)
{
    GLint ok = 0;
    GLuint program = glCreateShaderProgramv(stage, 1, &source);
    glGetProgramiv(program, GL_LINK_STATUS, &ok);
    if (ok)
        return program;
    char log[2000] = "";
    glGetProgramInfoLog(program, sizeof log, NULL, log);
    printf("# %s\n", log);
    glDeleteProgram(program);
    return 0;
}

static void
dispatch(const struct rp_program *p)
{
    switch (p->stage) {
    case RP_COMPUTE:
        glDispatchCompute(RP_INVOCATIONS / (8u << (p->seed & 3)), 1, 1);
        break;
    case RP_FRAGMENT: glDrawArrays(GL_TRIANGLES, 0, 3); break;
    default:
        glEnable(GL_RASTERIZER_DISCARD);
        glDrawArrays(GL_POINTS, 0, RP_INVOCATIONS);
        glDisable(GL_RASTERIZER_DISCARD);
        break;
    }
}

bool
rp_device_run(const struct rp_program *p, const char *source, const int64_t *in,
              int64_t *out)
{
    static const char triangle[] =
        "#version 450 core\n"
        "out gl_PerVertex { vec4 gl_Position; };\n"
        "void main() { vec2 v = vec2(gl_VertexID & 1, gl_VertexID >> 1);\n"
        "  gl_Position = vec4(v * 4.0 - 1.0, 0.0, 1.0); }\n";
    static const struct {
        GLenum shader;
        GLbitfield bit;
    } stages[RP_STAGES] = {{GL_COMPUTE_SHADER, GL_COMPUTE_SHADER_BIT},
                           {GL_FRAGMENT_SHADER, GL_FRAGMENT_SHADER_BIT},
                           {GL_VERTEX_SHADER, GL_VERTEX_SHADER_BIT}};
    const size_t out_B = RP_INVOCATIONS * RP_OUTPUTS * sizeof *out;
    GLuint pipeline, program = stage_program(stages[p->stage].shader, source);
    GLuint other = p->stage == RP_FRAGMENT
                       ? stage_program(GL_VERTEX_SHADER, triangle)
                       : 0;
    if (!program)
        return false;
    glGenProgramPipelines(1, &pipeline);
    glBindProgramPipeline(pipeline);
    glUseProgramStages(pipeline, stages[p->stage].bit, program);
    if (other)
        glUseProgramStages(pipeline, GL_VERTEX_SHADER_BIT, other);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, 0);
    GLint name;
    glGetIntegeri_v(GL_SHADER_STORAGE_BUFFER_BINDING, 0, &name);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, (GLuint)name);
    glBufferData(GL_SHADER_STORAGE_BUFFER, RP_INPUTS * sizeof *in, in,
                 GL_STREAM_DRAW);
    glGetIntegeri_v(GL_SHADER_STORAGE_BUFFER_BINDING, 1, &name);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, (GLuint)name);
    memset(out, 0, out_B);
    glBufferData(GL_SHADER_STORAGE_BUFFER, (GLsizeiptr)out_B, out,
                 GL_STREAM_READ);
    dispatch(p);
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, (GLsizeiptr)out_B, out);
    glDeleteProgramPipelines(1, &pipeline);
    glDeleteProgram(program);
    glDeleteProgram(other);
    return !glGetError();
}
