#!/usr/bin/env python3
"""A desktop of three processes: compositor, X server and a GLX program.

usage: run_desktop.py SOFTLAKE

Weston composes with GL, Xwayland draws with glamor on buffers it shares with
Weston, glxgears on buffers it shares with Xwayland (DRI3). Each has an engine
of its own. The picture of the gears must arrive on X's root window. TAP.
"""
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

START_S = 60
STOP_S = 20
TOOLS = ('weston', 'Xwayland', 'glxgears', 'glxinfo', 'xwd')

# glxgears' colours are shades of these, over black; enough of each gear is
# what a window of 300 x 300 shows at any angle.
GEARS = (('red', 0), ('green', 1), ('blue', 2))
LEAST_PX = 1500


class Failed(Exception):
    """A step that did not finish; the message names it."""


def wait_for(what, ready):
    """Calls ready() until it returns something."""
    end = time.monotonic() + START_S
    while time.monotonic() < end:
        found = ready()
        if found:
            return found
        time.sleep(0.1)
    raise Failed(f'{what} not within {START_S} s')


def root_window():
    """Pixels of X's root window, as tuples of red, green and blue."""
    dump = subprocess.run(['xwd', '-root', '-silent'], check=True,
                          stdout=subprocess.PIPE, timeout=START_S).stdout
    header = struct.unpack('>25I', dump[:100])
    size, width, height = header[0], header[4], header[5]
    pitch, colours = header[12], header[19]
    if pitch != 4 * width:
        raise Failed(f'{pitch} bytes a line of {width} pixels')
    start = size + 12 * colours
    for y in range(height):
        row = dump[start + y * pitch:start + y * pitch + 4 * width]
        for x in range(0, 4 * width, 4):
            yield row[x + 2], row[x + 1], row[x]


def gears_seen():
    """Pixels in which red, green and blue are at least twice the others."""
    seen = [0, 0, 0]
    for pixel in root_window():
        most = max(range(3), key=lambda i: pixel[i])
        others = max(pixel[i] for i in range(3) if i != most)
        if pixel[most] >= 60 and pixel[most] >= 2 * others:
            seen[most] += 1
    return seen


def gl_option():
    """Weston 12 has another option for composition with GL."""
    said = subprocess.run(['weston', '--help'], stdout=subprocess.PIPE,
                          timeout=START_S, text=True).stdout
    return '--renderer=gl' if '--renderer=' in said else '--use-gl'


class Desktop:
    """The processes, and the directory with their sockets and messages."""

    def __init__(self, softlake, directory):
        self.softlake = softlake
        self.directory = directory
        self.env = dict(os.environ, XDG_RUNTIME_DIR=directory,
                        MESA_SHADER_CACHE_DISABLE='true')
        for name in ('DISPLAY', 'WAYLAND_DISPLAY', 'LIBGL_ALWAYS_SOFTWARE',
                     'GALLIUM_DRIVER', 'EGL_PLATFORM'):
            self.env.pop(name, None)
        self.running = []

    def path(self, name):
        return os.path.join(self.directory, name)

    def start(self, name, *arguments, **kwargs):
        """Starts a program under --strict; its messages go to a file."""
        with open(self.path(name + '.log'), 'wb') as log:
            process = subprocess.Popen(
                [self.softlake, '--strict', '-j', '2', '--', name, *arguments],
                env=self.env, stdout=log, stderr=log, **kwargs)
        self.running.append((name, process))
        return process

    def messages(self, name):
        with open(self.path(name + '.log'), errors='replace') as log:
            return log.read()

    def stop(self):
        """Ends all, the last first. Returns {name: exit status}."""
        status = {}
        for name, process in reversed(self.running):
            process.send_signal(signal.SIGTERM)
            try:
                status[name] = process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()
                status[name] = 'killed'
                process.wait()
        self.running = []
        return status

    def start_weston(self):
        self.start('weston', '--backend=headless-backend.so', gl_option(),
                   '--width=800', '--height=600', '--socket=wayland-test',
                   '--idle-time=0')
        wait_for('a socket of weston',
                 lambda: os.path.exists(self.path('wayland-test')))
        self.env['WAYLAND_DISPLAY'] = 'wayland-test'

    def start_xwayland(self):
        reader, writer = os.pipe()
        self.start('Xwayland', '-displayfd', str(writer), '-ac', '-nolisten',
                   'tcp', pass_fds=[writer])
        os.close(writer)
        with os.fdopen(reader) as pipe:
            number = pipe.readline().strip()
        if not number:
            raise Failed('no display of Xwayland')
        self.env['DISPLAY'] = os.environ['DISPLAY'] = ':' + number


def renderer(desktop):
    """The renderer string of a direct rendering context of GLX."""
    done = subprocess.run(
        [desktop.softlake, '--', 'glxinfo', '-B'], # draws nothing
        env=desktop.env, stdout=subprocess.PIPE, timeout=START_S, text=True)
    direct = 'direct rendering: Yes' in done.stdout
    name = re.search(r'OpenGL renderer string: (.*)', done.stdout)
    return done.returncode, direct, name.group(1) if name else None


def run(desktop, check):
    desktop.start_weston()
    desktop.start_xwayland()
    status, direct, name = renderer(desktop)
    check('glx', status == 0 and direct and name and 'Intel' in name,
          f'status {status}, direct {direct}, {name}')
    check('glamor', 'glamor' not in desktop.messages('Xwayland').lower(),
          desktop.messages('Xwayland'))
    desktop.start('glxgears', '-info')
    seen = [0, 0, 0]

    def all_gears():
        seen[:] = gears_seen()
        return min(seen) >= LEAST_PX
    try:
        wait_for('three gears', all_gears)
    except Failed as why:
        print('#', why)
    for colour, i in GEARS:
        check('gear-' + colour, seen[i] >= LEAST_PX, f'{seen[i]} pixels')


def main():
    softlake = sys.argv[1]
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing:
        print('1..0 # SKIP without', ' '.join(missing))
        return
    done = []

    def check(name, good, why):
        done.append(good)
        print('ok' if good else 'not ok', len(done), '-', name)
        if not good:
            print('#', str(why).replace('\n', '\n# '))

    with tempfile.TemporaryDirectory() as directory:
        desktop = Desktop(softlake, directory)
        try:
            run(desktop, check)
        except (Failed, subprocess.SubprocessError) as why:
            check('desktop', False, why)
        # A program that SIGTERM ends has that status. --strict's 120 would
        # mean that it never opened the device, or met something
        # unimplemented.
        for name, status in desktop.stop().items():
            check('end-' + name, status in (0, 128 + signal.SIGTERM,
                                            -signal.SIGTERM),
                  f'status {status}\n' + desktop.messages(name))
    print(f'1..{len(done)}')


if __name__ == '__main__':
    main()
