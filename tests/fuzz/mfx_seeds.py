#!/usr/bin/env python3
"""Writes seeds of fuzz_mfx: pictures of random MPEG-2 streams, JPEG files, and
H.264 streams of 256 x 128 pixels with one slice a picture.

usage: mfx_seeds.py CODES.csv OUTPUT_DIR [FILE.jpg|FILE.h264...]

A seed: codec, changes of struct video_state (dword's index, value), tables of
JPEG, then objects: dwords 3 to 5 of the command, size, bytes.
"""
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent /
                       'media'))
import h264_fields
import mpeg2_random

# Members of struct video_state.
MPEG2_DW, JPEG_DW, HUC_DW, HUC_INDIRECT_DW = 105, 118, 299, 302
AVC_IMAGE_DW, AVC_SLICE_DW = 313, 405
OBJECTS = 16


def changes(pairs):
    out = bytes([len(pairs)])
    for at, value in pairs:
        out += struct.pack('<HI', at, value)
    return out


def bits(data, first, count):
    value = int.from_bytes(data, 'big')
    return value >> (len(data) * 8 - first - count) & ((1 << count) - 1)


def units(stream):
    """Code and bytes after each start code."""
    for part in stream.split(b'\0\0\1')[1:]:
        yield part[0], part[1:]


def mpeg2_seeds(stream):
    """One per picture."""
    size = seed = None
    kind = 0
    for code, data in units(stream):
        if code == 0xb3:
            size = [(bits(data, at, 12) + 15) // 16 for at in (0, 12)]
            size[1] += size[1] % 2
        elif code == 0 and len(data) > 3:
            if seed:
                yield seed
            kind, seed, count = bits(data, 10, 3), None, 0
        elif code == 0xb5 and data[0] >> 4 == 8:
            f = [bits(data, 4 + 4 * i, 4) for i in range(4)]
            dw1 = sum(v << (16 + 4 * i) for i, v in enumerate(f))
            dw1 |= bits(data, 20, 2) << 14 | bits(data, 22, 2) << 12
            for i, place in enumerate((11, 10, 9, 8, 7, 6)):
                dw1 |= bits(data, 24 + i, 1) << place
            seed = b'\0' + changes([
                (MPEG2_DW + 1, dw1), (MPEG2_DW + 2, kind << 9),
                (MPEG2_DW + 3, (size[1] - 1) << 16 | (size[0] - 1))])
        elif 1 <= code < 0xb0 and seed and count < OBJECTS:
            count += 1
            seed += struct.pack('<IIIH', 6 | size[0] << 8 | (code - 1) << 16,
                                bits(data, 0, 5) << 24, 0, len(data)) + data
    yield seed


def jpeg_seed(data):
    """A baseline file of up to 256 x 128 pixels, as 4:2:0 or 4:2:2."""
    matrices, tables, restart, at = {}, {}, 0, 2
    while True:
        marker, size = struct.unpack('>HH', data[at:at + 4])
        body = data[at + 4:at + 2 + size]
        at += 2 + size
        if marker == 0xffdb:
            while body:
                matrices[body[0] & 15] = body[1:65]
                body = body[65:]
        elif marker == 0xffc4:
            while body:
                count = sum(body[1:17])
                tables[body[0]] = body[1:17 + count]
                body = body[17 + count:]
        elif marker == 0xffdd:
            restart = struct.unpack('>H', body)[0]
        elif marker == 0xffc0:
            height, width = struct.unpack('>HH', body[1:5])
            chroma = {0x22: 1, 0x21: 2, 0x11: 3}[body[7]]
            across, down = body[7] >> 4, body[7] & 15
        elif marker == 0xffda:
            break
    columns = -(-width // (8 * across))
    rows = -(-height // (8 * down))
    out = b'\1' + changes([
        (JPEG_DW + 1, (1 if chroma == 1 else 3 if chroma == 2 else 0) << 8 |
         chroma),
        (JPEG_DW + 2, (rows * down - 1) << 16 | (columns * across - 1))])
    for i in range(2):
        dc, ac = tables[i], tables[0x10 | i]
        packet = dc[:12] + dc[16:].ljust(12, b'\0') + ac[:16] + ac[16:]
        out += packet.ljust(52 * 4, b'\0')
    for i in range(3):
        # Any order of coefficients will do.
        out += matrices[min(i, max(matrices))]
    scan = data[at:]
    return out + struct.pack('<IIIH', 0, columns * rows | 1 << 30 | 7 << 27,
                             restart, len(scan)) + scan


def h264_seeds(stream):
    """One per slice."""
    for header, data in h264_fields.units(stream):
        kind = header & 31
        if kind == 7:
            sps = h264_fields.Sps(data)
        elif kind == 8:
            r = h264_fields.Reader(data)
            r.ue(), r.ue()
            cabac = r.u(1)
            r.u(1), r.ue(), r.ue(), r.ue()
            weighted = r.u(1) << 12 | r.u(2) << 10
            qp = 26 + r.se()
            refs = h264_fields.default_refs(data)
        elif kind in (1, 5):
            s = h264_fields.Slice(header, data, sps, refs, cabac)
            bit = 8 + s.bit
            if cabac:
                bit += -bit % 8
            counts = [min(n, 2) for n in s.refs]
            dw4 = 1 << 10 | cabac << 7 | 1 << 4 | 1 << 3
            yield b'\3' + changes([
                (AVC_IMAGE_DW + 3, weighted), (AVC_IMAGE_DW + 4, dw4),
                (AVC_SLICE_DW + 1, s.type),
                (AVC_SLICE_DW + 2, counts[0] << 16 | counts[1] << 24),
                (AVC_SLICE_DW + 3, (qp + s.qp_delta) << 16 |
                 s.cabac_init << 24 | 1 << 29)]) + struct.pack(
                     '<IIIH', 0, bit // 8 << 16 | bit % 8 | 8, 0,
                     len(data) + 1) + bytes([header]) + data


def main():
    codes = mpeg2_random.read_codes(sys.argv[1])
    folder = pathlib.Path(sys.argv[2])
    for n in range(4):
        for i, seed in enumerate(mpeg2_seeds(mpeg2_random.make(codes, n))):
            if (i + n) % 3 == 0:
                (folder / ('mpeg2-%d-%d' % (n, i))).write_bytes(seed)
    for i, name in enumerate(sys.argv[3:]):
        data = pathlib.Path(name).read_bytes()
        if name.endswith('.h264'):
            for j, seed in enumerate(h264_seeds(data)):
                (folder / ('h264-%d-%d' % (i, j))).write_bytes(seed)
        else:
            (folder / ('jpeg-%d' % i)).write_bytes(jpeg_seed(data))
    huc = b'\2' + changes([(HUC_DW + 1, 1 << 4), (HUC_INDIRECT_DW + 1, 0x140000),
                           (HUC_INDIRECT_DW + 6, 0x100000)])
    huc += struct.pack('<IIIH', 64, 1 << 26, 5, 99) + bytes(99)
    (folder / 'huc').write_bytes(huc)


if __name__ == '__main__':
    main()
