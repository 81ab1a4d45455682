// Products with low-bit weights.
#include "core/base/bytes_of.h"
#include "core/base/counted.h"
#include "tools/import/network/elements/nibbles.h"
#include "tools/import/onnx/onnx_call.h"
#include "tools/import/onnx/quantized/onnx_weight_only.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nnrt::import::onnx {
namespace {

struct Blocks {
  int64_t rows = 0, columns = 0, bits = 4, size = 32;  // `rows`: number of outputs

  int64_t per_row() const { return (columns + size - 1) / size; }
  int64_t bytes() const { return size * bits / 8; }  // per block
};

Blocks read_blocks(const Call& call) {
  const Attributes& attributes = call.attributes;
  const Blocks blocks{attributes.count("N", 0), attributes.count("K", 0), attributes.count("bits", 4),
                      attributes.count("block_size", 0)};
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  if (blocks.rows < 1 || blocks.rows > kMax || blocks.columns < 1 || blocks.columns > kMax)
    fail(damaged("The weights are of ", blocks.rows, " x ", blocks.columns, "."));
  if (blocks.bits != 2 && blocks.bits != 4 && blocks.bits != 8)
    fail(unsupported("Weights of ", counted(blocks.bits, "bit"), " are not supported."));
  constexpr int64_t kMaxBlock = 1 << 16;
  if (blocks.size < 16 || blocks.size > kMaxBlock || (blocks.size & (blocks.size - 1)) != 0)
    fail(damaged("The block size (", blocks.size, ") is not a power of two of at least 16."));
  return blocks;
}

// The bytes of a constant; fails if the size differs.
ByteView bytes_of(Call& call, size_t input, int64_t bytes) {
  const TensorId id = call.plain_input(input);
  if (!call.is_constant(id)) fail(unsupported("Input ", input, " is not a constant."));
  const ByteView view = *call.tensor(id).data;
  if (call.dtype(id) != DType::u8 || static_cast<int64_t>(view.size()) != bytes)
    fail(
        damaged("Input ", input, " has ", counted(view.size(), "byte"), " instead of ", bytes, " of UINT8."));
  return view;
}

// The first element of a byte is in its lowest bits.
std::byte unpacked(ByteView bytes, int64_t position, int64_t bits) {
  const int64_t bit = position * bits, mask = (int64_t{1} << bits) - 1;
  return bytes[static_cast<size_t>(bit / 8)] >> (bit % 8) & static_cast<std::byte>(mask);
}

constexpr size_t kZeros = 3;  // input number

// Returns whether the zero points are bytes or integers that fit in one.
bool are_whole(Call& call) {
  if (!call.has(kZeros)) return true;
  const TensorId id = call.plain_input(kZeros);
  if (call.dtype(id) == DType::u8) return true;
  const List<double> numbers = call.numbers(kZeros);
  constexpr double kMax = 255;
  return std::ranges::all_of(
      numbers, [](double number) { return number >= 0 && number <= kMax && number == std::floor(number); });
}

// The zero points of all blocks, one byte each.
Bytes zero_points(Call& call, const Blocks& blocks) {
  const int64_t per_row = blocks.per_row();
  const std::byte middle{static_cast<uint8_t>(1 << (blocks.bits - 1))};
  Bytes zeros(static_cast<size_t>(blocks.rows * per_row), middle);
  if (!call.has(kZeros)) return zeros;
  const TensorId id = call.plain_input(kZeros);
  if (call.dtype(id) != DType::u8) {
    const List<double> numbers = call.numbers(kZeros);
    if (numbers.size() != zeros.size()) fail(damaged("The zero points are not one per block."));
    std::ranges::transform(numbers, zeros.begin(),
                           [](double number) { return static_cast<std::byte>(number); });
    return zeros;
  }
  const int64_t row_bytes = (per_row * blocks.bits + 7) / 8;
  const ByteView packed = bytes_of(call, kZeros, blocks.rows * row_bytes);
  for (int64_t row = 0; row < blocks.rows; ++row) {
    for (int64_t block = 0; block < per_row; ++block)
      zeros[static_cast<size_t>(row * per_row + block)] =
          unpacked(packed.subspan(static_cast<size_t>(row * row_bytes)), block, blocks.bits);
  }
  return zeros;
}

// MATMUL_NBITS has no elements of 2 bits.
int64_t stored_bits(const Blocks& blocks) { return std::max<int64_t>(blocks.bits, 4); }

Bytes widened(ByteView packed, const Blocks& blocks) {
  const auto row_bytes = static_cast<size_t>((blocks.columns + 1) / 2);
  const auto padded = static_cast<size_t>(blocks.per_row() * blocks.bytes());
  Bytes rows(row_bytes * static_cast<size_t>(blocks.rows));
  for (size_t row = 0; row < static_cast<size_t>(blocks.rows); ++row) {
    for (int64_t column = 0; column < blocks.columns; ++column) {
      const auto k = static_cast<size_t>(column);
      add_nibble(rows[row * row_bytes + k / 2], k,
                 unpacked(packed.subspan(row * padded), column, blocks.bits));
    }
  }
  return rows;
}

// Removes the padding of each row's last block.
Bytes without_padding(ByteView packed, const Blocks& blocks) {
  if (blocks.bits != stored_bits(blocks)) return widened(packed, blocks);
  const auto row_bytes = static_cast<size_t>((blocks.columns * blocks.bits + 7) / 8);
  const auto padded = static_cast<size_t>(blocks.per_row() * blocks.bytes());
  Bytes rows;
  rows.reserve(row_bytes * static_cast<size_t>(blocks.rows));
  for (size_t row = 0; row < static_cast<size_t>(blocks.rows); ++row) {
    const ByteView bytes = packed.subspan(row * padded, row_bytes);
    rows.insert(rows.end(), bytes.begin(), bytes.end());
  }
  return rows;
}

// Fractional zero points are left out.
StoredWeights weights_of(Call& call, const Blocks& blocks, bool is_whole) {
  const int64_t per_row = blocks.per_row();
  const ByteView packed = bytes_of(call, 1, blocks.rows * per_row * blocks.bytes());
  const List<double> scales = call.numbers(2);
  if (static_cast<int64_t>(scales.size()) != blocks.rows * per_row)
    fail(damaged("The scales (", scales.size(), ") are not one per block."));
  required(
      call.emitter().budget().take(packed.size() * static_cast<size_t>(stored_bits(blocks) / blocks.bits)));
  Bytes zeros;
  if (is_whole) zeros = zero_points(call, blocks);
  return StoredWeights{.columns = blocks.rows,
                       .inner = blocks.columns,
                       .bits = stored_bits(blocks),
                       .block = blocks.size,
                       .values = without_padding(packed, blocks),
                       .scales = {scales.begin(), scales.end()},
                       .zero_points = std::move(zeros)};
}

// Weights as floats, [rows, columns], for fractional zero points.
TensorId dequantized(Call& call, const Blocks& blocks, const StoredWeights& weights,
                     const List<double>& zeros) {
  if (zeros.size() != weights.scales.size()) fail(damaged("The zero points are not one per block."));
  const Dims shape{blocks.rows, blocks.columns};
  const auto size = nnrt::byte_size(DType::f32, shape);
  if (!size) fail(unsupported("Weights of shape ", to_string(shape), " are too large."));
  required(call.emitter().budget().take(*size));
  List<float> values;
  const size_t row_bytes = weights.values.size() / static_cast<size_t>(blocks.rows);
  for (int64_t row = 0; row < blocks.rows; ++row) {
    const ByteView bytes = ByteView(weights.values).subspan(static_cast<size_t>(row) * row_bytes, row_bytes);
    for (int64_t column = 0; column < blocks.columns; ++column) {
      const auto block = static_cast<size_t>(row * blocks.per_row() + column / blocks.size);
      const auto stored = static_cast<double>(unpacked(bytes, column, weights.bits));
      values.push_back(static_cast<float>((stored - zeros[block]) * weights.scales[block]));
    }
  }
  const TensorId x = call.plain_input(0);
  return call.cast(call.constant(DType::f32, shape, nnrt::bytes_of(values)), call.dtype(x));
}

Ids multiply_floats(Call& call, const Blocks& blocks, const StoredWeights& weights) {
  TensorId y = call.matmul(call.input(0), dequantized(call, blocks, weights, call.numbers(kZeros)), true);
  if (call.has(5)) y = call.add(y, call.input(5));
  return {y};
}

Ids matmul_n_bits(Call& call) {
  const Blocks blocks = read_blocks(call);
  if (call.has(4)) fail(unsupported("Weights in another order are not supported."));
  const bool is_whole = are_whole(call);
  StoredWeights weights = weights_of(call, blocks, is_whole);
  constexpr int64_t kInt8Level = 4;  // the least precise of the accuracy levels
  weights.approximate = call.attributes.integer("accuracy_level", 0) == kInt8Level;
  if (!is_whole) return multiply_floats(call, blocks, weights);
  const TensorId x = call.plain_input(0);
  std::optional<TensorId> bias;
  if (call.has(5)) bias = call.plain_input(5);
  return {multiply_stored(call, x, weights, bias)};
}

}  // namespace

std::vector<Row> block_quantized_rows() { return {runtime_row("MatMulNBits", matmul_n_bits)}; }

}  // namespace nnrt::import::onnx
