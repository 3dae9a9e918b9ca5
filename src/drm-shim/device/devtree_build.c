/* devtree_build.c: the files of the device tree, as a table: directories,
 * links, texts. */
#include "drm-shim/device/devtree_build.h"

#include "base/base.h"
#include "drm-shim/core/core.h"
#include "drm-shim/device/devtree.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>

#define SLOT DEVTREE_PCI_SLOT
#define PCI "sys/devices/pci0000:00/" SLOT
#define CARD PCI "/drm/card0"
#define RENDER PCI "/drm/renderD128"
#define CONN CARD "/card0-HDMI-A-1"

/* Parents come before children. $ID and $REV are filled in per platform. */
static const struct {
    const char *path;
    char kind; /* d directory, l link, f file, n device node */
    const char *text;
} entries[] = {
    {"dev", 'd', ""},
    {"dev/dri", 'd', ""},
    {"dev/dri/by-path", 'd', ""},
    {"dev/dri/card0", 'n', ""},
    {"dev/dri/renderD128", 'n', ""},
    {"dev/dri/by-path/pci-" SLOT "-card", 'l', "../card0"},
    {"dev/dri/by-path/pci-" SLOT "-render", 'l', "../renderD128"},
    {"oa", 'd', ""}, /* metric sets, see oa_metrics.c */
    {"proc", 'd', ""},
    {"proc/sys", 'd', ""},
    {"proc/sys/dev", 'd', ""},
    {"proc/sys/dev/i915", 'd', ""},
    {"proc/sys/dev/i915/perf_stream_paranoid", 'f', "0\n"},
    {"proc/sys/dev/i915/oa_max_sample_rate", 'f', "100000\n"},
    {"sys", 'd', ""},
    {"sys/bus", 'd', ""},
    {"sys/bus/pci", 'd', ""},
    {"sys/bus/pci/devices", 'd', ""},
    {"sys/bus/pci/drivers", 'd', ""},
    {"sys/bus/pci/drivers/i915", 'd', ""},
    {"sys/class", 'd', ""},
    {"sys/class/drm", 'd', ""},
    {"sys/dev", 'd', ""},
    {"sys/dev/char", 'd', ""},
    {"sys/devices", 'd', ""},
    {"sys/devices/pci0000:00", 'd', ""},
    {PCI, 'd', ""},
    {PCI "/drm", 'd', ""},
    {CARD, 'd', ""},
    {RENDER, 'd', ""},
    {CARD "/metrics", 'd', ""},
    {CONN, 'd', ""},
    {"sys/bus/pci/devices/" SLOT, 'l', "../../../devices/pci0000:00/" SLOT},
    {"sys/bus/pci/drivers/i915/" SLOT, 'l',
     "../../../../devices/pci0000:00/" SLOT},
    {"sys/class/drm/card0", 'l', "../../devices/pci0000:00/" SLOT "/drm/card0"},
    {"sys/class/drm/renderD128", 'l',
     "../../devices/pci0000:00/" SLOT "/drm/renderD128"},
    {"sys/class/drm/card0-HDMI-A-1", 'l',
     "../../devices/pci0000:00/" SLOT "/drm/card0/card0-HDMI-A-1"},
    {"sys/class/drm/version", 'f', "drm 1.1.0 20060810\n"},
    {"sys/dev/char/226:0", 'l', "../../devices/pci0000:00/" SLOT "/drm/card0"},
    {"sys/dev/char/226:128", 'l',
     "../../devices/pci0000:00/" SLOT "/drm/renderD128"},
    {PCI "/vendor", 'f', "0x8086\n"},
    {PCI "/device", 'f', "0x$ID\n"},
    {PCI "/subsystem_vendor", 'f', "0x8086\n"},
    {PCI "/subsystem_device", 'f', "0x2212\n"},
    {PCI "/revision", 'f', "0x$REV\n"},
    {PCI "/class", 'f', "0x030000\n"},
    {PCI "/irq", 'f', "16\n"},
    {PCI "/boot_vga", 'f', "1\n"},
    {PCI "/enable", 'f', "1\n"},
    {PCI "/numa_node", 'f', "-1\n"},
    {PCI "/modalias", 'f',
     "pci:v00008086d0000$IDsv00008086sd00002212bc03sc00i00\n"},
    {PCI "/uevent", 'f',
     "DRIVER=i915\nPCI_CLASS=30000\nPCI_ID=8086:$ID\n"
     "PCI_SUBSYS_ID=8086:2212\nPCI_SLOT_NAME=" SLOT "\n"
     "MODALIAS=pci:v00008086d0000$IDsv00008086sd00002212bc03sc00i00\n"},
    {PCI "/resource", 'f',
     "0x00000000de000000 0x00000000deffffff 0x0000000000140204\n"
     "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
     "0x00000000c0000000 0x00000000cfffffff 0x000000000014220c\n"
     "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
     "0x000000000000f000 0x000000000000f03f 0x0000000000040101\n"
     "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
     "0x00000000000c0000 0x00000000000dffff 0x0000000000000212\n"},
    {PCI "/subsystem", 'l', "../../../bus/pci"},
    {PCI "/driver", 'l', "../../../bus/pci/drivers/i915"},
    {CARD "/uevent", 'f',
     "MAJOR=226\nMINOR=0\nDEVNAME=dri/card0\nDEVTYPE=drm_minor\n"},
    {CARD "/dev", 'f', "226:0\n"},
    {CARD "/device", 'l', "../../../" SLOT},
    {CARD "/subsystem", 'l', "../../../../../class/drm"},
    {CARD "/gt_min_freq_mhz", 'f', "350\n"},
    {CARD "/gt_max_freq_mhz", 'f', "1150\n"},
    {CARD "/gt_cur_freq_mhz", 'f', "1150\n"},
    {CARD "/gt_act_freq_mhz", 'f', "1150\n"},
    {CARD "/gt_boost_freq_mhz", 'f', "1150\n"},
    {CARD "/gt_RP0_freq_mhz", 'f', "1150\n"},
    {CARD "/gt_RP1_freq_mhz", 'f', "350\n"},
    {CARD "/gt_RPn_freq_mhz", 'f', "350\n"},
    {RENDER "/uevent", 'f',
     "MAJOR=226\nMINOR=128\nDEVNAME=dri/renderD128\nDEVTYPE=drm_minor\n"},
    {RENDER "/dev", 'f', "226:128\n"},
    {RENDER "/device", 'l', "../../../" SLOT},
    {RENDER "/subsystem", 'l', "../../../../../class/drm"},
    {CONN "/uevent", 'f', "DEVTYPE=drm_connector\n"},
    {CONN "/status", 'f', "connected\n"},
    {CONN "/enabled", 'f', "enabled\n"},
    {CONN "/dpms", 'f', "On\n"},
    {CONN "/edid", 'f', ""},
    {CONN "/device", 'l', "../../card0"},
    {CONN "/subsystem", 'l', "../../../../../../class/drm"},
};

static bool
write_file(int root, const char *path, const void *data, size_t size_B,
           unsigned mode)
{
    int fd = syscall_openat(root, path, O_WRONLY | O_CREAT | O_CLOEXEC, mode);
    if (fd < 0)
        return false;
    bool ok = file_limit_append(fd, data, size_B) == (ssize_t)size_B;
    close(fd);
    return ok;
}

/* Replaces $ID and $REV. */
static void
expand_text(char *out, size_t size_B, const char *text,
            const struct platform *p)
{
    size_t n = 0;
    while (*text && n + 8 < size_B) {
        if (!strncmp(text, "$ID", 3)) {
            n += (size_t)snprintf(out + n, 8, "%04x", p->device_id);
            text += 3;
        } else if (!strncmp(text, "$REV", 4)) {
            n += (size_t)snprintf(out + n, 8, "%02x", p->revision);
            text += 4;
        } else {
            out[n++] = *text++;
        }
    }
    out[n] = 0;
}

/* PCI configuration header: the first 64 bytes. */
static bool
write_config(int root, const struct platform *p)
{
    uint8_t c[256] = {0};
    c[0x00] = 0x86;
    c[0x01] = 0x80;
    c[0x02] = p->device_id & 0xff;
    c[0x03] = p->device_id >> 8;
    c[0x04] = 0x07; /* I/O, memory, bus master */
    c[0x08] = p->revision;
    c[0x0b] = 0x03; /* display controller */
    c[0x2c] = 0x86;
    c[0x2d] = 0x80;
    c[0x2e] = 0x12;
    c[0x2f] = 0x22;
    return write_file(root, PCI "/config", c, sizeof c, 0644);
}

/* Links the other entries of a real directory that the tree replaces, as
 * absolute links. */
static void
link_real(int root, const char *dir)
{
    char real[PATH_MAX];
    snprintf(real, sizeof real, "/%s", dir);
    int fd = syscall_openat(AT_FDCWD, real, O_RDONLY | O_DIRECTORY | O_CLOEXEC,
                            0);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    if (!d) {
        if (fd >= 0)
            close(fd);
        return;
    }
    struct dirent *e;
    while ((e = readdir(d))) {
        char link[PATH_MAX + 300], target[PATH_MAX + 300];
        if (e->d_name[0] == '.')
            continue;
        snprintf(link, sizeof link, "%s/%s", dir, e->d_name);
        snprintf(target, sizeof target, "%s/%s", real, e->d_name);
        /* Entries of the tree exist already and win. */
        (void)!symlinkat(target, root, link);
    }
    closedir(d);
}

bool
devtree_build(int root, const struct platform *p)
{
    for (unsigned i = 0; i < ARRAY_SIZE(entries); i++) {
        const char *path = entries[i].path;
        char text[2048];
        bool ok = false;
        expand_text(text, sizeof text, entries[i].text, p);
        switch (entries[i].kind) {
        case 'd': ok = !mkdirat(root, path, 0755); break;
        case 'l': ok = !symlinkat(text, root, path); break;
        case 'f': ok = write_file(root, path, text, strlen(text), 0644); break;
        case 'n': ok = write_file(root, path, "", 0, 0666); break;
        default: break;
        }
        if (!ok) {
            log_printf("softlake: cannot make %s of the device tree: %m", path);
            return false;
        }
    }
    link_real(root, "sys/class");
    link_real(root, "sys/bus/pci/devices");
    return write_config(root, p);
}
