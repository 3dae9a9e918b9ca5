#!/usr/bin/env python3
"""Limits of the process and of the machine: a client works, or its calls fail
and the library says why in one line. Nothing ends by a signal. TAP.

usage: run_limited.py CLIENT LAUNCHER
"""
import os
import resource
import subprocess
import sys

client, launcher = sys.argv[1:]
KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
# Name, limit, value, and whether the client has to work.
LIMITS = [
    ('16 descriptors', 'NOFILE', 16, False),
    ('24 descriptors', 'NOFILE', 24, True),
    ('64 descriptors', 'NOFILE', 64, True),
    ('500 MiB of addresses', 'AS', 500 * MIB, True),
    ('1 GiB of addresses', 'AS', GIB, True),
    ('8 GiB of addresses', 'AS', 8 * GIB, True),
    ('1 TiB of addresses', 'AS', 1024 * GIB, True),
    ('files of 0 bytes', 'FSIZE', 0, False),
    ('files of 1 KiB', 'FSIZE', KIB, False),
    ('files of 64 KiB', 'FSIZE', 64 * KIB, True),
    ('no locked memory', 'MEMLOCK', 0, True),
    ('a stack of 256 KiB', 'STACK', 256 * KIB, True),
    ('50 MiB of data', 'DATA', 50 * MIB, True),
]
# Commands in namespaces of their own, where the host allows these.
SPACES = [
    ('no /proc', 'mount -t tmpfs none /proc', True),
    ('no /sys', 'mount -t tmpfs none /sys', True),
    ('a full /dev/shm', 'mount -t tmpfs -o size=64k none /dev/shm', True),
    ('a /dev/shm of 20 inodes',
     'mount -t tmpfs -o nr_inodes=20 none /dev/shm', True),
    ('a read-only /dev/shm', 'mount -t tmpfs -o ro none /dev/shm', True),
]


def judge(name, result, must_work):
    """The reason why the result is wrong, or None."""
    if result.returncode == 0:
        return None
    if result.returncode != 3:
        return f'status {result.returncode}'
    if must_work:
        return 'does not work: ' + result.stdout.strip()
    return None if 'softlake: ' in result.stderr else 'says no reason'


def run_limited(kind, value):
    number = getattr(resource, 'RLIMIT_' + kind)
    return subprocess.run(
        [launcher, client], capture_output=True, text=True, timeout=120,
        preexec_fn=lambda: resource.setrlimit(number, (value, value)))


def run_in_space(command):
    return subprocess.run(
        ['unshare', '-rm', 'sh', '-c', f'{command} && exec "$@"', 'sh',
         launcher, client], capture_output=True, text=True, timeout=120)


def main():
    os.environ.pop('SOFTLAKE_THREADS', None)
    cases = [(name, lambda k=kind, v=value: run_limited(k, v), must)
             for name, kind, value, must in LIMITS]
    cases += [(name, lambda c=command: run_in_space(c), must)
              for name, command, must in SPACES]
    may = not subprocess.run(['unshare', '-rm', 'true'],
                             capture_output=True).returncode
    failed = 0
    print(f'1..{len(cases)}')
    for number, (name, run, must_work) in enumerate(cases, 1):
        if number > len(LIMITS) and not may:
            print(f'ok {number} - {name} # SKIP no namespaces here')
            continue
        result = run()
        reason = judge(name, result, must_work)
        failed += reason is not None
        print(f'{"not " if reason else ""}ok {number} - {name}')
        if reason:
            print(f'# {reason}')
            for line in result.stderr.splitlines():
                print(f'# {line}')
    return failed != 0


sys.exit(main())
