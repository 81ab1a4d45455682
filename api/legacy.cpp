// The functions of API 9.
#include "api/base/api_enums.h"
#include "api/base/api_handles.h"
#include "api/base/boundary.h"
#include "api/execution/nn_executor.h"
#include "api/model/quantization_params.h"
#include "core/platform/compat.h"

#include <neural_network_runtime/neural_network_runtime.h>

namespace nnrt {
namespace {

constexpr uint32_t kMaxDimensions = 200;

Result<Shape> shape_of(const OH_NN_Tensor& tensor) {
  if ((tensor.dimensions == nullptr) != (tensor.dimensionCount == 0)) {
    return invalid("Member dimensions is ", tensor.dimensions == nullptr ? "" : "not ",
                   "null and dimensionCount is ", tensor.dimensionCount, ".");
  }
  if (tensor.dimensionCount > kMaxDimensions) {
    return invalid("The number of dimensions (", tensor.dimensionCount, ") exceeds ", kMaxDimensions, ".");
  }
  return Shape(tensor.dimensions, tensor.dimensions + tensor.dimensionCount);
}

Result<Quant> quant_of(const OH_NN_QuantParam* params) {
  if (params == nullptr) return Quant{};
  NNRT_TRY(
      require({{"numBits", params->numBits}, {"scale", params->scale}, {"zeroPoint", params->zeroPoint}}));
  const size_t count = params->quantCount;
  return quant_from({params->scale, count}, {params->zeroPoint, count}, {params->numBits, count});
}

// API 9 knows no formats: the format stays none (R16).
Result<Tensor> tensor_from(const OH_NN_Tensor& tensor) {
  Tensor made;
  NNRT_ASSIGN(made.dtype, dtype_from(number_of(tensor.dataType)));
  NNRT_ASSIGN(made.shape, shape_of(tensor));
  NNRT_ASSIGN(made.quant, quant_of(tensor.quantParam));
  made.role = number_of(tensor.type);
  return made;
}

// Adds the input or output to errors.
template <typename Body>
Status bind(std::string_view side, uint32_t index, const Body& body) {
  Status status = body();
  if (status.ok()) return status;
  return std::move(status).error().during(cat("binding ", side, " ", index));
}

// The dtype and shape of an input's data, checked against the model. Quantization is not compared. Data that
// is copied may be FLOAT32 for FLOAT16.
struct InputType {
  DType dtype;
  Shape shape;
};

Result<InputType> input_type(const OH_NNExecutor& executor, uint32_t index, const OH_NN_Tensor& tensor,
                             bool is_copied) {
  NNRT_TRY(require_index("input", index, executor.graph().inputs.size()));
  const Tensor& model = executor.input(index);
  NNRT_ASSIGN(const DType dtype, dtype_from(number_of(tensor.dataType)));
  const bool is_narrowed = is_copied && dtype == DType::f32 && model.dtype == DType::f16;
  if (dtype != model.dtype && !is_narrowed) {
    return invalid("The tensor's data type (", name(dtype), ") is not the model's (", name(model.dtype),
                   ").");
  }
  if (number_of(tensor.type) != model.role) {
    return invalid("The tensor's type (", number_of(tensor.type), ") is not the model's (", model.role, ").");
  }
  NNRT_ASSIGN(Shape shape, shape_of(tensor));
  static const DimRange kNoRange;
  auto known = executor.range(index);
  if (!known.ok() && known.error().code != Code::forbidden) return std::move(known).error();
  const DimRange* const range = known.ok() ? known.value() : &kNoRange;
  if (!compatible(model.shape, shape)) {
    return invalid("Shape ", to_string(shape), " does not match the model's ", to_string(model.shape), ".");
  }
  for (size_t i = 0; i < shape.size() && i < range->smallest.size(); ++i) {
    if (shape[i] <= 0 || static_cast<size_t>(shape[i]) < range->smallest[i] ||
        static_cast<size_t>(shape[i]) > range->largest[i]) {
      return invalid("Dimension ", i, " (", shape[i], ") is outside [", range->smallest[i], ", ",
                     range->largest[i], "].");
    }
  }
  return InputType{dtype, std::move(shape)};
}

// In upstream mode only; runs always check this.
Status check_room(const OH_NNExecutor& executor, uint32_t index, size_t length) {
  const Tensor& output = executor.output(index);
  const size_t bytes = byte_size(output.dtype, output.shape).value_or(0);
  if (!compat::set_output_checks_room() || length >= bytes) return {};
  return invalid("The buffer for output ", index, " has ", length, " bytes, fewer than ", bytes, ".");
}

OH_NN_Memory* allocate(const char* function, OH_NNExecutor* executor, Side side, uint32_t index,
                       size_t length) {
  return guard_pointer(function, [&]() -> Result<OH_NN_Memory*> {
    NNRT_TRY(require({{"executor", executor}}));
    return executor->bindings.allocate(side, index, length);
  });
}

void destroy_memory(const char* function, OH_NNExecutor* executor, Side side, uint32_t index,
                    OH_NN_Memory** memory) {
  if (executor == nullptr || memory == nullptr || *memory == nullptr) return warn_null(function);
  static_cast<void>(guard(function, [&]() -> Status {
    NNRT_TRY(executor->bindings.destroy(side, index, *memory));
    *memory = nullptr;
    return {};
  }));
}

}  // namespace
}  // namespace nnrt

using namespace nnrt;

OH_NN_ReturnCode OH_NNModel_AddTensor(OH_NNModel* model, const OH_NN_Tensor* tensor) {
  return guard(__func__, {{"model", model}, {"tensor", tensor}}, [&]() -> Status {
    GraphBuilder& builder = model->shared->builder;
    if (builder.finished()) return forbidden("The model is finished and cannot be changed.");
    auto added = tensor_from(*tensor);
    if (!added.ok()) return std::move(added).error().during(cat("adding tensor ", builder.tensor_count()));
    return builder.add_tensor(std::move(added).value());
  });
}

OH_NN_ReturnCode OH_NNExecutor_SetInput(OH_NNExecutor* executor, uint32_t index, const OH_NN_Tensor* tensor,
                                        const void* data, size_t length) {
  return guard(__func__, {{"executor", executor}, {"tensor", tensor}, {"dataBuffer", data}}, [&]() -> Status {
    return bind("input", index, [&]() -> Status {
      NNRT_ASSIGN(InputType type, input_type(*executor, index, *tensor, true));
      return executor->bindings.set_input(index, type.dtype, std::move(type.shape),
                                          {static_cast<const std::byte*>(data), length});
    });
  });
}

OH_NN_ReturnCode OH_NNExecutor_SetOutput(OH_NNExecutor* executor, uint32_t index, void* data, size_t length) {
  return guard(__func__, {{"executor", executor}, {"dataBuffer", data}}, [&]() -> Status {
    NNRT_TRY(require_index("output", index, executor->graph().outputs.size()));
    if (length == 0) return invalid("The length of the buffer for output ", index, " is 0.");
    NNRT_TRY(check_room(*executor, index, length));
    return bind("output", index, [&] {
      return executor->bindings.set_output(index, {static_cast<std::byte*>(data), length});
    });
  });
}

OH_NN_ReturnCode OH_NNExecutor_Run(OH_NNExecutor* executor) {
  return guard(__func__, {{"executor", executor}}, [&]() -> Status {
    NNRT_TRY(executor->check_waiting());
    NNRT_ASSIGN(Bindings::RunTensors tensors, executor->bindings.run_tensors());
    NNRT_TRY(executor->run(tensors.inputs, tensors.outputs));
    return executor->bindings.deliver(tensors);
  });
}

OH_NN_Memory* OH_NNExecutor_AllocateInputMemory(OH_NNExecutor* executor, uint32_t index, size_t length) {
  return allocate(__func__, executor, Side::input, index, length);
}

OH_NN_Memory* OH_NNExecutor_AllocateOutputMemory(OH_NNExecutor* executor, uint32_t index, size_t length) {
  return allocate(__func__, executor, Side::output, index, length);
}

void OH_NNExecutor_DestroyInputMemory(OH_NNExecutor* executor, uint32_t index, OH_NN_Memory** memory) {
  destroy_memory(__func__, executor, Side::input, index, memory);
}

void OH_NNExecutor_DestroyOutputMemory(OH_NNExecutor* executor, uint32_t index, OH_NN_Memory** memory) {
  destroy_memory(__func__, executor, Side::output, index, memory);
}

OH_NN_ReturnCode OH_NNExecutor_SetInputWithMemory(OH_NNExecutor* executor, uint32_t index,
                                                  const OH_NN_Tensor* tensor, const OH_NN_Memory* memory) {
  return guard(__func__, {{"executor", executor}, {"tensor", tensor}, {"memory", memory}}, [&]() -> Status {
    return bind("input", index, [&]() -> Status {
      NNRT_ASSIGN(InputType type, input_type(*executor, index, *tensor, false));
      return executor->bindings.bind_input(index, std::move(type.shape), memory);
    });
  });
}

OH_NN_ReturnCode OH_NNExecutor_SetOutputWithMemory(OH_NNExecutor* executor, uint32_t index,
                                                   const OH_NN_Memory* memory) {
  return guard(__func__, {{"executor", executor}, {"memory", memory}}, [&]() -> Status {
    NNRT_TRY(require_index("output", index, executor->graph().outputs.size()));
    return bind("output", index, [&] { return executor->bindings.bind_output(index, memory); });
  });
}
