#include "tools/nnrt/base/json_output.h"
#include "tools/nnrt/command/command.h"
#include "tools/nnrt/session/device_descriptions.h"

#include <nlohmann/json.hpp>

#include <iostream>

namespace nnrt::tool {
namespace {

Status show_devices(bool json) {
  NNRT_ASSIGN(const auto descriptions, describe_devices());
  if (json) {
    print_json(std::cout, descriptions);
    return {};
  }
  if (descriptions.empty()) std::cout << "No device is available.\n";
  print_devices(descriptions);
  return {};
}

}  // namespace

void add_devices(CommandLine& app, Action& action) {
  struct Options {
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  CommandLine command = app.command("devices", "Lists devices and their properties");
  add_json_option(command, options->json);
  command.footer("\nExample: nnrt devices --json");
  command.when_called([options, &action] { action = [options] { return show_devices(options->json); }; });
}

}  // namespace nnrt::tool
