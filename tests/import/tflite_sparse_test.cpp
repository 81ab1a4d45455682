// Sparse constants.
#include "tests/import/tflite_writer.h"
#include "tools/import/tflite/tflite_reader.h"

#include <gtest/gtest.h>

namespace nnrt::test {
namespace {

using enum BuiltinOperator;
using format::DimensionFormat;

std::unique_ptr<format::SparseDimensionT> dense(int32_t size) {
  auto made = std::make_unique<format::SparseDimensionT>();
  made->dense_size = size;
  return made;
}

template <typename Vector>
std::unique_ptr<format::SparseDimensionT> compressed(std::vector<int32_t> segments,
                                                     std::vector<int32_t> indices) {
  auto made = std::make_unique<format::SparseDimensionT>();
  made->format = DimensionFormat::SPARSE_CSR;
  Vector first, second;
  first.values.assign(segments.begin(), segments.end());
  second.values.assign(indices.begin(), indices.end());
  made->segments.Set(std::move(first));
  made->indices.Set(std::move(second));
  return made;
}

struct Sparse {
  Operand stored;  // with the values stored in the file
  std::vector<int32_t> order, blocks;
  std::vector<std::unique_ptr<format::SparseDimensionT>> dimensions;
};

// y = x + the constant, dequantized unless it is FLOAT32.
Bytes file_of(Sparse sparse) {
  TfliteWriter writer;
  const Shape shape = sparse.stored.shape;
  const int32_t x = writer.input(floats(shape, {})), given = writer.tensor(constant(sparse.stored));
  auto sparsity = std::make_unique<format::SparsityT>();
  sparsity->traversal_order = sparse.order;
  sparsity->block_map = sparse.blocks;
  sparsity->dimensions = std::move(sparse.dimensions);
  writer.graph().tensors[size_t(given)]->sparsity = std::move(sparsity);
  Operand open = sparse.stored;
  open.values.clear();
  int32_t weights = writer.tensor(open);
  writer.add(DENSIFY, {given}, {weights});
  if (open.type != TensorType::FLOAT32) {
    const int32_t real = writer.tensor(floats(shape, {}));
    writer.add(DEQUANTIZE, {weights}, {real});
    weights = real;
  }
  const int32_t y = writer.tensor(floats(shape, {}));
  writer.add(ADD, {x, weights}, {y});
  writer.output(y);
  return writer.finish();
}

std::vector<double> expanded(Sparse sparse) {
  size_t count = 1;
  for (const int32_t length : sparse.stored.shape) count *= size_t(length);
  const Operand x = floats(sparse.stored.shape, std::vector<double>(count, 0));
  const auto got = run(file_of(std::move(sparse)), {x}, {floats(x.shape, {})});
  return got.empty() ? std::vector<double>() : got[0];
}

std::string refusal(Sparse sparse) {
  const auto network = import::read_tflite(file_of(std::move(sparse)), {});
  return network.ok() ? "" : network.error().message;
}

// [rows, columns]
const std::vector<double> kMatrix{1, 0, 2, 0, 0, 0, 0, 0, 0, 3, 0, 4};

template <typename Vector = format::Int32VectorT>
Sparse matrix(Operand stored, std::vector<int32_t> segments = {0, 2, 2, 4},
              std::vector<int32_t> indices = {0, 2, 1, 3}) {
  Sparse sparse{std::move(stored), {0, 1}, {}, {}};
  sparse.dimensions.push_back(dense(3));
  sparse.dimensions.push_back(compressed<Vector>(std::move(segments), std::move(indices)));
  return sparse;
}

const Operand kStored = floats({3, 4}, {1, 2, 3, 4});

// 2 x 2 blocks, two of them present.
Sparse blocks() {
  Sparse sparse{floats({4, 4}, {1, 2, 3, 4, 5, 6, 7, 8}), {0, 1, 2, 3}, {0, 1}, {}};
  sparse.dimensions.push_back(dense(2));
  sparse.dimensions.push_back(compressed<format::Uint8VectorT>({0, 1, 2}, {1, 0}));
  sparse.dimensions.push_back(dense(2));
  sparse.dimensions.push_back(dense(2));
  return sparse;
}

}  // namespace

TEST(TfliteSparse, IndicesHaveThreeWidths) {
  EXPECT_EQ(expanded(matrix<format::Int32VectorT>(kStored)), kMatrix);
  EXPECT_EQ(expanded(matrix<format::Uint16VectorT>(kStored)), kMatrix);
  EXPECT_EQ(expanded(matrix<format::Uint8VectorT>(kStored)), kMatrix);
}

TEST(TfliteSparse, ColumnsMayComeFirst) {
  Sparse sparse{floats({3, 4}, {1, 3, 2, 4}), {1, 0}, {}, {}};
  sparse.dimensions.push_back(dense(4));
  sparse.dimensions.push_back(compressed<format::Int32VectorT>({0, 1, 2, 3, 4}, {0, 2, 0, 2}));
  EXPECT_EQ(expanded(std::move(sparse)), kMatrix);
}

TEST(TfliteSparse, AllDimensionsMayBeCompressed) {
  Sparse sparse{kStored, {0, 1}, {}, {}};
  sparse.dimensions.push_back(compressed<format::Uint8VectorT>({0, 2}, {0, 2}));
  sparse.dimensions.push_back(compressed<format::Uint16VectorT>({0, 2, 4}, {0, 2, 1, 3}));
  EXPECT_EQ(expanded(std::move(sparse)), kMatrix);
}

TEST(TfliteSparse, BlocksAreDense) {
  EXPECT_EQ(expanded(blocks()), (std::vector<double>{0, 0, 1, 2, 0, 0, 3, 4, 5, 6, 0, 0, 7, 8, 0, 0}));
}

// 1 x 2 blocks along the last dimension of filters [2, 1, 1, 4], as in pruned convolutions.
TEST(TfliteSparse, BlocksMayDivideOneDimensionOfMany) {
  Sparse sparse{floats({2, 1, 1, 4}, {1, 2, 3, 4}), {0, 1, 2, 3, 4}, {3}, {}};
  for (const int32_t size : {2, 1, 1}) sparse.dimensions.push_back(dense(size));
  sparse.dimensions.push_back(compressed<format::Uint8VectorT>({0, 1, 2}, {1, 0}));
  sparse.dimensions.push_back(dense(2));
  EXPECT_EQ(expanded(std::move(sparse)), (std::vector<double>{0, 0, 1, 2, 3, 4, 0, 0}));
}

TEST(TfliteSparse, ElementsMayBeFloat16OrInt8) {
  const Operand half{TensorType::FLOAT16, {3, 4}, {0x3C00, 0x4000, 0x4200, 0x4400}};
  EXPECT_EQ(expanded(matrix(half)), kMatrix);
  EXPECT_EQ(expanded(matrix(int8({3, 4}, {2, 4, 6, 8}, 0.5f, 0))), kMatrix);
}

// Missing elements are zero bits: -1.5 with zero point 3 and scale 0.5.
TEST(TfliteSparse, MissingQuantizedElementsAreZeroBits) {
  const auto got = expanded(matrix(uint8({3, 4}, {5, 7, 9, 11}, 0.5f, 3)));
  ASSERT_EQ(got.size(), 12u);
  EXPECT_EQ(got[0], 1);
  EXPECT_EQ(got[1], -1.5);
}

TEST(TfliteSparse, WeightsNeedNoDensify) {
  TfliteWriter writer;
  const Operand x = floats({1, 4}, {1, 10, 100, 1000}), y = floats({1, 3}, {});
  const int32_t input = writer.input(x), weights = writer.tensor(constant(kStored)),
                output = writer.tensor(y);
  auto sparsity = std::make_unique<format::SparsityT>();
  Sparse sparse = matrix(kStored);
  sparsity->traversal_order = sparse.order;
  sparsity->dimensions = std::move(sparse.dimensions);
  writer.graph().tensors[size_t(weights)]->sparsity = std::move(sparsity);
  writer.add(FULLY_CONNECTED, {input, weights}, {output}, with(format::FullyConnectedOptionsT()));
  writer.output(output);
  EXPECT_EQ(run(writer.finish(), {x}, {y}).at(0), (std::vector<double>{201, 0, 4030}));
}

TEST(TfliteSparse, DamagedOnesAreRefused) {
  const auto refused = [](Sparse sparse) { return refusal(std::move(sparse)); };
  EXPECT_EQ(refused(matrix(kStored, {0, 2, 2, 5})),
            "A sparse constant has segments that do not cover its indices.");
  EXPECT_EQ(refused(matrix(kStored, {0, 3, 2, 4})), "A sparse constant has segments that do not rise.");
  EXPECT_EQ(refused(matrix(kStored, {0, 2, 4})), "A sparse constant has fewer segments than it needs.");
  EXPECT_EQ(refused(matrix(kStored, {})), "A sparse constant has segments that do not cover its indices.");
  EXPECT_EQ(refused(matrix(kStored, {0, 2, 2, 4}, {0, 4, 1, 3})),
            "A sparse constant has an index outside of its dimension.");
  EXPECT_EQ(refused(matrix(kStored, {0, 2, 2, 4}, {0, -1, 1, 3})),
            "A sparse constant has an index outside of its dimension.");
  EXPECT_EQ(refused(matrix(floats({3, 4}, {1, 2, 3}))),
            "A sparse constant has fewer elements than it needs.");
  Sparse twice = matrix(kStored);
  twice.order = {0, 0};
  EXPECT_EQ(refused(std::move(twice)), "A sparse constant does not traverse each of its dimensions once.");
  Sparse beyond = matrix(kStored);
  beyond.order = {0, 2};
  EXPECT_EQ(refused(std::move(beyond)), "A sparse constant does not traverse each of its dimensions once.");
  Sparse shorter = matrix(kStored);
  shorter.order = {0};
  EXPECT_EQ(refused(std::move(shorter)),
            "A sparse constant does not say how each of its dimensions is stored.");
  Sparse longer = matrix(kStored);
  longer.dimensions[0] = dense(4);
  EXPECT_EQ(refused(std::move(longer)),
            "A sparse constant has a dense dimension of another length than its shape.");
  Sparse uneven = blocks();
  uneven.dimensions[2] = dense(3);
  EXPECT_EQ(refused(std::move(uneven)), "A sparse constant has blocks that do not divide its dimensions.");
  Sparse lost = blocks();
  lost.blocks = {0, 7};
  EXPECT_EQ(refused(std::move(lost)), "A sparse constant has blocks of a dimension that it lacks.");
}

}  // namespace nnrt::test
