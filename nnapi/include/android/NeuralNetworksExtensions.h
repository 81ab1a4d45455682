/**
 * @file NeuralNetworksExtensions.h
 *
 * Vendor operand types and operations. No device of this library has any: the query returns false, and all
 * other functions reject extension names with ANEURALNETWORKS_BAD_DATA. Usable from C11 and C++17.
 */
#ifndef ANDROID_NEURAL_NETWORKS_EXTENSIONS_H
#define ANDROID_NEURAL_NETWORKS_EXTENSIONS_H

#include "NeuralNetworks.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/**
 * Queries whether a device supports an extension. Level 29.
 *
 * @param device a device.
 * @param extensionName the name of the extension, such as "com.example.extension".
 * @param isExtensionSupported receives false.
 * @return UNEXPECTED_NULL: a null pointer.
 */
int ANeuralNetworksDevice_getExtensionSupport(const ANeuralNetworksDevice* device, const char* extensionName,
                                              bool* isExtensionSupported);

/**
 * Returns the operand type for a code within an extension. Level 29.
 *
 * @param model a model.
 * @param extensionName the name of the extension.
 * @param operandCodeWithinExtension the code that the extension defines.
 * @param type would receive the type; not written.
 * @return UNEXPECTED_NULL: a null pointer. BAD_DATA: there is no such extension.
 */
int ANeuralNetworksModel_getExtensionOperandType(ANeuralNetworksModel* model, const char* extensionName,
                                                 uint16_t operandCodeWithinExtension, int32_t* type);

/**
 * Returns the operation type for a code within an extension. Level 29.
 *
 * @param model a model.
 * @param extensionName the name of the extension.
 * @param operationCodeWithinExtension the code that the extension defines.
 * @param type would receive the type; not written.
 * @return UNEXPECTED_NULL: a null pointer. BAD_DATA: there is no such extension.
 */
int ANeuralNetworksModel_getExtensionOperationType(ANeuralNetworksModel* model, const char* extensionName,
                                                   uint16_t operationCodeWithinExtension,
                                                   ANeuralNetworksOperationType* type);

/**
 * Sets extension data of an operand with an extension type. Level 29.
 *
 * @param model a model that is not finished.
 * @param index the operand.
 * @param data the data; may be NULL if length is 0.
 * @param length the number of bytes.
 * @return UNEXPECTED_NULL: a null model, or null data with a length. BAD_STATE: the model is finished.
 *         BAD_DATA: no such operand, or its type is not an extension type.
 */
int ANeuralNetworksModel_setOperandExtensionData(ANeuralNetworksModel* model, int32_t index, const void* data,
                                                 size_t length);

/**
 * Adds an attribute of an extension to a compilation. Level 1000008.
 *
 * @param compilation a compilation that is not finished.
 * @param extensionName the name of the extension.
 * @param attributeCodeWithinExtension the code that the extension defines.
 * @param data the value.
 * @param length the number of bytes.
 * @return UNEXPECTED_NULL: a null pointer. BAD_STATE: the compilation is finished. BAD_DATA: there is no such
 *         extension.
 */
int ANeuralNetworksCompilation_addExtensionAttribute(ANeuralNetworksCompilation* compilation,
                                                     const char* extensionName,
                                                     uint16_t attributeCodeWithinExtension, const void* data,
                                                     size_t length);

/**
 * Adds an attribute of an extension to an execution. Level 1000008.
 *
 * @param execution an execution that has not started.
 * @param extensionName the name of the extension.
 * @param attributeCodeWithinExtension the code that the extension defines.
 * @param data the value.
 * @param length the number of bytes.
 * @return UNEXPECTED_NULL: a null pointer. BAD_STATE: the execution has started. BAD_DATA: there is no such
 *         extension.
 */
int ANeuralNetworksExecution_addExtensionAttribute(ANeuralNetworksExecution* execution,
                                                   const char* extensionName,
                                                   uint16_t attributeCodeWithinExtension, const void* data,
                                                   size_t length);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
