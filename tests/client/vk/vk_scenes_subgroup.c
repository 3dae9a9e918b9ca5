/* vk_scenes_subgroup.c: subgroups of every size that the device allows. The
 * driver distributes invocations to lanes. The expected results follow from
 * that, and are computed here. */
#include "vk_scene.h"

#include <string.h>

#include "vk_scenes_subgroup_shaders.h"

enum { INVOCATIONS = 512, OUTS = 11 };

struct row {
    uint32_t value, subgroup, lane, size, active, out[OUTS];
};

/* The rows of one subgroup by lane, NULL where there is none. */
struct subgroup {
    const struct row *lanes[32];
    uint32_t size, active, any;
};

static struct subgroup
subgroup_of(const struct row *rows, uint32_t id)
{
    struct subgroup s = {.size = 0};
    for (uint32_t i = 0; i < INVOCATIONS; i++) {
        const struct row *r = &rows[i];
        if (r->subgroup != id)
            continue;
        if (r->lane >= 32 || s.lanes[r->lane])
            vk_die("invocation %u: lane %u twice or beyond", i, r->lane);
        s.lanes[r->lane] = r;
        s.size = r->size;
        s.any |= 1u << r->lane;
        s.active |= r->active;
    }
    return s;
}

static void
want(const struct subgroup *s, uint32_t lane, int out, uint32_t value)
{
    uint32_t got = s->lanes[lane]->out[out];
    if (got != value)
        vk_die("size %u, lane %u, result %d: %x, not %x", s->size, lane, out,
               got, value);
}

/* Checks one active lane; `active` are all of them. */
typedef void check_lane(const struct subgroup *s, uint32_t lane);

#define EACH_ACTIVE(s, i)             \
    for (uint32_t i = 0; i < 32; i++) \
        if ((s)->active >> i & 1)

static void
check_vote(const struct subgroup *s, uint32_t lane)
{
    uint32_t all = 1, any = 0, ones = 0, zeros = 0;
    EACH_ACTIVE(s, i)
    {
        uint32_t v = s->lanes[i]->value;
        all &= (v & 7) != 5;
        any |= (v & 63) == 9;
        ones |= (v & 4) != 0;
        zeros |= (v & 4) == 0;
    }
    want(s, lane, 0, all);
    want(s, lane, 1, any);
    want(s, lane, 2, !(ones && zeros));
    want(s, lane, 3, lane == (uint32_t)__builtin_ctz(s->active));
}

static void
check_ballot(const struct subgroup *s, uint32_t lane)
{
    uint32_t b = 0, below = (1u << lane) - 1;
    EACH_ACTIVE(s, i) b |= (s->lanes[i]->value >> 4 & 1) << i;
    uint32_t first = (uint32_t)__builtin_ctz(s->active);
    uint32_t all = s->size == 32 ? UINT32_MAX : (1u << s->size) - 1;
    want(s, lane, 0, b);
    want(s, lane, 1, (uint32_t)__builtin_popcount(b));
    want(s, lane, 2, (uint32_t)__builtin_popcount(b & (below | 1u << lane)));
    want(s, lane, 3, (uint32_t)__builtin_popcount(b & below));
    want(s, lane, 4, s->lanes[first]->value);
    want(s, lane, 5, first);
    want(s, lane, 6, 31 - (uint32_t)__builtin_clz(s->active));
    want(s, lane, 7, b >> lane & 1);
    want(s, lane, 8, below);
    want(s, lane, 9, ~below & all);
}

static void
check_arithmetic(const struct subgroup *s, uint32_t lane)
{
    uint32_t sum = 0, least = UINT32_MAX, bits = 0, common = UINT32_MAX;
    uint32_t product = 1, until = 0, most_below = 0, ors = 0, least_short = ~0u;
    int32_t most = INT32_MIN;
    EACH_ACTIVE(s, i)
    {
        uint32_t v = s->lanes[i]->value;
        sum += v;
        least = v < least ? v : least;
        most = (int32_t)v > most ? (int32_t)v : most;
        bits ^= v;
        common &= v | 0xff00ff00;
        product *= v | 1;
        least_short = v >> 8 < least_short ? v >> 8 : least_short;
        if (i < lane && v > most_below)
            most_below = v;
        if (i <= lane) {
            until += v;
            ors |= v & 0x11111111;
        }
    }
    float f = (float)least_short;
    uint32_t float_bits;
    memcpy(&float_bits, &f, sizeof f);
    const uint32_t all[OUTS] = {sum,
                                least,
                                (uint32_t)most,
                                bits,
                                common,
                                until,
                                most_below,
                                product,
                                float_bits,
                                ors,
                                until - s->lanes[lane]->value};
    for (int i = 0; i < OUTS; i++)
        want(s, lane, i, all[i]);
}

static void
check_shuffle(const struct subgroup *s, uint32_t lane)
{
    uint32_t v = s->lanes[lane]->value;
    want(s, lane, 0, s->lanes[(lane * 5 + 3) % 8]->value);
    want(s, lane, 1, s->lanes[lane ^ 5]->value);
    want(s, lane, 2, lane >= 3 ? s->lanes[lane - 3]->value : 0);
    want(s, lane, 3, s->lanes[6]->value);
    want(s, lane, 4, lane + 2 < 8 ? s->lanes[lane + 2]->value : 0);
    want(s, lane, 5, UINT32_MAX);
    want(s, lane, 6, s->lanes[v % 8]->value);
}

static void
check_quad(const struct subgroup *s, uint32_t lane)
{
    uint32_t four = 0, least = UINT32_MAX;
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t v = s->lanes[(lane & ~7u) + i]->value;
        four += i / 4 == lane % 8 / 4 ? v : 0;
        least = v < least ? v : least;
    }
    want(s, lane, 0, s->lanes[lane ^ 1]->value);
    want(s, lane, 1, s->lanes[lane ^ 2]->value);
    want(s, lane, 2, s->lanes[lane ^ 3]->value);
    want(s, lane, 3, s->lanes[(lane & ~3u) | 2]->value);
    want(s, lane, 4, four);
    want(s, lane, 5, least);
    want(s, lane, 6, s->lanes[lane & ~1u]->value ^ s->lanes[lane | 1]->value);
}

static void
check_rows(const struct row *rows, uint32_t size, check_lane *check)
{
    uint32_t seen = 0;
    for (uint32_t id = 0; id < INVOCATIONS; id++) {
        struct subgroup s = subgroup_of(rows, id);
        if (!s.any)
            continue;
        if (s.size != size)
            vk_die("a subgroup has size %u, not %u", s.size, size);
        for (uint32_t lane = 0; lane < 32; lane++) {
            if (!(s.any >> lane & 1))
                continue;
            seen++;
            if (s.lanes[lane]->active && s.lanes[lane]->active != s.active)
                vk_die("lane %u sees others active", lane);
            if (s.lanes[lane]->active)
                check(&s, lane);
        }
    }
    if (seen != INVOCATIONS)
        vk_die("%u invocations", seen);
}

static VkPipeline
sized_pipeline(struct vk *vk, const struct vk_layout *layout,
               const struct vk_spirv *shader, uint32_t size)
{
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required = {
        .sType =
            VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
        .requiredSubgroupSize = size};
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage =
            {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
             .pNext = &required,
             .flags =
                 VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT,
             .stage = shader->stage,
             .module = vk_module(vk, shader),
             .pName = "main"},
        .layout = layout->layout};
    VkPipeline pipeline;
    VK(vkCreateComputePipelines(vk->device, VK_NULL_HANDLE, 1, &info, NULL,
                                &pipeline));
    return pipeline;
}

static VkPhysicalDeviceVulkan13Properties
subgroup_sizes(const struct vk *vk, VkSubgroupFeatureFlags operations)
{
    VkPhysicalDeviceVulkan13Properties v13 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES};
    VkPhysicalDeviceVulkan11Properties v11 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES,
        .pNext = &v13};
    VkPhysicalDeviceProperties2 p = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &v11};
    vkGetPhysicalDeviceProperties2(vk->physical, &p);
    vk_need((v11.subgroupSupportedOperations & operations) == operations &&
                v13.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT,
            "these subgroup operations");
    return v13;
}

/* The picture has one texel per invocation and size: a hash of it. All results
 * are checked. */
static void
subgroups(struct vk *vk, const struct vk_spirv *shader, check_lane *check,
          VkSubgroupFeatureFlags operations, uint8_t *rgba)
{
    VkPhysicalDeviceVulkan13Properties sizes = subgroup_sizes(vk, operations);
    for (uint32_t size = sizes.minSubgroupSize; size <= sizes.maxSubgroupSize;
         size *= 2) {
        struct vk_buffer rows = vk_buffer(vk, INVOCATIONS * sizeof(struct row),
                                          NULL);
        const struct vk_binding b = {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                     .buffer = &rows};
        struct vk_layout layout = vk_layout(vk, &b, 1);
        vk_dispatch(vk, &layout, sized_pipeline(vk, &layout, shader, size),
                    INVOCATIONS / 64, 1, 1);
        vk_finish(vk);
        check_rows(rows.map, size, check);
        for (uint32_t i = 0; i < INVOCATIONS; i++)
            memcpy(rgba + i * 4, &((const struct row *)rows.map)[i].value, 4);
    }
}

static void
subgroup_vote(struct vk *vk, uint8_t *rgba)
{
    subgroups(vk, &vote_comp, check_vote, VK_SUBGROUP_FEATURE_VOTE_BIT, rgba);
}

static void
subgroup_ballot(struct vk *vk, uint8_t *rgba)
{
    subgroups(vk, &ballot_comp, check_ballot, VK_SUBGROUP_FEATURE_BALLOT_BIT,
              rgba);
}

static void
subgroup_arithmetic(struct vk *vk, uint8_t *rgba)
{
    subgroups(vk, &arithmetic_comp, check_arithmetic,
              VK_SUBGROUP_FEATURE_ARITHMETIC_BIT, rgba);
}

static void
subgroup_shuffle(struct vk *vk, uint8_t *rgba)
{
    subgroups(vk, &shuffle_comp, check_shuffle,
              VK_SUBGROUP_FEATURE_SHUFFLE_BIT |
                  VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT,
              rgba);
}

static void
subgroup_quad(struct vk *vk, uint8_t *rgba)
{
    subgroups(vk, &quad_comp, check_quad,
              VK_SUBGROUP_FEATURE_QUAD_BIT | VK_SUBGROUP_FEATURE_CLUSTERED_BIT,
              rgba);
}

const struct vk_scene vk_scenes_subgroup[] = {
    {.name = "subgroup-vote", .draw = subgroup_vote},
    {.name = "subgroup-ballot", .draw = subgroup_ballot},
    {.name = "subgroup-arithmetic", .draw = subgroup_arithmetic},
    {.name = "subgroup-shuffle", .draw = subgroup_shuffle},
    {.name = "subgroup-quad", .draw = subgroup_quad},
    {.name = NULL},
};
