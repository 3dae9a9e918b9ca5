"""Reference model from the PRM: an instruction's effects on registers.

Integers are exact Python integers, floats exact fractions that are rounded
once (eu_float.py). Written from the documents alone, without regard to the
interpreter: it is there to be compared with it. Where the documents leave a
result open, the model records "any" instead of inventing a value."""
import copy

import eu_float as fl
from eu_encode import SIZE, FLOATS, SIGNED, TERNARY

LOGIC = ("not", "and", "or", "xor")
MANTISSA = {"HF": 10, "F": 23, "DF": 52}
KEEP_DENORM = {"DF": 1 << 6, "F": 1 << 7, "HF": 1 << 10}
CR0_ROUND_TO_INT = 1 << 12

NAN_BITS = {"HF": 0x7e00, "F": 0x7fc00000, "DF": 0x7ff8 << 48}


class Unspecified(Exception):
    """The documents leave the result open."""


def plain(t):
    return {"V": "W", "UV": "UW", "VF": "F"}.get(t, t)


def bounds(t):
    bits = SIZE[t] * 8
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if t in SIGNED \
        else (0, (1 << bits) - 1)


def to_int(bits, t):
    n = SIZE[t] * 8
    bits &= (1 << n) - 1
    return bits - (1 << n) if t in SIGNED and bits >> (n - 1) else bits


def clamp(v, t):
    low, high = bounds(t)
    return max(low, min(high, v))


class State:
    def __init__(self):
        self.grf = bytearray(4096)
        self.any = {}       # byte address -> "nan" or "any", of first byte
        self.a0 = [0] * 16
        self.f = [0, 0]
        self.f_any = [0, 0]
        self.cr0 = 0
        self.dispatch = 0xffffffff
        self.acc = {}       # (kind, lane) -> value
        self.written = {}   # byte address -> size of the element

    @property
    def f_out(self):
        return self.f

    @property
    def mode(self):
        return self.cr0 >> 4 & 3

    # ---- registers ----

    def load(self, at, size):
        return int.from_bytes(self.grf[at:at + size], "little")

    def store(self, at, size, bits, tag=None):
        for b in range(at, at + size):
            self.any.pop(b, None)
            self.written.pop(b, None)
        self.grf[at:at + size] = (bits & ((1 << 8 * size) - 1)).to_bytes(
            size, "little")
        self.written[at] = size
        if tag:
            self.any[at] = tag


def acc_lane(o, t, c, is_dst):
    per_reg = {8: 4, 4: 8, 2: 16, 1: 32}[SIZE[t]]
    base = (1 if o.reg == "acc1" else 0) * per_reg + o.sub // SIZE[t]
    if is_dst:
        return base + c * o.hstride
    v, w, h = o.region
    return base + c // w * v + c % w * h


def source_address(s, i, o, c):
    size = SIZE[o.type]
    if i.op in TERNARY:
        base = o.reg * 32 + o.sub
        if o.rep:
            return base
        return base + (c // 4 * 4 + "xyzw".index(o.swz[c % 4])) * size
    base = o.reg * 32 + o.sub if not o.addr else 0
    v, w, h = o.region
    if i.align16:
        return base + (c // 4 * v + "xyzw".index(o.swz[c % 4])) * size
    if o.addr:
        sub, imm = o.addr
        if v == "vxh":
            return s.a0[sub + c // w] + imm + c % w * h * size
        base = s.a0[sub] + imm
    return base + (c // w * v + c % w * h) * size


def immediate(i, o, c):
    # V and UV are words that lie over the destination: as IGC uses them,
    # 0xC080400:uv is 0, 4, 8, 12 for dwords.
    word = c * max(i.dst.hstride * SIZE[i.dst.type] // 2, 1) % 8
    if o.type == "V":
        return to_int((o.imm >> 4 * word & 15) ^ 8, "UB") - 8
    if o.type == "UV":
        return o.imm >> 4 * word & 15
    if o.type == "VF":
        b = o.imm >> 8 * (c % 4) & 255
        sign, rest = b >> 7, b & 0x7f
        if not rest:
            return sign << 31
        # 3-bit exponent of bias 3, 4-bit mantissa, into 8 and 23 bits
        return sign << 31 | (rest >> 4) - 3 + 127 << 23 | (rest & 15) << 19
    return o.imm


def fetch(s, i, o, c):
    """Raw bits of channel c's element, before modifiers."""
    size = SIZE[o.type]
    if o.imm is not None:
        v = immediate(i, o, c)
        return v & ((1 << 8 * SIZE[plain(o.type)]) - 1)
    if o.reg == "null" and not o.addr:
        return 0
    if isinstance(o.reg, str) and o.reg.startswith("acc"):
        kind = "f" if o.type in FLOATS else "i"
        v = s.acc[kind, acc_lane(o, o.type, c, False)]
        if v in ("any", "nan"):
            return NAN_BITS[o.type] if o.type in FLOATS else 0
        return v & ((1 << 8 * size) - 1)
    v, w, h = o.region
    at = o.sub + (c // w * v + c % w * h) * size if v != "vxh" else 0
    if o.reg == "a0" and not o.addr:
        data = b"".join(a.to_bytes(2, "little") for a in s.a0)
    elif o.reg in ("f0", "f1"):
        data = s.f[int(o.reg[1])].to_bytes(4, "little")
    elif o.reg == "cr0":
        data = s.cr0.to_bytes(4, "little") + bytes(8)
    elif o.reg == "sr0":
        data = bytes(8) + s.dispatch.to_bytes(4, "little") * 2
    elif o.reg == "ce":
        data = (0xffffffff >> i.chan).to_bytes(4, "little")
    else:
        return s.load(source_address(s, i, o, c), size)
    return int.from_bytes(data[at:at + size], "little")


def exec_type(i):
    """KBL PRM, "Execution Data Type": the float format, or the width of the
    integers in bits."""
    types = [plain(o.type) for o in i.srcs]
    if any(t in FLOATS for t in types):
        if "DF" in types:
            return "DF"
        if "F" in types or i.dst.type == "F":
            return "F"
        return "HF"
    return max(16, max(SIZE[t] for t in types) * 8)


def source(s, i, o, c, flush=True):
    """Channel c's value with modifiers: an int, or a float value."""
    t = plain(o.type)
    bits = fetch(s, i, o, c)
    if t in FLOATS:
        top = 1 << (SIZE[t] * 8 - 1)
        if o.abs:
            bits &= ~top
        if o.neg:
            bits ^= top
        if flush and fl.is_denormal(bits, t) and not s.cr0 & KEEP_DENORM[t]:
            bits &= top
        return fl.decode(bits, t)
    v = to_int(bits, t)
    if i.op in LOGIC:
        return ~v if o.neg and not o.abs else v
    if o.abs:
        v = abs(v)
    if o.neg:
        v = -v
    # Signed sources are negated at their own width, accumulators with 33 bits
    # (Mesa, lower_sub_sat); bytes as words, and words as dwords where another
    # operand is wider (IGC); unsigned ones get a sign (Mesa, can_do_cmod).
    wide = isinstance(o.reg, str) and o.reg.startswith("acc")
    if t not in SIGNED or wide:
        return v
    if t in ("D", "Q"):
        return to_int(v, t)
    sizes = [SIZE[plain(p.type)] for p in i.srcs + [i.dst]]
    return to_int(v, "W" if max(sizes) <= 2 else "D")


# ---- masks ----

def enabled(s, i, c):
    return i.nomask or s.dispatch >> (i.chan + c) & 1


def predicate(s, i, c):
    if not i.pred:
        return True
    reg, sub = i.flag >> 1, i.flag & 1
    k = i.chan + c
    b = 16 * sub + k
    f = s.f[reg]
    if i.pred == "seq":
        v = f >> b & 1
    elif i.pred in ("anyv", "allv"):
        x, y = s.f[0] >> b & 1, s.f[1] >> b & 1
        v = x | y if i.pred == "anyv" else x & y
    elif i.pred in "xyzw":
        v = f >> (b // 4 * 4 + "xyzw".index(i.pred)) & 1
    else:
        n = int(i.pred[3:-1])
        ones = (1 << n) - 1
        group = f >> (b // n * n) & ones
        v = group != 0 if i.pred.startswith("any") else group == ones
    return bool(v) != i.inv


def set_flag(s, i, c, value):
    bit = 1 << (16 * (i.flag & 1) + i.chan + c)
    reg = i.flag >> 1
    s.f_out[reg] = s.f_out[reg] & ~bit | (bit if value else 0)
    s.f_any[reg] = s.f_any[reg] & ~bit | (bit if value is None else 0)


def holds(cmod, order):
    """order: -1, 0, 1, or None for unordered."""
    if cmod == "o":
        raise Unspecified("overflow of a comparison")
    if order is None:
        return cmod in ("nz", "u")
    return {"z": order == 0, "nz": order != 0, "g": order > 0,
            "ge": order >= 0, "l": order < 0, "le": order <= 0,
            "u": False}[cmod]


# ---- results ----

def float_to_int(v, t, mode):
    kind, sign, x = v
    if kind == "nan":
        return 0
    low, high = bounds(t)
    if kind == "inf":
        return low if sign else high
    n = fl.round_integer(x, sign, mode)
    return clamp(-n if sign else n, t)


def saturated(v):
    if v[0] == "nan" or v[1]:
        return fl.finite(0)
    if v[0] == "inf" or v[2] > 1:
        return fl.finite(1)
    return v


def to_dst(s, i, v, is_float, rounded=None):
    """Bits for the destination type; None for a NaN. rounded: the float
    format the operation's result has to fit first."""
    t = i.dst.type
    if is_float:
        if rounded:
            bits = fl.encode(v, rounded, s.mode,
                             not s.cr0 & KEEP_DENORM[rounded])
            v = fl.NAN if bits is None else fl.decode(bits, rounded)
        if t in FLOATS:
            if i.sat:
                v = saturated(v)
            return fl.encode(v, t, s.mode)
        mode = s.mode if s.cr0 & CR0_ROUND_TO_INT else fl.ZERO
        return float_to_int(v, t, mode) & ((1 << 8 * SIZE[t]) - 1)
    if t in FLOATS:
        v = fl.finite(v)
        return fl.encode(saturated(v) if i.sat else v, t, s.mode)
    if i.sat:
        v = clamp(v, t)
    return v & ((1 << 8 * SIZE[t]) - 1)


def order_of_zero(bits, t):
    if bits is None:
        return None
    if t in FLOATS:
        return fl.compare(fl.decode(bits, t), fl.finite(0))
    v = to_int(bits, t)
    return (v > 0) - (v < 0)


def condition(s, i, v, is_float, bits, sources):
    """Flag of a result: of the bits that are stored. KBL PRM vol 7,
    "Assigning Conditional Flags": sign and zero are those of the final result,
    after clamping, normalizing and format conversion; overflow is that of any
    part of the computation. An accumulator's final result has more bits."""
    t = i.dst.type
    if i.cmod == "o":
        if is_float or t in FLOATS:
            raise Unspecified("overflow of floats")
        if i.op in LOGIC:
            raise Unspecified("overflow of a bitwise result")
        return v != clamp(v, t)
    if i.cmod == "u":
        nan = any(isinstance(x, tuple) and x[0] == "nan" for x in sources)
        return nan or bits is None
    if i.dst.reg in ("acc0", "acc1") and not is_float and t not in FLOATS:
        v = accumulated(clamp(v, t) if i.sat else v, t)
        return holds(i.cmod, (v > 0) - (v < 0))
    return holds(i.cmod, order_of_zero(bits, t))


def accumulated(v, t):
    """Value in an integer accumulator: 33 bits of a word or byte, 64 of a
    doubleword."""
    bits = 33 if SIZE[t] <= 2 else 64
    v &= (1 << bits) - 1
    return v - (1 << bits) if v >> (bits - 1) else v


# ---- operations on one channel's values ----

def shift_mask(i):
    wide = SIZE[i.dst.type] == 8 or SIZE[plain(i.srcs[0].type)] == 8
    return 63 if wide else 31


def shift(i, a, count):
    count &= shift_mask(i)
    if i.op == "shl":
        return a << count
    if i.op == "shr" and plain(i.srcs[0].type) in ("B", "W"):
        raise Unspecified("shr of a signed source")
    # Signed doublewords keep their sign: stock Mesa relies on it.
    if i.op == "asr" or i.srcs[0].type in SIGNED:
        return a >> count
    return (a & ((1 << exec_type(i)) - 1)) >> count


def count_bits(i, a):
    t = i.srcs[0].type
    x = a & 0xffffffff
    if i.op == "lzd":
        return 32 - x.bit_length()
    if i.op == "cbit":
        return bin(x).count("1")
    if i.op == "bfrev":
        return int(format(x, "032b")[::-1], 2)
    if i.op == "fbl":
        return (x & -x).bit_length() - 1 if x else 0xffffffff
    if t in SIGNED:  # fbh: bits equal to the sign
        if x in (0, 0xffffffff):
            return 0xffffffff
        return 32 - (x ^ 0xffffffff if x >> 31 else x).bit_length()
    return 32 - x.bit_length() if x else 0xffffffff


def bitfield(i, v):
    u = [x & 0xffffffff for x in v]
    if i.op == "bfi1":
        return ((1 << (u[0] & 31)) - 1) << (u[1] & 31)
    if i.op == "bfi2":
        # The field is shifted to the mask's lowest bit (NIR's bfi, which
        # becomes this instruction, is defined so).
        low = (u[0] & -u[0]).bit_length() - 1 if u[0] else 0
        return (u[1] << low & u[0]) | (u[2] & ~u[0])
    w, off = u[0] & 31, u[1] & 31
    if not w:
        return 0
    if off + w > 32:
        return to_int(u[2], i.srcs[2].type) >> off
    x = u[2] >> off & ((1 << w) - 1)
    if i.srcs[2].type == "D" and x >> (w - 1):
        x -= 1 << w
    return x


def integer_op(i, v):
    op = i.op
    if op in ("mov", "movi"):
        return v[0]
    if op == "not":
        t = plain(i.srcs[0].type)
        if t not in SIGNED and SIZE[i.dst.type] * 8 > exec_type(i):
            raise Unspecified("not of a narrower unsigned source")
        return ~v[0]
    if op == "and":
        return v[0] & v[1]
    if op == "or":
        return v[0] | v[1]
    if op == "xor":
        return v[0] ^ v[1]
    if op in ("shl", "shr", "asr"):
        return shift(i, v[0], v[1])
    if op == "add":
        return v[0] + v[1]
    if op == "mul":
        return v[0] * v[1]
    if op == "avg":
        return (v[0] + v[1] + 1) >> 1
    if op in ("lzd", "fbh", "fbl", "cbit", "bfrev"):
        return count_bits(i, v[0])
    if op in ("bfe", "bfi1", "bfi2"):
        return bitfield(i, v)
    raise Unspecified(op)


def floor_of(x, op, sign):
    return fl.round_integer(x, sign, {"rndd": fl.DOWN, "rndu": fl.UP,
                                      "rnde": fl.RNE, "rndz": fl.ZERO,
                                      "frc": fl.DOWN}[op])


def float_op(s, i, v):
    op = i.op
    if op in ("mov", "movi"):
        return v[0]
    if op == "add":
        return fl.add(v[0], v[1], s.mode)
    if op == "mul":
        return fl.mul(v[0], v[1])
    if op in ("mad", "madm"):
        return fl.add(fl.mul(v[1], v[2]), v[0], s.mode)
    if op == "lrp":
        one = fl.add(fl.finite(1), (v[0][0], v[0][1] ^ 1, v[0][2]), s.mode)
        return fl.add(fl.mul(v[0], v[1]), fl.mul(one, v[2]), s.mode)
    if op in ("frc", "rndd", "rndu", "rnde", "rndz"):
        kind, sign, x = v[0]
        if kind == "nan":
            return fl.NAN
        if kind == "inf":
            if op == "frc":
                raise Unspecified("fraction of infinity")
            return v[0]
        n = floor_of(x, op, sign)
        if op != "frc":
            return ("fin", sign, fl.Fraction(n))
        whole = -n if sign else n
        return fl.finite(fl.number(v[0]) - whole)
    raise Unspecified(op)


def select(s, i, raw, v, c):
    """Index of the source that sel takes: 0 or 1."""
    if not i.cmod:
        return 0 if predicate(s, i, c) else 1
    if isinstance(v[0], tuple):
        if v[1][0] == "nan":
            return 0 if v[0][0] != "nan" else 1
        if v[0][0] == "nan":
            return 1
        order = fl.compare(v[0], v[1])
        if order == 0:
            order = v[1][1] - v[0][1]  # -0 is less than +0
    else:
        order = (v[0] > v[1]) - (v[0] < v[1])
    if i.cmod in ("ge", "g"):
        return 0 if order >= 0 else 1
    if i.cmod in ("l", "le"):
        return 0 if order <= 0 else 1
    raise Unspecified("sel." + i.cmod)


# ---- whole instructions ----

class Result:
    """Per channel: bits, or None for NaN; any: not specified."""

    def __init__(self, bits, any=False):
        self.bits, self.any = bits, any


def destination_address(s, i, c):
    o = i.dst
    size = SIZE[o.type]
    if o.addr:
        return s.a0[o.addr[0]] + o.addr[1] + c * o.hstride * size
    return o.reg * 32 + o.sub + c * o.hstride * size


def implicit_write(s, i, c, bits, tag, v):
    """AccWrEn. Integers keep bits that do not fit the destination."""
    lane = implicit_lane(i, c)
    if tag or i.dst.type in FLOATS:
        s.acc["f" if i.dst.type in FLOATS else "i", lane] = tag or bits
    else:
        s.acc["i", lane] = bits if i.sat or v is None else v


def put(s, i, c, bits, any=False, v=None):
    o = i.dst
    t = o.type
    tag = "any" if any else "nan" if bits is None else None
    if i.acc and i.op not in ("addc", "subb", "mach"):
        implicit_write(s, i, c, bits, tag, v)
    if o.reg == "null" and not o.addr:
        return
    if (i.align16 or i.op in TERNARY) and "xyzw"[c % 4] not in o.mask:
        return
    if o.reg in ("a0", "f0", "f1", "cr0", "acc0", "acc1") and not o.addr:
        put_arf(s, i, c, bits, tag)
        return
    s.store(destination_address(s, i, c), SIZE[t],
            NAN_BITS[t] if bits is None else bits, tag)


def put_arf(s, i, c, bits, tag=None):
    o, t = i.dst, i.dst.type
    at = o.sub + c * o.hstride * SIZE[t]
    if o.reg.startswith("acc"):
        kind = "f" if t in FLOATS else "i"
        s.acc[kind, acc_lane(o, t, c, True)] = tag or bits
    elif o.reg == "a0":
        for n in range(SIZE[t] // 2):
            s.a0[at // 2 + n] = bits >> 16 * n & 0xffff
    elif o.reg == "cr0":
        s.cr0 = bits
    else:
        reg, ones = int(o.reg[1]), (1 << 8 * SIZE[t]) - 1
        s.f_out[reg] = s.f_out[reg] & ~(ones << 8 * at) | \
            (bits & ones) << 8 * at


def implicit_lane(i, c):
    """Accumulator lane of channel c: floats of the second half are in acc1,
    integers always in acc0."""
    first = 8 if i.chan % 16 == 8 and i.dst.type == "F" else 0
    return first + c


def is_raw(i):
    o = i.srcs[0]
    return i.op in ("mov", "movi") and plain(o.type) == i.dst.type and \
        not (o.neg or o.abs or i.sat)


def compute(s, i, c):
    """(bits, value, is float, source values) of an ordinary instruction."""
    x = exec_type(i)
    is_float = isinstance(x, str)
    conversion = i.op in ("mov", "movi", "sel")
    v = [source(s, i, o, c, not conversion) for o in i.srcs]
    if is_raw(i):
        o = i.srcs[0]
        if isinstance(o.reg, str) and o.reg.startswith("acc"):
            held = s.acc["f" if is_float else "i", acc_lane(o, o.type, c,
                                                            False)]
            if held == "any":
                raise Unspecified("what an open result left behind")
            if held == "nan":
                return None, v[0], is_float, v
        return fetch(s, i, o, c), v[0], is_float, v
    if not is_float:
        r = integer_op(i, v)
        return to_dst(s, i, r, False), r, False, v
    r = float_op(s, i, v)
    return to_dst(s, i, r, True, None if i.op == "mov" else x), r, True, v


def run_compare(s, i, c):
    v = [source(s, i, o, c) for o in i.srcs]
    if i.cmod == "o":
        raise Unspecified("cmp.o")
    if isinstance(v[0], tuple):
        order = fl.compare(v[0], v[1])
        if i.op == "cmpn" and order is None:
            raise Unspecified("cmpn of NaN")
    else:
        order = (v[0] > v[1]) - (v[0] < v[1])
    r = holds(i.cmod, order)
    set_flag(s, i, c, r)
    put(s, i, c, (1 << 8 * SIZE[i.dst.type]) - 1 if r else 0)


def run_select(s, i, c):
    v = [source(s, i, o, c, False) for o in i.srcs]
    n = select(s, i, None, v, c)
    o = i.srcs[n]
    if isinstance(v[0], tuple):
        if plain(o.type) == i.dst.type and not i.sat:
            bits = fl.encode(v[n], i.dst.type)
        else:
            bits = to_dst(s, i, v[n], True)
    else:
        bits = to_dst(s, i, v[n], False)
    put(s, i, c, bits)


def run_csel(s, i, c):
    v = [source(s, i, o, c, False) for o in i.srcs]
    r = v[0] if holds(i.cmod, fl.compare(v[2], fl.finite(0))) else v[1]
    put(s, i, c, fl.encode(saturated(r) if i.sat else r, "F"))


def run_carry(s, i, c):
    a, b = [source(s, i, o, c) for o in i.srcs]
    r = a + b if i.op == "addc" else a - b
    s.acc["i", implicit_lane(i, c)] = int(r >> 32 != 0)
    bits = to_dst(s, i, r, False)
    finish(s, i, c, bits, r, False, [a, b])


def run_mac(s, i, c):
    v = [source(s, i, o, c) for o in i.srcs]
    lane = implicit_lane(i, c)
    if isinstance(v[0], tuple):
        x = exec_type(i)
        if x != i.dst.type:
            raise Unspecified("format of a mixed accumulator")
        acc = fl.decode(s.acc["f", lane], x)
        r = fl.add(fl.mul(v[0], v[1]), acc, s.mode)
        finish(s, i, c, to_dst(s, i, r, True, x), r, True, v)
        return
    acc = s.acc["i", lane]
    r = acc + v[0] * v[1]
    finish(s, i, c, to_dst(s, i, r, False), r, False, v)


def run_mach(s, i, c):
    a, b = [source(s, i, o, c) for o in i.srcs]
    lane = implicit_lane(i, c)
    r = s.acc["i", lane] + ((a * (b >> 16)) << 16)
    s.acc["i", lane] = r
    put(s, i, c, to_dst(s, i, r >> 32, False))


def run_smov(s, i, c):
    """A MOV of the channels whose bits are set in src1."""
    if fetch(s, i, i.srcs[1], c) >> c & 1:
        move = copy.copy(i)
        move.op, move.srcs = "mov", i.srcs[:1]
        finish(s, move, c, *compute(s, move, c))


def finish(s, i, c, bits, v, is_float, sources):
    if i.cmod:
        set_flag(s, i, c, condition(s, i, v, is_float, bits, sources))
    if i.dst.reg in ("acc0", "acc1") and i.dst.type not in FLOATS:
        # integer products keep their high bits
        s.acc["i", acc_lane(i.dst, i.dst.type, c, True)] = \
            clamp(v, i.dst.type) if i.sat else v
        return
    put(s, i, c, bits, v=v)


def run_group(s, i, channels, live):
    """dp4, dph, dp3, dp2: one result per four channels."""
    for first in range(0, i.n, 4):
        a = [source(s, i, i.srcs[0], first + k) for k in range(4)]
        b = [source(s, i, i.srcs[1], first + k) for k in range(4)]
        if i.op == "dph":
            a[3] = fl.finite(1)
        count = {"dp4": 4, "dph": 4, "dp3": 3, "dp2": 2}[i.op]
        total = fl.mul(a[0], b[0])
        for k in range(1, count):
            total = fl.add(total, fl.mul(a[k], b[k]), s.mode)
        for c in range(first, first + 4):
            if c in live:
                finish(s, i, c, to_dst(s, i, total, True, "F"), total, True,
                       a[:count] + b[:count])


def run_plane(s, i, live):
    base = i.srcs[0].reg * 32 + i.srcs[0].sub
    p, q, r = [fl.decode(s.load(base + k, 4), "F") for k in (0, 4, 12)]
    if i.op == "line":
        for c in live:
            x = source(s, i, i.srcs[1], c)
            v = fl.add(fl.mul(p, x), r, s.mode)
            finish(s, i, c, to_dst(s, i, v, True, "F"), v, True, [x])
        return
    at = i.srcs[1].reg * 32
    for c in live:
        u, v = [fl.decode(s.load(at + c // 8 * 64 + k + c % 8 * 4, 4), "F")
                for k in (0, 32)]
        x = fl.add(fl.add(fl.mul(p, u), fl.mul(q, v), s.mode), r, s.mode)
        finish(s, i, c, to_dst(s, i, x, True, "F"), x, True, [u, v])


def run_sad(s, i, live):
    for c in range(0, i.n, 2):
        a = [source(s, i, i.srcs[0], c + k) for k in range(2)]
        b = [source(s, i, i.srcs[1], c + k) for k in range(2)]
        r = abs(a[0] - b[0]) + abs(a[1] - b[1])
        if i.op == "sada2":
            r += s.acc["i", c]
        if c in live:
            finish(s, i, c, to_dst(s, i, r, False), r, False, a + b)
        if c + 1 in live:
            put(s, i, c + 1, 0, any=True)
            if i.cmod:
                set_flag(s, i, c + 1, None)


def run(s, i):
    """Executes one instruction that does not branch or send."""
    if i.op == "nop":
        return
    old = State()
    old.__dict__ = dict(s.__dict__)
    old.grf = bytes(s.grf)      # reads come before writes
    old.acc = dict(s.acc)
    old.f = list(s.f)
    old.a0 = list(s.a0)
    live = [c for c in range(i.n) if enabled(s, i, c) and
            (predicate(s, i, c) or i.op == "sel")]
    view = Reader(old, s)
    if i.op in ("dp4", "dph", "dp3", "dp2"):
        return run_group(view, i, range(i.n), live)
    if i.op in ("line", "pln"):
        return run_plane(view, i, live)
    if i.op in ("sad2", "sada2"):
        return run_sad(view, i, live)
    open_points = []
    one = {"cmp": run_compare, "cmpn": run_compare, "sel": run_select,
           "csel": run_csel, "smov": run_smov, "addc": run_carry, "subb": run_carry,
           "mac": run_mac, "mach": run_mach}.get(i.op)
    for c in live:
        try:
            if one:
                one(view, i, c)
            else:
                finish(view, i, c, *compute(view, i, c))
        except Unspecified as e:
            put(view, i, c, 0, any=True)
            if i.cmod and i.op not in ("sel", "csel"):
                set_flag(view, i, c, None)
            open_points.append(e)
    if live and len(open_points) == len(live):
        raise open_points[0]


class Reader:
    """Reads come from the state before the instruction, writes go to the
    one after it."""

    def __init__(self, before, after):
        self.__dict__["before"] = before
        self.__dict__["after"] = after
        self.__dict__["acc"] = AccView(before.acc, after.acc)
        self.__dict__["a0"] = AccView(before.a0, after.a0)

    def __getattr__(self, name):
        where = "after" if name in ("f_any", "f_out", "store") else "before"
        return getattr(self.__dict__[where], name)

    def __setattr__(self, name, value):
        setattr(self.__dict__["after"], name, value)


class AccView:
    def __init__(self, before, after):
        self.before, self.after = before, after

    def __getitem__(self, k):
        return self.before[k]

    def __setitem__(self, k, v):
        self.after[k] = v
