#!/usr/bin/env python3
"""Checks that gen_vlc.py refuses malformed tables, and that its lookup tables
decode each code of the real ones. TAP.

usage: test_vlc.py GEN_VLC.py CODES.csv [PREFIX HEADER.h]
"""
import pathlib
import re
import subprocess
import sys
import tempfile

generator, table = sys.argv[1:3]
naming = sys.argv[3:5]
prefix = naming[0] if naming else 'mpeg2'
PAIR = {'mpeg2': 'MPEG2_RUN_LEVEL', 'avc': 'AVC_TOKEN'}[prefix]
GOOD = 'a, 01, 1\na, 000000001, 2\n'
BAD = {
    'a missing column': 'a, 01\n',
    'a code that is no number': 'a, 012, 1\n',
    'a code of 17 bits': 'a, %s, 1\n' % ('0' * 17),
    'a value that is no number': 'a, 01, x\n',
    'a code twice': 'a, 01, 1\na, 01, 2\n',
    'a prefix of another code': 'a, 01, 1\na, 0, 2\n',
    'a longer code with the prefix': 'a, 01, 1\na, 011, 2\n',
}
results = []


def entries(text):
    """Tables by name: lists of (value, length, more)."""
    found = {}
    for name, body in re.findall(prefix + r'_vlc_(\w+)\[\] = \{(.*?)\};',
                                 text, re.S):
        found[name] = re.findall(r'\{(.+), (\d+), (\d)\},', body)
    return found


def look_up(rows, code):
    """As mpeg2_vlc_get() does, with any bits after the code."""
    seen = set()
    for rest in '0', '1':
        bits = (code + rest * 16)[:16]
        value, length, more = rows[int(bits[:8], 2)]
        if more == '1':
            value, length, more = rows[int(value) + int(bits[8:], 2)]
        seen.add((value, int(length)))
    return seen


with tempfile.TemporaryDirectory() as tmp:
    source, out = pathlib.Path(tmp) / 'in', pathlib.Path(tmp) / 'out.c'

    def run(text):
        source.write_text(text)
        return subprocess.run([sys.executable, generator, source, out,
                               *naming],
                              stderr=subprocess.PIPE, check=False).returncode

    results.append(('accepts a good table', run(GOOD) == 0))
    for name, text in BAD.items():
        results.append(('refuses ' + name, run(text) != 0))
    results.append(('accepts the real tables',
                    run(pathlib.Path(table).read_text()) == 0))
    tables = entries(out.read_text())
    wrong = []
    for raw in pathlib.Path(table).read_text().splitlines():
        line = raw.split('#')[0].strip()
        if not line:
            continue
        name, code, value = (c.strip() for c in line.split(','))
        value = {'end': 'MPEG2_END', 'escape': 'MPEG2_ESCAPE'}.get(
            value, value)
        if '/' in value:
            value = '%s(%s, %s)' % (PAIR, *value.split('/'))
        if look_up(tables[name], code) != {(value, len(code))}:
            wrong.append('%s %s' % (name, code))
    results.append(('finds each code: ' + ' '.join(wrong), not wrong))
    # H.262 has 113 codes of coefficients in each table, signs apart.
    # H.264: 3 x 62 and 14 of coeff_token, 135 and 9 of total_zeros, 42 of
    # run_before.
    text = pathlib.Path(table).read_text()
    if prefix == 'mpeg2':
        good = text.count('\ncoefficient_') == 226
    else:
        good = [text.count('\n' + name) for name in
                ('token_', 'zeros_', 'run_')] == [200, 144, 42]
    results.append(('has all codes', good))

print('1..%d' % len(results))
for number, (name, ok) in enumerate(results, 1):
    print('%s %d - %s' % ('ok' if ok else 'not ok', number, name))
