/* exe.c: decides whether a command can run under a preloaded library. Without
 * this check a static or setuid program would run without Softlake, unnoticed.
 */
#include "cli/launch/launch.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static enum exe_kind
classify_elf(int fd, const unsigned char *head, ssize_t size)
{
    Elf64_Ehdr eh;
    if (size < EI_NIDENT || memcmp(head, ELFMAG, SELFMAG))
        return EXE_OK; /* not ELF: the kernel's binfmt decides */
    if (head[EI_CLASS] != ELFCLASS64 || size < (ssize_t)sizeof eh)
        return EXE_FOREIGN;
    memcpy(&eh, head, sizeof eh);
    if (eh.e_machine != EM_X86_64)
        return EXE_FOREIGN;
    for (unsigned i = 0; i < eh.e_phnum; i++) {
        Elf64_Phdr ph;
        off_t at = (off_t)(eh.e_phoff + (uint64_t)i * eh.e_phentsize);
        if (pread(fd, &ph, sizeof ph, at) != (ssize_t)sizeof ph)
            break;
        if (ph.p_type == PT_INTERP)
            return EXE_OK;
    }
    return EXE_STATIC;
}

static bool
is_privileged(int fd)
{
    struct stat st;
    if (fstat(fd, &st))
        return false;
    /* Only a change of identity makes the loader ignore LD_PRELOAD. */
    if ((st.st_mode & S_ISUID) && st.st_uid != getuid())
        return true;
    if ((st.st_mode & S_ISGID) && (st.st_mode & S_IXGRP) &&
        st.st_gid != getgid())
        return true;
    return getuid() != 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0;
}

static enum exe_kind
classify_file(const char *path, unsigned depth)
{
    struct stat st;
    if (stat(path, &st))
        return errno == ENOENT || errno == ENOTDIR ? EXE_MISSING : EXE_DENIED;
    if (S_ISDIR(st.st_mode) || access(path, X_OK))
        return EXE_DENIED;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return EXE_OK; /* executable but unreadable: cannot tell */
    unsigned char head[512] = {0};
    ssize_t size = pread(fd, head, sizeof head - 1, 0);
    enum exe_kind kind;
    if (is_privileged(fd)) {
        kind = EXE_SETUID;
    } else if (size > 2 && head[0] == '#' && head[1] == '!' && depth < 4) {
        char *interpreter = strtok((char *)head + 2, " \t\n");
        kind = interpreter ? classify_file(interpreter, depth + 1) : EXE_OK;
    } else {
        kind = classify_elf(fd, head, size);
    }
    close(fd);
    return kind;
}

enum exe_kind
exe_classify(const char *command, char *path, size_t path_size)
{
    snprintf(path, path_size, "%s", command);
    if (strchr(command, '/'))
        return classify_file(path, 0);
    const char *list = getenv("PATH");
    if (!list)
        list = "/bin:/usr/bin";
    enum exe_kind worst = EXE_MISSING;
    for (;;) {
        size_t n = strcspn(list, ":");
        snprintf(path, path_size, "%.*s/%s", (int)n, n ? list : ".", command);
        enum exe_kind kind = classify_file(path, 0);
        if (kind == EXE_DENIED)
            worst = EXE_DENIED;
        else if (kind != EXE_MISSING)
            return kind;
        if (!list[n])
            break;
        list += n + 1;
    }
    snprintf(path, path_size, "%s", command);
    return worst;
}

const char *
exe_kind_text(enum exe_kind kind)
{
    switch (kind) {
    case EXE_OK: return "can be run";
    case EXE_MISSING: return "no such file";
    case EXE_DENIED: return "cannot be executed";
    case EXE_STATIC: return "is statically linked: nothing can be preloaded";
    case EXE_SETUID:
        return "changes its identity (setuid, setgid or capabilities): the "
               "loader ignores LD_PRELOAD";
    case EXE_FOREIGN: return "is not an x86-64 ELF program";
    }
    return "";
}
