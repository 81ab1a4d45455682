#include "tools/import/nnapi/nnapi_library.h"

#include "core/base/text.h"

#include <dlfcn.h>

#include <iterator>
#include <string>

namespace nnrt::import {
namespace {

template <typename Function>
Status look_up(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function != nullptr) return {};
  return Error{Code::failed, cat("libneuralnetworks.so lacks ", name, ".")};
}

// Empty if no call on this thread has failed, or if the library has no error messages.
std::string last_error(const Nnapi& nnapi) {
  size_t length = 0;
  if (nnapi.get_last_error == nullptr ||
      nnapi.get_last_error(nullptr, 0, &length) != ANEURALNETWORKS_NO_ERROR)
    return "";
  std::string text(length + 1, '\0');
  if (nnapi.get_last_error(text.data(), text.size(), &length) != ANEURALNETWORKS_NO_ERROR) return "";
  text.resize(length);
  return text;
}

Result<Nnapi> open_library() {
  void* const library = dlopen("libneuralnetworks.so", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Error{Code::failed, cat("NNAPI cannot be opened: ", dlerror(), ".")};
  Nnapi nnapi;
#define NNRT_NNAPI_LOOK_UP(name) NNRT_TRY(look_up(library, #name, nnapi.name));
  NNRT_NNAPI_FUNCTIONS(NNRT_NNAPI_LOOK_UP)
#undef NNRT_NNAPI_LOOK_UP
  nnapi.get_last_error =
      reinterpret_cast<decltype(nnapi.get_last_error)>(dlsym(library, "ANeuralNetworksNNRt_getLastError"));
  return nnapi;
}

}  // namespace

Result<const Nnapi*> open_nnapi() {
  static const Result<Nnapi> opened = open_library();
  if (!opened.ok()) return opened.error();
  return &opened.value();
}

std::string_view nnapi_result_name(int code) {
  constexpr std::string_view kNames[] = {"NO_ERROR",
                                         "OUT_OF_MEMORY",
                                         "INCOMPLETE",
                                         "UNEXPECTED_NULL",
                                         "BAD_DATA",
                                         "OP_FAILED",
                                         "BAD_STATE",
                                         "UNMAPPABLE",
                                         "OUTPUT_INSUFFICIENT_SIZE",
                                         "UNAVAILABLE_DEVICE",
                                         "MISSED_DEADLINE_TRANSIENT",
                                         "MISSED_DEADLINE_PERSISTENT",
                                         "RESOURCE_EXHAUSTED_TRANSIENT",
                                         "RESOURCE_EXHAUSTED_PERSISTENT",
                                         "DEAD_OBJECT"};
  const auto number = static_cast<size_t>(code);
  return number < std::size(kNames) ? kNames[number] : "an unknown code";
}

Status nnapi_called(int code, std::string_view call) {
  if (code == ANEURALNETWORKS_NO_ERROR) return {};
  const auto opened = open_nnapi();
  const std::string reason = opened.ok() ? last_error(*opened.value()) : "";
  return Error{Code::failed,
               cat(call, " returns ", nnapi_result_name(code), ".", reason.empty() ? "" : " ", reason)};
}

}  // namespace nnrt::import
