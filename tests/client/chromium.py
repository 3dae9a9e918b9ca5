"""A headless Chromium, driven through its debugging pipe: messages are JSON
with a zero byte after each, on descriptors 3 (to it) and 4 (from it).

Chromium's DevTools protocol: domains Target, Page, Runtime, Input, Network."""
import base64
import json
import os
import select
import shutil
import subprocess
import time

NAMES = 'chromium', 'chromium-browser', 'google-chrome'


def find():
    return next(filter(None, map(shutil.which, NAMES)), None)


class Chromium:
    def __init__(self, profile_dir, size=(1400, 1000), timeout_s=60):
        self.timeout_s, self.number, self.buffer = timeout_s, 0, b''
        self.events = []
        from_us, self.to = os.pipe()
        self.back, to_us = os.pipe()

        def place():
            # Neither may be overwritten by the other.
            a, b = os.dup(from_us), os.dup(to_us)
            high = [os.dup(a) for _ in range(4)]
            os.dup2(a, 3) if a != 3 else os.set_inheritable(3, True)
            os.dup2(b, 4) if b != 4 else os.set_inheritable(4, True)
            for fd in {a, b, *high} - {3, 4}:
                os.close(fd)
        self.process = subprocess.Popen(
            [find(), '--headless=new', '--no-sandbox', '--disable-gpu',
             '--remote-debugging-pipe', '--no-first-run', '--mute-audio',
             '--disable-background-networking', '--force-color-profile=srgb',
             '--user-data-dir=%s' % profile_dir, '--window-size=%d,%d' % size,
             'about:blank'],
            close_fds=False, preexec_fn=place, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(from_us)
        os.close(to_us)
        targets = self.send('Target.getTargets', session=None)['targetInfos']
        page = next(t for t in targets if t['type'] == 'page')
        self.session = self.send('Target.attachToTarget', session=None,
                                 targetId=page['targetId'],
                                 flatten=True)['sessionId']
        for domain in 'Page', 'Runtime', 'Network', 'Log':
            self.send(domain + '.enable')

    def receive(self, until_s):
        while b'\0' not in self.buffer:
            left = until_s - time.monotonic()
            if left <= 0 or not select.select([self.back], [], [], left)[0]:
                raise TimeoutError('Chromium does not answer')
            more = os.read(self.back, 1 << 20)
            if not more:
                raise EOFError('Chromium has ended')
            self.buffer += more
        text, self.buffer = self.buffer.split(b'\0', 1)
        return json.loads(text)

    def send(self, method, session='own', **params):
        self.number += 1
        message = {'id': self.number, 'method': method, 'params': params}
        if session == 'own':
            message['sessionId'] = self.session
        os.write(self.to, json.dumps(message).encode() + b'\0')
        until_s = time.monotonic() + self.timeout_s
        while True:
            answer = self.receive(until_s)
            if answer.get('id') == self.number:
                if 'error' in answer:
                    raise RuntimeError('%s: %s' % (method, answer['error']))
                return answer['result']
            self.events.append(answer)

    def wait(self, method):
        """The next such event that has not been taken."""
        until_s = time.monotonic() + self.timeout_s
        while True:
            for i, e in enumerate(self.events):
                if e.get('method') == method:
                    return self.events.pop(i)['params']
            self.events.append(self.receive(until_s))

    def take(self, *methods):
        """All such events so far."""
        found = [e for e in self.events if e.get('method') in methods]
        self.events = [e for e in self.events if e not in found]
        return found

    def open(self, url):
        self.take('Page.loadEventFired')
        self.send('Page.navigate', url=url)
        self.wait('Page.loadEventFired')

    def run(self, script):
        """The value of a JavaScript expression."""
        done = self.send('Runtime.evaluate', expression=script,
                         returnByValue=True, awaitPromise=True)
        if 'exceptionDetails' in done:
            raise RuntimeError('%s: %s' % (script, done['exceptionDetails']))
        return done['result'].get('value')

    def settle(self):
        """Waits until two frames are drawn."""
        self.run('new Promise(f => requestAnimationFrame(() => '
                 'requestAnimationFrame(() => f(1))))')

    def click(self, element):
        """Presses the mouse on an element: a JavaScript expression."""
        self.run('%s.scrollIntoView({block: "center"})' % element)
        self.settle()
        x, y = self.run('(r => [r.left + Math.min(r.width / 2, 40), '
                        'r.top + r.height / 2])'
                        '(%s.getBoundingClientRect())' % element)
        for kind in 'mousePressed', 'mouseReleased':
            self.send('Input.dispatchMouseEvent', type=kind, x=x, y=y,
                      button='left', clickCount=1)
        self.settle()

    def type(self, text):
        self.send('Input.insertText', text=text)
        self.settle()

    def screenshot(self, path):
        self.settle()
        data = self.send('Page.captureScreenshot')['data']
        with open(path, 'wb') as f:
            f.write(base64.b64decode(data))

    def close(self):
        try:
            self.send('Browser.close', session=None)
            self.process.wait(10)
        except (RuntimeError, OSError, EOFError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.back)
