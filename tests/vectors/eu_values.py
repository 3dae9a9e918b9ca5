"""Hostile operands: two columns of 16 values for every type, A and B."""
import eu_float as fl
from eu_encode import SIZE, Op


def integers(size):
    n = size * 8
    top, ones = 1 << (n - 1), (1 << n) - 1
    a = [0, 1, ones, top, top - 1, top + 1, 5 << (n - 4), 0x5a, 2, -2, 100,
         -100, 1 << (n // 2 - 1), 7, 1 << (n - 2), -7]
    b = [1, 31, ones, 33, top - 1, top, 5 << (n - 4), 4, top, 63, 32, -100,
         16, 40, 0, -7]
    return [x & ones for x in a], [x & ones for x in b]


def bits_of(x, fmt):
    return fl.encode(fl.finite(fl.Fraction(x)), fmt)


def floats(fmt):
    e, m = fl.FORMATS[fmt]
    top = 1 << (e + m)
    inf = ((1 << e) - 1) << m
    nan = inf | 1 << (m - 1) | 5
    one = bits_of(1, fmt)
    big = bits_of(100000 if fmt != "HF" else 4000, fmt)
    a = [one, top, 0, inf, top | inf, nan, bits_of(1.5, fmt),
         bits_of(-2.75, fmt), inf - 1, 1 << m, 3, one + 1, big,
         bits_of(0.1, fmt), top | big, bits_of(0.5, fmt)]
    b = [bits_of(2.0 ** -(m + 1), fmt), 0, top, top | inf, one, one,
         bits_of(1.5, fmt), nan, inf - 1, top | 3, one, one + 1,
         bits_of(0.5, fmt), bits_of(3, fmt), top | inf - 1,
         bits_of(-0.75, fmt)]
    return a, b


def columns(t):
    return floats(t) if t in ("F", "DF", "HF") else integers(SIZE[t])


# Operands that rounding, overflow and NaNs leave alone: where the documents
# do not fix an order of operations, every order gives the same.
TAME = [1, -2, 3, 0, 4, -1, 2, -4, 0.5, 1, -0.5, 2, -3, 1.5, 0.25, -1.5]


def tame(fmt, rotate=0):
    return [bits_of(x, fmt) for x in TAME[rotate:] + TAME[:rotate]]


# ---- where they are ----

FIRST_REG = 20
SLOT = {}
for _n, _t in enumerate(("B", "W", "D", "Q", "HF", "F", "DF")):
    SLOT[_t] = FIRST_REG + 8 * _n       # A at +0, B at +4
for _t in ("B", "W", "D", "Q"):
    SLOT["U" + _t] = SLOT[_t]
TAME_SLOT = {"HF": 80, "F": 84, "DF": 90}  # A, then B after it


def inputs(types=("B", "W", "D", "Q", "HF", "F", "DF")):
    regs = []
    for t in types:
        a, b = columns(t)
        regs += [(SLOT[t], SIZE[t], a), (SLOT[t] + 4, SIZE[t], b)]
    return regs


def tame_inputs():
    regs = []
    for t, reg in TAME_SLOT.items():
        count = 16
        regs.append((reg, SIZE[t], tame(t)[:count]))
        regs.append((reg + count * SIZE[t] // 32, SIZE[t],
                     tame(t, 5)[:count]))
    return regs


def region(t, n):
    if n == 1:
        return (0, 1, 0)
    w = min(n, 32 // SIZE[t], 8)
    return (w, w, 1)


def src(t, column="A", first=0, n=8, **k):
    """Elements of a column from `first` on."""
    at = (SLOT[t] + (4 if column == "B" else 0)) * 32 + first * SIZE[t]
    return Op(at // 32, t, at % 32, region(t, n), **k)


def tame_src(t, column="A", first=0, n=8, **k):
    at = TAME_SLOT[t] * 32 + first * SIZE[t]
    if column == "B":
        at += 16 * SIZE[t]
    return Op(at // 32, t, at % 32, region(t, n), **k)
