#!/usr/bin/env python3
"""Verdicts of --strict in odd environments: status 120 if something else drew,
with a sentence that names it, and 0 if the device did.

usage: run_strict.py SOFTLAKE STRICT_GL STRICT_VK STRICT_CL STRICT_ASAN

A program that does not exist is '-'. Rows whose tool or driver is missing are
skipped. TAP.
"""
import glob
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOFTLAKE, GL, VK, CL, ASAN = sys.argv[1:6]
TIMEOUT_S = 300
STRICT = 120


def first(pattern):
    found = sorted(glob.glob(pattern))
    return found[0] if found else None


LAVAPIPE = first('/usr/share/vulkan/icd.d/lvp_icd*.json')
INTEL = first('/usr/share/vulkan/icd.d/intel_icd*.json')
POCL = first('/etc/OpenCL/vendors/pocl.icd')
NEO = first('/etc/OpenCL/vendors/intel.icd')
IHD = first('/usr/lib/x86_64-linux-gnu/dri/iHD_drv_video.so')
TCMALLOC = first('/usr/lib/x86_64-linux-gnu/libtcmalloc*.so.4')


def limited(option, value, *command):
    return ['sh', '-c', f'ulimit {option} {value}; exec "$@"', 'sh', *command]


def strict(*command):
    return [SOFTLAKE, '--strict', '-j', '2', '--', *command]


def unshared(setup, *command):
    """Root of a mount namespace of its own."""
    return ['unshare', '-m', 'sh', '-c', f'{setup} && exec "$@"', 'sh',
            *command]


def sandbox(*options):
    return ['bwrap', '--bind', '/', '/', '--dev', '/dev', *options, '--']


# Something else drew: name, command, environment, requirements, part of the
# sentence.
SOFTWARE = (
    ('LIBGL_ALWAYS_SOFTWARE', strict(GL, 'open', 'draw'),
     {'LIBGL_ALWAYS_SOFTWARE': '1'}, (), 'llvmpipe drew instead'),
    ('LIBGL_ALWAYS_SOFTWARE without threads', strict(GL, 'open', 'draw'),
     {'LIBGL_ALWAYS_SOFTWARE': '1', 'LP_NUM_THREADS': '0'}, (),
     'llvmpipe drew instead'),
    ('softpipe', strict(GL, 'open', 'draw'),
     {'LIBGL_ALWAYS_SOFTWARE': '1', 'GALLIUM_DRIVER': 'softpipe'}, (),
     'softpipe drew instead'),
    ('device never opened', strict(GL, 'draw'),
     {'LIBGL_ALWAYS_SOFTWARE': '1'}, (), 'llvmpipe drew instead'),
    ('software device of EGL', strict(GL, 'open', 'draw-software'), {}, (),
     'llvmpipe drew instead'),
    ('software device beside the GPU', strict(GL, 'draw', 'draw-software'), {},
     (), 'but llvmpipe drew, too'),
    ('software device clears only', strict(GL, 'draw', 'clear-software'), {},
     (), 'but llvmpipe drew, too'),
    ('software device without threads', strict(GL, 'draw', 'draw-software'),
     {'LP_NUM_THREADS': '0'}, (), 'but llvmpipe drew, too'),
    ('software device in a child', strict(GL, 'fork', 'draw-software', 'draw'),
     {}, (), 'but llvmpipe drew, too'),
    ('lavapipe alone', strict(VK, 'cpu'), {'VK_ICD_FILENAMES': LAVAPIPE},
     (VK, LAVAPIPE), 'lavapipe drew instead'),
    ('lavapipe chosen of two', strict(VK, 'cpu'), {}, (VK, LAVAPIPE, INTEL),
     'lavapipe drew instead'),
    ('other driver of Mesa', strict(GL, 'open', 'draw'),
     {'MESA_LOADER_DRIVER_OVERRIDE': 'kms_swrast'}, (), 'drew instead'),
    ('PoCL alone', strict(CL, 'Portable'), {'OCL_ICD_VENDORS': POCL},
     (CL, POCL), 'PoCL'),
    ('PoCL chosen of two', strict(CL, 'Portable'), {}, (CL, POCL), 'PoCL'),
    ('PoCL beside the GPU', strict('sh', '-c', '"$1" Intel && "$1" Portable',
                                   'sh', CL), {}, (CL, POCL, NEO),
     'but PoCL drew, too'),
    ('nothing drawn', strict(GL, 'open'), {}, (), 'did not draw here'),
)

# The device was used: name, command, environment, requirements.
DEVICE = (
    ('plain', strict(GL, 'draw'), {}, ()),
    ('software device enumerated', strict(GL, 'enumerate', 'draw'), {}, ()),
    ('software context without a frame', strict(GL, 'idle-software', 'draw'),
     {}, ()),
    ('end without exit handlers', strict(GL, 'draw', 'end-at-once'), {}, ()),
    ('child draws and exits', strict(GL, 'fork', 'draw'), {}, ()),
    ('child exits after drawing', strict(GL, 'draw', 'fork', 'open'),
     {'MESA_SHADER_CACHE_DISABLE': 'false'}, ()),
    ('descriptors closed', strict(GL, 'close-all', 'draw'), {}, ()),
    ('descriptors closed by range', strict(GL, 'close-range', 'exec', 'draw'),
     {}, ()),
    ('descriptors closed by system calls',
     strict(GL, 'close-raw', 'exec', 'draw'), {}, ()),
    ('other user', strict('setpriv', '--reuid=65534', '--regid=65534',
                          '--clear-groups', GL, 'draw'), {},
     ('setpriv', 'root')),
    ('no /proc', unshared('mount -t tmpfs none /proc', *strict(GL, 'draw')), {},
     ('unshare', 'root')),
    ('no /proc later', strict(*unshared('mount -t tmpfs none /proc', GL,
                                        'draw')), {}, ('unshare', 'root')),
    ('own /tmp', strict(*sandbox('--tmpfs', '/tmp'), GL, 'draw'), {},
     ('bwrap',)),
    ('own network and processes', strict(*sandbox(
        '--unshare-net', '--unshare-pid', '--proc', '/proc'), GL, 'draw'), {},
     ('bwrap',)),
    ('read-only root', strict(*['bwrap', '--ro-bind', '/', '/', '--dev',
                                '/dev', '--'], GL, 'draw'), {}, ('bwrap',)),
    ('tcmalloc', strict(GL, 'draw'), {'LD_PRELOAD': TCMALLOC}, (TCMALLOC,)),
    ('address sanitizer', strict(ASAN, 'draw'),
     {'ASAN_OPTIONS': 'detect_leaks=0'}, (ASAN,)),
    ('4 GB of addresses', limited('-v', 4000000, *strict(GL, 'draw')), {}, ()),
    ('64 descriptors', limited('-n', 64, *strict(GL, 'draw')), {}, ()),
    ('1,500 textures, 1,024 descriptors',
     limited('-n', 1024, *strict(GL, 'draw', 'textures')), {}, ()),
    ('200 Vulkan devices', strict(VK, 'gpu', '200'), {}, (VK, INTEL)),
    ('Vulkan with lavapipe beside', strict(VK, 'gpu'), {},
     (VK, INTEL, LAVAPIPE)),
    ('picture of freed memory', strict(VK, 'gpu'),
     {'SOFTLAKE_FRAMEBUFFER': '/dev/null'}, (VK, INTEL)),
    ('zink on the GPU', strict(GL, 'draw'),
     {'MESA_LOADER_DRIVER_OVERRIDE': 'zink'}, (INTEL, LAVAPIPE)),
    ('vainfo, which only asks', strict('vainfo', '--display', 'drm'), {},
     ('vainfo', IHD)),
    ('OpenCL with PoCL beside', strict(CL, 'Intel'), {}, (CL, POCL, NEO)),
)

# The program crashes by its own fault: its output before that.
DEATH = (
    ('crash', strict(GL, 'draw', 'crash'), (), 0),
    ('crash with a handler before', strict(GL, 'handle-once', 'draw', 'crash'),
     (), 1),
    ('crash with a handler after', strict(GL, 'draw', 'handle-once', 'crash'),
     (), 1),
    ('crash with a handler between',
     strict(GL, 'draw', 'handle-once', 'draw', 'crash'), (), 1),
    ('crash in OpenCL', strict(CL, 'Intel', 'crash'), (CL, NEO), 0),
)

# Either is right: the device was used, or --strict reported that it was not.
EITHER = (
    ('valgrind', strict('valgrind', '-q', GL, 'open', 'draw'), {},
     ('valgrind',)),
    ('300 MB of addresses', limited('-v', 300000, *strict(GL, 'open', 'draw')),
     {}, ()),
    ('16 descriptors', limited('-n', 16, *strict(GL, 'open', 'draw')), {}, ()),
)


def missing(needs):
    for need in needs:
        if need == 'root':
            if os.geteuid():
                return 'not root'
        elif need is None or need == '-':
            return 'not installed'
        elif '/' not in need and not shutil.which(need):
            return f'no {need}'
    return None


def run(command, env):
    base = {k: v for k, v in os.environ.items()
            if not k.startswith('SOFTLAKE_') and k != 'LD_PRELOAD'}
    base['MESA_SHADER_CACHE_DISABLE'] = 'true'
    base['POCL_CACHE_DIR'] = os.path.join(scratch, 'pocl')
    base.update({k: v for k, v in env.items() if v is not None})
    try:
        done = subprocess.run(command, env=base, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=TIMEOUT_S,
                              text=True, errors='replace', cwd=scratch)
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        return -1, '', 'timed out'


results = []


def check(name, ok, status, text):
    results.append((name, ok, f'status {status}\n{text}'))


def check_path(place):
    """Installed below a path that LD_PRELOAD would split."""
    root = pathlib.Path(scratch) / place
    for folder, file in (('cli', SOFTLAKE), ('drm-shim',
                         os.path.join(os.path.dirname(SOFTLAKE),
                                      '../drm-shim/libsoftlake.so'))):
        (root / folder).mkdir(parents=True)
        shutil.copy(file, root / folder)
    status, out, err = run([str(root / 'cli' / 'softlake'), '--strict', GL,
                            'draw'], {})
    check(f'installed in "{place}"', status == 0 and 'drawn' in out, status,
          out + err)


def check_rows():
    for name, command, env, needs, words in SOFTWARE:
        why = missing(needs)
        if why:
            results.append((f'{name} # SKIP {why}', True, ''))
            continue
        status, out, err = run(command, env)
        sentence = re.search('softlake: strict: .*', err)
        check(name, status == STRICT and sentence and words in sentence[0],
              status, out + err)
    for name, command, env, needs in DEVICE:
        why = missing(needs)
        if why:
            results.append((f'{name} # SKIP {why}', True, ''))
            continue
        status, out, err = run(command, env)
        check(name, status == 0 and 'strict:' not in err, status, out + err)
    for name, command, needs, reports in DEATH:
        why = missing(needs)
        if why:
            results.append((f'{name} # SKIP {why}', True, ''))
            continue
        status, out, err = run(command, {})
        check(name, status == 128 + 11 and out.count('report') == reports,
              status, out + err)
    for name, command, env, needs in EITHER:
        why = missing(needs)
        if why:
            results.append((f'{name} # SKIP {why}', True, ''))
            continue
        status, out, err = run(command, env)
        used = status == 0 and 'Intel' in err and 'drawn' in out
        check(name, used or (status != 0 and 'softlake: strict: ' in err),
              status, out + err)


with tempfile.TemporaryDirectory() as scratch:
    os.chmod(scratch, 0o755)
    check_rows()
    check_path('a space')
    check_path('a:colon')

print('1..%d' % len(results))
for number, (name, ok, text) in enumerate(results, 1):
    print('%s %d - %s' % ('ok' if ok else 'not ok', number, name))
    if not ok:
        print('# ' + text.replace('\n', '\n# '))
sys.exit(0)
