// Options of the delegate: those of all plugins, and its own.
#pragma once

#include "tools/plugins/base/plugin_options.h"

namespace nnrt::tflite_plugin {

struct DelegateOptions {
  plugins::PluginOptions common;
  uint32_t min_nodes = 1;  // of a partition
  bool zero_copy = true;   // put tensors of the interpreter into shared memory
  bool report = false;     // print which nodes run here, and why others do not
};

// Reads `count` pairs; the first bad one fails.
Result<DelegateOptions> read_options(const char* const* names, const char* const* values, size_t count);

}  // namespace nnrt::tflite_plugin
