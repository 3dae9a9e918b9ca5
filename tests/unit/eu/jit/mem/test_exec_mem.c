/* test_exec_mem.c: memory for compiled code: protection, and effects of
 * forks. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "eu/jit/mem/mem.h"

#define SIZE_B 256

static uint8_t *
publish(uint8_t fill)
{
    uint8_t code[SIZE_B];
    memset(code, fill, sizeof code);
    uint8_t *p = eu_exec_publish(code, sizeof code);
    cr_assert_not_null(p);
    return p;
}

/* "rwxp" of the mapping that holds the address. */
static void
protection(const void *address, char text[5])
{
    FILE *f = fopen("/proc/self/maps", "r");
    char line[512];
    text[0] = 0;
    while (f && fgets(line, sizeof line, f)) {
        unsigned long from, end;
        char flags[5];
        if (sscanf(line, "%lx-%lx %4s", &from, &end, flags) == 3 &&
            (unsigned long)(uintptr_t)address - from < end - from)
            memcpy(text, flags, 5);
    }
    if (f)
        fclose(f);
}

Test(exec_mem, code_is_not_writable)
{
    char text[5];
    uint8_t *p = publish(0xc3);
    protection(p, text);
    cr_expect_eq(text[0], 'r');
    cr_expect_eq(text[1], '-');
    cr_expect_eq(text[2], 'x');
    cr_expect_eq(p[SIZE_B - 1], 0xc3);
}

/* Number of mappings of shared anonymous memory with these flags. */
static unsigned
count_maps(const char *flags)
{
    FILE *f = fopen("/proc/self/maps", "r");
    char line[512];
    unsigned n = 0;
    while (f && fgets(line, sizeof line, f))
        n += strstr(line, flags) != NULL && strstr(line, "/dev/zero");
    if (f)
        fclose(f);
    return n;
}

Test(exec_mem, no_writable_alias_stays)
{
    unsigned before = count_maps(" rw-s ");
    for (unsigned i = 0; i < 100; i++)
        publish((uint8_t)i);
    cr_expect_eq(count_maps(" rw-s "), before);
    cr_expect_eq(count_maps(" r-xs "), 1);
}

/* Code from before a fork takes memory only while it is in use. */
Test(exec_mem, forks_leave_no_areas)
{
    for (unsigned i = 0; i < 20; i++) {
        uint8_t *p = publish(1);
        pid_t child = fork();
        if (!child)
            _exit(0);
        cr_assert_eq(waitpid(child, NULL, 0), child);
        cr_expect_eq(p[0], 1);
        eu_exec_release(p, SIZE_B);
    }
    cr_expect_eq(count_maps(" r-xs "), 0);
    cr_expect_eq(eu_exec_total_B(), 0);
}

/* A full file-size limit, which a memfd has and anonymous memory has not. */
Test(exec_mem, the_limit_of_files_is_no_limit_of_code)
{
    struct rlimit none = {0, 0};
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
    cr_expect_not_null(eu_exec_publish("\xc3", 1));
}

Test(exec_mem, released_memory_is_used_again)
{
    uint8_t *a = publish(1), *b = publish(2);
    eu_exec_release(a, SIZE_B);
    uint8_t *c = publish(3);
    cr_expect_eq((void *)c, (void *)a);
    cr_expect_eq(b[0], 2);
    cr_expect_eq(c[0], 3);
}

/* After a fork either side may run, drop and replace its code. */
Test(exec_mem, a_fork_changes_nobodys_code)
{
    int go[2], done[2], status;
    char byte = 0;
    uint8_t *p = publish(0x11);
    publish(0x12); /* keeps the area mapped */
    cr_assert(!pipe(go) && !pipe(done));
    pid_t child = fork();
    if (!child) {
        eu_exec_release(p, SIZE_B);
        const uint8_t *mine = publish(0x33);
        bool ok = write(done[1], &byte, 1) == 1 && read(go[0], &byte, 1) == 1;
        _exit(ok && p[0] == 0x11 && mine[0] == 0x33 ? 0 : 1);
    }
    cr_assert_eq(read(done[0], &byte, 1), 1);
    cr_expect_eq(p[0], 0x11, "the child's code");
    eu_exec_release(p, SIZE_B);
    const uint8_t *mine = publish(0x22);
    cr_expect_eq(mine[0], 0x22);
    cr_expect_eq(p[0], 0x11);
    cr_assert_eq(write(go[1], &byte, 1), 1);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_expect_eq(status, 0, "the parent's code");
}
