// The module nnrt._native: the C API for the Python layer above, which adds names, checks and
// documentation.
#include "python/native/compiled_model.h"
#include "python/native/dlpack.h"
#include "python/native/error.h"
#include "python/native/tensor_buffer.h"
#include "python/native/translation.h"

#include <neural_network_runtime/neural_network_core.h>
#include <neural_network_runtime/nnrt_extensions.h>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace nnrt::python;

namespace {

py::list texts_of(const std::vector<std::string>& names) {
  py::list texts;
  for (const std::string& name : names) texts.append(text_of(name));
  return texts;
}

// `call(text, capacity, length)` is a C API function that returns text.
template <typename Call>
std::string answer_of(const Call& call) {
  size_t length = 0;
  check(call(nullptr, 0, &length));
  std::string text(length + 1, '\0');
  check(call(text.data(), text.size(), &length));
  text.resize(length);
  return text;
}

std::string describe_device(size_t id) {
  return answer_of([&](auto... answer) { return OH_NNRt_DescribeDevice(id, answer...); });
}

std::string describe_offline(const std::string& path) {
  const Unlocked unlocked;
  return answer_of([&](auto... answer) { return OH_NNRt_DescribeOfflineModel(path.c_str(), answer...); });
}

std::vector<std::string> devices() {
  const Unlocked unlocked;  // the first call loads drivers
  const size_t* ids = nullptr;
  uint32_t count = 0;
  check(OH_NNDevice_GetAllDevicesID(&ids, &count));
  std::vector<std::string> descriptions;
  for (uint32_t i = 0; i < count; ++i) descriptions.push_back(describe_device(ids[i]));
  return descriptions;
}

// The CPU, without loading the drivers of other devices; empty if it is not offered.
std::string cpu_device() {
  const Unlocked unlocked;
  size_t id = 0;
  return OH_NNRt_FindDevice(OH_NN_CPU, &id) == OH_NN_SUCCESS ? describe_device(id) : "";
}

// The caller keeps the array alive while its bytes are read.
Feed feed(const py::handle& given, const Declaration& declared) {
  if (py::isinstance<Tensor>(given)) {
    const Tensor& tensor = given.cast<const Tensor&>();
    return {nullptr, tensor.shape(), tensor.handle()};
  }
  const auto array = given.cast<py::array>();
  if (!array.dtype().equal(py::dtype(std::string(declared.type->name))) ||
      (array.flags() & py::array::c_style) == 0)
    refuse("Input " + declared.name + " is not a contiguous array of " + std::string(declared.type->name) +
           ".");
  return {array.data(), Shape(array.shape(), array.shape() + array.ndim()), nullptr};
}

// Returns arrays for outputs without a Tensor.
py::list run(CompiledModel& model, const py::sequence& given, const py::sequence& tensors) {
  std::vector<Feed> feeds;
  std::vector<NN_Tensor*> outputs;
  if (given.size() != model.inputs().size() || tensors.size() != model.outputs().size())
    refuse("The number of inputs or outputs does not match the model.");
  for (size_t i = 0; i < given.size(); ++i) feeds.push_back(feed(given[i], model.inputs()[i]));
  for (const py::handle tensor : tensors)
    outputs.push_back(tensor.is_none() ? nullptr : tensor.cast<const Tensor&>().handle());
  std::unique_ptr<Session> session;
  {
    const Unlocked unlocked;
    session = model.run(feeds, outputs);
  }
  py::list results;
  std::vector<std::pair<void*, size_t>> copies;  // destination and size in bytes
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i] != nullptr) {
      results.append(tensors[i]);
      copies.emplace_back(nullptr, 0);
      continue;
    }
    py::array array(py::dtype(std::string(model.outputs()[i].type->name)),
                    shape_of(session->outputs[i].get()));
    copies.emplace_back(array.mutable_data(), array.nbytes());
    results.append(std::move(array));
  }
  const Unlocked unlocked;
  for (size_t i = 0; i < copies.size(); ++i)
    if (copies[i].second > 0)
      std::memcpy(copies[i].first, OH_NNTensor_GetDataBuffer(session->outputs[i].get()), copies[i].second);
  model.give_back(std::move(session));
  return results;
}

py::bytes export_model(const CompiledModel& model) {
  std::string bytes;
  {
    const Unlocked unlocked;
    bytes = model.export_model();
  }
  return bytes;
}

// The first bytes of an offline model.
constexpr std::string_view kOfflineMagic = "\x21\x89NNRt\r\n";

void bind_tensor(py::module_& module) {
  TensorClass type(module, "Tensor", py::buffer_protocol());
  add_buffer_protocol(type);
  type.def(py::init([](const Shape& shape, const std::string& dtype, size_t device) {
             return UnlockedPtr<Tensor>(new Tensor(shape, element_type(dtype), device));
           }),
           py::arg("shape"), py::arg("dtype"), py::arg("device"))
      .def(py::init([](int fd, size_t offset, const Shape& shape, const std::string& dtype, size_t device) {
             return UnlockedPtr<Tensor>(new Tensor(fd, offset, shape, element_type(dtype), device));
           }),
           py::arg("fd"), py::arg("offset"), py::arg("shape"), py::arg("dtype"), py::arg("device"))
      .def_property_readonly("shape",
                             [](const Tensor& tensor) { return py::tuple(py::cast(tensor.shape())); })
      .def_property_readonly("dtype_name",
                             [](const Tensor& tensor) { return std::string(tensor.type().name); })
      .def_property_readonly("nbytes", &Tensor::bytes)
      .def_property_readonly("address",
                             [](const Tensor& tensor) { return reinterpret_cast<uintptr_t>(tensor.data()); })
      .def_property_readonly("fd", &Tensor::fd)
      .def_property_readonly("offset", &Tensor::offset)
      .def_property_readonly("read_only", &Tensor::read_only)
      .def("keep_on_device", &Tensor::keep_on_device)
      .def("to_host", &Tensor::to_host, py::call_guard<Unlocked>())
      .def("from_host", &Tensor::from_host, py::call_guard<Unlocked>())
      .def("dlpack", to_dlpack, py::arg("versioned"), py::arg("is_copy"));
}

void bind_model(py::module_& module) {
  py::class_<Declaration>(module, "Declaration")
      .def_property_readonly("name", [](const Declaration& it) { return text_of(it.name); })
      .def_property_readonly("dtype", [](const Declaration& it) { return std::string(it.type->name); })
      .def_readonly("shape", &Declaration::shape)
      .def_readonly("scales", &Declaration::scales)
      .def_readonly("zero_points", &Declaration::zero_points);
  py::class_<BuildOptions>(module, "BuildOptions")
      .def(py::init<>())
      .def_readwrite("device", &BuildOptions::device)
      .def_readwrite("float16", &BuildOptions::float16)
      .def_readwrite("performance", &BuildOptions::performance)
      .def_readwrite("priority", &BuildOptions::priority)
      .def_readwrite("cache", &BuildOptions::cache)
      .def_readwrite("cache_by_content", &BuildOptions::cache_by_content)
      .def_readwrite("configs", &BuildOptions::configs)
      .def_readwrite("input_shapes", &BuildOptions::input_shapes);
  py::class_<CompiledModel, UnlockedPtr<CompiledModel>>(module, "CompiledModel")
      .def(py::init([](const py::bytes& bytes, const BuildOptions& options) {
        const std::string_view file(bytes);  // the caller keeps them alive
        const Unlocked unlocked;
        return UnlockedPtr<CompiledModel>(new CompiledModel(std::as_bytes(std::span(file)), options));
      }))
      .def(py::init<const std::string&, bool, const BuildOptions&>(), py::call_guard<Unlocked>())
      .def_property_readonly("inputs", &CompiledModel::inputs)
      .def_property_readonly("outputs", &CompiledModel::outputs)
      .def_property_readonly("operations",
                             [](const CompiledModel& model) { return texts_of(model.operations()); })
      .def_property_readonly("files",
                             [](const CompiledModel& model) {
                               py::list files;
                               for (const auto& [name, data] : model.files())
                                 files.append(py::make_tuple(text_of(name), py::bytes(data)));
                               return files;
                             })
      .def("run", run)
      .def("export", export_model)
      .def("may_share", &CompiledModel::may_share);
}

}  // namespace

PYBIND11_MODULE(_native, module) {
  register_errors();
  // Errors of calls are raised in Python, so the log need not repeat them.
  setenv("NNRT_LOG", "no_call_errors", 0);
  module.attr("version") = NNRT_VERSION;
  module.attr("OFFLINE_MAGIC") = py::bytes(kOfflineMagic.data(), kOfflineMagic.size());
  if (Py_AtExit(Unlocked::wait_for_work) != 0)
    throw py::import_error("Too many exit handlers are registered.");
  module.def("devices", devices);
  module.def("cpu_device", cpu_device);
  module.def("describe_offline", describe_offline);
  module.def("from_dlpack", from_dlpack);
  bind_tensor(module);
  bind_model(module);
}
