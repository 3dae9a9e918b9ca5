"""Makes H.264 streams of field and frame pictures, which no encoder of Debian
does. Slices of two progressive CAVLC streams, one as high as a field and one as
high as a frame, get new headers: what they decode to is no picture anybody
drew, but each decoder must make the same of it.

usage: h264_fields.py FIELDS.h264 FRAMES.h264 SEED OUTPUT.h264

Both streams: x264 without CABAC and weightp, with B frames.
"""
import pathlib
import random
import re
import sys

P, B, I = range(3)


class Reader:
    def __init__(self, data):
        data = data.replace(b'\0\0\3', b'\0\0')
        self.bits = bin(int.from_bytes(b'\1' + data, 'big'))[3:]
        self.at = 0

    def u(self, n):
        self.at += n
        return int(self.bits[self.at - n:self.at] or '0', 2)

    def ue(self):
        zeros = self.bits.index('1', self.at) - self.at
        self.at += zeros
        return self.u(zeros + 1) - 1

    def se(self):
        v = self.ue()
        return (v + 1) // 2 if v & 1 else -(v // 2)

    def rest(self):
        """Up to the stop bit."""
        return self.bits[self.at:self.bits.rindex('1')]


def u(value, n):
    return format(value, '0%db' % n) if n else ''


def ue(value):
    text = bin(value + 1)[2:]
    return '0' * (len(text) - 1) + text


def se(value):
    return ue(2 * value - 1 if value > 0 else -2 * value)


def unit(header, bits):
    bits += '1'
    bits += '0' * (-len(bits) % 8)
    data = int(bits, 2).to_bytes(len(bits) // 8, 'big')
    data = re.sub(rb'\x00\x00(?=[\x00-\x03])', b'\0\0\3', data)
    return b'\0\0\0\1' + bytes([header]) + data


def units(stream):
    for part in re.split(rb'\x00\x00\x00?\x01', stream)[1:]:
        yield part[0], part[1:]


class Sps:
    """Parsed up to frame_mbs_only_flag, of which fields make 0."""

    def __init__(self, data):
        r = Reader(data)
        profile = r.u(8)
        r.u(16)
        r.ue()
        if profile >= 100:
            r.ue(), r.ue(), r.ue(), r.u(2)
        self.frame_num_bits = r.ue() + 4
        self.poc_type = r.ue()
        self.poc_bits = r.ue() + 4
        self.refs = r.ue()
        r.u(1)
        r.ue(), r.ue()
        self.head = r.bits[:r.at]
        if not r.u(1) or self.poc_type:
            raise ValueError('want frames, and POC of type 0')
        r.u(1)  # direct_8x8_inference_flag
        self.tail = '1' + r.rest()

    def fields(self):
        return self.head + '00' + self.tail


class Slice:
    """Parts of a header, and the bits of slice data."""

    def __init__(self, header, data, sps, pps, cabac=False):
        r = Reader(data)
        self.first_mb = r.ue()
        self.type = r.ue() % 5
        r.ue()
        r.u(sps.frame_num_bits)
        if header & 31 == 5:
            r.ue()
        r.u(sps.poc_bits)
        if self.type == B:
            r.u(1)
        self.refs = list(pps)
        if self.type != I and r.u(1):
            self.refs[0] = r.ue() + 1
            if self.type == B:
                self.refs[1] = r.ue() + 1
        if self.type != B:
            self.refs[1] = 1
        for _ in range({I: 0, P: 1, B: 2}[self.type]):
            if r.u(1):
                while r.ue() != 3:
                    r.ue()
        if header & 31 == 5:
            r.u(2)
        elif header & 0x60 and r.u(1):
            while True:
                operation = r.ue()
                if not operation:
                    break
                r.ue()
                if operation == 3:
                    r.ue()
        self.cabac_init = r.ue() if cabac and self.type != I else 0
        self.qp_delta = r.se()
        self.tail = se(self.qp_delta)
        idc = r.ue()
        self.tail += ue(idc)
        if idc != 1:
            self.tail += se(r.se()) + se(r.se())
        self.bit = r.at  # of slice data
        self.data = r.rest()


def default_refs(pps):
    """num_ref_idx_l0_default_active_minus1 and l1, plus 1."""
    r = Reader(pps)
    r.ue(), r.ue(), r.u(2), r.ue()
    return r.ue() + 1, r.ue() + 1


def pools(stream):
    """Slices of each picture, by type and count of references."""
    found, sps, pps = {}, None, None
    for header, data in units(stream):
        kind = header & 31
        if kind == 7:
            sps = Sps(data)
        elif kind == 8:
            pps = data
        elif kind in (1, 5):
            s = Slice(header, data, sps, default_refs(pps))
            if s.first_mb == 0:
                picture = []
                found.setdefault((s.type, *s.refs), []).append(picture)
            picture.append(s)
    return found, sps, pps


class Maker:
    def __init__(self, fields, frames, seed):
        self.any = random.Random(seed)
        self.pool = [pools(frames)[0], None]
        self.pool[1], self.sps, pps = pools(fields)
        self.out = unit(0x67, self.sps.fields())
        self.out += b'\0\0\0\1\x68' + pps
        self.frame_num = 0
        self.ref_frames = 0

    def pick(self, field, kind, limit):
        """A picture whose lists are no longer than there are references."""
        pool = self.pool[field]
        keys = [k for k in sorted(pool) if k[0] == kind and
                (kind == I or max(k[1:]) <= limit)]
        return self.any.choice(pool[self.any.choice(keys)])

    def picture(self, kind, poc, idr, is_ref, limit, parity=None):
        """One frame, or the field of a parity."""
        direct = self.any.randrange(2)
        for s in self.pick(parity is not None, kind, limit):
            bits = ue(s.first_mb) + ue(s.type) + ue(0)
            bits += u(self.frame_num % (1 << self.sps.frame_num_bits),
                      self.sps.frame_num_bits)
            bits += '0' if parity is None else '1%d' % parity
            if idr:
                bits += ue(0)
            bits += u(poc % (1 << self.sps.poc_bits), self.sps.poc_bits)
            if kind == B:
                bits += '%d' % direct
            if kind != I:
                bits += '1' + ue(s.refs[0] - 1)
            if kind == B:
                bits += ue(s.refs[1] - 1)
            bits += {I: '', P: '0', B: '00'}[kind]
            if idr:
                bits += '00'
            elif is_ref:
                bits += '0'
            bits += s.tail + s.data
            self.out += unit((0x60 if is_ref else 0) | (5 if idr else 1), bits)

    def frame(self, kind, display, is_ref=True):
        """A frame picture or two fields."""
        idr = not self.ref_frames
        have = min(self.ref_frames, self.sps.refs)
        if kind == B:
            have = 1
        if self.any.randrange(3):
            self.picture(kind, 2 * display, idr, is_ref, have * 2, 0)
            second = P if kind == I else kind
            now = min(have * 2 + 1, 2 * self.sps.refs) if kind != B else 2
            self.picture(second, 2 * display + 1, False, is_ref, now, 1)
        else:
            self.picture(kind, 2 * display, idr, is_ref, have)
        if is_ref:
            self.ref_frames += 1
            self.frame_num += 1


def make(fields, frames, seed):
    m = Maker(fields, frames, seed)
    m.frame(I, 0)
    m.frame(P, 1)
    for display in range(3, 12, 2):
        m.frame(P, display)
        m.frame(B, display - 1, False)
    return m.out


if __name__ == '__main__':
    pathlib.Path(sys.argv[4]).write_bytes(
        make(pathlib.Path(sys.argv[1]).read_bytes(),
             pathlib.Path(sys.argv[2]).read_bytes(), int(sys.argv[3])))
