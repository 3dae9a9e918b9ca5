#!/usr/bin/env python3
"""Turn formats.csv into the C table of surface formats.

usage: gen_formats.py formats.csv OUTPUT.c GEN

The columns are explained at the top of formats.csv. Also writes the tables of
the sRGB curve, computed with 40 digits and rounded once.
"""
import re
import struct
import sys
from decimal import Decimal, getcontext

getcontext().prec = 40

KINDS = {'un': 'UNORM', 'sn': 'SNORM', 'ui': 'UINT', 'si': 'SINT',
         'sf': 'FLOAT', 'uf': 'UFLOAT', 'us': 'USCALED', 'ss': 'SSCALED',
         'ux': 'UFIXED', 'sx': 'SFIXED', 'r': 'RAW', 'x': 'VOID'}
ENCODINGS = {'-': 'PLAIN', 'bc1': 'BC1', 'bc2': 'BC2', 'bc3': 'BC3',
             'bc4': 'BC4', 'bc5': 'BC5', 'bc6h': 'BC6H', 'bc7': 'BC7',
             'etc1': 'ETC1', 'etc2': 'ETC2', 'astc': 'ASTC', 'fxt1': 'FXT1',
             'yuv': 'YUV', 'planar': 'PLANAR', 'palette': 'PALETTE',
             'mono': 'MONO'}
CAPS = ['sample', 'filter', 'shadow', 'render', 'blend', 'vertex',
        'streamout', 'typed_write', 'typed_read']

# Layout (without the void flag on alpha where it matters) -> routine.
SPECIAL = {
    ('b:un8 g:un8 r:un8 a:un8', 'linear'): 'bgra8',
    ('b:un8 g:un8 r:un8 a:x8', 'linear'): 'bgrx8',
    ('r:un8 g:un8 b:un8 a:un8', 'srgb'): 'rgba8_srgb',
    ('b:un8 g:un8 r:un8 a:un8', 'srgb'): 'bgra8_srgb',
    ('b:un8 g:un8 r:un8 a:x8', 'srgb'): 'bgrx8_srgb',
    ('r:un10 g:un10 b:un10 a:un2', 'linear'): 'rgb10a2',
    ('b:un10 g:un10 r:un10 a:un2', 'linear'): 'bgr10a2',
    ('b:un5 g:un6 r:un5', 'linear'): 'bgr565',
    ('r:uf11 g:uf11 b:uf10', 'linear'): 'r11g11b10',
    ('r:un24 g:x8', 'linear'): 'r24x8',
    ('r:uf9 g:uf9 b:uf9 e:x5', 'linear'): 'rgb9e5',
}
ARRAYS = {'un8', 'sn8', 'ui8', 'si8', 'un16', 'sn16', 'ui16', 'si16', 'sf16',
          'ui32', 'si32', 'sf32'}
# Render targets have their own rounding of UNORM channels of up to 10 bits:
# see rt_unorm.h.
RT_SPECIAL = {'un8x1', 'un8x2', 'un8x3', 'un8x4', 'bgra8', 'bgrx8', 'rgb10a2',
              'bgr10a2', 'bgr565'}
RT_UNORM_BITS = 10


def routine(channels, space, encoding):
    """The suffix of the pack and unpack functions of a format."""
    if encoding != '-' or channels == '-':
        return 'none'
    if (channels, space) in SPECIAL:
        return SPECIAL[channels, space]
    parts = [c.split(':') for c in channels.split()]
    names = ''.join(p[0] for p in parts)
    types = {p[1] for p in parts}
    if types == {'r64'}:
        return 'passthru'
    if names == 'rgba'[:len(names)] and len(types) == 1 and \
            types <= ARRAYS and space == 'linear':
        return f'{types.pop()}x{len(names)}'
    return 'generic'


def rt_routine(op, found, space):
    """The suffix of the pack function of render target writes."""
    if op in RT_SPECIAL:
        return 'rt_' + op
    narrow = any(kind == 'UNORM' and width <= RT_UNORM_BITS
                 for kind, width, _ in found.values())
    return 'rt_generic' if op == 'generic' and narrow and space == 'linear' \
        else op


def layout(channels, bits, where):
    """-> ({'r': (kind, bits, start)}, {'lum', ...}) of one channel list."""
    found, start, flags = {}, 0, set()
    for part in [] if channels == '-' else channels.split():
        m = re.fullmatch(r'([rgbalie]):([a-z]+?)(\d+)', part)
        if not m or m[2] not in KINDS:
            sys.exit(f'{where}: bad channel {part}')
        name, kind, width = m[1], KINDS[m[2]], int(m[3])
        if name == 'l':
            flags.add('lum')
            name = 'r'
        elif name == 'i':
            flags.add('intensity')
            name = 'r'
        if name in 'rgba':
            found[name] = (kind, width, start)
        start += width
    if 'r' not in found and 'a' in found or \
            found.get('r', ('',))[0] == 'VOID' and \
            found.get('a', ('VOID',))[0] != 'VOID':
        flags.add('alpha_only')
        flags.discard('lum')
        found.pop('r', None)
    if start > bits and bits > 1:
        sys.exit(f'{where}: channels need {start} of {bits} bits')
    return found, flags


def palette_c(channels, bits, width, name, where):
    """Index and alpha of a palette format; its colours have 8 bits."""
    places, start = {}, 0
    for part in channels.split():
        m = re.fullmatch(r'([pa]):un(\d+)', part)
        if not m:
            sys.exit(f'{where}: bad channel {part}')
        places[m[1]] = (int(m[2]), start)
        start += int(m[2])
    if 'p' not in places or start * width != bits:
        sys.exit(f'{where}: channels need {start * width} of {bits} bits')
    out = [f'.ch[{i}] = {{FORMAT_UNORM, 8, 0}}' for i in range(3)]
    out.append('.ch[3] = {FORMAT_UNORM, %d, %d}' % places.get('a', (8, 0)))
    out.append('.index = {FORMAT_UINT, %d, %d}' % places['p'])
    out.append(f'.palette = {name[-1]}')
    return out + ['.indexed_alpha = true'] * ('a' not in places)


def row_c(fields, where, gen):
    code, name, bits, block, channels, space, encoding, caps = fields
    bits = int(bits)
    if encoding not in ENCODINGS or space not in ('linear', 'srgb') or \
            len(caps) != len(CAPS):
        sys.exit(f'{where}: bad encoding, space or capabilities')
    # Channels of a compressed block have a kind but no bit position.
    found, flags = layout('-' if encoding == 'palette' else channels,
                          bits if encoding == '-' else 1 << 16, where)
    if encoding != '-':
        found = {c: (k, b, 0) for c, (k, b, _) in found.items()}
    w, h = block.split('x')
    op = routine(channels, space, encoding)
    out = [f'.name = "{name}"', f'.code = {code}', f'.block_bits = {bits}',
           f'.element_B = {max(bits // 8, 1)}',
           f'.block_w = {w}', f'.block_h = {h}',
           f'.compression = FORMAT_{ENCODINGS[encoding]}']
    if encoding == 'palette':
        out += palette_c(channels, bits, int(w), name, where)
    for i, c in enumerate('rgba'):
        if c in found:
            kind, width, start = found[c]
            out.append(f'.ch[{i}] = {{FORMAT_{kind}, {width}, {start}}}')
    if space == 'srgb':
        flags.add('srgb')
    if any(k in ('UINT', 'SINT') for k, _, _ in found.values()):
        flags.add('is_int')
    for cap, digit in zip(CAPS, caps):
        if digit != '-' and int(digit) <= gen:
            flags.add('can_' + cap)
    out += [f'.{f} = true' for f in sorted(flags)]
    out += [f'.unpack = format_unpack_{op}', f'.pack = format_pack_{op}',
            f'.rt_pack = format_pack_{rt_routine(op, found, space)}']
    return '    {' + ', '.join(out) + '},\n'


def to_float(d):
    """The nearest float. float(Decimal) rounds to double first; 29 more bits
    make a double rounding error impossible for these irrational values."""
    return struct.unpack('f', struct.pack('f', float(d)))[0]


def srgb_decode(v):
    if v <= Decimal('0.04045'):
        return v / Decimal('12.92')
    return ((v + Decimal('0.055')) / Decimal('1.055')) ** Decimal('2.4')


def next_up(f):
    bits = struct.unpack('I', struct.pack('f', f))[0]
    return struct.unpack('f', struct.pack('I', bits + 1))[0]


def srgb_threshold(k):
    """The least float whose encoding rounds to k of 255."""
    if k == 0:
        return 0.0
    d = (Decimal(k) - Decimal('0.5')) / 255
    # The encoder's segments meet at 0.0031308, not at 0.04045 / 12.92.
    x = d / Decimal('12.92')
    if x > Decimal('0.0031308'):
        x = ((d + Decimal('0.055')) / Decimal('1.055')) ** Decimal('2.4')
    f = to_float(x)
    return f if Decimal(f) >= x else next_up(f)


def floats_c(name, values):
    text = ''.join(f'    {v.hex()}f,\n' for v in values)
    return f'const float {name}[{len(values)}] = {{\n{text}}};\n\n'


def words_c(name, words):
    text = ', '.join(map(str, words))
    return (f'alignas(64) const uint16_t {name}[{len(words)}] = {{\n'
            f'    {text},\n}};\n\n')


def bytes_c(name, rows):
    text = ''.join('    {' + ', '.join(map(str, row)) + '},\n' for row in rows)
    return (f'alignas(64) const uint8_t {name}[{len(rows)}][{len(rows[0])}] = '
            f'{{\n{text}}};\n\n')


def tables_c():
    thresholds = [srgb_threshold(k) for k in range(256)]
    start = []
    for i in range(12 * 64):
        f = 2.0 ** (i // 64 - 12) * (1 + (i % 64) / 64)
        start.append(max(k for k in range(256) if thresholds[k] <= f))
    unorm8 = [to_float(Decimal(v) / 255) for v in range(256)]
    out = floats_c('format_unorm8', unorm8)
    srgb8 = [to_float(srgb_decode(Decimal(v) / 255)) for v in range(256)]
    out += floats_c('format_srgb8', srgb8)
    room = [0.0] * 4
    out += floats_c('format_unorm8_room', room + unorm8 + room)
    out += floats_c('format_srgb8_room', room + srgb8 + room)
    bits = [struct.unpack('<I', struct.pack('<f', v))[0] for v in srgb8]
    out += words_c('format_srgb8_high', [u >> 16 for u in bits])
    out += words_c('format_srgb8_low', [u & 0xffff for u in bits])
    out += bytes_c('format_srgb8_byte', [[u >> 8 * i & 0xff for u in bits]
                                         for i in range(4)])
    out += floats_c('format_srgb8_threshold', thresholds).replace(
        '[256]', '[258]').replace('};', '    INFINITY,\n    INFINITY,\n};')
    steps = start[1:] + [255]
    if any(b - a > 2 for a, b in zip(start, steps)):
        sys.exit('sRGB: more than two thresholds in a step')
    out += 'const uint8_t format_srgb8_start[12 * 64] = {\n    '
    return out + ', '.join(map(str, start)) + ',\n};\n'


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    path, gen = sys.argv[1], int(sys.argv[3])
    rows, seen = [], {}
    with open(path) as f:
        for number, line in enumerate(f, 1):
            if line.startswith('#') or not line.strip():
                continue
            where = f'{path}:{number}'
            fields = line.strip().split(',')
            if len(fields) != 8:
                sys.exit(f'{where}: want 8 columns')
            code = int(fields[0], 16)
            if code in seen:
                sys.exit(f'{where}: code of {seen[code]} again')
            seen[code] = fields[1]
            rows.append((code, row_c(fields, where, gen)))
    out = '/* Generated from formats.csv by gen_formats.py. */\n'
    out += '#include <math.h>\n#include "sampler/format/format_ops.h"\n\n'
    out += 'static const struct format_info formats[] = {\n'
    out += ''.join(c for _, c in rows) + '};\n\n'
    out += 'const struct format_info *const format_by_code[] = {\n'
    out += ''.join(f'    [{code}] = &formats[{i}],\n'
                   for i, (code, _) in enumerate(rows)) + '};\n'
    out += 'const unsigned format_code_count =\n' \
           '    sizeof format_by_code / sizeof format_by_code[0];\n\n'
    with open(sys.argv[2], 'w') as f:
        f.write(out + tables_c())


if __name__ == '__main__':
    main()
