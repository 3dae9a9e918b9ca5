#!/usr/bin/env python3
"""Scales and converts pictures with i965's VA driver, whose kernels run in the
media pipeline, and compares them with ffmpeg's own filters. TAP.

usage: run_vpp.py SOFTLAKE

Copies and repacked samples are exact. Scaled pictures have a bound: the filter
of the hardware is not swscale's, and its first sample lies on the first sample
of the source, where swscale aligns the pictures' edges. Each job gives the same
bytes with 0 and 8 threads. Skipped without ffmpeg or i965.
"""
import glob
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

TIMEOUT_S = 120
THREADS = (0, 8)
VAAPI = ['-hwaccel', 'vaapi', '-hwaccel_device', '/dev/dri/renderD128',
         '-hwaccel_output_format', 'vaapi']
ENCODERS = {'nv12': ('mpeg2video', 'yuv420p', '.m2v'),
            'yuyv422': ('mjpeg', 'yuvj422p', '.avi')}

# Name; source size; format of decoded surfaces; filter of VA; filter of
# swscale; format of the result; decibels at least, or None for equal. A filter
# of both sides at the end chooses what is compared.
JOBS = (
    ('copy', '320x240', 'nv12', 'scale_vaapi=w=320:h=240', 'null', 'nv12',
     None, 'null'),
    ('copy of an odd width', '98x50', 'nv12', 'scale_vaapi=w=98:h=50', 'null',
     'nv12', None, 'null'),
    ('half', '320x240', 'nv12', 'scale_vaapi=w=160:h=120',
     'scale=160:120:flags=bicubic', 'nv12', 30, 'null'),
    ('double', '160x120', 'nv12', 'scale_vaapi=w=320:h=240',
     'scale=320:240:flags=bicubic', 'nv12', 30, 'null'),
    ('by 3/2', '160x120', 'nv12', 'scale_vaapi=w=240:h=180',
     'scale=240:180:flags=bicubic', 'nv12', 30, 'null'),
    ('luma of YUYV', '160x120', 'yuyv422', 'scale_vaapi=format=nv12',
     'format=yuv422p', 'nv12', None, 'extractplanes=y'),
    ('NV12 to YUYV, luma', '160x120', 'nv12', 'scale_vaapi=format=yuyv422',
     'format=yuv422p', 'yuyv422', None, 'extractplanes=y'),
    ('NV12 to I420', '160x120', 'nv12', 'scale_vaapi=format=yuv420p',
     'null', 'yuv420p', None, 'null'),
)


def run(command, driver=False):
    env = dict(os.environ, LIBVA_DRIVER_NAME='i965') if driver else None
    return subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=TIMEOUT_S,
                          check=False, env=env)


def make_source(folder, size, surface):
    codec, chroma, suffix = ENCODERS[surface]
    path = folder / (size + suffix)
    run(['ffmpeg', '-v', 'error', '-y', '-f', 'lavfi', '-i',
         'testsrc2=size=%s:rate=25' % size, '-frames:v', '3', '-c:v', codec,
         '-strict', '-1', '-pix_fmt', chroma, '-q:v', '3', str(path)])
    return path


def ffmpeg(path, filters, more=()):
    return ['ffmpeg', '-v', 'error', '-threads', '1', *more, '-i', str(path),
            '-vf', ','.join(filters), '-f', 'rawvideo', '-']


def decibels(got, want):
    error = sum((a - b) * (a - b) for a, b in zip(got, want))
    if not error:
        return math.inf
    return 10 * math.log10(255 * 255 * len(want) / error)


def check(softlake, folder, job):
    """What is wrong, and the decibels."""
    _, size, surface, vaapi, scale, result, least, end = job
    path = make_source(folder, size, surface)
    plain = 'yuv422p' if result == 'yuyv422' else 'yuv420p'
    want = run(ffmpeg(path, [scale, 'format=' + plain, end]
                      if end == 'null' else [scale, end],
                      ['-idct', 'simple'])).stdout
    seen = []
    for threads in THREADS:
        done = run([softlake, '--strict', '-j', str(threads), '--',
                    *ffmpeg(path, [vaapi, 'hwdownload', 'format=' + result,
                                   'format=' + plain, end], VAAPI)], True)
        if done.returncode:
            return done.stderr.decode()[-600:], 0
        seen.append(done.stdout)
    if seen[0] != seen[1]:
        return 'other bytes with 8 threads', 0
    if not want or len(seen[0]) != len(want):
        return '%d bytes instead of %d' % (len(seen[0]), len(want)), 0
    found = decibels(seen[0], want)
    bad = found < least if least else seen[0] != want
    return ('%.1f dB, want %s' % (found, least or 'equal') if bad else '',
            found)


def main():
    softlake = sys.argv[1]
    if not (shutil.which('ffmpeg') and
            glob.glob('/usr/lib/*/dri/i965_drv_video.so')):
        print('1..0 # SKIP no ffmpeg or no i965')
        return 0
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for i, job in enumerate(JOBS):
            wrong, found = check(softlake, pathlib.Path(folder), job)
            failed += bool(wrong)
            print('%sok %d - %s: %.1f dB' % ('not ' if wrong else '', i + 1,
                                             job[0], found), flush=True)
            for line in wrong.splitlines():
                print('# ' + line, flush=True)
    print('1..%d' % len(JOBS))
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
