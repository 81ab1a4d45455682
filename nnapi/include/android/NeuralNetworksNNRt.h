/**
 * @file NeuralNetworksNNRt.h
 *
 * Functions of this library alone. A program that also runs with other implementations of the Neural Networks
 * API looks them up with dlsym. Usable from C11 and C++17.
 */
#ifndef ANDROID_NEURAL_NETWORKS_NNRT_H
#define ANDROID_NEURAL_NETWORKS_NNRT_H

#include "NeuralNetworksTypes.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/**
 * Gives why the last call of this thread that failed did so, as the log has it behind the function's name:
 * whole sentences in UTF-8. A computation that was started fails in ANeuralNetworksEvent_wait.
 *
 * @param text receives the sentences with a 0 behind them; may be NULL if capacity is 0.
 * @param capacity bytes that text has room for.
 * @param length receives the bytes of the sentences without the 0, whether or not they fit; 0 where no call
 *        of this thread has failed.
 * @return UNEXPECTED_NULL: length is null, or text is null though capacity is not 0. BAD_DATA: 0 < capacity
 *         <= *length (nothing is written to text). These errors are neither logged nor the last ones.
 */
int ANeuralNetworksNNRt_getLastError(char* text, size_t capacity, size_t* length);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
