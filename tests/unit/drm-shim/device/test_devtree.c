#include "drm-shim/device/devtree.h"

#include "base/own_stack.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

TestSuite(devtree, .fini = devtree_remove);

static const char *
redirect(const char *path)
{
    static void *block;
    own_block_give(block);
    return devtree_redirect(AT_FDCWD, path, &block);
}

static void
read_text(const char *path, char *text, size_t size_B)
{
    int fd = open(redirect(path), O_RDONLY);
    cr_assert_geq(fd, 0, "%s", path);
    ssize_t n = read(fd, text, size_B - 1);
    text[n > 0 ? n : 0] = 0;
    close(fd);
}

Test(devtree, other_paths_are_left_alone)
{
    static const char *const paths[] = {"/dev/null",
                                        "/dev/dricky",
                                        "/sys/class/net",
                                        "/sys/dev/char/226:1",
                                        "/sys/dev/char/226:01",
                                        "/proc/self/fd",
                                        "relative/dev/dri",
                                        "/",
                                        "/sys/bus/pci/drivers",
                                        "/sys/class/drmx",
                                        "/usr/dev/dri",
                                        ""};
    for (unsigned i = 0; i < sizeof paths / sizeof *paths; i++)
        cr_assert_eq(redirect(paths[i]), paths[i], "%s", paths[i]);
    cr_assert_null(redirect(NULL));
}

Test(devtree, device_paths_are_ours_however_they_are_spelt)
{
    static const char *const paths[] = {"/dev/dri",
                                        "/dev/dri/",
                                        "/dev/./dri/card0",
                                        "/dev//dri/card0",
                                        "/dev/shm/../dri/card0",
                                        "//dev/dri/card0",
                                        "/sys/class/drm/card0/device/vendor",
                                        "/sys/dev/char/226:128/device/uevent"};
    for (unsigned i = 0; i < sizeof paths / sizeof *paths; i++) {
        const char *real = redirect(paths[i]);
        cr_assert_neq(real, paths[i], "%s", paths[i]);
        cr_assert_eq(access(real, F_OK), 0, "%s", real);
    }
}

Test(devtree, long_paths_do_not_overflow)
{
    char path[3 * PATH_MAX];
    strcpy(path, "/dev/dri/");
    memset(path + 9, 'a', sizeof path - 10);
    path[sizeof path - 1] = 0;
    cr_assert_eq(redirect(path), path);
    for (size_t i = 9; i + 1 < sizeof path; i += 2)
        path[i] = '/';
    cr_assert_eq(redirect(path), path);
}

Test(devtree, sysfs_names_the_chip)
{
    char text[256];
    setenv("SOFTLAKE_PLATFORM", "skl", 1);
    read_text("/sys/dev/char/226:128/device/vendor", text, sizeof text);
    cr_assert_str_eq(text, "0x8086\n");
    read_text("/sys/dev/char/226:0/device/device", text, sizeof text);
    cr_assert_str_eq(text, "0x1912\n");
    read_text("/sys/bus/pci/devices/0000:00:02.0/uevent", text, sizeof text);
    cr_assert_not_null(strstr(text, "PCI_SLOT_NAME=0000:00:02.0\n"));
    cr_assert_not_null(strstr(text, "PCI_ID=8086:1912\n"));
}

Test(devtree, relative_walks_enter_the_tree)
{
    void *block, *none;
    int dev = open("/dev", O_PATH | O_DIRECTORY);
    const char *real = devtree_redirect(dev, "dri/card0", &block);
    cr_assert_eq(real, block);
    cr_assert_eq(access(real, F_OK), 0);
    int dri = open(redirect("/dev/dri"), O_PATH | O_DIRECTORY);
    cr_assert(devtree_owns_fd(dri));
    cr_assert_not(devtree_owns_fd(dev));
    /* And leave it again. */
    cr_assert_str_eq(devtree_redirect(dri, "../null", &none), "../null");
    cr_assert_null(none);
    own_block_give(block);
}

Test(devtree, nodes_look_like_character_devices)
{
    struct stat st;
    cr_assert_eq(
        stat(redirect("/dev/dri/by-path/pci-0000:00:02.0-render"), &st), 0);
    cr_assert_eq(devtree_patch_stat(&st), DEVTREE_RENDER);
    cr_assert(S_ISCHR(st.st_mode));
    cr_assert_eq(st.st_rdev, makedev(226, 128));
    cr_assert_eq(stat("/dev/null", &st), 0);
    cr_assert_eq(devtree_patch_stat(&st), DEVTREE_NONE);
}

Test(devtree, answers_do_not_show_our_root)
{
    char path[PATH_MAX];
    cr_assert_not_null(realpath(redirect("/sys/dev/char/226:0/device"), path));
    devtree_strip(path);
    cr_assert_str_eq(path, "/sys/devices/pci0000:00/0000:00:02.0");
}

Test(devtree, is_removed_at_the_end)
{
    char path[PATH_MAX];
    strcpy(path, redirect("/dev/dri"));
    cr_assert_eq(access(path, F_OK), 0);
    devtree_remove();
    cr_assert_neq(access(path, F_OK), 0);
}

Test(devtree, given_root_is_used_and_kept)
{
    char base[] = "/tmp/softlake-test-XXXXXX", path[PATH_MAX + 32];
    cr_assert_not_null(mkdtemp(base));
    setenv("SOFTLAKE_ROOT", base, 1);
    cr_assert_eq(strncmp(redirect("/dev/dri"), base, strlen(base)), 0);
    devtree_remove();
    snprintf(path, sizeof path, "%s/tree/dev/dri/card0", base);
    cr_assert_eq(access(path, F_OK), 0);
    snprintf(path, sizeof path, "rm -r %s", base);
    cr_assert_eq(system(path), 0);
}
