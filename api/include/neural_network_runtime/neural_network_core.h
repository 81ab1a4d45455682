/**
 * @file neural_network_core.h
 *
 * Devices, compilations, tensors and executors: everything that runs a model. How a model is composed is in
 * neural_network_runtime.h. Usable from C11 and C++; link with libneural_network_core.so.
 *
 * The usual way: compose and finish a model; OH_NNCompilation_Construct, _SetDevice, _Build;
 * OH_NNExecutor_Construct; OH_NNTensor_Create for each input and output; OH_NNExecutor_RunSync as often as
 * wanted.
 *
 * For all functions:
 * - A null handle or a null required pointer gives OH_NN_INVALID_PARAMETER, or NULL from functions that
 *   return a pointer.
 * - A call that fails changes nothing and leaves outputs alone, where nothing else is said. The reason goes
 *   to the log, one line on standard error (environment NNRT_LOG: error, warning, info, debug or off).
 * - deviceID 0 stands for the first device of OH_NNDevice_GetAllDevicesID.
 * - Strings end with 0 and are copied.
 * - Different handles may be used from different threads at the same time. Calls on one handle are the
 *   caller's to serialize, except OH_NNExecutor_RunSync, _RunAsync, _GetInputCount, _GetOutputCount,
 *   _CreateInputTensorDesc, _CreateOutputTensorDesc and the functions that allocate and destroy OH_NN_Memory.
 *
 * "Since API n" names the OpenHarmony API level that brought a function; nothing marked means API 9.
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
 * Makes the compilation of a model, with device 0, no hints, float16 off and no cache. The model may be
 * destroyed right away; it must be finished before OH_NNCompilation_Build.
 *
 * @param model the model.
 * @return The compilation, to be destroyed with OH_NNCompilation_Destroy; NULL if model is null or memory is
 *         short.
 */
OH_NNCompilation* OH_NNCompilation_Construct(const OH_NNModel* model);

/**
 * Makes the compilation of a model that was compiled ahead of time, from a file. The file is looked at by
 * OH_NNCompilation_Build: OH_NN_INVALID_FILE if it cannot be opened, OH_NN_FAILED if its format is unknown.
 *
 * @param modelPath path of the file.
 * @return The compilation; NULL if modelPath is null or memory is short.
 * Since API 11.
 */
OH_NNCompilation* OH_NNCompilation_ConstructWithOfflineModelFile(const char* modelPath);

/**
 * As OH_NNCompilation_ConstructWithOfflineModelFile, from memory. The memory is not copied: it must stay as
 * it is until the compilation is destroyed.
 *
 * @param modelBuffer first byte.
 * @param modelSize size in bytes, not 0.
 * @return The compilation; NULL if modelBuffer is null, modelSize is 0 or memory is short.
 * Since API 11.
 */
OH_NNCompilation* OH_NNCompilation_ConstructWithOfflineModelBuffer(const void* modelBuffer, size_t modelSize);

/**
 * Makes a compilation without a model, to be filled from a cache by OH_NNCompilation_SetCache or
 * OH_NNCompilation_ImportCacheFromBuffer. Without either, OH_NNCompilation_Build answers
 * OH_NN_INVALID_PARAMETER.
 *
 * @return The compilation; NULL if memory is short.
 * Since API 11.
 */
OH_NNCompilation* OH_NNCompilation_ConstructForCache(void);

/**
 * Writes what a built compilation would put into its cache into the caller's memory.
 *
 * @param compilation a built compilation.
 * @param buffer first byte of the memory, which is written although it is declared const.
 * @param length its size in bytes, not 0.
 * @param modelSize receives the number of bytes written; if length is too small, the number needed.
 * @return OH_NN_INVALID_PARAMETER: null pointer, length 0 or too small, or the compilation is not built.
 *         OH_NN_UNSUPPORTED: the device, or this version of the library, cannot export.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNCompilation_ExportCacheToBuffer(OH_NNCompilation* compilation, const void* buffer,
                                                      size_t length, size_t* modelSize);

/**
 * Gives a compilation made by OH_NNCompilation_ConstructForCache what OH_NNCompilation_ExportCacheToBuffer
 * wrote. The memory is not copied: it must stay as it is until the compilation is destroyed.
 *
 * @param compilation a compilation that is not built.
 * @param buffer first byte.
 * @param modelSize size in bytes, not 0.
 * @return OH_NN_INVALID_PARAMETER: null pointer or size 0. OH_NN_OPERATION_FORBIDDEN: already built.
 *         OH_NN_UNSUPPORTED: this version of the library cannot import.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNCompilation_ImportCacheFromBuffer(OH_NNCompilation* compilation, const void* buffer,
                                                        size_t modelSize);

/**
 * Adds a named option for the device, or for the runtime. Name and value are copied. A name given again
 * appends '|' and the new value to the old one. Names that nobody knows are accepted.
 *
 * Options of this runtime:
 * - "nnrt.fallback" with the value "off": only the chosen device may be used; what it refuses fails the
 *   build instead of running on the CPU. (Environment: NNRT_FALLBACK=off.)
 * - "nnrt.placement" with a path, or "-" for standard output: OH_NNCompilation_Build appends a table there
 *   that says which device runs which operation, and why. (Environment: NNRT_PLACEMENT=path.)
 *
 * @param compilation a compilation that is not built.
 * @param configName the name, not empty.
 * @param configValue first byte of the value.
 * @param configValueSize its size in bytes, not 0.
 * @return OH_NN_INVALID_PARAMETER: null pointer, empty name or size 0. OH_NN_OPERATION_FORBIDDEN: already
 *         built.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNCompilation_AddExtensionConfig(OH_NNCompilation* compilation, const char* configName,
                                                     const void* configValue, const size_t configValueSize);

/**
 * Chooses the device. Operations that it does not support run on the CPU. Whether the device exists is found
 * out by OH_NNCompilation_Build, which then answers OH_NN_FAILED.
 *
 * @param compilation a compilation that is not built.
 * @param deviceID the device; 0, the default, is the first.
 * @return OH_NN_INVALID_PARAMETER: null. OH_NN_OPERATION_FORBIDDEN: already built.
 */
OH_NN_ReturnCode OH_NNCompilation_SetDevice(OH_NNCompilation* compilation, size_t deviceID);

/**
 * Names a directory in which OH_NNCompilation_Build keeps what it made, so that a later build of the same
 * version restores it instead of compiling. One directory for each model. An empty path means no cache.
 *
 * @param compilation a compilation that is not built.
 * @param cachePath an existing directory.
 * @param version version of the model; to be raised when the model changes. UINT32_MAX is reserved.
 * @return OH_NN_INVALID_PARAMETER: null pointer, reserved version. OH_NN_OPERATION_FORBIDDEN: already built.
 *         OH_NN_UNSUPPORTED: the device, or this version of the library, has no cache.
 */
OH_NN_ReturnCode OH_NNCompilation_SetCache(OH_NNCompilation* compilation, const char* cachePath,
                                           uint32_t version);

/**
 * Hints how fast the device should run; results stay the same. On the CPU device a run has one thread
 * (OH_NN_PERFORMANCE_LOW), half of them (MEDIUM) or all. On a GPU it goes to a queue of low (LOW), high
 * (HIGH, EXTREME) or medium priority, if the GPU has more than one and OH_NNCompilation_SetPriority says
 * nothing. A value outside the enumeration is found out by OH_NNCompilation_Build, which then answers
 * OH_NN_INVALID_PARAMETER.
 *
 * @param compilation a compilation that is not built.
 * @param performanceMode the hint; OH_NN_PERFORMANCE_NONE is the default.
 * @return OH_NN_INVALID_PARAMETER: null. OH_NN_OPERATION_FORBIDDEN: already built. OH_NN_UNAVAILABLE_DEVICE:
 *         the device takes no such hint.
 */
OH_NN_ReturnCode OH_NNCompilation_SetPerformanceMode(OH_NNCompilation* compilation,
                                                     OH_NN_PerformanceMode performanceMode);

/**
 * Hints how important the model is among those of this process. If runs of several executors wait for one
 * device, those of higher priority start first, those of the same in the order of their calls;
 * OH_NN_PRIORITY_NONE is as OH_NN_PRIORITY_MEDIUM. A run that 16 others overtook is overtaken no more, and
 * one that has started is not interrupted. Threads of the CPU device and, where there are several, queues of
 * a GPU prefer the higher priority too. A value outside the enumeration is found out by
 * OH_NNCompilation_Build, which then answers OH_NN_INVALID_PARAMETER.
 *
 * @param compilation a compilation that is not built.
 * @param priority the hint; OH_NN_PRIORITY_NONE is the default.
 * @return OH_NN_INVALID_PARAMETER: null. OH_NN_OPERATION_FORBIDDEN: already built. OH_NN_UNAVAILABLE_DEVICE:
 *         the device takes no such hint.
 */
OH_NN_ReturnCode OH_NNCompilation_SetPriority(OH_NNCompilation* compilation, OH_NN_Priority priority);

/**
 * Allows a model of float32 to be computed in float16. Inputs and outputs keep their type; quantized models
 * are not affected. Results become less precise, not necessarily sooner there.
 *
 * @param compilation a compilation that is not built.
 * @param enableFloat16 whether to allow it; false is the default.
 * @return OH_NN_INVALID_PARAMETER: null. OH_NN_OPERATION_FORBIDDEN: already built. OH_NN_UNAVAILABLE_DEVICE:
 *         the device has no float16.
 */
OH_NN_ReturnCode OH_NNCompilation_EnableFloat16(OH_NNCompilation* compilation, bool enableFloat16);

/**
 * Compiles. To be called once, whatever comes of it: after a failure the compilation can only be destroyed.
 *
 * @param compilation the compilation.
 * @return OH_NN_INVALID_PARAMETER: null, called before, the model is not finished, there is no model, a hint
 *         is out of range, or an operation makes no sense with its shapes, types or values.
 *         OH_NN_UNSUPPORTED: an operation with a type or an option that no device has.
 *         OH_NN_FAILED: unknown device, unknown format of an offline model, an operation that no allowed
 *         device runs, or a device that could not prepare the model.
 *         OH_NN_INVALID_FILE, OH_NN_INVALID_PATH, OH_NN_SAVE_CACHE_EXCEPTION: offline model, cache.
 *         OH_NN_MEMORY_ERROR: out of memory. OH_NN_UNAVAILABLE_DEVICE: the device was lost.
 */
OH_NN_ReturnCode OH_NNCompilation_Build(OH_NNCompilation* compilation);

/**
 * Destroys a compilation and sets the pointer to NULL. Executors made from it go on working. Null is ignored.
 *
 * @param compilation address of the pointer.
 */
void OH_NNCompilation_Destroy(OH_NNCompilation** compilation);

/* ---- Tensor descriptions ---- */

/**
 * Makes a description with type OH_NN_UNKNOWN, format OH_NN_FORMAT_NONE, an empty name and no shape.
 *
 * @return The description, to be destroyed with OH_NNTensorDesc_Destroy; NULL if memory is short.
 * Since API 11.
 */
NN_TensorDesc* OH_NNTensorDesc_Create(void);

/**
 * Destroys a description and sets the pointer to NULL. Not for one that belongs to a tensor
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
 * @param name must point to NULL; receives the name, which belongs to the description and is valid until the
 *        next OH_NNTensorDesc_SetName or the end of the description.
 * @return OH_NN_INVALID_PARAMETER: null pointer, or *name is not NULL.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNTensorDesc_GetName(const NN_TensorDesc* tensorDesc, const char** name);

/**
 * Sets the type of the elements.
 *
 * @param tensorDesc the description.
 * @param dataType the type.
 * @return OH_NN_INVALID_PARAMETER: null, or outside the enumeration.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNTensorDesc_SetDataType(NN_TensorDesc* tensorDesc, OH_NN_DataType dataType);

/**
 * Gets the type of the elements.
 *
 * @param tensorDesc the description.
 * @param dataType receives the type.
 * @return OH_NN_INVALID_PARAMETER: null pointer.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNTensorDesc_GetDataType(const NN_TensorDesc* tensorDesc, OH_NN_DataType* dataType);

/**
 * Sets the shape. The values are not checked here: -1 stands for a dimension that each run decides. A
 * description whose shape was never set serves as that of a scalar.
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
 * @param shape must point to NULL; receives the dimensions, which belong to the description and are valid
 *        until the shape is set, a run updates it, or the description ends. NULL if there is no shape.
 * @param shapeLength receives their number, 0 if there is no shape.
 * @return OH_NN_INVALID_PARAMETER: null pointer, or *shape is not NULL.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNTensorDesc_GetShape(const NN_TensorDesc* tensorDesc, int32_t** shape,
                                          size_t* shapeLength);

/**
 * Sets the format. It says what the dimensions mean and moves nothing.
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
 * @return OH_NN_INVALID_PARAMETER: null pointer, no shape, or a product beyond size_t.
 *         OH_NN_DYNAMIC_SHAPE: a dimension is not above 0.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNTensorDesc_GetElementCount(const NN_TensorDesc* tensorDesc, size_t* elementCount);

/**
 * Gets the number of bytes that the elements take.
 *
 * @param tensorDesc the description.
 * @param byteSize receives the number; 0 on errors.
 * @return As OH_NNTensorDesc_GetElementCount, and OH_NN_INVALID_PARAMETER also for OH_NN_UNKNOWN.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNTensorDesc_GetByteSize(const NN_TensorDesc* tensorDesc, size_t* byteSize);

/* ---- Tensors ---- */

/**
 * Makes a tensor with new, zeroed memory of exactly as many bytes as its elements take, at most 1 GiB. It may
 * be used with any executor and outlive all of them.
 *
 * @param deviceID the device whose memory to use. Runs on other devices work as well.
 * @param tensorDesc the description, copied: may be destroyed right away.
 * @return The tensor, to be destroyed with OH_NNTensor_Destroy; NULL if tensorDesc is null, has no type or
 *         dimensions that are not known, or if there is no such device, or no memory.
 * Since API 11.
 */
NN_Tensor* OH_NNTensor_Create(size_t deviceID, NN_TensorDesc* tensorDesc);

/**
 * As OH_NNTensor_Create with memory of a given size: for outputs whose shape only the run knows.
 *
 * @param deviceID the device whose memory to use.
 * @param tensorDesc the description, copied.
 * @param size bytes, 1 to 1 GiB, and not fewer than the elements take where all dimensions are known.
 * @return The tensor; NULL as for OH_NNTensor_Create, except that dimensions may be unknown.
 * Since API 11.
 */
NN_Tensor* OH_NNTensor_CreateWithSize(size_t deviceID, NN_TensorDesc* tensorDesc, size_t size);

/**
 * Makes a tensor in memory that the caller shares by a file descriptor: a memfd, memory of shm_open, a file,
 * a dma-buf, the descriptor of another tensor, also one that came from another process. The tensor lies in
 * bytes [offset, size) of it. The descriptor is duplicated, so the caller may close its own; the caller's
 * memory is never released by the library.
 *
 * A descriptor opened for reading, or a memfd sealed against writing, makes a tensor for inputs: its data
 * must not be written, and as an output it is refused. A file must not be truncated while tensors lie in it:
 * a run that finds it shortened is refused, but to touch the data then ends the process with SIGBUS. Memfds
 * can be sealed against that (F_SEAL_SHRINK); the library does so with those that it makes.
 *
 * @param deviceID the device that is to use it.
 * @param tensorDesc the description, copied.
 * @param fd the file descriptor.
 * @param size total size of the memory in bytes.
 * @param offset where the tensor begins, in bytes; any number up to size.
 * @return The tensor; NULL if tensorDesc is null, fd is negative or cannot be mapped, size is 0 or more than
 * the memory has, the elements do not fit, or there is no such device. Since API 11.
 */
NN_Tensor* OH_NNTensor_CreateWithFd(size_t deviceID, NN_TensorDesc* tensorDesc, int fd, size_t size,
                                    size_t offset);

/**
 * Destroys a tensor and sets the pointer to NULL. Frees its memory unless that came from the caller.
 *
 * @param tensor address of the pointer.
 * @return OH_NN_INVALID_PARAMETER: null, or the pointer is null.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNTensor_Destroy(NN_Tensor** tensor);

/**
 * Gets the tensor's own description. The next run sees what is set in it; a run writes the shapes of outputs
 * into it.
 *
 * @param tensor the tensor.
 * @return The description, which belongs to the tensor and must not be destroyed; NULL for null.
 * Since API 11.
 */
NN_TensorDesc* OH_NNTensor_GetTensorDesc(const NN_Tensor* tensor);

/**
 * Gets the tensor's data, mapped for the host. The run sees data written there before it; its results are
 * there when it ended.
 *
 * @param tensor the tensor.
 * @return The first byte of the data, the same for the life of the tensor; NULL for null.
 * Since API 11.
 */
void* OH_NNTensor_GetDataBuffer(const NN_Tensor* tensor);

/**
 * Gets the file descriptor of the tensor's memory, for OH_NNTensor_CreateWithFd here or in another process.
 *
 * @param tensor the tensor.
 * @param fd receives the descriptor, which stays the tensor's; of a tensor made by OH_NNTensor_CreateWithFd
 *        the number that was given there.
 * @return OH_NN_INVALID_PARAMETER: null pointer.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNTensor_GetFd(const NN_Tensor* tensor, int* fd);

/**
 * Gets the total size of the tensor's memory: what was given, or the bytes that the elements take.
 *
 * @param tensor the tensor.
 * @param size receives the size in bytes.
 * @return OH_NN_INVALID_PARAMETER: null pointer.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNTensor_GetSize(const NN_Tensor* tensor, size_t* size);

/**
 * Gets where the tensor begins in its memory: 0 unless OH_NNTensor_CreateWithFd was given another offset.
 *
 * @param tensor the tensor.
 * @param offset receives the offset in bytes.
 * @return OH_NN_INVALID_PARAMETER: null pointer.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNTensor_GetOffset(const NN_Tensor* tensor, size_t* offset);

/* ---- Executors ---- */

/**
 * Makes an executor of a built compilation. It is cheap, and the compilation may be destroyed right away.
 * Several executors of one compilation share its weights and run independently of each other.
 *
 * @param compilation a compilation that was built with success.
 * @return The executor, to be destroyed with OH_NNExecutor_Destroy; NULL if compilation is null or not built,
 *         or memory is short.
 */
OH_NNExecutor* OH_NNExecutor_Construct(OH_NNCompilation* compilation);

/**
 * Gets the shape that an output had in the last run; before any run the shape that the model declares, with
 * -1 for what is not known. If a run failed because an output's memory was too small, the shape needed.
 *
 * @param executor the executor.
 * @param outputIndex position among the model's outputs.
 * @param shape must point to NULL; receives the dimensions, which belong to the executor and are valid until
 *        the next run, the next such call for this output, or the end of the executor.
 * @param shapeLength receives their number; 0 for a scalar.
 * @return OH_NN_INVALID_PARAMETER: null pointer, *shape is not NULL, or no such output.
 */
OH_NN_ReturnCode OH_NNExecutor_GetOutputShape(OH_NNExecutor* executor, uint32_t outputIndex, int32_t** shape,
                                              uint32_t* shapeLength);

/**
 * Destroys an executor, with all OH_NN_Memory that it still has, and sets the pointer to NULL. Waits for
 * asynchronous runs and their callbacks; in a callback of this executor it does not wait, and the executor
 * goes after the last of them. Null is ignored.
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
 * Makes a description of an input as the model declares it, -1 included. An input without a name is called
 * "Tensor: " and its number in the model.
 *
 * @param executor the executor.
 * @param index position among the model's inputs.
 * @return The description, which belongs to the caller; NULL for null or no such input.
 * Since API 11.
 */
NN_TensorDesc* OH_NNExecutor_CreateInputTensorDesc(const OH_NNExecutor* executor, size_t index);

/**
 * Makes a description of an output, as OH_NNExecutor_CreateInputTensorDesc does of an input.
 *
 * @param executor the executor.
 * @param index position among the model's outputs.
 * @return The description, which belongs to the caller; NULL for null or no such output.
 * Since API 11.
 */
NN_TensorDesc* OH_NNExecutor_CreateOutputTensorDesc(const OH_NNExecutor* executor, size_t index);

/**
 * Gets the smallest and the largest value that each dimension of an input may have. For a dimension that the
 * model fixes, both are that number.
 *
 * @param executor the executor.
 * @param index position among the model's inputs.
 * @param minInputDims receives the smallest values, which belong to the executor and are valid until the next
 *        run, the next such call for this input, or the end of the executor.
 * @param maxInputDims receives the largest values, likewise.
 * @param shapeLength receives the number of dimensions.
 * @return OH_NN_INVALID_PARAMETER: null pointer, or no such input. OH_NN_UNAVAILABLE_DEVICE: the device
 *         reports none.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNExecutor_GetInputDimRange(const OH_NNExecutor* executor, size_t index,
                                                size_t** minInputDims, size_t** maxInputDims,
                                                size_t* shapeLength);

/**
 * Sets the function that is called when an asynchronous run ends. It replaces the one before, for runs that
 * are started later.
 *
 * @param executor the executor.
 * @param onRunDone the function.
 * @return OH_NN_INVALID_PARAMETER: null pointer.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNExecutor_SetOnRunDone(OH_NNExecutor* executor, NN_OnRunDone onRunDone);

/**
 * Sets the function that is called when the device is lost during an asynchronous run, for runs that are
 * started later. The executor is of no use then: the model must be compiled again.
 *
 * @param executor the executor.
 * @param onServiceDied the function.
 * @return OH_NN_INVALID_PARAMETER: null pointer.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNExecutor_SetOnServiceDied(OH_NNExecutor* executor, NN_OnServiceDied onServiceDied);

/**
 * Runs the model and waits for the results. Runs of one executor that are called from several threads are
 * done one after the other. On success the description of each output tensor has the shape of the result.
 *
 * @param executor the executor.
 * @param inputTensor one tensor for each input of the model, with all dimensions known; may repeat.
 * @param inputCount their number.
 * @param outputTensor one tensor for each output of the model, with memory that neither inputs nor other
 *        outputs use, but for OH_NNRt_MayShareMemory. Dimensions may be unknown.
 * @param outputCount their number.
 * @return OH_NN_INVALID_PARAMETER: null pointer, a number that is not the model's, a type or shape that does
 *         not fit the model, memory that is too small or overlaps, or values that an operation refuses.
 *         OH_NN_UNSUPPORTED: a limit of a device. OH_NN_MEMORY_ERROR: out of memory.
 *         OH_NN_UNAVAILABLE_DEVICE: the device was lost. OH_NN_FAILED: any other error of a device.
 *         OH_NN_OPERATION_FORBIDDEN: called in a callback of this executor.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNExecutor_RunSync(OH_NNExecutor* executor, NN_Tensor* inputTensor[], size_t inputCount,
                                       NN_Tensor* outputTensor[], size_t outputCount);

/**
 * Runs the model in the background. The function that OH_NNExecutor_SetOnRunDone set reports the end, once
 * for each call that succeeded. Runs of one executor are done in order. The tensors must live until then; the
 * arrays need not. The callback may start runs, wait for other executors and destroy this one.
 *
 * @param executor the executor.
 * @param inputTensor as for OH_NNExecutor_RunSync.
 * @param inputCount their number.
 * @param outputTensor as for OH_NNExecutor_RunSync.
 * @param outputCount their number.
 * @param timeout milliseconds from this call after which the run ends with OH_NN_TIMEOUT, its outputs
 *        undefined; earlier runs of the executor end first. No limit if not above 0.
 * @param userData handed to the callback; not null.
 * @return What is wrong before the device starts, as OH_NNExecutor_RunSync; there is no callback then.
 *         OH_NN_OPERATION_FORBIDDEN: no function was set, or the executor is being destroyed.
 * Since API 11.
 */
OH_NN_ReturnCode OH_NNExecutor_RunAsync(OH_NNExecutor* executor, NN_Tensor* inputTensor[], size_t inputCount,
                                        NN_Tensor* outputTensor[], size_t outputCount, int32_t timeout,
                                        void* userData);

/* ---- Devices ---- */

/**
 * Lists the devices. They are found once for each process; their numbers are the same in every process.
 * (Environment NNRT_DEVICES chooses among those of this runtime: a list of "cpu" and "vulkan", or "none".)
 *
 * @param allDevicesID must point to NULL; receives the numbers, which belong to the library and are valid for
 *        the life of the process. NULL if there is no device.
 * @param deviceCount receives how many there are.
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
 * Gets the kind of a device.
 *
 * @param deviceID the device.
 * @param deviceType receives the kind.
 * @return OH_NN_INVALID_PARAMETER: null, or no such device. OH_NN_UNAVAILABLE_DEVICE: it does not answer.
 */
OH_NN_ReturnCode OH_NNDevice_GetType(size_t deviceID, OH_NN_DeviceType* deviceType);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif  // NEURAL_NETWORK_CORE_H
