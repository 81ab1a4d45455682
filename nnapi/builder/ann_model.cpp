#include "nnapi/base/client_call.h"
#include "nnapi/builder/model_composer.h"

#include <android/NeuralNetworks.h>

using namespace nnrt;
using namespace nnrt::nnapi;

int ANeuralNetworksModel_create(ANeuralNetworksModel** model) {
  return guard(__func__, {{"model", model}}, [&] {
    *model = nullptr;
    *model = std::make_unique<ANeuralNetworksModel>().release();
  });
}

void ANeuralNetworksModel_free(ANeuralNetworksModel* model) { free_handle(model); }

int ANeuralNetworksModel_addOperand(ANeuralNetworksModel* model, const ANeuralNetworksOperandType* type) {
  return guard(__func__, {{"model", model}, {"type", type}},
               [&] { return model->composer.add_operand(*type); });
}

int ANeuralNetworksModel_setOperandValue(ANeuralNetworksModel* model, int32_t index, const void* buffer,
                                         size_t length) {
  return guard(__func__, {{"model", model}}, [&]() -> Outcome {
    if (length != 0) NNRT_TRY(require({{"buffer", buffer}}));
    return model->composer.set_value(index, buffer, length);
  });
}

int ANeuralNetworksModel_setOperandValueFromMemory(ANeuralNetworksModel* model, int32_t index,
                                                   const ANeuralNetworksMemory* memory, size_t offset,
                                                   size_t length) {
  return guard(__func__, {{"model", model}, {"memory", memory}},
               [&] { return model->composer.set_value_from_memory(index, *memory->memory, offset, length); });
}

int ANeuralNetworksModel_setOperandValueFromModel(ANeuralNetworksModel* model, int32_t index,
                                                  const ANeuralNetworksModel* value) {
  return guard(__func__, {{"model", model}, {"value", value}},
               [&] { return model->composer.set_value_from_model(index, value->composer); });
}

int ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
    ANeuralNetworksModel* model, int32_t index,
    const ANeuralNetworksSymmPerChannelQuantParams* channelQuant) {
  return guard(__func__, {{"model", model}, {"channelQuant", channelQuant}},
               [&] { return model->composer.set_channel_quant(index, *channelQuant); });
}

int ANeuralNetworksModel_addOperation(ANeuralNetworksModel* model, ANeuralNetworksOperationType type,
                                      uint32_t inputCount, const uint32_t* inputs, uint32_t outputCount,
                                      const uint32_t* outputs) {
  return guard(__func__, {{"model", model}, {"inputs", inputs}, {"outputs", outputs}}, [&] {
    return model->composer.add_operation(type, {inputs, inputCount}, {outputs, outputCount});
  });
}

int ANeuralNetworksModel_identifyInputsAndOutputs(ANeuralNetworksModel* model, uint32_t inputCount,
                                                  const uint32_t* inputs, uint32_t outputCount,
                                                  const uint32_t* outputs) {
  return guard(__func__, {{"model", model}, {"inputs", inputs}, {"outputs", outputs}}, [&] {
    return model->composer.identify({inputs, inputCount}, {outputs, outputCount});
  });
}

int ANeuralNetworksModel_relaxComputationFloat32toFloat16(ANeuralNetworksModel* model, bool allow) {
  return guard(__func__, {{"model", model}}, [&] { return model->composer.relax(allow); });
}

int ANeuralNetworksModel_finish(ANeuralNetworksModel* model) {
  return guard(__func__, {{"model", model}}, [&] { return model->composer.finish(); });
}
