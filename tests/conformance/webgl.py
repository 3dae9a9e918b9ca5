"""The WebGL conformance suite in a Chromium that the user has.

DIR is a checkout of KhronosGroup/WebGL, sdk/tests in it, or another tree with
the suite's 00_test_list.txt. Its pages hold dEQP-GLES2 and dEQP-GLES3 in
JavaScript, too. This file is also the program that runs a chunk of the pages:

usage: webgl.py DIR BROWSER ANGLE CASELIST

It serves the suite to one browser, tells it the next page when it asks for
one, and talks like dEQP does, so that deqp.py judges what it says.
"""
import http.server
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import urllib.parse

LIST = '00_test_list.txt'
CHUNK = 40
# What ANGLE runs on: EGL and GLES of the system, or its Vulkan.
ANGLE = ('gl-egl', 'vulkan')
# ANGLE, whatever Chromium thinks of the driver, and nothing in its place; no
# second process for the GPU; a lost context is no reason to stop.
FLAGS = ('--headless', '--no-sandbox', '--disable-dev-shm-usage',
         '--no-first-run', '--use-gl=angle', '--ignore-gpu-blocklist',
         '--disable-software-rasterizer', '--in-process-gpu',
         '--disable-gpu-watchdog', '--disable-gpu-process-crash-limit',
         '--disable-domain-blocking-for-3d-apis',
         '--disable-background-networking', '--js-flags=--expose-gc',
         '--autoplay-policy=no-user-gesture-required')


def numbers(version):
    return tuple(int(part) for part in version.split('.'))


def listed(root, path=LIST, least='1.0.0', most=None):
    """Yields (page, least version, most version or None) of a list and of
    those that it names."""
    with open(os.path.join(root, path)) as lines:
        for line in lines:
            words = line.split()
            if not words or words[0][0] in '#;' or words[0].startswith('//'):
                continue
            options, names, words = {}, [], iter(words)
            for word in words:
                if word in ('--min-version', '--max-version'):
                    options[word] = next(words, '')
                elif not word.startswith('--'):
                    names.append(word)
            low = options.get('--min-version', least)
            high = options.get('--max-version', most)
            name = os.path.join(os.path.dirname(path), ' '.join(names))
            if name.endswith('.txt'):
                yield from listed(root, name, low, high)
            else:
                yield name, low, high


def suite_root(folder):
    for inner in ('', os.path.join('sdk', 'tests')):
        root = os.path.join(folder, inner)
        if os.path.exists(os.path.join(root, LIST)):
            return os.path.abspath(root)
    raise SystemExit('conformance: no %s below %s' % (LIST, folder))


def pages(root):
    """{name: (page, WebGL's version)}: a page is run with the newest version
    that it is for."""
    found = {}
    for page, least, most in listed(root):
        version = 1 if numbers(least) < (2,) or \
            (most and numbers(most) < (2,)) else 2
        name = 'webgl%d.%s' % (version, page[:-len('.html')].replace('/', '.'))
        found[name] = page, version
    return found


class Suite:
    vulkan = False

    def __init__(self, folder, browser):
        self.root, self.browser = suite_root(folder), browser
        if not shutil.which(shlex.split(browser)[0]):
            raise SystemExit('conformance: no program %s' % browser)
        self.cases = list(pages(self.root))
        self.program = os.path.abspath(__file__)

    def command(self, config, caselist):
        return [sys.executable, self.program, self.root, self.browser,
                config, caselist]


class Session:
    """The pages of one browser, and what it says about them."""

    def __init__(self, root, names):
        self.root = root
        known = pages(root)
        self.left = [(name, known[name]) for name in names if name in known]
        self.ended = threading.Event()

    def next(self):
        if not self.left:
            self.ended.set()
            return {}
        name, (page, version) = self.left.pop(0)
        print("Test case '%s'.." % name, flush=True)
        return {'url': '/%s?webglVersion=%d&quiet=1' % (page, version)}

    @staticmethod
    def report(said):
        for text in said['failures']:
            print('    %s' % ' '.join(text.split()))
        if said['finished']:
            status = 'Fail' if said['fail'] else \
                'NotSupported' if said['skip'] and not said['pass'] else 'Pass'
            print('  %s (%d passed, %d failed, %d skipped)' % (
                status, said['pass'], said['fail'], said['skip']))
        sys.stdout.flush()


def handler(session):
    class Handler(http.server.SimpleHTTPRequestHandler):
        protocol_version = 'HTTP/1.1'

        def __init__(self, *args):
            super().__init__(*args, directory=session.root)

        def log_message(self, *args):
            pass

        def answer(self, body, kind):
            self.send_response(200)
            self.send_header('Content-Type', kind)
            self.send_header('Content-Length', str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self):
            path = urllib.parse.urlparse(self.path).path
            if path == '/softlake/run':
                with open(__file__[:-len('.py')] + '.html', 'rb') as page:
                    self.answer(page.read(), 'text/html')
            elif path == '/softlake/next':
                self.answer(json.dumps(session.next()).encode(),
                            'application/json')
            else:
                super().do_GET()

        def do_POST(self):
            length = int(self.headers['Content-Length'])
            session.report(json.loads(self.rfile.read(length)))
            self.answer(b'', 'text/plain')
    return Handler


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, address):
        pass  # A page that went away while it was loading.


def main(root, browser, angle, caselist):
    with open(caselist) as lines:
        session = Session(root, lines.read().splitlines())
    server = Server(('127.0.0.1', 0), handler(session))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    process = subprocess.Popen(
        shlex.split(browser) + list(FLAGS) +
        ['--use-angle=' + angle, '--user-data-dir=' + caselist + '.profile',
         '--remote-debugging-port=0',
         'http://127.0.0.1:%d/softlake/run' % server.server_address[1]],
        stdin=subprocess.DEVNULL)
    signal.signal(signal.SIGCHLD, lambda *_: session.ended.set())
    if process.poll() is None:
        session.ended.wait()
    code = process.poll()
    if code is None:
        process.terminate()
        process.wait()
    return code or 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
