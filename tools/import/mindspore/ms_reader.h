// Reads MindSpore Lite models.
#pragma once

#include "core/memory/lending_buffer.h"
#include "tools/import/network/import_options.h"

#include <filesystem>
#include <memory>
#include <span>

namespace nnrt::import {

// By the identifier, or by the structure of files before 1.1, which have none.
bool is_mindspore(std::span<const std::byte> file);

// The bytes may be hostile. `folder` holds the model's external data; if empty, models with external data are
// rejected. Fails if the file is damaged or has a primitive that OH_NN cannot express, listing all of them.
// Constants are lent from `file`.
Result<Network> read_mindspore(const LendingBuffer& file, const std::filesystem::path& folder,
                               const Options& options);
// The same, from a copy of `file`.
Result<Network> read_mindspore(std::span<const std::byte> file, const std::filesystem::path& folder,
                               const Options& options);

}  // namespace nnrt::import
