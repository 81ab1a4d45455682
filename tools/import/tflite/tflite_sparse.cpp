#include "tools/import/tflite/tflite_sparse.h"

#include <algorithm>
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

}  // namespace

Result<Bytes> dense_elements(const format::Sparsity& sparsity, const Shape& shape,
                             std::span<const std::byte> stored, size_t element_size) {
  NNRT_ASSIGN(const List<Level> levels, levels_of(sparsity, shape));
  size_t size = element_size;
  for (const int32_t length : shape) size *= static_cast<size_t>(length);
  Bytes dense(size);
  NNRT_TRY(Expansion(levels, stored, element_size, dense).visit(0, 0, 0));
  return dense;
}

}  // namespace nnrt::import::tflite
