"""Tensors: memory shared with numpy, devices and other processes without copies."""

import ctypes
import gc
import mmap
import os
import unittest

import numpy

import nnrt
from model_files import ModelTest


def address_of(array):
    return array.__array_interface__["data"][0]


class Capsule:
    """An object that only DLPack can read."""

    def __init__(self, capsule):
        self._capsule = capsule

    def __dlpack__(self, **_):
        return self._capsule

    def __dlpack_device__(self):
        return 1, 0


class DlTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device", ctypes.c_int32), ("rank", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class DlVersioned(ctypes.Structure):
    """DLManagedTensorVersioned."""


DELETER = ctypes.CFUNCTYPE(None, ctypes.POINTER(DlVersioned))
DlVersioned._fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p), ("deleter", DELETER),
                        ("flags", ctypes.c_uint64), ("tensor", DlTensor)]
READ_ONLY, IS_COPIED = 1, 2


def is_capsule(capsule, name):
    valid = ctypes.pythonapi.PyCapsule_IsValid
    valid.argtypes = [ctypes.py_object, ctypes.c_char_p]
    return bool(valid(capsule, name))


def versioned(capsule):
    """What is in a capsule, which must stay alive."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    managed = DlVersioned.from_address(pointer(capsule, b"dltensor_versioned"))
    managed.capsule = capsule
    return managed


class Producer:
    """An object that exports an array by DLPack 1 only, and counts what consumers free."""

    def __init__(self, array, **changes):
        self._array, self.freed, self.versions = array, 0, []
        sizes = ctypes.c_int64 * array.ndim
        self._shape, self._strides = sizes(*array.shape), sizes(*(stride // array.itemsize for stride in array.strides))
        code = {"i": 0, "u": 1, "f": 2, "b": 6}[array.dtype.kind]
        tensor = DlTensor(address_of(array) - 8, 1, 0, array.ndim, code, 8 * array.itemsize, 1, self._shape, self._strides, 8)
        self.managed = DlVersioned(1, 7, None, DELETER(self._free), READ_ONLY, tensor)
        for name, value in changes.items():
            setattr(tensor if hasattr(tensor, name) else self.managed, name, value)
        self.managed.tensor = tensor

    def _free(self, _):
        self.freed += 1

    def __dlpack__(self, *, max_version, **_):
        self.versions.append(max_version)
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return make(ctypes.addressof(self.managed), b"dltensor_versioned", None)


class Views(unittest.TestCase):
    def test_are_the_memory_itself(self):
        for dtype in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"):
            for shape in ((2, 3), (4,), ()):
                tensor = nnrt.Tensor(shape, dtype)
                view = tensor.numpy()
                self.assertEqual((view.shape, view.dtype, tensor.shape), (shape, numpy.dtype(dtype), shape))
                self.assertEqual(address_of(view), tensor.address)
                self.assertEqual(tensor.nbytes, view.nbytes)
                view[...] = 1
                numpy.testing.assert_array_equal(numpy.asarray(tensor), numpy.ones(shape, dtype))
                self.assertEqual(address_of(numpy.asarray(tensor)), tensor.address)
                self.assertEqual(memoryview(tensor).tobytes(), view.tobytes())

    def test_outlive_the_tensor(self):
        tensor = nnrt.Tensor.from_numpy(numpy.arange(5.0))
        view, taken = tensor.numpy(), numpy.from_dlpack(tensor)
        del tensor
        gc.collect()
        numpy.testing.assert_array_equal(view, numpy.arange(5.0))
        numpy.testing.assert_array_equal(taken, numpy.arange(5.0))

    def test_by_dlpack_are_the_memory_itself(self):
        for dtype in ("int8", "int32", "int64", "uint8", "float16", "float32", "float64"):
            tensor = nnrt.Tensor((3, 2), dtype)
            taken = numpy.from_dlpack(tensor)
            self.assertEqual((taken.shape, taken.dtype, address_of(taken)), ((3, 2), numpy.dtype(dtype), tensor.address))
        self.assertEqual(nnrt.Tensor((1,)).__dlpack_device__(), (1, 0))
        nnrt.Tensor((1,)).__dlpack__()  # never consumed
        gc.collect()

    def test_by_dlpack_are_copies_where_that_is_wanted(self):
        tensor = nnrt.Tensor.from_numpy(numpy.float32([1, 2, 3]))
        for copy, dl_device in ((True, None), (True, (1, 0)), (False, (1, 0)), (None, (1, 0))):
            taken = numpy.from_dlpack(Capsule(tensor.__dlpack__(dl_device=dl_device, copy=copy)))
            numpy.testing.assert_array_equal(taken, [1, 2, 3])
            self.assertEqual(address_of(taken) != tensor.address, bool(copy))
        for dl_device in ((2, 0), (1, 1)):
            for copy in (None, True, False):
                with self.assertRaises(BufferError):
                    tensor.__dlpack__(dl_device=dl_device, copy=copy)
        with self.assertRaises(BufferError):
            tensor.__dlpack__(stream=1)

    def test_by_dlpack_1_have_a_version(self):
        tensor = nnrt.Tensor((3, 2), "int16")
        tensor.numpy()[...] = [[1, 2], [3, 4], [5, 6]]
        for version in (None, (0, 8)):
            self.assertTrue(is_capsule(tensor.__dlpack__(max_version=version), b"dltensor"))
        for copy in (None, False, True):
            capsule = tensor.__dlpack__(max_version=(1, 0), copy=copy)
            self.assertTrue(is_capsule(capsule, b"dltensor_versioned"))
            managed = versioned(capsule)
            self.assertEqual((managed.major, managed.minor, managed.flags), (1, 0, IS_COPIED if copy else 0))
            shared = managed.tensor
            self.assertEqual((shared.device_type, shared.code, shared.bits, shared.lanes), (1, 0, 16, 1))
            self.assertEqual((shared.shape[:shared.rank], shared.strides[:shared.rank]), ([3, 2], [2, 1]))
            self.assertEqual(shared.data == tensor.address, not copy)
            self.assertEqual(list((ctypes.c_int16 * 6).from_address(shared.data)), [1, 2, 3, 4, 5, 6])
        tensor.__dlpack__(max_version=(1, 0))  # never consumed
        gc.collect()

    def test_of_a_descriptor(self):
        fd = os.memfd_create("shared")
        os.truncate(fd, 4096)
        with mmap.mmap(fd, 4096) as mapped:
            tensor = nnrt.Tensor.from_fd(fd, (4,), "int32", offset=64)
            os.close(fd)
            tensor.numpy()[...] = [1, 2, 3, 4]
            numpy.testing.assert_array_equal(numpy.frombuffer(mapped, "int32", 4, 64).copy(), [1, 2, 3, 4])
        self.assertEqual(tensor.offset, 64)
        other = nnrt.Tensor((2,), "float32")
        same = nnrt.Tensor.from_fd(other.fd, (2,), "float32")
        other.numpy()[...] = [5, 6]
        numpy.testing.assert_array_equal(same.numpy(), [5, 6])

    def test_of_a_read_only_descriptor_are_read_only(self):
        path = "/proc/self/exe"
        fd = os.open(path, os.O_RDONLY)
        tensor = nnrt.Tensor.from_fd(fd, (4,), "uint8")
        os.close(fd)
        self.assertEqual(tensor.numpy().tobytes(), b"\x7fELF")
        with self.assertRaises(ValueError):
            tensor.numpy()[0] = 1
        for error in (nnrt.Error, BufferError):
            with self.assertRaises(error):
                tensor.__dlpack__()
        copy = numpy.from_dlpack(Capsule(tensor.__dlpack__(copy=True)))
        self.assertEqual(copy.tobytes(), b"\x7fELF")
        self.assertEqual(versioned(tensor.__dlpack__(max_version=(1, 0))).flags, READ_ONLY)
        self.assertEqual(versioned(tensor.__dlpack__(max_version=(1, 3), copy=True)).flags, IS_COPIED)
        if numpy.lib.NumpyVersion(numpy.__version__) >= "2.1.0":
            self.assertFalse(numpy.from_dlpack(tensor).flags.writeable)

    def test_refuse_what_cannot_be(self):
        for shape, dtype in (((-1,), "float32"), ((1 << 31 - 1, 1 << 31 - 1, 1 << 20), "float64"), ((2,), "complex64"),
                             ("x", "float32"), ((1.5,), "float32"), ((2**40,), "float32"), (3, "float32"), ((2,), "number")):
            with self.assertRaises(nnrt.Error) as raised:
                nnrt.Tensor(shape, dtype)
            self.assertNotIn("incompatible", str(raised.exception))
        with self.assertRaises(nnrt.Error) as raised:
            nnrt.Tensor.from_fd(-1, (2,))
        self.assertTrue(str(raised.exception))


class Runs(ModelTest):
    def test_leave_no_descriptors(self):
        onnx, _ = self.scaled_sum()

        def round_trip(rows):
            model, x = self.load(onnx), nnrt.Tensor((rows, 3))
            numpy.from_dlpack(x)[0].sum()
            model.run({"x": x})
            model(numpy.ones((rows, 3), numpy.float32))
            with self.assertRaises(nnrt.Error):
                model(numpy.ones((rows, 4), numpy.float32))

        def count():
            gc.collect()
            return len(os.listdir("/proc/self/fd"))

        for rows in range(1, 4):
            round_trip(rows)
        before = count()
        for rows in range(1, 30):
            round_trip(rows)
        self.assertLessEqual(count(), before)

    def test_use_tensors_in_place(self):
        onnx, oracle = self.scaled_sum()
        model = self.load(onnx)
        x, y = nnrt.Tensor((2, 3)), nnrt.Tensor((2, 3))
        for seed in range(3):
            x.numpy()[...] = numpy.random.default_rng(seed).standard_normal((2, 3))
            address = y.address
            outputs = model.run({"x": x}, {"y": y})
            self.assertIs(outputs["y"], y)
            self.assertEqual(y.address, address)
            numpy.testing.assert_allclose(y.numpy(), oracle(x.numpy()), rtol=1e-6, atol=1e-6)

    def test_set_the_shape_of_an_output(self):
        onnx, oracle = self.scaled_sum()
        model, y = self.load(onnx), nnrt.Tensor((9, 3))
        x = numpy.ones((4, 3), numpy.float32)
        model.run([x], {"y": y})
        self.assertEqual(y.shape, (4, 3))
        numpy.testing.assert_array_equal(y.numpy(), oracle(x))
        with self.assertRaises(nnrt.Error):
            model.run([numpy.ones((50, 3), numpy.float32)], {"y": y})

    def test_take_objects_that_only_dlpack_can_read(self):
        onnx, oracle = self.scaled_sum((2, 3))
        model, x = self.load(onnx), numpy.arange(6, dtype="f4").reshape(2, 3)
        for array in (x, numpy.asfortranarray(x), x.astype("f8"), x.astype("i4")):
            for given in (Capsule(array.__dlpack__()), [Capsule(array.__dlpack__())], {"x": Capsule(array.__dlpack__())}):
                numpy.testing.assert_array_equal(model.run(given)["y"], oracle(x))
        numpy.testing.assert_array_equal(model(Capsule(x.__dlpack__())), oracle(x))
        with self.assertRaisesRegex(nnrt.Error, "Input x cannot be read through DLPack"):
            model(Capsule("no capsule"))
        used = Capsule(x.__dlpack__())
        model(used)
        with self.assertRaisesRegex(nnrt.Error, "unused DLPack capsule"):
            model(used)

    def test_take_capsules_of_dlpack_1(self):
        onnx, oracle = self.scaled_sum((2, 3))
        model, base = self.load(onnx), numpy.arange(24, dtype="f4").reshape(4, 6)
        for array in (base[:2, :3], base[::-2, ::2], base.T[:2, 1:4], base[:2, :3].astype("f8"), base[:2, :3].astype("u2")):
            producer = Producer(array)
            numpy.testing.assert_array_equal(model(producer), oracle(array.astype("f4")))
            gc.collect()
            self.assertEqual((producer.freed, producer.versions), (1, [(1, 0)]))
        x = nnrt.Tensor.from_numpy(base[:2, :3])
        numpy.testing.assert_array_equal(model(Capsule(x.__dlpack__(max_version=(1, 0)))), oracle(base[:2, :3]))
        for changes, sentence in (({"major": 2}, "newer than version 1"), ({"device_type": 2}, "device .2, 0., not the host's"),
                                  ({"bits": 4}, "with 4 bits"), ({"code": 4}, "type 4"), ({"lanes": 2}, "2 lanes")):
            producer = Producer(base[:2, :3], **changes)
            with self.assertRaisesRegex(nnrt.Error, f"Input x cannot be read through DLPack: .*{sentence}"):
                model(producer)
            self.assertEqual(producer.freed, 0)  # still the capsule's

    def test_take_arrays_of_any_strides(self):
        onnx, _ = self.scaled_sum()
        model = self.load(onnx)
        _, oracle = self.scaled_sum()
        base = numpy.arange(720, dtype="f4").reshape(12, 15, 4)
        odd = numpy.zeros(12 * 4 * 3 + 1, "u1")[1:].view("f4").reshape(12, 3)  # not aligned
        read_only = base[:, :3, 0].copy()
        read_only.flags.writeable = False
        views = [
            base[0, :3, :3], base[:, 0, :3], base[:, :3, 1], base[::2, :3, 2], base[::-1, :3, 0], base[::-3, 2::-1, 3],
            base[:, ::7, 0], base[0].T[:, :3], base[..., 0].T[:, ::4][:, :3], numpy.asfortranarray(base[:, :3, 0]),
            numpy.broadcast_to(base[0, 0, :3], (5, 3)), numpy.broadcast_to(numpy.float32(2), (4, 3)), base[:0, :3, 0],
            base.swapaxes(0, 2)[:3, :3, 5].T, odd, read_only,
            numpy.lib.stride_tricks.as_strided(base, (6, 3), (4, 4)),
            base[:, :3, 0].astype(">f4"), numpy.rec.array(base[:, :3, 0]), base[:, 5:8, 0].view(numpy.ma.MaskedArray).data,
        ]
        for number, view in enumerate(views):
            for given in (view, numpy.asarray(view)[()]):
                numpy.testing.assert_array_equal(model(given), oracle(numpy.array(view, "f4")), err_msg=str(number))

    def test_refuse_other_tensors(self):
        onnx, _ = self.scaled_sum((2, 3))
        model, x = self.load(onnx), numpy.ones((2, 3), numpy.float32)
        for outputs in ({"z": nnrt.Tensor((2, 3))}, {"y": nnrt.Tensor((2, 3), "int32")}, {"y": x}):
            with self.assertRaises(nnrt.Error):
                model.run([x], outputs)
        with self.assertRaises(nnrt.Error):
            model.run([nnrt.Tensor((2, 3), "int32")])

    def test_keep_state_on_the_device(self):
        onnx, oracle = self.scaled_sum((2, 3))
        model = self.load(onnx, configs={"nnrt.device_local": "on"})
        x, y = nnrt.Tensor((2, 3)), nnrt.Tensor((2, 3))
        self.assertIsInstance(model.may_share_memory("x", "y"), bool)
        y.keep_on_device()
        x.numpy()[...] = 3
        model.run([x], {"y": y})
        y.to_host()
        numpy.testing.assert_array_equal(y.numpy(), oracle(x.numpy()))
        y.numpy()[...] = 1
        y.from_host()
        model.run([y], {"y": x})
        numpy.testing.assert_array_equal(x.numpy(), oracle(numpy.ones((2, 3), numpy.float32)))


if __name__ == "__main__":
    unittest.main()
