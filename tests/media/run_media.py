#!/usr/bin/env python3
"""Decodes streams through stock iHD, and i965 where it is, and compares each
frame with ffmpeg's software decoder. TAP.

usage: run_media.py SOFTLAKE CODES.csv [--large] [--keep DIR]
                    [--streams DIR] [--junit FILE] [--only REGEX]
                    [--threads N] [--preload LIB]

Streams are made with ffmpeg's encoders, and by mpeg2_random.py,
jpeg_random.py and h264_fields.py what those do not make. Software decoding uses
`-idct simple`, whose rounding the video engine has. Threads take turns from stream to stream; one stream of each codec
is decoded with all numbers of them. Broken streams have no reference, because
each decoder conceals in its own way: they must end, and frames must be the same
with any number of threads. --large: ten times the random streams, each with all
numbers of threads; --streams: all
MPEG-2, H.264 and JPEG files of a folder, too. --only: streams whose names
match; --threads: one number for all; --preload: a sanitizer's runtime. Skipped
without ffmpeg or iHD.
"""
import argparse
import glob
import itertools
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
from xml.sax.saxutils import escape, quoteattr

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import h264_fields
import jpeg_random
import mpeg2_random

THREADS = (0, 1, 2, 8)
TIMEOUT_S = 120
LARGE_RANDOM, RANDOM = 100, 6
LARGE_BROKEN, BROKEN = 100, 2


def source(size, noise=0, frames=4, rate=25):
    graph = 'testsrc2=size=%s:rate=%d' % (size, rate)
    if noise:
        graph += ',noise=alls=%d:allf=t:all_seed=1' % noise
    return ['-f', 'lavfi', '-i', graph, '-frames:v', str(frames)]


MPEG2 = ['-c:v', 'mpeg2video']
INTERLACED = ['-flags', '+ildct+ilme']
MATRIX = ','.join(str(8 + (i * 7) % 50) for i in range(64))
# Name, source, encoder.
MPEG2_STREAMS = (
    ('P and B', source('176x144', frames=8), ['-bf', '2', '-q:v', '4']),
    ('coarse', source('178x98', 30), ['-bf', '1', '-q:v', '31']),
    ('fine', source('64x64', 60), ['-q:v', '1', '-g', '2']),
    ('intra only', source('98x50', 40), ['-g', '1', '-intra_vlc', '1',
                                         '-dc', '10']),
    ('interlaced', source('160x96', 10, 6),
     INTERLACED + ['-bf', '2', '-alternate_scan', '1', '-q:v', '6']),
    ('bottom field first', source('144x90', 10, 6),
     INTERLACED + ['-top', '0', '-bf', '1', '-intra_vlc', '1']),
    ('nonlinear quantiser', source('130x70', 20),
     ['-non_linear_quant', '1', '-qmax', '28', '-q:v', '12', '-bf', '1']),
    ('matrices', source('112x112', 20),
     ['-intra_matrix', MATRIX, '-inter_matrix', MATRIX, '-q:v', '3']),
    ('slices', source('320x64', 10), ['-slices', '4', '-bf', '2']),
    ('wide', source('1024x48', 0, 3), ['-q:v', '8']),
    ('high', source('32x720', 0, 3), ['-q:v', '8']),
)
# Without threads, on which its choices depend.
H264 = ['-c:v', 'libx264', '-threads', '1', '-pix_fmt', 'yuv420p']


def x264(options, *more):
    return [*more, '-x264-params', options]


# Name, source, encoder.
H264_STREAMS = (
    ('CAVLC, I and P', source('176x144', 10), ['-profile:v', 'baseline']),
    ('CABAC, I', source('98x50', 20), ['-profile:v', 'main', '-g', '1']),
    ('CABAC, P and B', source('176x144', 10, 8),
     x264('weightp=0:weightb=0', '-profile:v', 'main', '-bf', '3')),
    ('8x8, CABAC', source('178x98', 10, 8), ['-bf', '3']),
    ('8x8, CAVLC', source('112x112', 10, 8), ['-bf', '3', '-coder', '0']),
    ('weights', source('128x96', 10, 8),
     x264('weightp=2:weightb=1:ref=4:bframes=3:b-pyramid=2')),
    ('temporal direct', source('128x96', 10, 10),
     x264('direct=temporal:ref=4:bframes=3:b-pyramid=2')),
    ('temporal direct of 4x4 blocks', source('96x96', 10, 10),
     x264('direct=temporal:ref=4:partitions=all:no-8x8dct=1:bframes=3',
          '-profile:v', 'main', '-level', '1.1')),
    ('spatial direct of 4x4 blocks', source('96x96', 0, 10),
     x264('direct=spatial:partitions=all:bframes=3', '-level', '1.1')),
    ('slices', source('176x144', 10, 6), x264('slices=5:deblock=2,-2')),
    ('small slices', source('130x98', 10, 6),
     x264('slice-max-size=200', '-coder', '0')),
    ('no loop filter', source('80x80', 10), x264('no-deblock=1')),
    ('scaling lists', source('128x96', 10, 6), x264('cqm=jvt')),
    ('4:0:0', source('112x80', 10, 6), ['-pix_fmt', 'gray']),
    ('constrained intra', source('128x96', 10, 8),
     x264('constrained-intra=1')),
    ('fine', source('64x64', 60), ['-qp', '1']),
    ('coarse', source('112x80', 30), ['-qp', '51']),
    ('chroma QP', source('112x80', 10, 6), x264('chroma-qp-offset=8')),
    ('wide', source('1024x48', 0, 3), []),
    ('high', source('32x720', 0, 3), []),
    ('MBAFF, CABAC', source('128x96', 10, 8), x264('interlaced=1:bframes=3')),
    ('MBAFF, CAVLC', source('96x128', 10, 8),
     x264('interlaced=1:deblock=3,3', '-coder', '0', '-bf', '2')),
    ('MBAFF, temporal direct', source('96x128', 10, 8),
     x264('interlaced=1:direct=temporal:constrained-intra=1:qp=40:bframes=2')),
    ('MBAFF, slices', source('180x96', 10, 8),
     x264('interlaced=1:slices=3:ref=4:b-pyramid=2:bframes=3')),
)
LARGE_H264 = 60
JPEG = ['-c:v', 'mjpeg', '-strict', '-1']
# Name, source, encoder, format that iHD's surface has.
JPEG_STREAMS = (
    ('4:2:0', source('176x144'), ['-pix_fmt', 'yuvj420p'], 'nv12'),
    ('4:2:0, odd size', source('99x51', 30), ['-pix_fmt', 'yuvj420p'], 'nv12'),
    ('4:2:0, fine', source('64x64', 80), ['-pix_fmt', 'yuvj420p',
                                          '-q:v', '1'], 'nv12'),
    ('4:2:0, coarse', source('130x98', 30), ['-pix_fmt', 'yuvj420p',
                                             '-q:v', '31'], 'nv12'),
    ('4:2:0, default tables', source('80x80', 20),
     ['-pix_fmt', 'yuvj420p', '-huffman', 'default'], 'nv12'),
    ('4:2:2', source('176x144', 10), ['-pix_fmt', 'yuvj422p'], 'yuyv422'),
)
# What iHD has for each sampling. It refuses 4:4:0 before the kernel is asked.
JPEG_SURFACES = {'4:2:0': 'nv12', '4:2:2': 'yuyv422', '4:2:2, 4 Y': 'yuyv422',
                 '4:4:4': 'yuv444p', '4:1:1': 'yuv411p', '4:0:0': 'gray'}


# i965 reads frames back with kernels of the media pipeline. Other surfaces than
# NV12 are converted by them.
DRIVERS = ('iHD', 'i965')
# Which part of a frame is compared. i965's kernels leave out the last row of
# chroma of an odd height.
CROP = {'iHD': 'null', 'i965': 'crop=iw:floor(ih/2)*2:0:0'}


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=TIMEOUT_S, text=True,
                          check=False, **more)


def frames(text):
    return [line.split(',')[-1].strip() for line in text.splitlines()
            if line and not line.startswith('#')]


class Media:
    def __init__(self, args, folder):
        self.softlake, self.folder = args.softlake, folder
        self.only = re.compile(args.only)
        self.counts = THREADS if args.threads is None else (args.threads,)
        self.all_counts = args.large
        self.preload = {'LD_PRELOAD': args.preload} if args.preload else {}
        self.codes = mpeg2_random.read_codes(args.codes)
        self.drivers = installed_drivers()
        self.results = []
        self.turn = 0

    def report(self, name, wrong):
        self.results.append((name, wrong))
        print('%s %d - %s' % ('not ok' if wrong else 'ok', len(self.results),
                              name), flush=True)
        for line in (wrong or '').splitlines():
            print('# ' + line, flush=True)

    def environment(self, driver):
        return dict(os.environ, LIBVA_DRIVER_NAME=driver, **self.preload)

    def make(self, name, source_, encoder, suffix):
        path = self.folder / (name.replace(' ', '_') + suffix)
        done = run(['ffmpeg', '-v', 'error', '-y', *source_, *encoder,
                    '-flags', '+bitexact' + encoder_flags(encoder), str(path)])
        return None if done.returncode else path

    def decode_software(self, path, chroma, driver, options):
        done = run(['ffmpeg', '-v', 'error', '-threads', '1', '-idct', 'simple',
                    *options, '-i', str(path), '-vf', CROP[driver], '-pix_fmt',
                    chroma, '-f', 'framemd5', '-'])
        return frames(done.stdout)

    def decode(self, path, chroma, surface, threads, driver, options):
        """Frames of a driver, and what went wrong."""
        done = run([self.softlake, '--strict', '-j', str(threads), '--',
                    'ffmpeg', '-v', 'error', '-threads', '1',
                    '-hwaccel', 'vaapi',
                    '-hwaccel_device', '/dev/dri/renderD128',
                    '-hwaccel_output_format', 'vaapi', *options, '-i',
                    str(path),
                    '-vf', 'hwdownload,format=%s,%s' % (surface, CROP[driver]),
                    '-pix_fmt', chroma, '-f', 'framemd5', '-'],
                   env=self.environment(driver))
        wrong = done.stderr[-1000:] if done.returncode else ''
        return frames(done.stdout), wrong

    def compare(self, name, path, chroma='yuv420p', surface='nv12', all_=False,
                whole=False, but=()):
        """whole: pictures uncropped; ffmpeg cuts those of a surface at the
        right and at the bottom alone. but: drivers that cannot."""
        if not self.only.search(name):
            return
        if not path:
            self.report(name, 'no stream')
            return
        every = all_ or self.all_counts
        counts = self.counts if every else (
            self.counts[self.turn % len(self.counts)],)
        self.turn += 1
        wrong = ''
        drivers = [d for d in self.drivers if d not in but and
                   (d == 'iHD' or surface == 'nv12')]
        options = ['-apply_cropping', '0'] if whole else []
        # ffmpeg does not find out by itself what some random pictures are.
        options += ['-f', 'mjpeg'] if path.suffix == '.mjpeg' else []
        want = {d: self.decode_software(path, chroma, d, options)
                for d in drivers}
        if not all(want.values()):
            wrong += 'software decodes no frame\n'
        for driver, threads in itertools.product(drivers, counts):
            got, failed = self.decode(path, chroma, surface, threads, driver,
                                      options)
            if failed:
                wrong += '%s, %d threads: %s\n' % (driver, threads, failed)
            elif got != want[driver]:
                bad = sum(a != b for a, b in zip(got, want[driver]))
                wrong += '%s, %d threads: %d of %d differ, %d decoded\n' % (
                    driver, threads, bad, len(want[driver]), len(got))
        self.report(name, wrong)

    def survive(self, name, path):
        """A broken stream: the driver reports errors of decoding, at which
        ffmpeg ends, but nothing crashes."""
        if not self.only.search(name):
            return
        command = ['ffmpeg', '-v', 'quiet', '-threads', '1', '-hwaccel',
                   'vaapi', '-hwaccel_device', '/dev/dri/renderD128',
                   '-hwaccel_output_format', 'vaapi', '-i', str(path), '-vf',
                   'hwdownload,format=nv12', '-f', 'framemd5', '-']
        seen, wrong = [], ''
        for threads in 0, 8:
            done = run([self.softlake, '-j', str(threads), '--', *command],
                       env=self.environment('iHD'))
            seen.append(frames(done.stdout))
            # The launcher has 128 + the number of a signal.
            if done.returncode > 128:
                wrong += '%d threads: status %d\n' % (threads, done.returncode)
        # Which frame iHD has a status for when it is asked is a matter of time.
        if any(a != b for a, b in zip(*seen)):
            wrong += 'frames differ with 0 and 8 threads\n'
        self.report(name, wrong)

    def broken_stream(self, path, seed):
        """Some bytes of it replaced; the first ones are headers."""
        any_ = random.Random(seed)
        data = bytearray(path.read_bytes())
        for _ in range(any_.choice((1, 5, 40))):
            data[any_.randrange(min(400, len(data) // 2), len(data))] = \
                any_.randrange(256)
        broken = self.folder / ('broken-%d%s' % (seed, path.suffix))
        broken.write_bytes(data)
        return broken

    def random_stream(self, seed):
        path = self.folder / ('random-%d.m2v' % seed)
        path.write_bytes(mpeg2_random.make(self.codes, seed))
        return path


def encoder_flags(encoder):
    """ffmpeg takes the last -flags alone."""
    return ''.join(b for a, b in zip(encoder, encoder[1:]) if a == '-flags')


def write_junit(path, results):
    cases = []
    for name, wrong in results:
        inner = '<failure>%s</failure>' % escape(wrong) if wrong else ''
        cases.append('<testcase classname="media" name=%s>%s</testcase>' %
                     (quoteattr(name), inner))
    path.write_text('<?xml version="1.0" encoding="UTF-8"?>\n<testsuite '
                    'name="media" tests="%d" failures="%d">\n%s\n'
                    '</testsuite>\n' % (
                        len(results), sum(bool(w) for _, w in results),
                        '\n'.join(cases)))


def installed_drivers():
    return [d for d in DRIVERS
            if glob.glob('/usr/lib/*/dri/%s_drv_video.so' % d)]


def can_run():
    return shutil.which('ffmpeg') and 'iHD' in installed_drivers()


def compare_mpeg2(media, large):
    for i, (name, source_, encoder) in enumerate(MPEG2_STREAMS):
        path = media.make('mpeg2 ' + name, source_, MPEG2 + encoder, '.m2v')
        media.compare('MPEG-2: ' + name, path, all_=i == 0)
    for seed in range(LARGE_RANDOM if large else RANDOM):
        media.compare('MPEG-2: random %d' % seed, media.random_stream(seed))
    for seed in range(LARGE_BROKEN if large else BROKEN):
        path = media.broken_stream(media.random_stream(seed % 7), seed)
        media.survive('MPEG-2: broken %d' % seed, path)


def random_x264(seed):
    """A source and options by chance."""
    any_ = random.Random(seed)
    size = '%dx%d' % (any_.randrange(16, 100) * 2, any_.randrange(8, 40) * 4)
    options = {
        'bframes': any_.randrange(4), 'ref': any_.randrange(1, 6),
        'weightp': any_.randrange(3), 'weightb': any_.randrange(2),
        'b-pyramid': any_.randrange(3), 'subme': any_.randrange(8),
        'direct': any_.choice(('spatial', 'temporal', 'auto')),
        'partitions': any_.choice(('all', 'none', 'p8x8,i4x4')),
        '8x8dct': any_.randrange(2), 'cabac': any_.randrange(2),
        'slices': any_.randrange(1, 5), 'qp': any_.randrange(12, 50),
        'deblock': '%d,%d' % (any_.randrange(-6, 7), any_.randrange(-6, 7)),
        'constrained-intra': any_.randrange(2),
        'interlaced': any_.randrange(2),
        'chroma-qp-offset': any_.randrange(-12, 13),
        'cqm': any_.choice(('flat', 'jvt')), 'keyint': any_.choice((1, 5, 50)),
    }
    text = ':'.join('%s=%s' % item for item in options.items())
    return source(size, any_.choice((0, 5, 40)), 10), x264(text)


def compare_fields(media, large):
    """Field pictures among frames."""
    options = 'ref=2:weightp=0:weightb=1:b-adapt=0:b-pyramid=0:bframes=1:' \
        'slices=2:level=4.0'
    parts = [media.make('h264 of %d rows' % rows,
                        source('96x%d' % rows, 10, 16),
                        H264 + x264(options, '-coder', '0'), '.h264')
             for rows in (48, 96)]
    for seed in range(LARGE_H264 if large else 4):
        path = media.folder / ('h264_fields-%d.h264' % seed)
        path.write_bytes(h264_fields.make(*(p.read_bytes() for p in parts),
                                          seed))
        media.compare('H.264: fields %d' % seed, path)


def compare_h264(media, large):
    for i, (name, source_, encoder) in enumerate(H264_STREAMS):
        path = media.make('h264 ' + name, source_, H264 + encoder, '.mp4')
        # i965 does not read surfaces of 4:0:0 back.
        # Slices are decoded in parallel.
        media.compare('H.264: ' + name, path, all_=i == 0 or 'slices' in name,
                      but=('i965',) if 'gray' in encoder else ())
    for seed in range(LARGE_H264 if large else 4):
        source_, encoder = random_x264(seed)
        path = media.make('h264 random-%d' % seed, source_, H264 + encoder,
                          '.h264')
        media.compare('H.264: random %d' % seed, path)
        if path and seed % 2 == 0:
            media.survive('H.264: broken %d' % seed,
                          media.broken_stream(path, seed))


def compare_jpeg(media, large):
    for i, (name, source_, encoder, surface) in enumerate(JPEG_STREAMS):
        chroma = encoder[encoder.index('-pix_fmt') + 1]
        path = media.make('jpeg ' + name, source_, JPEG + encoder, '.avi')
        media.compare('JPEG: ' + name, path, chroma, surface, all_=i == 0)
    for sampling, surface in JPEG_SURFACES.items():
        chroma = jpeg_random.SAMPLINGS[sampling][2]
        for seed in range(LARGE_RANDOM // 5 if large else 2):
            path = media.folder / ('random-%s-%d.mjpeg' % (chroma, seed))
            path.write_bytes(jpeg_random.make(sampling, seed))
            media.compare('JPEG: %s, random %d' % (sampling, seed), path,
                          chroma, surface)
    whole = media.folder / 'whole.mjpeg'
    for seed in range(LARGE_BROKEN if large else BROKEN):
        whole.write_bytes(jpeg_random.make('4:2:0', seed))
        media.survive('JPEG: broken %d' % seed,
                      media.broken_stream(whole, seed))


def compare_folder(media, folder):
    """4:2:0 streams of others."""
    for path in sorted(folder.rglob('*')):
        if path.suffix in ('.m2v', '.mpg', '.mpeg', '.ts', '.vob'):
            media.compare('%s' % path.relative_to(folder), path)
        elif path.suffix in ('.264', '.h264', '.jsv', '.avc', '.26l', '.jvt'):
            media.compare('%s' % path.relative_to(folder), path, whole=True)
        elif path.suffix in ('.jpg', '.jpeg', '.mjpeg'):
            media.compare('%s' % path.relative_to(folder), path, 'yuvj420p')


def main():
    args = argparse.ArgumentParser()
    args.add_argument('softlake')
    args.add_argument('codes')
    args.add_argument('--large', action='store_true')
    args.add_argument('--keep', type=pathlib.Path)
    args.add_argument('--streams', type=pathlib.Path)
    args.add_argument('--junit', type=pathlib.Path)
    args.add_argument('--only', default='')
    args.add_argument('--threads', type=int)
    args.add_argument('--preload')
    args = args.parse_args()
    if not can_run():
        print('1..0 # SKIP no ffmpeg or no iHD')
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        media = Media(args, folder)
        compare_mpeg2(media, args.large)
        compare_h264(media, args.large)
        compare_fields(media, args.large)
        compare_jpeg(media, args.large)
        if args.streams:
            compare_folder(media, args.streams)
        print('1..%d' % len(media.results))
        if args.junit:
            write_junit(args.junit, media.results)
    return any(wrong for _, wrong in media.results)


if __name__ == '__main__':
    sys.exit(main())
