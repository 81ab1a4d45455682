#include "python/native/error.h"

#include <neural_network_runtime/nnrt_extensions.h>

namespace nnrt::python {

std::string last_error() {
  size_t length = 0;
  if (OH_NNRt_GetLastError(nullptr, 0, &length) != OH_NN_SUCCESS || length == 0)
    return "The runtime gave no reason.";
  std::string text(length + 1, '\0');
  OH_NNRt_GetLastError(text.data(), text.size(), &length);
  text.resize(length);
  return text;
}

void check(OH_NN_ReturnCode code) {
  if (code != OH_NN_SUCCESS) throw Failure(code, last_error());
}

void refuse(const std::string& sentence) { throw Failure(OH_NN_INVALID_PARAMETER, sentence); }

}  // namespace nnrt::python
