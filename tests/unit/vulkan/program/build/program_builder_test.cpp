// ATTENTION reads heads directly from a projection's result, and writes them as the next projection reads
// them.
#include "tests/support/graph_maker.h"
#include "tests/support/lowered_node.h"
#include "tests/unit/vulkan/program/program_maker.h"

namespace nnrt::vulkan {
namespace {

using test::GraphMaker;
using test::push_words;
using Strings = std::vector<std::string>;
using Words = std::vector<uint32_t>;

constexpr int kRows = 50, kHeads = 4, kSize = 16;
constexpr size_t kQueryStrides = 18, kKeyStrides = 21, kValueStrides = 24,
                 kResultStrides = 27;  // in the push constants

const Dispatch& attention_in(const Program& program) {
  const auto found = std::ranges::find_if(program.steps, [](const Step& step) {
    const auto* dispatch = std::get_if<Dispatch>(&step.command);
    return dispatch != nullptr && dispatch->shader.starts_with("attention");
  });
  return std::get<Dispatch>(found->command);
}

// Splits rows into heads, attends, and joins the result to rows.
class Attended {
 public:
  // Keys and values come after the first `first` elements of a row.
  explicit Attended(DType dtype, int size = kSize, int first = kHeads * kSize)
      : dtype_(dtype), size_(size), row_(first + 2 * kHeads * size) {
    x_ = make_.input({kRows, row_}, dtype);
    const TensorId query = heads(0), key = heads(first), value = heads(first + kHeads * size);
    heads_ = op(Op::attention, {query, key, value}, {1, kHeads, kRows, size_});
  }

  TensorId result() const { return heads_; }
  TensorId negated(TensorId x, const Shape& shape) { return op(Op::neg, {x}, shape); }
  // [rows, heads * size]
  TensorId rows() {
    const TensorId flat = reshaped(heads_, {kHeads, kRows, size_});
    const TensorId transposed = op(Op::transpose, {flat, make_.ints({1, 0, 2})}, {kRows, kHeads, size_});
    return reshaped(transposed, {kRows, kHeads * size_});
  }
  GraphPtr finish(const std::vector<TensorId>& outputs) { return make_.finish(outputs); }

 private:
  TensorId op(Op type, const std::vector<TensorId>& inputs, const Shape& shape) {
    return make_.op(type, inputs, shape, {}, dtype_);
  }
  TensorId reshaped(TensorId x, const Shape& shape) {
    return op(Op::reshape, {x, make_.ints({shape.begin(), shape.end()})}, shape);
  }
  TensorId heads(int from) {
    const int width = kHeads * size_;
    const TensorId cut =
        op(Op::slice, {x_, make_.ints({0, from}), make_.ints({kRows, width})}, {kRows, width});
    const TensorId apart = reshaped(cut, {kRows, kHeads, size_});
    const TensorId transposed = op(Op::transpose, {apart, make_.ints({1, 0, 2})}, {kHeads, kRows, size_});
    return reshaped(transposed, {1, kHeads, kRows, size_});
  }

  const DType dtype_;
  const int size_, row_;
  GraphMaker make_;
  TensorId x_ = 0, heads_ = 0;
};

GraphPtr between_matrices(DType dtype, int size = kSize, int first = kHeads * kSize) {
  Attended attended(dtype, size, first);
  return attended.finish({attended.negated(attended.rows(), {kRows, kHeads * size})});
}

TEST(HeadsOfAttention, AreAccessedInPlace) {
  for (const DType dtype : {DType::f32, DType::f16}) {
    const Program program = program_of(between_matrices(dtype), small_gpu());
    ASSERT_EQ(program.steps.size(), 2u);
    const Dispatch& attention = attention_in(program);
    EXPECT_EQ(attention.shader, "attention_tile_f32_vec4");
    const uint32_t row = 3 * kHeads * kSize / 4;
    for (const size_t strides : {kQueryStrides, kKeyStrides, kValueStrides})
      EXPECT_EQ(push_words(attention, strides, 3), (Words{0, kSize / 4, row}));
    EXPECT_EQ(push_words(attention, kResultStrides, 3), (Words{0, kSize / 4, kHeads * kSize / 4}));
    const uint64_t part = kHeads * kSize * size_of(dtype);
    EXPECT_EQ(attention.slices, (std::vector<Slice>{{}, {part, 0}, {2 * part, 0}}));
    const std::vector<BufferRegion>& regions = program.steps[0].regions;
    EXPECT_EQ(regions[1].bytes, kRows * 3 * part - part);
    EXPECT_EQ(regions[2].bytes, kRows * 3 * part - 2 * part);
    EXPECT_EQ(attention.fp16_bindings != 0, dtype == DType::f16);
  }
}

TEST(HeadsOfAttention, AreCopiedIfForbidden) {
  DevicePlan plan = small_gpu();
  plan.kernels.forbid("deferred_copies");
  const Program program = program_of(between_matrices(DType::f16), plan);
  EXPECT_EQ(program.steps.size(), 9u);
  EXPECT_EQ(push_words(attention_in(program), kKeyStrides, 3),
            (Words{kHeads * kRows * kSize / 4, kRows * kSize / 4, kSize / 4}));
}

// With fp16, keys start 128 bytes after the queries, and values 128 bytes after the keys.
TEST(HeadsOfAttention, AreCopiedIfUnbindable) {
  EXPECT_EQ(program_of(between_matrices(DType::f16), small_gpu(256)).steps.size(), 3u);
  EXPECT_EQ(program_of(between_matrices(DType::f32), small_gpu(256)).steps.size(), 2u);
}

TEST(HeadsOfAttention, AreCopiedIfRowsAreUnaligned) {
  EXPECT_EQ(program_of(between_matrices(DType::f32, kSize, 68), small_gpu()).steps.size(), 2u);
  EXPECT_EQ(program_of(between_matrices(DType::f32, kSize, 65), small_gpu()).steps.size(), 5u);
  // read element by element
  EXPECT_EQ(program_of(between_matrices(DType::f32, 6), small_gpu()).steps.size(), 2u);
}

// Cooperative matrices read vectors of eight fp16 values.
TEST(HeadsOfAttention, AreCopiedIfUnaligned) {
  DevicePlan plan = small_gpu();
  plan.matrices.fp16 = {16, 16, 16};
  plan.matrices.subgroup = 32;
  const Program whole = program_of(between_matrices(DType::f16), plan);
  EXPECT_EQ(shaders_of(whole), (Strings{"attention_matrix", "unary_f16"}));
  EXPECT_EQ(attention_in(whole).slices[1].offset, 128u);
  EXPECT_EQ(program_of(between_matrices(DType::f16, kSize, 68), plan).steps.size(), 5u);
}

// Without fp16 storage, all kernels get dense rows.
TEST(HeadsOfAttention, AreCopiedIfConverted) {
  DevicePlan plan = small_gpu();
  plan.fp16_storage = false;
  plan.matrices.fp16 = {16, 16, 16};
  const Program program = program_of(between_matrices(DType::f16), plan);
  const auto attention = std::ranges::find_if(program.steps, [](const Step& step) {
    const auto* dispatch = std::get_if<Dispatch>(&step.command);
    return dispatch != nullptr && dispatch->shader == "attention_matrix";
  });
  ASSERT_NE(attention, program.steps.end());
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(attention->regions[i].kind, BufferRegion::Kind::arena);
  EXPECT_EQ(push_words(attention_in(program), kKeyStrides, 3),
            (Words{kHeads * kRows * kSize / 4, kRows * kSize / 4, kSize / 4}));
}

TEST(HeadsOfAttention, AreStoredIfShared) {
  Attended attended(DType::f16);
  const TensorId rows = attended.negated(attended.rows(), {kRows, kHeads * kSize}),
                 heads = attended.negated(attended.result(), {1, kHeads, kRows, kSize});
  const Program program = program_of(attended.finish({rows, heads}), small_gpu());
  const Strings shaders = shaders_of(program);
  EXPECT_EQ(std::ranges::count(shaders, "copy"), 1);
  EXPECT_EQ(push_words(attention_in(program), kResultStrides, 3),
            (Words{kHeads * kRows * kSize / 4, kRows * kSize / 4, kSize / 4}));
}

// Queries that are CAST are read from the CAST's result, which is computed first.
TEST(HeadsOfAttention, AreReadBehindTheirCasts) {
  GraphMaker make;
  std::vector<TensorId> inputs;
  for (int i = 0; i < 3; ++i) {
    const Shape rows{1, kRows, kHeads, kSize};
    const TensorId x =
        make.op(Op::cast, {make.input(rows), make.ints({int32_t(DType::f16)})}, rows, {}, DType::f16);
    inputs.push_back(
        make.op(Op::transpose, {x, make.ints({0, 2, 1, 3})}, {1, kHeads, kRows, kSize}, {}, DType::f16));
  }
  const TensorId heads = make.op(Op::attention, inputs, {1, kHeads, kRows, kSize}, {}, DType::f16);
  const Program program = program_of(make.finish({heads}), small_gpu());
  EXPECT_EQ(shaders_of(program), (Strings{"cast", "cast", "cast", "attention_tile_f32_vec4"}));
  EXPECT_EQ(push_words(attention_in(program), kQueryStrides, 3), (Words{0, kSize / 4, kHeads * kSize / 4}));
}

// Outputs of the client are written directly too.
TEST(HeadsOfAttention, AreWrittenToGraphOutput) {
  Attended attended(DType::f32);
  const Program program = program_of(attended.finish({attended.rows()}), small_gpu());
  ASSERT_EQ(program.steps.size(), 1u);
  EXPECT_EQ(program.steps[0].regions[5].kind, BufferRegion::Kind::edge);
}

}  // namespace
}  // namespace nnrt::vulkan
