#!/usr/bin/env python3
"""Filters frames by the video post-processing of stock VA-API drivers, and
compares them with ffmpeg's own filters. TAP.

usage: run_vebox.py SOFTLAKE [--keep DIR]

Conversions that need no arithmetic and rotations must be equal. The rest has a
bound, because Intel has not published the hardware's arithmetic: the least PSNR
in dB. Threads take turns from case to case; one case runs with all numbers of
them. LIBVA_DRIVERS_PATH may name the folder of a driver: Debian's
intel-media-va-driver has no post-processing, but that of non-free has. i965
filters decoded pictures, and copies them with a kernel after the VEBOX. A driver
that is not there is left out; without any, or ffmpeg, all is skipped.
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
SIZE, ODD = '320x240', '322x186'


def source(size=SIZE, rate=25):
    return 'testsrc2=size=%s:rate=%d' % (size, rate)


def lut(y, c):
    """Rounds to the nearest. All three have an expression of their own, because
    lutyuv's default for chroma clips to 16..240."""
    return 'lutyuv=' + ':'.join(
        '%s=clip(round(%s)\\,0\\,255)' % part
        for part in (('y', y), ('u', c), ('v', c)))


# Name, filters before the upload, VA filter, ffmpeg's filter, output format,
# least PSNR, size. The input's format is the last of the filters before.
CASES = (
    ('NV12 to P010', 'format=nv12', 'scale_vaapi=format=p010', 'null',
     'p010le', EXACT, SIZE),
    ('NV12 to P010, other size', 'format=nv12', 'scale_vaapi=format=p010',
     'null', 'p010le', EXACT, ODD),
    ('P010 to NV12', 'format=nv12,format=p010le', 'scale_vaapi=format=nv12',
     'null', 'nv12', EXACT, SIZE),
    ('UYVY to YUYV', 'format=uyvy422', 'scale_vaapi=format=yuyv422', 'null',
     'yuyv422', EXACT, ODD),
    # swscale interpolates chroma.
    ('NV12 to YUYV', 'format=nv12', 'scale_vaapi=format=yuyv422', 'null',
     'yuyv422', 38, SIZE),
    ('YUYV to NV12', 'format=yuyv422', 'scale_vaapi=format=nv12', 'null',
     'nv12', 40, SIZE),
    ('YUYV to P010', 'format=yuyv422', 'scale_vaapi=format=p010', 'null',
     'p010le', 40, ODD),
    ('quarter turn', 'format=nv12', 'transpose_vaapi=dir=clock',
     'transpose=clock', 'nv12', EXACT, ODD),
    ('half turn', 'format=nv12', 'transpose_vaapi=dir=reversal',
     'hflip,vflip', 'nv12', EXACT, ODD),
    ('three quarter turns', 'format=nv12', 'transpose_vaapi=dir=cclock',
     'transpose=cclock', 'nv12', EXACT, SIZE),
    ('ProcAmp that changes nothing', 'format=nv12', 'procamp_vaapi=b=0:c=1',
     'null', 'nv12', EXACT, ODD),
    ('brightness', 'format=nv12', 'procamp_vaapi=b=-20', lut('val-20', 'val'),
     'nv12', EXACT, SIZE),
    ('brightness and contrast', 'format=nv12', 'procamp_vaapi=b=10:c=1.5',
     lut('(val-16)*1.5+26', '(val-128)*1.5+128'), 'nv12', 50, SIZE),
    ('saturation', 'format=nv12', 'procamp_vaapi=s=0.5',
     lut('val', '(val-128)*0.5+128'), 'nv12', 50, SIZE),
    # The angle that DXVA has, clockwise.
    ('hue', 'format=nv12', 'procamp_vaapi=h=40', 'hue=h=-40', 'nv12', 40,
     SIZE),
    ('sharpness', 'format=nv12', 'sharpness_vaapi=sharpness=44',
     'unsharp=5:5:0.7', 'nv12', 30, SIZE),
    # By a kernel, whose filter adapts to steps where pictures grow.
    ('double size', 'format=nv12', 'scale_vaapi=640:480',
     'scale=640:480:flags=bicubic', 'nv12', 32, SIZE),
    ('one and a half size', 'format=nv12', 'scale_vaapi=480:360',
     'scale=480:360:flags=bicubic', 'nv12', 35, SIZE),
    ('half size', 'format=nv12', 'scale_vaapi=160:120',
     'scale=160:120:flags=bicubic', 'nv12', 28, SIZE),
)
# Of i965: VA filter, ffmpeg's filter, least PSNR.
I965_CASES = (
    ('procamp_vaapi=c=1.5', lut('(val-16)*1.5+16', '(val-128)*1.5+128'),
     EXACT),
    ('procamp_vaapi=b=20', lut('val+20', 'val'), EXACT),
    ('procamp_vaapi=b=-20', lut('val-20', 'val'), EXACT),
    ('procamp_vaapi=s=0.5', lut('val', '(val-128)*0.5+128'), EXACT),
    ('procamp_vaapi=h=40', 'hue=h=-40', 40),
    ('denoise_vaapi=denoise=20', 'null', 40),
    ('deinterlace_vaapi=mode=bob', 'bwdif=0:1:0', 33),
)
FIELDS = 'interlace=lowpass=0,format=nv12'
DEINTERLACE = ('bob', 'motion_adaptive', 'motion_compensated')


def psnr(a, b, wide):
    if len(a) != len(b) or not a:
        return 0
    if a == b:
        return EXACT
    if wide:
        a = [v / 256 for v in memoryview(a).cast('H')]
        b = [v / 256 for v in memoryview(b).cast('H')]
    error = sum((x - y) ** 2 for x, y in zip(a, b)) / len(a)
    return 10 * math.log10(255 ** 2 / error)


class Vpp:
    def __init__(self, softlake, folder):
        self.softlake, self.folder = softlake, folder
        self.count = self.failed = self.turn = 0

    def report(self, name, wrong):
        self.count += 1
        self.failed += bool(wrong)
        print('%s %d - %s' % ('not ok' if wrong else 'ok', self.count, name))
        for line in (wrong or '').splitlines():
            print('# ' + line)
        sys.stdout.flush()

    def ffmpeg(self, graph, src, chroma, frames, before=(), device=()):
        """The frames' bytes, and what ffmpeg said if it failed."""
        out = self.folder / 'frames.raw'
        out.unlink(missing_ok=True)
        done = subprocess.run(
            [*before, 'ffmpeg', '-v', 'error', '-y', *device, '-f', 'lavfi',
             '-i', src, '-frames:v', str(frames), '-vf',
             graph + ',format=' + chroma, '-f', 'rawvideo', str(out)],
            stderr=subprocess.PIPE, text=True, timeout=TIMEOUT_S, check=False)
        if done.returncode or not out.exists():
            return b'', done.stderr[-1000:] or 'no frames'
        return out.read_bytes(), ''

    def filtered(self, graph, va, src, chroma, frames=1, threads=0):
        return self.ffmpeg(
            '%s,hwupload,%s,hwdownload' % (graph, va), src, chroma, frames,
            [self.softlake, '--strict', '-j', str(threads), '--'],
            ['-vaapi_device', '/dev/dri/renderD128'])

    def next_threads(self):
        self.turn += 1
        return THREADS[self.turn % len(THREADS)]

    def compare(self, name, before, va, reference, chroma, least, size):
        want, wrong = self.ffmpeg(before + ',' + reference, source(size),
                                  chroma, 2)
        got, failed = self.filtered(before, va, source(size), chroma, 2,
                                    self.next_threads())
        wrong += failed
        seen = psnr(got, want, 'p010' in chroma)
        if not wrong and seen < least:
            wrong = 'PSNR of %.2f dB, not %s' % (
                seen, 'equal' if least == EXACT else '%d dB' % least)
        self.report(name, wrong)

    def deinterlace(self, mode):
        """Beside two of ffmpeg's deinterlacers, which differ themselves; rows
        of the first field stay."""
        va = 'deinterlace_vaapi=mode=' + mode
        src = source(rate=50)
        got, wrong = self.filtered(FIELDS, va, src, 'nv12', 3,
                                   self.next_threads())
        for other in 'bwdif=0', 'yadif=0':
            want, _ = self.ffmpeg(FIELDS + ',' + other, src, 'nv12', 3)
            seen = psnr(got, want, False)
            if not wrong and seen < 33:
                wrong = 'PSNR of %.2f dB beside %s' % (seen, other)
        fields, _ = self.ffmpeg(FIELDS, src, 'nv12', 1)
        if not wrong and any(got[y * 320:y * 320 + 320] !=
                             fields[y * 320:y * 320 + 320]
                             for y in range(0, 240, 2)):
            wrong = 'the first field has changed'
        self.report('deinterlacing, ' + mode, wrong)

    def denoise(self):
        """Nearer to the frames without noise than those with it."""
        noise = 'noise=alls=16:allf=t:all_seed=3,format=nv12'
        still = source() + ',select=eq(n\\,0),loop=8:1'
        clean, _ = self.ffmpeg('format=nv12', still, 'nv12', 6)
        before, _ = self.ffmpeg(noise, still, 'nv12', 6)
        got, wrong = self.filtered(noise, 'denoise_vaapi=denoise=64', still,
                                   'nv12', 6, self.next_threads())
        first, last = slice(0, 76800), slice(-115200, -38400)
        gains = [psnr(got[part], clean[part], False) -
                 psnr(before[part], clean[part], False)
                 for part in (first, last) if got]
        if not wrong and (gains[0] < 1 or gains[1] < 2):
            wrong = 'luma of the first and the last frame gained ' \
                '%.2f and %.2f dB' % tuple(gains)
        self.report('denoising', wrong)

    def all_threads(self):
        graph = 'noise=alls=9:all_seed=4,' + FIELDS
        results = [self.filtered(graph, 'deinterlace_vaapi,'
                                 'denoise_vaapi=denoise=30,'
                                 'sharpness_vaapi=sharpness=30',
                                 source(ODD, 50), 'nv12', 3, threads)
                   for threads in THREADS]
        wrong = ''.join(failed for _, failed in results)
        if any(got != results[0][0] for got, _ in results):
            wrong += 'frames differ'
        self.report('0, 1, 2 and 8 threads', wrong)


    def decoded(self, va, reference, least):
        """A filter of i965, after the decoder."""
        path, out = self.folder / 'stream.m2v', self.folder / 'frames.raw'
        subprocess.run(['ffmpeg', '-v', 'error', '-y', '-f', 'lavfi', '-i',
                        source(), '-frames:v', '4', '-c:v', 'mpeg2video',
                        '-q:v', '2', str(path)], check=True,
                       timeout=TIMEOUT_S)
        frames = []
        for threads in None, 0, 8:
            before, graph = [], 'format=nv12,' + reference
            command = ['ffmpeg', '-v', 'error', '-y', '-threads', '1']
            if threads is None:
                command += ['-idct', 'simple']
            else:
                before = [self.softlake, '--strict', '-j', str(threads), '--']
                graph = va + ',hwdownload'
                command += ['-hwaccel', 'vaapi', '-hwaccel_device',
                            '/dev/dri/renderD128', '-hwaccel_output_format',
                            'vaapi']
            out.unlink(missing_ok=True)
            done = subprocess.run(
                [*before, *command, '-i', str(path), '-vf',
                 graph + ',format=nv12', '-f', 'rawvideo', str(out)],
                stderr=subprocess.PIPE, text=True, timeout=TIMEOUT_S,
                check=False)
            frames.append(b'' if done.returncode else out.read_bytes())
        seen = psnr(frames[1], frames[0], False)
        wrong = '' if seen >= least else 'PSNR of %.2f dB' % seen
        if frames[1] != frames[2]:
            wrong += ' 0 and 8 threads differ'
        self.report('i965: ' + va, wrong)


def can_run(vpp, va, chroma):
    return shutil.which('ffmpeg') and \
        vpp.filtered('format=nv12', va, source(), chroma)[0]


def run_ihd(vpp):
    for case in CASES:
        vpp.compare(*case)
    for mode in DEINTERLACE:
        vpp.deinterlace(mode)
    vpp.denoise()
    vpp.all_threads()


def main():
    args = argparse.ArgumentParser()
    args.add_argument('softlake')
    args.add_argument('--keep', type=pathlib.Path)
    args = args.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        vpp = Vpp(args.softlake, folder)
        os.environ['LIBVA_DRIVER_NAME'] = 'iHD'
        if can_run(vpp, 'scale_vaapi=format=p010', 'p010le'):
            run_ihd(vpp)
        os.environ['LIBVA_DRIVER_NAME'] = 'i965'
        if can_run(vpp, 'procamp_vaapi=b=1', 'nv12'):
            for case in I965_CASES:
                vpp.decoded(*case)
        print('1..%d%s' % (vpp.count, '' if vpp.count else
                           ' # SKIP no ffmpeg or no driver that filters'))
    return vpp.failed > 0


if __name__ == '__main__':
    sys.exit(main())
