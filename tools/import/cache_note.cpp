#include "tools/import/cache_note.h"

#include "core/base/byte_io.h"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstring>

namespace nnrt::import {
namespace {

constexpr uint64_t kMagic = 0x0a0d'6568'6361'4321;  // the last digit is the version

// Searches the notes of a loaded object for its build id.
void find_build_id(std::span<const std::byte> notes, Bytes& id) {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes.data(), sizeof note);
    const size_t name = sizeof note, data = name + (size_t{note.n_namesz} + 3) / 4 * 4;
    if (data > notes.size() || note.n_descsz > notes.size() - data) return;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU &&
        std::memcmp(&notes[name], ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0) {
      const auto found = notes.subspan(data, note.n_descsz);
      id.assign(found.begin(), found.end());
      return;
    }
    notes = notes.subspan(std::min(notes.size(), data + (size_t{note.n_descsz} + 3) / 4 * 4));
  }
}

// dl_iterate_phdr() callback: ends at the object that contains this function.
int visit_object(dl_phdr_info* object, size_t, void* result) {
  const auto here = reinterpret_cast<ElfW(Addr)>(&visit_object);
  const std::span headers(object->dlpi_phdr, object->dlpi_phnum);
  const bool is_ours = std::ranges::any_of(headers, [&](const ElfW(Phdr) & header) {
    const ElfW(Addr) begin = object->dlpi_addr + header.p_vaddr;
    return header.p_type == PT_LOAD && here >= begin && here - begin < header.p_memsz;
  });
  if (!is_ours) return 0;
  for (const ElfW(Phdr) & header : headers) {
    if (header.p_type != PT_NOTE) continue;
    const auto* notes = reinterpret_cast<const std::byte*>(object->dlpi_addr + header.p_vaddr);
    find_build_id({notes, header.p_memsz}, *static_cast<Bytes*>(result));
  }
  return 1;
}

// Another build of the importer may read the same file differently.
const Bytes& build_id() {
  static const Bytes id = [] {
    Bytes found;
    dl_iterate_phdr(visit_object, &found);
    return found;
  }();
  return id;
}

Bytes encode(const CacheKey& key) {
  ByteWriter writer;
  writer.put(kMagic);
  writer.put(build_id());
  writer.put(uint8_t(key.by_contents));
  // The format also depends on the extension.
  const std::filesystem::path model = std::filesystem::absolute(key.model);
  writer.text((key.by_contents ? model.extension() : model).string());
  writer.text(key.variant);
  writer.put(key.options.input_shapes);
  writer.put(key.options.open_dimensions);
  writer.put(key.options.fixed_inputs);
  writer.put(uint64_t{key.options.external_folders.size()});
  for (const std::filesystem::path& folder : key.options.external_folders)
    writer.text(std::filesystem::absolute(folder).string());
  return writer.take();
}

}  // namespace

Bytes make_cache_note(const CacheKey& key, const SourceFiles& files, const CachedImport& import) {
  if (build_id().empty()) return {};
  ByteWriter writer;
  writer.bytes(encode(key));
  if (!files.write(writer, key.by_contents).ok() || !files.is_unchanged()) return {};
  writer.put(import.operations);
  writer.bytes(encode_description(import.description));
  return writer.take();
}

std::optional<CachedImport> read_cache_note(std::span<const std::byte> note, const CacheKey& key) {
  const Bytes expected = encode(key);
  if (note.size() < expected.size() || !std::ranges::equal(note.first(expected.size()), expected)) return {};
  note = note.subspan(expected.size());
  ByteReader reader(note);
  const auto bytes = SourceFiles::match(reader, key.model, key.by_contents);
  if (!bytes) return {};
  CachedImport import;
  import.bytes = *bytes;
  import.operations = reader.get<std::vector<std::string>>();
  if (reader.bad()) return {};
  auto description = decode_description(note.subspan(reader.position()));
  if (!description.ok()) return {};
  import.description = std::move(description).value();
  return import;
}

}  // namespace nnrt::import
