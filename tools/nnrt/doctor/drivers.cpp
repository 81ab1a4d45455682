#include "tools/nnrt/doctor/drivers.h"

#include "core/base/text.h"
#include "tools/nnrt/base/file_io.h"
#include "tools/nnrt/doctor/child.h"
#include "tools/nnrt/session/device_descriptions.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace nnrt::tool {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kSeconds = 10;  // to open a driver

std::string variable(const char* name, const std::string& otherwise = "") {
  const char* const value = std::getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : value;
}

// Files, or those of folders.
void add_manifests(const fs::path& path, std::vector<fs::path>& found) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    found.push_back(path);
    return;
  }
  std::vector<fs::path> files;
  for (fs::directory_iterator it(path, error); !error && it != fs::directory_iterator(); it.increment(error))
    if (it->path().extension() == ".json") files.push_back(it->path());
  std::ranges::sort(files);
  found.insert(found.end(), files.begin(), files.end());
}

// Where the Vulkan loader looks for them.
std::vector<fs::path> manifests() {
  std::vector<fs::path> found;
  const std::string only = variable("VK_DRIVER_FILES", variable("VK_ICD_FILENAMES"));
  for (const std::string& path : list_entries(only + ":" + variable("VK_ADD_DRIVER_FILES"), ':'))
    if (!path.empty()) add_manifests(path, found);
  if (!only.empty()) return found;
  const std::string home = variable("HOME", "/");
  std::string folders = variable("XDG_CONFIG_HOME", home + "/.config");
  folders += ":" + variable("XDG_CONFIG_DIRS", "/etc/xdg") + ":/etc:";
  folders += variable("XDG_DATA_HOME", home + "/.local/share");
  folders += ":" + variable("XDG_DATA_DIRS", "/usr/local/share:/usr/share");
  std::set<fs::path> seen;
  for (const std::string& folder : list_entries(folders, ':')) {
    const fs::path drivers = fs::path(folder) / "vulkan/icd.d";
    std::error_code error;
    if (!folder.empty() && fs::is_directory(drivers, error) && seen.insert(drivers).second)
      add_manifests(drivers, found);
  }
  return found;
}

// Why the library of a manifest cannot be loaded; empty if it can, or if only the loader knows where it is.
std::string library_problem(const fs::path& manifest) {
  const auto bytes = read_file(manifest);
  if (!bytes.ok()) return bytes.error().message;
  const auto json =
      Json::parse(reinterpret_cast<const char*>(bytes.value().data()),
                  reinterpret_cast<const char*>(bytes.value().data()) + bytes.value().size(), nullptr, false);
  if (!json.is_object() || !json.contains("ICD") || !json["ICD"].is_object())
    return "It is not the manifest of a Vulkan driver.";
  const std::string library = json["ICD"].value("library_path", "");
  const bool is_path = library.find('/') != library.npos;
  const std::string path = is_path ? (manifest.parent_path() / library).string() : library;
  return dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL) != nullptr
             ? ""
             : cat("Its library cannot be loaded: ", dlerror(), ".");
}

// In the child.
Json try_driver(const fs::path& manifest) {
  setenv("VK_DRIVER_FILES", manifest.c_str(), 1);
  setenv("VK_ICD_FILENAMES", manifest.c_str(), 1);  // for loaders before 1.3.207
  setenv("NNRT_DEVICES", "gpu", 1);
  setenv("NNRT_LOG", "info", 1);
  for (const char* const name : {"VK_ADD_DRIVER_FILES", "NNRT_PLUGINS", "NNRT_HOSTED", "NNRT_TRACE"})
    unsetenv(name);
  if (const std::string problem = library_problem(manifest); !problem.empty()) return {{"problem", problem}};
  const auto devices = describe_devices();
  return devices.ok() ? Json{{"devices", devices.value()}} : Json{{"problem", devices.error().message}};
}

// The library's reasons not to use devices.
std::string logged_reasons(const std::string& log) {
  std::string reasons;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);)
    for (const std::string_view begin : {"NNRt W: ", "NNRt I: No Vulkan device: "})
      if (line.starts_with(begin)) reasons += ' ' + line.substr(begin.size());
  return reasons;
}

Json describe_driver(const fs::path& manifest) {
  const ChildEnd end = in_child([&](const Send& send) { send(try_driver(manifest)); }, kSeconds);
  Json driver{{"file", manifest.string()}, {"devices", Json::array()}, {"problem", ""}};
  for (const Json& found : end.sent) driver.update(found);
  if (!end.fault.empty()) driver["problem"] = cat("It ", end.fault, ".");
  if (driver["problem"] == "" && driver["devices"].empty())
    driver["problem"] = cat("It offers no device on this machine.", logged_reasons(end.log));
  return driver;
}

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

struct Vendor {
  const char *id, *name, *help;
};
constexpr Vendor kVendors[] = {
    {"0x10de", "NVIDIA",
     "Install NVIDIA's driver with its Vulkan part (Debian: nvidia-driver, nvidia-vulkan-icd)."},
    {"0x1002", "AMD", "Install the package mesa-vulkan-drivers."},
    {"0x8086", "Intel", "Install the package mesa-vulkan-drivers."}};

// Device files that this user may not open; often the reason why a driver finds no GPU.
std::string forbidden_files() {
  std::string problem;
  std::error_code error;
  for (const char* const folder : {"/dev/dri", "/dev"}) {
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      const std::string name = entry.path().filename().string();
      const bool is_gpu = name.starts_with("renderD") || name == "nvidiactl" || name == "kfd";
      if (is_gpu && access(entry.path().c_str(), R_OK | W_OK) != 0)
        problem += cat(" ", entry.path().string(), " cannot be opened: ", std::strerror(errno),
                       "; the groups render and video usually may.");
    }
  }
  return problem;
}

}  // namespace

Json describe_drivers() {
  Json drivers = Json::array();
  for (const fs::path& manifest : manifests()) drivers.push_back(describe_driver(manifest));
  return drivers;
}

Json describe_gpus(const Json& drivers) {
  std::set<std::string> offered;
  for (const Json& driver : drivers)
    for (const Json& device : driver["devices"])
      if (device.value("kind", "") != "software") offered.insert(device.value("vendor", ""));
  Json gpus = Json::array();
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/sys/bus/pci/devices", error)) {
    if (!first_line(entry.path() / "class").starts_with("0x03")) continue;  // display controllers
    const std::string id = first_line(entry.path() / "vendor");
    const auto* const vendor = std::ranges::find(kVendors, id, &Vendor::id);
    const bool is_known = vendor != std::end(kVendors);
    Json gpu{{"pci", entry.path().filename().string()},
             {"vendor", is_known ? vendor->name : "PCI vendor " + id},
             {"problem", ""}};
    if (is_known && !offered.contains(vendor->name))
      gpu["problem"] = cat("No Vulkan driver offers it. ", vendor->help, forbidden_files());
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

}  // namespace nnrt::tool
