/* preload.c: puts the library into LD_PRELOAD. */
#include "cli/launch/launch.h"
#include "cl-layer/cl_layer_file.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIBRARY "libsoftlake.so"
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* The path of this program, also where /proc is missing. */
bool
cli_self(char *path, size_t size)
{
    char self[PATH_MAX];
    const char *start = (const char *)(uintptr_t)getauxval(AT_EXECFN);
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n > 0)
        self[n] = 0;
    else if (!start || !realpath(start, self))
        return false;
    return snprintf(path, size, "%s", self) < (int)size;
}

/* Finds a library: in that folder beside this program in a build tree, or where
 * meson installed it. */
static bool
find_library(const char *folder, const char *name, char *path, size_t size)
{
    char self[PATH_MAX];
    if (!cli_self(self, sizeof self))
        return false;
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = 0;
    const char *const places[] = {folder, SOFTLAKE_LIB_FROM_BIN};
    for (unsigned i = 0; i < ARRAY_SIZE(places); i++) {
        char candidate[PATH_MAX + 256];
        snprintf(candidate, sizeof candidate, "%s/%s/%s", self, places[i],
                 name);
        char resolved[PATH_MAX];
        if (realpath(candidate, resolved) && !access(resolved, R_OK)) {
            snprintf(path, size, "%s", resolved);
            return true;
        }
    }
    return false;
}

/* ---- paths that LD_PRELOAD would split --------------------------------- */

static uint64_t
hash_text(const char *text)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return h;
}

/* Makes a link to the library below dir. It stays for the next run. */
static bool
link_below(const char *dir, const char *library, char *path, size_t size)
{
    char target[PATH_MAX];
    struct stat st;
    snprintf(path, size, "%s/softlake-%u-%016llx", dir, (unsigned)geteuid(),
             (unsigned long long)hash_text(library));
    mkdir(path, 0755);
    /* A directory of another user cannot be trusted. */
    if (lstat(path, &st) || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
        st.st_mode & (S_IWGRP | S_IWOTH))
        return false;
    size_t n = strlen(path);
    snprintf(path + n, size - n, "%s", strrchr(library, '/'));
    if (symlink(library, path) && access(path, R_OK))
        return false;
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length <= 0)
        return false;
    target[length] = 0;
    return !strcmp(target, library);
}

static bool
without_separators(char *library, size_t size)
{
    const char *const dirs[] = {"/dev/shm", "/tmp", getenv("XDG_RUNTIME_DIR"),
                                getenv("TMPDIR")};
    char path[PATH_MAX];
    if (!strpbrk(library, ": "))
        return true;
    for (unsigned i = 0; i < ARRAY_SIZE(dirs); i++)
        if (dirs[i] && dirs[i][0] == '/' && !strpbrk(dirs[i], ": ") &&
            link_below(dirs[i], library, path, sizeof path))
            return snprintf(library, size, "%s", path) < (int)size;
    return false;
}

/* ---- together with other libraries --------------------------------------- */

/* Libraries that define mmap() and do not call the next definition. Softlake
 * maps the device, so it comes before these libraries. It comes after all
 * others, because it does not call the next mmap() either. */
static bool
goes_first(const char *others)
{
    return strstr(others, "tcmalloc");
}

/* Options of the C library and of sanitizers, unless the user has set them.
 * gcc's address sanitizer insists on being the first library, which does not
 * matter here. In the child of fork(), Mesa's exit handlers join the parent's
 * threads. If there are more than 40 MB of stacks, glibc frees them meanwhile,
 * and joining crashes. */
static const struct {
    const char *variable, *option, *value;
} options[] = {
    {"ASAN_OPTIONS", "verify_asan_link_order", "0"},
    {"GLIBC_TUNABLES", "glibc.pthread.stack_cache_size", "268435456"},
};

static void
set_options(void)
{
    for (unsigned i = 0; i < ARRAY_SIZE(options); i++) {
        const char *old = getenv(options[i].variable);
        char text[4096];
        if (old && strstr(old, options[i].option))
            continue;
        int n = snprintf(text, sizeof text, "%s=%s%s%s", options[i].option,
                         options[i].value, old && *old ? ":" : "",
                         old ? old : "");
        if (n < (int)sizeof text)
            setenv(options[i].variable, text, 1);
    }
}

const char *
cli_add_cl_layer(void)
{
    char layer[PATH_MAX];
    const char *old = getenv("OPENCL_LAYERS");
    if (old && *old)
        return "OPENCL_LAYERS is set";
    if (!find_library("../cl-layer", CL_LAYER_LIBRARY, layer, sizeof layer))
        return CL_LAYER_LIBRARY " is not where it belongs";
    if (!without_separators(layer, sizeof layer))
        return "a space or colon in the path of " CL_LAYER_LIBRARY
               ", and no place for a link to it";
    return setenv("OPENCL_LAYERS", layer, 1) ? "no memory" : NULL;
}

const char *
cli_preload(void)
{
    char library[PATH_MAX], value[PATH_MAX * 4];
    if (!find_library("../drm-shim", LIBRARY, library, sizeof library))
        return LIBRARY " is not where it belongs";
    if (!without_separators(library, sizeof library))
        return "a space or colon in the path of " LIBRARY
               ", and no place for a link to it";
    set_options();
    const char *old = getenv("LD_PRELOAD");
    if (!old || !*old)
        return setenv("LD_PRELOAD", library, 1) ? "no memory" : NULL;
    if (strstr(old, library))
        return NULL; /* nested softlake */
    bool first = goes_first(old);
    int n = snprintf(value, sizeof value, "%s:%s", first ? library : old,
                     first ? old : library);
    return n < (int)sizeof value && !setenv("LD_PRELOAD", value, 1)
               ? NULL
               : "LD_PRELOAD is too long";
}
