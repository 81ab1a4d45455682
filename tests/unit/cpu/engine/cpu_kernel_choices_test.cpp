// Selection of implementations from lists, and NNRT_CPU_KERNELS.
#include "backends/cpu/engine/cpu_kernel_choices.h"

#include "backends/cpu/engine/cpu_device.h"
#include "backends/cpu/gemm/f32_microkernel.h"
#include "backends/cpu/simd/isa.h"
#include "core/passes/normalize.h"
#include "core/platform/log.h"
#include "tests/support/eighths.h"
#include "tests/support/graph_maker.h"
#include "tests/support/kernels_variable.h"
#include "tests/support/prepare_model.h"
#include "tests/support/tensor_views.h"

#include <algorithm>
#include <cmath>

namespace nnrt::test {
namespace {

using Names = std::vector<std::string>;

// A network of one operation with a list, and its operands.
struct Network {
  GraphPtr graph;
  std::vector<Shape> inputs;
};

// relu(convolution(x) + y), with everything fused into the convolution.
Network residual(const Shape& x, const Shape& weights, Op op = Op::conv2d, int64_t batch = 1) {
  const Shape result{batch, x[1], x[2], weights[0]};
  GraphMaker maker;
  const TensorId in = maker.input({batch, x[1], x[2], x[3]}, DType::f32, Format::nhwc);
  const TensorId other = maker.input(result, DType::f32, Format::nhwc);
  const TensorId same = maker.parameter<int8_t>(op == Op::conv2d ? 14 : 27, DType::i8, {0});
  const TensorId conv = maker.op(
      op,
      {in, maker.floats(weights, eighths(weights, 2)), maker.floats({weights[0]}, eighths({weights[0]}, 3))},
      result, {same}, DType::f32, Format::nhwc);
  const TensorId sum = maker.op(Op::add, {conv, other}, result, {}, DType::f32, Format::nhwc);
  const TensorId relu = maker.op(Op::relu, {sum}, result, {}, DType::f32, Format::nhwc);
  return {normalize(maker.finish({relu})), {x, {x[0], x[1], x[2], weights[0]}}};
}

// relu(transposed convolution(x) + y), of stride 2.
Network residual_transposed(const Shape& x, int64_t channels, int64_t height = 2, int64_t width = 2) {
  const Shape weights{channels, height, width, x[3]},
      result{x[0], 2 * (x[1] - 1) + height, 2 * (x[2] - 1) + width, channels};
  GraphMaker maker;
  const TensorId in = maker.input(x, DType::f32, Format::nhwc),
                 other = maker.input(result, DType::f32, Format::nhwc);
  const TensorId strides = maker.parameter<int64_t>(17, DType::i64, {2, 2});
  const TensorId conv = maker.op(
      Op::conv2d_transpose,
      {in, maker.floats(weights, eighths(weights, 2)), maker.floats({channels}, eighths({channels}, 3))},
      result, {strides}, DType::f32, Format::nhwc);
  const TensorId sum = maker.op(Op::add, {conv, other}, result, {}, DType::f32, Format::nhwc);
  const TensorId relu = maker.op(Op::relu, {sum}, result, {}, DType::f32, Format::nhwc);
  return {normalize(maker.finish({relu})), {x, result}};
}

template <int64_t kGroups, int64_t kIn, int64_t kOut>
Network grouped() {
  const Shape x{1, 6, 7, kGroups * kIn}, weights{kGroups * kOut, 5, 5, kIn};
  const Shape result{1, 6, 7, kGroups * kOut};
  GraphMaker maker;
  const TensorId in = maker.input(x, DType::f32, Format::nhwc);
  const TensorId same = maker.parameter<int8_t>(14, DType::i8, {0});
  const TensorId groups = maker.parameter<int64_t>(16, DType::i64, {kGroups});
  const TensorId conv = maker.op(
      Op::conv2d,
      {in, maker.floats(weights, eighths(weights, 2)), maker.floats({weights[0]}, eighths({weights[0]}, 3))},
      result, {same, groups}, DType::f32, Format::nhwc);
  return {normalize(maker.finish({conv})), {x}};
}

Network connected(int64_t rows, int64_t inner = 24, int64_t columns = 10) {
  GraphMaker maker;
  const TensorId x = maker.input({rows, inner});
  const TensorId weights = maker.floats({columns, inner}, eighths({columns, inner}, 2));
  const TensorId bias = maker.floats({columns}, eighths({columns}, 3));
  return {maker.finish({maker.op(Op::full_connection, {x, weights, bias}, {rows, columns})}),
          {{rows, inner}}};
}

// By a matrix [inner, columns].
Network multiplied(int64_t rows) {
  GraphMaker maker;
  const TensorId x = maker.input({rows, 24}), weights = maker.floats({24, 10}, eighths({24, 10}, 2));
  return {maker.finish({maker.op(Op::matmul, {x, weights}, {rows, 10})}), {{rows, 24}}};
}

Network connected_nbits(int64_t rows) {
  GraphMaker maker;
  const TensorId x = maker.input({rows, 24});
  const TensorId weights = maker.constant<uint8_t>({10, 12}, DType::u8, std::vector<uint8_t>(120, 0x4b));
  const TensorId zeros = maker.constant<uint8_t>({10, 1}, DType::u8, std::vector<uint8_t>(10, 7));
  const TensorId scales = maker.floats({10, 1}, eighths({10, 1}, 3));
  return {maker.finish({maker.op(Op::matmul_nbits, {x, weights, scales, zeros}, {rows, 10})}), {{rows, 24}}};
}

Network products() {
  GraphMaker maker;
  const TensorId a = maker.input({3, 7, 12}), b = maker.input({3, 12, 9});
  return {maker.finish({maker.op(Op::matmul, {a, b}, {3, 7, 9})}), {{3, 7, 12}, {3, 12, 9}}};
}

Network sum() {
  GraphMaker maker;
  const TensorId x = maker.input({5, 6, 7});
  return {maker.finish({maker.op(Op::reduce_sum, {x, maker.ints({-1})}, {5, 6})}), {{5, 6, 7}}};
}

std::unique_ptr<PreparedModel> prepared(const GraphPtr& graph) {
  return test::prepare(*cpu::make_device(), graph);
}

std::vector<float> results_of(PreparedModel& model, const Network& network) {
  std::vector<TensorView> inputs;
  for (const Shape& shape : network.inputs)
    inputs.push_back(view_of<float>(shape, eighths(shape, inputs.size() + 5)));
  std::vector<OutputSlot> outputs{{{}, true}};
  const Status status = model.run(inputs, outputs, {});
  EXPECT_TRUE(status.ok()) << status.error().message;
  return values_of<float>(outputs[0].view);
}

// The choice for the first operation.
KernelChoice choice_of(const PreparedModel& model) {
  const KernelReport report = model.kernels(nullptr);
  return report.operations.at(0).kernels.at(0);
}

std::string reason_against(const KernelChoice& choice, std::string_view name) {
  const auto found = std::ranges::find(choice.declined, name, &DeclinedKernel::name);
  return found == choice.declined.end() ? "" : found->why;
}

// Products of eighths are exact except with Winograd.
void expect_results(PreparedModel& model, const Network& network, const std::vector<float>& want) {
  const std::vector<float> got = results_of(model, network);
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], want[i], 1e-3f) << i;
}

// A network, the implementations that support it, and the default one.
struct Case {
  const char* name;
  Network (*make)();
  std::string_view first;  // empty: depends on the number of threads
  Names able;
  int lanes = 1;  // `first` is the best with vectors of at least this many floats
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

const Case kCases[] = {
    {"few_tiles",
     [] {
       return residual({1, 8, 8, 16}, {16, 3, 3, 16});
     },
     "fp32_gemm",
     {"winograd4", "fp32_gemm", "im2col_gemm"}},
    {"many_tiles",
     [] {
       return residual({1, 16, 16, 16}, {16, 3, 3, 16});
     },
     "winograd4",
     {"winograd4", "fp32_gemm", "im2col_gemm"}},
    {"one_input_channel",
     [] {
       return residual({1, 6, 5, 1}, {19, 3, 3, 1});
     },
     "fp32_gemm",
     {"depthwise", "fp32_gemm", "im2col_gemm"}},
    {"depthwise",
     [] {
       return residual({1, 6, 5, 19}, {19, 3, 3, 1}, Op::depthwise_conv2d_native);
     },
     "depthwise",
     {"depthwise", "fp32_dot", "fp32_gemm", "im2col_gemm"}},
    {"few_output_channels",
     [] {
       return residual({1, 6, 5, 200}, {2, 1, 1, 200});
     },
     "fp32_dot",
     {"fp32_dot", "fp32_gemm", "im2col_gemm"}},
    {"few_channels_per_group", grouped<4, 4, 4>, "fp32_gemm", {"fp32_dot", "fp32_gemm", "im2col_gemm"}},
    {"few_outputs_per_group", grouped<11, 3, 1>, "fp32_gemm", {"fp32_dot", "fp32_gemm", "im2col_gemm"}, 16},
    {"transposed",
     [] {
       return residual_transposed({1, 6, 5, 9}, 37);
     },
     "subpixel_gemm",
     {"gemm_col2im", "subpixel_gemm", "fp32_gemm", "im2col_gemm"}},
    {"transposed_to_few_channels",
     [] {
       return residual_transposed({2, 6, 5, 24}, 3);
     },
     "gemm_col2im",
     {"gemm_col2im", "subpixel_gemm", "fp32_gemm", "im2col_gemm"}},
    {"transposed_line_to_few_channels",
     [] {
       return residual_transposed({2, 1, 4000, 8}, 3, 1, 5);
     },
     "gemm_col2im",
     {"gemm_col2im", "subpixel_gemm", "fp32_gemm", "im2col_gemm"},
     8},
    {"few_rows",
     [] { return connected(2); },
     "gemv",
     {"half_gemm", "gemv", "fp32_gemm", "batched_gemm", "generic_gemm"}},
    {"many_rows",
     [] { return connected(9); },
     "fp32_gemm",
     {"half_gemm", "gemv", "fp32_gemm", "batched_gemm", "generic_gemm"}},
    {"few_columns",
     [] { return connected(9, 240, 2); },
     "fp32_dot",
     {"half_gemm", "gemv", "fp32_dot", "fp32_gemm", "batched_gemm", "generic_gemm"}},
    {"few_rows_of_few_bits", [] { return connected_nbits(4); }, "nbits_gemv", {"nbits_gemv", "nbits_gemm"}},
    {"few_rows_of_a_matrix_by_rows",
     [] { return multiplied(3); },
     "gemv",
     {"half_gemm", "gemv", "fp32_gemm", "batched_gemm", "generic_gemm"}},
    {"products", products, "", {"gemv", "fp32_gemm", "batched_gemm", "generic_gemm"}},
    {"sum", sum, "row_reduce", {"row_reduce", "column_reduce"}},
};

class KernelChoices : public testing::TestWithParam<Case> {
 protected:
  const Network network_ = GetParam().make();
  const std::vector<float> want_ = results_of(*prepared(network_.graph), network_);
};

TEST_P(KernelChoices, WithoutTheSwitchTheBestIsTaken) {
  const KernelChoice choice = choice_of(*prepared(network_.graph));
  if (!GetParam().first.empty() && cpu::f32_block(cpu::vector_bytes()).lanes >= GetParam().lanes) {
    EXPECT_EQ(choice.name, GetParam().first);
  }
  for (const DeclinedKernel& declined : choice.declined) EXPECT_NE(declined.why, "") << declined.name;
}

TEST_P(KernelChoices, ForcedKernelsAreUsed) {
  for (const std::string_view name : cpu::implementation_names()) {
    const KernelsVariable kernels("+" + std::string(name));
    const auto model = prepared(network_.graph);
    const bool can = std::ranges::find(GetParam().able, name) != GetParam().able.end();
    EXPECT_EQ(choice_of(*model).name == name, can || GetParam().first == name) << name;
    expect_results(*model, network_, want_);
  }
}

TEST_P(KernelChoices, ForbiddenKernelsAreSkipped) {
  for (const std::string& name : GetParam().able) {
    const KernelsVariable kernels("-" + name);
    const auto model = prepared(network_.graph);
    const KernelChoice choice = choice_of(*model);
    EXPECT_NE(choice.name, name);
    EXPECT_NE(choice.name, "");
    if (const std::string why = reason_against(choice, name); !why.empty()) {
      EXPECT_EQ(why, "It is forbidden by name.");
    }
    expect_results(*model, network_, want_);
  }
}

TEST_P(KernelChoices, RestoreUsesThePackingKernel) {
  for (const std::string& name : GetParam().able) {
    const KernelsVariable kernels("+" + name);
    const auto device = cpu::make_device();
    const Bytes cached = prepared(network_.graph)->export_cache(network_.graph).value();
    auto restored = device->restore(network_.graph, {}, std::make_shared<const Bytes>(cached)).value();
    EXPECT_EQ(choice_of(*restored).name, name);
    expect_results(*restored, network_, want_);
  }
}

TEST_P(KernelChoices, RejectsForbiddingAll) {
  std::string all;
  for (const std::string_view name : cpu::implementation_names()) all += ",-" + std::string(name);
  const KernelsVariable kernels(all.substr(1));
  const auto model = cpu::make_device()->prepare(network_.graph, {});
  ASSERT_FALSE(model.ok());
  EXPECT_NE(model.error().message.find("NNRT_CPU_KERNELS disables all"), std::string::npos)
      << model.error().message;
}

INSTANTIATE_TEST_SUITE_P(Networks, KernelChoices, testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(c.param.name); });

TEST(KernelSwitchOfCpu, SaysWhyOthersAreNotTaken) {
  const auto few = prepared(residual({1, 8, 8, 16}, {16, 3, 3, 16}).graph);
  EXPECT_EQ(reason_against(choice_of(*few), "winograd4"), "It is slower with 4 tiles; it pays off from 12.");
  EXPECT_EQ(reason_against(choice_of(*few), "amx_gemm"), "It supports only quantized INT8.");
  EXPECT_EQ(reason_against(choice_of(*few), "depthwise"), "A group has 16 input channels; it supports one.");
}

TEST(KernelSwitchOfCpu, ChoosesForRunTimeShapes) {
  const Network network = residual({1, 16, 16, 16}, {16, 3, 3, 16}, Op::conv2d, -1);
  const auto model = prepared(network.graph);
  EXPECT_EQ(choice_of(*model).name, "chosen in each run");
  const std::vector<float> want = results_of(*model, network);
  const KernelsVariable kernels("+im2col_gemm");
  const auto forced = prepared(network.graph);
  expect_results(*forced, network, want);
  expect_results(*forced, network, want);
}

TEST(KernelSwitchOfCpu, WarnsOnceOfUnknownNames) {
  std::vector<std::string> lines;
  set_log_sink([&](LogLevel level, std::string_view line) {
    if (level == LogLevel::warning) lines.emplace_back(line);
  });
  const KernelsVariable kernels("+winograd5,-gemv,-inferred_ranks");
  const Network network = connected(2);
  const auto device = cpu::make_device();
  for (int build = 0; build < 2; ++build)
    EXPECT_EQ(choice_of(*test::prepare(*device, network.graph)).name, "fp32_gemm");
  set_log_sink({});
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].find("NNRT_CPU_KERNELS (+winograd5) names none of amx_gemm,"), 0u) << lines[0];
  EXPECT_NE(lines[0].find("winograd4"), std::string::npos);
  EXPECT_NE(lines[0].find("fold_channels"), std::string::npos);
  EXPECT_EQ(lines[1].find("NNRT_CPU_KERNELS (-inferred_ranks)"), 0u) << "Kernels rely on that pass.";
}

TEST(KernelSwitchOfCpu, CachesDependOnSwitch) {
  const std::string key = cpu::make_device()->cache_key();
  const KernelsVariable kernels("-winograd4");
  EXPECT_NE(cpu::make_device()->cache_key(), key);
}

TEST(KernelSwitchOfCpu, ForbidsGraphPasses) {
  const Network network = residual({1, 8, 8, 16}, {16, 3, 3, 16});
  const std::vector<float> want = results_of(*prepared(network.graph), network);
  for (const auto& [text, pass, operations] :
       {std::tuple{"", "", 1}, {"-fuse", "fuse", 2}, {"-simplify", "simplify", 1}}) {
    const KernelsVariable kernels(text);
    const auto model = prepared(network.graph);
    const KernelReport report = model->kernels(nullptr);
    EXPECT_EQ(int(report.operations.size()), operations) << text;
    for (const PassChoice& choice : report.passes)
      EXPECT_EQ(choice.why_not == "It is forbidden by name.", choice.name == pass) << choice.name;
    EXPECT_EQ(results_of(*model, network), want) << text;
  }
}

TEST(KernelSwitchOfCpu, ForbidsRewritesOfSimplify) {
  const KernelsVariable kernels("-fuse_activation");
  const auto model = prepared(residual({1, 8, 8, 16}, {16, 3, 3, 16}).graph);
  const auto passes = model->kernels(nullptr).passes;
  const auto found = std::ranges::find(passes, "fuse_activation", &PassChoice::name);
  ASSERT_NE(found, passes.end());
  EXPECT_EQ(found->why_not, "It is forbidden by name.");
}

}  // namespace
}  // namespace nnrt::test
