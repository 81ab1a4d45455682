// The functions that ONNX Runtime looks up.
#include "core/base/text.h"
#include "tools/plugins/onnxruntime/ep/ep_factory.h"

#include <charconv>
#include <mutex>

namespace nnrt::ep {
namespace {

// Never destroyed: a session that outlives ONNX Runtime's environment still calls its provider's factory.
// Registering the library again makes another factory.
OrtEpFactory* make_factory() {
  static std::mutex mutex;
  static auto* const factories = new std::vector<std::unique_ptr<EpFactory>>;
  const std::lock_guard lock(mutex);
  return factories->emplace_back(std::make_unique<EpFactory>()).get();
}

// 23 for "1.23.2".
int minor_version(std::string_view version) {
  const size_t dot = version.find('.');
  int minor = 0;
  if (dot != std::string_view::npos)
    std::from_chars(version.data() + dot + 1, version.data() + version.size(), minor);
  return minor;
}

}  // namespace
}  // namespace nnrt::ep

extern "C" {

__attribute__((visibility("default"))) OrtStatus* CreateEpFactories(const char*, const OrtApiBase* base,
                                                                    const OrtLogger*,
                                                                    OrtEpFactory** factories, size_t capacity,
                                                                    size_t* count) {
  const OrtApi* const api = base->GetApi(ORT_API_VERSION);
  if (api == nullptr) {
    // Every version since the first has CreateStatus.
    return base->GetApi(1)->CreateStatus(ORT_FAIL, nnrt::cat("NNRt needs ONNX Runtime 1.", ORT_API_VERSION,
                                                             " or later, not ", base->GetVersionString(), ".")
                                                       .c_str());
  }
  nnrt::ep::tables() = {api, api->GetEpApi(), api->GetModelEditorApi(),
                        nnrt::ep::minor_version(base->GetVersionString())};
  return nnrt::ep::guarded([&]() -> nnrt::Status {
    if (capacity == 0) return nnrt::invalid("There is no room for a factory.");
    factories[0] = nnrt::ep::make_factory();
    *count = 1;
    return {};
  });
}

__attribute__((visibility("default"))) OrtStatus* ReleaseEpFactory(OrtEpFactory*) { return nullptr; }
}
