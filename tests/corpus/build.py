#!/usr/bin/python3
"""Compiles piglit's OpenCL programs for Gen8 and Gen9.

    build.py OUT_DIR [--device skl|bdw]... [--jobs N] [--match TEXT]

Writes, for a program tests/cl/a/b.cl of piglit's tree:

    OUT_DIR/skl/tests/cl/a/b.bin                  what ocloc writes (an ELF)
    OUT_DIR/skl/tests/cl/a/b.kernels/NAME.bin     a kernel's raw EU code
    OUT_DIR/skl/tests/cl/a/b.log                  instead, if it cannot compile
    OUT_DIR/failed.txt                            those, one per line

What is up to date is skipped. libocloc is called in one process per CPU:
the clang front end's start is most of the cost, so the SPIR-V that it makes
for the first device is what the others are compiled from.
"""

import argparse
import concurrent.futures
import ctypes
import os
import pathlib
import re
import struct
import sys

PIGLIT = pathlib.Path('/usr/lib/x86_64-linux-gnu/piglit')
ROOTS = ('tests/cl', 'generated_tests/cl')
LIBRARY = 'libocloc.so'


class Ocloc:
    """libocloc in this process: arguments in, files in memory out."""

    def __init__(self):
        self.lib = ctypes.CDLL(LIBRARY)

    def compile(self, path, device, options, spirv=None):
        """(log, {suffix: content}). The log is empty on success."""
        args = ['ocloc', 'compile', '-q', '-file', path, '-device', device,
                '-out_dir', 'out']
        if options:
            args += ['-options', options]
        if spirv:
            args.append('-spirv_input')
        argv = (ctypes.c_char_p * len(args))(*[a.encode() for a in args])
        source = (ctypes.c_char_p * 1)(spirv)
        length = (ctypes.c_uint64 * 1)(len(spirv or b''))
        name = (ctypes.c_char_p * 1)(path.encode())
        count = ctypes.c_uint32()
        data = ctypes.POINTER(ctypes.POINTER(ctypes.c_uint8))()
        sizes = ctypes.POINTER(ctypes.c_uint64)()
        names = ctypes.POINTER(ctypes.c_char_p)()
        outputs = [ctypes.byref(x) for x in (count, data, sizes, names)]
        status = self.lib.oclocInvoke(
            ctypes.c_uint(len(args)), argv,
            ctypes.c_uint32(1 if spirv else 0), source, length, name,
            ctypes.c_uint32(0), None, None, None, *outputs)
        files = {pathlib.PurePath(names[i].decode()).suffix:
                 ctypes.string_at(data[i], sizes[i])
                 for i in range(count.value)}
        self.lib.oclocFreeOutput(*outputs)
        log = files.pop('.log', b'').decode(errors='replace')
        if status == 0 and '.bin' in files:
            return '', files
        return log or f'status {status}\n', files


def device_binary(elf):
    """The section of an OpenCL ELF that holds the device's program."""
    sections, = struct.unpack_from('<Q', elf, 0x28)
    entry, count = struct.unpack_from('<HH', elf, 0x3a)
    for i in range(count):
        kind, _, _, start, size = struct.unpack_from(
            '<IQQQQ', elf, sections + i * entry + 4)
        if kind == 0xff000005:
            return elf[start:start + size]
    raise ValueError('no device binary')


def kernels(program):
    """(name, code) of each kernel of a patch token program."""
    magic, _, _, _, count, _, patches = struct.unpack_from('<4s6I', program)
    if magic != b'CTNI':
        raise ValueError('no patch token program')
    at = 28 + patches
    for _ in range(count):
        name_B, patches, heap, general, dynamic, surface, used = \
            struct.unpack_from('<7I', program, at + 12)
        at += 40
        name = program[at:at + name_B].rstrip(b'\0').decode()
        at += name_B
        yield name, program[at:at + used]
        at += heap + general + dynamic + surface + patches


def config(text, key):
    """The value of a key in the program's config comment."""
    found = re.search(rf'^\s*{key}:([^#\n]*)', text, re.M)
    return found.group(1).strip() if found else ''


def build_options(text):
    options = config(text, 'build_options').split()
    minimum = config(text, 'clc_version_min')
    if minimum and int(minimum) > 12:
        options.append(f'-cl-std=CL{int(minimum) // 10}.{int(minimum) % 10}')
    return ' '.join(options)


def write(base, log, files):
    """One program's files for one device."""
    base.parent.mkdir(parents=True, exist_ok=True)
    for suffix in ('.bin', '.log'):
        base.with_name(base.name + suffix).unlink(missing_ok=True)
    if log:
        base.with_name(base.name + '.log').write_text(log)
        return
    folder = base.with_name(base.name + '.kernels')
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for name, code in kernels(device_binary(files['.bin'])):
        (folder / f'{name}.bin').write_bytes(code)
    # Last: the time of this file says that the others are there.
    base.with_name(base.name + '.bin').write_bytes(files['.bin'])


ocloc = None


def build(program, jobs):
    """jobs: (device, where its files go, without a suffix)."""
    global ocloc
    if not ocloc:
        # Programs name their include folders from piglit's root, and ocloc
        # repeats on stdout the command lines that fail.
        os.chdir(PIGLIT)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        ocloc = Ocloc()
    options = build_options((PIGLIT / program).read_text())
    spirv = None
    for device, base in jobs:
        log, files = ocloc.compile('k.spv' if spirv else program, device,
                                   options, spirv)
        spirv = spirv or files.get('.spv')
        write(base, log, files)


def newest_input(program):
    return max((PIGLIT / program).stat().st_mtime, compiler_time())


def compiler_time():
    folder = pathlib.Path('/usr/lib/x86_64-linux-gnu')
    return max((folder / name).stat().st_mtime
               for name in (LIBRARY, 'libigc.so.1') if (folder / name).exists())


def up_to_date(program, base):
    needed = newest_input(program)
    return any(file.exists() and file.stat().st_mtime >= needed
               for file in (base.with_name(base.name + '.bin'),
                            base.with_name(base.name + '.log')))


def programs():
    return sorted(str(path.relative_to(PIGLIT))
                  for root in ROOTS for path in (PIGLIT / root).rglob('*.cl'))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('out', type=pathlib.Path)
    parser.add_argument('--device', action='append', choices=('skl', 'bdw'))
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--match', default='', help='part of the path')
    args = parser.parse_args()
    out = args.out.resolve()
    devices = args.device or ['skl', 'bdw']
    work = {}
    bases = {}
    for program in programs():
        for device in devices:
            base = out / device / program.removesuffix('.cl')
            bases[f'{device} {program}'] = base
            if args.match in program and not up_to_date(program, base):
                work.setdefault(program, []).append((device, base))

    with concurrent.futures.ProcessPoolExecutor(args.jobs) as pool:
        tasks = [pool.submit(build, *item) for item in work.items()]
        for done, task in enumerate(tasks, 1):
            task.result()
            if done % 50 == 0:
                print(f'{done} of {len(tasks)}', flush=True)

    failed = [name for name, base in bases.items()
              if base.with_name(base.name + '.log').exists()]
    out.mkdir(parents=True, exist_ok=True)
    (out / 'failed.txt').write_text(''.join(f'{f}\n' for f in failed))
    built = sum(len(jobs) for jobs in work.values())
    print(f'{built} built, {len(bases) - built} up to date, '
          f'{len(failed)} do not compile: {out}/failed.txt')
    unexpected = [f for f in failed
                  if not config((PIGLIT / f.split()[1]).read_text(),
                                'expect_build_fail')]
    for name in unexpected:
        print(f'cannot compile {name}')


if __name__ == '__main__':
    sys.exit(main())
