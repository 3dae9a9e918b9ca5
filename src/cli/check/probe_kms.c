/* probe_kms.c: KMS, through libdrm: finds a connected display with a mode. */
#include "cli/check/probe.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <xf86drm.h>
#include <xf86drmMode.h>

int
probe_kms(void)
{
    int fd = open("/dev/dri/card0", O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        puts("/dev/dri/card0 does not open");
        return PROBE_FAILED;
    }
    drmVersionPtr version = drmGetVersion(fd);
    drmModeResPtr res = drmModeGetResources(fd);
    if (!version || !res) {
        puts("no modesetting");
        return PROBE_FAILED;
    }
    drmModeConnectorPtr connector = res->count_connectors
                                        ? drmModeGetConnector(
                                              fd, res->connectors[0])
                                        : NULL;
    bool connected = connector && connector->connection == DRM_MODE_CONNECTED &&
                     connector->count_modes;
    if (connected)
        printf("%s, %d connector(s), %s\n", version->name,
               res->count_connectors, connector->modes[0].name);
    else
        puts("no connected display");
    if (!connected)
        return PROBE_FAILED;
    return strcmp(version->name, "i915") ? PROBE_FOREIGN : PROBE_OK;
}
