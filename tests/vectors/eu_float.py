"""Exact floating point for the vector generators: fractions, rounded once.

A value is (kind, sign, magnitude): kind "fin", "inf" or "nan"; sign 0 or 1;
magnitude a Fraction (fin only). Nothing here uses the host's arithmetic."""
from fractions import Fraction

RNE, UP, DOWN, ZERO = range(4)

# exponent bits, mantissa bits
FORMATS = {"HF": (5, 10), "F": (8, 23), "DF": (11, 52)}

NAN = ("nan", 0, None)


def finite(x, sign=None):
    x = Fraction(x)
    return ("fin", (1 if x < 0 else 0) if sign is None else sign, abs(x))


def number(v):
    """The Fraction of a finite value."""
    return -v[2] if v[1] else v[2]


def width(fmt):
    e, m = FORMATS[fmt]
    return 1 + e + m


def decode(bits, fmt):
    ebits, mbits = FORMATS[fmt]
    sign = bits >> (ebits + mbits) & 1
    exp = bits >> mbits & ((1 << ebits) - 1)
    man = bits & ((1 << mbits) - 1)
    if exp == (1 << ebits) - 1:
        return ("nan", sign, None) if man else ("inf", sign, None)
    bias = (1 << (ebits - 1)) - 1
    if exp == 0:
        return ("fin", sign, Fraction(man) * Fraction(2) ** (1 - bias - mbits))
    return ("fin", sign,
            Fraction((1 << mbits) + man) * Fraction(2) ** (exp - bias - mbits))


def is_denormal(bits, fmt):
    ebits, mbits = FORMATS[fmt]
    exp = bits >> mbits & ((1 << ebits) - 1)
    return exp == 0 and bits & ((1 << mbits) - 1) != 0


def round_integer(x, sign, mode):
    """A magnitude rounded to an integer, given the sign it belongs to."""
    whole = x.numerator // x.denominator
    rest = x - whole
    if rest == 0:
        return whole
    if mode == RNE:
        up = rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole & 1)
    elif mode == UP:
        up = not sign
    elif mode == DOWN:
        up = bool(sign)
    else:
        up = False
    return whole + 1 if up else whole


def _exponent(x):
    """floor(log2(x)) of a positive Fraction."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if Fraction(2) ** e <= x else e - 1


def encode(v, fmt, mode=RNE, flush=False):
    """Bits of the value rounded to fmt. A NaN gives None: any quiet one."""
    ebits, mbits = FORMATS[fmt]
    kind, sign, x = v
    top = sign << (ebits + mbits)
    infinity = ((1 << ebits) - 1) << mbits
    if kind == "nan":
        return None
    if kind == "inf":
        return top | infinity
    if x == 0:
        return top
    bias = (1 << (ebits - 1)) - 1
    e = max(_exponent(x), 1 - bias)
    n = round_integer(x / Fraction(2) ** (e - mbits), sign, mode)
    if n >> (mbits + 1):
        n >>= 1
        e += 1
    if e > bias:
        away = mode == RNE or (mode == UP and not sign) or \
            (mode == DOWN and sign)
        return top | (infinity if away else infinity - 1)
    if n >> mbits == 0:
        return top if flush else top | n
    return top | (e + bias) << mbits | (n & ((1 << mbits) - 1))


def zero_sum_sign(a, b, mode):
    """Sign of an exact zero sum of two values."""
    if a == b:
        return a
    return 1 if mode == DOWN else 0


def add(a, b, mode=RNE):
    if a[0] == "nan" or b[0] == "nan":
        return NAN
    if a[0] == "inf" or b[0] == "inf":
        if a[0] == b[0] and a[1] != b[1]:
            return NAN
        return a if a[0] == "inf" else b
    x = number(a) + number(b)
    if x == 0:
        if a[2] == 0 and b[2] == 0:
            return finite(0, zero_sum_sign(a[1], b[1], mode))
        return finite(0, 1 if mode == DOWN else 0)
    return finite(x)


def mul(a, b):
    if a[0] == "nan" or b[0] == "nan":
        return NAN
    sign = a[1] ^ b[1]
    if a[0] == "inf" or b[0] == "inf":
        other = b if a[0] == "inf" else a
        return NAN if other[0] == "fin" and other[2] == 0 else \
            ("inf", sign, None)
    return ("fin", sign, a[2] * b[2])


def div(a, b):
    if a[0] == "nan" or b[0] == "nan":
        return NAN
    sign = a[1] ^ b[1]
    if a[0] == "inf":
        return NAN if b[0] == "inf" else ("inf", sign, None)
    if b[0] == "inf":
        return finite(0, sign)
    if b[2] == 0:
        return NAN if a[2] == 0 else ("inf", sign, None)
    return ("fin", sign, a[2] / b[2])


def compare(a, b):
    """-1, 0, 1; None when unordered."""
    if a[0] == "nan" or b[0] == "nan":
        return None

    def key(v):
        return (-1 if v[1] else 1, 0) if v[0] == "inf" else (0, number(v))
    ka, kb = key(a), key(b)
    return (ka > kb) - (ka < kb)
