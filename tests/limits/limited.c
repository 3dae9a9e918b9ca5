/* limited.c: uses the device under limits that run_limited.py sets. Exit status
 * 0: it works; 3: a call failed, with errno. */
#include "raw.h"

int
main(void)
{
    int fd = raw_open(), err = fd < 0 ? -errno : 0;
    for (uint32_t i = 0; i < 20 && !err; i++)
        err = raw_use(fd, 0, i + 1);
    if (err)
        printf("%s\n", strerror(-err));
    return err ? 3 : 0;
}
