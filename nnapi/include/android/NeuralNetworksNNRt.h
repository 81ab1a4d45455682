/**
 * @file NeuralNetworksNNRt.h
 *
 * Functions that only this library has. A program that must also run on other implementations of the Neural
 * Networks API looks them up with dlsym. Usable from C11 and C++17.
 */
#ifndef ANDROID_NEURAL_NETWORKS_NNRT_H
#define ANDROID_NEURAL_NETWORKS_NNRT_H

#include "NeuralNetworksTypes.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/**
 * Returns the reason for the last failure on this thread, as logged after the function's name: complete
 * sentences in UTF-8. Asynchronous computations fail in ANeuralNetworksEvent_wait.
 *
 * @param text receives the null-terminated text; may be NULL if capacity is 0.
 * @param capacity size of text in bytes.
 * @param length receives the length of the text in bytes without the terminator, even if it does not fit; 0
 *        if no call has failed on this thread.
 * @return UNEXPECTED_NULL: length is null, or text is null and capacity is not 0. BAD_DATA: 0 < capacity <=
 *         *length (nothing is written to text). These errors are not logged and do not replace the last one.
 */
int ANeuralNetworksNNRt_getLastError(char* text, size_t capacity, size_t* length);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
