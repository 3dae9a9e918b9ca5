#!/usr/bin/env python3
"""Compiles a file of GLSL shaders into a header of SPIR-V.

usage: compile_shaders.py GLSLANG INPUT OUTPUT

A line `-- NAME.STAGE` begins a shader; STAGE is one of glslang's suffixes. It
becomes `static const struct vk_spirv NAME_STAGE`. `-- common` begins text that
is put in front of every shader after it. Each shader begins with #version 460.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

STAGES = {'vert': 'VERTEX', 'tesc': 'TESSELLATION_CONTROL',
          'tese': 'TESSELLATION_EVALUATION', 'geom': 'GEOMETRY',
          'frag': 'FRAGMENT', 'comp': 'COMPUTE'}
SECTION = re.compile(r'^-- (\w+)(?:\.(\w+))?\n', re.M)


def sections(text):
    """Yields (name, stage, source, line)."""
    common = ''
    marks = list(SECTION.finditer(text))
    for mark, following in zip(marks, marks[1:] + [None]):
        body = text[mark.end():following.start() if following else len(text)]
        if mark[2] is None:
            common = body
            continue
        line = text.count('\n', 0, mark.end()) + 1
        yield mark[1], mark[2], '#version 460\n%s#line %d\n%s' % (
            common, line, body)


def compile_one(glslang, folder, name, stage, source):
    path = pathlib.Path(folder) / ('%s.%s' % (name, stage))
    binary = path.with_suffix(path.suffix + '.spv')
    path.write_text(source)
    run = subprocess.run(
        [glslang, '--target-env', 'vulkan1.2', '-o', str(binary), str(path)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if run.returncode:
        sys.exit('%s.%s: %s' % (name, stage, run.stdout))
    code = binary.read_bytes()
    words = ['0x%08x' % int.from_bytes(code[i:i + 4], 'little')
             for i in range(0, len(code), 4)]
    label = '%s_%s' % (name, stage)
    return ('static const uint32_t %s_code[] = {\n%s};\n'
            'static const struct vk_spirv %s = {%s_code, sizeof %s_code,\n'
            '    VK_SHADER_STAGE_%s_BIT};\n' % (
                label, ''.join('    %s,\n' % ', '.join(words[i:i + 6])
                               for i in range(0, len(words), 6)),
                label, label, label, STAGES[stage]))


def main():
    glslang, source, output = sys.argv[1:]
    text = ['#include "vk.h"\n']
    with tempfile.TemporaryDirectory() as folder:
        for name, stage, body in sections(pathlib.Path(source).read_text()):
            text.append(compile_one(glslang, folder, name, stage, body))
    pathlib.Path(output).write_text(''.join(text))


if __name__ == '__main__':
    main()
