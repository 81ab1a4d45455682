// Byte-level BPE, as in GPT-2, read from tokenizer.json.
#pragma once

#include "tools/nnrt/generate/tokenizer.h"

#include <filesystem>

namespace nnrt::tool {

// Fails for other kinds of tokenizers and for unsupported steps: slightly wrong tokens would silently give
// wrong results.
Result<std::unique_ptr<Tokenizer>> read_byte_level_bpe(const std::filesystem::path& path);

}  // namespace nnrt::tool
