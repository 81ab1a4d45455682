// The tokenizer of a tokenizer.json: BPE or Unigram, with the steps before and after them.
#pragma once

#include "tools/nnrt/generate/tokenizer.h"

#include <filesystem>

namespace nnrt::tool {

// Fails for unsupported kinds and steps: slightly wrong tokens would silently give wrong results.
Result<std::unique_ptr<Tokenizer>> read_tokenizer_json(const std::filesystem::path& path);

}  // namespace nnrt::tool
