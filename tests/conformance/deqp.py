"""dEQP and VK-GL-CTS, from a build that the user has.

The suites, and the options they are run with, are those of Mesa's own
conformance job for Kaby Lake. A process runs a chunk of the cases; when it
dies or hangs, the case it was at is to blame and the rest is run again.
"""
import os
import re
import tempfile

CHUNK = 200
STATUS = {'Pass': 'Pass', 'Fail': 'Fail', 'NotSupported': 'Skip',
          'QualityWarning': 'Warn', 'CompatibilityWarning': 'Warn',
          'Waived': 'Warn', 'InternalError': 'Fail', 'ResourceError': 'Fail',
          'Crash': 'Crash', 'Timeout': 'Timeout'}
CASE = re.compile(r"^Test case '([^']+)'\.\.", re.M)
VERDICT = re.compile(r'^  (\w+) \(', re.M)

# name: (program, the list's file names, first of them that exists)
SUITES = {
    'gles2': ('deqp-gles2', ('gles2-master.txt', 'gles2-main.txt')),
    'gles3': ('deqp-gles3', ('gles3-master.txt', 'gles3-main.txt')),
    'gles31': ('deqp-gles31', ('gles31-master.txt', 'gles31-main.txt')),
    'khr-gles2': ('glcts', ('gles2-khr-master.txt', 'gles2-khr-main.txt')),
    'khr-gles3': ('glcts', ('gles3-khr-master.txt', 'gles3-khr-main.txt')),
    'khr-gles31': ('glcts', ('gles31-khr-master.txt', 'gles31-khr-main.txt')),
    'khr-gl46': ('glcts', ('gl46-master.txt', 'gl46-main.txt')),
    'vk': ('deqp-vk', ('vk-default.txt', 'vk-main.txt', 'vk-master.txt')),
}
# The variants of GLES that Mesa's job has, beside the usual visual.
CONFIGS = {'': 'rgba8888d24s8ms0', '565': 'rgb565d0s0ms0',
           'ms4': 'rgba8888d24s8ms4'}


def find(build, names):
    for root, folders, files in os.walk(build):
        folders.sort()
        for name in names:
            if name in files:
                return os.path.join(root, name)
    return None


def read_cases(path):
    """The cases of a list. Vulkan's list names files of cases, and these are
    beside it."""
    cases = []
    with open(path) as lines:
        for line in map(str.strip, lines):
            if not line or line.startswith('#'):
                continue
            if line.endswith('.txt'):
                cases += read_cases(os.path.join(os.path.dirname(path), line))
            else:
                cases.append(line)
    return cases


class Suite:
    def __init__(self, build, name, caselist):
        self.vulkan = name == 'vk'
        program, lists = SUITES[name]
        self.program = find(build, (program,))
        path = caselist or find(build, lists)
        if not self.program or not os.access(self.program, os.X_OK):
            raise SystemExit('conformance: no %s below %s' % (program, build))
        if not path:
            raise SystemExit('conformance: no %s below %s: use --caselist' % (
                lists[-1], build))
        try:
            self.cases = read_cases(path)
        except OSError as error:
            raise SystemExit('conformance: %s' % error)

    def command(self, config, caselist):
        options = ['--deqp-surface-width=256', '--deqp-surface-height=256',
                   '--deqp-surface-type=pbuffer', '--deqp-visibility=hidden',
                   '--deqp-gl-config-name=' + config,
                   '--deqp-log-images=disable',
                   '--deqp-log-filename=/dev/null',
                   '--deqp-caselist-file=' + caselist]
        if self.vulkan:
            # A cache beside the program would be everybody's at once.
            options += ['--deqp-log-shader-sources=disable',
                        '--deqp-shadercache-filename=' + caselist + '.spirv']
        return [self.program] + options


def parse(text):
    """[(case, Status or None)]: None is the case at which the output ends."""
    found = []
    marks = list(CASE.finditer(text))
    for mark, following in zip(marks, marks[1:] + [None]):
        body = text[mark.end():following.start() if following else len(text)]
        said = VERDICT.search(body)
        found.append((mark[1], STATUS.get(said[1], 'Fail') if said else None))
    return found


def run(pool, driver, item, timeout):
    """Runs one chunk to its end, whatever happens on the way."""
    suite, config, cases = item
    env = driver.environment({'EGL_PLATFORM': 'surfaceless'})
    if suite.vulkan:
        env = driver.choose_vulkan(env)
    left, results, texts, seconds = list(cases), [], {}, 0.0
    while left:
        # What the program leaves beside the list goes with it.
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            listed = os.path.join(folder, 'cases.txt')
            with open(listed, 'w') as file:
                file.write('\n'.join(left) + '\n')
            done = pool.run(
                driver.prefix() + suite.command(config, listed), env,
                timeout, cwd=os.path.dirname(suite.program), quiet=True)
        seconds += done.seconds
        seen = [(name, status) for name, status in parse(done.text)
                if name in left]
        blame = 'Timeout' if done.timed_out else 'Crash'
        if not seen and not done.timed_out and done.code == 0:
            # The program does not know these cases.
            results += [(name, 'Missing') for name in left]
            break
        if not seen:
            seen = [(left[0], None)]
        for name, status in seen:
            results.append((name, status or blame))
            if status not in ('Pass', 'Skip'):
                texts[name] = done.text[-20000:]
        known = {name for name, _ in seen}
        left = [name for name in left if name not in known]
    return seconds, results, texts
