"""Piglit's OpenCL program tests: the comment at the head of a .cl file that
names kernels, arguments and expected values, as cl-program-tester reads it."""

import math
import random
import re
import struct

ELEMENT = {'char': 'b', 'uchar': 'B', 'short': 'h', 'ushort': 'H', 'int': 'i',
           'uint': 'I', 'long': 'q', 'ulong': 'Q', 'half': 'e', 'float': 'f',
           'double': 'd'}
INTEGER_OF = {'half': 'H', 'float': 'I', 'double': 'Q'}
# What an output holds before the kernel runs, if the test does not say.
UNSET = 0x99


class Type:
    def __init__(self, name):
        base, width = re.fullmatch(r'([a-z]+)(\d*)', name).groups()
        self.base = base
        self.code = ELEMENT[base]
        self.width = int(width or 1)
        self.is_float = base in INTEGER_OF
        self.size_B = struct.calcsize('<' + self.code)
        # Vectors of three take the room of four.
        self.room = 4 if self.width == 3 else self.width

    def element(self, text):
        if self.is_float:
            if re.match(r'[-+]?0[xX]', text):
                return float.fromhex(text)
            return float(text)
        if re.match(r'[-+]?0[xX]', text):
            value = int(text, 16)
        else:
            value = {'true': 1, 'false': 0}.get(text) or int(float(text)) \
                if not re.fullmatch(r'[-+]?\d+', text) else int(text)
        bits = self.size_B * 8
        value &= (1 << bits) - 1
        if self.code.islower() and value >> (bits - 1):
            value -= 1 << bits
        return value

    def pack_element(self, value):
        if self.is_float:
            try:
                return struct.pack('<' + self.code, value)
            except OverflowError:
                value = math.copysign(math.inf, value)
        return struct.pack('<' + self.code, value)

    def pack(self, values):
        """Vectors, one after the other."""
        out = b''
        for at in range(0, len(values), self.width):
            vector = b''.join(self.pack_element(v)
                              for v in values[at:at + self.width])
            out += vector.ljust(self.room * self.size_B, b'\0')
        return out

    def unpack(self, data):
        count = len(data) // self.size_B
        flat = struct.unpack(f'<{count}{self.code}', data)
        return [v for i, v in enumerate(flat) if i % self.room < self.width]

    def matches(self, value, expected, tolerance, ulp):
        if not self.is_float:
            return abs(value - expected) <= tolerance
        if math.isnan(expected):
            return math.isnan(value)
        # The expectation has this type's precision, too.
        rounded, = struct.unpack('<' + self.code, self.pack_element(expected))
        if math.isnan(value) or math.isinf(value) or math.isinf(rounded):
            return value == rounded
        if ulp:
            bits, = struct.unpack('<' + INTEGER_OF[self.base],
                                  self.pack_element(rounded))
            next_one, = struct.unpack(
                '<' + self.code,
                struct.pack('<' + INTEGER_OF[self.base],
                            bits + int(tolerance)))
            tolerance = abs(next_one - rounded)
        return abs(value - rounded) <= tolerance


class Argument:
    """One arg_in or arg_out line."""

    def __init__(self, text, is_out, seed):
        text, tolerance, ulp = self.split_tolerance(text)
        self.tolerance, self.ulp = tolerance, ulp
        words = text.split()
        self.index = int(words[0])
        self.is_buffer = words[1] == 'buffer'
        self.supported = words[1] not in ('image', 'sampler')
        if not self.supported:
            return
        count = None
        name = words[2] if self.is_buffer else words[1]
        values = words[3:] if self.is_buffer else words[2:]
        if self.is_buffer:
            name, count = re.fullmatch(r'(\w+)\[(\d+)\]', name).groups()
            count = int(count)
        self.type = Type(name)
        self.count = count
        self.is_null = bool(values) and values[0].lower() == 'null'
        self.values = self.parse_values(values, seed)

    @staticmethod
    def split_tolerance(text):
        found = re.search(r'\btolerance\s+(\S+)(\s+ulp)?\s*$', text)
        if not found:
            return text, 0, False
        return text[:found.start()], float(found.group(1)), \
            bool(found.group(2))

    def parse_values(self, words, seed):
        total = (self.count or 1) * self.type.width
        if self.is_null:
            return []
        if words[0].lower() == 'random':
            source = random.Random(seed)
            return [self.type.element(str(source.randrange(100)))
                    for _ in range(total)]
        if words[0].lower() == 'repeat':
            words = words[1:]
            words = (words * total)[:total]
        values = [self.type.element(word) for word in words]
        if len(values) != total:
            raise ValueError(f'{len(values)} values for {total}')
        return values

    def size_B(self):
        return (self.count or 1) * self.type.room * self.type.size_B

    def compare(self, data):
        """None, or the first difference."""
        for i, (value, expected) in enumerate(
                zip(self.type.unpack(data), self.values)):
            if not self.type.matches(value, expected, self.tolerance,
                                     self.ulp):
                return f'argument {self.index}[{i}] is {value!r}, ' \
                       f'expected {expected!r}'
        return None


class Test:
    """One [test] section over the defaults of [config]."""

    def __init__(self, config, section):
        def get(key, default):
            return section.get(key, config.get(key, default))
        self.name = section.get('name', '')
        self.kernel = get('kernel_name', None)
        self.dims = int(get('dimensions', '1'))
        self.global_size = self.sizes(get('global_size', '1 0 0'))
        self.local_size = self.sizes(get('local_size', 'null'))
        self.offset = self.sizes(get('global_offset', 'null'))
        self.expect_fail = get('expect_test_fail', 'false') == 'true'
        self.inputs = {}
        self.outputs = {}
        for text in section.get('arg_in', []):
            arg = Argument(text, False, self.name)
            self.inputs[arg.index] = arg
        for text in section.get('arg_out', []):
            arg = Argument(text, True, self.name)
            self.outputs[arg.index] = arg

    @staticmethod
    def sizes(text):
        if text.lower() == 'null':
            return None
        return [int(word) for word in text.split()]

    def supported(self):
        return all(arg.supported for arg in
                   [*self.inputs.values(), *self.outputs.values()])

    def spec(self, index):
        """The argument for eu-run."""
        given, out = self.inputs.get(index), self.outputs.get(index)
        if given and not given.is_buffer:
            return 'hex:' + given.type.pack(given.values).hex()
        if given and given.is_null:
            return f'local[{given.size_B()}]'
        if not given and not out:
            return 'null'
        size_B = max(arg.size_B() for arg in (given, out) if arg)
        data = given.type.pack(given.values) if given else b''
        return f'hex[{size_B}]:' + \
            data.ljust(size_B, bytes([UNSET])).hex()

    def command(self, program):
        def dims(sizes):
            return ','.join(str(n) for n in sizes[:self.dims])
        words = [program, '--kernel', self.kernel,
                 '--global', dims(self.global_size)]
        if self.local_size:
            words += ['--local', dims(self.local_size)]
        if self.offset:
            words += ['--offset', dims(self.offset)]
        count = max([*self.inputs, *self.outputs, -1]) + 1
        return ' '.join(words + [self.spec(i) for i in range(count)])

    def check(self, output):
        """None, or why the output of eu-run is wrong."""
        found = {int(index): bytes.fromhex(data) for index, data in
                 re.findall(r'^arg (\d+) hex\[\d+\]: (\w*)$', output, re.M)}
        for index, arg in self.outputs.items():
            if index not in found:
                return 'no output'
            why = arg.compare(found[index][:arg.size_B()])
            if why:
                return why
        return None


def sections(text):
    """(name, {key: value}) of each; arg_in and arg_out are lists."""
    comment = re.search(r'/\*!(.*?)!\*/', text, re.S)
    if not comment:
        return
    name, values = None, {}
    body = re.sub(r'\\[ \t]*(#[^\n]*)?\n', ' ', comment.group(1))
    for line in body.split('\n'):
        line = line.split('#')[0].strip()
        if line.startswith('['):
            if name:
                yield name, values
            name, values = line.strip('[]'), {}
        elif ':' in line:
            key, value = (part.strip() for part in line.split(':', 1))
            if key in ('arg_in', 'arg_out'):
                values.setdefault(key, []).append(value)
            else:
                values[key] = value
    if name:
        yield name, values


def read_program(text):
    """(config, tests)."""
    found = list(sections(text))
    config = next((v for n, v in found if n == 'config'), {})
    return config, [Test(config, v) for n, v in found if n == 'test']
