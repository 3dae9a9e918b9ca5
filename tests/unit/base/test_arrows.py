#!/usr/bin/env python3
"""Checks the arrows between rooms: drm-shim -> engine -> {eu, sampler}, all
rooms -> base, cli -> all rooms; eu and sampler do not include each other.
Sub-rooms of a room have their own arrows, without cycles. A file includes only
public headers of another room or sub-room. TAP.

usage: test_arrows.py SOURCE_ROOT
"""
import pathlib
import re
import sys

ROOMS = {
    'base': set(),
    'eu': {'base'},
    'sampler': {'base'},
    'engine': {'base', 'eu', 'sampler'},
    'drm-shim': {'base', 'engine'},
    'cl-layer': {'base'},
    'cli': {'base', 'engine', 'eu', 'sampler', 'drm-shim', 'cl-layer'},
}
# Public headers of rooms.
PUBLIC = {
    'eu': {'eu/eu.h', 'eu/profile/profile_file.h', 'eu/profile/profile_unit.h',
           'eu/profile/send_counts.h', 'eu/message.h',
           'eu/memory_use.h', 'eu/isa/isa.h', 'eu/isa/insn.h', 'eu/isa/eu_opcodes.h',
           'eu/summary/summary.h'},
    'sampler': {'sampler/sampler.h', 'sampler/plan/plan.h',
                'sampler/plan/kernel_types.h', 'sampler/surface/aux_codes.h',
                'sampler/surface/tiling.h', 'sampler/format/rt_unorm.h'},
    'engine': {'engine/engine.h', 'engine/run.h',
               'engine/pixels/pixels_file.h',
               'engine/timeline/timeline_file.h',
               'engine/msg/access_file.h',
               'engine/scope/scope_frame.h'},
    'drm-shim': {'drm-shim/report/report.h'},
    'cl-layer': {'cl-layer/cl_layer_file.h'},
}
# The sub-rooms of a room, and the sub-rooms that each may use. '' is the room's
# own folder. The public header of a sub-room is named like its folder.
SUBROOMS = {
    'base': {'': set(), 'simd': {''}},
    'eu': {
        'isa': set(),
        '': {'isa'},
        'profile': {''},
        'interp': {'', 'isa', 'profile'},
        'predecode': {'', 'isa', 'interp'},
        'summary': {'', 'isa'},
        'jit': {'', 'isa', 'interp', 'predecode', 'profile'},
        'tiers': {'', 'isa', 'interp', 'predecode', 'jit', 'profile'},
    },
    'eu/jit': {
        'mem': set(),
        'x86': {'mem'},
        '': {'x86'},
        'emit': {'', 'mem', 'x86'},
        'listing': {''},
        'analysis': {'', 'emit'},
        'transform': {'', 'emit', 'analysis'},
        'regs': {'', 'emit', 'x86', 'analysis'},
        'operand': {'', 'emit', 'x86', 'analysis', 'regs'},
        'ext_math': {'', 'emit', 'x86', 'analysis', 'regs'},
        'lower': {'', 'emit', 'x86', 'analysis', 'regs', 'operand',
                  'ext_math'},
        'branch': {'', 'emit', 'x86', 'analysis', 'regs', 'operand'},
        'sends': {'', 'emit', 'x86', 'analysis', 'regs', 'operand'},
        'session': {'', 'emit', 'mem', 'x86', 'analysis', 'transform', 'regs',
                    'ext_math', 'lower', 'branch', 'sends'},
        'lockstep': {'', 'emit', 'mem', 'x86', 'listing', 'analysis', 'regs',
                     'ext_math', 'lower', 'branch', 'sends', 'session'},
        'driver': {'', 'emit', 'mem', 'listing', 'analysis', 'session',
                   'lockstep'},
    },
    'cli': {'': {'check', 'kernel', 'launch', 'profile'}, 'check': set(),
            'cycles': set(), 'kernel': {'cycles'}, 'launch': set(),
            'symbols': {'kernel'},
            'profile': {'cycles', 'launch', 'symbols'}},
    'cli/profile': {'choice': set(), 'lanes': {'values'},
                    'pixels': {'values'}, 'report': set(),
                    'sends': {'values'}, 'timeline': set(),
                    'units': {'values'}, 'values': set(),
                    '': {'choice', 'lanes', 'pixels', 'report', 'sends',
                         'timeline', 'units', 'values'},
                    'commands': {'', 'choice', 'lanes', 'pixels', 'sends',
                                 'units'}},
    'drm-shim': {
        'core': set(),
        'report': {'core'},
        'oa': {'core'},
        'sync': {'core'},
        'gem': {'core', 'report', 'sync'},
        'kms': {'core', 'sync', 'gem'},
        'device': {'core', 'report', 'oa', 'sync', 'gem', 'kms'},
        'ioctl': {'core', 'oa', 'sync', 'gem', 'kms', 'device'},
        'interpose': {'oa', 'core', 'report', 'sync', 'gem', 'kms', 'device',
                      'ioctl'},
    },
    'drm-shim/ioctl': {
        '': set(),
        'kms': {''},
    },
    # '' is the top here: engine.c.
    'engine': {
        'core': set(),
        'oa': {'core'},
        'vm': {'core'},
        'enhance': set(),
        'state': {'vm', 'core'},
        'thread': {'state', 'vm', 'core'},
        'scope': {'state', 'vm', 'core'},
        'timeline': {'state', 'vm', 'core'},
        'pixels': {'oa', 'state', 'vm', 'core'},
        'scanout': {'state', 'vm', 'core'},
        'raster': {'thread', 'state', 'vm', 'oa', 'core'},
        'geom': {'raster', 'thread', 'state', 'vm', 'core'},
        'compute': {'thread', 'state', 'vm', 'core'},
        'media': {'thread', 'state', 'vm', 'core'},
        'blt': {'state', 'vm', 'core'},
        'mfx': {'state', 'vm', 'core'},
        'vebox': {'enhance', 'state', 'vm', 'core'},
        'msg': {'raster', 'enhance', 'pixels', 'state', 'vm', 'oa', 'core'},
        'freeze': {'geom', 'raster', 'compute', 'media', 'msg', 'thread', 'scanout',
                   'scope', 'timeline', 'pixels', 'state', 'vm', 'oa', 'core'},
        'cs': {'blt', 'freeze', 'mfx', 'state', 'vebox', 'vm', 'oa', 'core'},
        'queue': {'cs', 'freeze', 'scope', 'timeline', 'state', 'vm',
                  'oa', 'core'},
        '': {'queue', 'scanout', 'state', 'vm', 'oa', 'core'},
    },
    'engine/mfx': {
        '': set(),
        'avc': {''},
        'jpeg': {''},
        'mpeg2': {''},
    },
    'engine/mfx/avc': {
        'entropy': set(),
        'recon': set(),
        '': {'entropy', 'recon'},
    },
    'engine/msg': {
        'dataport': set(),
        'media_sampler': {'dataport'},
        'vme': {'dataport', 'media_sampler', ''},
        '': {'dataport', 'media_sampler'},
    },
    # '' is the top here: vebox.c.
    'engine/vebox': {
        'frame': set(),
        'sfc': {'frame'},
        '': {'frame', 'sfc'},
    },
    'engine/raster': {
        '': set(),
        'setup': {''},
        'depth': {'', 'setup'},
        'output': {'', 'setup'},
        'shade': {'', 'setup', 'depth', 'output'},
        'coverage': {'', 'setup', 'depth', 'shade'},
        'blit': {'', 'setup', 'output'},
        'bin': {'', 'setup', 'depth', 'output', 'shade', 'coverage', 'blit'},
    },
    # '' is the top here: sampler.h.
    'sampler': {
        'format': set(),
        'surface': {'format'},
        'reference': {'surface', 'format'},
        'plan': {'reference', 'surface', 'format'},
        '': {'reference', 'surface', 'format'},
    },
    'sampler/plan': {
        '': set(),
        'x86': {''},
    },
    'sampler/plan/x86': {
        '': set(),
        'any': {''},
        'footprint': {''},
    },
}
# Further public headers of sub-rooms. All headers of '' are public.
SUB_PUBLIC = {
    'base': set(),
    'eu': {
        'eu/isa/insn.h', 'eu/isa/eu_opcodes.h',
        'eu/profile/profile_unit.h',
        # The arithmetic that compiled code repeats.
        'eu/interp/alu.h', 'eu/interp/fast_ops.h', 'eu/interp/fmath_ext.h',
        'eu/jit/driver/driver.h',
    },
    'eu/jit': {
        # Inline: an instruction is a few stores.
        'eu/jit/x86/encode_control.h', 'eu/jit/x86/encode_gpr.h',
        'eu/jit/x86/reencode.h',
        'eu/jit/analysis/lane_deps.h', 'eu/jit/analysis/memory_access.h',
    },
    'cli': {
        # Kernel files, also for their symbols.
        'cli/kernel/elf_file.h', 'cli/kernel/program.h',
        'cli/kernel/read_file.h', 'cli/symbols/sha1.h',
    },
    'cli/profile': {'cli/profile/timeline/protobuf.h'},
    'drm-shim': set(),
    'engine': {
        'engine/core/hang.h',
        # Parts of raster/ that messages use.
        'engine/raster/depth/depth.h', 'engine/raster/output/output.h',
        'engine/raster/pixel_group.h',
        'engine/state/aux_state.h', 'engine/state/dispatch.h', 'engine/state/media_work.h',
        'engine/state/draw.h', 'engine/state/hw_state.h',
        'engine/state/prim.h', 'engine/state/stage.h',
        'engine/state/stage_cache.h', 'engine/state/thread_env.h',
        'engine/state/vebox_state.h', 'engine/state/video_state.h',
    },
    'drm-shim/ioctl': set(),
    'engine/mfx': set(),
    'engine/mfx/avc': set(),
    'engine/msg': {'engine/msg/dataport/gather_scatter.h'},
    'engine/vebox': set(),
    'engine/raster': {
        # Types that a scene and a worker have as members.
        'engine/raster/blit/clear_tracking.h',
        'engine/raster/depth/depth_kernels.h',
        'engine/raster/output/rt_kernels.h',
        'engine/raster/setup/small_triangle.h',
        'engine/raster/shade/interpolate.h',
    },
    'sampler': {
        # Shared by kernels, codecs and the scalar sampler.
        'sampler/format/bptc_partitions.h', 'sampler/format/format_ops.h',
        'sampler/format/texel_block.h', 'sampler/reference/sample.h',
        'sampler/surface/image.h', 'sampler/surface/tiling.h',
        'sampler/surface/x86/tiling_tmpl.h',
        'sampler/surface/x86/typed_blocks_tmpl.h',
    },
    'sampler/plan': set(),
    'sampler/plan/x86': set(),
}
# Headers that the room's own folder includes against the arrows: types without
# functions of other files.
MEMBERS = {
    'base': set(),
    'eu': set(),
    'eu/jit': set(),
    'cli': set(),
    'cli/profile': set(),
    'drm-shim': set(),
    'drm-shim/ioctl': set(),
    'engine': set(),
    'engine/mfx': set(),
    'engine/mfx/avc': set(),
    'engine/msg': set(),
    'engine/vebox': set(),
    'engine/raster': SUB_PUBLIC['engine/raster'] |
                     {'engine/raster/setup/setup.h'},
    'sampler': set(),
    'sampler/plan': set(),
    'sampler/plan/x86': set(),
}
# Headers that the whole room may include: its interface, and generated tables.
INTERFACE = {'engine/engine.h', 'engine/run.h', 'engine/cs/commands.h'}
GENERATED = {'surface_pack.h': 'sampler', 'gen9_pack.h': 'engine'}



def subroom(room, path):
    """The first folder of path below the room, '' if the room has no such
    sub-room."""
    folder = path[len(room) + 1:].split('/')[0]
    return folder if folder in SUBROOMS[room] else ''


def check_rooms(path, target):
    """The rule that the file violates if it includes target, or None."""
    room = path.split('/')[0]
    other = GENERATED.get(target) or target.split('/')[0]
    if other not in ROOMS or other == room:
        return None
    if other not in ROOMS[room]:
        return 'goes against the arrows'
    if other in PUBLIC and target not in PUBLIC[other] | set(GENERATED):
        return 'is private to ' + other
    return None


def check_subrooms(path, target):
    for room, uses in SUBROOMS.items():
        if not path.startswith(room + '/') or \
                not target.startswith(room + '/'):
            continue
        if target in INTERFACE:
            continue
        one, other = subroom(room, path), subroom(room, target)
        if one == other or (not one and target in MEMBERS[room]):
            continue
        if other not in uses.get(one, set()):
            return 'goes against the arrows of %s' % room
        public = {'%s/%s/%s.h' % (room, other, other)} | SUB_PUBLIC[room]
        if other and target not in public:
            return 'is private to %s/%s' % (room, other)
    return None


def circles():
    """Cycles of sub-rooms, also indirect ones."""
    found = []
    for room, uses in SUBROOMS.items():
        for first in uses:
            reached, new = set(), set(uses[first])
            while new:
                reached |= new
                new = {b for a in new for b in uses[a]} - reached
            if first in reached:
                found.append('%s/%s uses itself' % (room, first))
    return found


def planted():
    """Forbidden includes that the check does not find."""
    passed = []
    for room, uses in SUBROOMS.items():
        for one in uses:
            for other in set(uses) - uses[one] - {one, ''}:
                path = '/'.join(filter(None, (room, one, 'planted.c')))
                if not check_subrooms(path, '%s/%s/%s.h' % (room, other,
                                                            other)) and \
                        (one or '%s/%s/%s.h' % (room, other, other)
                         not in MEMBERS[room]):
                    passed.append('%s in %s' % (other, path))
    return passed


def main():
    src = pathlib.Path(sys.argv[1]) / 'src'
    problems, files = [], 0
    for path in sorted(src.rglob('*.[ch]')):
        name = str(path.relative_to(src))
        files += 1
        for number, line in enumerate(path.read_text().splitlines(), 1):
            m = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if not m:
                continue
            wrong = check_rooms(name, m[1]) or check_subrooms(name, m[1])
            if wrong:
                problems.append('%s:%d: %s %s' % (name, number, m[1], wrong))
    missing = ['%s/%s' % (room, folder)
               for room, uses in SUBROOMS.items() for folder in uses
               if not (src / room / folder).is_dir()]
    results = [
        ('source files were found', [] if files > 20 else ['%d' % files]),
        ('includes follow the arrows', problems),
        ('sub-rooms exist', missing),
        ('planted includes are found', planted()),
        ('no circle between sub-rooms', circles()),
    ]
    print('1..%d' % len(results))
    for number, (name, wrong) in enumerate(results, 1):
        print('%s %d - %s' % ('not ok' if wrong else 'ok', number, name))
        for line in wrong:
            print('# ' + line)


main()
