#!/usr/bin/env python3
"""The library exports exactly what shim.map lists: it is loaded into
strangers."""
import re
import subprocess
import sys

library, map_file = sys.argv[1:]
text = re.sub(r'/\*.*?\*/', '', open(map_file).read(), flags=re.S)
wanted = set(re.findall(r'^\s*(\w+);', text, flags=re.M))
out = subprocess.run(['nm', '-D', '--defined-only', library],
                     capture_output=True, text=True, check=True).stdout
have = {line.split()[-1].split('@')[0] for line in out.splitlines()}
print('1..2')
for number, (what, names) in enumerate(
        (('listed but not defined', wanted - have),
         ('defined but not listed', have - wanted)), 1):
    print(f'{"not " if names else ""}ok {number} - nothing is {what}')
    for name in sorted(names):
        print('#', name)
sys.exit(wanted != have)
