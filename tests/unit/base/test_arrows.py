#!/usr/bin/env python3
"""Which room may include which: drm-shim -> engine -> {eu, sampler}, everyone
-> base, cli -> everyone; eu and sampler never meet. Also: a header of another
room is only included by its public name. TAP."""
import pathlib
import re
import sys

ROOMS = {
    'base': set(),
    'eu': {'base'},
    'sampler': {'base'},
    'engine': {'base', 'eu', 'sampler'},
    'drm-shim': {'base', 'engine'},
    'cli': {'base', 'engine', 'eu', 'sampler', 'drm-shim'},
}
# Headers that other rooms may see.
PUBLIC = {
    'eu': {'eu/eu.h', 'eu/message.h', 'eu/isa/isa.h', 'eu/isa/insn.h',
           'eu/interp/half.h', 'eu/isa/eu_opcodes.h'},
    'sampler': {'sampler/sampler.h', 'sampler/plan.h',
                'sampler/pixels.h'},
    'engine': {'engine/engine.h', 'engine/run.h'},
    'drm-shim': {'drm-shim/report.h'},
}
GENERATED = {'surface_pack.h': 'sampler', 'gen9_pack.h': 'engine'}

src = pathlib.Path(sys.argv[1]) / 'src'
problems, files = [], 0
for path in sorted(src.rglob('*.[ch]')):
    room = path.relative_to(src).parts[0]
    files += 1
    for number, line in enumerate(path.read_text().splitlines(), 1):
        m = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if not m:
            continue
        target = m[1]
        other = GENERATED.get(target) or target.split('/')[0]
        if other not in ROOMS or other == room:
            continue
        where = '%s:%d: %s' % (path.relative_to(src), number, target)
        if other not in ROOMS[room]:
            problems.append(where + ' goes against the arrows')
        elif other in PUBLIC and target not in PUBLIC[other] \
                and target not in GENERATED:
            problems.append(where + ' is private to ' + other)

print('1..2')
print('%s 1 - source files were found' % ('ok' if files > 20 else 'not ok'))
print('%s 2 - includes follow the arrows' % ('not ok' if problems else 'ok'))
for problem in problems:
    print('# ' + problem)
