"""Reports: devices, placements, profiles."""

import json
import os
import subprocess
import sys
import threading
import unittest
import unittest.mock

import numpy

import nnrt
from model_files import DEVICE, DIGITS, ModelTest, digits_sample
from nnrt._device import find_device
from onnx_writer import OnnxModel


class Reports(ModelTest):
    def test_placement_names_layers_and_devices(self):
        onnx, _ = self.scaled_sum((2, 3))
        placement = self.load(onnx).placement
        self.assertEqual({node["layer"] for node in placement["nodes"]}, {"Mul /scale", "Add /shift"})
        self.assertTrue(all(node["device"] for node in placement["nodes"]))

    def test_profile_has_the_time_of_each_operation(self):
        model = nnrt.load(DIGITS, DEVICE)
        profile = model.profile([digits_sample(0)[0]], runs=3, warmup=1)
        self.assertEqual(profile.runs, 3)
        self.assertGreater(profile.run_ms, 0)
        self.assertTrue(any("Conv" in it.layer and it.flops > 0 for it in profile.operations))
        self.assertEqual(list(profile.operations), sorted(profile.operations, key=lambda it: -it.ms))

    def test_profile_counts_its_own_runs_alone(self):
        model = nnrt.load(DIGITS, DEVICE)
        image, done = digits_sample(0)[0], threading.Event()
        alone = model.profile([image], runs=5)
        size = 64
        onnx = OnnxModel().constant("w", numpy.eye(size, dtype="f4")).input("x", (size, size)).output("y79", (size, size))
        for step in range(80):  # more operations than the model has
            onnx.node("MatMul", ["x" if step == 0 else f"y{step - 1}", "w"], [f"y{step}"])
        other, profiles = self.load(onnx), []

        def run_other():
            while not done.is_set():
                other(numpy.ones((size, size), "f4"))

        threads = [threading.Thread(target=run_other)]
        threads += [threading.Thread(target=lambda: profiles.append(model.profile([image], runs=5))) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads[1:]:
            thread.join()
        done.set()
        threads[0].join()
        self.assertEqual(len(profiles), 3)
        for profile in profiles:
            self.assertEqual(profile.runs, 5)
            self.assertEqual({(it.operation, it.operators, it.flops) for it in profile.operations},
                             {(it.operation, it.operators, it.flops) for it in alone.operations})

    def test_profile_of_an_open_output_counts_the_runs_that_were_asked_for(self):
        model = self.load(OnnxModel().node("Relu", ["x"], ["y"]).input("x", [None]).output("y", [None]))
        profile = model.profile(numpy.ones(1_000_000, "f4"), runs=1, warmup=0)
        self.assertEqual(profile.runs, 1)

    def test_profile_works_while_the_process_is_traced(self):
        path, own = os.path.join(self.folder, "all.json"), os.path.join(self.folder, "own.json")
        code = f"""
import numpy, nnrt
model = nnrt.load({DIGITS!r}, {DEVICE!r}, configs={{"nnrt.trace": {own!r}}})
profile = model.profile(numpy.zeros((1, 1, 8, 8), "f4"), runs=3)
assert profile.runs == 3 and profile.operations, profile
"""
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, env={**os.environ, "NNRT_TRACE": path}, timeout=200)
        self.assertEqual(done.returncode, 0, done.stderr)
        for trace in (path, own):
            with open(trace, encoding="utf-8") as file:
                self.assertIn("run", {event["name"] for event in json.load(file)["traceEvents"]})

    def test_the_module_says_its_version(self):
        self.assertRegex(nnrt.__version__, r"^\d+\.\d+\.\d+$")

    def test_devices_are_described(self):
        devices = nnrt.devices()
        self.assertIn(DEVICE, [device.type for device in devices])
        chosen = next(device for device in devices if device.type == DEVICE)
        for wanted in (chosen, chosen.name, chosen.id, devices.index(chosen), str(devices.index(chosen))):
            self.assertEqual(nnrt.load(DIGITS, wanted).device, chosen)
        by_default = next((device for device in devices if device.name == "NNRt auto"), devices[0])
        self.assertEqual(nnrt.load(DIGITS).device, by_default)

    def test_a_type_is_hardware_and_auto_no_part_of_another_name(self):
        offered = (
            nnrt.Device(6, "Automaton", "accelerator", "A"),
            nnrt.Device(7, "llvmpipe", "gpu", "A", {"kind": "software"}),
            nnrt.Device(8, "NPU_NNRt auto", "other", "B"),
            nnrt.Device(9, "Card", "gpu", "B", {"kind": "discrete"}),
        )
        with unittest.mock.patch("nnrt._device.devices", lambda: offered), \
             unittest.mock.patch("nnrt._device._cpu", lambda is_wanted: None):
            for wanted, found in (("gpu", 3), (None, 2), ("auto", 2), ("llvm", 1), (1, 1)):
                self.assertEqual(find_device(wanted), offered[found], wanted)

    def test_devices_are_found_by_a_part_of_a_name_that_one_has(self):
        offered = (
            nnrt.Device(7, "Big GPU", "gpu", "A"),
            nnrt.Device(8, "Small GPU", "gpu", "A"),
            nnrt.Device(9, "GPU", "accelerator", "B"),
        )
        with unittest.mock.patch("nnrt._device.devices", lambda: offered):
            for wanted, found in (("small", 1), ("gpu", 0), ("accelerator", 2), (1, 1), (8, 1), ("Big GPU", 0)):
                self.assertEqual(find_device(wanted), offered[found], wanted)
            with self.assertRaises(nnrt.Error) as caught:
                find_device("pu")
        self.assertEqual(
            str(caught.exception), "Device (pu) is ambiguous: Big GPU (gpu), Small GPU (gpu), GPU (accelerator)."
        )

    def test_offline_models_and_caches(self):
        image, expected = digits_sample(1)
        for _ in range(2):  # the second loads from the cache
            model = nnrt.load(DIGITS, DEVICE, cache=self.folder, float16=False, performance="high", priority="low")
            numpy.testing.assert_allclose(model(image), expected, atol=1e-4)


if __name__ == "__main__":
    unittest.main()
