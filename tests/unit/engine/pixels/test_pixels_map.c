/* test_pixels_map.c: which targets share a picture of the overdraw. */
#include "engine/pixels/pixels.h"
#include "engine/state/stage.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <stdlib.h>
#include <unistd.h>

static char dir[] = "/tmp/softlake-maps-XXXXXX";
static uint8_t space[2][64]; /* in two address spaces */

static void
setup(void)
{
    cr_assert_not_null(mkdtemp(dir));
    setenv("SOFTLAKE_PROFILE", dir, 1);
    setenv("SOFTLAKE_PROFILE_OVERDRAW", "1", 1);
}

/* Removes the pictures; returns their number. */
static size_t
remove_files(void)
{
    char pattern[64];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/overdraw.*", dir);
    if (glob(pattern, 0, NULL, &found))
        return 0;
    size_t count = found.gl_pathc;
    for (size_t i = 0; i < count; i++)
        unlink(found.gl_pathv[i]);
    globfree(&found);
    return count;
}

static void
teardown(void)
{
    remove_files();
    rmdir(dir);
}

TestSuite(pixels_map, .init = setup, .fini = teardown);

static struct surface
target(unsigned space_index)
{
    return (struct surface){.type = SURFACE_2D,
                            .fmt = format_info(0x0c7 /* RGBA8 */),
                            .base_va = 0x100000,
                            .mem = space[space_index],
                            .width = 16,
                            .height = 16,
                            .samples = 1};
}

Test(pixels_map, address_spaces_share_no_picture)
{
    const struct surface a = target(0), b = target(1);
    uint16_t *first = pixels_map_find(&a), *second = pixels_map_find(&b);
    cr_assert_not_null(first);
    cr_assert_not_null(second);
    cr_assert_neq(first, second);
    cr_assert_eq(pixels_map_find(&a), first);
    cr_assert_eq(pixels_map_find(&b), second);
    cr_assert_eq(remove_files(), 2);
}

Test(pixels_map, there_is_none_after_a_failure)
{
    const struct surface a = target(0), b = target(1);
    struct surface huge = target(0);
    huge.width = huge.height = 1u << 14;
    huge.view_extent_minus1 = 1;
    uint16_t *first = pixels_map_find(&a);
    cr_assert_not_null(first);
    cr_assert_null(pixels_map_find(&huge));
    cr_assert_null(pixels_map_find(&b));
    cr_assert_eq(pixels_map_find(&a), first);
    cr_assert_eq(remove_files(), 1);
}
