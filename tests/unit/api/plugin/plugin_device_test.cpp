// Plugins as devices: names, order, missing features, and that their answers are trusted.
#include "tests/unit/api/compilation/cache_fixture.h"
#include "tests/unit/api/compilation/product_model.h"
#include "tests/unit/api/execution/async_callbacks.h"
#include "tests/unit/api/plugin/recording_drivers.h"

#include <neural_network_runtime/nnrt_extensions.h>

using namespace api_tests;

namespace {

// One operation over inputs of these shapes.
Model model_of(OH_NN_OperationType op, const std::vector<std::vector<int32_t>>& inputs,
               std::vector<int32_t> output) {
  Model model(OH_NNModel_Construct());
  std::vector<uint32_t> indices;
  for (const auto& shape : inputs) {
    indices.push_back(uint32_t(indices.size()));
    EXPECT_EQ(OH_NNModel_AddTensorToModel(model.get(), desc_of(shape).get()), OH_NN_SUCCESS);
  }
  EXPECT_EQ(OH_NNModel_AddTensorToModel(model.get(), desc_of(std::move(output)).get()), OH_NN_SUCCESS);
  const std::vector<uint32_t> y{uint32_t(indices.size())};
  add_operation(model, op, indices, y);
  finish(model, indices, y);
  return model;
}

OH_NN_ReturnCode build_on(size_t device, const Model& model) {
  return OH_NNCompilation_Build(compilation_on(device, model).get());
}

// Restores traits at the end of a test.
class Changed {
 public:
  explicit Changed(Recorder& recorder) : recorder_(recorder), before_(recorder.traits()) {}
  ~Changed() { recorder_.traits() = before_; }
  nnrt::test::SimpleTraits* operator->() { return &recorder_.traits(); }

 private:
  Recorder& recorder_;
  const nnrt::test::SimpleTraits before_;
};

}  // namespace

TEST(PluginDevices, ComeBehindTheOthersInTheirOrder) {
  const std::vector<std::string> names = device_names();
  EXPECT_EQ(names.front(), "CPU_NNRt");
  const std::vector<std::string> registered = {"Newest_Test_v2_1", "Older_Test_v2_0", "Oldest_Test_v1_0",
                                               "Exclusive_Test_v2_1"};
  ASSERT_GE(names.size(), 5u);
  EXPECT_EQ(std::vector<std::string>(names.end() - 4, names.end()), registered);
  EXPECT_NE(std::find(names.begin(), names.end(), "ExampleNPU_NNRt_v2_1"), names.end());
}

TEST(PluginDevices, CannotBeRegisteredOnceTheListIsMade) {
  const auto late = std::make_shared<nnrt::test::SimpleDevice>(std::make_shared<nnrt::test::SimpleTraits>());
  EXPECT_EQ(nnrt::hdi::RegisterDevice(late), OH_NN_OPERATION_FORBIDDEN);
  EXPECT_EQ(nnrt::hdi::RegisterDevice(nullptr), OH_NN_INVALID_PARAMETER);
  const std::shared_ptr<nnrt::hdi::V2_0::INnrtDevice> device = late;
  EXPECT_EQ(OH_NNRt_RegisterDevice(nnrt::hdi::kPluginAbi + 1, &device), OH_NN_INVALID_PARAMETER);
}

TEST(PluginDevices, TellTheirType) {
  const size_t device = Recorder::newest().id();
  EXPECT_EQ(device_type(device), OH_NN_ACCELERATOR);
  const std::string text = text_of([&](char* buffer, size_t size, size_t* length) {
    return OH_NNRt_DescribeDevice(device, buffer, size, length);
  });
  EXPECT_NE(text.find("\"type\":\"accelerator\""), text.npos) << text;
}

TEST(PluginDevices, RunInvalidGraphsTheyAccept) {
  const Model model = model_of(OH_NN_OPS_ADD, {{3}, {4}}, {3});
  EXPECT_EQ(build_on(0, model), OH_NN_INVALID_PARAMETER);
  const size_t device = Recorder::newest().id();
  EXPECT_EQ(available(model, device), (std::vector<bool>{true}));
  const Executor executor = executor_on(device, model);
  const Tensor a = tensor_of({3}), b = tensor_of({4}), y = tensor_of({3});
  ASSERT_EQ(run(executor.get(), {a.get(), b.get()}, {y.get()}), OH_NN_SUCCESS);
  EXPECT_EQ(values_of(y, 3), (std::vector<float>{1, 1, 1}));
}

TEST(PluginDevices, CacheInvalidGraphsTheyAccept) {
  const TemporaryDirectory directory;
  const size_t device = Recorder::newest().id();
  const auto build = [&](Compilation compilation) {
    EXPECT_EQ(OH_NNCompilation_SetDevice(compilation.get(), device), OH_NN_SUCCESS);
    EXPECT_EQ(OH_NNCompilation_SetCache(compilation.get(), directory.path().c_str(), 1), OH_NN_SUCCESS);
    Recorder::newest().take();
    return OH_NNCompilation_Build(compilation.get());
  };
  const Model model = model_of(OH_NN_OPS_ADD, {{3}, {4}}, {3});
  EXPECT_EQ(build(Compilation(OH_NNCompilation_Construct(model.get()))), OH_NN_SUCCESS);
  for (int with_model = 0; with_model < 2; ++with_model) {
    EXPECT_EQ(build(Compilation(with_model == 0 ? OH_NNCompilation_ConstructForCache()
                                                : OH_NNCompilation_Construct(model.get()))),
              OH_NN_SUCCESS);
    const Names calls = Recorder::newest().take_names();
    EXPECT_NE(std::find(calls.begin(), calls.end(), "PrepareModelFromModelCache"), calls.end());
    EXPECT_EQ(std::find(calls.begin(), calls.end(), "PrepareModel"), calls.end());
  }
}

// The driver restores only from its own cached data.
TEST(PluginDevices, DoNotReadWeightsOfACache) {
  const TemporaryDirectory directory;
  const auto build = [&](const Compilation& compilation) {
    EXPECT_EQ(OH_NNCompilation_SetDevice(compilation.get(), Recorder::newest().id()), OH_NN_SUCCESS);
    return build_with_cache(compilation, directory.path(), 1);
  };
  ASSERT_EQ(build(Compilation(OH_NNCompilation_Construct(product_model(128).get()))), OH_NN_SUCCESS);
  std::string bytes = contents(directory.container());
  bytes[bytes.size() - 64 * 1024] ^= 0x20;  // in the weights, which come last
  write_file(directory.container(), bytes);
  const Compilation compilation = for_cache();
  ASSERT_EQ(build(compilation), OH_NN_SUCCESS);
  EXPECT_EQ(export_code(compilation), OH_NN_INVALID_FILE);
}

TEST(PluginDevices, MayAnswerForFewerOperations) {
  Changed traits(Recorder::newest());
  traits->answer_operations = [](std::vector<bool>& ops) { ops.resize(1); };
  const size_t device = Recorder::newest().id();
  EXPECT_EQ(available(finished_model({2}), device), (std::vector<bool>{true}));
  EXPECT_EQ(build_on(device, finished_model({2})), OH_NN_SUCCESS);
}

TEST(PluginDevices, ShareAModelWithTheCpu) {
  Changed traits(Recorder::newest());
  traits->answer_operations = [](std::vector<bool>& ops) { ops.back() = false; };
  const size_t device = Recorder::newest().id();
  EXPECT_EQ(available(finished_model({2}), device), (std::vector<bool>{true, false}));
  const Executor executor = executor_on(device, finished_model({2}));
  const Tensor a = tensor_of({2}), y = tensor_of({2});
  ASSERT_EQ(run(executor.get(), {a.get(), a.get()}, {y.get()}), OH_NN_SUCCESS);
  EXPECT_EQ(values_of(y, 2), (std::vector<float>{1, 1})) << "RELU of the plugin's ones";
}

TEST(PluginDevices, ExclusiveOnesTakeWholeModels) {
  Changed traits(Recorder::exclusive());
  const size_t device = Recorder::exclusive().id();
  EXPECT_EQ(build_on(device, finished_model({2})), OH_NN_SUCCESS);
  traits->answer_operations = [](std::vector<bool>& ops) { ops.back() = false; };
  EXPECT_EQ(build_on(device, finished_model({2})), OH_NN_FAILED);
}

TEST(PluginDevices, V2_0IsNotQueriedForNewerOperators) {
  Recorder& older = Recorder::older();
  const size_t device = older.id();
  older.take();
  EXPECT_EQ(available(model_of(OH_NN_OPS_ERF, {{3}}, {3}), device), (std::vector<bool>{false}));
  EXPECT_EQ(older.take(), Names{});
  EXPECT_EQ(available(model_of(OH_NN_OPS_RELU, {{3}}, {3}), device), (std::vector<bool>{true}));
}

TEST(PluginDevices, AreNotQueriedForRangeWithInputs) {
  Recorder& newest = Recorder::newest();
  newest.take();
  EXPECT_EQ(available(model_of(OH_NN_OPS_RANGE, {{1}, {1}, {1}, {1}}, {-1}), newest.id()),
            (std::vector<bool>{false}));
  EXPECT_EQ(newest.take(), Names{});
}

TEST(PluginDevices, OfV1_0RunWithoutRanges) {
  Recorder& oldest = Recorder::oldest();
  const size_t device = oldest.id();
  const Executor executor = executor_on(device, finished_model({2}));
  const Tensor a = tensor_of({2}), y = tensor_of({2});
  oldest.take();
  ASSERT_EQ(run(executor.get(), {a.get(), a.get()}, {y.get()}), OH_NN_SUCCESS);
  EXPECT_EQ(oldest.take_names(), (Names{"Run"}));
  size_t *smallest = nullptr, *largest = nullptr, length = 0;
  EXPECT_EQ(OH_NNExecutor_GetInputDimRange(executor.get(), 0, &smallest, &largest, &length),
            OH_NN_OPERATION_FORBIDDEN);
  const std::vector<int32_t> shape = {2};
  const OH_NN_Tensor input = legacy_tensor(shape);
  const float data[] = {1, 2};
  EXPECT_EQ(OH_NNExecutor_SetInput(executor.get(), 0, &input, data, sizeof data), OH_NN_SUCCESS);
}

TEST(PluginDevices, ReportDimensionRanges) {
  const size_t device = Recorder::newest().id();
  const Executor executor = executor_on(device, finished_model({-1, 3}));
  size_t *smallest = nullptr, *largest = nullptr, length = 0;
  ASSERT_EQ(OH_NNExecutor_GetInputDimRange(executor.get(), 0, &smallest, &largest, &length), OH_NN_SUCCESS);
  EXPECT_EQ((std::vector<size_t>{largest, largest + length}), (std::vector<size_t>{100, 3}));
  const Tensor fits = tensor_of({100, 3}), large = tensor_of({101, 3});
  EXPECT_EQ(run(executor.get(), {fits.get(), fits.get()}, {tensor_of({100, 3}).get()}), OH_NN_SUCCESS);
  EXPECT_EQ(run(executor.get(), {large.get(), large.get()}, {tensor_of({101, 3}).get()}),
            OH_NN_INVALID_PARAMETER);
}

// Immediately, even while another run is in the driver: its model's ranges are not queried then.
TEST(PluginDevices, RefuseToStartARunOutsideTheRanges) {
  Changed traits(Recorder::newest());
  Gate gate;
  traits->on = [&](const std::string& method, const std::string&) {
    return method == "Run" && !gate.pass() ? 1 : 0;
  };
  const Compilation compilation = compilation_on(Recorder::newest().id(), finished_model({-1, 3}));
  ASSERT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
  RunLog log;
  NotedRun noted{log, 0};
  Executor executor = async_executor_of(compilation);
  const Tensor fits = tensor_of({100, 3}), large = tensor_of({101, 3});
  const Tensor y = tensor_of({100, 3}), z = tensor_of({101, 3});
  const auto start = [&](const Tensor& x, const Tensor& to) {
    return run_async(executor.get(), {x.get(), x.get()}, {to.get()}, &noted);
  };
  EXPECT_EQ(start(large, z), OH_NN_INVALID_PARAMETER);
  ASSERT_EQ(start(fits, y), OH_NN_SUCCESS);
  EXPECT_EQ(start(large, z), OH_NN_INVALID_PARAMETER);
  gate.open();
  EXPECT_EQ(log.wait_for(1), (std::vector<RunLog::Entry>{{0, OH_NN_SUCCESS}}));
}

TEST(PluginDevices, MayTakeNoDynamicInputs) {
  Changed traits(Recorder::exclusive());
  traits->dynamic = false;
  const size_t device = Recorder::exclusive().id();
  EXPECT_EQ(build_on(device, finished_model({-1, 3})), OH_NN_FAILED);
  EXPECT_EQ(build_on(device, finished_model({2, 3})), OH_NN_SUCCESS);
}

TEST(PluginDevices, ReportMissingFeatures) {
  Changed traits(Recorder::newest());
  traits->float16 = traits->performance = traits->priority = traits->caching = false;
  const size_t device = Recorder::newest().id();
  const TemporaryDirectory directory;
  const Compilation compilation = compilation_on(device, finished_model({2}));
  EXPECT_EQ(OH_NNCompilation_EnableFloat16(compilation.get(), true), OH_NN_UNAVAILABLE_DEVICE);
  EXPECT_EQ(OH_NNCompilation_SetPerformanceMode(compilation.get(), OH_NN_PERFORMANCE_LOW),
            OH_NN_UNAVAILABLE_DEVICE);
  EXPECT_EQ(OH_NNCompilation_SetPriority(compilation.get(), OH_NN_PRIORITY_LOW), OH_NN_UNAVAILABLE_DEVICE);
  EXPECT_EQ(OH_NNCompilation_SetCache(compilation.get(), directory.path().c_str(), 1),
            OH_NN_UNAVAILABLE_DEVICE);
  EXPECT_EQ(OH_NNCompilation_EnableFloat16(compilation.get(), false), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNCompilation_SetPriority(compilation.get(), OH_NN_PRIORITY_NONE), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
  // If the device is last, Build reports it.
  const Compilation late(OH_NNCompilation_Construct(finished_model({2}).get()));
  EXPECT_EQ(OH_NNCompilation_EnableFloat16(late.get(), true), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNCompilation_SetDevice(late.get(), device), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNCompilation_Build(late.get()), OH_NN_UNAVAILABLE_DEVICE);
}

TEST(PluginDevices, AreAskedForTheirStatusByEachBuild) {
  Changed traits(Recorder::newest());
  const size_t device = Recorder::newest().id();
  traits->status = nnrt::test::hdi::OFFLINE;
  EXPECT_EQ(build_on(device, finished_model({2})), OH_NN_UNAVAILABLE_DEVICE);
  traits->status = nnrt::test::hdi::BUSY;
  EXPECT_EQ(build_on(device, finished_model({2})), OH_NN_SUCCESS);
}

TEST(PluginDevices, GetTheCodesOfADriverMapped) {
  Recorder& recorder = Recorder::newest();
  Changed traits(recorder);
  const size_t device = recorder.id();
  const auto code_for = [&](const char* method, int32_t code) {
    traits->on = [=](const std::string& called, const std::string&) { return called == method ? code : 0; };
    const Compilation compilation = compilation_on(device, finished_model({2}));
    const OH_NN_ReturnCode built = OH_NNCompilation_Build(compilation.get());
    if (built != OH_NN_SUCCESS) return built;
    const Executor executor(OH_NNExecutor_Construct(compilation.get()));
    const Tensor a = tensor_of({2}), y = tensor_of({2});
    return run(executor.get(), {a.get(), a.get()}, {y.get()});
  };
  using namespace nnrt::test::hdi;
  EXPECT_EQ(code_for("PrepareModel", NNRT_FAILED), OH_NN_FAILED);
  EXPECT_EQ(code_for("PrepareModel", NNRT_UNSUPPORTED_OP), OH_NN_FAILED);
  EXPECT_EQ(code_for("PrepareModel", NNRT_DEVICE_ERROR), OH_NN_UNAVAILABLE_DEVICE);
  EXPECT_EQ(code_for("PrepareModel", -3), OH_NN_UNAVAILABLE_DEVICE);
  EXPECT_EQ(code_for("GetSupportedOperation", NNRT_FAILED), OH_NN_UNAVAILABLE_DEVICE);
  EXPECT_EQ(code_for("IsPerformanceModeSupported", NNRT_FAILED), OH_NN_FAILED);
  EXPECT_EQ(code_for("Run", NNRT_FAILED), OH_NN_UNAVAILABLE_DEVICE);
  EXPECT_EQ(code_for("Run", NNRT_TIME_OUT), OH_NN_TIMEOUT);
  EXPECT_EQ(code_for("Run", NNRT_INVALID_SHAPE), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(code_for("Run", NNRT_INSUFFICIENT_BUFFER), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(code_for("Run", NNRT_NOT_SUPPORT), OH_NN_UNSUPPORTED);
  EXPECT_EQ(code_for("GetInputDimRanges", NNRT_FAILED), OH_NN_UNAVAILABLE_DEVICE);
  EXPECT_EQ(code_for("Run", NNRT_OUT_OF_MEMORY), OH_NN_SUCCESS) << "the CPU takes over";
}
