"""The drivers that scripts/bench compares: Softlake under stock drivers, and
the reference, which is the newest software driver that a user could take:
llvmpipe, lavapipe or PoCL of this system or of another Debian's chroot."""
import os
import pathlib
import subprocess

import timed

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DISTRO = str(ROOT / 'scripts' / 'distro')
TIMED = str(ROOT / 'tests' / 'bench' / 'timed.py')
# llvmpipe without its shortcuts in texture filtering, which timed runs use.
EXACT = {'GALLIVM_PERF': 'no_brilinear,no_rho_approx,no_quad_lod,'
                         'no_aos_sampling'}
# Of each API: the environment that selects a driver, and a word of what the
# driver says of itself. Of one core's numbers `threads` says how many workers.
SOFTLAKE = {
    'gl': ({}, 'Intel'),
    'cl': ({'OCL_ICD_VENDORS': '/etc/OpenCL/vendors/intel.icd'}, 'Intel'),
    'vk': ({'VK_LOADER_DRIVERS_SELECT': '*intel_icd*'}, 'Intel'),
}
REFERENCE = {
    'gl': ({'LIBGL_ALWAYS_SOFTWARE': '1', 'GALLIUM_DRIVER': 'llvmpipe'},
           'llvmpipe'),
    'cl': ({'OCL_ICD_VENDORS': '/etc/OpenCL/vendors/pocl.icd'}, 'Portable'),
    'vk': ({'VK_LOADER_DRIVERS_SELECT': '*lvp_icd*'}, 'llvmpipe'),
}
CHOOSING = ('LIBGL_ALWAYS_SOFTWARE', 'GALLIUM_DRIVER', 'GALLIVM_PERF',
            'MESA_LOADER_DRIVER_OVERRIDE', 'INTEL_DEBUG', 'OCL_ICD_VENDORS',
            'VK_ICD_FILENAMES', 'VK_DRIVER_FILES', 'VK_LOADER_DRIVERS_SELECT')


class Unavailable(Exception):
    """A reference is not to be had on this machine."""


class Chroot:
    """Another distribution's root, as scripts/distro mounts it. It stays while
    this process lives, because a mount takes longer than most rows."""
    VARIABLES = ('HOME=/root', 'LANG=C.UTF-8', 'PATH=/usr/bin:/bin')

    def __init__(self, name):
        self.child = subprocess.Popen(
            [DISTRO, '--for', 'bench', name, 'sh', '-c',
             'echo inside; read line'], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        # What is installed first is said before.
        for line in self.child.stdout:
            if line == 'inside\n':
                break
        else:
            raise Unavailable(self.child.communicate()[1].strip()[-300:])
        self.process = innermost(self.child.pid)

    def command(self, argv, variables):
        return ['nsenter', '--target', str(self.process), '--mount', '--pid',
                '--root', '--wd', 'env', '-i', *self.VARIABLES] + \
            ['%s=%s' % item for item in sorted(variables.items())] + list(argv)

    def close(self):
        self.child.communicate()


def innermost(pid):
    """The process that all of these wait for."""
    while True:
        children = pathlib.Path('/proc/%d/task/%d/children' % (
            pid, pid)).read_text().split()
        if not children:
            return pid
        pid = int(children[-1])


class Config:
    """A driver on a number of cores: driver is softlake, old (another build),
    noop (Softlake that executes nothing) or reference. A reference may be in a
    Chroot. `everywhere`: on all rows, not on those alone that
    are judged against it."""

    def __init__(self, driver, cores, launcher=None, exact=False, chroot=None,
                 everywhere=True):
        self.driver, self.cores, self.launcher = driver, cores, launcher
        self.exact, self.chroot, self.everywhere = exact, chroot, everywhere
        self.name = '%s-%s' % (driver, cores)

    def threads(self):
        """Number of workers; on one core the submitter does all work."""
        return 0 if self.cores == 1 else self.cores

    def here(self):
        """The same of this system."""
        return Config(self.driver, self.cores, self.launcher, self.exact)

    def word(self, api):
        """What is in the name of the API's driver."""
        return (SOFTLAKE if self.launcher else REFERENCE)[api][1]

    def variables(self, api):
        """What selects the driver, besides the launcher."""
        chosen = dict((SOFTLAKE if self.launcher else REFERENCE)[api][0],
                      MESA_SHADER_CACHE_DISABLE='true')
        if not self.launcher:
            cores = str(max(1, self.threads()))
            # PoCL renamed it.
            chosen.update(LP_NUM_THREADS=str(self.threads()),
                          POCL_MAX_PTHREAD_COUNT=cores,
                          POCL_CPU_MAX_CU_COUNT=cores)
            chosen.update(EXACT if self.exact else {})
        return chosen

    def launch(self, argv):
        """The command line under Softlake's launcher, if it is used."""
        if not self.launcher:
            return list(argv)
        noop = ['--noop'] if self.driver == 'noop' else []
        return [self.launcher, '-j', str(self.threads())] + noop + ['--'] + \
            list(argv)

    def command(self, argv, api, extra=()):
        """(command line, environment) of a program; `extra` variables are put
        over the driver's."""
        variables = dict(self.variables(api), **dict(extra))
        if self.chroot:
            return self.chroot.command(self.launch(argv), variables), None
        env = {k: v for k, v in os.environ.items() if k not in CHOOSING}
        return self.launch(argv), dict(env, **variables)

    def timed(self, argv, api, extra=()):
        """timed.run() of it. In a chroot another process counts, because the
        namespace's ends before this one can ask for its times."""
        if not self.chroot:
            return timed.run(*self.command(argv, api, extra))
        variables = dict(self.variables(api), **dict(extra))
        inside = ['env'] + ['%s=%s' % item for item in variables.items()] + \
            self.launch(argv)
        text = timed.run(self.chroot.command(['python3', TIMED] + inside,
                                             {}))[4]
        head, _, last = text.rstrip().rpartition('\n')
        words = last.split()
        if words[:1] != ['timed'] or len(words) != 5:
            return 0.0, 0.0, 0, 1, text
        return (float(words[1]), float(words[2]), int(words[3]),
                int(words[4]), head)


def installed(api):
    """Whether this system has the stock driver of OpenCL."""
    path = SOFTLAKE[api][0].get('OCL_ICD_VENDORS')
    return not path or os.path.exists(path)


def host_isa():
    """What Softlake's kernels are made for here: avx512, avx2 or other."""
    wanted = os.environ.get('SOFTLAKE_CPU')
    if wanted:
        return wanted
    try:
        flags = pathlib.Path('/proc/cpuinfo').read_text().split()
    except OSError:
        flags = []
    return 'avx512' if 'avx512vl' in flags else 'avx2' if 'avx2' in flags \
        else 'other'


def machine_limits(text, isa):
    """The limits of one core, by the names of rows.csv, from what the program
    machine prints."""
    found = {}
    for line in text.splitlines():
        name, value = line.split()
        found[name] = float(value)
    limits = {k: v for k, v in found.items() if not k.startswith('fma-')}
    if found.get('fma-' + isa):
        limits['fma'] = found['fma-' + isa]
    return limits
