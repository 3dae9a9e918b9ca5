#!/usr/bin/env python3
"""One frame of each glmark2 scene, on Softlake and on llvmpipe.

usage: run_glmark2.py SOFTLAKE CLOCK.so [--frames N] [--mode WxH] [--keep DIR]
                      [--platform NAME] [SCENE...]

Both draw on the virtual display (llvmpipe through dumb buffers), with a clock
that advances by a fixed step and then stands still, so that the last frames
show the same moment. llvmpipe computes mediump in 16 bits where Gen9 drivers
use 32, and chaotic shaders show it, so its scenes are told to use highp. A
scene passes if the strict launcher has no complaint and the frames agree: mean
absolute difference at most 1/255, at most 0.5 % of the pixels off by more than
8/255. Scenes in ROUNDED have other limits. Output is TAP.
"""
import argparse
import concurrent.futures
import functools
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

SCENES = '''build
texture:texture-filter=nearest
texture:texture-filter=linear
texture:texture-filter=mipmap
shading:shading=gouraud
shading:shading=blinn-phong-inf
shading:shading=phong
shading:shading=cel
bump:bump-render=high-poly
bump:bump-render=normals
bump:bump-render=height
effect2d:kernel=0,1,0;1,-4,1;0,1,0;
pulsar:light=false:quads=5:texture=false
desktop:blur-radius=5:effect=blur:passes=1:separable=true:windows=4
desktop:effect=shadow:windows=4
buffer:columns=200:interleave=false:update-dispersion=0.9:update-fraction=0.5:update-method=map
ideas
jellyfish
terrain
shadow
refract
conditionals:fragment-steps=5:vertex-steps=0
function:fragment-complexity=low:fragment-steps=5
loop:fragment-loop=true:fragment-steps=5:vertex-steps=5'''.split('\n')

LLVMPIPE = {'GBM_ALWAYS_SOFTWARE': '1', 'LIBGL_ALWAYS_SOFTWARE': '1',
            'MESA_LOADER_DRIVER_OVERRIDE': 'kms_swrast',
            'GALLIUM_DRIVER': 'llvmpipe', 'LP_NUM_THREADS': '0',
            # Without its shortcuts in texture filtering.
            'GALLIVM_PERF': 'no_brilinear,no_rho_approx,no_quad_lod,'
                            'no_aos_sampling'}
MEAN, FAR_PERCENT, OFF_BY = 1.0, 0.5, 8
# These read targets of 8 bits that they drew before: terrain reads heights and
# normals, refract a normal and a depth. Gen9's rounding
# (rt_unorm.h) is one step from llvmpipe's in some texels, and the
# scenes magnify it: with llvmpipe's rounding built in here, terrain is off by
# 0.616 and 0.006 %, refract by 0.163 and 0.439 %, with Gen9's by 1.154 and
# 1.312 %, 0.189 and 0.588 %.
ROUNDED = {'terrain': (1.5, 2.0), 'refract': (1.0, 0.75)}


def read_png(path):
    """Width, height and rows of RGB of an 8-bit RGB or RGBA PNG."""
    data = pathlib.Path(path).read_bytes()
    at, idat, header = 8, b'', None
    while at < len(data):
        size, kind = struct.unpack('>I4s', data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b'IHDR':
            header = struct.unpack('>IIBBBBB', body)
        elif kind == b'IDAT':
            idat += body
        at += 12 + size
    width, height, depth, kind = header[:4]
    assert depth == 8 and kind in (2, 6), 'unexpected kind of PNG'
    bpp = 3 if kind == 2 else 4
    raw, stride, rows = zlib.decompress(idat), width * bpp, []
    previous = bytearray(stride)
    for y in range(height):
        line = raw[y * (stride + 1):(y + 1) * (stride + 1)]
        row = bytearray(line[1:])
        for i in range(stride):
            a = row[i - bpp] if i >= bpp else 0
            b = previous[i]
            c = previous[i - bpp] if i >= bpp else 0
            if line[0] == 1:
                row[i] = (row[i] + a) & 255
            elif line[0] == 2:
                row[i] = (row[i] + b) & 255
            elif line[0] == 3:
                row[i] = (row[i] + (a + b) // 2) & 255
            elif line[0] == 4:
                p = a + b - c
                pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
                best = a if pa <= pb and pa <= pc else b if pb <= pc else c
                row[i] = (row[i] + best) & 255
        previous = row
        rows.append(bytes(v for i, v in enumerate(row) if bpp == 3 or
                          i % 4 != 3))
    return width, height, b''.join(rows)


def draw(args, scene, png, extra):
    env = dict(os.environ, MESA_SHADER_CACHE_DISABLE='true',
               SOFTLAKE_MODE=args.mode, **extra)
    env['LD_PRELOAD'] = ':'.join(
        p for p in (env.get('LD_PRELOAD'), args.clock) if p)
    command = [args.softlake, '-f', str(png)]
    if not extra:
        command += ['--strict', '--platform', args.platform]
    precision = ':fragment-precision=high,high,high,high' \
        ':vertex-precision=high,high,high,high' if extra else ''
    command += ['--', 'glmark2-es2-drm', '-b',
                '%s:nframes=%d%s' % (scene, args.frames, precision)]
    try:
        run = subprocess.run(command, env=env, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             timeout=args.timeout)
    except subprocess.TimeoutExpired:
        return 'timed out'
    text = run.stdout.decode(errors='replace')
    renderer = [l for l in text.splitlines() if 'GL_RENDERER' in l]
    wanted = 'llvmpipe' if extra else 'Intel'
    if run.returncode:
        return 'exit status %d: %s' % (run.returncode, text[-500:])
    if not renderer or wanted not in renderer[0]:
        return 'drawn by another driver: %s' % renderer
    return None if png.exists() else 'no frame was shown'


def compare(ours, theirs, limits):
    a, b = read_png(ours), read_png(theirs)
    if a[:2] != b[:2]:
        return 'sizes differ', 0, 0
    a, b = a[2], b[2]
    total = far = lit = 0
    for i in range(0, len(a), 3):
        d = [abs(a[i] - b[i]), abs(a[i + 1] - b[i + 1]),
             abs(a[i + 2] - b[i + 2])]
        total += sum(d)
        far += max(d) > OFF_BY
        lit += b[i:i + 3] != b[:3]
    mean, percent = total / len(a), far * 300.0 / len(a)
    if not lit:
        return 'the reference frame is one colour: it proves nothing', 0, 0
    if mean > limits[0] or percent > limits[1]:
        return 'frames differ', mean, percent
    return None, mean, percent


def judge(args, directory, scene):
    """Returns (problem or None, detail)."""
    stem = scene.replace(':', '-').replace('/', '_')[:80]
    ours = directory / (stem + '.png')
    theirs = directory / (stem + '.llvmpipe.png')
    problem = draw(args, scene, ours, {})
    if problem:
        return problem, ''
    problem = draw(args, scene, theirs, LLVMPIPE)
    if problem:
        return 'llvmpipe: ' + problem, ''
    problem, mean, percent = compare(
        ours, theirs, ROUNDED.get(scene, (MEAN, FAR_PERCENT)))
    return problem, 'mean %.3f, %.3f %% far off' % (mean, percent)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('softlake')
    parser.add_argument('clock')
    parser.add_argument('scenes', nargs='*')
    parser.add_argument('--frames', type=int, default=16)
    parser.add_argument('--mode', default='640x480')
    parser.add_argument('--timeout', type=int, default=300)
    parser.add_argument('--keep')
    parser.add_argument('--platform', default='kbl')
    args = parser.parse_intermixed_args()
    scenes = args.scenes or SCENES
    print('TAP version 13\n1..%d' % len(scenes), flush=True)
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        directory = pathlib.Path(args.keep or temporary)
        directory.mkdir(parents=True, exist_ok=True)
        with concurrent.futures.ProcessPoolExecutor() as pool:
            results = pool.map(functools.partial(judge, args, directory),
                               scenes)
            for number, (problem, detail) in enumerate(results, 1):
                print('%s %d - %s' % ('not ok' if problem else 'ok', number,
                                      scenes[number - 1].replace('#', '')))
                for line in (problem or '', detail):
                    if line:
                        print('# ' + line.replace('\n', '\n# '))
                sys.stdout.flush()
                failed += bool(problem)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
