// Options of the programs that run model files: "--name value", flags, and folders.
#pragma once

#include <neural_network_runtime/neural_network_runtime_type.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace nnrt::test {

class ProgramOptions {
 public:
  // Exits if an option is unknown or has no value.
  ProgramOptions(int argc, char** argv, const std::set<std::string>& options,
                 const std::set<std::string>& flags = {}) {
    for (int i = 1; i < argc; ++i) {
      const std::string argument = argv[i];
      if (!argument.starts_with("--")) {
        folders_.push_back(argument);
      } else if (flags.contains(argument)) {
        values_[argument] = "yes";
      } else if (options.contains(argument) && i + 1 < argc) {
        values_[argument] = argv[++i];
      } else {
        std::fprintf(stderr, "%s is unknown or has no value.\n", argv[i]);
        std::exit(2);
      }
    }
  }

  bool has(const std::string& name) const { return values_.contains(name); }
  std::string value(const std::string& name, const std::string& otherwise = "") const {
    const auto found = values_.find(name);
    return found == values_.end() ? otherwise : found->second;
  }
  OH_NN_DeviceType device() const { return value("--device") == "gpu" ? OH_NN_GPU : OH_NN_CPU; }
  const std::vector<std::string>& folders() const { return folders_; }
  std::string folder() const { return folders_.empty() ? "" : folders_.back(); }

 private:
  std::map<std::string, std::string> values_;
  std::vector<std::string> folders_;
};

}  // namespace nnrt::test
