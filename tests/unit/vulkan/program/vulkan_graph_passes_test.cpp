// Networks after the passes: an fp16 model has the same dispatches as a float one.
#include "backends/vulkan/program/vulkan_graph_passes.h"

#include "backends/vulkan/memory/device_constants.h"
#include "backends/vulkan/program/build/program_builder.h"
#include "backends/vulkan/program/vulkan_program.h"
#include "tests/support/graph_maker.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

using Strings = std::vector<std::string>;

constexpr int kPad = 12, kConcatAxis = 10;  // OH_NN_CONV2D_PAD, OH_NN_CONCAT_AXIS
constexpr int kDepthwisePad = 25;           // OH_NN_DEPTHWISE_CONV2D_NATIVE_PAD
constexpr int64_t kSide = 14;

class Network : public test::GraphMaker {
 public:
  TensorId image(int64_t channels) { return input({1, kSide, kSide, channels}, DType::f32, Format::nhwc); }

  TensorId convolution(TensorId x, int64_t in, int64_t out, int64_t kernel = 1) {
    const int64_t pad = kernel / 2;
    return op(Op::conv2d, {x, weights({out, kernel, kernel, in}), weights({out})}, {1, kSide, kSide, out},
              {parameter<int64_t>(kPad, DType::i64, {pad, pad, pad, pad})}, DType::f32, Format::nhwc);
  }
  TensorId depthwise(TensorId x, int64_t channels) {
    return op(Op::depthwise_conv2d_native, {x, weights({channels, 3, 3, 1}), weights({channels})},
              {1, kSide, kSide, channels}, {parameter<int64_t>(kDepthwisePad, DType::i64, {1, 1, 1, 1})},
              DType::f32, Format::nhwc);
  }
  TensorId image_op(Op type, const std::vector<TensorId>& inputs, int64_t channels) {
    return op(type, inputs, {1, kSide, kSide, channels}, {}, DType::f32, Format::nhwc);
  }
  TensorId concat(const std::vector<TensorId>& inputs, int64_t channels) {
    return op(Op::concat, inputs, {1, kSide, kSide, channels},
              {parameter<int64_t>(kConcatAxis, DType::i64, {3})}, DType::f32, Format::nhwc);
  }
  TensorId weights(const Shape& shape) {
    return floats(shape, std::vector<float>(size_t(*element_count(shape)), 0.5f));
  }
};

DevicePlan gpu(bool has_matrices) {
  DevicePlan plan;
  plan.max_storage_range = 1 << 30;
  plan.max_allocation = 1 << 30;
  plan.storage_alignment = 16;
  plan.max_group_invocations = 1024;
  plan.max_group_size = {1024, 1024, 64};
  plan.max_group_count = {65535, 65535, 65535};
  plan.max_shared_bytes = 49152;
  plan.subgroup_size = 32;
  plan.subgroup_arithmetic = true;
  plan.cores = 8;
  plan.kernels.forbid("split_k");  // one dispatch per convolution
  plan.fp16_storage = true;
  if (has_matrices) plan.matrices.fp16 = {16, 16, 16};
  return plan;
}

std::vector<Step> all_steps_of(const GraphPtr& graph, const DevicePlan& plan, bool float16) {
  const PassContext context{plan, float16};
  auto model = run_passes(model_passes(), graph, context).value();
  auto rewritten = run_passes(program_passes(), std::move(model), context).value();
  Constants constants(plan);
  const auto program = build_program(*rewritten, rewritten->shapes, plan, constants);
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().message);
  return program.ok() ? program.value().steps : std::vector<Step>();
}

// The shaders of its dispatches, and "copy" for copies.
Strings steps_of(const GraphPtr& graph, const DevicePlan& plan, bool float16) {
  Strings names;
  for (const Step& step : all_steps_of(graph, plan, float16)) {
    const auto* dispatch = std::get_if<Dispatch>(&step.command);
    names.emplace_back(dispatch == nullptr ? "copy" : dispatch->shader);
  }
  return names;
}

std::vector<Dispatch> dispatches_of(const GraphPtr& graph, const DevicePlan& plan, bool float16) {
  std::vector<Dispatch> dispatches;
  for (const Step& step : all_steps_of(graph, plan, float16)) {
    const auto* dispatch = std::get_if<Dispatch>(&step.command);
    if (dispatch != nullptr) dispatches.push_back(*dispatch);
  }
  return dispatches;
}

// On a GPU with cooperative matrices and on one without.
void expect_as_many_dispatches(const GraphPtr& graph, size_t count) {
  for (const bool has_matrices : {false, true}) {
    const Strings floats = steps_of(graph, gpu(has_matrices), false);
    const Strings fp16 = steps_of(graph, gpu(has_matrices), true);
    EXPECT_EQ(floats.size(), count);
    EXPECT_EQ(fp16.size(), count);
    EXPECT_EQ(std::ranges::count(fp16, "cast"), 0);
  }
}

TEST(VulkanGraphPasses, Fp16ResidualBlockMatchesFloatDispatches) {
  Network net;
  const TensorId x = net.convolution(net.image(3), 3, 32);
  const TensorId wide = net.image_op(Op::hswish, {net.convolution(x, 32, 64)}, 64);
  const TensorId deep = net.image_op(Op::relu6, {net.depthwise(wide, 64)}, 64);
  const TensorId sum = net.image_op(Op::add, {net.convolution(deep, 64, 32), x}, 32);
  expect_as_many_dispatches(net.finish({net.image_op(Op::relu, {sum}, 32)}), 4);
}

TEST(VulkanGraphPasses, Fp16ElementwiseFusesLikeFloat) {
  Network net;
  const TensorId x = net.input({128, 64}), y = net.input({128, 64});
  const TensorId sum = net.op(Op::add, {net.op(Op::gelu, {x}, {128, 64}), y}, {128, 64});
  const TensorId scaled = net.op(Op::mul, {sum, net.weights({64})}, {128, 64});
  EXPECT_EQ(steps_of(net.finish({scaled}), gpu(false), true), Strings{"fused_elementwise"});
}

TEST(VulkanGraphPasses, CastsFp16InputsForFp16Kernels) {
  Network net;
  const TensorId x = net.image(32);
  const Strings names = steps_of(net.finish({net.convolution(x, 32, 64)}), gpu(true), true);
  ASSERT_EQ(names.size(), 2u);
  EXPECT_EQ(names[0], "cast");
  EXPECT_TRUE(names[1].starts_with("matmul_cooperative_matrix"));
  test::GraphMaker maker;
  EXPECT_EQ(steps_of(maker.finish({maker.op(Op::relu, {maker.input({8})}, {8})}), gpu(false), true),
            (Strings{"cast", "unary_f16", "cast"}));
}

// A client's CAST.
TensorId cast_to(Network& net, TensorId x, const Shape& shape, DType dtype) {
  return net.op(Op::cast, {x, net.ints({int32_t(dtype)})}, shape, {}, dtype);
}

TensorId transposed(Network& net, TensorId x, const Shape& shape, DType dtype = DType::f32) {
  return net.op(Op::transpose, {x, net.ints({0, 2, 1})}, shape, {}, dtype);
}

TEST(VulkanGraphPasses, MovesCastFp16Edges) {
  Network net;
  const TensorId x = transposed(net, net.input({1, 3, 40}), {1, 40, 3});
  const TensorId y = net.op(Op::softmax, {x}, {1, 40, 3});
  const GraphPtr graph = net.finish({transposed(net, y, {1, 3, 40})});
  const Strings names = steps_of(graph, gpu(false), true);
  EXPECT_EQ(names.size(), steps_of(graph, gpu(false), false).size());
  ASSERT_EQ(names.size(), 3u);
  EXPECT_EQ(names.front(), "cast_copy");
  EXPECT_EQ(names.back(), "cast_copy");
}

TEST(VulkanGraphPasses, FusesClientCastsIntoMovement) {
  Network net;
  const TensorId x = cast_to(net, net.input({1, 3, 40}), {1, 3, 40}, DType::f16);
  const TensorId y =
      net.op(Op::softmax, {transposed(net, x, {1, 40, 3}, DType::f16)}, {1, 40, 3}, {}, DType::f16);
  const TensorId back = transposed(net, y, {1, 3, 40}, DType::f16);
  const Strings names = steps_of(net.finish({cast_to(net, back, {1, 3, 40}, DType::f32)}), gpu(false), false);
  ASSERT_EQ(names.size(), 3u);
  EXPECT_EQ(names.front(), "cast_copy");
  EXPECT_EQ(names.back(), "cast_copy");
}

TEST(VulkanGraphPasses, FusesClientCastsIntoKernels) {
  Network net;
  const TensorId x = cast_to(net, net.input({40, 3}), {40, 3}, DType::f16);
  const TensorId y = net.op(Op::softmax, {x}, {40, 3}, {}, DType::f16);
  const GraphPtr graph = net.finish({cast_to(net, y, {40, 3}, DType::f32)});
  const std::vector<Dispatch> dispatches = dispatches_of(graph, gpu(false), false);
  ASSERT_EQ(dispatches.size(), 1u);
  EXPECT_TRUE(dispatches[0].shader.starts_with("softmax"));
  EXPECT_EQ(dispatches[0].rounded_bindings, 0b11u);
  EXPECT_EQ(dispatches[0].fp16_bindings, 0u);
  Network moved;
  const TensorId fp16 = cast_to(moved, moved.input({1, 3, 40}), {1, 3, 40}, DType::f16);
  const TensorId other = transposed(moved, fp16, {1, 40, 3}, DType::f16);
  const GraphPtr between = moved.finish({cast_to(moved, other, {1, 40, 3}, DType::f32)});
  EXPECT_EQ(steps_of(between, gpu(false), false), (Strings{"cast_copy", "cast"}));
}

// Operands that tiles read many times are rounded once.
TEST(VulkanGraphPasses, KeepsClientCastsOfOperands) {
  Network net;
  const TensorId x = cast_to(net, net.input({40, 24}), {40, 24}, DType::f16);
  const TensorId weights = cast_to(net, net.weights({24, 20}), {24, 20}, DType::f16);
  const TensorId y = net.op(Op::matmul, {x, weights}, {40, 20}, {}, DType::f16);
  const Strings names = steps_of(net.finish({cast_to(net, y, {40, 20}, DType::f32)}), gpu(false), false);
  ASSERT_FALSE(names.empty());
  EXPECT_EQ(std::ranges::count(names, "cast"), 2);
  EXPECT_TRUE(names.back().starts_with("matmul"));
}

// The first convolution as in PyTorch models: an NCHW image, optionally behind a client's CAST.
GraphPtr first_convolution(bool has_cast) {
  Network net;
  const Shape planes{1, 3, kSide, kSide}, image{1, kSide, kSide, 3}, result{1, kSide, kSide, 16};
  const DType dtype = has_cast ? DType::f16 : DType::f32;
  TensorId x = net.input(planes);
  if (has_cast) x = cast_to(net, x, planes, dtype);
  x = net.op(Op::transpose, {x, net.ints({0, 2, 3, 1})}, image, {}, dtype);
  const auto weights = [&](const Shape& shape) {
    const size_t bytes = size_t(*element_count(shape)) * size_of(dtype);
    return net.constant_bytes(shape, dtype, Bytes(bytes));
  };
  const TensorId pad = net.parameter<int64_t>(kPad, DType::i64, {1, 1, 1, 1});
  const TensorId y =
      net.op(Op::conv2d, {x, weights({16, 3, 3, 3}), weights({16})}, result, {pad}, dtype, Format::nhwc);
  return net.finish({has_cast ? cast_to(net, y, result, DType::f32) : y});
}

TEST(VulkanGraphPasses, FirstConvolutionReadsPlanes) {
  for (const bool has_cast : {false, true}) {
    const std::vector<Dispatch> dispatches = dispatches_of(first_convolution(has_cast), gpu(true), !has_cast);
    ASSERT_EQ(dispatches.size(), 1u);
    EXPECT_TRUE(dispatches[0].shader.starts_with("conv2d_cooperative_matrix_im2col"));
    // Bit mask of image, bias and result.
    EXPECT_EQ(dispatches[0].fp16_bindings, 0b0100u);
    EXPECT_EQ(dispatches[0].rounded_bindings, has_cast ? 0b1001u | 0b10000u : 0u);
  }
  const std::vector<Dispatch> floats = dispatches_of(first_convolution(false), gpu(false), false);
  ASSERT_EQ(floats.size(), 2u);
  EXPECT_EQ(floats[0].shader, "pad_channels_f32_planes");
}

TEST(VulkanGraphPasses, DoesNotCastReshapedFp16Edges) {
  Network net;
  const TensorId x = net.op(Op::reshape, {net.input({40, 4}), net.ints({10, 16})}, {10, 16});
  const TensorId y = net.op(Op::softmax, {x}, {10, 16});
  const TensorId same = net.op(Op::transpose, {y, net.ints({0, 1})}, {10, 16});
  const GraphPtr graph = net.finish({net.op(Op::reshape, {same, net.ints({160})}, {160})});
  EXPECT_EQ(steps_of(graph, gpu(false), true), steps_of(graph, gpu(false), false));
}

TEST(VulkanGraphPasses, FusesAddedRowAsBias) {
  for (const bool float16 : {false, true}) {
    Network net;
    const Shape shape{2, 24, 32};
    const TensorId product = net.op(Op::matmul, {net.input({2, 24, 16}), net.weights({16, 32})}, shape);
    const TensorId biased = net.op(Op::add, {net.weights({32}), product}, shape);
    const TensorId sum = net.op(Op::add, {net.op(Op::gelu, {biased}, shape), net.input(shape)}, shape);
    const Strings names = steps_of(net.finish({sum}), gpu(false), float16);
    EXPECT_EQ(names.size(), 1u) << names.back();
  }
}

// The last dispatch's shader for these query and value sizes.
std::string last_step_of_attention(int64_t size, bool has_matrices, bool float16, int64_t value_size = 0) {
  Network net;
  const Shape shape{1, 4, 40, size}, result{1, 4, 40, value_size == 0 ? size : value_size};
  const TensorId query = net.input(shape), key = net.input(shape), value = net.input(result);
  const GraphPtr graph = net.finish({net.op(Op::attention, {query, key, value}, result)});
  return steps_of(graph, gpu(has_matrices), float16).back();
}

TEST(VulkanGraphPasses, SplitsFp16AttentionForMatrices) {
  EXPECT_EQ(last_step_of_attention(16, true, true), "attention_matrix");
  EXPECT_TRUE(last_step_of_attention(16, true, false).starts_with("attention_tile"));
  EXPECT_TRUE(last_step_of_attention(16, false, true).starts_with("attention_tile"));
  EXPECT_FALSE(last_step_of_attention(16, true, true, 12).starts_with("attention"));
  EXPECT_TRUE(last_step_of_attention(12, true, true).starts_with("attention_tile"));
}

TEST(VulkanGraphPasses, SplitsLongAttentionWithoutFastSharedMemory) {
  const auto last_step = [](int64_t queries) {
    DevicePlan plan = gpu(false);
    plan.fast_shared_memory = false;
    Network net;
    const Shape shape{1, 4, queries, 16}, keys{1, 4, 40, 16};
    const TensorId query = net.input(shape), key = net.input(keys), value = net.input(keys);
    return steps_of(net.finish({net.op(Op::attention, {query, key, value}, shape)}), plan, false).back();
  };
  EXPECT_FALSE(last_step(40).starts_with("attention")) << last_step(40);
  EXPECT_TRUE(last_step(8).starts_with("attention_decode")) << last_step(8);
}

TEST(VulkanGraphPasses, CastsSharedInputOnce) {
  Network net;
  const TensorId x = net.input({4, 64});
  const TensorId sum = net.op(Op::add, {net.op(Op::softmax, {x}, {4, 64}), x}, {4, 64});
  const Strings names = steps_of(net.finish({net.op(Op::softmax, {sum}, {4, 64})}), gpu(false), true);
  EXPECT_EQ(std::ranges::count(names, "cast"), 1);
  EXPECT_EQ(names.front(), "cast");
}

TEST(VulkanGraphPasses, Fp16ConvolutionsWriteIntoConcat) {
  Network net;
  const TensorId x = net.convolution(net.image(3), 3, 32);
  const TensorId narrow = net.image_op(Op::relu, {net.convolution(x, 32, 64)}, 64);
  const TensorId wide = net.image_op(Op::relu, {net.convolution(x, 32, 64, 3)}, 64);
  const TensorId all = net.concat({narrow, wide}, 128);
  expect_as_many_dispatches(net.finish({net.convolution(all, 128, 16)}), 4);
}

TEST(VulkanGraphPasses, KeepsSummandsFloatWithoutFp16Kernels) {
  DevicePlan plan = gpu(false);
  plan.fp16_storage = false;
  test::GraphMaker maker;
  const TensorId x = maker.input({32, 8}, DType::f16), w = maker.input({8, 16}, DType::f16);
  const TensorId product = maker.op(Op::matmul, {x, w}, {32, 16}, {}, DType::f16);
  const TensorId bounded = maker.op(Op::relu, {product}, {32, 16}, {}, DType::f16);
  const TensorId other = maker.input({32, 16}, DType::f16);
  const GraphPtr graph = maker.finish({maker.op(Op::add, {bounded, other}, {32, 16}, {}, DType::f16)});
  const Strings names = steps_of(graph, plan, false);
  EXPECT_EQ(names.back(), "binary_f16");
  EXPECT_EQ(std::ranges::count(names, "unary_f16"), 0);
}

// Attention written out by exporters as products and a softmax.
GraphPtr written_out_attention(int64_t queries) {
  constexpr int kTransposeB = 34;  // OH_NN_MATMUL_TRANSPOSE_B
  const Shape shape{1, 2, queries, 16}, key{1, 2, 40, 16}, products{1, 2, queries, 40};
  test::GraphMaker make;
  const TensorId query = make.input(shape), keys = make.input(key), values = make.input(key);
  const TensorId transposed = make.parameter<uint8_t>(kTransposeB, DType::boolean, {1});
  const TensorId product = make.op(Op::matmul, {query, keys}, products, {transposed});
  const TensorId scaled = make.op(Op::mul, {product, make.floats({1}, {0.25f})}, products);
  const TensorId weights = make.op(Op::softmax, {scaled}, products);
  return make.finish({make.op(Op::matmul, {weights, values}, shape)});
}

TEST(VulkanGraphPasses, FindsAttentionIfFaster) {
  EXPECT_EQ(steps_of(written_out_attention(40), gpu(false), false), Strings{"attention_tile_f32_vec4"});
  EXPECT_EQ(steps_of(written_out_attention(40), gpu(true), false), Strings{"attention_tile_f32_vec4"});
  EXPECT_EQ(steps_of(written_out_attention(1), gpu(false), false), Strings{"attention_decode_f32_vec4"});
}

TEST(VulkanGraphPasses, KeepsAttentionAsProducts) {
  DevicePlan software = gpu(false);
  software.is_software = true;
  EXPECT_GE(steps_of(written_out_attention(40), software, false).size(), 3u);
  const Strings steps = steps_of(written_out_attention(40), gpu(true), true);
  EXPECT_EQ(std::ranges::count(steps, "attention_tile_f32_vec4"), 0) << steps.size();
  DevicePlan mali = gpu(false);
  mali.fast_shared_memory = false;
  EXPECT_GE(steps_of(written_out_attention(40), mali, false).size(), 3u);
  EXPECT_TRUE(steps_of(written_out_attention(4), mali, false).back().starts_with("attention_decode"));
}

std::string why_no_attention(const DevicePlan& plan) {
  const std::vector<PassChoice> rewrites = rewrites_of({plan});
  return std::ranges::find(rewrites, "find_attention", &PassChoice::name)->why_not;
}

TEST(VulkanGraphPasses, ExplainsSkippedAttention) {
  EXPECT_EQ(why_no_attention(gpu(false)), "");
  DevicePlan software = gpu(false);
  software.is_software = true;
  EXPECT_EQ(why_no_attention(software), "Skipped: `split_attention` would undo it.");
  software.kernels.force("find_attention");
  EXPECT_EQ(why_no_attention(software), "");
  software.kernels.forbid("find_attention");
  EXPECT_EQ(why_no_attention(software), "It is forbidden by name.");
}

DevicePlan without(const char* pass) {
  DevicePlan plan = gpu(false);
  plan.kernels.forbid(pass);
  return plan;
}

TEST(VulkanGraphPasses, PassesOfTheLoweringCanBeForbidden) {
  Network net;
  const TensorId x = net.convolution(net.image(3), 3, 32);
  const TensorId narrow = net.image_op(Op::relu, {net.convolution(x, 32, 64)}, 64);
  const TensorId wide = net.image_op(Op::relu, {net.convolution(x, 32, 64, 3)}, 64);
  const GraphPtr branches = net.finish({net.convolution(net.concat({narrow, wide}, 128), 128, 16)});
  EXPECT_EQ(steps_of(branches, gpu(false), true).size(), 4u);
  EXPECT_GT(steps_of(branches, without("concat_elision"), true).size(), 4u);
  const Strings with_casts = steps_of(branches, without("cast_elision"), true);
  EXPECT_EQ(std::ranges::count(with_casts, "cast"), 2);
}

TEST(VulkanGraphPasses, DeferredCopiesCanBeForbidden) {
  test::GraphMaker make;
  const TensorId both = make.op(Op::concat, {make.input({1, 4, 32}), make.input({1, 4, 32})}, {1, 4, 64},
                                {make.parameter<int64_t>(kConcatAxis, DType::i64, {2})});
  const TensorId split = make.op(Op::reshape, {both, make.ints({1, 4, 2, 32})}, {1, 4, 2, 32});
  const TensorId swapped = make.op(Op::transpose, {split, make.ints({0, 1, 3, 2})}, {1, 4, 32, 2});
  const GraphPtr shuffle = make.finish({make.op(Op::reshape, {swapped, make.ints({1, 4, 64})}, {1, 4, 64})});
  EXPECT_EQ(steps_of(shuffle, gpu(false), false).size(), 1u);
  EXPECT_GT(steps_of(shuffle, without("deferred_copies"), false).size(), 1u);
}

}  // namespace
}  // namespace nnrt::vulkan
