// Runs a function of the delegate for the interpreter, which knows no exceptions.
#pragma once

#include "core/base/result.h"

#include <tensorflow/lite/core/c/common.h>

#include <exception>
#include <string>

namespace nnrt::tflite_plugin {

inline void report(TfLiteContext* context, const std::string& message) {
  context->ReportError(context, "NNRt: %s", message.c_str());
}

// The function returns a Status, whose error is reported.
template <typename Function>
TfLiteStatus guarded(TfLiteContext* context, Function function) {
  try {
    const Status status = function();
    if (status.ok()) return kTfLiteOk;
    report(context, status.error().message);
  } catch (const std::bad_alloc&) {
    report(context, "Out of memory.");
  } catch (const std::exception& exception) {
    report(context, exception.what());
  }
  return kTfLiteError;
}

}  // namespace nnrt::tflite_plugin
