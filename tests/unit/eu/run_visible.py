#!/usr/bin/env python3
"""Tests that gdb and perf see compiled kernels.

run_visible.py PROGRAM: runs PROGRAM (visible.c) under each tool that is
installed and permitted. Writes TAP to stdout.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(sys.argv[1])
SYMBOL = re.compile(r"eu:[0-9a-f]{16}")
results = []


def run(args, env=None, cwd=None):
    full = dict(os.environ, SOFTLAKE_EU="jit", **(env or {}))
    return subprocess.run(args, env=full, cwd=cwd, text=True, timeout=120,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def say(ok, name, detail="", skip=""):
    results.append(ok)
    number = len(results)
    tail = f" # SKIP {skip}" if skip else ""
    print(f"{'ok' if ok else 'not ok'} {number} - {name}{tail}")
    if not ok:
        for line in detail.splitlines():
            print(f"# {line}")


def nothing_by_default(cwd):
    start = os.stat(cwd).st_mtime
    pid = subprocess.Popen([PROGRAM, "1000"], cwd=cwd)
    pid.wait()
    path = f"/tmp/perf-{pid.pid}.map"
    left = os.listdir(cwd)
    # Another process may have had the number before.
    if os.path.exists(path) and os.stat(path).st_mtime >= start:
        left.append(path)
    say(pid.returncode == 0 and not left, "nothing is written unasked",
        str(left))


def perf_map(cwd):
    env = dict(os.environ, SOFTLAKE_EU="jit", SOFTLAKE_PERF="map")
    program = subprocess.Popen([PROGRAM, "1000"], cwd=cwd, env=env)
    program.wait()
    path = f"/tmp/perf-{program.pid}.map"
    text = open(path).read() if os.path.exists(path) else ""
    line = re.compile(r"^[0-9a-f]+ [0-9a-f]+ eu:[0-9a-f]{16}$", re.M)
    say(bool(line.search(text)), "map of symbols", text)
    if text:
        os.unlink(path)


def gdb(cwd):
    name = "gdb shows the kernel and its callers"
    if not shutil.which("gdb"):
        say(True, name, skip="no gdb")
        return
    out = run(["gdb", "-batch", "-nx", "-ex", "set breakpoint pending on",
               "-ex", "set debuginfod enabled off", "-ex", "break stop_here",
               "-ex", "run", "-ex", "backtrace", PROGRAM],
              {"SOFTLAKE_GDB": "1"}, cwd).stdout
    if "ptrace" in out and "not permitted" in out:
        say(True, name, skip="no ptrace")
        return
    kernel = [m for m in re.finditer(r"#\d+ .*", out) if SYMBOL.search(m[0])]
    main = re.search(r"#\d+ .*\bmain\b", out)
    say(bool(kernel and main and kernel[0].start() < main.start()), name, out)


def perf(cwd):
    name = "perf inject --jit names the kernel and its lines"
    if not shutil.which("perf"):
        say(True, name, skip="no perf")
        return
    made = run(["perf", "record", "-q", "-k", "CLOCK_MONOTONIC", "-e",
                "cpu-clock:u", "-o", "perf.data", PROGRAM, "60000000"],
               {"SOFTLAKE_PERF": "jitdump"}, cwd)
    if made.returncode or not os.path.exists(f"{cwd}/perf.data"):
        say(True, name, skip="perf record is not allowed")
        return
    asm = [p for p in os.listdir(cwd) if p.endswith(".asm")]
    inject = run(["perf", "inject", "--jit", "-i", "perf.data", "-o",
                  "jit.data"], None, cwd)
    report = run(["perf", "report", "-i", "jit.data", "--stdio", "--sort",
                  "symbol"], None, cwd)
    lines = run(["perf", "report", "-i", "jit.data", "--stdio", "--sort",
                 "srcline"], None, cwd)
    say(bool(SYMBOL.search(report.stdout)) and len(asm) == 1 and
        asm[0] in lines.stdout, name,
        made.stdout + inject.stdout + report.stdout + lines.stdout + str(asm))


def main():
    for test in (nothing_by_default, perf_map, gdb, perf):
        with tempfile.TemporaryDirectory() as cwd:
            test(cwd)
    print(f"1..{len(results)}")
    return 0 if all(results) else 1


sys.exit(main())
