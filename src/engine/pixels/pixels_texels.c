/* pixels_texels.c: which texels the messages of each kernel read: a row per
 * kernel, message, format, filter and level. */
#include "engine/pixels/pixels.h"

#include "base/fork_order.h"
#include "base/known.h"
#include "engine/pixels/pixels_file.h"
#include "engine/state/stage.h"
#include "eu/profile/profile_unit.h"
#include "sampler/sampler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct {
    pthread_mutex_t lock;
    struct pixels_texels *file; /* NULL: not yet, or it cannot be made */
    bool tried;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int
read_switch(void)
{
    const char *dir = getenv("SOFTLAKE_PROFILE");
    const char *sampler = getenv("SOFTLAKE_PROFILE_SAMPLER");
    return dir && *dir && sampler && *sampler;
}

bool
pixels_has_texels(void)
{
    static atomic_int known;
    return known_int(&known, read_switch);
}

static struct pixels_texels *
find_file_locked(void)
{
    char path[4096];
    if (all.tried)
        return all.file;
    all.tried = true;
    snprintf(path, sizeof path, PIXELS_TEXELS_FORMAT,
             getenv("SOFTLAKE_PROFILE"), (unsigned long long)pixels_make_id());
    all.file = pixels_map_file(path, sizeof *all.file);
    if (!all.file)
        log_printf("profile: %s: %s; texels are not counted\n", path,
                   strerror(errno));
    return all.file;
}

static const char *const filter_names[SAMPLE_FILTERS] = {
    [SAMPLE_FILTER_NONE] = "none",
    [SAMPLE_FILTER_NEAREST] = "nearest",
    [SAMPLE_FILTER_LINEAR] = "linear",
    [SAMPLE_FILTER_ANISOTROPIC] = "anisotropic",
    [SAMPLE_FILTER_MONO] = "mono",
    [SAMPLE_FILTER_GATHER] = "gather",
};

/* What rows are told apart by. */
static struct pixels_texels_row
make_key(const struct shader_stage *stage, const char *message,
         const struct surface *s, const struct sample_taps *taps)
{
    struct pixels_texels_row key;
    memset(&key, 0, sizeof key); /* rows are compared by their bytes */
    key.kernel = stage->kernel ? eu_kernel_content_hash(stage->kernel) : 0;
    key.stage = stage->kind;
    key.simd = stage->simd;
    key.level = taps->level;
    key.levels = s->min_lod + s->mip_count_minus1 + 1u;
    snprintf(key.message, sizeof key.message, "%s", message);
    snprintf(key.format, sizeof key.format, "%s", s->fmt->name);
    snprintf(key.filter, sizeof key.filter, "%s", filter_names[taps->filter]);
    return key;
}

/* The last row is for what finds no other. */
static struct pixels_texels_row *
find_row_locked(struct pixels_texels *file, const struct pixels_texels_row *key)
{
    const size_t key_B = offsetof(struct pixels_texels_row, requests);
    const unsigned last = PIXELS_TEXELS_ROWS - 1;
    unsigned hash = (unsigned)(key->kernel ^ key->kernel >> 32) +
                    key->level * 7919u + (uint8_t)key->filter[0];
    for (unsigned n = 0; n < last; n++) {
        struct pixels_texels_row *row = &file->row[(hash + n) % last];
        if (!row->requests)
            memcpy(row, key, key_B);
        if (!memcmp(row, key, key_B))
            return row;
    }
    return &file->row[last];
}

/* Adds the entries that share the first one's level and filter, and clears
 * their texels. */
static void
add_level_locked(struct pixels_texels_row *row, struct sample_taps *taps,
                 unsigned count, uint32_t live)
{
    const uint8_t level = taps->level, filter = taps->filter;
    row->requests++;
    for (unsigned i = 0; i < count; i++) {
        if (taps[i].level != level || taps[i].filter != filter)
            continue;
        bool is_live = live >> taps[i].lane & 1;
        row->lanes += is_live;
        row->texels += is_live ? taps[i].texels : 0;
        row->minified += is_live && taps[i].minified;
        row->helper_lanes += !is_live;
        row->helper_texels += is_live ? 0 : taps[i].texels;
        taps[i].texels = 0;
    }
}

void
pixels_add_texels(const struct shader_stage *stage, const char *message,
                  const struct surface *s, struct sample_taps *taps,
                  unsigned count, uint32_t live)
{
    if (eu_profile_is_outside())
        return;
    pthread_mutex_lock(&all.lock);
    struct pixels_texels *file = find_file_locked();
    for (unsigned i = 0; file && i < count; i++) {
        if (!taps[i].texels)
            continue;
        struct pixels_texels_row key = make_key(stage, message, s, &taps[i]);
        add_level_locked(find_row_locked(file, &key), &taps[i], count - i,
                         live);
    }
    pthread_mutex_unlock(&all.lock);
}

/* ---- fork() -------------------------------------------------------------- */

/* The parent goes on with its file, the child begins with one of its own. */
static void
drop_in_child_locked(void)
{
    all.file = NULL;
    all.tried = false;
}

FORK_LOCK_DROP(FORK_TEXELS, all.lock, drop_in_child_locked)
