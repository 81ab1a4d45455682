// Random sequences of calls of all 75 functions. Only documented codes may be returned, and nothing may crash
// or leak; meant for the sanitizers.
#include "tests/support/test_settings.h"
#include "tests/unit/api/fuzz/fuzz_runtime_calls.h"

using namespace api_tests;

namespace {

void on_run_done(void* user_data, OH_NN_ReturnCode, void*[], int32_t) {
  FuzzState& state = *static_cast<FuzzState*>(user_data);
  state.runs_done = 1;
  state.runs_done.notify_one();
}
void on_service_died(void*) {}

void add_device_steps(std::vector<Step>& steps) {
  static const size_t taken_id = 1;
  steps.push_back({"GetAllDevicesID", kSimple, [](FuzzState& w) {
                     const size_t* ids;
                     uint32_t count;
                     return OH_NNDevice_GetAllDevicesID(w.empty_out(ids, &taken_id), w.out(count));
                   }});
  steps.push_back({"GetName", {OH_NN_SUCCESS, OH_NN_INVALID_PARAMETER, OH_NN_FAILED}, [](FuzzState& w) {
                     const char* name;
                     return OH_NNDevice_GetName(w.device(), w.empty_out(name, "taken"));
                   }});
  steps.push_back({"GetType", kSimple, [](FuzzState& w) {
                     OH_NN_DeviceType type;
                     return OH_NNDevice_GetType(w.device(), w.out(type));
                   }});
}

void add_compilation_steps(std::vector<Step>& steps) {
  steps.push_back({"Construct", kSimple, [](FuzzState& w) {
                     return w.keep(w.compilations, OH_NNCompilation_Construct(w.pick(w.models)));
                   }});
  steps.push_back({"ConstructWithOfflineModelFile", kSimple, [](FuzzState& w) {
                     return w.keep(w.compilations, OH_NNCompilation_ConstructWithOfflineModelFile(w.text()));
                   }});
  steps.push_back({"ConstructWithOfflineModelBuffer", kSimple, [](FuzzState& w) {
                     return w.keep(w.compilations,
                                   OH_NNCompilation_ConstructWithOfflineModelBuffer(w.buffer(), w.length()));
                   }});
  steps.push_back({"ConstructForCache", {OH_NN_SUCCESS}, [](FuzzState& w) {
                     return w.keep(w.compilations, OH_NNCompilation_ConstructForCache());
                   }});
  steps.push_back({"ExportCacheToBuffer", kCache, [](FuzzState& w) {
                     size_t size;
                     return OH_NNCompilation_ExportCacheToBuffer(w.pick(w.compilations), w.buffer(),
                                                                 w.length(), w.out(size));
                   }});
  steps.push_back({"ImportCacheFromBuffer", kCache, [](FuzzState& w) {
                     return OH_NNCompilation_ImportCacheFromBuffer(w.pick(w.compilations), w.buffer(),
                                                                   w.length());
                   }});
  steps.push_back({"AddExtensionConfig", kStateful, [](FuzzState& w) {
                     return OH_NNCompilation_AddExtensionConfig(w.pick(w.compilations), w.text(), w.buffer(),
                                                                w.length());
                   }});
  steps.push_back({"SetDevice", kStateful, [](FuzzState& w) {
                     return OH_NNCompilation_SetDevice(w.pick(w.compilations), w.device());
                   }});
  steps.push_back({"SetCache", kCache, [](FuzzState& w) {
                     return OH_NNCompilation_SetCache(w.pick(w.compilations), w.text(),
                                                      w.rarely() ? UINT32_MAX : 1);
                   }});
  steps.push_back({"SetPerformanceMode", kStateful, [](FuzzState& w) {
                     return OH_NNCompilation_SetPerformanceMode(w.pick(w.compilations),
                                                                any<OH_NN_PerformanceMode>(w.enumerator(4)));
                   }});
  steps.push_back({"SetPriority", kStateful, [](FuzzState& w) {
                     return OH_NNCompilation_SetPriority(w.pick(w.compilations),
                                                         any<OH_NN_Priority>(w.enumerator(3)));
                   }});
  steps.push_back({"EnableFloat16", kStateful, [](FuzzState& w) {
                     return OH_NNCompilation_EnableFloat16(w.pick(w.compilations), w.below(2) == 0);
                   }});
  steps.push_back(
      {"Build", kBuild, [](FuzzState& w) { return OH_NNCompilation_Build(w.pick(w.compilations)); }});
  steps.push_back({"Compilation_Destroy", kSimple, [](FuzzState& w) {
                     return w.destroy(w.compilations, without_code(OH_NNCompilation_Destroy));
                   }});
}

void add_desc_steps(std::vector<Step>& steps) {
  static int32_t taken_shape = 1;
  steps.push_back(
      {"TensorDesc_Create", kSimple, [](FuzzState& w) { return w.keep(w.descs, OH_NNTensorDesc_Create()); }});
  steps.push_back({"TensorDesc_Destroy", kSimple,
                   [](FuzzState& w) { return w.destroy(w.descs, OH_NNTensorDesc_Destroy); }});
  steps.push_back(
      {"SetName", kSimple, [](FuzzState& w) { return OH_NNTensorDesc_SetName(w.pick(w.descs), w.text()); }});
  steps.push_back({"TensorDesc_GetName", kSimple, [](FuzzState& w) {
                     const char* name;
                     return OH_NNTensorDesc_GetName(w.pick(w.descs), w.empty_out(name, "taken"));
                   }});
  steps.push_back({"SetDataType", kSimple, [](FuzzState& w) {
                     const int type = w.below(2) == 0 ? OH_NN_FLOAT32 : w.enumerator(12);
                     return OH_NNTensorDesc_SetDataType(w.pick(w.descs), any<OH_NN_DataType>(type));
                   }});
  steps.push_back({"GetDataType", kSimple, [](FuzzState& w) {
                     OH_NN_DataType type;
                     return OH_NNTensorDesc_GetDataType(w.pick(w.descs), w.out(type));
                   }});
  steps.push_back({"SetShape", kSimple, [](FuzzState& w) {
                     const std::vector<int32_t> shape = w.shape();
                     return OH_NNTensorDesc_SetShape(w.pick(w.descs), shape.data(), shape.size());
                   }});
  steps.push_back({"GetShape", kSimple, [](FuzzState& w) {
                     int32_t* shape;
                     size_t length;
                     return OH_NNTensorDesc_GetShape(w.pick(w.descs), w.empty_out(shape, &taken_shape),
                                                     w.out(length));
                   }});
  steps.push_back({"SetFormat", kSimple, [](FuzzState& w) {
                     return OH_NNTensorDesc_SetFormat(w.pick(w.descs), any<OH_NN_Format>(w.enumerator(3)));
                   }});
  steps.push_back({"GetFormat", kSimple, [](FuzzState& w) {
                     OH_NN_Format format;
                     return OH_NNTensorDesc_GetFormat(w.pick(w.descs), w.out(format));
                   }});
  steps.push_back({"GetElementCount", kSize, [](FuzzState& w) {
                     size_t count;
                     return OH_NNTensorDesc_GetElementCount(w.pick(w.descs), w.out(count));
                   }});
  steps.push_back({"GetByteSize", kSize, [](FuzzState& w) {
                     size_t bytes;
                     return OH_NNTensorDesc_GetByteSize(w.pick(w.descs), w.out(bytes));
                   }});
}

void add_tensor_steps(std::vector<Step>& steps) {
  steps.push_back({"Tensor_Create", kSimple, [](FuzzState& w) {
                     return w.keep(w.tensors, OH_NNTensor_Create(w.device(), w.pick(w.descs)));
                   }});
  steps.push_back({"Tensor_CreateWithSize", kSimple, [](FuzzState& w) {
                     const size_t size = w.rarely() ? w.below(SIZE_MAX) : w.length();
                     return w.keep(w.tensors, OH_NNTensor_CreateWithSize(w.device(), w.pick(w.descs), size));
                   }});
  steps.push_back({"Tensor_CreateWithFd", kSimple, [](FuzzState& w) {
                     int fd = -1;
                     size_t size = w.length();
                     NN_Tensor* source = w.pick(w.tensors);
                     if (source != nullptr) {
                       OH_NNTensor_GetFd(source, &fd);
                       OH_NNTensor_GetSize(source, &size);
                     }
                     // A shorter file than claimed is refused; the tensor's own may be closed later.
                     if (w.rarely()) size = w.length();
                     return w.keep(w.tensors, OH_NNTensor_CreateWithFd(w.device(), w.pick(w.descs), fd, size,
                                                                       w.below(3) == 0 ? w.length() : 0));
                   }});
  steps.push_back(
      {"Tensor_Destroy", kSimple, [](FuzzState& w) { return w.destroy(w.tensors, OH_NNTensor_Destroy); }});
  steps.push_back({"GetTensorDesc", kSimple, [](FuzzState& w) {
                     NN_TensorDesc* desc = OH_NNTensor_GetTensorDesc(w.pick(w.tensors));
                     if (desc != nullptr && w.rarely()) {
                       const std::vector<int32_t> shape = w.shape();
                       OH_NNTensorDesc_SetShape(desc, shape.data(), shape.size());
                     }
                     return pointer_code(desc);
                   }});
  steps.push_back({"GetDataBuffer", kSimple,
                   [](FuzzState& w) { return pointer_code(OH_NNTensor_GetDataBuffer(w.pick(w.tensors))); }});
  steps.push_back({"GetFd", kSimple, [](FuzzState& w) {
                     int fd;
                     return OH_NNTensor_GetFd(w.pick(w.tensors), w.out(fd));
                   }});
  steps.push_back({"GetSize", kSimple, [](FuzzState& w) {
                     size_t size;
                     return OH_NNTensor_GetSize(w.pick(w.tensors), w.out(size));
                   }});
  steps.push_back({"GetOffset", kSimple, [](FuzzState& w) {
                     size_t offset;
                     return OH_NNTensor_GetOffset(w.pick(w.tensors), w.out(offset));
                   }});
}

void add_executor_steps(std::vector<Step>& steps) {
  static int32_t taken_shape = 1;
  steps.push_back({"Executor_Construct", kSimple, [](FuzzState& w) {
                     return w.keep(w.executors, OH_NNExecutor_Construct(w.pick(w.compilations)));
                   }});
  steps.push_back({"GetOutputShape", kSimple, [](FuzzState& w) {
                     int32_t* shape;
                     uint32_t length;
                     return OH_NNExecutor_GetOutputShape(w.pick(w.executors), w.index() / 2,
                                                         w.empty_out(shape, &taken_shape), w.out(length));
                   }});
  steps.push_back({"Executor_Destroy", kSimple, [](FuzzState& w) {
                     return w.destroy(w.executors, [&](OH_NNExecutor** executor) {
                       if (executor != nullptr) w.forget_memory(*executor);
                       OH_NNExecutor_Destroy(executor);
                       return OH_NN_SUCCESS;
                     });
                   }});
  steps.push_back({"GetInputCount", kSimple, [](FuzzState& w) {
                     size_t count;
                     return OH_NNExecutor_GetInputCount(w.pick(w.executors), w.out(count));
                   }});
  steps.push_back({"GetOutputCount", kSimple, [](FuzzState& w) {
                     size_t count;
                     return OH_NNExecutor_GetOutputCount(w.pick(w.executors), w.out(count));
                   }});
  steps.push_back({"CreateInputTensorDesc", kSimple, [](FuzzState& w) {
                     return w.keep(w.descs,
                                   OH_NNExecutor_CreateInputTensorDesc(w.pick(w.executors), w.index()));
                   }});
  steps.push_back({"CreateOutputTensorDesc", kSimple, [](FuzzState& w) {
                     return w.keep(w.descs,
                                   OH_NNExecutor_CreateOutputTensorDesc(w.pick(w.executors), w.index()));
                   }});
  steps.push_back({"GetInputDimRange", kSimple, [](FuzzState& w) {
                     size_t *min, *max, length;
                     return OH_NNExecutor_GetInputDimRange(w.pick(w.executors), w.index(), w.out(min),
                                                           w.out(max), w.out(length));
                   }});
  steps.push_back({"SetOnRunDone", kSimple, [](FuzzState& w) {
                     return OH_NNExecutor_SetOnRunDone(w.pick(w.executors),
                                                       w.rarely() ? nullptr : on_run_done);
                   }});
  steps.push_back({"SetOnServiceDied", kSimple, [](FuzzState& w) {
                     return OH_NNExecutor_SetOnServiceDied(w.pick(w.executors),
                                                           w.rarely() ? nullptr : on_service_died);
                   }});
  steps.push_back({"RunSync", kRun, [](FuzzState& w) {
                     size_t inputs, outputs;
                     NN_Tensor** input = w.arguments(2, inputs);
                     NN_Tensor** output = w.arguments(1, outputs);
                     return OH_NNExecutor_RunSync(w.pick(w.executors), input, inputs, output, outputs);
                   }});
  ReturnCodes async = kRun;
  async.insert(OH_NN_OPERATION_FORBIDDEN);
  steps.push_back({"RunAsync", async, [](FuzzState& w) {
                     size_t inputs, outputs;
                     NN_Tensor** input = w.arguments(2, inputs);
                     NN_Tensor** output = w.arguments(1, outputs);
                     OH_NNExecutor* executor = w.pick(w.executors);
                     const int32_t timeout = w.rarely() ? 1 : 0;
                     w.runs_done = 0;
                     const OH_NN_ReturnCode code = OH_NNExecutor_RunAsync(
                         executor, input, inputs, output, outputs, timeout, w.rarely() ? nullptr : &w);
                     if (code == OH_NN_SUCCESS) w.runs_done.wait(0);
                     return code;
                   }});
}

std::vector<Step> all_steps() {
  std::vector<Step> steps;
  add_device_steps(steps);
  add_compilation_steps(steps);
  add_desc_steps(steps);
  add_tensor_steps(steps);
  add_executor_steps(steps);
  add_quant_steps(steps);
  add_model_steps(steps);
  add_legacy_steps(steps);
  return steps;
}

}  // namespace

TEST(Fuzz, RandomCallsAnswerWithDocumentedCodes) {
  const std::vector<Step> steps = all_steps();
  ASSERT_EQ(steps.size(), 75u);
  std::vector<int> successes(steps.size(), 0);
  for (uint32_t seed = 0; seed < nnrt::test::draws(10'000); ++seed) {
    FuzzState state(seed);
    for (int call = 0; call < 40; ++call) {
      const size_t position = state.below(steps.size());
      const OH_NN_ReturnCode code = steps[position].call(state);
      ASSERT_TRUE(steps[position].return_codes.contains(code))
          << steps[position].function << " answered " << code << " in call " << call << " of seed " << seed;
      if (code == OH_NN_SUCCESS) ++successes[position];
    }
  }
  // Otherwise the sequences would test little.
  for (size_t position = 0; position < steps.size(); ++position)
    EXPECT_GT(successes[position], 0) << steps[position].function;
}
