#!/usr/bin/env python3
"""Scales, sharpens, turns and flips frames in one pass of the VEBOX and the
SFC, by GStreamer's vapostproc on stock iHD, and compares them with ffmpeg's
filters: ffmpeg's own VA filters do one thing a pass, so they do not reach the
scaler of the SFC. TAP.

usage: run_vapostproc.py SOFTLAKE

Bounds are the least PSNR in dB of luma and of chroma, because Intel has not
published the arithmetic of the filters. LIBVA_DRIVERS_PATH may name the folder
of a driver, as for run_vebox.py; without GStreamer's va plugin, ffmpeg or a
driver that filters, all is skipped.
"""
import argparse
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

THREADS = (0, 1, 2, 8)
TIMEOUT_S = 120
EXACT = 1000
WIDTH, HEIGHT = 320, 240
BICUBIC = 'scale=%d:%d:flags=bicubic'

# Name, properties of vapostproc, size, ffmpeg's filter, bounds. %d in a filter
# is the size. Grown pictures adapt to their steps; skin-tone and denoise make
# vapostproc take the VEBOX.
CASES = (
    ('skin tones, double size', 'skin-tone=5', (640, 480), BICUBIC, 40, 33),
    ('skin tones, other size', 'skin-tone=5', (448, 312), BICUBIC, 38, 32),
    ('less noise, one and a half size', 'denoise=20', (480, 360), BICUBIC, 40,
     32),
    ('contrast, half size', 'auto-contrast=true', (160, 120), BICUBIC, 30, 28),
    ('sharpness', 'sharpen=20', (320, 240), 'unsharp=5:5:0.25', 45, EXACT),
    ('much sharpness', 'sharpen=60', (320, 240), 'unsharp=5:5:3', 29, EXACT),
    ('sharpness, double size', 'sharpen=20', (640, 480),
     BICUBIC + ',unsharp=5:5:0.25', 36, 31),
    ('quarter turn', 'sharpen=0 video-direction=1', (240, 320),
     'transpose=clock', EXACT, EXACT),
    ('quarter turn, one and a half size', 'sharpen=0 video-direction=1',
     (360, 480), 'transpose=clock,' + BICUBIC, 38, 32),
    # GStreamer takes frames of more than 576 rows for BT.709.
    ('quarter turn, double size, matrix', 'sharpen=0 video-direction=1',
     (480, 640), 'transpose=clock,' + BICUBIC +
     ':in_color_matrix=bt601:out_color_matrix=bt709', 36, 32),
    # Flips are those of kernels, whose sampler turns what it returns.
    ('horizontal flip', 'sharpen=0 video-direction=horiz', (320, 240), 'hflip',
     EXACT, EXACT),
    ('vertical flip', 'sharpen=0 video-direction=vert', (320, 240), 'vflip',
     EXACT, EXACT),
    ('transposed', 'sharpen=0 video-direction=ul-lr', (240, 320),
     'transpose=cclock_flip', EXACT, EXACT),
    ('transposed by the other diagonal', 'sharpen=0 video-direction=ur-ll',
     (240, 320), 'transpose=clock_flip', EXACT, EXACT),
    ('vertical flip, double size', 'sharpen=0 video-direction=vert',
     (640, 480), 'vflip,' + BICUBIC, 32, 35),
    ('transposed, larger', 'sharpen=0 video-direction=ul-lr', (480, 560),
     'transpose=cclock_flip,' + BICUBIC, 33, 36),
    ('the other diagonal, larger', 'sharpen=0 video-direction=ur-ll',
     (480, 560), 'transpose=clock_flip,' + BICUBIC, 33, 36),
)


def psnr(a, b):
    error = sum((x - y) ** 2 for x, y in zip(a, b)) / max(len(a), 1)
    return 10 * math.log10(255 ** 2 / error) if error else EXACT


def run(command):
    """What the command said, if it failed."""
    done = subprocess.run(command, stderr=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True,
                          timeout=TIMEOUT_S, check=False)
    if done.returncode:
        return (done.stderr + done.stdout)[-1000:] or 'failed'
    return ''


class Frames:
    def __init__(self, softlake, folder):
        self.softlake, self.folder = softlake, folder
        self.source = str(folder / 'source.raw')
        self.out = folder / 'out.raw'

    def make_source(self):
        return run(['ffmpeg', '-v', 'error', '-y', '-f', 'lavfi', '-i',
                    'testsrc2=size=%dx%d' % (WIDTH, HEIGHT), '-frames:v', '2',
                    '-pix_fmt', 'nv12', '-f', 'rawvideo', self.source])

    def read(self, command):
        self.out.unlink(missing_ok=True)
        wrong = run(command)
        return (self.out.read_bytes() if self.out.exists() else b''), wrong

    def filtered(self, properties, size, threads):
        caps = 'video/x-raw,format=%s,width=%d,height=%d'
        return self.read(
            [self.softlake, '--strict', '-j', str(threads), '--',
             'gst-launch-1.0', '-q', 'filesrc', 'location=' + self.source, '!',
             'rawvideoparse', 'format=nv12', 'width=%d' % WIDTH,
             'height=%d' % HEIGHT, 'framerate=25/1', '!', 'vapostproc',
             *properties.split(), '!', caps % ('NV12', *size), '!',
             'videoconvert', '!', caps % ('I420', *size), '!', 'filesink',
             'location=%s' % self.out])

    def reference(self, graph, size):
        graph = graph % size if '%' in graph else graph
        return self.read(
            ['ffmpeg', '-v', 'error', '-y', '-f', 'rawvideo', '-pix_fmt',
             'nv12', '-s', '%dx%d' % (WIDTH, HEIGHT), '-i', self.source,
             '-vf', graph + ',format=yuv420p', '-f', 'rawvideo',
             str(self.out)])


def frames_of(data, size):
    """Luma and chroma of both frames."""
    luma_B, all_B = size[0] * size[1], size[0] * size[1] * 3 // 2
    parts = [data[i * all_B:(i + 1) * all_B] for i in range(2)]
    return b''.join(p[:luma_B] for p in parts), \
        b''.join(p[luma_B:] for p in parts)


def check(frames, case, threads):
    _, properties, size, graph, *least = case
    got, wrong = frames.filtered(properties, size, threads)
    want, failed = frames.reference(graph, size)
    if wrong or failed:
        return wrong + failed
    if len(got) != len(want):
        return '%d bytes, not %d' % (len(got), len(want))
    for name, a, b, bound in zip(('luma', 'chroma'), frames_of(got, size),
                                 frames_of(want, size), least):
        if psnr(a, b) < bound:
            wrong += '%s: PSNR of %.2f dB, not %s\n' % (
                name, psnr(a, b), 'equal' if bound == EXACT else bound)
    return wrong


def can_run(frames):
    return shutil.which('gst-launch-1.0') and shutil.which('ffmpeg') and \
        not frames.make_source() and \
        not frames.filtered('skin-tone=5', (WIDTH, HEIGHT), 0)[1]


def main():
    args = argparse.ArgumentParser()
    args.add_argument('softlake')
    args = args.parse_args()
    os.environ['LIBVA_DRIVER_NAME'] = 'iHD'
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        os.environ['GST_REGISTRY'] = temporary + '/registry.bin'
        frames = Frames(args.softlake, pathlib.Path(temporary))
        if not can_run(frames):
            print('1..0 # SKIP no vapostproc, ffmpeg or driver that filters')
            return 0
        print('1..%d' % len(CASES))
        for i, case in enumerate(CASES):
            wrong = check(frames, case, THREADS[i % len(THREADS)])
            failed += bool(wrong)
            print('%s %d - %s' % ('not ok' if wrong else 'ok', i + 1, case[0]))
            for line in wrong.splitlines():
                print('# ' + line)
            sys.stdout.flush()
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
