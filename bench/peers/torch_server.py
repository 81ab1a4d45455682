"""Runs networks of models/model_files.py in PyTorch on request, so that it can take turns with other runtimes. Each line of standard input is a command,
answered by one line:

  load FILE [fp16]   reads and captures a network: "ready", or "failed" and the reason
  N                  median of N runs in milliseconds, with inputs and outputs in host memory
  device             milliseconds of kernels and of copies, measured by device events
  kernel FILE [fp16] microseconds of an operator on the device; with fp16 all of its tensors are fp16
  about              versions

On CUDA it replays a CUDA graph, without TF32, with images in channels_last. --cpu runs on the CPU, for tests."""
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from onnx_model import Model  # noqa: E402
from onnx_torch import Network  # noqa: E402

REPEATS = 20  # runs of an operator per graph, so that launch overhead is negligible


class Runner:
    """A network with inputs in pinned memory."""

    def __init__(self, torch, path, fp16, device, inputs_as=None):
        self.torch, self.cuda = torch, device == "cuda"
        model = Model(path)
        self.network = Network(torch, model, device, torch.float16 if fp16 else torch.float32)
        torch.manual_seed(1)
        hosts = [torch.rand(*shape) * 2 - 1 for shape in model.inputs.values()]
        self.hosts = [self.network.placed(host).cpu() if inputs_as else self.as_image(host) for host in hosts]
        if self.cuda:
            self.hosts = [host.pin_memory() for host in self.hosts]
        self.inputs = [host.to(device) for host in self.hosts]
        self.outputs, self.results, self.graph = [], [], None

    def as_image(self, tensor):
        return tensor.to(memory_format=self.torch.channels_last) if tensor.dim() == 4 else tensor

    def compute(self):
        """Computes in the network's dtype; inputs and outputs have the inputs' dtype."""
        dtype = self.network.dtype
        return [output.to(self.inputs[0].dtype) for output in self.network(*(value.to(dtype) for value in self.inputs))]

    def capture(self, repeats=1):
        torch = self.torch
        with torch.inference_mode():
            if not self.cuda:
                self.outputs = self.compute()
                return
            stream = torch.cuda.Stream()
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                for _ in range(3):
                    self.compute()
            torch.cuda.current_stream().wait_stream(stream)
            torch.cuda.synchronize()
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                for _ in range(repeats):
                    self.outputs = self.compute()
            self.results = [torch.empty_like(output, device="cpu").pin_memory() for output in self.outputs]

    def copy_in(self):
        for host, value in zip(self.hosts, self.inputs):
            value.copy_(host, non_blocking=True)

    def copy_out(self):
        for result, output in zip(self.results, self.outputs):
            result.copy_(output, non_blocking=True)

    def run(self):
        with self.torch.inference_mode():
            if not self.cuda:
                self.outputs = self.compute()
                return
            self.copy_in()
            self.graph.replay()
            self.copy_out()
            self.torch.cuda.synchronize()

    def median(self, count):
        times = []
        for _ in range(count):
            start = time.perf_counter()
            self.run()
            times.append(time.perf_counter() - start)
        return statistics.median(times) * 1e3

    def on_device(self, action, count=10):
        """Milliseconds between two events around the call."""
        times = []
        for _ in range(count):
            begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            action()
            end.record()
            self.torch.cuda.synchronize()
            times.append(begin.elapsed_time(end))
        return statistics.median(times)

    def device_times(self):
        with self.torch.inference_mode():
            return self.on_device(self.graph.replay), self.on_device(self.copy_in) + self.on_device(self.copy_out)


class Server:
    def __init__(self, torch, device):
        self.torch, self.device, self.runner = torch, device, None

    def answer(self, words):
        if words[0] == "about":
            name = self.torch.cuda.get_device_name() if self.device == "cuda" else "CPU"
            return f"PyTorch {self.torch.__version__}, CUDA {self.torch.version.cuda}, {name}"
        if words[0] == "load":
            self.runner = None  # free the previous one
            runner = Runner(self.torch, words[1], "fp16" in words[2:], self.device)
            runner.capture()
            runner.run()
            self.runner = runner
            return "ready"
        if words[0] == "kernel":
            runner = Runner(self.torch, words[1], "fp16" in words[2:], self.device, inputs_as="network")
            runner.capture(REPEATS)
            if not runner.cuda:
                return str(runner.median(3) * 1e3)
            return str(runner.on_device(runner.graph.replay) / REPEATS * 1e3)
        if words[0] == "device":
            return "none" if not self.runner.cuda else " ".join(map(str, self.runner.device_times()))
        return str(self.runner.median(max(1, int(words[0]))))


def main():
    try:
        import torch
    except ImportError:
        print("failed PyTorch is not installed.", flush=True)
        return
    device = "cpu" if "--cpu" in sys.argv else "cuda"
    if device == "cuda" and not torch.cuda.is_available():
        print("failed PyTorch finds no CUDA device.", flush=True)
        return
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    server = Server(torch, device)
    print("ready", flush=True)
    for line in sys.stdin:
        if not line.split():
            continue
        try:
            print(server.answer(line.split()), flush=True)
        except Exception as error:  # any failure: the next network may work
            print("failed " + " ".join(f"{type(error).__name__}: {error}".split()), flush=True)


if __name__ == "__main__":
    main()
