"""What tests run on."""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'vk'))
import icd  # noqa: E402

NAMES = ('softlake', 'noop', 'llvmpipe')
FOREIGN = ('LIBGL_ALWAYS_SOFTWARE', 'GALLIUM_DRIVER', 'INTEL_DEBUG',
           'MESA_LOADER_DRIVER_OVERRIDE', 'LD_PRELOAD')


class Driver:
    def __init__(self, name, launcher, threads, tier=None):
        self.name = name
        self.launcher = launcher
        self.threads = threads
        self.tier = tier  # SOFTLAKE_EU

    def prefix(self):
        if self.name == 'llvmpipe':
            return []
        noop = ['--noop'] if self.name == 'noop' else []
        return [self.launcher, '--threads', str(self.threads)] + noop + ['--']

    def environment(self, extra):
        env = {k: v for k, v in os.environ.items()
               if k not in FOREIGN and not k.startswith('SOFTLAKE_')}
        env.update(extra, MESA_SHADER_CACHE_DISABLE='true')
        if self.tier:
            env['SOFTLAKE_EU'] = self.tier
        if self.name == 'llvmpipe':
            env.update(LIBGL_ALWAYS_SOFTWARE='1', GALLIUM_DRIVER='llvmpipe',
                       LP_NUM_THREADS='0')
        return env

    def choose_vulkan(self, env):
        """With anv alone; lavapipe alone beside llvmpipe. The loader would
        give a program both."""
        name = 'lvp' if self.name == 'llvmpipe' else 'intel'
        chosen = icd.only(name)
        if not chosen:
            raise SystemExit('conformance: no %s_icd*.json in %s' % (
                name, ' '.join(icd.FOLDERS)))
        return dict(env, **chosen)

    def timeout(self, seconds):
        # Nothing that waits for a result ever gets one.
        return min(seconds, 5) if self.name == 'noop' else seconds
