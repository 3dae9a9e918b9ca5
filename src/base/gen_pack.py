#!/usr/bin/env python3
"""Turn a .fields description into a C header of structs and unpack functions.

usage: gen_pack.py PREFIX INPUT.fields OUTPUT.h

A description is a list of blocks; the top of each .fields file explains the
syntax. For `packet 3DSTATE_VS 9` this writes `struct PREFIX_3dstate_vs`,
`PREFIX_3dstate_vs_unpack(struct *, const uint32_t *dw)`, its inverse
`_pack` (used by tests), and `PREFIX_3DSTATE_VS_len_dw`.
Anything malformed, overlapping its own name, or out of the block's length is
an error with file and line.
"""
import re
import sys


class Bad(Exception):
    pass


class Field:
    def __init__(self, name, lo, hi, kind, values):
        self.name, self.lo, self.hi = name, lo, hi
        self.kind, self.values = kind, values
        self.array = None


class Block:
    def __init__(self, kind, name, length):
        self.kind, self.name, self.length = kind, name, length
        self.fields = []


def c_name(name):
    return re.sub(r'[^A-Za-z0-9]', '_', name).lower()


def parse_values(text):
    return [tuple(v.split('=')) for v in text.split()]


FIELD = re.compile(r'(\w+)\s+(\d+)\.(\d+)(?:\.\.(\d+))?\s+(\S+)(?:\s+\{(.*)\})?$')


def parse(path):
    blocks, enums, by_name = [], [], {}
    block = array = None
    for number, raw in enumerate(open(path), 1):
        line = raw.split('#')[0].rstrip()
        try:
            if not line:
                continue
            word = line.split()
            if word[0] == 'enum' and not raw[0].isspace():
                m = re.match(r'enum (\w+) \{(.*)\}', line)
                if not m:
                    raise Bad('malformed enum')
                enums.append((m[1], parse_values(m[2])))
            elif word[0] in ('struct', 'packet') and not raw[0].isspace():
                if len(word) != 3:
                    raise Bad('want: %s NAME LENGTH_DW' % word[0])
                block = Block(word[0], word[1], int(word[2]))
                if block.name in by_name:
                    raise Bad('%s is defined twice' % block.name)
                by_name[block.name] = block
                blocks.append(block)
                array = None
            elif word[0] == 'array':
                if len(word) != 6 or word[2] != 'stride' or word[4] != 'at':
                    raise Bad('want: array N stride BITS at BIT')
                array = (int(word[1]), int(word[3]), int(word[5]))
            else:
                if block is None:
                    raise Bad('field outside a block')
                m = FIELD.match(line.strip())
                if not m:
                    raise Bad('malformed field')
                name, dw, lo, hi, kind, values = m.groups()
                lo = int(lo)
                hi = lo if hi is None else int(hi)
                if hi < lo:
                    raise Bad('bits run backwards')
                f = Field(name, int(dw) * 32 + lo, int(dw) * 32 + hi, kind,
                          parse_values(values) if values else [])
                if raw.startswith('        '):
                    if array is None:
                        raise Bad('indented field without an array')
                    f.array = array
                    last = array[2] + array[1] * (array[0] - 1) + f.hi
                else:
                    array = None
                    last = f.hi
                if block.length and last >= block.length * 32:
                    raise Bad('field ends beyond dword %d' % block.length)
                if any(o.name == name for o in block.fields):
                    raise Bad('field %s appears twice' % name)
                is_fixed = re.match(r'[us]\d+\.\d+$', kind)
                if kind not in ('uint', 'int', 'bool', 'float', 'addr') \
                        and not is_fixed and kind not in by_name:
                    raise Bad('unknown type %s' % kind)
                if kind in by_name:
                    f.sub = by_name[kind]
                    if f.array is None and f.lo % 32:
                        raise Bad('nested struct is not dword aligned')
                elif f.hi - f.lo > 63 or f.hi // 32 > f.lo // 32 + 1:
                    raise Bad('field spans more than two dwords')
                block.fields.append(f)
        except Bad as e:
            sys.exit('%s:%d: %s' % (path, number, e))
    return blocks, enums


def c_type(f, prefix):
    width = f.hi - f.lo + 1
    if hasattr(f, 'sub'):
        return 'struct %s_%s' % (prefix, c_name(f.kind))
    if f.kind == 'bool':
        return 'bool'
    if f.kind == 'int':
        return 'int32_t' if width <= 32 else 'int64_t'
    if f.kind == 'float' or '.' in f.kind:
        return 'float'
    # An address keeps its low zero bits, so its width counts from bit 0.
    span = f.hi % 32 + 1 if f.hi // 32 == f.lo // 32 else 64
    if f.kind == 'addr' and span > 32:
        return 'uint64_t'
    return 'uint32_t' if width <= 32 else 'uint64_t'


def extract(f):
    """C expression that reads field f; `dw` is the dword array and, in an
    array, `o` is the element's bit offset."""
    if f.array is None:
        lo, hi = str(f.lo), str(f.hi)
    else:
        lo, hi = 'o + %d' % f.lo, 'o + %d' % f.hi
    bits = 'fields_get(dw, %s, %s)' % (lo, hi)
    if f.kind == 'bool':
        return bits + ' != 0'
    if f.kind == 'int':
        return 'fields_sext(%s, %d)' % (bits, f.hi - f.lo + 1)
    if f.kind == 'float':
        return 'fields_float(%s)' % bits
    if f.kind == 'addr':
        return '%s << %d' % (bits, f.lo % 32)
    if '.' in f.kind:
        frac = int(f.kind.split('.')[1])
        scale = '(1.0f / %d)' % (1 << frac)
        if f.kind[0] == 's':
            return '(float)fields_sext(%s, %d) * %s' % (
                bits, f.hi - f.lo + 1, scale)
        return '(float)%s * %s' % (bits, scale)
    return bits


def insert(f, value):
    if f.array is None:
        lo, hi = str(f.lo), str(f.hi)
    else:
        lo, hi = 'o + %d' % f.lo, 'o + %d' % f.hi
    if f.kind == 'float':
        value = 'fields_from_float(%s)' % value
    elif f.kind == 'addr':
        value = '(uint64_t)%s >> %d' % (value, f.lo % 32)
    elif '.' in f.kind:
        frac = int(f.kind.split('.')[1])
        value = '(uint64_t)(int64_t)(%s * %d.0f)' % (value, 1 << frac)
    else:
        value = '(uint64_t)%s' % value
    return 'fields_put(dw, %s, %s, %s);' % (lo, hi, value)


def emit_walk(out, f, prefix, scalar, nested):
    """One field of an unpack or pack function."""
    if f.array is not None:
        out.append('    for (unsigned i = 0, o = %d; i < %d; i++, o += %d) {'
                   % (f.array[2], f.array[0], f.array[1]))
        if hasattr(f, 'sub'):
            for sub in f.sub.fields:
                inner = Field(sub.name, sub.lo + f.lo, sub.hi + f.lo,
                              sub.kind, [])
                inner.array = f.array
                out.append('        ' + scalar(
                    inner, 's->%s[i].%s' % (f.name, sub.name)))
        else:
            out.append('        ' + scalar(f, 's->%s[i]' % f.name))
        out.append('    }')
    elif hasattr(f, 'sub'):
        out.append('    ' + nested(f))
    else:
        out.append('    ' + scalar(f, 's->%s' % f.name))


def emit_block(out, b, prefix):
    name = '%s_%s' % (prefix, c_name(b.name))
    out.append('')
    out.append('#define %s_%s_len_dw %d' % (prefix, b.name, b.length))
    out.append('struct %s {' % name)
    for f in b.fields:
        dim = '[%d]' % f.array[0] if f.array else ''
        out.append('    %s %s%s;' % (c_type(f, prefix), f.name, dim))
    if not b.fields:
        out.append('    char unused;')
    out.append('};')
    for f in b.fields:
        for n, v in f.values:
            out.append('#define %s_%s_%s %s' % (
                prefix.upper(), c_name(b.name).upper() + '_' + f.name.upper(),
                n.upper(), v))
    out.append('static inline void')
    out.append('%s_unpack(struct %s *s, const uint32_t *dw)' % (name, name))
    out.append('{')
    if not b.fields:
        out.append('    (void)s;\n    (void)dw;')
    for f in b.fields:
        emit_walk(out, f, prefix,
                  lambda g, dst: '%s = (%s)(%s);' % (
                      dst, c_type(g, prefix), extract(g)),
                  lambda g: '%s_%s_unpack(&s->%s, dw + %d);' % (
                      prefix, c_name(g.kind), g.name, g.lo // 32))
    out.append('}')
    out.append('static inline void')
    out.append('%s_pack(const struct %s *s, uint32_t *dw)' % (name, name))
    out.append('{')
    if not b.fields:
        out.append('    (void)s;\n    (void)dw;')
    for f in b.fields:
        emit_walk(out, f, prefix, insert,
                  lambda g: '%s_%s_pack(&s->%s, dw + %d);' % (
                      prefix, c_name(g.kind), g.name, g.lo // 32))
    out.append('}')


def main():
    prefix, source, target = sys.argv[1:4]
    blocks, enums = parse(source)
    guard = 'GEN_' + re.sub(r'\W', '_', target.split('/')[-1]).upper()
    out = ['/* Generated by gen_pack.py; do not edit. */',
           '#ifndef ' + guard, '#define ' + guard,
           '#include "base/fields.h"', '']
    for name, values in enums:
        for n, v in values:
            out.append('#define %s_%s_%s %s' % (
                prefix.upper(), name.upper(), n.upper(), v))
    for b in blocks:
        emit_block(out, b, prefix)
    out.append('#endif')
    with open(target, 'w') as f:
        f.write('\n'.join(out) + '\n')


if __name__ == '__main__':
    main()
