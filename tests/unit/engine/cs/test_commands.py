#!/usr/bin/env python3
"""Checks that gen_commands.py rejects invalid tables. TAP."""
import pathlib
import subprocess
import sys
import tempfile

generator, table = sys.argv[1:3]
GOOD = 'MI_A, mi:0x01, all, 1, ignore, -, -\n'
BAD = {
    'the same name twice': GOOD + 'MI_A, mi:0x02, all, 1, ignore, -, -\n',
    'the same opcode twice': GOOD + 'MI_B, mi:0x01, rcs, 1, ignore, -, -\n',
    'an opcode that does not fit': 'A, mi:0x40, all, 1, ignore, -, -\n',
    'a gfx opcode of another type': 'A, gfx:0x1234, rcs, 2, ignore, -, -\n',
    'an unknown opcode space': 'A, foo:0x1, all, 1, ignore, -, -\n',
    'an unknown engine': 'A, mi:0x01, abc, 1, ignore, -, -\n',
    'an unknown kind': 'A, mi:0x01, all, 1, later, -, -\n',
    'a length of zero': 'A, mi:0x01, all, 0, ignore, -, -\n',
    'lengths that run backwards': 'A, mi:0x01, all, 5-3, ignore, -, -\n',
    'a length beyond its field': 'A, mi:0x01, all, 2-300:8, ignore, -, -\n',
    'a missing column': 'A, mi:0x01, all, 1, ignore, -\n',
    'an executed command without handler': 'A, mi:0x01, all, 1, mi, -, -\n',
    'a draw without handler': 'A, gfx:0x7b00, rcs, 7, draw, -, -\n',
    'an ignored command with handler': 'A, mi:0x01, all, 1, ignore, -, f\n',
    'a malformed handler': 'A, mi:0x01, all, 1, mi, -, 9f\n',
    'an unknown part': 'A, gfx:0x7800, rcs, 3, state, foo, -\n',
    'a state that changes no part': 'A, gfx:0x7800, rcs, 3, state, -, -\n',
    'an ignored command that changes a part':
        'A, mi:0x01, all, 1, ignore, vs, -\n',
    'an empty table': '# nothing\n',
}

results = []
with tempfile.TemporaryDirectory() as tmp:
    dir = pathlib.Path(tmp)
    source, header = dir / 'in', dir / 'out.h'

    def run(text):
        source.write_text(text)
        return subprocess.run([sys.executable, generator, source, header,
                               dir / 'out.c'],
                              stderr=subprocess.PIPE).returncode

    results.append(('accepts a good table', run(GOOD) == 0))
    for name, text in BAD.items():
        results.append(('refuses ' + name, run(text) != 0))

    # Storage of packets is as long as the longest form and does not overlap.
    run('A, gfx:0x7800, rcs, 3-5, state, vs, -\n'
        'B, gfx:0x7801, rcs, 2, state, all, f\n'
        'C, gfx:0x7802, rcs, 4, state, ps pixel, +g\n')
    text = header.read_text()
    results.append(('gives stored packets room of their own',
                    'HW_A = 0,' in text and 'HW_B' not in text and
                    'HW_C = 5,' in text and 'HW_PACKET_DW = 9' in text))
    results.append(('accepts the real table',
                    run(pathlib.Path(table).read_text()) == 0))

print('1..%d' % len(results))
for number, (name, ok) in enumerate(results, 1):
    print('%s %d - %s' % ('ok' if ok else 'not ok', number, name))
