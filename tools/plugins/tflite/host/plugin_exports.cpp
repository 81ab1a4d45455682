// The two functions that the loader of external delegates looks up.
#include "tools/plugins/tflite/host/tflite_delegate.h"

#include <exception>

namespace {

using nnrt::tflite_plugin::Delegate;

nnrt::Result<std::unique_ptr<Delegate>> create(char** keys, char** values, size_t count) {
  NNRT_ASSIGN(const auto options, nnrt::tflite_plugin::read_options(keys, values, count));
  return Delegate::create(options);
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) TfLiteDelegate* tflite_plugin_create_delegate(
    char** keys, char** values, size_t count, void (*report_error)(const char*)) {
  const auto report = [&](const char* message) {
    if (report_error != nullptr) report_error(message);
  };
  try {
    auto made = create(keys, values, count);
    if (made.ok()) return std::move(made).value().release()->handle();
    report(("NNRt: " + made.error().message).c_str());
  } catch (const std::exception& exception) {
    report(exception.what());
  }
  return nullptr;
}

__attribute__((visibility("default"))) void tflite_plugin_destroy_delegate(TfLiteDelegate* handle) {
  if (handle != nullptr) delete &Delegate::of(handle);
}

}  // extern "C"
