// Error messages of failed C API calls.
#pragma once

#include <neural_network_runtime/nnrt_extensions.h>

#include <dlfcn.h>

#include <string>

namespace nnrt::import {

// Empty if no call on this thread has failed, or if the API implementation has no error messages.
inline std::string last_error() {
  const auto ask =
      reinterpret_cast<decltype(&OH_NNRt_GetLastError)>(dlsym(RTLD_DEFAULT, "OH_NNRt_GetLastError"));
  size_t length = 0;
  if (ask == nullptr || ask(nullptr, 0, &length) != OH_NN_SUCCESS || length == 0) return "";
  std::string text(length + 1, '\0');
  if (ask(text.data(), text.size(), &length) != OH_NN_SUCCESS) return "";
  text.resize(length);
  return text;
}

// Appends the reason, if known: "OH_NNModel_Finish returns 2. The model has no input."
inline std::string with_last_error(const std::string& sentence) {
  const std::string reason = last_error();
  return reason.empty() ? sentence : sentence + " " + reason;
}

}  // namespace nnrt::import
