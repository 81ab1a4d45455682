#include "tools/plugins/tflite/delegate_options.h"

namespace nnrt::tflite_plugin {
namespace {

constexpr uint32_t kMaxNodes = 1 << 20;

Status set(DelegateOptions& options, std::string_view name, std::string_view value) {
  if (name == "min_nodes") {
    NNRT_ASSIGN(options.min_nodes, plugins::as_number(name, value, kMaxNodes));
  } else if (name == "zero_copy") {
    NNRT_ASSIGN(options.zero_copy, plugins::as_bool(name, value));
  } else if (name == "report") {
    NNRT_ASSIGN(options.report, plugins::as_bool(name, value));
  } else {
    return plugins::set_option(options.common, name, value, ", min_nodes, zero_copy, report");
  }
  return {};
}

}  // namespace

Result<DelegateOptions> read_options(const char* const* names, const char* const* values, size_t count) {
  DelegateOptions options;
  for (size_t i = 0; i < count; ++i) {
    if (names == nullptr || values == nullptr || names[i] == nullptr || values[i] == nullptr)
      return Error{Code::invalid_parameter, "An option is null."};
    NNRT_TRY(set(options, names[i], values[i]));
  }
  return options;
}

}  // namespace nnrt::tflite_plugin
