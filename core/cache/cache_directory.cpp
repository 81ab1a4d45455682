#include "core/cache/cache_directory.h"

#include "core/base/byte_io.h"
#include "core/base/checksum.h"
#include "core/base/text.h"
#include "core/cache/model_note.h"
#include "core/platform/atomic_file.h"
#include "core/platform/compat.h"
#include "core/platform/log.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace nnrt {
namespace {

constexpr uint64_t kInfoMagic = 0x0a0d'4f46'4e49'4e89;
constexpr size_t kMaxNameBytes = 200;  // file names are limited to 255
constexpr uint32_t kFiles = 1;

// The content of the info file. (api.md 8: number of files, version, device, a checksum of each file and one
// of itself.)
struct Info {
  uint32_t version = 0;
  uint64_t device = 0;
  uint64_t container = 0;  // CacheHeader::checksum()

  explicit Info(const StoredModel& stored) : Info(stored.header(), stored.device().id) {}
  Info(const CacheHeader& header, uint64_t device_id)
      : version(header.version), device(device_id), container(header.checksum()) {}

  Bytes encode() const {
    ByteWriter writer;
    writer.put(kInfoMagic);
    writer.put(kFiles);
    writer.put(version);
    writer.put(device);
    writer.put(container);
    Bytes bytes = writer.take();
    const uint64_t sum = checksum(bytes);
    const auto end = std::as_bytes(std::span(&sum, 1));
    bytes.insert(bytes.end(), end.begin(), end.end());
    return bytes;
  }
};
constexpr size_t kInfoBytes = 40;

// Parses a complete info file.
Result<Bytes> read_info(ByteSource& source) {
  if (source.size() != kInfoBytes) return damaged("Its info file has ", source.size(), " bytes.");
  NNRT_ASSIGN(const SharedBytes bytes, source.read(0, kInfoBytes, false));
  ByteReader reader(*bytes);
  const bool is_ours = reader.get<uint64_t>() == kInfoMagic;
  const ByteView content = bytes->first(kInfoBytes - sizeof(uint64_t));
  ByteReader end(bytes->last(sizeof(uint64_t)));
  if (is_ours && end.get<uint64_t>() == checksum(content)) return Bytes(bytes->begin(), bytes->end());
  return damaged("Its info file is damaged or of another runtime.");
}

}  // namespace

Result<CacheDirectory> CacheDirectory::open(std::string path, const std::string& model_name) {
  if (model_name.find('/') != std::string::npos)
    return invalid("ModelName (", model_name, ") contains a slash, so it cannot be part of a file name.");
  if (model_name.size() > kMaxNameBytes)
    return invalid("ModelName has ", model_name.size(), " bytes, more than ", kMaxNameBytes, ".");
  struct stat status {};
  if (stat(path.c_str(), &status) != 0)
    return Error{compat::missing_directory(),
                 cat("Cache directory (", path, "): ", std::strerror(errno), ".")};
  if (!S_ISDIR(status.st_mode))
    return Error{compat::missing_directory(), cat("Cache directory (", path, ") is not a directory.")};
  if (eaccess(path.c_str(), X_OK) != 0)
    return Error{compat::missing_directory(),
                 cat("Cache directory (", path, "): ", std::strerror(errno), ".")};
  return CacheDirectory(std::move(path), model_name);
}

bool CacheDirectory::has_info() const {
  return access((path_ + "/" + info_).c_str(), F_OK) == 0 || errno != ENOENT;
}

Result<std::optional<StoredModel>> CacheDirectory::read() const {
  if (!has_info()) return std::optional<StoredModel>();
  NNRT_ASSIGN(const auto info_file, source_of_file(path_ + "/" + info_));
  NNRT_ASSIGN(const Bytes info, read_info(*info_file));
  NNRT_ASSIGN(auto source, source_of_file(container_path()));
  NNRT_ASSIGN(StoredModel stored, StoredModel::open(std::move(source), SourceLife::open));
  if (info != Info(stored).encode()) repair_info(stored);
  return std::optional(std::move(stored));
}

// Readers do not depend on it, so failures are ignored.
void CacheDirectory::repair_info(const StoredModel& stored) const {
  log(LogLevel::info, cat("The info file next to ", container_path(), " is stale and is rewritten."));
  const Bytes bytes = Info(stored).encode();
  const ByteView piece = bytes;
  auto file = TemporaryFile::write(path_ + "/" + info_, {&piece, 1});
  if (file.ok()) static_cast<void>(file.value().replace_target());
}

Status CacheDirectory::save(const CacheImage& image, ByteView note) const {
  remove_stale(path_, container_);
  remove_stale(path_, info_);
  if (Status status = save_files(image, note); !status.ok())
    return std::move(status).error().during("saving the cache");
  return {};
}

Status CacheDirectory::save_files(const CacheImage& image, ByteView note) const {
  std::vector<ByteView> pieces;
  for (const SharedBytes& piece : image.pieces) pieces.push_back(*piece);
  const Bytes end = note.empty() ? Bytes() : encode_note(note);
  pieces.push_back(end);
  NNRT_ASSIGN(TemporaryFile container, TemporaryFile::write(container_path(), pieces));
  const Bytes bytes = Info(image.header, image.device).encode();
  const ByteView piece = bytes;
  NNRT_ASSIGN(TemporaryFile info, TemporaryFile::write(path_ + "/" + info_, {&piece, 1}));
  NNRT_TRY(container.replace_target());
  NNRT_TRY(info.replace_target());
  sync_directory(path_);
  return {};
}

}  // namespace nnrt
