/**
 * @file NeuralNetworksOEM.h
 *
 * Types and the operation that makers of devices once defined for themselves. Models may hold them, and no
 * device of this library runs them: such a model fails to compile. Usable from C11 and C++17.
 */
#ifndef ANDROID_NEURAL_NETWORKS_OEM_H
#define ANDROID_NEURAL_NETWORKS_OEM_H

#ifdef __cplusplus
extern "C" {
#endif

/** Types of operands beside OperandCode. Scale and zero point may be any. */
typedef enum {
  /** A value of any number of bytes. */
  ANEURALNETWORKS_OEM_SCALAR = 10000,
  /** A tensor of bytes. */
  ANEURALNETWORKS_TENSOR_OEM_BYTE = 10001
} OEMOperandCode;

/** Operations beside OperationCode. */
typedef enum {
  /** Takes and gives any operands. */
  ANEURALNETWORKS_OEM_OPERATION = 10000
} OEMOperationCode;

#ifdef __cplusplus
}
#endif

#endif
