#!/usr/bin/env python3
"""Every process-wide lock takes part in fork(): its file says how. TAP.

usage: test_fork_locks.py SOURCE_ROOT
"""
import pathlib
import re
import sys

# Locks that the functions of another file take and release.
ELSEWHERE = {'drm-shim/sync/fence_wait.c': 'drm-shim/sync/fence.c'}

source = pathlib.Path(sys.argv[1]) / 'src'
bad = []
count = 0
for path in sorted(source.rglob('*.c')):
    text = path.read_text()
    if 'PTHREAD_MUTEX_INITIALIZER' not in text:
        continue
    count += 1
    name = path.relative_to(source).as_posix()
    if name in ELSEWHERE:
        text = (source / ELSEWHERE[name]).read_text()
    if not re.search(r'FORK_\w+|\w+_after_fork', text):
        bad.append(name)
print('1..2')
print(f'{"ok" if count else "not ok"} 1 - there are locks')
print(f'{"not ok" if bad else "ok"} 2 - fork() knows each (base/fork_order.h)')
for name in bad:
    print('#', name)
sys.exit(bool(bad) or not count)
