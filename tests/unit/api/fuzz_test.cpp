// Random sequences of calls of all 75 functions. Whatever happens, codes are the documented ones and nothing
// crashes or leaks; meant for the sanitizers.
#include "tests/unit/api/fuzz_world.h"

#include <functional>
#include <set>
#include <string>

using namespace api_tests;

namespace {

using Codes = std::set<OH_NN_ReturnCode>;

const Codes kSimple = {OH_NN_SUCCESS, OH_NN_INVALID_PARAMETER};
const Codes kStateful = {OH_NN_SUCCESS, OH_NN_INVALID_PARAMETER, OH_NN_OPERATION_FORBIDDEN};
const Codes kSize = {OH_NN_SUCCESS, OH_NN_INVALID_PARAMETER, OH_NN_DYNAMIC_SHAPE};
const Codes kMayLackMemory = {OH_NN_SUCCESS, OH_NN_INVALID_PARAMETER, OH_NN_MEMORY_ERROR};
const Codes kCache = {OH_NN_SUCCESS, OH_NN_INVALID_PARAMETER, OH_NN_OPERATION_FORBIDDEN, OH_NN_UNSUPPORTED};
const Codes kBuild = {OH_NN_SUCCESS,      OH_NN_INVALID_PARAMETER, OH_NN_FAILED,      OH_NN_UNSUPPORTED,
                      OH_NN_MEMORY_ERROR, OH_NN_INVALID_FILE,      OH_NN_INVALID_PATH};
const Codes kRun = {OH_NN_SUCCESS, OH_NN_INVALID_PARAMETER, OH_NN_UNSUPPORTED, OH_NN_MEMORY_ERROR,
                    OH_NN_FAILED};

void on_run_done(void*, OH_NN_ReturnCode, void*[], int32_t) {}
void on_service_died(void*) {}

struct Step {
  std::string function;
  Codes codes;
  std::function<OH_NN_ReturnCode(World&)> call;
};

OH_NN_ReturnCode pointer_code(const void* pointer) {
  return pointer == nullptr ? OH_NN_INVALID_PARAMETER : OH_NN_SUCCESS;
}

// Destroys through a function that returns nothing.
template <typename Handle>
auto without_code(void (*function)(Handle**)) {
  return [function](Handle** handle) {
    function(handle);
    return OH_NN_SUCCESS;
  };
}

void add_device_steps(std::vector<Step>& steps) {
  static const size_t taken_id = 1;
  steps.push_back({"GetAllDevicesID", kSimple, [](World& w) {
                     const size_t* ids;
                     uint32_t count;
                     return OH_NNDevice_GetAllDevicesID(w.empty_out(ids, &taken_id), w.out(count));
                   }});
  steps.push_back({"GetName", {OH_NN_SUCCESS, OH_NN_INVALID_PARAMETER, OH_NN_FAILED}, [](World& w) {
                     const char* name;
                     return OH_NNDevice_GetName(w.device(), w.empty_out(name, "taken"));
                   }});
  steps.push_back({"GetType", kSimple, [](World& w) {
                     OH_NN_DeviceType type;
                     return OH_NNDevice_GetType(w.device(), w.out(type));
                   }});
}

void add_compilation_steps(std::vector<Step>& steps) {
  steps.push_back({"Construct", kSimple, [](World& w) {
                     return w.keep(w.compilations, OH_NNCompilation_Construct(w.pick(w.models)));
                   }});
  steps.push_back({"ConstructWithOfflineModelFile", kSimple, [](World& w) {
                     return w.keep(w.compilations, OH_NNCompilation_ConstructWithOfflineModelFile(w.text()));
                   }});
  steps.push_back({"ConstructWithOfflineModelBuffer", kSimple, [](World& w) {
                     return w.keep(w.compilations,
                                   OH_NNCompilation_ConstructWithOfflineModelBuffer(w.buffer(), w.length()));
                   }});
  steps.push_back({"ConstructForCache", {OH_NN_SUCCESS}, [](World& w) {
                     return w.keep(w.compilations, OH_NNCompilation_ConstructForCache());
                   }});
  steps.push_back({"ExportCacheToBuffer", kCache, [](World& w) {
                     size_t size;
                     return OH_NNCompilation_ExportCacheToBuffer(w.pick(w.compilations), w.buffer(),
                                                                 w.length(), w.out(size));
                   }});
  steps.push_back({"ImportCacheFromBuffer", kCache, [](World& w) {
                     return OH_NNCompilation_ImportCacheFromBuffer(w.pick(w.compilations), w.buffer(),
                                                                   w.length());
                   }});
  steps.push_back({"AddExtensionConfig", kStateful, [](World& w) {
                     return OH_NNCompilation_AddExtensionConfig(w.pick(w.compilations), w.text(), w.buffer(),
                                                                w.length());
                   }});
  steps.push_back({"SetDevice", kStateful,
                   [](World& w) { return OH_NNCompilation_SetDevice(w.pick(w.compilations), w.device()); }});
  steps.push_back({"SetCache", kCache, [](World& w) {
                     return OH_NNCompilation_SetCache(w.pick(w.compilations), w.text(),
                                                      w.rarely() ? UINT32_MAX : 1);
                   }});
  steps.push_back({"SetPerformanceMode", kStateful, [](World& w) {
                     return OH_NNCompilation_SetPerformanceMode(w.pick(w.compilations),
                                                                any<OH_NN_PerformanceMode>(w.enumerator(4)));
                   }});
  steps.push_back({"SetPriority", kStateful, [](World& w) {
                     return OH_NNCompilation_SetPriority(w.pick(w.compilations),
                                                         any<OH_NN_Priority>(w.enumerator(3)));
                   }});
  steps.push_back({"EnableFloat16", kStateful, [](World& w) {
                     return OH_NNCompilation_EnableFloat16(w.pick(w.compilations), w.below(2) == 0);
                   }});
  steps.push_back({"Build", kBuild, [](World& w) { return OH_NNCompilation_Build(w.pick(w.compilations)); }});
  steps.push_back({"Compilation_Destroy", kSimple, [](World& w) {
                     return w.destroy(w.compilations, without_code(OH_NNCompilation_Destroy));
                   }});
}

void add_desc_steps(std::vector<Step>& steps) {
  static int32_t taken_shape = 1;
  steps.push_back(
      {"TensorDesc_Create", kSimple, [](World& w) { return w.keep(w.descs, OH_NNTensorDesc_Create()); }});
  steps.push_back(
      {"TensorDesc_Destroy", kSimple, [](World& w) { return w.destroy(w.descs, OH_NNTensorDesc_Destroy); }});
  steps.push_back(
      {"SetName", kSimple, [](World& w) { return OH_NNTensorDesc_SetName(w.pick(w.descs), w.text()); }});
  steps.push_back({"TensorDesc_GetName", kSimple, [](World& w) {
                     const char* name;
                     return OH_NNTensorDesc_GetName(w.pick(w.descs), w.empty_out(name, "taken"));
                   }});
  steps.push_back({"SetDataType", kSimple, [](World& w) {
                     const int type = w.below(2) == 0 ? OH_NN_FLOAT32 : w.enumerator(12);
                     return OH_NNTensorDesc_SetDataType(w.pick(w.descs), any<OH_NN_DataType>(type));
                   }});
  steps.push_back({"GetDataType", kSimple, [](World& w) {
                     OH_NN_DataType type;
                     return OH_NNTensorDesc_GetDataType(w.pick(w.descs), w.out(type));
                   }});
  steps.push_back({"SetShape", kSimple, [](World& w) {
                     const std::vector<int32_t> shape = w.shape();
                     return OH_NNTensorDesc_SetShape(w.pick(w.descs), shape.data(), shape.size());
                   }});
  steps.push_back({"GetShape", kSimple, [](World& w) {
                     int32_t* shape;
                     size_t length;
                     return OH_NNTensorDesc_GetShape(w.pick(w.descs), w.empty_out(shape, &taken_shape),
                                                     w.out(length));
                   }});
  steps.push_back({"SetFormat", kSimple, [](World& w) {
                     return OH_NNTensorDesc_SetFormat(w.pick(w.descs), any<OH_NN_Format>(w.enumerator(3)));
                   }});
  steps.push_back({"GetFormat", kSimple, [](World& w) {
                     OH_NN_Format format;
                     return OH_NNTensorDesc_GetFormat(w.pick(w.descs), w.out(format));
                   }});
  steps.push_back({"GetElementCount", kSize, [](World& w) {
                     size_t count;
                     return OH_NNTensorDesc_GetElementCount(w.pick(w.descs), w.out(count));
                   }});
  steps.push_back({"GetByteSize", kSize, [](World& w) {
                     size_t bytes;
                     return OH_NNTensorDesc_GetByteSize(w.pick(w.descs), w.out(bytes));
                   }});
}

void add_tensor_steps(std::vector<Step>& steps) {
  steps.push_back({"Tensor_Create", kSimple, [](World& w) {
                     return w.keep(w.tensors, OH_NNTensor_Create(w.device(), w.pick(w.descs)));
                   }});
  steps.push_back({"Tensor_CreateWithSize", kSimple, [](World& w) {
                     const size_t size = w.rarely() ? w.below(SIZE_MAX) : w.length();
                     return w.keep(w.tensors, OH_NNTensor_CreateWithSize(w.device(), w.pick(w.descs), size));
                   }});
  steps.push_back({"Tensor_CreateWithFd", kSimple, [](World& w) {
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
      {"Tensor_Destroy", kSimple, [](World& w) { return w.destroy(w.tensors, OH_NNTensor_Destroy); }});
  steps.push_back({"GetTensorDesc", kSimple, [](World& w) {
                     NN_TensorDesc* desc = OH_NNTensor_GetTensorDesc(w.pick(w.tensors));
                     if (desc != nullptr && w.rarely()) {
                       const std::vector<int32_t> shape = w.shape();
                       OH_NNTensorDesc_SetShape(desc, shape.data(), shape.size());
                     }
                     return pointer_code(desc);
                   }});
  steps.push_back({"GetDataBuffer", kSimple,
                   [](World& w) { return pointer_code(OH_NNTensor_GetDataBuffer(w.pick(w.tensors))); }});
  steps.push_back({"GetFd", kSimple, [](World& w) {
                     int fd;
                     return OH_NNTensor_GetFd(w.pick(w.tensors), w.out(fd));
                   }});
  steps.push_back({"GetSize", kSimple, [](World& w) {
                     size_t size;
                     return OH_NNTensor_GetSize(w.pick(w.tensors), w.out(size));
                   }});
  steps.push_back({"GetOffset", kSimple, [](World& w) {
                     size_t offset;
                     return OH_NNTensor_GetOffset(w.pick(w.tensors), w.out(offset));
                   }});
}

void add_executor_steps(std::vector<Step>& steps) {
  static int32_t taken_shape = 1;
  steps.push_back({"Executor_Construct", kSimple, [](World& w) {
                     return w.keep(w.executors, OH_NNExecutor_Construct(w.pick(w.compilations)));
                   }});
  steps.push_back({"GetOutputShape", kSimple, [](World& w) {
                     int32_t* shape;
                     uint32_t length;
                     return OH_NNExecutor_GetOutputShape(w.pick(w.executors), w.index() / 2,
                                                         w.empty_out(shape, &taken_shape), w.out(length));
                   }});
  steps.push_back({"Executor_Destroy", kSimple, [](World& w) {
                     return w.destroy(w.executors, [&](OH_NNExecutor** executor) {
                       if (executor != nullptr) w.forget_memory(*executor);
                       OH_NNExecutor_Destroy(executor);
                       return OH_NN_SUCCESS;
                     });
                   }});
  steps.push_back({"GetInputCount", kSimple, [](World& w) {
                     size_t count;
                     return OH_NNExecutor_GetInputCount(w.pick(w.executors), w.out(count));
                   }});
  steps.push_back({"GetOutputCount", kSimple, [](World& w) {
                     size_t count;
                     return OH_NNExecutor_GetOutputCount(w.pick(w.executors), w.out(count));
                   }});
  steps.push_back({"CreateInputTensorDesc", kSimple, [](World& w) {
                     return w.keep(w.descs,
                                   OH_NNExecutor_CreateInputTensorDesc(w.pick(w.executors), w.index()));
                   }});
  steps.push_back({"CreateOutputTensorDesc", kSimple, [](World& w) {
                     return w.keep(w.descs,
                                   OH_NNExecutor_CreateOutputTensorDesc(w.pick(w.executors), w.index()));
                   }});
  steps.push_back({"GetInputDimRange", kSimple, [](World& w) {
                     size_t *least, *most, length;
                     return OH_NNExecutor_GetInputDimRange(w.pick(w.executors), w.index(), w.out(least),
                                                           w.out(most), w.out(length));
                   }});
  steps.push_back({"SetOnRunDone", kSimple, [](World& w) {
                     return OH_NNExecutor_SetOnRunDone(w.pick(w.executors),
                                                       w.rarely() ? nullptr : on_run_done);
                   }});
  steps.push_back({"SetOnServiceDied", kSimple, [](World& w) {
                     return OH_NNExecutor_SetOnServiceDied(w.pick(w.executors),
                                                           w.rarely() ? nullptr : on_service_died);
                   }});
  steps.push_back({"RunSync", kRun, [](World& w) {
                     size_t inputs, outputs;
                     NN_Tensor** input = w.arguments(2, inputs);
                     NN_Tensor** output = w.arguments(1, outputs);
                     return OH_NNExecutor_RunSync(w.pick(w.executors), input, inputs, output, outputs);
                   }});
  Codes async = kRun;
  async.insert(OH_NN_OPERATION_FORBIDDEN);
  steps.push_back({"RunAsync", async, [](World& w) {
                     size_t inputs, outputs;
                     NN_Tensor** input = w.arguments(2, inputs);
                     NN_Tensor** output = w.arguments(1, outputs);
                     return OH_NNExecutor_RunAsync(w.pick(w.executors), input, inputs, output, outputs, 0,
                                                   w.rarely() ? nullptr : &w);
                   }});
}

void add_quant_steps(std::vector<Step>& steps) {
  steps.push_back({"QuantParam_Create", kSimple, [](World& w) {
                     NN_QuantParam* quant = OH_NNQuantParam_Create();
                     if (w.below(2) == 0) {
                       const double scale = 0.5;
                       const int32_t zero_point = 3;
                       const uint32_t bits = 8;
                       OH_NNQuantParam_SetScales(quant, &scale, 1);
                       OH_NNQuantParam_SetZeroPoints(quant, &zero_point, 1);
                       OH_NNQuantParam_SetNumBits(quant, &bits, 1);
                     }
                     return w.keep(w.quants, quant);
                   }});
  steps.push_back({"SetScales", kSimple, [](World& w) {
                     return OH_NNQuantParam_SetScales(w.pick(w.quants), w.buffer<double>(), w.length(8));
                   }});
  steps.push_back({"SetZeroPoints", kSimple, [](World& w) {
                     return OH_NNQuantParam_SetZeroPoints(w.pick(w.quants), w.buffer<int32_t>(), w.length(8));
                   }});
  steps.push_back({"SetNumBits", kSimple, [](World& w) {
                     const std::vector<uint32_t> bits(w.below(4), w.rarely() ? 4 : 8);
                     return OH_NNQuantParam_SetNumBits(w.pick(w.quants), bits.data(), bits.size());
                   }});
  steps.push_back(
      {"QuantParam_Destroy", kSimple, [](World& w) { return w.destroy(w.quants, OH_NNQuantParam_Destroy); }});
}

void add_model_steps(std::vector<Step>& steps) {
  static const bool taken_flag = true;
  steps.push_back({"Model_Construct", kSimple, [](World& w) {
                     const size_t content = w.below(4);
                     if (content == 0) w.models.push_back(open_model({2, 3}));
                     if (content == 0) return OH_NN_SUCCESS;
                     OH_NNModel* model = OH_NNModel_Construct();
                     for (size_t i = 0; i < content; ++i) {
                       OH_NNModel_AddTensorToModel(model, desc_of({2, 3}).get());
                     }
                     return w.keep(w.models, model);
                   }});
  steps.push_back({"AddTensorToModel", kStateful,
                   [](World& w) { return OH_NNModel_AddTensorToModel(w.pick(w.models), w.pick(w.descs)); }});
  steps.push_back({"SetTensorData", kStateful, [](World& w) {
                     return OH_NNModel_SetTensorData(w.pick(w.models), w.index(), w.buffer(), w.length());
                   }});
  steps.push_back({"SetTensorQuantParams", kStateful, [](World& w) {
                     return OH_NNModel_SetTensorQuantParams(w.pick(w.models), w.index(), w.pick(w.quants));
                   }});
  steps.push_back({"SetTensorType", kStateful, [](World& w) {
                     return OH_NNModel_SetTensorType(w.pick(w.models), w.index(),
                                                     any<OH_NN_TensorType>(w.enumerator(162)));
                   }});
  steps.push_back(
      {"AddOperation", kStateful, [](World& w) {
         if (w.below(2) == 0) {
           return OH_NNModel_AddOperation(w.pick(w.models), OH_NN_OPS_RELU, w.list(0), w.list(1), w.list(1));
         }
         return OH_NNModel_AddOperation(w.pick(w.models), any<OH_NN_OperationType>(w.enumerator(108)),
                                        w.list(), w.list(), w.list());
       }});
  steps.push_back({"SpecifyInputsAndOutputs", kStateful, [](World& w) {
                     return OH_NNModel_SpecifyInputsAndOutputs(w.pick(w.models), w.list(1), w.list());
                   }});
  Codes finish = kStateful;
  finish.insert(OH_NN_FAILED);
  steps.push_back({"Finish", finish, [](World& w) { return OH_NNModel_Finish(w.pick(w.models)); }});
  steps.push_back({"Model_Destroy", kSimple,
                   [](World& w) { return w.destroy(w.models, without_code(OH_NNModel_Destroy)); }});
  steps.push_back({"GetAvailableOperations", finish, [](World& w) {
                     const bool* flags;
                     uint32_t count;
                     return OH_NNModel_GetAvailableOperations(w.pick(w.models), w.device(),
                                                              w.empty_out(flags, &taken_flag), w.out(count));
                   }});
  steps.push_back(
      {"AddTensor", kStateful, [](World& w) { return OH_NNModel_AddTensor(w.pick(w.models), w.legacy()); }});
}

template <typename Function>
auto destroy_memory(Function function) {
  return [function](World& w) {
    OH_NN_Memory* memory = w.memory();
    OH_NN_Memory* const before = memory;
    function(w.pick(w.executors), w.index() / 2, w.rarely() ? nullptr : &memory);
    if (memory != before) std::erase_if(w.memories, [&](const auto& one) { return one.memory == before; });
    return OH_NN_SUCCESS;
  };
}

template <typename Function>
auto allocate_memory(Function function) {
  return [function](World& w) {
    OH_NNExecutor* executor = w.pick(w.executors);
    OH_NN_Memory* memory = function(executor, w.index() / 2, w.length());
    if (memory != nullptr) w.memories.push_back({executor, memory});
    return pointer_code(memory);
  };
}

void add_legacy_steps(std::vector<Step>& steps) {
  steps.push_back({"SetInput", kMayLackMemory, [](World& w) {
                     return OH_NNExecutor_SetInput(w.pick(w.executors), w.index() / 2, w.legacy(), w.buffer(),
                                                   w.length());
                   }});
  steps.push_back({"SetOutput", kMayLackMemory, [](World& w) {
                     return OH_NNExecutor_SetOutput(w.pick(w.executors), w.index() / 4, w.buffer(),
                                                    w.length());
                   }});
  steps.push_back({"Run", kRun, [](World& w) { return OH_NNExecutor_Run(w.pick(w.executors)); }});
  steps.push_back({"AllocateInputMemory", kSimple, allocate_memory(OH_NNExecutor_AllocateInputMemory)});
  steps.push_back({"AllocateOutputMemory", kSimple, allocate_memory(OH_NNExecutor_AllocateOutputMemory)});
  steps.push_back({"DestroyInputMemory", kSimple, destroy_memory(OH_NNExecutor_DestroyInputMemory)});
  steps.push_back({"DestroyOutputMemory", kSimple, destroy_memory(OH_NNExecutor_DestroyOutputMemory)});
  steps.push_back({"SetInputWithMemory", kSimple, [](World& w) {
                     return OH_NNExecutor_SetInputWithMemory(w.pick(w.executors), w.index() / 2, w.legacy(),
                                                             w.memory());
                   }});
  steps.push_back({"SetOutputWithMemory", kSimple, [](World& w) {
                     return OH_NNExecutor_SetOutputWithMemory(w.pick(w.executors), w.index() / 4, w.memory());
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
  for (uint32_t seed = 0; seed < 10000; ++seed) {
    World world(seed);
    for (int call = 0; call < 40; ++call) {
      const size_t place = world.below(steps.size());
      const OH_NN_ReturnCode code = steps[place].call(world);
      ASSERT_TRUE(steps[place].codes.contains(code))
          << steps[place].function << " answered " << code << " in call " << call << " of seed " << seed;
      if (code == OH_NN_SUCCESS) ++successes[place];
    }
  }
  // Otherwise the sequences would test little.
  const std::set<std::string> without_success = {"ExportCacheToBuffer", "ImportCacheFromBuffer", "RunAsync"};
  for (size_t place = 0; place < steps.size(); ++place) {
    const bool can_succeed = !without_success.contains(steps[place].function);
    EXPECT_EQ(successes[place] > 0, can_succeed) << steps[place].function;
  }
}
