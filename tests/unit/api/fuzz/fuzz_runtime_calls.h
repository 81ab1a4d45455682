// Fuzzed calls of libneural_network_runtime: quantization parameters, models, API 9.
#pragma once

#include "tests/unit/api/fuzz/fuzz_call.h"

namespace api_tests {

inline void add_quant_steps(std::vector<Step>& steps) {
  steps.push_back({"QuantParam_Create", kSimple, [](FuzzState& w) {
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
  steps.push_back({"SetScales", kSimple, [](FuzzState& w) {
                     return OH_NNQuantParam_SetScales(w.pick(w.quants), w.buffer<double>(), w.length(8));
                   }});
  steps.push_back({"SetZeroPoints", kSimple, [](FuzzState& w) {
                     return OH_NNQuantParam_SetZeroPoints(w.pick(w.quants), w.buffer<int32_t>(), w.length(8));
                   }});
  steps.push_back({"SetNumBits", kSimple, [](FuzzState& w) {
                     const std::vector<uint32_t> bits(w.below(4), w.rarely() ? 4 : 8);
                     return OH_NNQuantParam_SetNumBits(w.pick(w.quants), bits.data(), bits.size());
                   }});
  steps.push_back({"QuantParam_Destroy", kSimple,
                   [](FuzzState& w) { return w.destroy(w.quants, OH_NNQuantParam_Destroy); }});
}

inline void add_model_steps(std::vector<Step>& steps) {
  static const bool taken_flag = true;
  steps.push_back({"Model_Construct", kSimple, [](FuzzState& w) {
                     const size_t content = w.below(4);
                     if (content == 0) w.models.push_back(open_model({2, 3}));
                     if (content == 0) return OH_NN_SUCCESS;
                     OH_NNModel* model = OH_NNModel_Construct();
                     for (size_t i = 0; i < content; ++i) {
                       OH_NNModel_AddTensorToModel(model, desc_of({2, 3}).get());
                     }
                     return w.keep(w.models, model);
                   }});
  steps.push_back({"AddTensorToModel", kStateful, [](FuzzState& w) {
                     return OH_NNModel_AddTensorToModel(w.pick(w.models), w.pick(w.descs));
                   }});
  steps.push_back({"SetTensorData", kStateful, [](FuzzState& w) {
                     return OH_NNModel_SetTensorData(w.pick(w.models), w.index(), w.buffer(), w.length());
                   }});
  steps.push_back({"SetTensorQuantParams", kStateful, [](FuzzState& w) {
                     return OH_NNModel_SetTensorQuantParams(w.pick(w.models), w.index(), w.pick(w.quants));
                   }});
  steps.push_back({"SetTensorType", kStateful, [](FuzzState& w) {
                     return OH_NNModel_SetTensorType(w.pick(w.models), w.index(),
                                                     any<OH_NN_TensorType>(w.enumerator(162)));
                   }});
  steps.push_back(
      {"AddOperation", kStateful, [](FuzzState& w) {
         if (w.below(2) == 0) {
           return OH_NNModel_AddOperation(w.pick(w.models), OH_NN_OPS_RELU, w.list(0), w.list(1), w.list(1));
         }
         return OH_NNModel_AddOperation(w.pick(w.models), any<OH_NN_OperationType>(w.operation_type()),
                                        w.list(), w.list(), w.list());
       }});
  steps.push_back({"SpecifyInputsAndOutputs", kStateful, [](FuzzState& w) {
                     return OH_NNModel_SpecifyInputsAndOutputs(w.pick(w.models), w.list(1), w.list());
                   }});
  ReturnCodes finish = kStateful;
  finish.insert(OH_NN_FAILED);
  steps.push_back({"Finish", finish, [](FuzzState& w) { return OH_NNModel_Finish(w.pick(w.models)); }});
  steps.push_back({"Model_Destroy", kSimple,
                   [](FuzzState& w) { return w.destroy(w.models, without_code(OH_NNModel_Destroy)); }});
  steps.push_back({"GetAvailableOperations", finish, [](FuzzState& w) {
                     const bool* flags;
                     uint32_t count;
                     return OH_NNModel_GetAvailableOperations(w.pick(w.models), w.device(),
                                                              w.empty_out(flags, &taken_flag), w.out(count));
                   }});
  steps.push_back({"AddTensor", kStateful,
                   [](FuzzState& w) { return OH_NNModel_AddTensor(w.pick(w.models), w.legacy()); }});
}

template <typename Function>
auto destroy_memory(Function function) {
  return [function](FuzzState& w) {
    OH_NN_Memory* memory = w.memory();
    OH_NN_Memory* const before = memory;
    function(w.pick(w.executors), w.index() / 2, w.rarely() ? nullptr : &memory);
    if (memory != before) std::erase_if(w.memories, [&](const auto& one) { return one.memory == before; });
    return OH_NN_SUCCESS;
  };
}

template <typename Function>
auto allocate_memory(Function function) {
  return [function](FuzzState& w) {
    OH_NNExecutor* executor = w.pick(w.executors);
    OH_NN_Memory* memory = function(executor, w.index() / 2, w.length());
    if (memory != nullptr) w.memories.push_back({executor, memory});
    return pointer_code(memory);
  };
}

inline void add_legacy_steps(std::vector<Step>& steps) {
  steps.push_back({"SetInput", kMayLackMemory, [](FuzzState& w) {
                     return OH_NNExecutor_SetInput(w.pick(w.executors), w.index() / 2, w.legacy(), w.buffer(),
                                                   w.length());
                   }});
  steps.push_back({"SetOutput", kMayLackMemory, [](FuzzState& w) {
                     return OH_NNExecutor_SetOutput(w.pick(w.executors), w.index() / 4, w.buffer(),
                                                    w.length());
                   }});
  steps.push_back({"Run", kRun, [](FuzzState& w) { return OH_NNExecutor_Run(w.pick(w.executors)); }});
  steps.push_back({"AllocateInputMemory", kSimple, allocate_memory(OH_NNExecutor_AllocateInputMemory)});
  steps.push_back({"AllocateOutputMemory", kSimple, allocate_memory(OH_NNExecutor_AllocateOutputMemory)});
  steps.push_back({"DestroyInputMemory", kSimple, destroy_memory(OH_NNExecutor_DestroyInputMemory)});
  steps.push_back({"DestroyOutputMemory", kSimple, destroy_memory(OH_NNExecutor_DestroyOutputMemory)});
  steps.push_back({"SetInputWithMemory", kSimple, [](FuzzState& w) {
                     return OH_NNExecutor_SetInputWithMemory(w.pick(w.executors), w.index() / 2, w.legacy(),
                                                             w.memory());
                   }});
  steps.push_back({"SetOutputWithMemory", kSimple, [](FuzzState& w) {
                     return OH_NNExecutor_SetOutputWithMemory(w.pick(w.executors), w.index() / 4, w.memory());
                   }});
}

}  // namespace api_tests
