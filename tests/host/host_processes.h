// This process's host processes.
#pragma once

#include <signal.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace api_tests {

// The hosts that this process started and that are still running.
inline std::vector<pid_t> hosts() {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream children(entry.path() / "children");
    for (pid_t pid = 0; children >> pid;) {
      std::ifstream name("/proc/" + std::to_string(pid) + "/comm");
      std::string text;
      std::getline(name, text);
      if (text.starts_with("nnrt-device-ho")) found.push_back(pid);
    }
  }
  return found;
}

inline void kill_hosts() {
  for (const pid_t pid : hosts()) kill(pid, SIGKILL);
}

}  // namespace api_tests
