/**
 * @file neural_network_runtime.h
 *
 * Composing models, and the functions of API 9 that run them. Usable from C11 and C++; link with
 * libneural_network_runtime.so. What neural_network_core.h says about all functions holds here too.
 *
 * A model is a list of tensors, numbered from 0 in the order in which they are added, and operations that
 * name tensors by number. Constants and parameters are tensors with data. The usual way:
 * OH_NNModel_Construct; _AddTensorToModel, _SetTensorType and _SetTensorData for each tensor; _AddOperation;
 * _SpecifyInputsAndOutputs; _Finish.
 */
#ifndef NEURAL_NETWORK_RUNTIME_H
#define NEURAL_NETWORK_RUNTIME_H

#include "neural_network_core.h"
#include "neural_network_runtime_type.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* ---- Quantization parameters ---- */

/**
 * Makes empty quantization parameters. Scales, zero points and bits must be set, in equal numbers: one for
 * the whole tensor, or one for each channel. A value stands for scale * (value - zero point).
 *
 * @return The parameters, to be destroyed with OH_NNQuantParam_Destroy; NULL if memory is short.
 * Since API 11.
 */
NN_QuantParam* OH_NNQuantParam_Create(void);

/**
 * Sets the scales: the float that one quantized step stands for.
 *
 * @param quantParams the parameters.
 * @param scales the scales, copied.
 * @param quantCount their number, not 0.
 * @return OH_NN_INVALID_PARAMETER: null pointer, or number 0.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNQuantParam_SetScales(NN_QuantParam* quantParams, const double* scales,
                                           size_t quantCount);

/**
 * Sets the zero points: the quantized values that stand for 0.
 *
 * @param quantParams the parameters.
 * @param zeroPoints the zero points, copied.
 * @param quantCount their number, not 0.
 * @return OH_NN_INVALID_PARAMETER: null pointer, or number 0.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNQuantParam_SetZeroPoints(NN_QuantParam* quantParams, const int32_t* zeroPoints,
                                               size_t quantCount);

/**
 * Sets the numbers of bits of a quantized value. Only 8 is of use: OH_NNModel_SetTensorQuantParams refuses
 * others.
 *
 * @param quantParams the parameters.
 * @param numBits the numbers of bits, copied.
 * @param quantCount their number, not 0.
 * @return OH_NN_INVALID_PARAMETER: null pointer, or number 0.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNQuantParam_SetNumBits(NN_QuantParam* quantParams, const uint32_t* numBits,
                                            size_t quantCount);

/**
 * Destroys quantization parameters and sets the pointer to NULL.
 *
 * @param quantParams address of the pointer.
 * @return OH_NN_INVALID_PARAMETER: null, or the pointer is null.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNQuantParam_Destroy(NN_QuantParam** quantParams);

/* ---- Models ---- */

/**
 * Makes an empty model.
 *
 * @return The model, to be destroyed with OH_NNModel_Destroy; NULL if memory is short.
 */
OH_NNModel* OH_NNModel_Construct(void);

/**
 * Adds a data tensor. Its number is the count of tensors before. A description without a shape makes a
 * scalar.
 *
 * @param model a model that is not finished.
 * @param tensorDesc the description, copied. Dimensions are above 0, or -1 where each run decides; the tensor
 *        has fewer than 4 GiB.
 * @return OH_NN_INVALID_PARAMETER: null pointer, dimensions out of range, too large.
 *         OH_NN_OPERATION_FORBIDDEN: the model is finished.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNModel_AddTensorToModel(OH_NNModel* model, const NN_TensorDesc* tensorDesc);

/**
 * Gives a tensor constant data. Parameters need it before the operation that uses them is added.
 *
 * @param model a model that is not finished.
 * @param index the tensor.
 * @param dataBuffer first byte, copied.
 * @param length bytes; exactly what the tensor's elements take.
 * @return OH_NN_INVALID_PARAMETER: null pointer, no such tensor, a wrong length, or data was set before.
 *         OH_NN_OPERATION_FORBIDDEN: the model is finished, the tensor has unknown dimensions, or it is an
 *         input or output of the model.
 */
OH_NN_ReturnCode OH_NNModel_SetTensorData(OH_NNModel* model, uint32_t index, const void* dataBuffer,
                                          size_t length);

/**
 * Sets a tensor's quantization.
 *
 * @param model a model that is not finished.
 * @param index the tensor.
 * @param quantParam the parameters, copied.
 * @return OH_NN_INVALID_PARAMETER: null pointer, no such tensor, numbers that differ or were never set, bits
 *         other than 8. OH_NN_OPERATION_FORBIDDEN: the model is finished.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNModel_SetTensorQuantParams(OH_NNModel* model, uint32_t index,
                                                 NN_QuantParam* quantParam);

/**
 * Says what a tensor is for: data, which is the default, or a parameter of an operation.
 *
 * @param model a model that is not finished.
 * @param index the tensor.
 * @param tensorType what it is for.
 * @return OH_NN_INVALID_PARAMETER: null, no such tensor, outside the enumeration.
 *         OH_NN_OPERATION_FORBIDDEN: the model is finished.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNModel_SetTensorType(OH_NNModel* model, uint32_t index, OH_NN_TensorType tensorType);

/**
 * Adds an operation. Operations may come in any order. Parameters are read and copied now. Data types and
 * shapes of inputs and outputs are not judged here but by OH_NNCompilation_Build.
 *
 * @param model a model that is not finished.
 * @param op the operation.
 * @param paramIndices the parameters, in any order; an empty list, {NULL, 0}, for none.
 * @param inputIndices the inputs, in the order that the operation defines.
 * @param outputIndices the outputs, likewise.
 * @return OH_NN_INVALID_PARAMETER: null pointer, a list whose data and size contradict each other, no such
 *         tensor or operation, a wrong number of inputs, outputs or parameters, a parameter that is not the
 *         operation's, has no data, or has data of a wrong type, number or value, a tensor that is input and
 *         output at once. OH_NN_OPERATION_FORBIDDEN: the model is finished.
 */
OH_NN_ReturnCode OH_NNModel_AddOperation(OH_NNModel* model, OH_NN_OperationType op,
                                         const OH_NN_UInt32Array* paramIndices,
                                         const OH_NN_UInt32Array* inputIndices,
                                         const OH_NN_UInt32Array* outputIndices);

/**
 * Names the model's inputs and outputs, in the order in which executors count them. To be called once.
 *
 * @param model a model that is not finished.
 * @param inputIndices 1 to 200 inputs.
 * @param outputIndices 1 to 200 outputs.
 * @return OH_NN_INVALID_PARAMETER: null pointer, a list whose data and size contradict each other or that is
 *         too long, no such tensor, a parameter, a tensor in both lists. OH_NN_OPERATION_FORBIDDEN: called
 *         before, or the model is finished.
 */
OH_NN_ReturnCode OH_NNModel_SpecifyInputsAndOutputs(OH_NNModel* model, const OH_NN_UInt32Array* inputIndices,
                                                    const OH_NN_UInt32Array* outputIndices);

/**
 * Closes the model: nothing can be added after success. After a failure it may be completed and finished
 * again.
 *
 * @param model the model.
 * @return OH_NN_INVALID_PARAMETER: null, operations that form a circle, a tensor written by two operations, a
 *         tensor that is read or an output, but that nothing provides. OH_NN_OPERATION_FORBIDDEN: no tensor,
 *         no operation, no inputs and outputs, or already finished. OH_NN_FAILED: an operation misses
 *         something that has no default.
 */
OH_NN_ReturnCode OH_NNModel_Finish(OH_NNModel* model);

/**
 * Destroys a model and sets the pointer to NULL. Compilations made from it are not affected. Null is ignored.
 *
 * @param model address of the pointer.
 */
void OH_NNModel_Destroy(OH_NNModel** model);

/**
 * Asks which operations of a model a device runs itself.
 *
 * @param model a finished model.
 * @param deviceID the device.
 * @param isSupported must point to NULL; receives one entry for each operation, in the order in which they
 *        were added. The entries belong to the model and are valid until the next such call or the end of the
 *        model.
 * @param opCount receives the number of entries.
 * @return OH_NN_INVALID_PARAMETER: null pointer, or *isSupported is not NULL. OH_NN_OPERATION_FORBIDDEN: the
 *         model is not finished. OH_NN_FAILED: no such device. OH_NN_UNAVAILABLE_DEVICE: error of the device.
 */
OH_NN_ReturnCode OH_NNModel_GetAvailableOperations(OH_NNModel* model, size_t deviceID,
                                                   const bool** isSupported, uint32_t* opCount);

/* ---- API 9 ---- */

/**
 * Adds a tensor with its quantization and its role in one call.
 *
 * @param model a model that is not finished.
 * @param tensor the tensor, copied.
 * @return OH_NN_INVALID_PARAMETER: null pointer, also within the structures; a type or role outside its
 *         enumeration, dimensions out of range, bits other than 8, too large. OH_NN_OPERATION_FORBIDDEN: the
 *         model is finished.
 * Deprecated since API 11: use OH_NNModel_AddTensorToModel.
 */
OH_NN_ReturnCode OH_NNModel_AddTensor(OH_NNModel* model, const OH_NN_Tensor* tensor);

/**
 * Copies data for an input, which stays bound for all runs until it is set again.
 *
 * @param executor the executor.
 * @param inputIndex position among the model's inputs.
 * @param tensor type and shape of the data, with all dimensions known.
 * @param dataBuffer first byte.
 * @param length bytes; not fewer than the elements take. More are ignored.
 * @return OH_NN_INVALID_PARAMETER: null pointer, no such input, a type or shape that does not fit the model,
 *         length 0 or too small. OH_NN_MEMORY_ERROR: out of memory.
 * Deprecated since API 11: use OH_NNExecutor_RunSync.
 */
OH_NN_ReturnCode OH_NNExecutor_SetInput(OH_NNExecutor* executor, uint32_t inputIndex,
                                        const OH_NN_Tensor* tensor, const void* dataBuffer, size_t length);

/**
 * Binds the caller's memory to an output: each successful OH_NNExecutor_Run copies the result into it.
 *
 * @param executor the executor.
 * @param outputIndex position among the model's outputs.
 * @param dataBuffer first byte; must be valid in every run.
 * @param length bytes. If the result is larger, OH_NNExecutor_Run fails.
 * @return OH_NN_INVALID_PARAMETER: null pointer, length 0, no such output. OH_NN_MEMORY_ERROR: out of memory.
 * Deprecated since API 11: use OH_NNExecutor_RunSync.
 */
OH_NN_ReturnCode OH_NNExecutor_SetOutput(OH_NNExecutor* executor, uint32_t outputIndex, void* dataBuffer,
                                         size_t length);

/**
 * Runs the model with what is bound and waits for the results.
 *
 * @param executor the executor.
 * @return OH_NN_INVALID_PARAMETER: null, an input or output that is not bound or whose memory was destroyed,
 *         an output that is too small. Errors of the run as for OH_NNExecutor_RunSync.
 * Deprecated since API 11: use OH_NNExecutor_RunSync.
 */
OH_NN_ReturnCode OH_NNExecutor_Run(OH_NNExecutor* executor);

/**
 * Allocates device memory for an input. It is used once OH_NNExecutor_SetInputWithMemory has bound it.
 *
 * @param executor the executor.
 * @param inputIndex position among the model's inputs.
 * @param length bytes, 1 to 1 GiB.
 * @return The memory, to be destroyed with OH_NNExecutor_DestroyInputMemory, at the latest with the executor;
 *         NULL if executor is null, there is no such input, length is out of range or memory is short.
 * Deprecated since API 11: use OH_NNTensor_CreateWithSize.
 */
OH_NN_Memory* OH_NNExecutor_AllocateInputMemory(OH_NNExecutor* executor, uint32_t inputIndex, size_t length);

/**
 * Allocates device memory for an output. It is used once OH_NNExecutor_SetOutputWithMemory has bound it.
 *
 * @param executor the executor.
 * @param outputIndex position among the model's outputs.
 * @param length bytes, 1 to 1 GiB.
 * @return The memory, to be destroyed with OH_NNExecutor_DestroyOutputMemory, at the latest with the
 * executor; NULL as for OH_NNExecutor_AllocateInputMemory. Deprecated since API 11: use
 * OH_NNTensor_CreateWithSize.
 */
OH_NN_Memory* OH_NNExecutor_AllocateOutputMemory(OH_NNExecutor* executor, uint32_t outputIndex,
                                                 size_t length);

/**
 * Frees memory of an input, unbinds it, and sets the pointer to NULL. Nothing happens if anything is null, or
 * the memory was not allocated by this executor for this input.
 *
 * @param executor the executor.
 * @param inputIndex the input that the memory was allocated for.
 * @param memory address of the pointer.
 * Deprecated since API 11: use OH_NNTensor_Destroy.
 */
void OH_NNExecutor_DestroyInputMemory(OH_NNExecutor* executor, uint32_t inputIndex, OH_NN_Memory** memory);

/**
 * Frees memory of an output, as OH_NNExecutor_DestroyInputMemory does that of an input.
 *
 * @param executor the executor.
 * @param outputIndex the output that the memory was allocated for.
 * @param memory address of the pointer.
 * Deprecated since API 11: use OH_NNTensor_Destroy.
 */
void OH_NNExecutor_DestroyOutputMemory(OH_NNExecutor* executor, uint32_t outputIndex, OH_NN_Memory** memory);

/**
 * Binds allocated memory to an input, without a copy: what the memory holds when OH_NNExecutor_Run is called
 * counts.
 *
 * @param executor the executor.
 * @param inputIndex position among the model's inputs.
 * @param tensor type and shape of the data, with all dimensions known.
 * @param memory memory of this executor, not smaller than the elements need.
 * @return OH_NN_INVALID_PARAMETER: null pointer, no such input, a type or shape that does not fit the model,
 *         memory that is too small or not of this executor.
 * Deprecated since API 11: use OH_NNExecutor_RunSync.
 */
OH_NN_ReturnCode OH_NNExecutor_SetInputWithMemory(OH_NNExecutor* executor, uint32_t inputIndex,
                                                  const OH_NN_Tensor* tensor, const OH_NN_Memory* memory);

/**
 * Binds allocated memory to an output: results are written there, without a copy.
 *
 * @param executor the executor.
 * @param outputIndex position among the model's outputs.
 * @param memory memory of this executor, not smaller than the output where the model declares all its
 *        dimensions. If the result of a run is larger, OH_NNExecutor_Run fails.
 * @return OH_NN_INVALID_PARAMETER: null pointer, no such output, memory that is too small or not of this
 *         executor.
 * Deprecated since API 11: use OH_NNExecutor_RunSync.
 */
OH_NN_ReturnCode OH_NNExecutor_SetOutputWithMemory(OH_NNExecutor* executor, uint32_t outputIndex,
                                                   const OH_NN_Memory* memory);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif  // NEURAL_NETWORK_RUNTIME_H
