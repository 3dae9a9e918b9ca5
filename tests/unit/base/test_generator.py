#!/usr/bin/env python3
"""Checks that gen_pack.py rejects invalid descriptions. TAP."""
import pathlib
import subprocess
import sys
import tempfile

generator = sys.argv[1]
GOOD = 'struct A 2\n    x 0.0..3 uint\n    y 0.4..63 addr\n'
BAD = {
    'a field beyond the end': 'struct A 1\n    x 1.0..3 uint\n',
    'bits that run backwards': 'struct A 1\n    x 0.5..3 uint\n',
    'a field outside a block': '    x 0.0..3 uint\n',
    'an unknown type': 'struct A 1\n    x 0.0..3 quux\n',
    'the same name twice': 'struct A 1\n    x 0.0 bool\n    x 0.1 bool\n',
    'the same block twice': GOOD + GOOD,
    'a malformed field': 'struct A 1\n    x zero uint\n',
    'a malformed enum': 'enum x a=1\n',
    'an array that does not fit':
        'struct A 1\n    array 3 stride 16 at 0\n        x 0.0..15 uint\n',
    'an indented field without array': 'struct A 1\n        x 0.0 bool\n',
    'a field of three dwords': 'struct A 4\n    x 0.8..71 uint\n',
}

results = []
with tempfile.TemporaryDirectory() as tmp:
    source, target = pathlib.Path(tmp) / 'in', pathlib.Path(tmp) / 'out.h'

    def run(text):
        source.write_text(text)
        return subprocess.run([sys.executable, generator, 'p', source,
                               target], stderr=subprocess.PIPE).returncode

    results.append(('accepts a good description', run(GOOD) == 0))
    for name, text in BAD.items():
        results.append(('refuses ' + name, run(text) != 0))

print('1..%d' % len(results))
for number, (name, ok) in enumerate(results, 1):
    print('%s %d - %s' % ('ok' if ok else 'not ok', number, name))
