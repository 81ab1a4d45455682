// Loads a model file of any supported format.
#pragma once

#include "tools/import/attached_files.h"
#include "tools/import/network/import_options.h"

#include <filesystem>
#include <span>
#include <vector>

namespace nnrt::import {

// The format is detected from the first bytes, then from the extension. Fails if the file is not a readable
// model or has operators that OH_NN cannot express (the error lists them). Code::invalid_parameter is
// reserved for `given` naming an unknown input or giving it an impossible shape. A shape without a name
// applies to the file's only input.
Result<Network> load(const std::filesystem::path& path, const Options& given = {});

// The folder that external data paths are relative to.
std::filesystem::path folder_of(const std::filesystem::path& model);
// `folders`, plus the folder of the target if `model` is a symlink: download caches keep models and their
// external data there and expose them under their names as links.
std::vector<std::filesystem::path> folders_with_link(const std::filesystem::path& model,
                                                     std::vector<std::filesystem::path> folders);

// What an ONNX file declares; its weights are not read. Empty for other formats.
Result<Interface> read_interface(const std::filesystem::path& path);

// Returns whether the bytes have the TensorFlow Lite signature.
bool is_tflite(std::span<const std::byte> file);

// Loads from memory: ONNX unless the bytes are those of another format. `folder` holds the external data of
// ONNX and MindSpore Lite models; if empty, models with external data are rejected.
Result<Network> load(std::span<const std::byte> file, const std::filesystem::path& folder,
                     const Options& given = {});

// Weights of convolutions may be left in the order of the file: call read_weights() before contents are read.
struct LoadedFile {
  Network network;
  std::vector<AttachedFile> files;
};
Status read_weights(const Network& network);

// Also returns the files attached to the model; reads the file once.
Result<LoadedFile> load_all(const std::filesystem::path& path, const Options& given = {});
Result<LoadedFile> load_all(std::span<const std::byte> file, const std::filesystem::path& folder,
                            const Options& given = {});

}  // namespace nnrt::import
