/* glbench_shade.c: depth tests, arithmetic in fragment shaders, whole fragment
 * shaders. */
#include "glbench.h"

#define LAYERS 16
#define FS_HEAVY                                                           \
    FS_HEAD "void main(){ vec4 a = vec4(uv, uv * 0.3);"                    \
            " for (int i = 0; i < 40; i++) a = a * a.yzwx + a.wzyx * 0.5;" \
            " c = a; }"

static void
draw_layers(struct bench *b, bool front_first)
{
    glClear(GL_DEPTH_BUFFER_BIT);
    for (int i = 0; i < LAYERS; i++) {
        int layer = front_first ? i : LAYERS - 1 - i;
        glUniform1f(b->location, -0.9f + 0.1f * (float)layer);
        bench_draw_quad(b);
    }
    glFlush();
}

static void
frame_front_to_back(struct bench *b)
{
    draw_layers(b, true);
}

static void
frame_back_to_front(struct bench *b)
{
    draw_layers(b, false);
}

static void
setup_no_color(struct bench *b)
{
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
}

static size_t
picture_depth(struct bench *b, float *values)
{
    glReadPixels(0, 0, TARGET_PX, TARGET_PX, GL_DEPTH_COMPONENT, GL_FLOAT,
                 values);
    return (size_t)TARGET_PX * TARGET_PX;
}

#define DEPTH(format, order)                                            \
    .unit = "Mpix/s", .work = LAYERS * TARGET_AREA_PX, .vs = VS_QUAD_Z, \
    .depth = format, .frame = frame_##order
const struct row rows_depth[] = {
    {"depth_front2back16", DEPTH(GL_DEPTH24_STENCIL8, front_to_back),
     .fs = FS_GOURAUD},
    {"depth_back2front16", DEPTH(GL_DEPTH24_STENCIL8, back_to_front),
     .fs = FS_GOURAUD},
    {"depth32f_back2front16", DEPTH(GL_DEPTH_COMPONENT32F, back_to_front),
     .fs = FS_GOURAUD},
    {"depth_front2back16_heavyfs", DEPTH(GL_DEPTH24_STENCIL8, front_to_back),
     .fs = FS_HEAVY},
    {"depth_only", DEPTH(GL_DEPTH24_STENCIL8, back_to_front), .fs = FS_GOURAUD,
     .setup = setup_no_color, .picture = picture_depth},
    {.name = NULL},
};

/* ---- arithmetic ---- */

#define FS_FMA                                                    \
    FS_HEAD "void main(){ vec4 a = vec4(uv, uv.yx), b = a * 0.5;" \
            " for (int i = 0; i < 50; i++){"                      \
            " a = a * b + b; b = b * a.yzwx + a; } c = a + b; }"
#define FS_FMA_CHAIN                                          \
    FS_HEAD "void main(){ float a = uv.x, b = uv.y;"          \
            " for (int i = 0; i < 200; i++) a = a * b + 0.5;" \
            " c = vec4(a); }"
#define FS_MANDEL(area)                                               \
    FS_HEAD "void main(){ vec2 z = vec2(0), p = " area "; int n = 0;" \
            " for (int i = 0; i < 256; i++){"                         \
            " float x = z.x * z.x - z.y * z.y + p.x;"                 \
            " z.y = 2.0 * z.x * z.y + p.y; z.x = x;"                  \
            " if (dot(z, z) > 4.0) break; n++; }"                     \
            " c = vec4(float(n) / 256.0); }"
#define FS_TRANSCENDENTAL                                         \
    FS_HEAD "void main(){ float a = uv.x + 0.1, b = uv.y + 0.1;"  \
            " for (int i = 0; i < 8; i++){ a = sin(a) + exp2(b);" \
            " b = log2(abs(a) + 1.0) * inversesqrt(b + 1.0);"     \
            " a = pow(abs(b) + 0.1, 1.3) + cos(a); }"             \
            " c = vec4(a, b, a, 1); }"
#define FS_HASH                                                  \
    FS_HEAD "void main(){ uint a = uint(gl_FragCoord.x) * 1973u" \
            " + uint(gl_FragCoord.y) * 9277u;"                   \
            " for (int i = 0; i < 32; i++){"                     \
            " a = (a ^ (a >> 15)) * 0x2c1b3c6du;"                \
            " a = (a ^ (a >> 12)) + (a << 3); }"                 \
            " c = vec4(float(a & 255u) / 255.0); }"
#define FS_BRANCH                                                     \
    FS_HEAD "void main(){ vec3 a = vec3(uv, 0.5);"                    \
            " for (int i = 0; i < 32; i++){"                          \
            " if (fract(a.x * 7.0) > 0.5) { a.y = a.y * 1.1 + 0.1; }" \
            " else { a.z = sqrt(a.z + 1.0); }"                        \
            " a.x = a.x * 1.3 + 0.2; } c = vec4(a, 1); }"
#define FS_DERIVATIVES                            \
    FS_HEAD "void main(){ float a = uv.x * uv.y;" \
            " for (int i = 0; i < 8; i++)"        \
            " a += dFdx(a) * 0.3 + dFdy(a) * 0.2 + 0.1; c = vec4(a); }"
#define FS_UBO                                                   \
    FS_HEAD "layout(std140) uniform B { vec4 v[64]; };"          \
            "void main(){ vec4 a = vec4(0);"                     \
            " for (int i = 0; i < 64; i++) a += v[i] * uv.xyxy;" \
            " c = a * 0.05; }"
#define FS_DISCARD                                                \
    FS_HEAD "void main(){ if (fract(uv.x * 64.0) > 0.5) discard;" \
            " c = vec4(uv, 0, 1); }"
/* A private array whose lanes use elements of their own. size: a power of 2. */
#define FS_PRIVATE(size)                                                 \
    FS_HEAD "void main(){ ivec2 p = ivec2(gl_FragCoord.xy);"             \
            " const int n = " size "; float a[n], s = 0.0;"              \
            " for (int i = 0; i < n; i++) a[i] = float((i ^ p.x) & 15);" \
            " for (int k = 0; k < 100; k++){"                            \
            " int j = (k * 17 + p.y) & (n - 1);"                         \
            " a[j] = a[(j + p.x) & (n - 1)] + 1.0; }"                    \
            " for (int i = 0; i < n; i++) s += a[i];"                    \
            " c = vec4(fract(s / 256.0)); }"
#define FS_PHONG                                                      \
    FS_HEAD "void main(){ vec3 n = normalize(vec3(uv - 0.5, 0.7));"   \
            " float d = max(dot(n, normalize(vec3(0.3, 0.4, 0.8)"     \
            " - vec3(uv, 0))), 0.0);"                                 \
            " float s = pow(max(dot(n, normalize(vec3(0.1, 0.2, 0.9)" \
            " + vec3(uv, 1))), 0.0), 32.0);"                          \
            " c = vec4(vec3(0.1, 0.2, 0.3) * d + s, 1); }"
#define FS_BLUR9                                                   \
    FS_HEAD "uniform sampler2D s; void main(){ vec4 a = vec4(0);"  \
            " for (int y = -1; y <= 1; y++)"                       \
            " for (int x = -1; x <= 1; x++)"                       \
            " a += texture(s, uv + vec2(x, y) * 0.00147) * 0.111;" \
            " c = a; }"
#define FS_PBR                                                          \
    FS_HEAD "uniform sampler2D s, s2, s3; uniform vec4 lights[8];"      \
            "vec3 light(vec3 n, vec3 p, vec4 a, float r){"              \
            " vec3 d = a.xyz - p;"                                      \
            " float q = inversesqrt(dot(d, d) + 0.01);"                 \
            " vec3 h = normalize(d * q + vec3(0, 0, 1));"               \
            " float nl = max(dot(n, d * q), 0.0);"                      \
            " float nh = max(dot(n, h), 0.0);"                          \
            " float al = r * r;"                                        \
            " float D = al / (3.14 *"                                   \
            " pow(nh * nh * (al - 1.0) + 1.0, 2.0));"                   \
            " return vec3(nl * (D * 0.25 + 0.3)) * a.w; }"              \
            "void main(){ vec4 t = texture(s, uv),"                     \
            " u = texture(s2, uv.yx), v = texture(s3, uv * 2.0);"       \
            " vec3 n = normalize(u.xyz * 2.0 - 1.0); vec3 a = vec3(0);" \
            " for (int i = 0; i < 8; i++)"                              \
            " a += light(n, vec3(uv, 0), lights[i], v.x);"              \
            " c = vec4(t.xyz * a, t.w); if (v.w < 0.0001) discard; }"

static void
setup_lights(struct bench *b)
{
    float lights[32];
    for (int i = 0; i < 32; i++)
        lights[i] = (float)(i * 37 % 11) / 11.0f;
    glUniform4fv(glGetUniformLocation(b->program, "lights"), 8, lights);
}

#define ALU(what, per_pixel) \
    .unit = what, .work = (per_pixel)*TARGET_AREA_PX, .quads = 1
#define TEXTURED .texture = {GL_RGBA8, 1024, GL_LINEAR, GL_LINEAR, false}
const struct row rows_alu[] = {
    {"alu_fma_vec4", ALU("GFLOP/s", 50 * 16.0), .fs = FS_FMA},
    {"alu_fma_chain", ALU("GFLOP/s", 400.0), .fs = FS_FMA_CHAIN},
    {"alu_mandel_uniform", ALU("GFLOP/s", 256 * 10.0),
     .fs = FS_MANDEL("uv * 0.2 - 0.1")},
    {"alu_mandel_divergent", ALU("Mpix/s", 1.0),
     .fs = FS_MANDEL("uv * 3.0 - vec2(2.2, 1.5)")},
    {"alu_transcendental", ALU("Gtrans/s", 48.0), .fs = FS_TRANSCENDENTAL},
    {"alu_int_hash", ALU("Giop/s", 32 * 7.0), .fs = FS_HASH},
    {"alu_branch_div", ALU("GFLOP/s", 32 * 7.0), .fs = FS_BRANCH},
    {"alu_derivatives", ALU("Gderivpair/s", 8.0), .fs = FS_DERIVATIVES},
    {"alu_ubo", ALU("GFLOP/s", 64 * 8.0), .fs = FS_UBO,
     .buffers = {{.size_B = 1024}}},
    {"alu_private16", ALU("Gaccess/s", 200.0), .fs = FS_PRIVATE("16")},
    {"alu_private32", ALU("Gaccess/s", 200.0), .fs = FS_PRIVATE("32")},
    {"alu_private64", ALU("Gaccess/s", 200.0), .fs = FS_PRIVATE("64")},
    {"alu_discard", ALU("Mpix/s", 1.0), .fs = FS_DISCARD},
    {"fs_pbr8_3tex", ALU("Mpix/s", 1.0), .fs = FS_PBR, TEXTURED,
     .setup = setup_lights},
    {"fs_blur9", ALU("Mpix/s", 1.0), .fs = FS_BLUR9, TEXTURED},
    {"fs_phong", ALU("Mpix/s", 1.0), .fs = FS_PHONG},
    {.name = NULL},
};
