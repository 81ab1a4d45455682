#include "tools/import/tflite/tflite_tensors.h"

#include "core/base/counted.h"
#include "tools/import/network/elements/nibbles.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

namespace nnrt::import::tflite {
namespace {

using format::SparseIndices;

Error bad_sparsity(std::string_view what) {
  return {Code::invalid_file, "A sparse constant " + std::string(what) + "."};
}

// 8-, 16- or 32-bit integers.
class Indices {
 public:
  Indices(SparseIndices type, const void* table) {
    if (table == nullptr) return;
    switch (type) {
      case SparseIndices::Int32Vector: set(static_cast<const format::Int32Vector*>(table)->values()); break;
      case SparseIndices::Uint16Vector: set(static_cast<const format::Uint16Vector*>(table)->values()); break;
      case SparseIndices::Uint8Vector: set(static_cast<const format::Uint8Vector*>(table)->values()); break;
      default: break;
    }
  }

  size_t size() const { return values_.size(); }
  int64_t operator[](size_t i) const { return values_[i]; }

 private:
  template <typename Vector>
  void set(const Vector* vector) {
    if (vector != nullptr) values_.assign(vector->begin(), vector->end());
  }

  List<int32_t> values_;
};

// A level of the tree whose leaves are the elements.
struct Level {
  int64_t length = 0;  // in blocks if the dimension is divided
  int64_t stride = 0;  // distance of neighbors in the dense tensor
  bool is_dense = true;
  Indices segments{SparseIndices::NONE, nullptr}, indices{SparseIndices::NONE, nullptr};
};

// Segments must ascend from 0 to the number of indices.
Status check_compressed(const Level& level) {
  const size_t count = level.segments.size();
  if (count == 0 || level.segments[0] != 0 ||
      level.segments[count - 1] != static_cast<int64_t>(level.indices.size()))
    return bad_sparsity("has segments that do not cover its indices");
  for (size_t i = 1; i < count; ++i)
    if (level.segments[i] < level.segments[i - 1]) return bad_sparsity("has segments that do not ascend");
  for (size_t i = 0; i < level.indices.size(); ++i)
    if (level.indices[i] < 0 || level.indices[i] >= level.length)
      return bad_sparsity("has an index outside its dimension");
  return {};
}

List<int64_t> row_major_strides(const Shape& shape) {
  List<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

// Lengths and strides of the tensor's dimensions, followed by those of the blocks.
class Dimensions {
 public:
  static Result<Dimensions> read(const format::Sparsity& sparsity, const Shape& shape) {
    Dimensions made;
    made.lengths_.assign(shape.begin(), shape.end());
    made.strides_ = row_major_strides(shape);
    const auto* blocks = sparsity.block_map();
    for (flatbuffers::uoffset_t k = 0; blocks != nullptr && k < blocks->size(); ++k)
      NNRT_TRY(made.divide((*blocks)[k], block_length(sparsity, shape.size() + k)));
    return made;
  }

  size_t count() const { return lengths_.size(); }
  int64_t length(size_t d) const { return lengths_[d]; }
  int64_t stride(size_t d) const { return strides_[d]; }

 private:
  // The block length of a traversal order entry; empty if it has none.
  static std::optional<int32_t> block_length(const format::Sparsity& sparsity, size_t entry) {
    const auto& order = *sparsity.traversal_order();
    for (flatbuffers::uoffset_t i = 0; i < order.size(); ++i)
      if (order[i] == static_cast<int64_t>(entry)) return (*sparsity.dimensions())[i]->dense_size();
    return {};
  }

  Status divide(int32_t dimension, std::optional<int32_t> length) {
    if (dimension < 0 || static_cast<size_t>(dimension) >= lengths_.size())
      return bad_sparsity("has blocks of a dimension that does not exist");
    const auto d = static_cast<size_t>(dimension);
    if (!length || *length < 1 || lengths_[d] % *length != 0)
      return bad_sparsity("has blocks that do not divide its dimensions");
    lengths_.push_back(*length);
    strides_.push_back(strides_[d]);
    lengths_[d] /= *length;
    strides_[d] *= *length;
    return {};
  }

  List<int64_t> lengths_, strides_;
};

Result<List<Level>> levels_of(const format::Sparsity& sparsity, const Shape& shape) {
  constexpr size_t kMaxLevels = 16;
  const auto* order = sparsity.traversal_order();
  const auto* described = sparsity.dimensions();
  const size_t blocks = sparsity.block_map() ? sparsity.block_map()->size() : 0;
  if (order == nullptr || described == nullptr || order->size() != described->size() ||
      order->size() != shape.size() + blocks || order->size() > kMaxLevels)
    return bad_sparsity("does not say how each of its dimensions is stored");
  NNRT_ASSIGN(const Dimensions dimensions, Dimensions::read(sparsity, shape));
  List<bool> is_seen(order->size());
  List<Level> levels;
  for (flatbuffers::uoffset_t i = 0; i < order->size(); ++i) {
    const auto d = static_cast<size_t>((*order)[i]);
    if ((*order)[i] < 0 || d >= dimensions.count() || is_seen[d])
      return bad_sparsity("does not traverse each of its dimensions once");
    is_seen[d] = true;
    const format::SparseDimension& from = *(*described)[i];
    Level level{dimensions.length(d), dimensions.stride(d)};
    level.is_dense = from.format() == format::DimensionFormat::DENSE;
    if (level.is_dense && from.dense_size() != level.length)
      return bad_sparsity("has a dense dimension whose length differs from its shape");
    if (!level.is_dense) {
      level.segments = Indices(from.segments_type(), from.segments());
      level.indices = Indices(from.indices_type(), from.indices());
      NNRT_TRY(check_compressed(level));
    }
    levels.push_back(std::move(level));
  }
  return levels;
}

// Copies the elements below a tree node to their places.
class Expansion {
 public:
  Expansion(const List<Level>& levels, std::span<const std::byte> stored, size_t element_size, Bytes& dense)
      : levels_(levels), stored_(stored), element_size_(element_size), dense_(dense) {}

  // `node` is an index within its level; `place` is an element of the dense tensor.
  Status visit(size_t depth, int64_t node, int64_t place) {
    if (depth == levels_.size()) return copy(static_cast<size_t>(node), static_cast<size_t>(place));
    const Level& level = levels_[depth];
    if (level.is_dense) {
      for (int64_t i = 0; i < level.length; ++i)
        NNRT_TRY(visit(depth + 1, node * level.length + i, place + i * level.stride));
      return {};
    }
    const auto at = static_cast<size_t>(node);
    if (at + 1 >= level.segments.size()) return bad_sparsity("has fewer segments than it needs");
    for (int64_t i = level.segments[at]; i < level.segments[at + 1]; ++i)
      NNRT_TRY(visit(depth + 1, i, place + level.indices[static_cast<size_t>(i)] * level.stride));
    return {};
  }

 private:
  Status copy(size_t node, size_t place) {
    const size_t from = node * element_size_;
    if (from + element_size_ > stored_.size()) return bad_sparsity("has fewer elements than it needs");
    std::memcpy(dense_.data() + place * element_size_, stored_.data() + from, element_size_);
    return {};
  }

  const List<Level>& levels_;
  std::span<const std::byte> stored_;
  size_t element_size_;
  Bytes& dense_;
};

// Expands a sparse constant of that shape to row-major order. `stored` holds the nonzero elements,
// `element_size` bytes each; the rest is zero bits. The shape must be known; the caller limits its size.
Result<Bytes> dense_elements(const format::Sparsity& sparsity, const Shape& shape,
                             std::span<const std::byte> stored, size_t element_size) {
  if (element_size == 0) return bad_sparsity("is of a type that OH_NN lacks");
  NNRT_ASSIGN(const List<Level> levels, levels_of(sparsity, shape));
  size_t size = element_size;
  for (const int32_t length : shape) size *= static_cast<size_t>(length);
  Bytes dense(size);
  NNRT_TRY(Expansion(levels, stored, element_size, dense).visit(0, 0, 0));
  return dense;
}

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
    return Error{Code::invalid_file, "A constant has " + counted(view.size(), "byte") +
                                         ", but its shape needs " + std::to_string(stored) + "."};
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
