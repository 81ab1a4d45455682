#include "tools/plugins/onnxruntime/run/device_facts.h"

#include <neural_network_runtime/nnrt_extensions.h>

#include <nlohmann/json.hpp>

namespace nnrt::ep {

Facts facts_of(const plugins::PluginDevice& device) {
  size_t length = 0;
  if (OH_NNRt_DescribeDevice(device.id, nullptr, 0, &length) != OH_NN_SUCCESS) return {};
  std::string text(length + 1, '\0');
  if (OH_NNRt_DescribeDevice(device.id, text.data(), text.size(), &length) != OH_NN_SUCCESS) return {};
  text.resize(length);
  return facts_of(text);
}

Facts facts_of(const std::string& json) {
  Facts facts;
  const auto parsed = nlohmann::json::parse(json, nullptr, false);
  if (!parsed.is_object()) return facts;
  for (const auto& [name, value] : parsed.items())
    facts[name] = value.is_string() ? value.get<std::string>() : value.dump();
  return facts;
}

}  // namespace nnrt::ep
