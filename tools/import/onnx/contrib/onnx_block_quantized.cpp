// Products with weights of few bits, which become floats when the model is read.
#include "tools/import/onnx/onnx_formula.h"

#include <cstring>
#include <limits>

namespace nnrt::import::onnx {
namespace {

struct Blocks {
  int64_t rows = 0, columns = 0, bits = 4, size = 32;  // `rows` is the number of results

  int64_t per_row() const { return (columns + size - 1) / size; }
  int64_t bytes() const { return size * bits / 8; }  // of a block
};

Result<Blocks> read_blocks(const Call& call) {
  const Attributes& attributes = call.attributes;
  const Blocks blocks{attributes.integer("N", 0), attributes.integer("K", 0), attributes.integer("bits", 4),
                      attributes.integer("block_size", 0)};
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  if (blocks.rows < 1 || blocks.rows > kMax || blocks.columns < 1 || blocks.columns > kMax)
    return damaged("The weights are of ", blocks.rows, " x ", blocks.columns, ".");
  if (blocks.bits != 4 && blocks.bits != 8)
    return unsupported("Weights of ", blocks.bits, " bits are not supported.");
  constexpr int64_t kMaxBlock = 1 << 16;
  if (blocks.size < 16 || blocks.size > kMaxBlock || (blocks.size & (blocks.size - 1)) != 0)
    return damaged("The size of a block (", blocks.size, ") is no power of two from 16 on.");
  return blocks;
}

// The bytes of a constant; fails where there are not so many.
Result<ByteView> bytes_of(Call& call, size_t input, int64_t bytes) {
  NNRT_ASSIGN(const TensorId id, call.plain_input(input));
  const Emitter& emitter = call.emitter();
  if (!emitter.is_constant(id)) return unsupported("Input ", input, " is not a constant.");
  const ByteView view = *emitter.tensor(id).data;
  if (emitter.dtype(id) != DType::u8 || static_cast<int64_t>(view.size()) != bytes)
    return damaged("Input ", input, " has ", view.size(), " bytes instead of ", bytes, " of UINT8.");
  return view;
}

int unpacked(ByteView bytes, int64_t position, int64_t bits) {
  if (bits == 8) return static_cast<int>(bytes[static_cast<size_t>(position)]);
  const auto pair = static_cast<int>(bytes[static_cast<size_t>(position / 2)]);
  return position % 2 == 0 ? pair & 15 : pair >> 4;
}

// The zero points of all blocks, as numbers.
Result<std::vector<double>> zero_points(Call& call, const Blocks& blocks) {
  const int64_t per_row = blocks.per_row();
  const double middle = blocks.bits == 4 ? 8 : 128;
  constexpr size_t kZeros = 3;
  std::vector<double> zeros(static_cast<size_t>(blocks.rows * per_row), middle);
  if (!call.has(kZeros)) return zeros;
  NNRT_ASSIGN(const TensorId id, call.plain_input(kZeros));
  if (call.emitter().dtype(id) != DType::u8) {
    NNRT_ASSIGN(std::vector<double> given, call.numbers(kZeros));
    if (given.size() != zeros.size()) return damaged("The zero points are not one for each block.");
    return given;
  }
  const int64_t row_bytes = (per_row * blocks.bits + 7) / 8;
  NNRT_ASSIGN(const ByteView packed, bytes_of(call, kZeros, blocks.rows * row_bytes));
  for (int64_t row = 0; row < blocks.rows; ++row) {
    for (int64_t block = 0; block < per_row; ++block)
      zeros[static_cast<size_t>(row * per_row + block)] =
          unpacked(packed.subspan(static_cast<size_t>(row * row_bytes)), block, blocks.bits);
  }
  return zeros;
}

// The weights, [rows, columns].
Result<TensorId> dequantized(Call& call, const Blocks& blocks) {
  const int64_t per_row = blocks.per_row();
  NNRT_ASSIGN(const ByteView packed, bytes_of(call, 1, blocks.rows * per_row * blocks.bytes()));
  NNRT_ASSIGN(const std::vector<double> scales, call.numbers(2));
  if (static_cast<int64_t>(scales.size()) != blocks.rows * per_row)
    return damaged("The scales (", scales.size(), ") are not one for each block.");
  NNRT_ASSIGN(const std::vector<double> zeros, zero_points(call, blocks));
  const nnrt::Shape shape{blocks.rows, blocks.columns};
  const auto size = nnrt::byte_size(DType::f32, shape);
  if (!size) return unsupported("Weights of shape ", to_string(shape), " do not fit.");
  NNRT_TRY(call.emitter().budget().take(*size));
  Bytes data(*size);
  for (int64_t row = 0; row < blocks.rows; ++row) {
    for (int64_t column = 0; column < blocks.columns; ++column) {
      const auto block = static_cast<size_t>(row * per_row + column / blocks.size);
      const ByteView bytes = packed.subspan(block * static_cast<size_t>(blocks.bytes()));
      const auto weight = static_cast<float>(
          (unpacked(bytes, column % blocks.size, blocks.bits) - zeros[block]) * scales[block]);
      std::memcpy(data.data() + static_cast<size_t>(row * blocks.columns + column) * sizeof(float), &weight,
                  sizeof weight);
    }
  }
  NNRT_ASSIGN(const TensorId x, call.plain_input(0));
  return call.cast(call.emitter().constant(DType::f32, shape, std::move(data)), call.emitter().dtype(x));
}

Result<Ids> matmul_n_bits(Call& call) {
  NNRT_ASSIGN(const Blocks blocks, read_blocks(call));
  if (call.has(4)) return unsupported("Weights in another order are not supported.");
  NNRT_ASSIGN(const TensorId weights, dequantized(call, blocks));
  Formula f(call);
  TensorId y = f.matmul(f.input(0), weights, true);
  if (call.has(5)) y = f.add(y, f.input(5));
  return f.results({y});
}

}  // namespace

std::vector<Row> block_quantized_rows() {
  return {{"MatMulNBits", matmul_n_bits, {}, kNoQuantizedInputs, false, "com.microsoft"}};
}

}  // namespace nnrt::import::onnx
