#!/usr/bin/env python3
"""Checks that the SIMD harness has a row for each SIMD translation unit.

usage: test_units.py BUILD_ROOT CHECK

A SIMD translation unit is a file of src/ that is compiled for wider vectors
than every x86-64 has: its command in compile_commands.json says -mavx. CHECK
is tests/simd/check, whose --list ends each row with a translation unit. TAP.
"""
import json
import pathlib
import subprocess
import sys


def units_of(commands):
    """The stems of files of src/ that are compiled for wide vectors."""
    found = set()
    for command in commands:
        path = pathlib.PurePath(command['file'])
        words = command['command'].split()
        if 'src' in path.parts and any(w.startswith('-mavx') for w in words):
            found.add(path.stem)
    return found


def rows_of(listing):
    """Translation unit to its number of rows."""
    rows = {}
    for line in listing.splitlines():
        unit = line.split()[-1]
        rows[unit] = rows.get(unit, 0) + 1
    return rows


def without_row(commands, rows):
    return sorted(units_of(commands) - set(rows))


def main():
    build, check = pathlib.Path(sys.argv[1]), sys.argv[2]
    commands = json.loads((build / 'compile_commands.json').read_text())
    listing = subprocess.run([check, '--list'], stdout=subprocess.PIPE,
                             check=True, text=True).stdout
    rows, units = rows_of(listing), units_of(commands)
    planted = commands + [{'file': '../src/engine/blt/x86/copy_avx2.c',
                           'command': 'cc -mavx2 -c copy_avx2.c'}]
    other = commands + [{'file': '../src/engine/engine.c', 'command': 'cc'}]
    results = [
        ('units are found', len(units) > 10, ''),
        ('every unit has a row', not without_row(commands, rows),
         ' '.join(without_row(commands, rows))),
        ('every row has a unit', set(rows) <= units,
         ' '.join(sorted(set(rows) - units))),
        ('a planted unit is found',
         without_row(planted, rows) == ['copy_avx2'], ''),
        ('a lost row is found',
         without_row(commands, {u: 1 for u in units - {'rt_avx2'}}) ==
         ['rt_avx2'], ''),
        ('a scalar unit needs none', not without_row(other, rows), ''),
    ]
    print('1..%d' % len(results))
    for number, (name, ok, detail) in enumerate(results, 1):
        print('%s %d - %s' % ('ok' if ok else 'not ok', number, name))
        if not ok:
            print('# ' + detail)
    sys.exit(not all(ok for _, ok, _ in results))


main()
