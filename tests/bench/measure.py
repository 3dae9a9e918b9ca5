"""Measures the numbers of scripts/bench: drivers, rows, samples.

A row is opened on every configuration, then sampled in turn, and closed. A
sample is (wall, cpu): seconds per unit of work.
"""
import hashlib
import os
import pathlib
import re
import resource
import select
import subprocess
import sys

from configs import Config

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / 'tests' / 'client'))
import run_glmark2  # noqa: E402

TIMEOUT_S = 120
MEAN, PERCENT = 0.5, 0.5  # the common tolerance
GLMARK2 = 'glmark2-es2-drm'
MAX_FRAMES = 8192


class Failed(Exception):
    """A row cannot be measured, or its frames are wrong."""


# ---- rows of clients ----

class Process:
    """A client with one row on one configuration, waiting for commands."""

    def __init__(self, program, row, config, api):
        self.config = config
        command, env = config.command([program, row], api)
        self.child = subprocess.Popen(
            command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        self.driver = self.answer('ready').strip()
        if config.word(api) not in self.driver:
            raise Failed('drawn by another driver: ' + self.driver)

    def answer(self, word):
        """The line that begins with word, without it."""
        ready, _, _ = select.select([self.child.stdout], [], [], TIMEOUT_S)
        line = self.child.stdout.readline().decode() if ready else ''
        if line.startswith(word + ' '):
            return line[len(word) + 1:]
        self.child.kill()
        text = self.child.communicate()[1].decode(errors='replace').strip()
        raise Failed('%s: %s' % (self.config.name, text[-300:] or
                                 ('no answer' if ready else 'timed out')))

    def ask(self, command):
        try:
            self.child.stdin.write((command + '\n').encode())
            self.child.stdin.flush()
        except BrokenPipeError:
            pass  # answer() reports the process's output
        return self.answer(command.split()[0])

    def close(self):
        self.child.stdin.close()
        try:
            self.child.wait(TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
        for pipe in (self.child.stdout, self.child.stderr):
            pipe.close()


def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).digest()


class ClientRow:
    """One workload of glbench, clbench or vkbench; every configuration keeps
    its process."""

    def __init__(self, program, api, row, unit, folder, seconds):
        self.program, self.api = program, api
        self.name, self.unit, self.group = row['name'], unit, row['group']
        self.mean, self.percent = row['mean'], row['percent']
        self.folder, self.seconds = folder, seconds
        self.processes, self.first = {}, None

    def open(self, configs):
        for config in configs:
            self.processes[config.name] = Process(self.program, self.name,
                                                  config, self.api)
        self.judge()

    def drivers(self):
        """What the drivers say of themselves, by configuration."""
        return {name: p.driver for name, p in self.processes.items()}

    def picture(self, process):
        path = str(self.folder / process.config.driver)
        process.ask('picture ' + path)
        return path

    def reference_picture(self):
        """llvmpipe's is an exact one's, of this system; the others have no
        shortcuts."""
        timed = self.processes.get('reference-1')
        if self.api != 'gl' and timed:
            return self.picture(timed)
        exact = Process(self.program, self.name,
                        Config('reference', 1, exact=True), self.api)
        path = self.picture(exact)
        exact.close()
        return path

    def judge(self):
        """Compares Softlake's frame with the reference's."""
        ours = self.processes.get('softlake-1')
        if not ours:
            return
        # A picture changes state (clear surfaces are drawn to): do it for all.
        for process in self.processes.values():
            if process is not ours:
                self.picture(process)
        theirs = self.reference_picture()
        path = self.picture(ours)
        self.first = digest(path)
        text = subprocess.run([self.program, '--compare', path, theirs],
                              stdout=subprocess.PIPE, check=True, text=True)
        mean, percent = map(float, text.stdout.split()[1:])
        if mean > self.mean or percent > self.percent:
            raise Failed('frames differ: mean %.3f/255 (allowed %g), '
                         '%.3f %% far off (allowed %g)' %
                         (mean, self.mean, percent, self.percent))

    def sample(self, config):
        answer = self.processes[config.name].ask('time %g' % self.seconds)
        frames, wall, cpu, work = map(float, answer.split())
        return wall / (frames * work), cpu / (frames * work)

    def memory_kB(self, config):
        return int(self.processes[config.name].ask('memory'))

    def finish(self):
        """The same frame after the timing, on any number of cores."""
        for process in self.processes.values():
            if process.config.driver == 'softlake' and \
                    digest(self.picture(process)) != self.first:
                raise Failed('%s draws another frame in the end' %
                             process.config.name)

    def close(self):
        for process in self.processes.values():
            process.close()


# ---- glmark2 ----

class GlmarkRow:
    """Frames of a scene, off screen. The cost of a frame is the difference
    between a run of many frames and a run of one."""
    unit, group = 'frame/s', 'glmark2'

    def __init__(self, scene, launcher, clock, seconds, size):
        self.scene, self.launcher, self.clock = scene, launcher, clock
        self.name = 'glmark2_' + re.sub('[^a-z0-9.]+', '_', scene)[:40]
        self.seconds, self.size = seconds, size
        self.frames, self.peak_kB, self.told = {}, {}, {}

    def run(self, config, frames):
        """(wall, cpu) seconds of a process that draws that many frames."""
        # Softlake provides the display for both drivers.
        extra = {} if config.launcher else dict(
            run_glmark2.LLVMPIPE, LP_NUM_THREADS=str(config.threads()))
        extra.pop('GALLIVM_PERF', None)
        # All at the same moment of the animation, at any speed.
        extra['LD_PRELOAD'] = ':'.join(
            p for p in (os.environ.get('LD_PRELOAD'), self.clock) if p)
        command = [GLMARK2, '--off-screen', '-s', self.size, '-b',
                   '%s:nframes=%d' % (self.scene, frames)]
        if not config.launcher:
            command = [self.launcher, '-j', str(config.threads()),
                       '--'] + command
        wall, cpu, peak_kB, status, text = config.timed(command, 'gl', extra)
        renderer = re.search('GL_RENDERER:(.*)', text)
        version = re.search('GL_VERSION:(.*)', text)
        if status or not renderer or \
                config.word('gl') not in renderer.group(1):
            raise Failed('%s: %s' % (config.name, text[-300:]))
        self.told[config.name] = '%s; %s' % (
            renderer.group(1).strip(), version and version.group(1).strip())
        self.peak_kB[config.name] = max(peak_kB,
                                        self.peak_kB.get(config.name, 0))
        return wall, cpu

    def drivers(self):
        return self.told

    def open(self, configs):
        self.judge()
        for config in configs:
            self.frames[config.name] = self.calibrate(config)

    def calibrate(self, config):
        """How many frames take about self.seconds, and as long as the start:
        llvmpipe compiles for a second, and no two seconds are alike."""
        start, frames = self.run(config, 1)[1], 8
        wanted = max(self.seconds, start)
        while True:
            spent = self.run(config, frames + 1)[1] - start
            if spent > wanted / 4 or frames >= MAX_FRAMES:
                break
            frames *= 4
        return max(8, min(MAX_FRAMES, int(frames * wanted / spent)))

    def judge(self):
        """The client suite's comparison, at a fixed moment."""
        done = subprocess.run(
            [str(ROOT / 'tests' / 'client' / 'run_glmark2.py'), self.launcher,
             self.clock, self.scene],
            stdout=subprocess.PIPE, text=True)
        if done.returncode:
            raise Failed(' '.join(done.stdout.split('\n')[2:]))

    def sample(self, config):
        frames = self.frames[config.name]
        start, run = self.run(config, 1), self.run(config, frames + 1)
        if run[1] <= start[1] or run[0] <= start[0]:
            raise Failed('%d frames cost nothing: the machine is busy' %
                         frames)
        return tuple((r - s) / frames for r, s in zip(run, start))

    def memory_kB(self, config):
        return self.peak_kB[config.name]

    def finish(self):
        pass

    def close(self):
        pass


# ---- kernels without a driver ----

class KernelRow:
    """Core cycles per executed EU instruction; llvmpipe has none."""
    unit, group = 'insn/cycle', 'kernels'

    def __init__(self, program, kernel):
        self.program, self.kernel = program, kernel
        self.name = 'kernel_' + kernel

    def open(self, configs):
        pass

    def sample(self, config):
        text = subprocess.run([self.program, self.kernel],
                              stdout=subprocess.PIPE, check=True,
                              text=True).stdout
        return cycles_of(text, self.kernel)

    def drivers(self):
        return {}

    def memory_kB(self, config):
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss

    def finish(self):
        pass

    def close(self):
        pass


def cycles_of(text, kernel):
    """Cycles from the table that the program kernels prints: the JIT's best
    code, with its calls and messages."""
    for line in text.splitlines():
        words = line.split()
        if words[:1] == [kernel] and len(words) > 7:
            return float(words[7]), float(words[7])
    raise Failed('kernels says nothing about ' + kernel)


# ---- a row on all configurations ----

def suitable(row, configs, judge):
    """Kernels have no reference. The stock driver alone (noop) is measured
    where it is asked for, or where the group is judged against it."""
    if row.group == 'kernels':
        return [c for c in configs if c.name == 'softlake-1']
    return [c for c in configs if c.driver != 'noop' or c.everywhere or
            judge == 'noop']


def measure(row, configs, rounds, judge=''):
    """The row as it goes into the JSON file."""
    configs = suitable(row, configs, judge)
    samples = {c.name: {'wall': [], 'cpu': []} for c in configs}
    result = {'name': row.name, 'group': row.group, 'unit': row.unit,
              'samples': samples, 'problem': None, 'drivers': {}}
    try:
        row.open(configs)
        for _ in range(rounds):
            for config in configs:
                wall, cpu = row.sample(config)
                samples[config.name]['wall'].append(wall)
                samples[config.name]['cpu'].append(cpu)
        for config in configs:
            samples[config.name]['memory_kB'] = row.memory_kB(config)
        row.finish()
        result['drivers'] = row.drivers()
    except (Failed, OSError, subprocess.SubprocessError) as problem:
        result['problem'] = str(problem)
    finally:
        row.close()
    return result
