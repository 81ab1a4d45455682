/* The headers, read by a C compiler. */
#include <android/NeuralNetworks.h>
#include <android/NeuralNetworksExtensions.h>
#include <android/NeuralNetworksNNRt.h>
#include <android/NeuralNetworksOEM.h>

_Static_assert(sizeof(ResultCode) == sizeof(int), "enumerations have the size of int in C");
_Static_assert(sizeof(ANeuralNetworksOperandType) == 24, "LP64 layout");
_Static_assert(sizeof(ANeuralNetworksSymmPerChannelQuantParams) == 16, "LP64 layout");

int make_and_free_from_c(void);

int make_and_free_from_c(void) {
  ANeuralNetworksModel* model = NULL;
  const int code = ANeuralNetworksModel_create(&model);
  ANeuralNetworksModel_free(model);
  return code;
}
