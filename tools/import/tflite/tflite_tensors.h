// Tensors of a TensorFlow Lite file.
#pragma once

#include "core/memory/lending_buffer.h"
#include "tools/import/tflite/tflite_operator.h"

#include <map>
#include <span>

namespace nnrt::import::tflite {

// Limits the total data read from a file. Damaged files can reference the same bytes many times; valid ones
// rarely do.
class Allowance {
 public:
  explicit Allowance(size_t file_size) : left_(16 * file_size + (size_t{1} << 20)) {}
  Status take(size_t bytes) {
    if (bytes > left_) return Error{Code::invalid_file, "The file refers to the same bytes too often."};
    left_ -= bytes;
    return {};
  }

 private:
  size_t left_;
};

struct ReadTensor {
  Tensor tensor;
  TensorSlot slot;
  bool is_complex = false;  // the tensor is one part
};

// Reads tensors one by one. Constants that share a buffer share their data.
class TensorReader {
 public:
  // `file`: the bytes of the model. `lent`: contents of buffers that are outside of it, by number.
  TensorReader(const format::Model& model, const LendingBuffer& file, std::span<const SharedBytes> lent,
               Allowance& allowance)
      : model_(model), file_(file), lent_(lent), allowance_(allowance) {}

  // `is_written`: by an operator or as an input. If `keep_shapes` is false, shapes of computed tensors are
  // inferred.
  Result<ReadTensor> read(const format::Tensor& table, bool is_written, bool keep_shapes);

 private:
  enum class Coding : uint8_t { plain, shifted, nibbles };

  // Empty if the buffer does not exist.
  ByteView contents(uint32_t buffer) const;
  Result<Quantization> quantization(const format::Tensor& table);
  Result<SharedBytes> data(uint32_t buffer, Coding coding, size_t size, size_t alignment);
  Result<SharedBytes> sparse_data(const format::Tensor& table, Coding coding, const Tensor& tensor);

  const format::Model& model_;
  const LendingBuffer& file_;
  std::span<const SharedBytes> lent_;
  Allowance& allowance_;
  std::map<std::pair<uint32_t, Coding>, SharedBytes> shared_;
};

// The declared shape; unknown dimensions are -1.
Shape signature_of(const format::Tensor& table);

}  // namespace nnrt::import::tflite
