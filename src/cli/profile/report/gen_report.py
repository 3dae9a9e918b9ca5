#!/usr/bin/env python3
"""Turns the report's template into a C array.

usage: gen_report.py REPORT.html REPORT.css REPORT.js OUTPUT.h

@css@ and @js@ are replaced by the files, comments of whole lines left out. Any
other line of @NAME@, or @NAME@ between tags, is a slot: the array has the text
before it, and REPORT_SLOT_NAME.
"""
import re
import sys

SLOT = re.compile(r'@(overview|findings|kernels|draws|frames|data)@')


def literal(text):
    """C string literals, one a line."""
    lines = text.splitlines(keepends=True) or ['']
    return '\n'.join('        "%s"' % l.replace('\\', '\\\\').replace(
        '"', '\\"').replace('\n', '\\n').replace('?', '\\?') for l in lines)


def main():
    html, css, js = (open(p, encoding='ascii').read() for p in sys.argv[1:4])
    js = re.sub(r'(?m)^\s*//.*\n', '', js)
    text = html.replace('@css@', css.strip()).replace('@js@', js.strip())
    if 'http' in text or 'src=' in text:
        sys.exit('gen_report.py: the template names another document')
    parts = SLOT.split(text)
    names = parts[1::2]
    if sorted(names) != ['data', 'draws', 'findings', 'frames', 'kernels',
                         'overview']:
        sys.exit('gen_report.py: the slots are %s' % names)
    with open(sys.argv[4], 'w', encoding='ascii') as out:
        out.write('/* Made by gen_report.py from report.html. */\n\n')
        out.write('enum report_slot {\n')
        for name in names + ['end']:
            out.write('    REPORT_SLOT_%s,\n' % name.upper())
        out.write('};\n\nstatic const struct {\n    const char *text;\n'
                  '    enum report_slot then;\n} report_parts[] = {\n')
        for text, name in zip(parts[0::2], names + ['end']):
            out.write('    {\n%s,\n        REPORT_SLOT_%s,\n    },\n'
                      % (literal(text), name.upper()))
        out.write('};\n')


main()
