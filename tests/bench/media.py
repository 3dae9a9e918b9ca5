"""Rows of scripts/bench that decode video through stock iHD, beside ffmpeg's
software decoder, which is the reference.

The streams are made by ffmpeg's encoders and kept in the build directory. The
cost of a frame is the difference between a run that decodes the stream several
times and one that decodes it once, without showing or reading back a frame: the
driver's own work is in it, the start is not.
"""
import glob
import pathlib
import re
import shutil
import subprocess

import measure

FRAMES = 32
SIZE = '1920x1080'
# A zoom that rotates by fractions of a pixel, a picture that moves over it, and
# grain.
SOURCE = (
    'mandelbrot=size=%s:rate=25:maxiter=200:start_scale=0.5:end_scale=0.3:'
    'end_pts=200:start_x=-0.74:start_y=0.13,rotate=a=0.002*n[zoom];'
    'testsrc2=size=640x360:rate=25[inset];'
    '[zoom][inset]overlay=x=40+7*n:y=60+3*n,'
    'noise=alls=5:allf=t:all_seed=1' % SIZE)
X264 = ['-c:v', 'libx264', '-threads', '1', '-crf', '23', '-pix_fmt',
        'yuv420p']
# Name, group, encoder, format of software frames.
STREAMS = (
    ('media_h264', 'media-h264', X264, 'yuv420p'),
    ('media_h264_slices', 'media-h264', X264 + ['-slices', '8'], 'yuv420p'),
    ('media_h264_cavlc', 'media-h264', X264 + ['-coder', '0'], 'yuv420p'),
    ('media_mpeg2', 'media', ['-c:v', 'mpeg2video', '-bf', '2', '-q:v', '4'],
     'yuv420p'),
    ('media_jpeg', 'media', ['-c:v', 'mjpeg', '-q:v', '3', '-pix_fmt',
                             'yuvj420p'], 'yuvj420p'),
)
HARDWARE = ['-hwaccel', 'vaapi', '-hwaccel_device', '/dev/dri/renderD128',
            '-hwaccel_output_format', 'vaapi']


def can_run():
    return shutil.which('ffmpeg') and \
        glob.glob('/usr/lib/*/dri/iHD_drv_video.so')


def make(path, arguments):
    """Runs ffmpeg if the file is not there; never leaves half of one."""
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_suffix('.half' + path.suffix)
    done = subprocess.run(['ffmpeg', '-v', 'error', '-y'] + arguments +
                          [str(half)], stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise measure.Failed('ffmpeg: ' + done.stderr[-300:])
    half.rename(path)


class MediaRow:
    unit = 'frame/s'

    def __init__(self, stream, folder, loops):
        self.name, self.group, self.encoder, self.format = stream
        self.folder, self.loops = pathlib.Path(folder), loops
        self.wanted, self.peak_kB = None, {}

    def path(self, loops):
        """The stream so many times."""
        return self.folder / ('%s_%d.mkv' % (self.name, loops))

    def run(self, config, loops, output):
        """(wall, cpu) seconds and what ffmpeg prints."""
        decoder = HARDWARE if config.launcher else []
        command = ['ffmpeg', '-v', 'error', '-threads',
                   str(max(config.threads(), 1)), '-idct', 'simple'] + \
            decoder + ['-i', str(self.path(loops))] + output
        wall, cpu, peak_kB, status, text = config.here().timed(
            command, 'gl', {'LIBVA_DRIVER_NAME': 'iHD'})
        if status:
            raise measure.Failed('%s: %s' % (config.name, text[-300:]))
        self.peak_kB[config.name] = max(peak_kB,
                                        self.peak_kB.get(config.name, 0))
        return wall, cpu, text

    def open(self, configs):
        source = self.folder / 'source.mkv'
        make(source, ['-f', 'lavfi', '-i', SOURCE, '-frames:v', str(FRAMES),
                      '-pix_fmt', 'yuv420p', '-c:v', 'ffv1'])
        make(self.path(1), ['-i', str(source)] + self.encoder)
        make(self.path(1 + self.loops),
             ['-stream_loop', str(self.loops), '-i', str(self.path(1)), '-c',
              'copy'])
        self.wanted = self.digests(measure.Config('reference', 1))
        self.judge(configs)

    def digests(self, config):
        download = ['-vf', 'hwdownload,format=nv12'] if config.launcher else []
        output = download + ['-pix_fmt', self.format, '-f', 'framemd5', '-']
        text = self.run(config, 1, output)[2]
        return re.findall(r', *([0-9a-f]{32})$', text, re.MULTILINE)

    def judge(self, configs):
        """Every frame, on any number of cores."""
        for config in configs:
            if config.driver != 'softlake':
                continue
            frames = self.digests(config)
            if frames != self.wanted or len(frames) != FRAMES:
                raise measure.Failed('%s decodes other frames than ffmpeg' %
                                     config.name)

    def sample(self, config):
        nowhere = ['-f', 'null', '-']
        once = self.run(config, 1, nowhere)
        more = self.run(config, 1 + self.loops, nowhere)
        if more[0] <= once[0] or more[1] <= once[1]:
            raise measure.Failed('frames cost nothing: the machine is busy')
        return tuple((more[i] - once[i]) / (self.loops * FRAMES)
                     for i in range(2))

    def drivers(self):
        return {}

    def memory_kB(self, config):
        return self.peak_kB[config.name]

    def finish(self):
        pass

    def close(self):
        pass


def rows(folder, loops):
    return [MediaRow(stream, folder, loops) for stream in STREAMS] \
        if can_run() else []
