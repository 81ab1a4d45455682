"""Interrupts nnrt on a terminal, as Ctrl-C does, once it shows progress.

usage: terminal_test.py NNRT MODEL DECODER DIGITS

Also checks what fits the terminal, and its styles.
"""
import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

PATIENCE = 60  # seconds, on a busy machine


class Command:
    """A process with a terminal as standard error and a pipe as standard output."""

    def __init__(self, *arguments):
        self.terminal, other = pty.openpty()
        self.process = subprocess.Popen(arguments, stdin=other, stdout=subprocess.PIPE, stderr=other, text=True,
                                        start_new_session=True, preexec_fn=lambda: fcntl.ioctl(other, termios.TIOCSCTTY, 0))
        os.close(other)

    def wait_for(self, pattern):
        seen, end = "", time.monotonic() + PATIENCE
        while not re.search(pattern, seen):
            if not select.select([self.terminal], [], [], max(end - time.monotonic(), 0))[0]:
                sys.exit(f"FAILED: '{pattern}' does not come, but {seen[-300:]!r}")
            seen += os.read(self.terminal, 4096).decode(errors="replace")
        return seen

    def interrupt(self):
        os.write(self.terminal, b"\x03")

    def kill(self, number=signal.SIGINT):
        os.kill(self.process.pid, number)

    def children(self):
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]

    def end(self):
        out, _ = self.process.communicate(timeout=PATIENCE)
        os.close(self.terminal)
        return self.process.returncode, out


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")
    print(f"ok: {what}")


def interrupted(pattern, *arguments):
    command = Command(*arguments)
    command.wait_for(pattern)
    command.interrupt()
    return command.end()


def is_running(process):
    try:
        with open(f"/proc/{process}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def wait_for_end(process):
    end = time.monotonic() + PATIENCE
    while is_running(process) and time.monotonic() < end:
        time.sleep(0.01)
    return not is_running(process)


def check_measuring_process(nnrt, model):
    """Signals the started process, not the measuring one."""
    arguments = [nnrt, "bench", model, "--device", "cpu", "--runs", "100000000"]
    command = Command(*arguments, "--json")
    command.wait_for(r"running on CPU_NNRt \[")
    command.kill()
    code, out = command.end()
    check(code == 130 and json.loads(out)["results"][0]["runs"] > 0, "bench obeys a signal to its process alone")

    command = Command(*arguments)
    command.wait_for(r"running on CPU_NNRt \[")
    measuring, = command.children()
    os.kill(measuring, signal.SIGSTOP)  # so that it cannot handle the first signal
    command.kill()
    time.sleep(0.2)
    command.kill()
    code, _ = command.end()
    check(code == -signal.SIGINT and wait_for_end(measuring), "a second signal ends both processes")

    command = Command(*arguments)
    command.wait_for(r"running on CPU_NNRt \[")
    measuring, = command.children()
    command.kill(signal.SIGKILL)
    check(command.end()[0] == -signal.SIGKILL and wait_for_end(measuring), "nothing measures on without its parent")


def check_chat(nnrt, decoder):
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(decoder, folder)
        with open(f"{folder}/tokenizer_config.json", "w", encoding="ascii") as file:
            json.dump({"chat_template": "{% for m in messages %}{{ m.content }}. {% endfor %}"}, file)
        command = Command(nnrt, "generate", folder, "--chat", "--device", "cpu", "-n", "300")
        command.wait_for("> ")
        os.write(command.terminal, b"In the beginning\n")
        first = command.process.stdout.read(1)
        command.interrupt()
        seen = command.wait_for(r"on CPU_NNRt.*\n(.*\n)*> ")
        check("; stopped" in seen, "Ctrl-C ends the answer of a chat")
        os.write(command.terminal, b"And\n")
        seen = command.wait_for(r"on CPU_NNRt.*\n(.*\n)*> ")
        check("; stopped" not in seen, "but no later one")
        os.write(command.terminal, b"\x04")
        code, out = command.end()
        check(code == 0 and len((first + out).split("\n")) >= 3, "Ctrl-D ends the chat")


def check_quantize(nnrt, digits):
    """Each sample is a large image, so that the calibration takes long enough to show progress."""
    with tempfile.TemporaryDirectory() as folder:
        image = os.path.join(folder, "image.bmp")
        size = 2000
        with open(image, "wb") as file:
            file.write(b"BM" + struct.pack("<IIIIiiHHIIIIII", 54 + 3 * size * size, 0, 54, 40, size, size, 1, 24, *[0] * 6))
            file.write(bytes(3 * size * size))
        samples = os.path.join(folder, "samples")
        os.mkdir(samples)
        for i in range(1000):
            os.symlink(image, os.path.join(samples, f"{i}.bmp"))
        command = Command(nnrt, "quantize", digits, "--calibrate", samples, "-o", os.path.join(folder, "int8.onnx"))
        command.wait_for(r"calibration \[")
        command.interrupt()
        told = command.wait_for(r"nnrt: Interrupted before sample \d+.bmp; nothing was written.\r\n")
        check(command.end()[0] == 130 and "unexpected" not in told, "quantize says that it was interrupted")
        check(not os.path.exists(os.path.join(folder, "int8.onnx")), "and writes nothing")


def on_terminal(columns, *arguments, folder=None, **environment):
    """Standard output on a terminal of that width."""
    terminal, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    variables = {**os.environ, "TERM": "xterm", "NO_COLOR": "", **environment}
    with subprocess.Popen(arguments, stdout=other, stderr=subprocess.DEVNULL, env=variables, cwd=folder):
        os.close(other)
        text = b""
        while True:
            try:
                text += os.read(terminal, 4096)
            except OSError:  # the process has ended
                os.close(terminal)
                return text.decode().replace("\r\n", "\n")


def check_tables(nnrt, model, digits):
    bold, cyan, plain = "\x1b[1m", "\x1b[36m", "\x1b[0m"
    folder, digits = os.path.split(digits)  # `bench` prints the path
    for arguments in (["plan", model, "--device", "cpu"], ["plan", model, "--device", "cpu", "--kernels"],
                      ["profile", digits, "--device", "cpu", "--runs", "1"], ["bench", digits, "--devices", "cpu,cpu,cpu", "--runs", "1"],
                      ["compare", digits, "--devices", "cpu,cpu", "--layers"], ["devices"], ["--help"], ["run", "--help"],
                      ["quantize", "--help"]):
        text = on_terminal(80, nnrt, *arguments, folder=folder)
        lines = re.sub(r"\x1b\[\d*m", "", text).split("\n")
        check(len(lines) > 3 and max(map(len, lines)) <= 80, " ".join(arguments[:1] + arguments[-1:]) + " fits 80 columns")
    text = on_terminal(80, nnrt, "profile", digits, "--device", "cpu", "--runs", "1", folder=folder)
    check(f"{bold}operator{plain}" in text and re.search(re.escape(cyan) + r"[\d.]+ .s" + re.escape(plain), text), "a terminal shows styles")
    check(f"{bold}Options:{plain}" in on_terminal(80, nnrt, "run", "--help"), "and bold headings in the help")
    for quiet in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        check("\x1b" not in on_terminal(80, nnrt, "profile", digits, "--device", "cpu", "--runs", "1", folder=folder, **quiet), f"but not with {quiet}")


def main():
    nnrt, model, decoder, digits = sys.argv[1:]
    check_chat(nnrt, decoder)
    check_tables(nnrt, model, digits)
    check_quantize(nnrt, digits)
    many = ["--device", "cpu", "--runs", "100000000"]
    code, out = interrupted(r"running on CPU_NNRt \[", nnrt, "run", model, *many)
    check(code == 130 and re.search(r"first run .*, median of \d+ more ", out), "run tells what it measured")
    check("compared with the file" in out, "and what it computed")

    code, out = interrupted(r"running on CPU_NNRt \[", nnrt, "bench", model, *many, "--json")
    result = json.loads(out)["results"][0]
    check(code == 130 and 0 < result["runs"] < 100000000 and result["latency_ms"]["p50"] > 0, "bench tells what it measured")

    code, out = interrupted(r"warming up on CPU_NNRt \[", nnrt, "bench", model, *many, "--warmup", "100000000")
    check(code == 130 and re.search(r"first run +\d", out) and re.search(r"\nruns +0\n", out), "and what came before the runs")

    code, out = interrupted(r"running on CPU_NNRt, of 100000.0 s, \d", nnrt, "bench", model, "--devices", "cpu,cpu",
                            "--duration", "100000")
    check(code == 130 and out.count("CPU_NNRt") == 1, "no other device follows")

    check_measuring_process(nnrt, model)

    code, out = interrupted(r"running on CPU_NNRt \[", nnrt, "profile", model, *many)
    check(code == 130 and re.search(r"\(\d+ runs\)", out) and "CONV2D" in out, "profile tells what it measured")

    code, out = interrupted(r"running on CPU_NNRt \[", nnrt, "profile", model, *many, "--warmup", "100000000", "--json")
    check(code == 130 and json.loads(out)["runs"] == 1, "and the last run where none counted yet")

    quiet = subprocess.run([nnrt, "bench", model, "--device", "cpu", "--duration", "1.5"], capture_output=True, text=True,
                           check=True)
    check(quiet.stderr == "", "nothing is told of the progress where no terminal is")


main()
