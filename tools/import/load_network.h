// A model file of any format that this library reads.
#pragma once

#include "tools/import/attached_files.h"
#include "tools/import/network/import_options.h"

#include <filesystem>
#include <span>
#include <vector>

namespace nnrt::import {

// The first bytes decide about the format, then the extension. Fails where the file cannot be read as a
// model, where it has an operator that OH_NN cannot express (the message names each), and, with
// Code::invalid_parameter, which nothing else has, where `given` names an input that the model lacks, or
// gives a shape that it cannot have. A shape without a name is meant for the file's only input.
Result<Network> load(const std::filesystem::path& path, const Options& given = {});

// The folder that paths of external data are relative to.
std::filesystem::path folder_of(const std::filesystem::path& model);
// `folders`, and if `model` is a link, the folder of its target: download caches keep models and their
// external data there, and only links to them under their names.
std::vector<std::filesystem::path> folders_with_link(const std::filesystem::path& model,
                                                     std::vector<std::filesystem::path> folders);

// Returns whether bytes begin as a TensorFlow Lite file does.
bool is_tflite(std::span<const std::byte> file);

// The same of a file's bytes, which are ONNX unless they begin as TensorFlow Lite does. `folder` has
// what an ONNX file keeps outside of itself; empty: such a file is refused.
Result<Network> load(std::span<const std::byte> file, const std::filesystem::path& folder,
                     const Options& given = {});

struct LoadedFile {
  Network network;
  std::vector<AttachedFile> files;
};

// The same with the files that are attached to the model, which is read once for both.
Result<LoadedFile> load_all(const std::filesystem::path& path, const Options& given = {});
Result<LoadedFile> load_all(std::span<const std::byte> file, const std::filesystem::path& folder,
                            const Options& given = {});

}  // namespace nnrt::import
