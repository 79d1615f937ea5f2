"""Guests whose kernel has stopped, seen on their consoles: what a run of the tests does about them.

Such a guest is of no use to the tests that come after, and what the one before has failed of is the kernel, not what it tries. The guest is
ended, the next test gets a new one, and the test that failed is run once more. No other failure is repeated.
"""

import re
import shutil

import pytest
# pytest has no public name for running a test without reporting it.
from _pytest.runner import runtestprotocol

# What Linux says when it has stopped, wholly or in a part. A lockup of a processor or of its queues is not among it: Linux also takes an emulator
# for one that this machine has kept waiting.
SIGNS = re.compile(r"kernel BUG at|\bBUG: (?!soft lockup|workqueue lockup)|\bOops\b|list_(?:add|del) corruption|general protection fault"
                   r"|Kernel panic|hung[ _]task|blocked for more than \d+ seconds")
# Where a processor was, and from where it came there: "RIP: 0010:name+0x2a/0x70", " name+0x2a/0x70 [module]". A guess has a question mark.
FRAME = re.compile(r"(?:RIP: [0-9a-f]+:|^(?:\[[^\]]*\])?[ \t]+)(\w+)[\w.]*\+0x[0-9a-f]+/0x", re.MULTILINE)
# They find the fault, or wait; it is their caller's.
CHECKS = re.compile(r"__list_|list_(?:add|del)|dump_stack|v?panic$|__schedule|schedule|__mutex_lock|mutex_lock|lock_sock_nested")
# How many guests are replaced in a run.
MOST = 3


def stopped_in(console):
    """The kernel's function in which it has stopped, by what is on the console since its start; None where it has not."""
    sign = SIGNS.search(console)
    if sign is None:
        return None
    places = (frame[1] for frame in FRAME.finditer(console, sign.start()))
    return next((place for place in places if not CHECKS.match(place)), "a function that it does not name")


def stop_of(lab):
    return stopped_in(lab.guest.console.read_text(errors="replace")) if lab.guest.console.exists() else None


class KernelGuard:
    """A plugin of pytest's. `labs` are those that have a guest now; `folder` is where what tells of failures is kept; `forget` is called with
    a test whose results so far do not count."""

    def __init__(self, labs, folder, forget):
        self.labs = labs
        self.folder = folder
        self.forget = forget
        # For the summary, and how many of them have been printed when it happened.
        self.lines = []
        self.printed = 0
        self.replaced = 0
        self.last = None
        # Of the attempt that is under way: the labs that it uses, whether it has failed, whether their kernel has stopped, and whether it is the
        # second.
        self.used = []
        self.failed = False
        self.stopped = False
        self.is_second = False

    # What pytest calls

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item, nextitem):
        # It may have stopped since the last test ended.
        if self.last and self.replace(item, self.labs, f"after {self.last}"):
            self.tear_down(item)
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        reports = self.attempt(item, nextitem)
        if self.stopped and any(report.failed for report in reports) and not item.session.shouldfail:
            self.keep(item, reports)
            self.forget(item)
            reports = self.attempt(item, nextitem, is_second=True)
        self.tell(item)
        for report in reports:
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        self.last = item.nodeid
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        if report.when != "teardown":
            self.failed = self.failed or report.failed
            # A test that could not begin may have used any.
            values = list((item.funcargs or {}).values())
            self.used = list(self.labs) if report.failed and report.when == "setup" else [lab for lab in self.labs if lab in values]
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item):
        used, others = self.used, [lab for lab in self.labs if lab not in self.used]
        during = f"during {item.nodeid}{', again' if self.is_second else ''}"
        # What a test that is to be repeated has left ends quickly with its guest, and does not wait for answers.
        if self.failed:
            self.stopped = self.replace(item, used, during)
        try:
            return (yield)
        finally:
            if not self.stopped:
                self.stopped = self.replace(item, used, during)
            if self.replace(item, others, f"beside {item.nodeid}") or self.stopped:
                self.tear_down(item)
            if self.stopped and self.is_second and not self.failed:
                pytest.fail("the guest's kernel has stopped twice in a row during this test", pytrace=False)

    def pytest_terminal_summary(self, terminalreporter):
        if self.lines:
            terminalreporter.section("guests whose kernel has stopped")
            for line in self.lines:
                terminalreporter.write_line(line)

    # What it does

    def attempt(self, item, nextitem, is_second=False):
        self.tell(item)
        self.used, self.failed, self.stopped, self.is_second = [], False, False, is_second
        return runtestprotocol(item, nextitem=nextitem, log=False)

    def replace(self, item, labs, when):
        """Ends the guests of those whose kernel has stopped; gives whether there were any. The next test that wants one makes it."""
        found = [(lab, place) for lab in labs if (place := stop_of(lab))]
        for lab, place in found:
            may = self.replaced < MOST
            self.replaced += may
            line = f"guest {lab.suite}: {lab.guest.linux} stopped in {place} {when}; "
            line += "replaced" if may else f"not replaced, as {MOST} have been"
            self.lines.append(line)
            kept = self.of(item)
            kept.mkdir(parents=True, exist_ok=True)
            shutil.copy2(lab.guest.console, kept / f"console-{len(self.lines)}.log")
            lab.guest.stop()
            if not may:
                item.session.shouldfail = line
        return bool(found)

    def tell(self, item):
        """Not while a test runs: what is printed then is taken for the test's."""
        if terminal := item.config.pluginmanager.get_plugin("terminalreporter"):
            for line in self.lines[self.printed:]:
                terminal.ensure_newline()
                terminal.write_line(line)
        self.printed = len(self.lines)

    def tear_down(self, item):
        """Ends all that fixtures of modules and of the session have: it was on the guest, or beside it."""
        try:
            item.session._setupstate.teardown_exact(None)
        except (Exception, pytest.fail.Exception, pytest.skip.Exception):
            # It asks the guest that has ended.
            pass

    def of(self, item):
        return self.folder / "kernel" / re.sub(r"[^\w.-]+", "-", f"{item.module.__name__}-{item.name}")

    def keep(self, item, reports):
        """What was said by the attempt that does not count."""
        said = [f"{report.when}: {report.outcome}\n{report.longreprtext}\n{report.capstdout}{report.capstderr}" for report in reports]
        (self.of(item) / "attempt.txt").write_text("\n".join(said))
