/* test_fd_pass.c: descriptors over Unix sockets. */
#include "base/fd_pass.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

Test(fd_pass, descriptor_arrives_as_a_copy)
{
    int pair[2], fd = memfd_create("passed", 0);
    struct stat sent, got;
    cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
    cr_assert(fd_pass_send(pair[0], fd));
    int copy = fd_pass_receive(pair[1]);
    cr_assert_geq(copy, 0);
    cr_assert_neq(copy, fd);
    cr_assert_eq(fstat(fd, &sent), 0);
    cr_assert_eq(fstat(copy, &got), 0);
    cr_assert_eq(sent.st_ino, got.st_ino);
}

Test(fd_pass, message_without_descriptor_and_closed_peer_are_refused)
{
    int pair[2];
    cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
    cr_assert_eq(send(pair[0], "x", 1, 0), 1);
    cr_assert_eq(fd_pass_receive(pair[1]), -1);
    close(pair[0]);
    cr_assert_eq(fd_pass_receive(pair[1]), -1);
    cr_assert_not(fd_pass_send(pair[1], pair[1]));
}

/* The address must have the name's length, because the kernel compares all
 * bytes. */
Test(fd_pass, two_processes_meet_at_a_name)
{
    char name[64];
    struct sockaddr_un a, b;
    snprintf(name, sizeof name, "softlake-test-%d", (int)getpid());
    int server = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    int client = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    socklen_t a_B = fd_pass_address(&a, name), b_B = fd_pass_address(&b, name);
    cr_assert_eq(a.sun_path[0], 0);
    cr_assert_eq(a_B,
                 offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
    cr_assert_eq(bind(server, (struct sockaddr *)&a, a_B), 0);
    cr_assert_eq(listen(server, 1), 0);
    cr_assert_eq(connect(client, (struct sockaddr *)&b, b_B), 0);
}

Test(fd_pass, high_copies_survive_exec)
{
    struct rlimit limit = {256, 256};
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    int fd = fd_pass_dup_high(0);
    cr_assert_eq(fd, 224);
    cr_assert_eq(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
}
