#!/usr/bin/env python3
"""Performance queries of stock drivers: how many there are, and their counts.

usage: run_queries.py SOFTLAKE GL_QUERIES VK_QUERIES

The programs draw what can be counted by hand. Counts must be exact, for any
number of threads and on any processor; the pictures must be those of runs
without queries. VK_QUERIES may be -. TAP.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'vk'))
import icd  # noqa: E402

SOFTLAKE, GL, VK = sys.argv[1:4]
TIMEOUT_S = 200
PIGLIT = pathlib.Path('/usr/lib/x86_64-linux-gnu/piglit/bin')
PIXELS = 256 * 256
# Mesa's sets for Kaby Lake GT2, a raw one, and two of pipeline statistics, in
# Mesa 22.3; later ones may have more.
GL_QUERIES, VK_COUNTERS = 24, 195
results = []


def report(name, problems):
    results.append(not problems)
    print('%sok %d - %s' % ('not ' if problems else '', len(results), name))
    for p in problems[:20]:
        print('#', p)
    sys.stdout.flush()


def run(command, threads='2', strict=True, **extra):
    """strict: not for programs that draw nothing."""
    env = dict(os.environ, EGL_PLATFORM='surfaceless',
               PIGLIT_PLATFORM='surfaceless_egl', **extra)
    options = ['--strict'] if strict else []
    done = subprocess.run([SOFTLAKE, *options, '--threads', threads, '--'] +
                          command, env=env, text=True, timeout=TIMEOUT_S,
                          capture_output=True)
    if done.returncode:
        return '', ['exit status %d: %s' % (done.returncode,
                                            done.stderr[-300:])]
    return done.stdout, []


def values(text):
    """{scene: {counter: value}}, and the other lines."""
    found, rest = {}, []
    for line in text.splitlines():
        m = re.match(r'(\w+)/(.+) (\S+)$', line)
        if m:
            found.setdefault(m[1], {})[m[2]] = float(m[3])
        else:
            rest.append(line)
    return found, rest


# Counters of the scenes of gl_queries.c; those that are not named are 0.
ZERO = ('VS Threads Dispatched', 'HS Threads Dispatched',
        'DS Threads Dispatched', 'GS Threads Dispatched',
        'FS Threads Dispatched', 'CS Threads Dispatched', 'Rasterized Pixels',
        'Early Hi-Depth Test Fails', 'Early Depth Test Fails',
        'Samples Killed in FS', 'Pixels Failing Tests', 'Samples Written',
        'Samples Blended', 'Sampler Texels', 'SLM Bytes Read',
        'SLM Bytes Written', 'Shader Memory Accesses',
        'Shader Atomic Memory Accesses', 'Shader Barrier Messages')
DRAWN = {'VS Threads Dispatched': 1, 'FS Threads Dispatched': PIXELS / 16,
         'Rasterized Pixels': PIXELS, 'Samples Written': PIXELS}
WANT = {
    'triangle': DRAWN,
    'blend': dict(DRAWN, **{'Samples Blended': PIXELS}),
    'discard': dict(DRAWN, **{'Samples Killed in FS': PIXELS / 2,
                              'Samples Written': PIXELS / 2}),
    'hidden': {'VS Threads Dispatched': 1, 'Rasterized Pixels': PIXELS,
               'Early Depth Test Fails': PIXELS},
    'late': {'VS Threads Dispatched': 1, 'Rasterized Pixels': PIXELS,
             'FS Threads Dispatched': PIXELS / 16,
             'Pixels Failing Tests': PIXELS},
    'texture': dict(DRAWN, **{'Sampler Texels': 2 * PIXELS}),
    'samples': dict(DRAWN, **{'Samples Written': 4 * PIXELS}),
    # Vertex threads take eight vertices each.
    'twenty': dict(DRAWN, **{'VS Threads Dispatched': 8}),
}


# Cycles of a model, from exact counts of instructions: the same whatever
# executes them. Drivers divide them by the number of EUs first, then by clocks.
EUS = 24
CYCLES = ('EU Active', 'EU Both FPU Pipes Active', 'PS FPU0 Pipe Active',
          'PS FPU1 Pipe Active', 'PS Send Pipeline Active')
# Sends take two cycles each: one for colours, and one for each texture.
SENDS = {'triangle': 1, 'blend': 1, 'discard': 1, 'texture': 3, 'hidden': 0}
cycles_before = {}


def check_cycles(scene, have):
    clocks = have.get('GPU Core Clocks', 0)
    cycles = {c: have.get(c, -1) / 100 * clocks for c in CYCLES}
    before = cycles_before.setdefault(scene, cycles)
    problems = ['%s: %s is %g cycles, and was %g' % (scene, c, cycles[c],
                                                     before[c])
                for c in CYCLES if abs(cycles[c] - before[c]) > .1]
    if scene in SENDS:
        want = SENDS[scene] * PIXELS / 16 * 2 // EUS
        if abs(cycles['PS Send Pipeline Active'] - want) > .1 or \
                (want and not cycles['PS FPU0 Pipe Active'] > want):
            problems.append('%s: cycles %s, sends %g' % (scene, cycles, want))
    return problems


def compare(scene, have, want):
    return ['%s: %s is %g instead of %g' % (scene, c, have.get(c, -1), w)
            for c, w in want.items() if have.get(c) != w]


def check_times(scene, have):
    busy, mhz = have.get('GPU Busy', 0), have.get('AVG GPU Core Frequency', 0)
    if not 0 < busy <= 100 or not 1.1e9 < mhz <= 1.15e9 or \
            not have.get('GPU Time Elapsed'):
        return ['%s: busy %g %%, %g Hz, %g ns' % (
            scene, busy, mhz, have.get('GPU Time Elapsed', 0))]
    return []


def check_gl(threads, pictures, **extra):
    text, problems = run([GL, 'run', 'Render Metrics Basic set'], threads,
                         **extra)
    found, rest = values(text)
    for scene, want in WANT.items():
        have = found.get(scene, {})
        problems += compare(scene, have, dict(dict.fromkeys(ZERO, 0), **want))
        problems += check_times(scene, have)
        problems += check_cycles(scene, have)
    if rest != pictures:
        problems.append('other pictures than without queries')
    report('GL, exact counts, %s threads %s' % (threads, ' '.join(
        extra.values())), problems)


def check_lists():
    text, problems = run([GL, 'list'], strict=False)
    lines = text.splitlines()
    if len(lines) < GL_QUERIES:
        problems.append('%d queries instead of %d: %s' % (
            len(lines), GL_QUERIES, lines))
    report('GL lists %d queries' % GL_QUERIES, problems)
    text, problems = run([GL, 'all'])
    sizes = re.findall(r'^(.+): (\d+) bytes$', text, re.M)
    problems += ['%s: no data' % name for name, size in sizes if size == '0']
    if len(sizes) != len(lines):
        problems.append('%d queries ran' % len(sizes))
    report('GL, all queries give data', problems)


def check_rings():
    text, problems = run([GL, 'run', 'Gpu Rings Busyness'])
    have = values(text)[0].get('triangle', {})
    busy = {k: v for k, v in have.items() if 'Ring' in k or 'Busy' in k}
    full = [k for k, v in busy.items() if 99 < v <= 100]
    if not any('Render' in k for k in full) or \
            any(v for k, v in busy.items() if k not in full):
        problems.append('%s' % have)
    report('GL, how long rings are busy', problems)


# 16 groups of 64 invocations, four SIMD16 threads each. A thread reads and
# writes a line of local memory, and sends one write, one atomic and one barrier
# message. The atomic counts as a memory access, too.
THREADS = 16 * 64 / 16
GROUPS = {'CS Threads Dispatched': THREADS, 'SLM Bytes Read': THREADS * 64,
          'SLM Bytes Written': THREADS * 64,
          'Shader Atomic Memory Accesses': THREADS,
          'Shader Barrier Messages': THREADS,
          'Shader Memory Accesses': 2 * THREADS}
TRIANGLE = {'VS Threads Dispatched': 1, 'FS Threads Dispatched': 128 * 128 / 16,
            'Rasterized Pixels': 128 * 128, 'Samples Written': 128 * 128}


def check_vk(threads):
    text, problems = run([VK], threads, **icd.only('intel'))
    found, rest = values(text)
    count = re.match(r'(\d+) counters, (\d+) passes', rest[0] if rest else '')
    if not count or int(count[1]) < VK_COUNTERS:
        problems.append('%s instead of %d counters' % (rest[:1], VK_COUNTERS))
    else:
        passes = int(count[2])
        problems += compare('groups', found.get('groups', {}), GROUPS)
        problems += compare('triangle', found.get('triangle', {}), TRIANGLE)
        if 'sum %d' % (passes * 512) not in rest:
            problems.append('wrong result: %s' % rest)
    report('Vulkan, exact counts of %d counters, %s threads' % (
        VK_COUNTERS, threads), problems)


def check_piglit():
    for name in ('amd_performance_monitor_api',
                 'amd_performance_monitor_measure',
                 'intel_performance_query-issue_2235'):
        if not (PIGLIT / name).exists():
            continue
        text, problems = run([str(PIGLIT / name), '-auto', '-fbo'],
                             strict=False)
        if '{"result": "pass" }' not in text:
            problems.append(text[-300:])
        report('piglit, ' + name, problems)


def metrics(text):
    """apitrace's numbers of three counters of the basic set."""
    chosen, group, ours = [], '', False
    for line in text.splitlines():
        m = re.match(r'\s*(Backend|Group|Metric) #?(\w+)(.*)', line)
        if m and m[1] == 'Backend':
            ours = m[2] == 'GL_INTEL_performance_query'
        elif m and m[1] == 'Group':
            group = m[2] if ': Render Metrics Basic' in m[3] else ''
        elif m and ours and group and re.match(
                ': (FS Threads Dispatched|Rasterized Pixels|Samples Written) ',
                m[3]):
            chosen.append('[%s,%s]' % (group, m[2]))
    return 'GL_INTEL_performance_query: ' + ', '.join(chosen)


def check_apitrace():
    """A stock tool: counters of each draw of a trace."""
    if not shutil.which('apitrace') or not shutil.which('eglretrace'):
        return
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, 'x.trace')
        _, problems = run(['apitrace', 'trace', '-a', 'egl', '-o', trace, GL,
                           'plain'])
        text, _ = run(['eglretrace', '--list-metrics', trace], strict=False,
                      WAFFLE_PLATFORM='surfaceless_egl')
        text, more = run(['eglretrace', '--headless', '--pdrawcalls=' +
                          metrics(text), trace],
                         WAFFLE_PLATFORM='surfaceless_egl')
    draws = [line.split()[-3:] for line in text.splitlines()
             if '\tglDrawArrays\t' in line]
    want = [['4096', '65536', '65536'], ['4096', '65536', '32768'],
            ['0', '65536', '0'], ['4096', '65536', '0']]
    problems += more + ['no draw has %s: %s' % (w, draws) for w in want
                        if w not in draws]
    report('apitrace, counters of each draw', problems)


def main():
    check_lists()
    text, problems = run([GL, 'plain'])
    pictures = text.splitlines()
    report('GL, without queries', problems)
    check_gl('0', pictures)
    check_gl('2', pictures)
    check_gl('2', pictures, SOFTLAKE_CPU='avx2')
    check_gl('2', pictures, SOFTLAKE_EU='interp')
    check_rings()
    if VK != '-':
        check_vk('0')
        check_vk('2')
    check_piglit()
    check_apitrace()
    print('1..%d' % len(results))
    return not all(results)


sys.exit(main())
