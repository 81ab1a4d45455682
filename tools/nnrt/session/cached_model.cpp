#include "tools/nnrt/session/cached_model.h"

#include "tools/nnrt/base/file_io.h"

#include <array>
#include <charconv>

namespace nnrt::tool {

std::string cache_name(const std::filesystem::path& model, const Device& device) {
  constexpr size_t kMaxPart = 80;  // bytes; the library allows 200 in total
  std::error_code error;
  const std::string path = std::filesystem::weakly_canonical(model, error).string();
  uint64_t number = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : path) number = (number ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  std::array<char, 16> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
  return cat(file_name_of(model.filename().string()).substr(0, kMaxPart), '-',
             std::string_view(digits.data(), end), '-', file_name_of(device.name).substr(0, kMaxPart), '-');
}

nnrt::import::CacheKey cache_key(const std::filesystem::path& model, const import::Options& reading,
                                 const BuildOptions& build) {
  import::CacheKey key{model, reading, build.cache_by_content, build.float16 ? "float16" : ""};
  key.options.sources = nullptr;
  return key;
}

std::optional<ModelFile> find_cached(const import::CacheKey& key, const Device& device,
                                     const BuildOptions& build) {
  const auto container = std::filesystem::path(build.cache) / (cache_name(key.model, device) + "0.nncache");
  import::Bytes note = note_of_offline_model(container.string());
  auto cached = import::read_cache_note(note, key);
  if (!cached) return {};
  ModelFile file{key.model, std::nullopt, {}};
  set_description(file, std::move(cached->description));
  file.cache_note = std::move(note);
  file.bytes = cached->bytes;
  return file;
}

}  // namespace nnrt::tool
