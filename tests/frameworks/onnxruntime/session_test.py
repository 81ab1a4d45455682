"""Sessions of ONNX Runtime with our provider: options, kinds of models, memory, threads, errors, and lifetimes."""

import gc
import os
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

import numpy
import onnxruntime
import provider
from provider import OnnxModel

KIND = os.environ.get("PLUGIN_KIND", "cpu")
RANDOM = numpy.random.default_rng(1)


def random(*shape):
    return RANDOM.standard_normal(shape).astype("f4")


WEIGHTS, BIAS = random(16, 3, 3, 3), random(16)


def convolution(batch=1, size=8):
    """Conv, Relu and GlobalAveragePool."""
    model = OnnxModel().input("x", [batch, 3, size, size]).output("y", [batch, 16, 1, 1])
    model.constant("w", WEIGHTS).constant("b", BIAS)
    model.node("Conv", ["x", "w", "b"], ["c"], "conv", pads=[1, 1, 1, 1])
    return model.node("Relu", ["c"], ["r"], "relu").node("GlobalAveragePool", ["r"], ["y"], "pool").bytes()


def quantized():
    """A convolution between QuantizeLinear and DequantizeLinear, as exporters write it."""
    model = OnnxModel().input("x", [1, 3, 8, 8]).output("y", [1, 16, 8, 8])
    model.constant("s", numpy.float32(0.05)).constant("z", numpy.int8(3))
    model.constant("w", RANDOM.integers(-127, 127, (16, 3, 3, 3)).astype("i1")).constant("ws", numpy.full(16, 0.01, "f4"))
    model.constant("wz", numpy.zeros(16, "i1")).constant("t", numpy.float32(0.1))
    model.node("QuantizeLinear", ["x", "s", "z"], ["q"]).node("DequantizeLinear", ["q", "s", "z"], ["d"])
    model.node("DequantizeLinear", ["w", "ws", "wz"], ["v"], axis=0)
    model.node("Conv", ["d", "v"], ["c"], pads=[1, 1, 1, 1])
    model.node("QuantizeLinear", ["c", "t", "z"], ["r"])
    return model.node("DequantizeLinear", ["r", "t", "z"], ["y"]).bytes()


def branches():
    """An If whose branches read values from outside."""
    yes = OnnxModel().node("MatMul", ["x", "w"], ["m"]).output("m", [4, 4])
    no = OnnxModel().node("Neg", ["x"], ["n"]).output("n", [4, 4])
    model = OnnxModel().input("c", [], "bool").input("x", [4, 4]).output("y", [4, 4]).constant("w", random(4, 4))
    return model.node("If", ["c"], ["i"], then_branch=yes, else_branch=no).node("Exp", ["i"], ["y"]).bytes()


def mixed():
    """A part of Bernoulli stays with ONNX Runtime."""
    model = OnnxModel(15).input("x", [2, 8]).output("y", [2, 8]).output("z", [2, 8])
    model.constant("w", random(8, 8)).constant("v", random(8, 8))
    model.node("MatMul", ["x", "w"], ["a"]).node("Bernoulli", ["a"], ["y"])
    return model.node("MatMul", ["a", "v"], ["z"]).bytes()


class Session(unittest.TestCase):
    def assert_same(self, model, feed, **options):
        """The session's results are those of ONNX Runtime; returns how many groups of ours ran."""
        want = provider.reference(model).run(None, feed)
        with provider.profiled(model, KIND, **options) as (session, groups):
            got = session.run(None, feed)
        self.assertIsNone(provider.differs(got, want, 1e-4))
        return len(groups)

    def test_devices_have_facts(self):
        for it in provider.devices().values():
            self.assertIn(it.ep_metadata["type"], ("auto", "cpu", "gpu", "accelerator"))
            self.assertTrue(it.ep_metadata["vendor"])
            self.assertTrue(it.ep_metadata["version"])

    def test_convolution(self):
        self.assertEqual(self.assert_same(convolution(), {"x": random(1, 3, 8, 8)}), 1)

    def test_open_dimensions(self):
        session = provider.session(convolution(None, None), KIND)
        plain = provider.reference(convolution(None, None))
        for shape in ((1, 3, 8, 8), (4, 3, 5, 7), (2, 3, 9, 9), (1, 3, 8, 8)):
            x = random(*shape)[:, :, :shape[2], :shape[3]]
            self.assertIsNone(provider.differs(session.run(None, {"x": x}), plain.run(None, {"x": x}), 1e-4))

    def test_quantized(self):
        model, x = quantized(), {"x": random(1, 3, 8, 8)}
        got, want = provider.session(model, KIND).run(None, x)[0], provider.reference(model).run(None, x)[0]
        self.assertLessEqual(numpy.abs(got - want).max(), 0.1001)  # a step

    def test_branches(self):
        for condition in (True, False):
            self.assertGreaterEqual(self.assert_same(branches(), {"c": numpy.array(condition), "x": random(4, 4)}), 1)

    def test_the_rest_stays_with_onnx_runtime(self):
        model, x = mixed(), random(2, 8)
        with provider.profiled(model, KIND) as (session, groups):
            y, z = session.run(None, {"x": x})
        self.assertIsNone(provider.differs([z], provider.reference(model).run(["z"], {"x": x}), 1e-4))
        self.assertTrue(set(numpy.unique(y)) <= {0.0, 1.0})
        self.assertIn(len(groups), (1, 2))  # from 1.25 on, also in the nodes that Bernoulli is inlined to

    def test_a_lone_reshape_is_left(self):
        model = OnnxModel().input("x", [2, 8]).output("y", [16]).constant("s", numpy.array([16]))
        self.assertEqual(self.assert_same(model.node("Reshape", ["x", "s"], ["y"]).bytes(), {"x": random(2, 8)}), 0)

    def test_without_fallback_to_the_cpu(self):
        entries = {"session.disable_cpu_ep_fallback": "1"}
        x = random(1, 3, 8, 8)
        provider.session(convolution(), KIND, entries).run(None, {"x": x})
        with self.assertRaises(Exception):
            provider.session(mixed(), KIND, entries)

    def test_options(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "placement")
            for _ in range(2):  # the second time from the cache
                self.assert_same(convolution(), {"x": random(1, 3, 8, 8)}, cache_dir=folder + "/cache", priority="high",
                                 performance="extreme", fallback="on", placement=file)
            self.assertTrue(os.listdir(folder + "/cache"))
            with open(file, encoding="utf-8") as text:
                self.assertIn("CONV2D", text.read())
        with self.assertRaisesRegex(Exception, "Option colour is not one of: device, fallback"):
            provider.session(convolution(), KIND, colour="red")
        with self.assertRaisesRegex(Exception, "Option fp16 is 7, but must be 1 or 0"):
            provider.session(convolution(), KIND, fp16="7")
        with self.assertRaisesRegex(Exception, r"Device \(tpu\) is not one of: .*CPU_NNRt"):
            provider.session(convolution(), KIND, device="tpu")

    def test_device_by_option(self):
        x = random(1, 3, 8, 8)
        want = provider.reference(convolution()).run(None, {"x": x})
        self.assertIsNone(provider.differs(provider.session(convolution(), "auto", device="CPU").run(None, {"x": x}), want, 1e-4))

    def test_a_build_that_fails_says_why(self):
        with tempfile.NamedTemporaryFile() as file:
            with self.assertRaisesRegex(Exception, "cannot be created"):
                provider.session(convolution(), KIND, cache_dir=file.name + "/cache")

    def test_compiled_models(self):
        x = random(2, 3, 8, 8)
        want = provider.reference(convolution(None, 8)).run(None, {"x": x})
        for embedded in ("1", "0"):
            with tempfile.TemporaryDirectory() as folder:
                path = folder + "/model_ctx.onnx"
                entries = {"ep.context_enable": "1", "ep.context_file_path": path, "ep.context_embed_mode": embedded}
                provider.session(convolution(None, 8), KIND, entries)
                self.assertEqual(len(os.listdir(folder)), 2 - int(embedded))
                session = provider.session(path, KIND)
                self.assertIsNone(provider.differs(session.run(None, {"x": x}), want, 1e-4))

    def test_compiled_models_beside_their_originals(self):
        x = random(2, 3, 8, 8)
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/model.onnx"
            with open(path, "wb") as file:
                file.write(convolution(None, 8))
            provider.session(path, KIND, {"ep.context_enable": "1", "ep.context_embed_mode": "0"})
            compiled = [it for it in os.listdir(folder) if it.endswith("_ctx.onnx")]
            self.assertEqual((len(compiled), len(os.listdir(folder))), (1, 3))
            want = provider.reference(convolution(None, 8)).run(None, {"x": x})
            session = provider.session(f"{folder}/{compiled[0]}", KIND)
            self.assertIsNone(provider.differs(session.run(None, {"x": x}), want, 1e-4))

    def test_threads(self):
        session = provider.session(convolution(None, 8), KIND)
        plain = provider.reference(convolution(None, 8))
        inputs = [random(1 + i % 3, 3, 8, 8) for i in range(12)]
        wants = [plain.run(None, {"x": x}) for x in inputs]

        def wrong(own):
            return [x.shape for x, want in zip(inputs, wants) if provider.differs(own.run(None, {"x": x}), want, 1e-4)]

        sessions = [session, session, session, provider.session(convolution(None, 8), KIND)]
        with ThreadPoolExecutor(len(sessions)) as pool:
            self.assertEqual(list(pool.map(wrong, sessions)), [[]] * len(sessions))

    def test_bound_results(self):
        session = provider.session(convolution(), KIND)
        x = random(1, 3, 8, 8)
        binding = session.io_binding()
        binding.bind_cpu_input("x", x)
        binding.bind_output("y")
        for _ in range(3):
            session.run_with_iobinding(binding)
        self.assertIsNone(provider.differs(binding.copy_outputs_to_cpu(), provider.reference(convolution()).run(None, {"x": x}), 1e-4))

    def test_sessions_end_in_any_order(self):
        x = {"x": random(1, 3, 8, 8)}
        sessions = [provider.session(convolution(), KIND) for _ in range(3)]
        for i in (1, 0, 0):
            sessions[i].run(None, x)
            del sessions[i]
            gc.collect()

    def test_registered_again(self):
        provider.register("once more")
        self.assertGreaterEqual(len([it for it in onnxruntime.get_ep_devices() if it.ep_name == provider.NAME]), 2)
        onnxruntime.unregister_execution_provider_library("once more")
        self.test_convolution()


if __name__ == "__main__":
    provider.register()
    unittest.main()
