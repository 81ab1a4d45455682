/**
 * @file neural_network_core.h
 *
 * Devices, compilations, tensors and executors: everything needed to run a model. Models are built with
 * neural_network_runtime.h. Usable from C11 and C++; link with libneural_network_core.so.
 *
 * Typical use: build and finish a model; OH_NNCompilation_Construct, _SetDevice, _Build;
 * OH_NNExecutor_Construct; OH_NNTensor_Create for each input and output; OH_NNExecutor_RunSync as often as
 * needed.
 *
 * Rules for all functions:
 * - A null handle or a null required pointer gives OH_NN_INVALID_PARAMETER, or NULL from functions that
 *   return a pointer.
 * - Unless stated otherwise, a failed call changes nothing and writes no outputs. It logs the reason as one
 *   line on standard error (environment NNRT_LOG: error, warning, info, debug or off).
 * - deviceID 0 selects the first device listed by OH_NNDevice_GetAllDevicesID.
 * - Strings are null-terminated and copied.
 * - Different handles may be used from different threads at the same time. Calls on one handle must be
 *   serialized by the caller, except OH_NNExecutor_RunSync, _RunAsync, _GetInputCount, _GetOutputCount,
 *   _CreateInputTensorDesc, _CreateOutputTensorDesc and the functions that allocate and destroy OH_NN_Memory.
 * "Since API n" is the OpenHarmony API level that introduced a function; without it, API 9.
 */
#ifndef NEURAL_NETWORK_CORE_H
#define NEURAL_NETWORK_CORE_H

#include "neural_network_runtime_type.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* ---- Compilations ---- */

/**
 * Creates a compilation of a model, with device 0, no hints, float16 off and no cache. The model must be
 * finished before OH_NNCompilation_Build, but may be destroyed as soon as this call returns.
 *
 * @param model the model.
 * @return The compilation; destroy it with OH_NNCompilation_Destroy. NULL if model is null or memory is
 *         exhausted.
 */
OH_NNCompilation* OH_NNCompilation_Construct(const OH_NNModel* model);

/**
 * Creates a compilation of a model that was compiled ahead of time, from a file. The file is read by
 * OH_NNCompilation_Build: OH_NN_INVALID_FILE if it cannot be opened, OH_NN_FAILED if its format is unknown.
 *
 * @param modelPath path of the file.
 * @return The compilation; NULL if modelPath is null or memory is exhausted.
 * Since API 11.
 */
OH_NNCompilation* OH_NNCompilation_ConstructWithOfflineModelFile(const char* modelPath);

/**
 * As OH_NNCompilation_ConstructWithOfflineModelFile, from memory. The memory is not copied: it must stay
 * valid and unchanged until the compilation is destroyed.
 *
 * @param modelBuffer start of the model.
 * @param modelSize size in bytes, not 0.
 * @return The compilation; NULL if modelBuffer is null, modelSize is 0 or memory is exhausted.
 * Since API 11.
 */
OH_NNCompilation* OH_NNCompilation_ConstructWithOfflineModelBuffer(const void* modelBuffer, size_t modelSize);

/**
 * Creates a compilation without a model, to be restored from a cache by OH_NNCompilation_SetCache or
 * OH_NNCompilation_ImportCacheFromBuffer. Without either, OH_NNCompilation_Build returns
 * OH_NN_INVALID_PARAMETER.
 *
 * @return The compilation; NULL if memory is exhausted.
 * Since API 11.
 */
OH_NNCompilation* OH_NNCompilation_ConstructForCache(void);

/**
 * Writes the cache of a built compilation to the caller's memory.
 *
 * @param compilation a built compilation.
 * @param buffer the memory to write to, although it is declared const.
 * @param length its size in bytes, not 0.
 * @param modelSize receives the number of bytes written; if length is too small, the number needed.
 * @return OH_NN_INVALID_PARAMETER: null pointer, length 0 or too small, or the compilation is not built.
 *         OH_NN_UNSUPPORTED: the device, or this version of the library, cannot export.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNCompilation_ExportCacheToBuffer(OH_NNCompilation* compilation, const void* buffer,
                                                      size_t length, size_t* modelSize);

/**
 * Gives a compilation made by OH_NNCompilation_ConstructForCache the bytes that
 * OH_NNCompilation_ExportCacheToBuffer wrote. The memory is not copied: it must stay valid and unchanged
 * until the compilation is destroyed.
 *
 * @param compilation a compilation that is not built.
 * @param buffer start of the cache.
 * @param modelSize size in bytes, not 0.
 * @return OH_NN_INVALID_PARAMETER: null pointer or size 0. OH_NN_OPERATION_FORBIDDEN: already built.
 *         OH_NN_UNSUPPORTED: this version of the library cannot import.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNCompilation_ImportCacheFromBuffer(OH_NNCompilation* compilation, const void* buffer,
                                                        size_t modelSize);

/**
 * Sets a named option of the device or of the runtime. Name and value are copied. Setting a name again
 * appends '|' and the new value to the old one. Unknown names are accepted.
 *
 * Options of this runtime (nnrt_extensions.h has all):
 * - "nnrt.fallback" = "off": use the chosen device only; the build fails if it refuses an operation, instead
 *   of running that operation on the CPU. (Environment: NNRT_FALLBACK=off.)
 * - "nnrt.placement" = a path, or "-" for standard output: OH_NNCompilation_Build appends a table that says
 *   which device runs which operation, and why. (Environment: NNRT_PLACEMENT=path.)
 *
 * @param compilation a compilation that is not built.
 * @param configName the name, not empty.
 * @param configValue start of the value.
 * @param configValueSize its size in bytes, not 0.
 * @return OH_NN_INVALID_PARAMETER: null pointer, empty name or size 0. OH_NN_OPERATION_FORBIDDEN: already
 *         built.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNCompilation_AddExtensionConfig(OH_NNCompilation* compilation, const char* configName,
                                                     const void* configValue, const size_t configValueSize);

/**
 * Chooses the device. Operations that it does not support run on the CPU. OH_NNCompilation_Build returns
 * OH_NN_FAILED if the device does not exist.
 *
 * @param compilation a compilation that is not built.
 * @param deviceID the device; 0, the default, is the first.
 * @return OH_NN_INVALID_PARAMETER: null. OH_NN_OPERATION_FORBIDDEN: already built.
 */
OH_NN_ReturnCode OH_NNCompilation_SetDevice(OH_NNCompilation* compilation, size_t deviceID);

/**
 * Sets the directory in which OH_NNCompilation_Build caches its result, so that a later build of the same
 * version restores it instead of compiling. Use one directory per model. An empty path disables the cache.
 *
 * @param compilation a compilation that is not built.
 * @param cachePath an existing directory.
 * @param version version of the model; raise it when the model changes. UINT32_MAX is reserved.
 * @return OH_NN_INVALID_PARAMETER: null pointer, reserved version. OH_NN_OPERATION_FORBIDDEN: already built.
 *         OH_NN_UNSUPPORTED: the device, or this version of the library, has no cache.
 */
OH_NN_ReturnCode OH_NNCompilation_SetCache(OH_NNCompilation* compilation, const char* cachePath,
                                           uint32_t version);

/**
 * Hints how fast the device should run; results stay the same. The CPU device runs one thread
 * (OH_NN_PERFORMANCE_LOW), half of its threads (MEDIUM) or all. A GPU uses a queue of low (LOW), high (HIGH,
 * EXTREME) or medium priority, if it has several and OH_NNCompilation_SetPriority was not called.
 * OH_NNCompilation_Build returns OH_NN_INVALID_PARAMETER for a value outside the enumeration.
 *
 * @param compilation a compilation that is not built.
 * @param performanceMode the hint; OH_NN_PERFORMANCE_NONE is the default.
 * @return OH_NN_INVALID_PARAMETER: null. OH_NN_OPERATION_FORBIDDEN: already built. OH_NN_UNAVAILABLE_DEVICE:
 *         the device does not support the hint.
 */
OH_NN_ReturnCode OH_NNCompilation_SetPerformanceMode(OH_NNCompilation* compilation,
                                                     OH_NN_PerformanceMode performanceMode);

/**
 * Hints how important the model is among those of this process. If runs of several executors wait for one
 * device, those of higher priority start first, and those of equal priority in call order;
 * OH_NN_PRIORITY_NONE counts as OH_NN_PRIORITY_MEDIUM. A run can be overtaken 16 times at most, and a run
 * that has started is not interrupted. The threads of the CPU device and, if there are several, the queues of
 * a GPU also prefer the higher priority. OH_NNCompilation_Build returns OH_NN_INVALID_PARAMETER for a value
 * outside the enumeration.
 *
 * @param compilation a compilation that is not built.
 * @param priority the hint; OH_NN_PRIORITY_NONE is the default.
 * @return OH_NN_INVALID_PARAMETER: null. OH_NN_OPERATION_FORBIDDEN: already built. OH_NN_UNAVAILABLE_DEVICE:
 *         the device does not support the hint.
 */
OH_NN_ReturnCode OH_NNCompilation_SetPriority(OH_NNCompilation* compilation, OH_NN_Priority priority);

/**
 * Allows a float32 model to be computed in float16. Inputs and outputs keep their type; quantized models are
 * not affected. Results become less precise; a speed-up is not guaranteed.
 *
 * @param compilation a compilation that is not built.
 * @param enableFloat16 whether to allow it; false is the default.
 * @return OH_NN_INVALID_PARAMETER: null. OH_NN_OPERATION_FORBIDDEN: already built. OH_NN_UNAVAILABLE_DEVICE:
 *         the device does not support float16.
 */
OH_NN_ReturnCode OH_NNCompilation_EnableFloat16(OH_NNCompilation* compilation, bool enableFloat16);

/**
 * Compiles. May be called only once: after a failure the compilation can only be destroyed.
 *
 * @param compilation the compilation.
 * @return OH_NN_INVALID_PARAMETER: null, called before, the model is not finished, there is no model, a hint
 *         is out of range, or the shapes, types or values of an operation are invalid.
 *         OH_NN_UNSUPPORTED: no device supports a type or an option of an operation.
 *         OH_NN_FAILED: unknown device, unknown format of an offline model, an operation that no allowed
 *         device runs, or a device that failed to prepare the model.
 *         OH_NN_INVALID_FILE, OH_NN_INVALID_PATH, OH_NN_SAVE_CACHE_EXCEPTION: offline model, cache.
 *         OH_NN_MEMORY_ERROR: out of memory. OH_NN_UNAVAILABLE_DEVICE: the device was lost.
 */
OH_NN_ReturnCode OH_NNCompilation_Build(OH_NNCompilation* compilation);

/**
 * Destroys a compilation and sets the pointer to NULL. Executors made from it remain valid. Null is ignored.
 *
 * @param compilation address of the pointer.
 */
void OH_NNCompilation_Destroy(OH_NNCompilation** compilation);

/* ---- Tensor descriptions ---- */

/**
 * Creates a description with type OH_NN_UNKNOWN, format OH_NN_FORMAT_NONE, an empty name and no shape.
 *
 * @return The description; destroy it with OH_NNTensorDesc_Destroy. NULL if memory is exhausted.
 * Since API 11.
 */
NN_TensorDesc* OH_NNTensorDesc_Create(void);

/**
 * Destroys a description and sets the pointer to NULL. Do not call it on a description owned by a tensor
 * (OH_NNTensor_GetTensorDesc).
 *
 * @param tensorDesc address of the pointer.
 * @return OH_NN_INVALID_PARAMETER: null, or the pointer is null.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNTensorDesc_Destroy(NN_TensorDesc** tensorDesc);

/**
 * Sets the name, of any length.
 *
 * @param tensorDesc the description.
 * @param name the name.
 * @return OH_NN_INVALID_PARAMETER: null pointer.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNTensorDesc_SetName(NN_TensorDesc* tensorDesc, const char* name);

/**
 * Gets the name.
 *
 * @param tensorDesc the description.
 * @param name must point to NULL; receives the name, which is owned by the description and valid until the
 *        next OH_NNTensorDesc_SetName or until the description is destroyed.
 * @return OH_NN_INVALID_PARAMETER: null pointer, or *name is not NULL.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNTensorDesc_GetName(const NN_TensorDesc* tensorDesc, const char** name);

/**
 * Sets the element type.
 *
 * @param tensorDesc the description.
 * @param dataType the type.
 * @return OH_NN_INVALID_PARAMETER: null, or outside the enumeration.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNTensorDesc_SetDataType(NN_TensorDesc* tensorDesc, OH_NN_DataType dataType);

/**
 * Gets the element type.
 *
 * @param tensorDesc the description.
 * @param dataType receives the type.
 * @return OH_NN_INVALID_PARAMETER: null pointer.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNTensorDesc_GetDataType(const NN_TensorDesc* tensorDesc, OH_NN_DataType* dataType);

/**
 * Sets the shape. The values are not checked here; -1 is a dimension that may change from run to run. A
 * description without a shape describes a scalar.
 *
 * @param tensorDesc the description.
 * @param shape the dimensions, copied.
 * @param shapeLength their number, 1 to 10.
 * @return OH_NN_INVALID_PARAMETER: null pointer, or a length out of range.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNTensorDesc_SetShape(NN_TensorDesc* tensorDesc, const int32_t* shape,
                                          size_t shapeLength);

/**
 * Gets the shape.
 *
 * @param tensorDesc the description.
 * @param shape must point to NULL; receives the dimensions, which are owned by the description and valid
 *        until the shape is set, a run updates it, or the description is destroyed. NULL if there is no
 *        shape.
 * @param shapeLength receives their number, 0 if there is no shape.
 * @return OH_NN_INVALID_PARAMETER: null pointer, or *shape is not NULL.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNTensorDesc_GetShape(const NN_TensorDesc* tensorDesc, int32_t** shape,
                                          size_t* shapeLength);

/**
 * Sets the format. It declares what the dimensions mean; no data is moved.
 *
 * @param tensorDesc the description.
 * @param format the format.
 * @return OH_NN_INVALID_PARAMETER: null, or outside the enumeration.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNTensorDesc_SetFormat(NN_TensorDesc* tensorDesc, OH_NN_Format format);

/**
 * Gets the format.
 *
 * @param tensorDesc the description.
 * @param format receives the format.
 * @return OH_NN_INVALID_PARAMETER: null pointer.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNTensorDesc_GetFormat(const NN_TensorDesc* tensorDesc, OH_NN_Format* format);

/**
 * Gets the number of elements: the product of the dimensions.
 *
 * @param tensorDesc the description.
 * @param elementCount receives the number; 0 on errors.
 * @return OH_NN_INVALID_PARAMETER: null pointer, no shape, or the product overflows size_t.
 *         OH_NN_DYNAMIC_SHAPE: a dimension is not above 0.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNTensorDesc_GetElementCount(const NN_TensorDesc* tensorDesc, size_t* elementCount);

/**
 * Gets the size of the elements in bytes.
 *
 * @param tensorDesc the description.
 * @param byteSize receives the number; 0 on errors.
 * @return As OH_NNTensorDesc_GetElementCount, and OH_NN_INVALID_PARAMETER also for OH_NN_UNKNOWN.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNTensorDesc_GetByteSize(const NN_TensorDesc* tensorDesc, size_t* byteSize);

/* ---- Tensors ---- */

/**
 * Creates a tensor with new, zeroed memory of exactly the size of its elements, at most 1 GiB. It may be used
 * with any executor and outlive all of them.
 *
 * @param deviceID the device that allocates the memory. Runs on other devices work as well.
 * @param tensorDesc the description, copied; may be destroyed after this call.
 * @return The tensor; destroy it with OH_NNTensor_Destroy. NULL if tensorDesc is null, has no type or has
 *         unknown dimensions, or if there is no such device or no memory.
 * Since API 11.
 */
NN_Tensor* OH_NNTensor_Create(size_t deviceID, NN_TensorDesc* tensorDesc);

/**
 * As OH_NNTensor_Create with memory of a given size: for outputs whose shape is only known at run time.
 *
 * @param deviceID the device that allocates the memory.
 * @param tensorDesc the description, copied.
 * @param size bytes, 1 to 1 GiB; at least the size of the elements if all dimensions are known.
 * @return The tensor; NULL as for OH_NNTensor_Create, except that dimensions may be unknown.
 * Since API 11.
 */
NN_Tensor* OH_NNTensor_CreateWithSize(size_t deviceID, NN_TensorDesc* tensorDesc, size_t size);

/**
 * Creates a tensor in memory that the caller shares through a file descriptor: a memfd, POSIX shared memory,
 * a file, a dma-buf, or the descriptor of another tensor, possibly from another process. The tensor occupies
 * bytes [offset, size). The descriptor is duplicated, so the caller may close it; the library never frees the
 * caller's memory.
 *
 * A read-only descriptor, or a memfd sealed against writing, makes a tensor that can only be an input: its
 * data must not be written, and a run refuses it as an output. A file must not be truncated while tensors use
 * it: a run that finds it too short is refused, but accessing the data then raises SIGBUS. Memfds can be
 * sealed against truncation (F_SEAL_SHRINK); the library seals those it creates.
 *
 * @param deviceID the device that is to use it.
 * @param tensorDesc the description, copied.
 * @param fd the file descriptor.
 * @param size total size of the memory in bytes.
 * @param offset start of the tensor in bytes; any number up to size.
 * @return The tensor; NULL if tensorDesc is null, fd is negative or cannot be mapped, size is 0 or larger
 *         than the memory, the elements do not fit, or there is no such device.
 * Since API 11.
 */
NN_Tensor* OH_NNTensor_CreateWithFd(size_t deviceID, NN_TensorDesc* tensorDesc, int fd, size_t size,
                                    size_t offset);

/**
 * Destroys a tensor and sets the pointer to NULL. Frees its memory unless the caller owns it.
 *
 * @param tensor address of the pointer.
 * @return OH_NN_INVALID_PARAMETER: null, or the pointer is null.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNTensor_Destroy(NN_Tensor** tensor);

/**
 * Gets the tensor's own description, not a copy. Changes to it apply to the next run; a run writes the shapes
 * of its outputs to it.
 *
 * @param tensor the tensor.
 * @return The description, which is owned by the tensor and must not be destroyed; NULL for null.
 * Since API 11.
 */
NN_TensorDesc* OH_NNTensor_GetTensorDesc(const NN_Tensor* tensor);

/**
 * Gets the tensor's data, mapped for the host. Write inputs before a run; results are there after it.
 *
 * @param tensor the tensor.
 * @return Start of the data, the same for the life of the tensor; NULL for null.
 * Since API 11.
 */
void* OH_NNTensor_GetDataBuffer(const NN_Tensor* tensor);

/**
 * Gets the file descriptor of the tensor's memory, for OH_NNTensor_CreateWithFd here or in another process.
 *
 * @param tensor the tensor.
 * @param fd receives the descriptor, which the tensor still owns; for a tensor made by
 *        OH_NNTensor_CreateWithFd it is the caller's descriptor.
 * @return OH_NN_INVALID_PARAMETER: null pointer.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNTensor_GetFd(const NN_Tensor* tensor, int* fd);

/**
 * Gets the total size of the tensor's memory: the size passed at creation, or the size of its elements.
 *
 * @param tensor the tensor.
 * @param size receives the size in bytes.
 * @return OH_NN_INVALID_PARAMETER: null pointer.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNTensor_GetSize(const NN_Tensor* tensor, size_t* size);

/**
 * Gets the offset of the tensor in its memory: 0 unless OH_NNTensor_CreateWithFd set another one.
 *
 * @param tensor the tensor.
 * @param offset receives the offset in bytes.
 * @return OH_NN_INVALID_PARAMETER: null pointer.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNTensor_GetOffset(const NN_Tensor* tensor, size_t* offset);

/* ---- Executors ---- */

/**
 * Creates an executor of a built compilation. This is cheap, and the compilation may be destroyed afterwards.
 * Executors of one compilation share its weights and run independently of each other.
 *
 * @param compilation a successfully built compilation.
 * @return The executor; destroy it with OH_NNExecutor_Destroy. NULL if compilation is null or not built, or
 *         memory is exhausted.
 */
OH_NNExecutor* OH_NNExecutor_Construct(OH_NNCompilation* compilation);

/**
 * Gets the shape of an output in the last run; before the first run, the shape declared by the model, with -1
 * for unknown dimensions. If a run failed because an output's memory was too small, the shape it needs.
 *
 * @param executor the executor.
 * @param outputIndex index of the model's output.
 * @param shape must point to NULL; receives the dimensions, which are owned by the executor and valid until
 *        the next run, the next such call for this output, or until the executor is destroyed.
 * @param shapeLength receives their number; 0 for a scalar.
 * @return OH_NN_INVALID_PARAMETER: null pointer, *shape is not NULL, or no such output.
 */
OH_NN_ReturnCode OH_NNExecutor_GetOutputShape(OH_NNExecutor* executor, uint32_t outputIndex, int32_t** shape,
                                              uint32_t* shapeLength);

/**
 * Destroys an executor with all its OH_NN_Memory, and sets the pointer to NULL. Waits for asynchronous runs
 * and their callbacks; called from a callback of this executor it does not wait, and the executor is
 * destroyed after the last of them. Null is ignored.
 *
 * @param executor address of the pointer.
 */
void OH_NNExecutor_Destroy(OH_NNExecutor** executor);

/**
 * Gets the number of the model's inputs.
 *
 * @param executor the executor.
 * @param inputCount receives the number.
 * @return OH_NN_INVALID_PARAMETER: null pointer.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNExecutor_GetInputCount(const OH_NNExecutor* executor, size_t* inputCount);

/**
 * Gets the number of the model's outputs.
 *
 * @param executor the executor.
 * @param outputCount receives the number.
 * @return OH_NN_INVALID_PARAMETER: null pointer.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNExecutor_GetOutputCount(const OH_NNExecutor* executor, size_t* outputCount);

/**
 * Creates a description of an input as declared by the model, including any -1. An unnamed input is called
 * "Tensor: " followed by its number in the model.
 *
 * @param executor the executor.
 * @param index index of the model's input.
 * @return The description, which the caller owns; NULL for null or no such input.
 * Since API 11.
 */
NN_TensorDesc* OH_NNExecutor_CreateInputTensorDesc(const OH_NNExecutor* executor, size_t index);

/**
 * Creates a description of an output, as OH_NNExecutor_CreateInputTensorDesc does of an input.
 *
 * @param executor the executor.
 * @param index index of the model's output.
 * @return The description, which the caller owns; NULL for null or no such output.
 * Since API 11.
 */
NN_TensorDesc* OH_NNExecutor_CreateOutputTensorDesc(const OH_NNExecutor* executor, size_t index);

/**
 * Gets the minimum and maximum of each dimension of an input. They are equal for a dimension that the model
 * fixes.
 *
 * @param executor the executor.
 * @param index index of the model's input.
 * @param minInputDims receives the minima, which are owned by the executor and valid until the next run, the
 *        next such call for this input, or until the executor is destroyed.
 * @param maxInputDims receives the maxima, likewise.
 * @param shapeLength receives the number of dimensions.
 * @return OH_NN_INVALID_PARAMETER: null pointer, or no such input. OH_NN_UNAVAILABLE_DEVICE: the device
 *         reports none.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNExecutor_GetInputDimRange(const OH_NNExecutor* executor, size_t index,
                                                size_t** minInputDims, size_t** maxInputDims,
                                                size_t* shapeLength);

/**
 * Sets the callback for the end of an asynchronous run. It replaces the previous one for runs that start
 * later.
 *
 * @param executor the executor.
 * @param onRunDone the callback.
 * @return OH_NN_INVALID_PARAMETER: null pointer.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNExecutor_SetOnRunDone(OH_NNExecutor* executor, NN_OnRunDone onRunDone);

/**
 * Sets the callback for the loss of the device during an asynchronous run, for runs that start later. The
 * executor cannot be used after that: compile the model again.
 *
 * @param executor the executor.
 * @param onServiceDied the callback.
 * @return OH_NN_INVALID_PARAMETER: null pointer.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNExecutor_SetOnServiceDied(OH_NNExecutor* executor, NN_OnServiceDied onServiceDied);

/**
 * Runs the model and waits for the results. Concurrent runs of one executor are serialized. On success the
 * description of each output tensor has the shape of the result.
 *
 * @param executor the executor.
 * @param inputTensor one tensor per model input, with all dimensions known; a tensor may occur more than
 *        once.
 * @param inputCount their number.
 * @param outputTensor one tensor per model output, with memory that neither inputs nor other outputs use,
 *        except where OH_NNRt_MayShareMemory allows it. Dimensions may be unknown.
 * @param outputCount their number.
 * @return OH_NN_INVALID_PARAMETER: null pointer, wrong number of tensors, a type or shape that does not match
 *         the model, memory that is too small or overlaps, or values that an operation refuses.
 *         OH_NN_UNSUPPORTED: a limit of a device. OH_NN_MEMORY_ERROR: out of memory.
 *         OH_NN_UNAVAILABLE_DEVICE: the device was lost. OH_NN_FAILED: any other error of a device.
 *         OH_NN_OPERATION_FORBIDDEN: called in a callback of this executor.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNExecutor_RunSync(OH_NNExecutor* executor, NN_Tensor* inputTensor[], size_t inputCount,
                                       NN_Tensor* outputTensor[], size_t outputCount);

/**
 * Runs the model in the background. The callback set by OH_NNExecutor_SetOnRunDone reports the end, once for
 * each successful call. Runs of one executor are done in order. The tensors must live until then; the arrays
 * need not. The callback may start runs, wait for other executors and destroy this one.
 *
 * @param executor the executor.
 * @param inputTensor as for OH_NNExecutor_RunSync.
 * @param inputCount their number.
 * @param outputTensor as for OH_NNExecutor_RunSync.
 * @param outputCount their number.
 * @param timeout milliseconds from this call after which the run ends with OH_NN_TIMEOUT and undefined
 * outputs; waiting for earlier runs of the executor counts, but does not interrupt them. 0 or negative: no
 * limit.
 * @param userData passed to the callback; not null.
 * @return Errors found before the run starts, as OH_NNExecutor_RunSync; the callback is not called then.
 *         OH_NN_OPERATION_FORBIDDEN: no callback is set, or the executor is being destroyed.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNExecutor_RunAsync(OH_NNExecutor* executor, NN_Tensor* inputTensor[], size_t inputCount,
                                        NN_Tensor* outputTensor[], size_t outputCount, int32_t timeout,
                                        void* userData);

/* ---- Devices ---- */

/**
 * Lists the devices. They are enumerated once per process; their ids are the same in every process.
 * (Environment NNRT_DEVICES selects the built-in ones and their order: a list of "cpu", "vulkan" and "auto",
 * or "none".)
 *
 * @param allDevicesID must point to NULL; receives the ids, which are owned by the library and valid for the
 *        life of the process. NULL if there is no device.
 * @param deviceCount receives their number.
 * @return OH_NN_INVALID_PARAMETER: null pointer, or *allDevicesID is not NULL.
 */
OH_NN_ReturnCode OH_NNDevice_GetAllDevicesID(const size_t** allDevicesID, uint32_t* deviceCount);

/**
 * Gets the name of a device.
 *
 * @param deviceID the device.
 * @param name must point to NULL; receives the name, which is valid for the life of the process.
 * @return OH_NN_INVALID_PARAMETER: null, or *name is not NULL. OH_NN_FAILED: no such device.
 */
OH_NN_ReturnCode OH_NNDevice_GetName(size_t deviceID, const char** name);

/**
 * Gets the type of a device.
 *
 * @param deviceID the device.
 * @param deviceType receives the type.
 * @return OH_NN_INVALID_PARAMETER: null, or no such device. OH_NN_UNAVAILABLE_DEVICE: it does not answer.
 */
OH_NN_ReturnCode OH_NNDevice_GetType(size_t deviceID, OH_NN_DeviceType* deviceType);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif  // NEURAL_NETWORK_CORE_H
