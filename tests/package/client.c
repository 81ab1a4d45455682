/* Lists the devices; includes the headers in both ways that clients use. */
#include <neural_network_runtime/neural_network_core.h>
#include <neural_network_runtime/neural_network_runtime.h>
#include <stdio.h>

int main(void) {
  const size_t* ids = NULL;
  uint32_t count = 0;
  if (OH_NNDevice_GetAllDevicesID(&ids, &count) != OH_NN_SUCCESS || count == 0) return 1;
  for (uint32_t i = 0; i < count; ++i) {
    const char* name = NULL;
    if (OH_NNDevice_GetName(ids[i], &name) != OH_NN_SUCCESS) return 1;
    printf("%s\n", name);
  }
  OH_NNModel* model = OH_NNModel_Construct();
  OH_NNModel_Destroy(&model);
  return model == NULL ? 0 : 1;
}
