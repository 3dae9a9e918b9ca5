#!/usr/bin/env python3
"""What --check says of OpenCL: Intel's driver answers, is not installed beside
another, or is installed and finds no device.

usage: run_check.py SOFTLAKE

Output is TAP; without PoCL and Intel's driver there is nothing to compare.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

VENDORS = pathlib.Path('/etc/OpenCL/vendors')
TIMEOUT_S = 200


def check(softlake, vendors, *options):
    """Exit status and the line of OpenCL."""
    done = subprocess.run([softlake, *options, '--check'],
                          env=dict(os.environ, OCL_ICD_VENDORS=str(vendors)),
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, timeout=TIMEOUT_S)
    lines = [l for l in done.stdout.splitlines() if l.startswith('OpenCL')]
    return done.returncode, lines[0] if lines else done.stdout


def main():
    softlake = sys.argv[1]
    intel, pocl = VENDORS / 'intel.icd', VENDORS / 'pocl.icd'
    if not intel.exists() or not pocl.exists():
        print('1..0 # SKIP no Intel driver, or no PoCL')
        return 0
    with tempfile.TemporaryDirectory() as name:
        other = pathlib.Path(name)
        (other / 'pocl.icd').write_text(pocl.read_text())
        alone = check(softlake, other)
        # A driver by that name that is not there finds no device.
        (other / 'intel.icd').write_text('/nonexistent.so\n')
        blind = check(softlake, other)
    usual = check(softlake, VENDORS)
    results = [
        ('Intel\'s driver answers', 'OpenCL           ok' in usual[1], usual),
        ('PoCL alone is no failure', alone[0] == 0 and
         'not installed' in alone[1] and 'Portable' in alone[1], alone),
        ('a driver that finds no device is one', blind[0] == 1 and
         'NOT SOFTLAKE' in blind[1], blind),
    ]
    print('1..%d' % len(results))
    for number, (what, ok, seen) in enumerate(results, 1):
        print('%s %d - %s' % ('ok' if ok else 'not ok', number, what))
        if not ok:
            print('# status %d: %s' % seen)
    return 0 if all(r[1] for r in results) else 1


if __name__ == '__main__':
    sys.exit(main())
