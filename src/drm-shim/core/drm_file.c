#include "drm-shim/core/drm_file.h"

#include "base/base.h"

#include <sys/socket.h>

void
drm_file_send_event(struct drm_file *file, const void *event, size_t size_B)
{
    if (file->peer < 0)
        return;
    ssize_t n = send(file->peer, event, size_B, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0)
        trace(kms, "event lost: %m");
}
