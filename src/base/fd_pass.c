/* fd_pass.c: descriptors over Unix sockets. */
#include "base/fd_pass.h"

#include "base/base.h"

#include <fcntl.h>
#include <stdalign.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>

socklen_t
fd_pass_address(struct sockaddr_un *address, const char *name)
{
    size_t name_B = strlen(name);
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    name_B = MIN2(name_B, sizeof address->sun_path - 1);
    memcpy(address->sun_path + 1, name, name_B);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + name_B);
}

/* A message of one byte, with room for one descriptor. */
struct fd_message {
    char byte;
    alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    struct iovec iov;
    struct msghdr msg;
};

static void
init_message(struct fd_message *m)
{
    memset(m, 0, sizeof *m);
    m->iov = (struct iovec){&m->byte, 1};
    m->msg.msg_iov = &m->iov;
    m->msg.msg_iovlen = 1;
    m->msg.msg_control = m->control;
    m->msg.msg_controllen = sizeof m->control;
}

bool
fd_pass_send(int connection, int fd)
{
    struct fd_message m;
    init_message(&m);
    struct cmsghdr *c = CMSG_FIRSTHDR(&m.msg);
    c->cmsg_len = CMSG_LEN(sizeof fd);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    memcpy(CMSG_DATA(c), &fd, sizeof fd);
    return sendmsg(connection, &m.msg, MSG_DONTWAIT | MSG_NOSIGNAL) == 1;
}

int
fd_pass_receive(int connection)
{
    struct fd_message m;
    int fd;
    init_message(&m);
    if (recvmsg(connection, &m.msg, 0) < 1)
        return -1;
    struct cmsghdr *c = CMSG_FIRSTHDR(&m.msg);
    if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS ||
        c->cmsg_len < CMSG_LEN(sizeof fd))
        return -1;
    memcpy(&fd, CMSG_DATA(c), sizeof fd);
    return fd;
}

int
fd_pass_dup_high(int fd)
{
    struct rlimit limit = {1024, 1024};
    getrlimit(RLIMIT_NOFILE, &limit);
    return fcntl(fd, F_DUPFD, (int)MIN2(limit.rlim_cur, 1024) * 7 / 8);
}
