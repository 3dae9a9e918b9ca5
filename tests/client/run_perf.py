#!/usr/bin/env python3
"""SOFTLAKE_PERF=no_... switches off its fast path, and nothing else.

usage: run_perf.py SCENES SOFTLAKE

Draws scenes that do and do not need a stage, with and without it. TAP.
"""
import hashlib
import os
import re
import subprocess
import sys
import tempfile

TIMEOUT_S = 120

# word, a scene that changes, one that does not
PICTURES = (
    ('no_raster', 'triangle', 'compute-ids'),
    ('no_fs', 'triangle', 'compute-ids'),
    ('no_depth', 'depth24', 'triangle'),
    ('no_depth', 'stencil-ops', 'tex-nearest'),
    ('no_blend', 'blend-factors', 'depth24'),
    ('no_blend', 'logic-ops', 'tex-nearest'),
    ('no_tex', 'tex-linear', 'tex-buffer'),
    ('no_tex', 'tex-cube', 'blend-factors'),
)

# word, scene whose picture does not depend on it
SAME = (
    ('no_wait', 'layers'),
    ('no_merge', 'layers'),
    ('no_hidden', 'layers'),
    ('no_wait', 'layers-depth'),
    ('no_hidden', 'layers-depth'),
    ('no_hidden', 'layers-ordered'),
    ('no_hidden', 'layers-ordered-counted'),
    ('no_wait', 'layers-msaa'),
    ('no_hidden', 'layers-msaa'),
    ('no_wait', 'layers-counted'),
    ('no_hidden', 'layers-counted'),
    ('no_cleared', 'layers-cleared'),
    ('no_rects', 'buffer-ops'),
    ('no_rect_buffers', 'tex-unpack'),
    ('no_block_list', 'layers-ordered'),
    ('no_block_list,no_block', 'layers-ordered'),
    ('no_sample_list', 'msaa-small'),
    ('no_sample_list,no_covered', 'msaa-small'),
    ('no_mcs_blocks', 'msaa-small'),
    ('no_mcs_blocks', 'layers-msaa'),
    ('no_depth_only', 'depth24'),
    ('no_multi_prim', 'points'),
    ('no_uniform', 'layers'),
    ('no_chain', 'tex-linear'),
    ('no_rt_batch', 'blend-factors'),
    ('no_tex_lanes', 'tex-linear'),
    ('no_typed_lanes', 'compute-image'),
    ('no_typed_lines', 'compute-image'),
    ('no_group_series', 'compute-ids'),
    ('no_group_series', 'compute-image'),
)

# word, scene, counter that is 0 with it and is not without
COUNTERS = (
    ('no_raster', 'triangle', 'PS threads run'),
    ('no_fs', 'triangle', 'PS threads run'),
    ('no_wait', 'triangle', 'draws whose pixels waited'),
    ('no_hidden', 'layers', 'primitives of tiles hidden'),
    ('no_hidden', 'layers-ordered', 'primitives of tiles hidden'),
    ('no_cleared', 'layers-cleared', 'tiles that held what they'),
    ('no_rects', 'buffer-ops', 'rectangles drawn without threads'),
    ('no_rect_buffers', 'tex-unpack', 'of these from or to buffers'),
    ('no_block_list', 'triangle', 'primitives of tiles shaded as lists of blo'),
    ('no_sample_list', 'msaa-small', 'primitives of tiles shaded as lists of sa'),
    ('no_depth_only', 'depth24', 'primitives of tiles tested without'),
    ('no_multi_prim', 'points', 'primitives of tiles shaded with others'),
    ('no_tex_lanes', 'tex-array', 'sampler plans for any lanes'),
    ('no_group_series', 'compute-ids', 'thread groups run in series'),
)


def draw(scenes, softlake, scene, perf):
    """Returns (checksum, standard error)."""
    env = dict(os.environ, EGL_PLATFORM='surfaceless', SOFTLAKE_PERF=perf,
               MESA_SHADER_CACHE_DISABLE='true')
    for name in ('LIBGL_ALWAYS_SOFTWARE', 'GALLIUM_DRIVER', 'INTEL_DEBUG'):
        env.pop(name, None)
    with tempfile.NamedTemporaryFile() as out:
        done = subprocess.run([softlake, '--strict', '--stats', '--', scenes,
                               scene, out.name], env=env, timeout=TIMEOUT_S,
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE)
        errors = done.stderr.decode(errors='replace')
        if done.returncode:
            raise RuntimeError('exit status %d: %s' %
                               (done.returncode, errors[-400:]))
        return hashlib.sha256(out.read()).hexdigest(), errors


def counter(errors, help_text):
    found = re.search(r'(\d+) ' + re.escape(help_text), errors)
    return int(found[1]) if found else 0


def main():
    scenes, softlake = sys.argv[1:3]
    print('1..%d' % (len(PICTURES) + len(SAME) + len(COUNTERS) + 1))
    n = failed = 0

    def report(name, problems):
        nonlocal n, failed
        n += 1
        failed += bool(problems)
        print('%s %d - %s' % ('not ok' if problems else 'ok', n, name))
        for p in problems:
            print('# ' + p)

    plain = {}

    def usual(scene):
        if scene not in plain:
            plain[scene] = draw(scenes, softlake, scene, '')
        return plain[scene]

    for word, needs, without in PICTURES:
        problems = []
        if draw(scenes, softlake, needs, word)[0] == usual(needs)[0]:
            problems.append('%s is drawn as if nothing were left out' % needs)
        if draw(scenes, softlake, without, word)[0] != usual(without)[0]:
            problems.append('%s is drawn differently' % without)
        report('%s: %s, not %s' % (word, needs, without), problems)
    for word, scene in SAME:
        same = draw(scenes, softlake, scene, word)[0] == usual(scene)[0]
        report('%s: %s is the same' % (word, scene),
               [] if same else ['another picture'])
    for word, scene, what in COUNTERS:
        with_it = counter(draw(scenes, softlake, scene, word)[1], what)
        as_usual = counter(usual(scene)[1], what)
        report('%s: no %s' % (word, what), [] if not with_it and as_usual else
               ['%d with it, %d without' % (with_it, as_usual)])
    wrong = draw(scenes, softlake, 'triangle', 'no_such')[1]
    report('an unknown word is told', [] if 'SOFTLAKE_PERF=no_such' in wrong
           else [wrong[-400:]])
    return 1 if failed else 0


sys.exit(main())
