#!/usr/bin/env python3
"""Runs a command and prints, after what it prints, a line `timed WALL CPU
PEAK_KB STATUS`: seconds, peak memory, exit status. For commands in a chroot,
whose own start must not count.

usage: timed.py COMMAND...
"""
import os
import subprocess
import sys
import time


def run(command, env=None):
    """Seconds of wall and of CPU time, peak memory, exit status, and what the
    command prints."""
    start = time.monotonic()
    child = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = child.stdout.read().decode(errors='replace')
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    child.stdout.close()
    return (time.monotonic() - start, usage.ru_utime + usage.ru_stime,
            usage.ru_maxrss, child.returncode, text)


def main():
    wall, cpu, peak_kB, status, text = run(sys.argv[1:])
    print('%s\ntimed %.6f %.6f %d %d' % (text, wall, cpu, peak_kB, status))


if __name__ == '__main__':
    main()
