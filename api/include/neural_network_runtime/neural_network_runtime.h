/**
 * @file neural_network_runtime.h
 *
 * Building models, and the API 9 functions that run them. Usable from C11 and C++; link with
 * libneural_network_runtime.so. The rules for all functions in neural_network_core.h apply here too.
 *
 * A model is a list of tensors, numbered from 0 in the order in which they are added, and of operations that
 * refer to tensors by number. Constants and parameters are tensors with data. Typical use:
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
 * Creates empty quantization parameters. Scales, zero points and bits must be set, in equal numbers: one
 * value per tensor, or one per channel. The real value is scale * (quantized - zero point).
 *
 * @return The parameters; destroy them with OH_NNQuantParam_Destroy. NULL if memory is exhausted.
 * Since API 11.
 */
NN_QuantParam* OH_NNQuantParam_Create(void);

/**
 * Sets the scales: the real-valued size of one quantization step.
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
 * Sets the zero points: the quantized values that represent 0.
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
 * Sets the bit widths of quantized values. OH_NNModel_SetTensorQuantParams accepts only 8.
 *
 * @param quantParams the parameters.
 * @param numBits the bit widths, copied.
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
 * Creates an empty model.
 *
 * @return The model; destroy it with OH_NNModel_Destroy. NULL if memory is exhausted.
 */
OH_NNModel* OH_NNModel_Construct(void);

/**
 * Adds a data tensor. Its number is the count of tensors added before. A description without a shape makes a
 * scalar.
 *
 * @param model a model that is not finished.
 * @param tensorDesc the description, copied. Dimensions are above 0, or -1 if they may change from run to
 *        run; the tensor must be smaller than 4 GiB.
 * @return OH_NN_INVALID_PARAMETER: null pointer, dimensions out of range, too large.
 *         OH_NN_OPERATION_FORBIDDEN: the model is finished.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNModel_AddTensorToModel(OH_NNModel* model, const NN_TensorDesc* tensorDesc);

/**
 * Sets a tensor's constant data. A parameter needs it before the operation that uses it is added.
 *
 * @param model a model that is not finished.
 * @param index the tensor.
 * @param dataBuffer the data, copied.
 * @param length bytes; exactly the size of the tensor's elements.
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
 * @return OH_NN_INVALID_PARAMETER: null pointer, no such tensor, unequal or missing numbers of scales, zero
 *         points and bits, or bits other than 8. OH_NN_OPERATION_FORBIDDEN: the model is finished.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNModel_SetTensorQuantParams(OH_NNModel* model, uint32_t index,
                                                 NN_QuantParam* quantParam);

/**
 * Sets the role of a tensor: data (the default), or a parameter of an operation.
 *
 * @param model a model that is not finished.
 * @param index the tensor.
 * @param tensorType the role.
 * @return OH_NN_INVALID_PARAMETER: null, no such tensor, outside the enumeration.
 *         OH_NN_OPERATION_FORBIDDEN: the model is finished.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNModel_SetTensorType(OH_NNModel* model, uint32_t index, OH_NN_TensorType tensorType);

/**
 * Adds an operation. Operations may be added in any order. Parameters are read and copied here. Data types
 * and shapes of inputs and outputs are checked by OH_NNCompilation_Build.
 *
 * @param model a model that is not finished.
 * @param op the operation.
 * @param paramIndices the parameters, in any order; an empty list, {NULL, 0}, for none.
 * @param inputIndices the inputs, in the order defined by the operation.
 * @param outputIndices the outputs, likewise.
 * @return OH_NN_INVALID_PARAMETER: null pointer, a list with only one of data and size set, no such tensor or
 *         operation, a wrong number of inputs, outputs or parameters, a parameter that the operation does not
 *         have, that has no data, or whose data has a wrong type, count or value, or a tensor that is both
 *         input and output. OH_NN_OPERATION_FORBIDDEN: the model is finished.
 */
OH_NN_ReturnCode OH_NNModel_AddOperation(OH_NNModel* model, OH_NN_OperationType op,
                                         const OH_NN_UInt32Array* paramIndices,
                                         const OH_NN_UInt32Array* inputIndices,
                                         const OH_NN_UInt32Array* outputIndices);

/**
 * Specifies the model's inputs and outputs, in the order used by executors. May be called only once.
 *
 * @param model a model that is not finished.
 * @param inputIndices 1 to 200 inputs.
 * @param outputIndices 1 to 200 outputs.
 * @return OH_NN_INVALID_PARAMETER: null pointer, a list that is too long or has only one of data and size
 *         set, no such tensor, a parameter, or a tensor in both lists. OH_NN_OPERATION_FORBIDDEN: called
 *         before, or the model is finished.
 */
OH_NN_ReturnCode OH_NNModel_SpecifyInputsAndOutputs(OH_NNModel* model, const OH_NN_UInt32Array* inputIndices,
                                                    const OH_NN_UInt32Array* outputIndices);

/**
 * Finishes the model; nothing can be added after that. If this call fails, the model may be completed and
 * finished again.
 *
 * @param model the model.
 * @return OH_NN_INVALID_PARAMETER: null, a cycle of operations, a tensor written by two operations, or a
 *         tensor that is read or is an output but has no source. OH_NN_OPERATION_FORBIDDEN: no tensors,
 *         operations, inputs or outputs, or already finished. OH_NN_FAILED: a required parameter or input of
 *         an operation is missing.
 */
OH_NN_ReturnCode OH_NNModel_Finish(OH_NNModel* model);

/**
 * Destroys a model and sets the pointer to NULL. Compilations made from it are not affected. Null is ignored.
 *
 * @param model address of the pointer.
 */
void OH_NNModel_Destroy(OH_NNModel** model);

/**
 * Queries which operations of a model a device runs itself.
 *
 * @param model a finished model.
 * @param deviceID the device.
 * @param isSupported must point to NULL; receives one entry per operation, in the order in which they were
 *        added. The entries are owned by the model and valid until the next such call or until the model is
 *        destroyed.
 * @param opCount receives the number of entries.
 * @return OH_NN_INVALID_PARAMETER: null pointer, or *isSupported is not NULL. OH_NN_OPERATION_FORBIDDEN: the
 *         model is not finished. OH_NN_FAILED: no such device. OH_NN_UNAVAILABLE_DEVICE: the device failed.
 */
OH_NN_ReturnCode OH_NNModel_GetAvailableOperations(OH_NNModel* model, size_t deviceID,
                                                   const bool** isSupported, uint32_t* opCount);

/* ---- API 9 ---- */

/**
 * Adds a tensor with its quantization parameters and its role in one call.
 *
 * @param model a model that is not finished.
 * @param tensor the tensor, copied.
 * @return OH_NN_INVALID_PARAMETER: null pointer, also inside the structures; a type or role outside its
 *         enumeration, dimensions out of range, bits other than 8, too large. OH_NN_OPERATION_FORBIDDEN: the
 *         model is finished.
 * Deprecated since API 11: use OH_NNModel_AddTensorToModel.
 */
OH_NN_ReturnCode OH_NNModel_AddTensor(OH_NNModel* model, const OH_NN_Tensor* tensor);

/**
 * Copies the data of an input, which stays bound for all runs until it is set again.
 *
 * @param executor the executor.
 * @param inputIndex index of the model's input.
 * @param tensor type and shape of the data, with all dimensions known.
 * @param dataBuffer the data.
 * @param length bytes, at least the size of the elements; the rest is ignored.
 * @return OH_NN_INVALID_PARAMETER: null pointer, no such input, a type or shape that does not match the
 *         model, length 0 or too small. OH_NN_MEMORY_ERROR: out of memory.
 * Deprecated since API 11: use OH_NNExecutor_RunSync.
 */
OH_NN_ReturnCode OH_NNExecutor_SetInput(OH_NNExecutor* executor, uint32_t inputIndex,
                                        const OH_NN_Tensor* tensor, const void* dataBuffer, size_t length);

/**
 * Binds the caller's memory to an output: each successful OH_NNExecutor_Run copies the result into it.
 *
 * @param executor the executor.
 * @param outputIndex index of the model's output.
 * @param dataBuffer the memory; must be valid during every run.
 * @param length bytes. If the result is larger, OH_NNExecutor_Run fails.
 * @return OH_NN_INVALID_PARAMETER: null pointer, length 0, no such output. OH_NN_MEMORY_ERROR: out of memory.
 * Deprecated since API 11: use OH_NNExecutor_RunSync.
 */
OH_NN_ReturnCode OH_NNExecutor_SetOutput(OH_NNExecutor* executor, uint32_t outputIndex, void* dataBuffer,
                                         size_t length);

/**
 * Runs the model with the bound inputs and outputs and waits for the results.
 *
 * @param executor the executor.
 * @return OH_NN_INVALID_PARAMETER: null, an input or output that is not bound or whose memory was destroyed,
 *         an output that is too small. Errors of the run as for OH_NNExecutor_RunSync.
 * Deprecated since API 11: use OH_NNExecutor_RunSync.
 */
OH_NN_ReturnCode OH_NNExecutor_Run(OH_NNExecutor* executor);

/**
 * Allocates device memory for an input. Bind it with OH_NNExecutor_SetInputWithMemory.
 *
 * @param executor the executor.
 * @param inputIndex index of the model's input.
 * @param length bytes, 1 to 1 GiB.
 * @return The memory; freed by OH_NNExecutor_DestroyInputMemory or with the executor. NULL if executor is
 * null, there is no such input, length is out of range or memory is exhausted. Deprecated since API 11: use
 * OH_NNTensor_CreateWithSize.
 */
OH_NN_Memory* OH_NNExecutor_AllocateInputMemory(OH_NNExecutor* executor, uint32_t inputIndex, size_t length);

/**
 * Allocates device memory for an output. Bind it with OH_NNExecutor_SetOutputWithMemory.
 *
 * @param executor the executor.
 * @param outputIndex index of the model's output.
 * @param length bytes, 1 to 1 GiB.
 * @return The memory; freed by OH_NNExecutor_DestroyOutputMemory or with the executor. NULL as for
 * OH_NNExecutor_AllocateInputMemory. Deprecated since API 11: use OH_NNTensor_CreateWithSize.
 */
OH_NN_Memory* OH_NNExecutor_AllocateOutputMemory(OH_NNExecutor* executor, uint32_t outputIndex,
                                                 size_t length);

/**
 * Frees the memory of an input, unbinds it, and sets the pointer to NULL. No effect if anything is null, or
 * if the memory was not allocated by this executor for this input.
 *
 * @param executor the executor.
 * @param inputIndex the input that the memory was allocated for.
 * @param memory address of the pointer.
 * Deprecated since API 11: use OH_NNTensor_Destroy.
 */
void OH_NNExecutor_DestroyInputMemory(OH_NNExecutor* executor, uint32_t inputIndex, OH_NN_Memory** memory);

/**
 * Frees the memory of an output, as OH_NNExecutor_DestroyInputMemory does for an input.
 *
 * @param executor the executor.
 * @param outputIndex the output that the memory was allocated for.
 * @param memory address of the pointer.
 * Deprecated since API 11: use OH_NNTensor_Destroy.
 */
void OH_NNExecutor_DestroyOutputMemory(OH_NNExecutor* executor, uint32_t outputIndex, OH_NN_Memory** memory);

/**
 * Binds allocated memory to an input, without a copy: OH_NNExecutor_Run reads the current contents.
 *
 * @param executor the executor.
 * @param inputIndex index of the model's input.
 * @param tensor type and shape of the data, with all dimensions known.
 * @param memory memory of this executor, at least as large as the elements.
 * @return OH_NN_INVALID_PARAMETER: null pointer, no such input, a type or shape that does not match the
 *         model, memory that is too small or not of this executor.
 * Deprecated since API 11: use OH_NNExecutor_RunSync.
 */
OH_NN_ReturnCode OH_NNExecutor_SetInputWithMemory(OH_NNExecutor* executor, uint32_t inputIndex,
                                                  const OH_NN_Tensor* tensor, const OH_NN_Memory* memory);

/**
 * Binds allocated memory to an output: results are written there, without a copy.
 *
 * @param executor the executor.
 * @param outputIndex index of the model's output.
 * @param memory memory of this executor, at least as large as the output if the model declares all its
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
