#include "tools/import/tflite/tflite_tensors.h"

#include "tools/import/network/elements/nibbles.h"
#include "tools/import/tflite/tflite_sparse.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace nnrt::import::tflite {
namespace {

constexpr size_t kMaxDimensions = 8;
constexpr size_t kMaxCharacters = 1024;

OH_NN_DataType dtype_of(format::TensorType type) {
  switch (type) {
    case format::TensorType::COMPLEX64:
    case format::TensorType::FLOAT32: return OH_NN_FLOAT32;
    case format::TensorType::FLOAT16: return OH_NN_FLOAT16;
    case format::TensorType::FLOAT64: return OH_NN_FLOAT64;
    case format::TensorType::INT4:
    case format::TensorType::INT8: return OH_NN_INT8;
    case format::TensorType::UINT8: return OH_NN_UINT8;
    case format::TensorType::INT16: return OH_NN_INT16;
    case format::TensorType::UINT16: return OH_NN_UINT16;
    case format::TensorType::INT32: return OH_NN_INT32;
    case format::TensorType::UINT32: return OH_NN_UINT32;
    case format::TensorType::INT64: return OH_NN_INT64;
    case format::TensorType::UINT64: return OH_NN_UINT64;
    case format::TensorType::BOOL: return OH_NN_BOOL;
    default: return OH_NN_UNKNOWN;
  }
}

std::string name_of(const format::Tensor& table) {
  const auto* name = table.name();
  return name ? std::string(name->c_str(), std::min<size_t>(name->size(), kMaxCharacters)) : std::string();
}

size_t size_of(const flatbuffers::Vector<int32_t>* vector) { return vector ? vector->size() : 0; }

Shape as_shape(const flatbuffers::Vector<int32_t>* dimensions) {
  return dimensions ? Shape(dimensions->begin(), dimensions->end()) : Shape();
}

// The verifier only checks a vector's length field for alignment, so 8-byte elements may be unaligned.
int64_t zero_point_at(const flatbuffers::Vector<int64_t>& zero_points, size_t i) {
  int64_t value = 0;
  std::memcpy(&value, zero_points.Data() + i * sizeof value, sizeof value);
  return flatbuffers::EndianScalar(value);
}

}  // namespace

Shape signature_of(const format::Tensor& table) {
  const bool has_signature =
      size_of(table.shape_signature()) > 0 && size_of(table.shape_signature()) == size_of(table.shape());
  Shape shape = as_shape(has_signature ? table.shape_signature() : table.shape());
  for (int32_t& dimension : shape) dimension = std::max(dimension, -1);
  return shape;
}

ByteView TensorReader::contents(uint32_t buffer) const {
  if (buffer < lent_.size() && lent_[buffer]) return *lent_[buffer];
  const auto* buffers = model_.buffers();
  const format::Buffer* table = buffers && buffer < buffers->size() ? (*buffers)[buffer] : nullptr;
  if (!table || !table->data()) return {};
  return std::as_bytes(std::span(table->data()->data(), table->data()->size()));
}

Result<Quantization> TensorReader::quantization(const format::Tensor& table) {
  Quantization result;
  const auto* given = table.quantization();
  if (!given || !given->scale() || given->scale()->size() == 0) return result;
  const size_t count = given->scale()->size();
  NNRT_TRY(allowance_.take(count * (sizeof(double) + sizeof(int32_t))));
  const int32_t offset = table.type() == format::TensorType::UINT8 ? 128 : 0;
  const int64_t half = table.type() == format::TensorType::INT32   ? int64_t{1} << 31
                       : table.type() == format::TensorType::INT16 ? 32768
                                                                   : 128;
  const auto* zero_points = given->zero_point();
  const size_t zero_count = zero_points ? zero_points->size() : 0;
  if (zero_count > 1 && zero_count != count)
    return Error{Code::invalid_file,
                 "Tensor (" + name_of(table) + ") has different numbers of scales and zero points."};
  for (size_t i = 0; i < count; ++i) {
    const double scale = (*given->scale())[static_cast<flatbuffers::uoffset_t>(i)];
    const int64_t zero = zero_count == 0 ? 0 : zero_point_at(*zero_points, zero_count == 1 ? 0 : i);
    if (!std::isfinite(scale) || scale < 0)
      return Error{Code::invalid_file,
                   "A scale of tensor (" + name_of(table) + ") is not a positive number."};
    if (zero < -half + offset || zero >= half + offset)
      return Error{Code::invalid_file,
                   "A zero point of tensor (" + name_of(table) + ") is not a value of the type."};
    // Converters write 0 for channels whose weights are all 0; any scale is equivalent.
    result.scales.push_back(scale == 0 ? 1 : scale);
    result.zero_points.push_back(static_cast<int32_t>(zero) - offset);
  }
  return result;
}

Result<SharedBytes> TensorReader::data(uint32_t buffer, Coding coding, size_t size, size_t alignment) {
  auto& retained = shared_[{buffer, coding}];
  if (retained && retained->size() == size) return retained;
  const ByteView view = contents(buffer);
  const size_t stored = coding == Coding::nibbles ? (size + 1) / 2 : size;
  if (view.size() != stored)
    return Error{Code::invalid_file, "A constant has " + std::to_string(view.size()) +
                                         " bytes, but its shape needs " + std::to_string(stored) + "."};
  NNRT_TRY(allowance_.take(size));
  const bool is_aligned = reinterpret_cast<uintptr_t>(view.data()) % alignment == 0;
  if (coding == Coding::plain && is_aligned) {
    const bool is_lent = buffer < lent_.size() && lent_[buffer];
    return retained = is_lent ? lent_[buffer] : file_.lend(view);
  }
  Bytes copy;
  if (coding == Coding::nibbles) {
    copy = unpacked(view, size, 4, true);
  } else {
    copy.assign(view.begin(), view.end());
  }
  if (coding == Coding::shifted)
    for (std::byte& code : copy) code ^= std::byte{0x80};
  retained = std::make_shared<const Bytes>(std::move(copy));
  return retained;
}

Result<SharedBytes> TensorReader::sparse_data(const format::Tensor& table, Coding coding,
                                              const Tensor& tensor) {
  if (coding == Coding::nibbles)
    return Error{Code::unsupported, "Tensor (" + tensor.name + ") is sparse with 4-bit elements."};
  NNRT_ASSIGN(const size_t size, byte_count(tensor.type, tensor.shape));
  NNRT_TRY(allowance_.take(size));
  NNRT_ASSIGN(Bytes dense, dense_elements(*table.sparsity(), tensor.shape, contents(table.buffer()),
                                          element_size(tensor.type)));
  if (coding == Coding::shifted)
    for (std::byte& code : dense) code ^= std::byte{0x80};
  return SharedBytes(std::make_shared<const Bytes>(std::move(dense)));
}

Result<ReadTensor> TensorReader::read(const format::Tensor& table, bool is_written, bool keep_shapes) {
  ReadTensor result;
  Tensor& tensor = result.tensor;
  tensor.name = name_of(table);
  NNRT_TRY(allowance_.take(tensor.name.size() + sizeof(Tensor) / 8));
  if (size_of(table.shape()) > kMaxDimensions)
    return Error{Code::unsupported, "Tensor (" + tensor.name + ") has more than 8 dimensions."};
  tensor.type = dtype_of(table.type());
  if (tensor.type == OH_NN_INT8 || tensor.type == OH_NN_UINT8 || tensor.type == OH_NN_INT16) {
    NNRT_ASSIGN(tensor.quantization, quantization(table));
    result.slot.quantized_dimension =
        table.quantization() ? static_cast<uint32_t>(std::max(table.quantization()->quantized_dimension(), 0))
                             : 0;
  }
  // A plain integer to every other operator. Constants are biases, whose units come from other operands.
  if (tensor.type == OH_NN_INT32 && is_written) {
    if (Result<Quantization> units = quantization(table); units.ok())
      result.slot.integers = std::move(units).value();
  }
  if (tensor.type == OH_NN_UINT8 && !tensor.quantization.empty()) {
    tensor.type = OH_NN_INT8;
    result.slot.is_shifted = true;
  }
  result.slot.has_rank = table.has_rank() || size_of(table.shape()) > 0;

  const bool has_data = !contents(table.buffer()).empty();
  const Shape declared = as_shape(table.shape());
  const bool is_empty = std::ranges::find(declared, 0) != declared.end();
  const bool is_constant = !is_written && (has_data || is_empty);
  tensor.shape = is_constant ? declared : keep_shapes ? signature_of(table) : Shape(declared.size(), -1);
  if (table.sparsity() && !is_constant)
    return Error{Code::unsupported, "Tensor (" + tensor.name + ") is sparse, but not constant."};
  result.is_complex = table.type() == format::TensorType::COMPLEX64;
  if (result.is_complex && is_constant)
    return Error{Code::unsupported, "Constant (" + tensor.name + ") has complex numbers."};
  if (!is_constant) return result;
  if (std::ranges::any_of(tensor.shape, [](int32_t dimension) { return dimension < 0; }))
    return Error{Code::invalid_file, "Constant (" + tensor.name + ") has a dimension below 0."};
  if (!has_data) {
    tensor.data = std::make_shared<const Bytes>();
    return result;
  }
  const Coding coding = table.type() == format::TensorType::INT4 ? Coding::nibbles
                        : result.slot.is_shifted                 ? Coding::shifted
                                                                 : Coding::plain;
  if (table.sparsity()) {
    NNRT_ASSIGN(tensor.data, sparse_data(table, coding, tensor));
    return result;
  }
  NNRT_ASSIGN(const size_t size, byte_count(tensor.type, tensor.shape));
  NNRT_ASSIGN(tensor.data, data(table.buffer(), coding, size, element_size(tensor.type)));
  return result;
}

}  // namespace nnrt::import::tflite
