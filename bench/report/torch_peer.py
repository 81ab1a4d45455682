"""PyTorch as a peer that takes turns with NNRt: a bench/peers/torch_server.py process, restarted if it ends."""
import pathlib
import subprocess
import sys

from turns import Failed

SERVER = pathlib.Path(__file__).parent.parent / "peers/torch_server.py"


class TorchPeer:
    def __init__(self, arguments=(), python=sys.executable):
        self.command = [python, str(SERVER), *arguments]
        self.process = None

    def start(self):
        self.process = subprocess.Popen(self.command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        answer = self.process.stdout.readline().strip()
        if answer != "ready":
            self.close()
            raise Failed(answer.removeprefix("failed ") or "PyTorch's process ended.")

    def ask(self, line):
        if self.process is None:
            self.start()
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline().strip()
        except BrokenPipeError:
            answer = ""
        if not answer or answer.startswith("failed"):
            # A CUDA error persists in its process, so the next network gets a new one.
            self.close()
            raise Failed(answer.removeprefix("failed ") or "PyTorch's process ended.")
        return answer

    def about(self):
        return self.ask("about")

    def load(self, file, fp16):
        self.ask(f"load {file}" + (" fp16" if fp16 else ""))

    def run(self, count):
        return float(self.ask(str(count)))

    def device(self):
        """Milliseconds of kernels and of copies; empty without a device clock."""
        answer = self.ask("device")
        return None if answer == "none" else tuple(map(float, answer.split()))

    def kernel(self, file, fp16):
        return float(self.ask(f"kernel {file}" + (" fp16" if fp16 else "")))

    def close(self):
        if self.process is not None:
            self.process.stdin.close()
            try:
                self.process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                self.process.kill()
            self.process = None
