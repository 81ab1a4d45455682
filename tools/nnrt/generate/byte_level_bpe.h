// Byte-pair encoding of bytes, as GPT-2 has it and tokenizer.json describes it.
#pragma once

#include "tools/nnrt/generate/tokenizer.h"

#include <filesystem>

namespace nnrt::tool {

// Fails where the file describes another kind of tokenizer, or steps that this one does not have: tokens that
// are nearly right would make a model that is wrong in silence.
Result<std::unique_ptr<Tokenizer>> read_byte_level_bpe(const std::filesystem::path& path);

}  // namespace nnrt::tool
