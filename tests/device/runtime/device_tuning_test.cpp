// With tuning enabled, tiles are measured, stored in a file and chosen from it; results don't change.
#include "backends/cpu/engine/cpu_device.h"
#include "core/base/fp16.h"
#include "core/base/text.h"
#include "tests/device/device_fixture.h"
#include "tests/support/device_agreement.h"
#include "tests/support/random/random.h"
#include "tests/support/temporary_folder.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace nnrt::test {
namespace {

class DeviceTuning : public testing::Test {
 protected:
  DeviceTuning() { setenv("NNRT_COSTS", costs_.c_str(), 1); }
  ~DeviceTuning() override { unsetenv("NNRT_COSTS"); }

  static std::shared_ptr<Device> device(vulkan::Tuning tuning,
                                        std::string_view kernels = "+shared_memory_tile") {
    const std::string all = cat("+gemm,-gemv_by_subgroups,-gemv_by_group,", kernels);
    vulkan::DevicePlan plan = plan_with(all);
    plan.tuning = tuning;
    return make_device(plan);
  }

  // Small integers, so that sums are exact in any order.
  Bytes integers(const Shape& shape, DType dtype = DType::f32) {
    const auto count = size_t(*element_count(shape));
    Bytes bytes(count * size_of(dtype));
    for (size_t i = 0; i < count; ++i) {
      const auto real = float(int(random_.below(3)) - 1);
      const Half half = to_half(real);
      if (dtype == DType::f32) std::memcpy(bytes.data() + i * sizeof real, &real, sizeof real);
      if (dtype == DType::f16) std::memcpy(bytes.data() + i * sizeof half, &half, sizeof half);
    }
    return bytes;
  }

  GraphPtr product(int64_t rows, int64_t inner, int64_t columns, DType dtype = DType::f32) {
    GraphMaker make;
    const TensorId a = make.input({rows, inner}, dtype), b = make.input({inner, columns}, dtype);
    fed_ = {integers({rows, inner}, dtype), integers({inner, columns}, dtype)};
    const TensorId y = make.op(Op::matmul, {a, b}, {rows, columns}, {}, dtype);
    return normalize(make.finish({make.op(Op::relu, {y}, {rows, columns}, {}, dtype)}));
  }

  // The kernels chosen for the graph's first node.
  static std::vector<std::string> chosen(const Device& gpu, const GraphPtr& graph) {
    const auto model = const_cast<Device&>(gpu).prepare(graph, {}).value();
    std::vector<std::string> names;
    const KernelReport report = model->kernels(graph);
    for (const KernelChoice& one : report.operations.at(0).kernels) names.push_back(one.name);
    return names;
  }
  static bool has(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  }

  void expect_agreement(Device& gpu, const GraphPtr& graph, DType dtype = DType::f32) {
    const auto want = run_guarded(*cpu_, graph, fed_, random_, false);
    const auto got = run_guarded(gpu, graph, fed_, random_, false);
    ASSERT_TRUE(want.ok() && got.ok()) << (want.ok() ? got.error().message : want.error().message);
    const auto fault = difference(dtype, got.value()[0], want.value()[0], kExact, 1);
    EXPECT_FALSE(fault) << *fault;
  }

  std::string lines() const {
    std::ifstream file(costs_ + ".tiles");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // Changes the tile and the split-K factor of each line.
  void rewrite(const std::string& choice) const {
    const std::string line = lines();
    const size_t words = line.rfind(' ', line.rfind(' ') - 1);
    std::ofstream(costs_ + ".tiles", std::ios::trunc) << line.substr(0, words) << ' ' << choice << '\n';
  }

  const TemporaryFolder folder_;
  const std::string costs_ = folder_.file("kept/costs");
  Random random_{31};
  std::vector<Bytes> fed_;
  const std::shared_ptr<Device> cpu_ = cpu::make_device();
};

TEST_F(DeviceTuning, MeasuresOnceAndKeepsTheResult) {
  const GraphPtr graph = product(65, 300, 70);
  const auto measuring = device(vulkan::Tuning::on);
  EXPECT_TRUE(has(chosen(*measuring, graph), "measured_tiles"));
  expect_agreement(*measuring, graph);
  const std::string first = lines();
  EXPECT_TRUE(first.starts_with("tiles1-")) << first;
  EXPECT_NE(first.find(" gemm f32 7 7 9 0 tile_"), first.npos) << first;
  EXPECT_EQ(std::count(first.begin(), first.end(), '\n'), 1);
  const auto reading = device(vulkan::Tuning::kept);
  EXPECT_EQ(chosen(*reading, graph), chosen(*measuring, graph));
  EXPECT_EQ(lines(), first);
  expect_agreement(*reading, graph);
}

TEST_F(DeviceTuning, ObeysTheFile) {
  const GraphPtr graph = product(65, 1024, 70);
  ASSERT_TRUE(has(chosen(*device(vulkan::Tuning::on), graph), "measured_tiles"));
  for (const char* choice : {"tile_128x128 1", "tile_64x64 4", "tile_32x32 3"}) {
    rewrite(choice);
    const auto gpu = device(vulkan::Tuning::kept);
    const std::string tile = std::string(choice).substr(0, std::string(choice).find(' '));
    const std::vector<std::string> names = chosen(*gpu, graph);
    EXPECT_TRUE(has(names, "measured_tiles") && has(names, tile)) << choice;
    EXPECT_EQ(has(names, "split_k"), !std::string(choice).ends_with(" 1")) << choice;
    expect_agreement(*gpu, graph);
  }
}

TEST_F(DeviceTuning, FallsBackToTheLists) {
  const GraphPtr graph = product(65, 300, 70);
  EXPECT_TRUE(has(chosen(*device(vulkan::Tuning::kept), graph), "estimated_tiles"));
  EXPECT_TRUE(has(chosen(*device(vulkan::Tuning::off), graph), "estimated_tiles"));
  EXPECT_EQ(lines(), "");
  ASSERT_TRUE(has(chosen(*device(vulkan::Tuning::on), graph), "measured_tiles"));
  const std::string whole = lines();
  EXPECT_TRUE(has(chosen(*device(vulkan::Tuning::off), graph), "estimated_tiles"));
  EXPECT_TRUE(has(chosen(*device(vulkan::Tuning::kept, "+shared_memory_tile,+tile_64x64"), graph),
                  "estimated_tiles"));
  rewrite("tile_of_another_release 1");
  EXPECT_TRUE(has(chosen(*device(vulkan::Tuning::kept), graph), "estimated_tiles"));
  std::ofstream(costs_ + ".tiles", std::ios::trunc) << whole.substr(0, whole.size() / 2);
  EXPECT_TRUE(has(chosen(*device(vulkan::Tuning::kept), graph), "estimated_tiles"));
}

TEST_F(DeviceTuning, MeasuresConvolutions) {
  constexpr int kConvolutionPad = 12;  // OH_NN_CONV2D_PAD
  const Shape image{1, 9, 9, 20}, weight{24, 3, 3, 20}, result{1, 9, 9, 24};
  GraphMaker make;
  const TensorId x = make.input(image, DType::f32, Format::nhwc);
  const TensorId w = make.constant_bytes(weight, DType::f32, integers(weight));
  const TensorId bias = make.constant_bytes({24}, DType::f32, integers({24}));
  const TensorId pad = make.parameter<int64_t>(kConvolutionPad, DType::i64, {1, 1, 1, 1});
  const GraphPtr graph =
      normalize(make.finish({make.op(Op::conv2d, {x, w, bias}, result, {pad}, DType::f32, Format::nhwc)}));
  fed_ = {integers(image)};
  const auto gpu = device(vulkan::Tuning::on, "+shared_memory_tile,-winograd4,-winograd2");
  EXPECT_TRUE(has(chosen(*gpu, graph), "measured_tiles"));
  EXPECT_NE(lines().find(" convolution f32 7 5 8 0 tile_"), std::string::npos) << lines();
  expect_agreement(*gpu, graph);
}

TEST_F(DeviceTuning, MeasuresMatricesOfFp16) {
  const GraphPtr graph = product(40, 256, 48, DType::f16);
  const auto gpu =
      device(vulkan::Tuning::on, "+fp16_storage,+khr_cooperative_matrix,+cooperative_matrix_emulated");
  EXPECT_TRUE(has(chosen(*gpu, graph), "measured_tiles"));
  EXPECT_NE(lines().find(" gemm f16 6 6 8 0 matrix_"), std::string::npos) << lines();
  expect_agreement(*gpu, graph, DType::f16);
}

// A Build continues where the previous one stopped, and skips what would take long.
TEST_F(DeviceTuning, HasABudget) {
  const GraphPtr graph = product(2048, 2048, 2048);
  EXPECT_TRUE(has(chosen(*device(vulkan::Tuning::on), graph), "estimated_tiles"));
  EXPECT_EQ(lines(), "");
}

}  // namespace
}  // namespace nnrt::test
