// The files of a language model in a folder, as download sites have them.
#pragma once

#include "core/base/result.h"
#include "tools/nnrt/generate/sampler.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace nnrt::tool {

struct TextFiles {
  std::filesystem::path model;                        // .onnx, or another file that commands take
  std::filesystem::path tokenizer;                    // tokenizer.json; empty: none
  std::vector<int64_t> ends;                          // tokens that end the text
  Sampling sampling;                                  // greedy unless a configuration says otherwise
  std::string chat_template;                          // empty: none
  std::map<std::string, std::string> special_tokens;  // by name, such as bos_token
  int64_t positions = 0;  // the longest text that the model was made for; 0: unknown
};

// From a folder, or from a model and the files beside it or, if its folder is named `onnx`, above it. Fails
// if a folder does not tell which model, or a file is damaged.
Result<TextFiles> find_text_files(const std::filesystem::path& path);

}  // namespace nnrt::tool
