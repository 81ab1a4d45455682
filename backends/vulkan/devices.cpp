#include "backends/vulkan/devices.h"

#include "backends/vulkan/device.h"
#include "backends/vulkan/facts.h"
#include "backends/vulkan/hardware.h"
#include "backends/vulkan/instance.h"
#include "backends/vulkan/lower/paths.h"
#include "core/log.h"
#include "core/text.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string_view>

namespace nnrt::vulkan {
namespace {

std::string forced_path() {
  const char* text = std::getenv("NNRT_VULKAN_PATH");
  if (text == nullptr || *text == '\0') return {};
  const auto known = paths();
  if (std::ranges::find(known, std::string_view(text), &Path::name) == known.end()) {
    log(LogLevel::warning, cat("NNRT_VULKAN_PATH (", text, ") is not the name of a path."));
  }
  return text;
}

// NNRT_VULKAN_SHADERS: tuned, quick, later, or later:MILLISECONDS.
void set_shaders(DevicePlan& plan) {
  const char* text = std::getenv("NNRT_VULKAN_SHADERS");
  if (text == nullptr || *text == '\0') return;
  const std::string_view setting(text);
  const std::string_view choice = setting.substr(0, setting.find(':'));
  constexpr std::pair<std::string_view, Shaders> kChoices[] = {
      {"tuned", Shaders::tuned}, {"quick", Shaders::quick}, {"later", Shaders::later}};
  const auto chosen = std::ranges::find(kChoices, choice, &std::pair<std::string_view, Shaders>::first);
  if (chosen == std::end(kChoices)) {
    return log(LogLevel::warning, cat("NNRT_VULKAN_SHADERS (", text, ") is neither tuned, quick nor later."));
  }
  plan.shaders = chosen->second;
  if (setting.size() > choice.size()) plan.compile_us = 1e3 * std::atof(text + choice.size() + 1);
}

// NNRT_VULKAN_WINOGRAD: 4, 2 or off.
Winograd forced_winograd() {
  const char* text = std::getenv("NNRT_VULKAN_WINOGRAD");
  if (text == nullptr || *text == '\0') return Winograd::best;
  constexpr std::pair<std::string_view, Winograd> kChoices[] = {
      {"off", Winograd::off}, {"4", Winograd::four}, {"2", Winograd::two}};
  const auto chosen =
      std::ranges::find(kChoices, std::string_view(text), &std::pair<std::string_view, Winograd>::first);
  if (chosen != std::end(kChoices)) return chosen->second;
  log(LogLevel::warning, cat("NNRT_VULKAN_WINOGRAD (", text, ") is neither 4, 2 nor off."));
  return Winograd::best;
}

std::string forced_hardware() {
  const char* text = std::getenv("NNRT_VULKAN_HARDWARE");
  return text == nullptr ? "" : text;
}

}  // namespace

std::vector<std::shared_ptr<Device>> find_devices() {
  const auto found = physical_devices();
  if (!found.ok()) {
    log(LogLevel::info, cat("There is no Vulkan device: ", found.error().message));
    return {};
  }
  std::vector<std::shared_ptr<Device>> devices;
  std::map<std::string, int> namesakes;
  for (const VkPhysicalDevice physical : found.value()) {
    const Snapshot snapshot = take_snapshot(physical);
    auto planned = plan(snapshot, forced_hardware());
    if (!planned.ok()) {
      log(LogLevel::warning, planned.error().message);
      continue;
    }
    std::string name = planned.value().name;
    if (const int number = ++namesakes[name]; number > 1) name.append(cat(" #", number));
    planned.value().name = name;
    if (const char* setting = std::getenv("NNRT_VULKAN_HALVES")) {
      planned.value().store_halves = std::string_view(setting) == "on";
    }
    planned.value().path = forced_path();
    planned.value().winograd = forced_winograd();
    set_shaders(planned.value());
    std::vector<Fact> facts = facts_of(snapshot, planned.value());
    devices.push_back(std::make_shared<VulkanDevice>(physical, std::move(planned).value(), std::move(name),
                                                     std::move(facts)));
  }
  return devices;
}

}  // namespace nnrt::vulkan
