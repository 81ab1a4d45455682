// A plugin whose devices each do to their process what their name says: "Aborts in Run". Vendor "Fatal". The
// last one, "Harmless", does nothing.
#include "tests/support/simple_device.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

namespace {

using namespace nnrt::test;

constexpr int kMaxFiles = 256;
constexpr unsigned long kMaxBytes = 64ul << 20;

void hang() {
  while (true) pause();
}

// Like a wild pointer, only more thorough.
void write_everywhere() {
  struct Region {
    unsigned long from, to;
  };
  std::vector<Region> regions;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    Region region{};
    char access[5] = {};
    const bool is_region = std::sscanf(line.c_str(), "%lx-%lx %4s", &region.from, &region.to, access) == 3;
    // Sanitizers reserve more memory than any machine has.
    if (is_region && access[1] == 'w' && region.to - region.from < kMaxBytes) regions.push_back(region);
  }
  for (const Region& region : regions)
    std::memset(reinterpret_cast<void*>(region.from), 0x5a, region.to - region.from);
}

void close_all_files() {
  for (int fd = 3; fd < kMaxFiles; ++fd) close(fd);
}

void empty_all_files() {
  for (int fd = 3; fd < kMaxFiles; ++fd) static_cast<void>(!ftruncate(fd, 0));
}

// Sends garbage to the client.
void write_to_sockets() {
  const std::string nonsense(100, '\x7f');
  for (int fd = 3; fd < kMaxFiles; ++fd)
    static_cast<void>(!send(fd, nonsense.data(), nonsense.size(), MSG_DONTWAIT | MSG_NOSIGNAL));
}

struct DeviceAction {
  const char* name;
  void (*act)();
};
constexpr DeviceAction kDeviceActions[] = {{"Aborts", std::abort},
                                           {"Exits", [] { std::exit(0); }},
                                           {"Kills itself", [] { raise(SIGKILL); }},
                                           {"Hangs", hang},
                                           {"Writes everywhere", write_everywhere},
                                           {"Closes all files", close_all_files},
                                           {"Empties all files", empty_all_files},
                                           {"Writes to sockets", write_to_sockets}};
constexpr const char* kMethods[] = {
    "GetSupportedOperation", "PrepareModel", "PrepareModelFromModelCache", "AllocateBuffer", "ReleaseBuffer",
    "ExportModelCache",      "Run"};

hdi::INnrtDevice* create(uint32_t index) {
  signal(SIGABRT, SIG_DFL);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);  // core dumps take too long
  auto traits = std::make_shared<SimpleTraits>();
  traits->vendor = "Fatal";
  traits->name = "Harmless";
  traits->offline_inputs =
      traits->offline_outputs = {{"x", hdi::DATA_TYPE_FLOAT32, {-1, 3}, hdi::FORMAT_NHWC, {}}};
  const uint32_t methods = std::size(kMethods);
  if (index > methods * std::size(kDeviceActions)) return nullptr;
  if (index < methods * std::size(kDeviceActions)) {
    const DeviceAction& action = kDeviceActions[index / methods];
    const std::string method = kMethods[index % methods];
    traits->name = std::string(action.name) + " in " + method;
    traits->on = [&action, method](const std::string& called, const std::string&) -> int32_t {
      if (called == method) action.act();
      return 0;
    };
  }
  return new SimpleDevice(traits);
}

}  // namespace

NNRT_EXPORT_PLUGIN(create)
