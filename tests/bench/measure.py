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
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / 'tests' / 'client'))
import run_glmark2  # noqa: E402

TIMEOUT_S = 120
# llvmpipe without its shortcuts in texture filtering, which timed runs use.
EXACT = {'GALLIVM_PERF': 'no_brilinear,no_rho_approx,no_quad_lod,'
                         'no_aos_sampling'}
MEAN, PERCENT = 0.5, 0.5  # the common tolerance
GLMARK2 = 'glmark2-es2-drm'
MAX_FRAMES = 8192


class Failed(Exception):
    """A row cannot be measured, or its frames are wrong."""


class Config:
    """A driver on a number of cores."""

    def __init__(self, driver, cores, launcher=None, exact=False):
        self.driver, self.cores, self.launcher = driver, cores, launcher
        self.exact = exact
        self.name = '%s-%s' % (driver, cores)
        self.renderer = 'Intel' if launcher else 'llvmpipe'

    def threads(self):
        """Number of workers; on one core the submitter does all work."""
        return 0 if self.cores == 1 else self.cores

    def command(self, argv):
        if not self.launcher:
            return list(argv)
        return [self.launcher, '-j', str(self.threads()), '--'] + list(argv)

    def environment(self):
        env = dict(os.environ, MESA_SHADER_CACHE_DISABLE='true')
        for name in ('LIBGL_ALWAYS_SOFTWARE', 'GALLIUM_DRIVER', 'GALLIVM_PERF',
                     'MESA_LOADER_DRIVER_OVERRIDE', 'INTEL_DEBUG'):
            env.pop(name, None)
        if not self.launcher:
            env.update(LIBGL_ALWAYS_SOFTWARE='1', GALLIUM_DRIVER='llvmpipe',
                       LP_NUM_THREADS=str(self.threads()))
            env.update(EXACT if self.exact else {})
        return env


def timed(command, env):
    """Runs a command: seconds of wall and of CPU time, peak memory, exit
    status, and what it prints."""
    start = time.monotonic()
    child = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = child.stdout.read().decode(errors='replace')
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    child.stdout.close()
    return (time.monotonic() - start, usage.ru_utime + usage.ru_stime,
            usage.ru_maxrss, child.returncode, text)


# ---- rows of glbench ----

class Process:
    """glbench with one row on one configuration, waiting for commands."""

    def __init__(self, program, row, config):
        self.config = config
        self.child = subprocess.Popen(
            config.command([program, row]), env=config.environment(),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        if config.renderer not in self.answer('ready'):
            raise Failed('drawn by another driver')

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


class GlRow:
    """One workload of glbench; every configuration keeps its process."""

    def __init__(self, program, row, unit, folder, seconds):
        self.program, self.name, self.unit = program, row['name'], unit
        self.group = row['group']
        self.mean, self.percent = row['mean'], row['percent']
        self.folder, self.seconds = folder, seconds
        self.processes, self.first = {}, None

    def open(self, configs):
        for config in configs:
            self.processes[config.name] = Process(self.program, self.name,
                                                  config)
        self.judge()

    def picture(self, process):
        path = str(self.folder / process.config.driver)
        process.ask('picture ' + path)
        return path

    def judge(self):
        """Compares Softlake's frame with an exact llvmpipe's."""
        ours = self.processes.get('softlake-1')
        if not ours:
            return
        # A picture changes state (clear surfaces are drawn to): do it for all.
        for process in self.processes.values():
            if process is not ours:
                self.picture(process)
        reference = Process(self.program, self.name,
                            Config('llvmpipe', 1, exact=True))
        theirs = self.picture(reference)
        reference.close()
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
        self.frames, self.peak_kB = {}, {}

    def run(self, config, frames):
        """(wall, cpu) seconds of a process that draws that many frames."""
        # Softlake provides the display for both drivers.
        extra = {} if config.launcher else dict(
            run_glmark2.LLVMPIPE, LP_NUM_THREADS=str(config.threads()))
        extra.pop('GALLIVM_PERF', None)
        # All at the same moment of the animation, at any speed.
        extra['LD_PRELOAD'] = ':'.join(
            p for p in (os.environ.get('LD_PRELOAD'), self.clock) if p)
        command = [config.launcher or self.launcher, '-j',
                   str(config.threads()), '--', GLMARK2, '--off-screen', '-s',
                   self.size, '-b', '%s:nframes=%d' % (self.scene, frames)]
        wall, cpu, peak_kB, status, text = timed(
            command, dict(config.environment(), **extra))
        renderer = re.search('GL_RENDERER:(.*)', text)
        if status or not renderer or \
                config.renderer not in renderer.group(1):
            raise Failed('%s: %s' % (config.name, text[-300:]))
        self.peak_kB[config.name] = max(peak_kB,
                                        self.peak_kB.get(config.name, 0))
        return wall, cpu

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

def measure(row, configs, rounds):
    """The row as it goes into the JSON file."""
    if row.group == 'kernels':
        configs = [c for c in configs if c.name == 'softlake-1']
    samples = {c.name: {'wall': [], 'cpu': []} for c in configs}
    result = {'name': row.name, 'group': row.group, 'unit': row.unit,
              'samples': samples, 'problem': None}
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
    except (Failed, OSError, subprocess.SubprocessError) as problem:
        result['problem'] = str(problem)
    finally:
        row.close()
    return result
