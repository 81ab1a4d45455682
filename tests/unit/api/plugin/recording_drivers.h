// Devices registered at program start, which record calls.
#pragma once

#include "tests/support/simple_device.h"
#include "tests/unit/api/plugin/plugin_device_names.h"

#include <mutex>

namespace api_tests {

// A registered device and its recorded calls. Its traits may be changed while nothing runs.
class Recorder {
 public:
  // Devices of V2_1, V2_0, V1_0, and an exclusive one.
  static Recorder& newest();
  static Recorder& older();
  static Recorder& oldest();
  static Recorder& exclusive();
  static void register_all();
  // The calls of the newest device until the device list was made.
  static const std::vector<std::string>& registration();

  nnrt::test::SimpleTraits& traits() { return *traits_; }
  size_t id() const;
  // The calls since the last query, "Method given".
  std::vector<std::string> take();
  // Only their names.
  std::vector<std::string> take_names();

 private:
  explicit Recorder(const char* name, uint32_t major, uint32_t minor);
  void put_on_list();

  std::shared_ptr<nnrt::test::SimpleTraits> traits_;
  std::mutex mutex_;
  std::vector<std::string> calls_;
  int32_t registered_ = -1;
};

using Names = std::vector<std::string>;

}  // namespace api_tests
