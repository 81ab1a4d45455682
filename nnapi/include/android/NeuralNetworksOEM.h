/**
 * @file NeuralNetworksOEM.h
 *
 * Legacy vendor-specific types and operation. Models may contain them, but no device of this library supports
 * them: such a model fails to compile. Usable from C11 and C++17.
 */
#ifndef ANDROID_NEURAL_NETWORKS_OEM_H
#define ANDROID_NEURAL_NETWORKS_OEM_H

#ifdef __cplusplus
extern "C" {
#endif

/** Operand types in addition to OperandCode. Scale and zero point may have any value. */
typedef enum {
  /** A value of any number of bytes. */
  ANEURALNETWORKS_OEM_SCALAR = 10000,
  /** A tensor of bytes. */
  ANEURALNETWORKS_TENSOR_OEM_BYTE = 10001
} OEMOperandCode;

/** Operations in addition to OperationCode. */
typedef enum {
  /** Accepts any operands. */
  ANEURALNETWORKS_OEM_OPERATION = 10000
} OEMOperationCode;

#ifdef __cplusplus
}
#endif

#endif
