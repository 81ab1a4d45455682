// Each ATTENTION kernel agrees with the CPU device, at tile and vector boundaries, and with shared key heads.
#include "backends/cpu/engine/cpu_device.h"
#include "backends/vulkan/lower/common/tile_kinds.h"
#include "core/base/fp16.h"
#include "core/base/text.h"
#include "tests/device/device_fixture.h"
#include "tests/support/device_agreement.h"
#include "tests/support/random/random.h"

#include <algorithm>

namespace nnrt::test {
namespace {

constexpr int kCausal = 1063;  // OH_NN_ATTENTION_CAUSAL

struct Sizes {
  int64_t heads, key_heads, queries, keys, size, value_size;
};

std::string text_of(const Sizes& sizes) {
  return cat(sizes.heads, " heads of ", sizes.key_heads, ", ", sizes.queries, " queries, ", sizes.keys,
             " keys, ", sizes.size, " and ", sizes.value_size);
}

class AttentionKernels : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string_view given = GetParam();
    // What matrices refuse is computed by the tile that compiles fastest.
    const std::string kernels =
        cat(given == "+split_attention" ? "" : "-split_attention,",
            has_matrices() ? "+khr_cooperative_matrix,+cooperative_matrix_emulated,-attention_tile_16," : "",
            "+fp16_storage,", given);
    plan_ = plan_with(kernels);
    // Then clusters are as wide as subgroups.
    if (kernels.find("registers") != std::string::npos) plan_.fast_shared_memory = false;
    constexpr uint32_t kRows = 64, kSubgroups = 4;
    if (given.ends_with("attention_matrix_64") && kSubgroups * plan_.matrices.subgroup < kRows) {
      GTEST_SKIP() << "Four subgroups of " << plan_.matrices.subgroup
                   << " invocations are too few for 64 rows.";
    }
    gpu_ = shared_device(kernels, plan_);
  }

  bool has_matrices() const { return std::string_view(GetParam()).starts_with("+attention_matrix"); }

  // Cooperative matrices need fp16.
  std::vector<DType> dtypes() const {
    if (has_matrices()) return {DType::f16};
    return {DType::f32, DType::f16};
  }
  DType own_dtype() const { return dtypes()[0]; }

  Bytes numbers(const Shape& shape, DType dtype, int range = 201) {
    const auto count = size_t(*element_count(shape));
    Bytes bytes(count * size_of(dtype));
    for (size_t i = 0; i < count; ++i) {
      const float real = float(int(random_.below(uint32_t(range))) - range / 2) / 50.0F;
      const Half half = to_half(real);
      if (dtype == DType::f32) std::memcpy(bytes.data() + i * sizeof real, &real, sizeof real);
      if (dtype == DType::f16) std::memcpy(bytes.data() + i * sizeof half, &half, sizeof half);
      if (dtype == DType::boolean) bytes[i] = std::byte(random_.one_in(3) ? 0 : 1);
    }
    return bytes;
  }

  void expect_agreement(const Sizes& sizes, int causal = 0, std::optional<DType> mask = {}) {
    expect_agreement(sizes, own_dtype(), causal, mask);
  }
  void expect_agreement(const Sizes& sizes, DType dtype, int causal = 0, std::optional<DType> mask = {}) {
    SCOPED_TRACE(cat(text_of(sizes), ", causal ", causal, mask ? cat(" masked by ", name(*mask)) : ""));
    const Shape query{2, sizes.heads, sizes.queries, sizes.size},
        key{2, sizes.key_heads, sizes.keys, sizes.size},
        value{2, sizes.key_heads, sizes.keys, sizes.value_size};
    GraphMaker make;
    std::vector<TensorId> inputs;
    std::vector<Bytes> fed;
    for (const Shape& shape : {query, key, value}) {
      inputs.push_back(make.input(shape, dtype));
      fed.push_back(numbers(shape, dtype));
    }
    if (mask) {
      const Shape shape{sizes.heads, sizes.queries, sizes.keys};
      inputs.push_back(make.input(shape, *mask));
      fed.push_back(numbers(shape, *mask));
    }
    const TensorId way = make.parameter<int8_t>(kCausal, DType::i8, {int8_t(causal)});
    const TensorId y =
        make.op(Op::attention, inputs, {2, sizes.heads, sizes.queries, sizes.value_size}, {way}, dtype);
    compare(make.finish({y}), fed, dtype);
  }

  // Of keys and values, those that a mask shows to no query hold NaN, as a cache may that is not full.
  void expect_agreement_of_part(const Sizes& sizes, int64_t shown, const Shape& mask, int causal = 0) {
    SCOPED_TRACE(cat(text_of(sizes), ", of which ", shown, " are shown by ", to_string(mask)));
    const DType dtype = own_dtype();
    GraphMaker make;
    std::vector<TensorId> inputs;
    std::vector<Bytes> fed;
    for (const Shape& shape :
         {Shape{2, sizes.heads, sizes.queries, sizes.size}, Shape{2, sizes.key_heads, sizes.keys, sizes.size},
          Shape{2, sizes.key_heads, sizes.keys, sizes.value_size}}) {
      inputs.push_back(make.input(shape, dtype));
      fed.push_back(numbers(shape, dtype));
      const auto row = shape[3] * int64_t(size_of(dtype));  // all bits of a NaN may be set
      for (int64_t at = 0; inputs.size() > 1 && at < int64_t(fed.back().size()); ++at)
        if (at / row % sizes.keys >= shown) fed.back()[size_t(at)] = std::byte(0xff);
    }
    inputs.push_back(make.input(mask, DType::boolean));
    fed.push_back(numbers(mask, DType::boolean));
    for (size_t i = 0; i < fed.back().size(); ++i)
      if (int64_t(i) % sizes.keys >= shown) fed.back()[i] = std::byte(0);
    const TensorId way = make.parameter<int8_t>(kCausal, DType::i8, {int8_t(causal)});
    const TensorId y =
        make.op(Op::attention, inputs, {2, sizes.heads, sizes.queries, sizes.value_size}, {way}, dtype);
    compare(make.finish({y}), fed, dtype);
  }

  void compare(const GraphPtr& graph, const std::vector<Bytes>& fed, DType dtype) {
    const GraphPtr normal = normalize(graph);
    const auto model = prepare(*gpu_, normal);
    const KernelReport report = model->kernels(normal);
    for (const OperationKernels& operation : report.operations)
      for (const KernelChoice& choice : operation.kernels) is_taken_ |= plan_.kernels.forces(choice.name);
    for (const PassChoice& pass : report.passes)
      is_taken_ |= plan_.kernels.forces(pass.name) && pass.why_not.empty();
    const auto want = run_guarded(*cpu_, normal, fed, random_, false);
    const auto got = run_guarded(*gpu_, normal, fed, random_, false);
    ASSERT_TRUE(want.ok() && got.ok()) << (want.ok() ? got.error().message : want.error().message);
    const double scale = std::max(1.0, largest_magnitude(dtype, want.value()[0]));
    const auto fault = difference(dtype, got.value()[0], want.value()[0], tolerance_of(dtype), scale);
    EXPECT_FALSE(fault) << *fault;
  }

  void TearDown() override { EXPECT_TRUE(is_taken_ || IsSkipped()) << GetParam(); }

  void expect_agreement_of_parts() {
    for (const int64_t shown : {0, 1, 6, 64, 129, 257}) {
      expect_agreement_of_part({4, 2, 1, 257, 16, 24}, shown, {2, 1, 1, 257});
      expect_agreement_of_part({4, 2, 5, 257, 16, 16}, shown, {2, 1, 5, 257});
      expect_agreement_of_part({4, 2, 3, 257, 16, 16}, shown, {2, 4, 1, 257});
      expect_agreement_of_part({2, 1, 37, 259, 16, 8}, shown, {2, 37, 259}, 2);
    }
    expect_agreement_of_part({2, 2, 1, 4099, 64, 64}, 1500, {1, 1, 1, 4099});
    expect_agreement_of_part({2, 2, 3, 1030, 10, 9}, 700, {2, 1, 1, 1030});
  }

  Random random_{41};
  vulkan::DevicePlan plan_;
  const std::shared_ptr<Device> cpu_ = cpu::make_device();
  std::shared_ptr<Device> gpu_;
  bool is_taken_ = false;
};

std::string name_of(const testing::TestParamInfo<const char*>& given) {
  std::string name = given.param;
  std::erase_if(name, [](char c) { return std::isalnum(uint8_t(c)) == 0; });
  return name;
}
INSTANTIATE_TEST_SUITE_P(Ways, AttentionKernels,
                         testing::Values("+attention_tile_64", "+attention_tile_32", "+attention_tile_16",
                                         "+attention_decode,+unsplit_keys", "+attention_decode,+split_keys",
                                         "+attention_matrix_64", "+attention_matrix_32",
                                         "+attention_matrix_16"),
                         name_of);

TEST_P(AttentionKernels, HandlePartialTiles) {
  for (const Sizes& sizes : std::initializer_list<Sizes>{{1, 1, 1, 1, 1, 1},
                                                         {2, 2, 64, 32, 32, 32},
                                                         {1, 1, 65, 33, 36, 36},
                                                         {2, 1, 31, 129, 33, 31},
                                                         {1, 1, 16, 127, 64, 128},
                                                         {1, 1, 17, 40, 8, 132},
                                                         {2, 1, 33, 64, 72, 136},
                                                         {1, 1, 130, 63, 128, 64},
                                                         {1, 1, 3, 257, 7, 270}})
    expect_agreement(sizes);
}

TEST_P(AttentionKernels, ComputeOneQueryOfManyKeys) {
  expect_agreement({4, 4, 1, 4099, 64, 64});
  expect_agreement({8, 2, 1, 1030, 80, 80});
  expect_agreement({1, 1, 2, 700, 5, 3}, 2);
}

TEST_P(AttentionKernels, HideKeys) {
  for (const DType mask : {own_dtype(), DType::boolean}) {
    expect_agreement({4, 2, 37, 70, 16, 24}, 0, mask);
    expect_agreement({2, 1, 70, 41, 10, 9}, 1, mask);
    expect_agreement({2, 2, 1, 300, 16, 16}, 2, mask);
  }
  for (const int causal : {1, 2}) {
    expect_agreement({1, 1, 70, 70, 16, 16}, causal);
    expect_agreement({4, 2, 33, 300, 16, 16}, causal);
    expect_agreement({2, 2, 300, 33, 16, 8}, causal);
    expect_agreement({2, 2, 300, 33, 12, 4}, causal);
  }
}

TEST_P(AttentionKernels, SkipFullyMaskedKeys) { expect_agreement_of_parts(); }

class SplitAttention : public AttentionKernels {};
INSTANTIATE_TEST_SUITE_P(Ways, SplitAttention, testing::Values("+split_attention"), name_of);

TEST_P(SplitAttention, SkipsFullyMaskedKeys) { expect_agreement_of_parts(); }

TEST_P(AttentionKernels, ReadAndWriteFp16) {
  expect_agreement({2, 1, 65, 70, 64, 64}, DType::f16, 1);
  expect_agreement({2, 2, 1, 520, 33, 31}, DType::f16);
  expect_agreement({2, 2, 40, 65, 16, 16}, DType::f16, 0, DType::f16);
}

// Heads as projections store them: [batch, number, heads, size], with a TRANSPOSE before and after ATTENTION.
// In packed layouts, a row holds queries, keys and values.
struct Layout {
  Sizes sizes;
  bool is_packed = false, gives_heads = false;
  int causal = 0;
  std::optional<DType> mask = {};
};

class AttentionWhereHeadsLie : public AttentionKernels {
 protected:
  void expect_agreement_of(const Layout& layout, DType dtype) {
    const Sizes& sizes = layout.sizes;
    SCOPED_TRACE(cat(text_of(sizes), layout.is_packed ? " packed" : "", layout.gives_heads ? " as heads" : "",
                     ", causal ", layout.causal, layout.mask ? " masked" : "", " of ", name(dtype)));
    GraphMaker make;
    std::vector<Bytes> fed;
    const auto input = [&](const Shape& shape, DType of) {
      fed.push_back(numbers(shape, of));
      return make.input(shape, of);
    };
    const int64_t query_row = sizes.heads * sizes.size, key_row = sizes.key_heads * sizes.size,
                  value_row = sizes.key_heads * sizes.value_size, row = query_row + key_row + value_row;
    const TensorId packed = layout.is_packed ? input({kBatch, sizes.queries, row}, dtype) : 0;
    const auto heads_of = [&](int64_t from, int64_t heads, int64_t number, int64_t size) {
      const int64_t width = heads * size;
      const TensorId rows = layout.is_packed ? make.op(Op::slice,
                                                       {packed, make.ints({0, 0, int32_t(from)}),
                                                        make.ints({kBatch, int32_t(number), int32_t(width)})},
                                                       {kBatch, number, width}, {}, dtype)
                                             : input({kBatch, number, width}, dtype);
      const Shape apart{kBatch, number, heads, size};
      const TensorId split =
          make.op(Op::reshape, {rows, make.ints({apart.begin(), apart.end()})}, apart, {}, dtype);
      return make.op(Op::transpose, {split, make.ints({0, 2, 1, 3})}, {kBatch, heads, number, size}, {},
                     dtype);
    };
    std::vector<TensorId> inputs{
        heads_of(0, sizes.heads, sizes.queries, sizes.size),
        heads_of(query_row, sizes.key_heads, sizes.keys, sizes.size),
        heads_of(query_row + key_row, sizes.key_heads, sizes.keys, sizes.value_size)};
    if (layout.mask) inputs.push_back(input({sizes.queries, sizes.keys}, *layout.mask));
    const TensorId way = make.parameter<int8_t>(kCausal, DType::i8, {int8_t(layout.causal)});
    TensorId y =
        make.op(Op::attention, inputs, {kBatch, sizes.heads, sizes.queries, sizes.value_size}, {way}, dtype);
    if (!layout.gives_heads) {
      y = make.op(Op::transpose, {y, make.ints({0, 2, 1, 3})},
                  {kBatch, sizes.queries, sizes.heads, sizes.value_size}, {}, dtype);
    }
    compare(make.finish({y}), fed, dtype);
  }

  static constexpr int kBatch = 2;
};
INSTANTIATE_TEST_SUITE_P(Ways, AttentionWhereHeadsLie,
                         testing::Values("+attention_tile_64", "+attention_tile_16",
                                         "+attention_decode,+unsplit_keys", "+attention_decode,+split_keys",
                                         "+attention_matrix_64", "+attention_matrix_16"),
                         name_of);

// Includes sizes whose rows start at offsets that cannot be bound, or between vectors, and must be copied.
TEST_P(AttentionWhereHeadsLie, ReadsAndWritesThemThere) {
  for (const DType dtype : dtypes()) {
    for (const Sizes& sizes : std::initializer_list<Sizes>{{4, 4, 37, 37, 64, 64},
                                                           {4, 2, 21, 21, 32, 64},
                                                           {6, 2, 5, 5, 36, 36},
                                                           {3, 3, 9, 9, 16, 8},
                                                           {2, 1, 18, 18, 7, 5},
                                                           {1, 1, 33, 33, 40, 24},
                                                           {8, 8, 1, 1, 64, 64}}) {
      for (const bool is_packed : {false, true})
        expect_agreement_of({.sizes = sizes, .is_packed = is_packed, .gives_heads = false}, dtype);
      expect_agreement_of({.sizes = sizes, .is_packed = true, .gives_heads = true}, dtype);
    }
  }
}

TEST_P(AttentionWhereHeadsLie, MasksKeysOfAnyCount) {
  for (const DType dtype : dtypes()) {
    for (const int causal : {0, 1, 2}) {
      expect_agreement_of({.sizes = {4, 2, 33, 70, 16, 24}, .causal = causal, .mask = dtype}, dtype);
      expect_agreement_of({.sizes = {4, 4, 40, 13, 64, 64}, .causal = causal, .mask = DType::boolean}, dtype);
      expect_agreement_of({.sizes = {4, 4, 1, 1030, 32, 32}, .causal = causal}, dtype);
    }
    expect_agreement_of({.sizes = {4, 2, 29, 29, 64, 64}, .is_packed = true, .causal = 1, .mask = dtype},
                        dtype);
  }
}

class AttentionMatrices : public AttentionKernels {};
INSTANTIATE_TEST_SUITE_P(Rows, AttentionMatrices,
                         testing::Values("+attention_matrix_64", "+attention_matrix_32",
                                         "+attention_matrix_16"),
                         name_of);

TEST_P(AttentionMatrices, GoThroughAnyNumberOfKeys) {
  for (const int64_t keys : {1, 16, 63, 129, 1000, 4099}) expect_agreement({1, 1, 20, keys, 64, 64});
  expect_agreement({8, 2, 5, 1030, 8, 8}, 2);
}

TEST_P(AttentionMatrices, TransposeValuesForAmd) {
  plan_.vendor_id = vulkan::kAmd;
  gpu_ = make_device(plan_);
  expect_agreement({2, 1, 65, 70, 72, 136}, 1);
  expect_agreement({1, 1, 20, 129, 64, 64});
}

// Shapes of other devices.
TEST_P(AttentionMatrices, MatchForEveryShapeAndSubgroupSize) {
  if (!plan_.matrices.emulates_fp16) GTEST_SKIP() << "The driver's matrices have shapes of their own.";
  struct Row {
    vulkan::CooperativeMatrixShape shape;
    uint32_t subgroup;
  };
  for (const Row& row : {Row{{8, 16, 16}, 16}, {{16, 8, 32}, 64}, {{16, 16, 8}, 16}}) {
    if (plan_.max_group_invocations < 4 * row.subgroup) continue;
    plan_.matrices.fp16 = row.shape;
    plan_.matrices.subgroup = row.subgroup;
    gpu_ = make_device(plan_);
    expect_agreement({2, 1, 65, 70, 72, 136}, 1);
  }
}

// Attention written out by exporters as products is fused into ATTENTION, except on software drivers.
TEST(WrittenOutAttention, IsComputedByOneKernelOnGpus) {
  constexpr int kTransposeB = 34;  // OH_NN_MATMUL_TRANSPOSE_B
  const Shape shape{1, 2, 37, 20}, key{1, 2, 45, 20}, products{1, 2, 37, 45};
  vulkan::DevicePlan plan = first_plan();
  plan.is_software = false;
  const auto gpu = make_device(plan);
  GraphMaker make;
  const TensorId query = make.input(shape), keys = make.input(key), values = make.input(key);
  const TensorId transposed = make.parameter<uint8_t>(kTransposeB, DType::boolean, {1});
  const TensorId product = make.op(Op::matmul, {query, keys}, products, {transposed});
  const TensorId scaled = make.op(Op::mul, {product, make.floats({1}, {0.25f})}, products);
  const TensorId weights = make.op(Op::softmax, {scaled}, products);
  const GraphPtr graph = normalize(make.finish({make.op(Op::matmul, {weights, values}, shape)}));
  Random random(53);
  std::vector<Bytes> fed;
  for (const Shape& of_input : {shape, key, key}) {
    std::vector<float> numbers(size_t(*element_count(of_input)));
    for (float& number : numbers) number = float(int(random.below(201)) - 100) / 50.0F;
    const auto bytes = std::as_bytes(std::span(numbers));
    fed.emplace_back(bytes.begin(), bytes.end());
  }
  const auto want = run_guarded(*cpu::make_device(), graph, fed, random, false);
  const auto got = run_guarded(*gpu, graph, fed, random, false);
  ASSERT_TRUE(want.ok() && got.ok()) << (want.ok() ? got.error().message : want.error().message);
  const auto fault = difference(DType::f32, got.value()[0], want.value()[0], tolerance_of(DType::f32), 2);
  EXPECT_FALSE(fault) << *fault;
}

}  // namespace
}  // namespace nnrt::test
