// The module nnrt._samples: files as inputs and outputs of runs, and text. Separate from nnrt._native,
// because it needs the image libraries.
#include "python/native/element_type.h"
#include "python/native/error.h"
#include "python/native/interpreter_lock.h"
#include "python/native/translation.h"
#include "python/samples/sample_reader.h"
#include "python/samples/text_generator.h"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstring>
#include <memory>
#include <tuple>

namespace py = pybind11;
using namespace nnrt::python;

namespace {

// Name, dtype, shape (-1: dynamic), scales and zero points.
using Declared =
    std::tuple<std::string, std::string, std::vector<int32_t>, std::vector<double>, std::vector<int32_t>>;

nnrt::import::Tensor tensor_of(const Declared& declared) {
  const auto& [name, dtype, shape, scales, zero_points] = declared;
  return {name,
          element_type(dtype).type,
          OH_NN_FORMAT_NONE,
          nnrt::tool::Shape(shape.begin(), shape.end()),
          {scales, zero_points},
          nullptr};
}

SampleReader make_reader(const std::vector<Declared>& declared, const std::string& mean,
                         const std::string& scale) {
  std::vector<nnrt::import::Tensor> inputs;
  for (const Declared& each : declared) inputs.push_back(tensor_of(each));
  return {std::move(inputs), mean, scale};
}

py::array to_numpy(nnrt::tool::Array&& from) {
  auto owned = std::make_unique<nnrt::tool::Array>(std::move(from));
  const nnrt::tool::Array& array = *owned;
  const py::capsule owner(owned.get(), [](void* data) { delete static_cast<nnrt::tool::Array*>(data); });
  static_cast<void>(owned.release());
  return {py::dtype(std::string(element_type(array.type).name)),
          std::vector<py::ssize_t>(array.shape.begin(), array.shape.end()), array.bytes.data(), owner};
}

py::list read_sample(const SampleReader& reader, const std::string& path) {
  std::vector<nnrt::tool::Array> arrays;
  {
    const Unlocked unlocked;
    arrays = reader.read(path);
  }
  py::list results;
  for (nnrt::tool::Array& array : arrays) results.append(to_numpy(std::move(array)));
  return results;
}

// dtype.name is slow.
const ElementType& type_of(const py::dtype& dtype) {
  const uint8_t bits = static_cast<uint8_t>(8 * dtype.itemsize());
  const char kind = dtype.kind();
  const uint8_t code = kind == 'i' ? 0 : kind == 'u' ? 1 : kind == 'f' ? 2 : kind == 'b' ? 6 : 0xff;
  const ElementType* const found = find_dlpack_type(code, bits);
  if (found == nullptr)
    refuse("Tensors have no elements of type " + py::repr(dtype).cast<std::string>() + ".");
  return *found;
}

nnrt::tool::Array from_numpy(const py::array& given) {
  const auto array = py::array::ensure(given, py::array::c_style);
  if (!array) refuse("An output is not a contiguous array.");
  nnrt::tool::Array made{type_of(array.dtype()).type,
                         {array.shape(), array.shape() + array.ndim()},
                         nnrt::tool::Bytes(static_cast<size_t>(array.nbytes()))};
  if (!made.bytes.empty()) std::memcpy(made.bytes.data(), array.data(), made.bytes.size());
  return made;
}

// Of uint8 elements: rows, columns, channels.
nnrt::tool::Image to_image(const py::array& pixels) {
  const nnrt::tool::Array array = from_numpy(pixels);
  const auto* const bytes = reinterpret_cast<const uint8_t*>(array.bytes.data());
  return {array.shape[1], array.shape[0], array.shape[2], {bytes, bytes + array.bytes.size()}};
}

py::array from_image(const nnrt::tool::Image& image) { return to_numpy(pixels_of(image)); }

// Calls `make` without the interpreter's lock.
template <typename Make>
auto unlocked(const Make& make) {
  const Unlocked unlocked;
  return make();
}

py::array image_of_file(const std::string& path, int channels) {
  return from_image(unlocked([&] { return nnrt::python::read_image(path, channels); }));
}

py::array image_of_bytes(const std::string& file, int channels) {
  return from_image(unlocked([&] { return nnrt::python::parse_image(file, channels); }));
}

py::array resize_image(const py::array& pixels, int height, int width) {
  const nnrt::tool::Image image = to_image(pixels);
  return from_image(unlocked([&] { return nnrt::tool::resized(image, width, height); }));
}

int image_channels(const Declared& declared) { return layout_of(tensor_of(declared)).channels; }

py::array prepared_image(const py::array& pixels, const Declared& declared, const std::vector<double>& mean,
                         const std::vector<double>& scale) {
  const nnrt::tool::Image image = to_image(pixels);
  const nnrt::import::Tensor tensor = tensor_of(declared);
  return to_numpy(unlocked([&] { return nnrt::python::image_tensor(image, tensor, {mean, scale}); }));
}

py::bytes encode(const std::vector<std::string>& names, const std::vector<py::array>& arrays) {
  if (names.size() != arrays.size()) refuse("The number of names does not match the arrays.");
  NamedArrays named;
  for (size_t i = 0; i < names.size(); ++i) named.emplace_back(names[i], from_numpy(arrays[i]));
  std::string file;
  {
    const Unlocked unlocked;
    file = file_of(named);
  }
  return file;
}

std::unique_ptr<TextGenerator> make_generator(TextRequest request) {
  const Unlocked unlocked;
  return std::make_unique<TextGenerator>(request);
}

std::optional<py::bytes> next_piece(TextGenerator& generator) {
  std::optional<std::string> piece;
  {
    const Unlocked unlocked;
    piece = generator.next();
  }
  return piece ? std::optional<py::bytes>(*piece) : std::nullopt;
}

}  // namespace

PYBIND11_MODULE(_samples, module) {
  register_errors();
  py::class_<SampleReader>(module, "SampleReader")
      .def(py::init(&make_reader), py::arg("inputs"), py::arg("mean"), py::arg("scale"))
      .def("read", read_sample);
  module.def("encode", encode);
  module.def("read_image", image_of_file);
  module.def("parse_image", image_of_bytes);
  module.def("resize_image", resize_image);
  module.def("image_channels", image_channels);
  module.def("image_tensor", prepared_image);
  py::class_<TextGenerator>(module, "TextGenerator")
      .def(py::init([](const std::string& model, const std::string& prompt, const std::string& device,
                       const std::string& tokenizer, uint32_t tokens, const std::vector<std::string>& stops,
                       std::optional<double> temperature, std::optional<uint32_t> top_k,
                       std::optional<double> top_p, uint64_t seed) {
        return make_generator(
            {model, prompt, device, tokenizer, tokens, stops, temperature, top_p, top_k, seed});
      }))
      .def("next", next_piece);
}
