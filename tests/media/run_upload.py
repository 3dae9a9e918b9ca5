#!/usr/bin/env python3
"""Uploads pictures to surfaces of stock VA drivers and reads them back: every
byte must come back, whichever way it goes. TAP.

usage: run_upload.py SOFTLAKE

i965 maps tiled surfaces through the aperture (libdrm's GTT maps), iHD tiles by
itself. Ways in: vaDeriveImage and a map, vaPutImage, ffmpeg's hwupload. Ways
out: vaDeriveImage, vaGetImage, hwdownload, hwmap, and scale_vaapi before it.
Skipped without ffmpeg, libva or the drivers.
"""
import ctypes as c
import glob
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

TIMEOUT_S = 120
THREADS = (0, 8)
DRIVERS = ('i965', 'iHD')
# iHD copies without the GPU, which --strict takes for a software renderer.
STRICT = {'i965': ('--strict',), 'iHD': ()}
NODE = '/dev/dri/renderD128'
SIZES = ((320, 240), (98, 50), (722, 134))
RT_YUV420 = 1
PIXEL_FORMAT, SETTABLE, INTEGER = 1, 2, 1
NV12 = int.from_bytes(b'NV12', 'little')

# ---- libva, by hand: its headers may not be there --------------------------


class ImageFormat(c.Structure):
    _fields_ = [(name, c.c_uint32) for name in (
        'fourcc', 'byte_order', 'bits_per_pixel', 'depth', 'red_mask',
        'green_mask', 'blue_mask', 'alpha_mask')] + [
            ('reserved', c.c_uint32 * 4)]


class Image(c.Structure):
    _fields_ = [('image_id', c.c_uint32), ('format', ImageFormat),
                ('buf', c.c_uint32), ('width', c.c_uint16),
                ('height', c.c_uint16), ('data_size', c.c_uint32),
                ('num_planes', c.c_uint32), ('pitches', c.c_uint32 * 3),
                ('offsets', c.c_uint32 * 3),
                ('num_palette_entries', c.c_int32),
                ('entry_bytes', c.c_int32), ('component_order', c.c_int8 * 4),
                ('reserved', c.c_uint32 * 4)]


class SurfaceAttrib(c.Structure):
    _fields_ = [('type', c.c_int), ('flags', c.c_uint32),
                ('value_type', c.c_int), ('value', c.c_int64)]


class Va:
    """A display; every call must succeed."""

    def __init__(self):
        self.lib = c.CDLL('libva.so.2')
        drm = c.CDLL('libva-drm.so.2')
        drm.vaGetDisplayDRM.restype = c.c_void_p
        self.lib.vaSetInfoCallback.argtypes = (c.c_void_p,) * 3
        self.dpy = c.c_void_p(drm.vaGetDisplayDRM(os.open(NODE, os.O_RDWR)))
        self.lib.vaSetInfoCallback(self.dpy, None, None)
        self.call('Initialize', c.byref(c.c_int()), c.byref(c.c_int()))

    def call(self, name, *args):
        status = getattr(self.lib, 'va' + name)(self.dpy, *args)
        if status:
            raise RuntimeError('va%s: %d' % (name, status))

    def surface(self, width, height):
        one = c.c_uint32()
        wanted = SurfaceAttrib(PIXEL_FORMAT, SETTABLE, INTEGER, NV12)
        self.call('CreateSurfaces', RT_YUV420, width, height, c.byref(one), 1,
                  c.byref(wanted), 1)
        return one

    def image(self, width, height):
        image = Image()
        wanted = ImageFormat(fourcc=NV12, byte_order=1, bits_per_pixel=12)
        self.call('CreateImage', c.byref(wanted), width, height,
                  c.byref(image))
        return image


def planes(image, base, width, height):
    """Address and width of each row of an NV12 picture."""
    for plane in range(2):
        rows = height if plane == 0 else (height + 1) // 2
        for y in range(rows):
            yield (base + image.offsets[plane] + y * image.pitches[plane],
                   (width + 1) // 2 * 2 if plane else width)


def touch(va, image, size, data=None):
    """Writes the picture into an image, or reads it."""
    base = c.c_void_p()
    va.call('MapBuffer', image.buf, c.byref(base))
    got, at = b'', 0
    for address, width in planes(image, base.value, *size):
        if data is None:
            got += c.string_at(address, width)
        else:
            c.memmove(address, data[at:at + width], width)
            at += width
    va.call('UnmapBuffer', image.buf)
    return got


def derive(va, surface, size, data=None):
    image = Image()
    va.call('DeriveImage', surface, c.byref(image))
    if image.format.fourcc != NV12:
        raise RuntimeError('derived image is not NV12')
    got = touch(va, image, size, data)
    va.call('DestroyImage', image.image_id)
    return got


def put(va, surface, size, data):
    image = va.image(*size)
    touch(va, image, size, data)
    va.call('PutImage', surface, image.image_id, 0, 0, *size, 0, 0, *size)
    va.call('DestroyImage', image.image_id)


def get(va, surface, size):
    image = va.image(*size)
    va.call('GetImage', surface, 0, 0, *size, image.image_id)
    got = touch(va, image, size)
    va.call('DestroyImage', image.image_id)
    return got


def inside():
    """In the preloaded process: all ways in and out, one surface each size."""
    va = Va()
    rng = random.Random(1)
    for size in SIZES:
        surface = va.surface(*size)
        for round_ in range(2):
            for name, write in (('derive', derive), ('put', put)):
                data = rng.randbytes(size[0] * size[1] +
                                     (size[0] + 1) // 2 * 2 *
                                     ((size[1] + 1) // 2))
                write(va, surface, size, data)
                for out, read in (('get', get), ('derive', derive)):
                    good = read(va, surface, size) == data
                    print('%s %dx%d, %s, %s, round %d' % (
                        'good' if good else 'bad', *size, name, out, round_))
    return 0


# ---- jobs ------------------------------------------------------------------


def run(command, driver=None):
    env = dict(os.environ, LIBVA_DRIVER_NAME=driver) if driver else None
    return subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=TIMEOUT_S,
                          check=False, env=env)


def check_calls(softlake, driver, threads):
    done = run([softlake, *STRICT[driver], '-j', str(threads), '--',
                sys.executable, os.path.abspath(__file__), '--inside'], driver)
    lines = done.stdout.decode().splitlines()
    bad = [line for line in lines if not line.startswith('good')]
    if done.returncode or len(lines) != len(SIZES) * 8:
        bad.append(done.stderr.decode()[-600:])
    return '\n'.join(bad)


# Driver, format of the source, filters between upload and download.
FILTERS = (
    ('i965', 'nv12', 'hwupload,hwdownload'),
    ('i965', 'yuv420p', 'hwupload,hwdownload'),
    ('i965', 'yuyv422', 'hwupload,hwdownload'),
    ('i965', 'uyvy422', 'hwupload,hwdownload'),
    ('i965', 'nv12', 'hwupload,hwmap=mode=read'),
    ('i965', 'nv12', 'hwupload,scale_vaapi=w=320:h=240,hwdownload'),
    ('i965', 'nv12', 'hwupload,scale_vaapi=w=320:h=240,'
     'hwmap=mode=read+direct'),
    ('i965', 'nv12', 'hwupload,scale_vaapi=w=320:h=240,'
     'scale_vaapi=w=320:h=240,hwdownload'),
    ('iHD', 'nv12', 'hwupload,hwdownload'),
    ('iHD', 'nv12', 'hwupload,hwmap=mode=read+direct'),
)


def make_source(folder, form):
    path = folder / (form + '.yuv')
    run(['ffmpeg', '-v', 'error', '-y', '-f', 'lavfi', '-i',
         'testsrc2=size=320x240:rate=25', '-frames:v', '4', '-pix_fmt', form,
         '-f', 'rawvideo', str(path)])
    return path


def check_filter(softlake, folder, job, threads):
    driver, form, filters = job
    path = make_source(folder, form)
    done = run([softlake, *STRICT[driver], '-j', str(threads), '--', 'ffmpeg',
                '-v', 'error', '-threads', '1', '-init_hw_device', 'vaapi=va:' + NODE,
                '-filter_hw_device', 'va', '-f', 'rawvideo', '-pix_fmt', form,
                '-s', '320x240', '-i', str(path), '-vf',
                filters + ',format=' + form, '-f', 'rawvideo', '-'], driver)
    if done.returncode:
        return done.stderr.decode()[-600:]
    return '' if done.stdout == path.read_bytes() else 'other bytes'


def check_scaled(softlake, folder, threads):
    """A decoded and an uploaded picture are scaled to the same bytes."""
    path = folder / 'source.m2v'
    run(['ffmpeg', '-v', 'error', '-y', '-f', 'lavfi', '-i',
         'testsrc2=size=320x240:rate=25', '-frames:v', '3', '-c:v',
         'mpeg2video', '-q:v', '3', str(path)])
    shown = []
    for how, filters in (
            (['-hwaccel', 'vaapi', '-hwaccel_device', NODE,
              '-hwaccel_output_format', 'vaapi'], ''),
            (['-init_hw_device', 'vaapi=va:' + NODE, '-filter_hw_device', 'va',
              '-idct', 'simple'], 'format=nv12,hwupload,')):
        done = run([softlake, '--strict', '-j', str(threads), '--', 'ffmpeg',
                    '-v', 'error', '-threads', '1', *how, '-i', str(path),
                    '-vf', filters + 'scale_vaapi=w=200:h=150,hwdownload,'
                    'format=nv12', '-f', 'rawvideo', '-'], 'i965')
        if done.returncode:
            return done.stderr.decode()[-600:]
        shown.append(done.stdout)
    return '' if shown[0] and shown[0] == shown[1] else 'other bytes'


def main():
    if sys.argv[1] == '--inside':
        return inside()
    softlake = sys.argv[1]
    if not (shutil.which('ffmpeg') and all(
            glob.glob('/usr/lib/*/dri/%s_drv_video.so' % driver)
            for driver in DRIVERS)):
        print('1..0 # SKIP no ffmpeg or no drivers')
        return 0
    failed = n = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        jobs = [('%s: derive, put, get' % d,
                 lambda t, d=d: check_calls(softlake, d, t)) for d in DRIVERS]
        jobs += [('%s: %s of %s' % (j[0], j[2], j[1]),
                  lambda t, j=j: check_filter(softlake, folder, j, t))
                 for j in FILTERS]
        jobs.append(('i965: uploaded and decoded, scaled',
                     lambda t: check_scaled(softlake, folder, t)))
        for title, check in jobs:
            wrong = ''.join(check(threads) for threads in THREADS)
            failed += bool(wrong)
            n += 1
            print('%sok %d - %s' % ('not ' if wrong else '', n, title),
                  flush=True)
            for line in wrong.splitlines():
                print('# ' + line, flush=True)
    print('1..%d' % n)
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
