#include "tools/plugins/onnxruntime/ep/ort_api.h"

namespace nnrt::ep {
namespace {

OrtErrorCode to_ort(Code code) {
  switch (code) {
    case Code::invalid_parameter: return ORT_INVALID_ARGUMENT;
    case Code::unsupported: return ORT_NOT_IMPLEMENTED;
    case Code::invalid_file: return ORT_INVALID_GRAPH;
    case Code::invalid_path: return ORT_NO_SUCHFILE;
    default: return ORT_EP_FAIL;
  }
}

}  // namespace

OrtTables& tables() {
  static OrtTables known;
  return known;
}

Status taken(OrtStatus* status) {
  if (status == nullptr) return {};
  const Released<OrtStatus> owned(status, ort().ReleaseStatus);
  const char* const message = ort().GetErrorMessage(status);
  return Error{Code::failed, message == nullptr ? "" : message};
}

OrtStatus* to_ort(const Status& status) noexcept {
  if (status.ok()) return nullptr;
  const std::string& message = status.error().message;
  return ort().CreateStatus(to_ort(status.error().code),
                            message.empty() ? "Out of memory." : message.c_str());
}

}  // namespace nnrt::ep
