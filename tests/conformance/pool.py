"""Runs commands side by side, each in a process group of its own.

A command that takes too long is killed with everything that it started; its
output is kept up to a bound. Results arrive in the order in which they end.
"""
import concurrent.futures
import os
import signal
import subprocess
import tempfile
import threading
import time

KEEP_B = 1 << 20


class Result:
    def __init__(self, code, text, seconds, timed_out):
        self.code = code
        self.text = text
        self.seconds = seconds
        self.timed_out = timed_out


class Pool:
    def __init__(self, jobs):
        self.executor = concurrent.futures.ThreadPoolExecutor(jobs)
        self.lock = threading.Lock()
        self.groups = set()
        self.stopping = False

    @staticmethod
    def wait(process, out, timeout, quiet):
        """False after too long: since the start, or since the last output if
        that is what counts."""
        limit, size = time.monotonic() + timeout, 0
        while True:
            try:
                process.wait(min(timeout, 0.5) if quiet else timeout)
                return True
            except subprocess.TimeoutExpired:
                pass
            now = os.fstat(out.fileno()).st_size
            if quiet and now != size:
                limit, size = time.monotonic() + timeout, now
            elif time.monotonic() >= limit:
                return False

    def run(self, command, env, timeout, cwd=None, quiet=False):
        """Blocks until the command has ended. quiet: the time limit is for a
        command that says nothing."""
        begin = time.monotonic()
        with tempfile.TemporaryFile() as out:
            with self.lock:
                if self.stopping:
                    return Result(-signal.SIGTERM, '', 0.0, False)
                process = subprocess.Popen(
                    command, env=env, cwd=cwd, stdin=subprocess.DEVNULL,
                    stdout=out, stderr=subprocess.STDOUT,
                    start_new_session=True)
                self.groups.add(process.pid)
            timed_out = not self.wait(process, out, timeout, quiet)
            with self.lock:
                self.kill(process.pid)
                self.groups.discard(process.pid)
            process.wait()
            size = out.seek(0, os.SEEK_END)
            out.seek(max(0, size - KEEP_B))
            text = out.read().decode(errors='replace')
        return Result(process.returncode, text, time.monotonic() - begin,
                      timed_out)

    @staticmethod
    def kill(group):
        try:
            os.killpg(group, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def map(self, function, items):
        """Yields function(item) for each item as they end."""
        futures = [self.executor.submit(function, item) for item in items]
        for future in concurrent.futures.as_completed(futures):
            yield future.result()

    def stop(self):
        with self.lock:
            self.stopping = True
            for group in self.groups:
                self.kill(group)
        self.executor.shutdown(wait=False, cancel_futures=True)
