#!/usr/bin/env python3
"""What scripts/distro says where it cannot make a chroot.

usage: test_distro.py scripts/distro

It ends with status 77 and one sentence that names what is missing, so that
scripts/test skips, says why, and does not fail for it. TAP.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

NOBODY = 65534
SKIP = 77


def run(script, arguments, folder, **kwargs):
    """Returns (status, lines of stderr)."""
    env = dict(os.environ, SOFTLAKE_CHROOTS=folder,
               SOFTLAKE_MIRROR='http://127.0.0.1:9/debian')
    done = subprocess.run([script, *arguments], env=env, text=True, timeout=300,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, **kwargs)
    return done.returncode, done.stderr.splitlines()


def cases(script, folder):
    """Yields (name, what is wrong or None, reason to skip or None)."""
    status, lines = run(script, ['buster', 'true'], folder)
    yield 'another name is a usage error', \
        None if status == 2 and 'usage' in ' '.join(lines) else lines, None

    root = os.getuid() == 0
    drop = {'user': NOBODY, 'group': NOBODY} if root else {}
    status, lines = run(script, ['trixie', 'true'], folder, **drop)
    yield 'one sentence without root', \
        None if status == SKIP and len(lines) == 1 and 'root' in lines[0] \
        else lines, None

    status, lines = run(script, ['trixie', 'true'], folder)
    namespaces = root and not any('namespace' in line for line in lines)
    good = status == SKIP and len(lines) == 1 and 'reach' in lines[0]
    yield 'one sentence without a mirror', None if good else lines, \
        None if namespaces else 'no root, or no namespaces'

    status, lines = run(str(pathlib.Path(script).with_name('test')),
                        ['--stage', 'chroots'], folder)
    yield 'scripts/test does not fail for it', \
        None if status == 0 else ['status %d' % status, *lines], None


def main():
    print('1..4')
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        for n, (name, wrong, skip) in enumerate(cases(sys.argv[1], folder), 1):
            if skip:
                print('ok %d - %s # SKIP %s' % (n, name, skip))
                continue
            print('%s %d - %s' % ('not ok' if wrong else 'ok', n, name))
            if wrong:
                print('# ' + '\n# '.join(wrong))
            failed += bool(wrong)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
