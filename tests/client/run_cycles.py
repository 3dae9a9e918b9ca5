#!/usr/bin/env python3
"""softlake disasm --cycles: the static cycles that Mesa prints of its shaders.

usage: run_cycles.py SCENES|VKSCENES SOFTLAKE

INTEL_DEBUG makes Mesa print each shader's code, the clocks that it expects of
each block, and their sum. The model has to find the same from the code alone.
What the code does not say is listed and not compared. TAP.
"""
import collections
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SCENES, SOFTLAKE = (os.path.abspath(p) for p in sys.argv[1:3])
DEBUG = 'vs,tcs,tes,gs,fs,cs,blorp,hex'
NOP = bytes.fromhex('7e00002000000000')  # compact; Mesa does not list it
LEAST = 100  # shaders that have to be compared
SHOWN = 20   # differences
CODE = re.compile(r'^((?:[0-9a-f]{2} ){16}|(?:[0-9a-f]{2} ){8}(?= {20}))')
results = []


def report(ok, name, *why):
    results.append(bool(ok))
    print('%sok %d - %s' % ('' if ok else 'not ', len(results), name))
    if not ok:
        for line in why:
            print('#', str(line).replace('\n', '\n# '))
    sys.stdout.flush()


def run(command, **env):
    return subprocess.run(list(map(str, command)), env={**os.environ, **env},
                          text=True, errors='replace', capture_output=True,
                          timeout=300)


class Shader:
    def __init__(self, title, sha1):
        self.title, self.sha1 = title, sha1
        self.cycles = None
        self.code = bytearray()
        self.blocks = []  # [name, clocks, first byte, end]; some have none

    def hashed(self):
        """The code, filled up to 16 bytes, as it is uploaded."""
        whole = bytes(self.code) + NOP * (len(self.code) % 16 // len(NOP))
        return hashlib.sha1(whole).hexdigest()

    def name(self):
        return '%s %s' % (self.title, self.sha1[:12])


def read_log(text, shaders):
    """Adds the shaders that Mesa printed, by the SHA-1 of their code."""
    s = None
    for line in text.splitlines():
        if found := re.match(r'Native code for (.*?) \(sha1 ([0-9a-f]{40})\)',
                             line):
            s = Shader(*found.groups())
        elif s and s.cycles is None:
            found = re.match(r'SIMD(\d+) shader: .* (\d+) cycles\.', line)
            s.cycles = int(found[2]) if found else None
            s = s if found else None
        elif s and (found := re.match(r'\s*START (B\d+) .*\((\d+) cycles\)',
                                      line)):
            s.blocks.append([found[1], int(found[2]), len(s.code), 0])
        elif s and s.blocks and \
                (found := re.match(r'\s*END (B\d+)', line)):
            if s.blocks[-1][0] == found[1]:
                s.blocks[-1][3] = len(s.code)
        elif s and (found := CODE.match(line)):
            s.code += bytes.fromhex(found[1])
            shaders[s.sha1] = s


def printed(folder):
    shaders = {}
    for line in run([SCENES, '--list']).stdout.splitlines():
        done = run([SOFTLAKE, SCENES, line.split()[0], folder / 'picture'],
                   INTEL_DEBUG=DEBUG, MESA_SHADER_CACHE_DISABLE='true')
        read_log(done.stderr, shaders)
    return list(shaders.values())


def model(folder, shaders):
    """For each shader: clocks by offset, the sum, and why it may differ."""
    files = []
    for s in shaders:
        files.append(folder / (s.sha1 + '.bin'))
        files[-1].write_bytes(s.code)
    out = run([SOFTLAKE, 'disasm', '--cycles', *files]).stdout
    found, clocks = {}, {}
    for line in out.splitlines():
        if line.endswith('.bin:'):
            name, clocks = pathlib.Path(line[:-1]).stem, {}
        elif insn := re.match(r'\[([0-9a-f]+)\] +(\d+) x(\d+)', line):
            clocks[int(insn[1], 16)] = int(insn[2]) * int(insn[3])
        elif end := re.match(r"// \d+ instructions, (\d+) cycles"
                             r"(?:; Mesa's may differ: (.*))?", line):
            found[name] = clocks, int(end[1]), end[2]
    return found


def different(s, clocks, total):
    """Where Mesa's figures and the model's are not the same."""
    for name, cycles, first, end in s.blocks:
        own = sum(n for at, n in clocks.items() if first <= at < end)
        if cycles and own != cycles:
            yield '%s: %s at 0x%x: %d, Mesa says %d' % (
                s.name(), name, first, own, cycles)
    if total != s.cycles:
        yield '%s: %d cycles, Mesa says %d' % (s.name(), total, s.cycles)


def compare(folder, shaders):
    found = model(folder, shaders)
    wrong, compared, unknown = [], 0, collections.Counter()
    for s in shaders:
        clocks, total, why = found[s.sha1]
        if why:
            unknown[why] += 1
            continue
        compared += 1
        wrong += list(different(s, clocks, total))
    print('# %d shaders compared' % compared)
    for why, n in unknown.items():
        print('# %d not compared: %s' % (n, why))
    report(compared > LEAST, 'more than %d shaders are compared' % LEAST,
           compared)
    report(not wrong, "cycles of all blocks and shaders are Mesa's",
           '%d differences' % len(wrong), *wrong[:SHOWN])


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shaders = printed(folder)
        report(all(s.hashed() == s.sha1 for s in shaders), 'the code is what Mesa has hashed')
        compare(folder, shaders)
    print('1..%d' % len(results))
    return not all(results)


sys.exit(main())
