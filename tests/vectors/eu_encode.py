"""Gen9 instructions as Python objects and as 128-bit words.

Bit positions: KBL PRM vol 2d, "EU_INSTRUCTION_*". The authors' check is
iga64, which disassembles every word that is written to a vector file."""
from dataclasses import dataclass, field

TYPES = {"UD": 0, "D": 1, "UW": 2, "W": 3, "UB": 4, "B": 5, "DF": 6, "F": 7,
         "UQ": 8, "Q": 9, "HF": 10}
IMM_TYPES = {"UD": 0, "D": 1, "UW": 2, "W": 3, "UV": 4, "VF": 5, "V": 6,
             "F": 7, "UQ": 8, "Q": 9, "DF": 10, "HF": 11}
SIZE = {"UD": 4, "D": 4, "UW": 2, "W": 2, "UB": 1, "B": 1, "DF": 8, "F": 4,
        "UQ": 8, "Q": 8, "HF": 2, "V": 2, "UV": 2, "VF": 4}
TERNARY_TYPES = {"F": 0, "D": 1, "UD": 2, "DF": 3, "HF": 4}
FLOATS = ("F", "DF", "HF", "VF")
SIGNED = ("D", "W", "B", "Q", "V")

CMODS = {"": 0, "z": 1, "nz": 2, "g": 3, "ge": 4, "l": 5, "le": 6, "o": 8,
         "u": 9}
PREDS = {"": 0, "seq": 1, "anyv": 2, "allv": 3, "any2h": 4, "all2h": 5,
         "any4h": 6, "all4h": 7, "any8h": 8, "all8h": 9, "any16h": 10,
         "all16h": 11, "any32h": 12, "all32h": 13}
PREDS16 = {"": 0, "seq": 1, "x": 2, "y": 3, "z": 4, "w": 5, "any4h": 6,
           "all4h": 7}

OPCODES = {
    "illegal": 0x00, "mov": 0x01, "sel": 0x02, "movi": 0x03, "not": 0x04,
    "and": 0x05, "or": 0x06, "xor": 0x07, "shr": 0x08, "shl": 0x09,
    "smov": 0x0a, "asr": 0x0c, "cmp": 0x10, "cmpn": 0x11, "csel": 0x12,
    "bfrev": 0x17, "bfe": 0x18, "bfi1": 0x19, "bfi2": 0x1a, "jmpi": 0x20,
    "brd": 0x21, "if": 0x22, "brc": 0x23, "else": 0x24, "endif": 0x25,
    "while": 0x27, "break": 0x28, "cont": 0x29, "halt": 0x2a, "calla": 0x2b,
    "call": 0x2c, "ret": 0x2d, "goto": 0x2e, "join": 0x2f, "wait": 0x30,
    "send": 0x31, "sendc": 0x32, "sends": 0x33, "sendsc": 0x34, "math": 0x38,
    "add": 0x40, "mul": 0x41, "avg": 0x42, "frc": 0x43, "rndu": 0x44,
    "rndd": 0x45, "rnde": 0x46, "rndz": 0x47, "mac": 0x48, "mach": 0x49,
    "lzd": 0x4a, "fbh": 0x4b, "fbl": 0x4c, "cbit": 0x4d, "addc": 0x4e,
    "subb": 0x4f, "sad2": 0x50, "sada2": 0x51, "dp4": 0x54, "dph": 0x55,
    "dp3": 0x56, "dp2": 0x57, "line": 0x59, "pln": 0x5a, "mad": 0x5b,
    "lrp": 0x5c, "madm": 0x5d, "nop": 0x7e}
TERNARY = ("csel", "bfe", "bfi2", "mad", "lrp", "madm")
UNARY = ("mov", "movi", "not", "bfrev", "frc", "rndu", "rndd", "rnde", "rndz",
         "lzd", "fbh", "fbl", "cbit")
MATH = {"inv": 1, "log": 2, "exp": 3, "sqt": 4, "rsqt": 5, "sin": 6, "cos": 7,
        "fdiv": 9, "pow": 10, "idiv": 11, "iqot": 12, "irem": 13, "invm": 14,
        "rsqtm": 15}

ARF = {"null": 0x00, "a0": 0x10, "acc0": 0x20, "acc1": 0x21, "f0": 0x30,
       "f1": 0x31, "ce": 0x40, "sp": 0x60, "sr0": 0x70, "cr0": 0x80,
       "n0": 0x90, "ip": 0xa0, "tdr0": 0xb0, "tm0": 0xc0}


@dataclass
class Op:
    """One operand. reg: GRF number or ARF name; imm: raw bits."""
    reg: object = "null"
    type: str = "UD"
    sub: int = 0                 # bytes
    region: tuple = (8, 8, 1)    # V, W, H in elements; V "vxh" for one a0 each
    hstride: int = 1             # destination
    neg: bool = False
    abs: bool = False
    imm: int = None
    addr: tuple = None           # (a0 sub-register, immediate in bytes)
    swz: str = "xyzw"            # Align16 and three-source
    mask: str = "xyzw"
    rep: bool = False
    mme: int = None


@dataclass
class Insn:
    op: str
    dst: Op = None
    srcs: list = field(default_factory=list)
    n: int = 8
    chan: int = 0
    nomask: bool = False
    pred: str = ""
    inv: bool = False
    flag: int = 0                # f0.0 f0.1 f1.0 f1.1
    cmod: str = ""
    sat: bool = False
    acc: bool = False
    align16: bool = False
    fn: str = ""                 # math
    jip: int = None
    uip: int = None
    brctl: bool = False
    desc: int = 0
    ex_desc: int = 0
    desc_reg: bool = False
    eot: bool = False


class Word:
    def __init__(self):
        self.v = 0

    def put(self, high, low, value):
        size = high - low + 1
        value &= (1 << size) - 1
        self.v = self.v & ~(((1 << size) - 1) << low) | value << low


def _log2(n):
    return n.bit_length() - 1


def _stride(n):
    return 0 if n == 0 else _log2(n) + 1


def _vstride(v):
    return 15 if v == "vxh" else _stride(v)


def _file(o):
    if o.imm is not None:
        return 3
    return 1 if isinstance(o.reg, int) or o.addr else 0


def _reg(o):
    return o.reg if isinstance(o.reg, int) else ARF[o.reg]


def _type(o):
    return IMM_TYPES[o.type] if o.imm is not None else TYPES[o.type]


def _swizzle(swz):
    return sum("xyzw".index(c) << 2 * i for i, c in enumerate(swz))


def _mask(mask):
    return sum(1 << "xyzw".index(c) for c in mask)


def _put_header(w, i):
    w.put(6, 0, OPCODES[i.op])
    w.put(8, 8, i.align16 or i.op in TERNARY)
    w.put(11, 11, i.chan % 8 // 4)
    w.put(13, 12, i.chan // 8)
    w.put(19, 16, (PREDS16 if i.align16 else PREDS)[i.pred])
    w.put(20, 20, i.inv)
    w.put(23, 21, _log2(i.n))
    w.put(27, 24, MATH[i.fn] if i.fn else CMODS[i.cmod])
    w.put(28, 28, i.acc or i.brctl)
    w.put(31, 31, i.sat)
    w.put(32, 32, i.flag & 1)
    w.put(33, 33, i.flag >> 1)
    w.put(34, 34, i.nomask)


def _put_dst(w, o, align16):
    w.put(36, 35, _file(o))
    w.put(40, 37, TYPES[o.type])
    if o.addr:
        sub, imm = o.addr
        w.put(60, 57, sub)
        w.put(56, 48, imm)
        w.put(47, 47, imm >> 9)
        w.put(63, 63, 1)
        w.put(62, 61, _stride(o.hstride))
    elif align16:
        w.put(60, 53, _reg(o))
        w.put(52, 52, o.sub >> 4)
        w.put(51, 48, _mask(o.mask) if o.mme is None else o.mme)
        w.put(62, 61, 1)
    else:
        w.put(60, 53, _reg(o))
        w.put(52, 48, o.sub)
        w.put(62, 61, _stride(o.hstride))


def _put_src(w, o, base, align16):
    """base: 64 for src0, 96 for src1."""
    w.put(base + 14, base + 13, 2 * o.neg + o.abs)
    if o.addr:
        sub, imm = o.addr
        w.put(base + 15, base + 15, 1)
        w.put(base + 12, base + 9, sub)
        w.put(base + 8, base, imm)
        w.put(95 if base == 64 else 121, 95 if base == 64 else 121, imm >> 9)
    else:
        w.put(base + 12, base + 5, _reg(o))
        if not align16:
            w.put(base + 4, base, o.sub)
    v, width, h = o.region
    if align16:
        w.put(base + 4, base + 4, o.sub >> 4)
        s = _swizzle(o.swz) if o.mme is None else o.mme
        w.put(base + 3, base, s)
        w.put(base + 19, base + 16, s >> 4)
        w.put(base + 24, base + 21, _vstride(v))
    else:
        w.put(base + 17, base + 16, _stride(h))
        w.put(base + 20, base + 18, _log2(width))
        w.put(base + 24, base + 21, _vstride(v))


def _encode_basic(w, i):
    _put_dst(w, i.dst, i.align16)
    for n, o in enumerate(i.srcs):
        if n == 0:
            w.put(42, 41, _file(o))
            w.put(46, 43, _type(o))
        else:
            w.put(90, 89, _file(o))
            w.put(94, 91, _type(o))
        if o.imm is None:
            _put_src(w, o, 64 + 32 * n, i.align16)
        elif SIZE[o.type] == 8:
            w.put(127, 64, o.imm)
        else:
            imm = o.imm
            if o.type in ("UW", "W", "HF"):
                imm = (imm & 0xffff) * 0x10001
            w.put(127, 96, imm)
    if len(i.srcs) == 1 and i.srcs[0].imm is not None and \
            SIZE[i.srcs[0].type] < 8:
        w.put(94, 91, _type(i.srcs[0]))


def _encode_ternary(w, i):
    types = [o.type for o in i.srcs]
    if "HF" in types and "F" in types:
        w.put(36, 36, types[1] == "HF")
        w.put(35, 35, types[2] == "HF")
    elif types[0] == "HF":
        w.put(36, 35, 3)
    w.put(45, 43, TERNARY_TYPES[types[0]])
    w.put(48, 46, TERNARY_TYPES[i.dst.type])
    w.put(52, 49, _mask(i.dst.mask) if i.dst.mme is None else i.dst.mme)
    w.put(55, 53, i.dst.sub // 4)
    w.put(63, 56, i.dst.reg)
    for n, o in enumerate(i.srcs):
        w.put(38 + 2 * n, 37 + 2 * n, 2 * o.neg + o.abs)
        base = 64 + 21 * n
        w.put(base, base, o.rep)
        w.put(base + 8, base + 1,
              _swizzle(o.swz) if o.mme is None else o.mme)
        w.put(base + 11, base + 9, o.sub // 4)
        w.put(base + 19, base + 12, o.reg)
        w.put(base + 20, base + 20, o.sub // 2 & 1)


def _encode_send(w, i):
    split = i.op in ("sends", "sendsc")
    w.put(27, 24, i.ex_desc & 15)
    w.put(127, 127, i.eot)
    w.put(60, 53, _reg(i.dst))
    if split:
        w.put(35, 35, _file(i.dst))
        w.put(40, 37, TYPES[i.dst.type])
        w.put(36, 36, _file(i.srcs[1]))
        w.put(51, 44, _reg(i.srcs[1]))
        w.put(76, 69, i.srcs[0].reg)
        w.put(67, 64, i.ex_desc >> 6)
        w.put(95, 80, i.ex_desc >> 16)
        w.put(77, 77, i.desc_reg)
        if not i.desc_reg:
            w.put(126, 96, i.desc)
        return
    w.put(36, 35, _file(i.dst))
    w.put(40, 37, TYPES[i.dst.type])
    w.put(62, 61, 1)
    w.put(42, 41, 1)
    w.put(46, 43, TYPES[i.srcs[0].type])
    if i.srcs[0].addr:
        w.put(79, 79, 1)
        w.put(76, 73, i.srcs[0].addr[0])
        w.put(72, 64, i.srcs[0].addr[1])
        w.put(95, 95, i.srcs[0].addr[1] >> 9)
    else:
        w.put(76, 69, i.srcs[0].reg)
        w.put(84, 80, 0)
        w.put(88, 85, 0)
    if i.desc_reg:
        w.put(90, 89, 0)
        w.put(94, 91, 0)
        w.put(108, 101, ARF["a0"])
    else:
        w.put(90, 89, 3)
        w.put(126, 96, i.desc)


def encode(i):
    """The instruction as a 128-bit integer."""
    w = Word()
    _put_header(w, i)
    if i.op in ("nop", "illegal"):
        w.v &= 0x7f
    elif i.op in TERNARY:
        _encode_ternary(w, i)
    elif i.op in ("send", "sendc", "sends", "sendsc"):
        _encode_send(w, i)
    else:
        _encode_basic(w, i)
    return w.v
