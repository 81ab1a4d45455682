#include "tests/shortage/refuse_resources.h"

#include "tests/support/read_file.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <sstream>
#include <string>
#include <string_view>

namespace nnrt::shortage {
namespace {

constexpr int kDeepest = 48, kShallow = 12;  // frames: in the runtime, and in the standard library
using Frames = std::array<void*, kDeepest>;

constexpr size_t kMaxStacks = size_t{1} << 18;
std::atomic<bool> is_counting = false, keeps_stacks = false;
std::atomic<int> failing_kind = -1;
std::atomic<size_t> failing_number = 0, counts[std::size(kKinds)];
std::atomic<int64_t> blocks = 0;
uint64_t stack_numbers[std::size(kKinds)][kMaxStacks];
bool is_elsewhere[std::size(kKinds)][kMaxStacks];
pthread_t counting_thread{};
Frames failed_frames;
int failed_depth = 0;
thread_local bool is_inside = false;

// Code addresses of the runtime and of the standard library, which requests resources on its behalf.
struct Range {
  uintptr_t first = 0, end = 0;
  bool has(const void* address) const {
    const auto number = reinterpret_cast<uintptr_t>(address);
    return number >= first && number < end;
  }
};
Range runtime, linked, standard;  // linked: libraries in the runtime's file

// The end of the runtime's own functions: libraries linked into it follow, and few of its own follow these.
uintptr_t end_of_own_functions(const char* path) {
  const std::string bytes = test::read_file(path);
  const auto at = [&]<typename T>(uint64_t offset, T&& part) {
    if (offset + sizeof part <= bytes.size()) std::memcpy(&part, bytes.data() + offset, sizeof part);
    return part;
  };
  uintptr_t last = 0, first_linked = std::numeric_limits<uintptr_t>::max();
  const auto header = at(0, ElfW(Ehdr){});
  for (size_t i = 0; i < header.e_shnum; ++i) {
    const auto symbols = at(header.e_shoff + i * sizeof(ElfW(Shdr)), ElfW(Shdr){});
    if (symbols.sh_type != SHT_SYMTAB) continue;
    const auto names = at(header.e_shoff + symbols.sh_link * sizeof(ElfW(Shdr)), ElfW(Shdr){});
    for (uint64_t k = 0; k < symbols.sh_size; k += sizeof(ElfW(Sym))) {
      const auto symbol = at(symbols.sh_offset + k, ElfW(Sym){});
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_value == 0) continue;
      const std::string_view name =
          bytes.c_str() + std::min<uint64_t>(names.sh_offset + symbol.st_name, bytes.size());
      const auto is_of = [&](std::string_view space) {
        const size_t prefix = name.starts_with("_ZNK") ? 4 : 3;
        return name.starts_with("_ZN") && name.substr(prefix).starts_with(space);
      };
      if (is_of("4nnrt")) last = std::max<uintptr_t>(last, symbol.st_value + symbol.st_size);
      const bool is_cold = name.find(".cold") != name.npos;  // in a section of their own, ahead of all others
      if (is_of("8spvtools") && !is_cold) first_linked = std::min<uintptr_t>(first_linked, symbol.st_value);
    }
  }
  return std::min(last, first_linked);
}

int find_ranges(dl_phdr_info* info, size_t, void*) {
  const std::string_view path = info->dlpi_name;
  Range* const range = path.find("/libnnrt-") != path.npos   ? &runtime
                       : path.find("libstdc++") != path.npos ? &standard
                                                             : nullptr;
  for (int i = 0; range != nullptr && i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    range->first = info->dlpi_addr + part.p_vaddr;
    range->end = range->first + part.p_memsz;
  }
  if (range == &runtime) {
    const uintptr_t end = end_of_own_functions(info->dlpi_name);
    if (end != 0) {
      linked = {info->dlpi_addr + end, runtime.end};
      runtime.end = linked.first;
    }
  }
  return 0;
}

// The first caller outside the standard library decides.
bool is_of_runtime(const void* caller, const Frames& frames, int depth) {
  if (!standard.has(caller)) return runtime.has(caller);
  int i = 0;
  while (i < depth && frames[size_t(i)] != caller) ++i;
  while (i < depth && standard.has(frames[size_t(i)])) ++i;
  return i < depth && runtime.has(frames[size_t(i)]);
}

// The linker keeps one copy of a template that the runtime and a linked library instantiate. Such libraries
// are compiled without exceptions and leak.
bool is_called_by_library(const Frames& frames, int depth) {
  return std::any_of(frames.begin(), frames.begin() + depth,
                     [](const void* frame) { return linked.has(frame); });
}

uint64_t number_of(const Frames& frames, int depth) {
  uint64_t number = 0xcbf29ce484222325u;
  for (int i = 0; i < depth; ++i) {
    if (!runtime.has(frames[size_t(i)])) continue;
    number = (number ^ reinterpret_cast<uintptr_t>(frames[size_t(i)])) * 0x100000001b3u;
  }
  return number;
}

// Returns whether this call must fail.
bool refuses(Kind kind, const void* caller) {
  if (!is_counting.load(std::memory_order_relaxed) || is_inside) return false;
  if (!runtime.has(caller) && !standard.has(caller)) return false;
  is_inside = true;
  Frames frames;
  int depth = 0;
  const bool keeps = keeps_stacks.load(std::memory_order_relaxed);
  if (keeps || standard.has(caller)) depth = backtrace(frames.data(), keeps ? kDeepest : kShallow);
  bool is_refused = false;
  if (is_of_runtime(caller, frames, depth)) {
    const size_t number = counts[size_t(kind)]++;
    if (number < kMaxStacks)
      is_elsewhere[size_t(kind)][number] = !pthread_equal(pthread_self(), counting_thread);
    if (keeps && number < kMaxStacks) stack_numbers[size_t(kind)][number] = number_of(frames, depth);
    if (number == failing_number && int(kind) == failing_kind) {
      failed_depth = backtrace(failed_frames.data(), kDeepest);
      is_refused = !is_called_by_library(failed_frames, failed_depth);
      if (!is_refused) ++failing_number;
    }
  }
  is_inside = false;
  return is_refused;
}

void* get(size_t bytes, size_t alignment, const void* caller) noexcept {
  if (refuses(Kind::allocation, caller)) return nullptr;
  void* memory = nullptr;
  if (bytes == 0) bytes = 1;
  if (alignment <= alignof(std::max_align_t)) {
    memory = std::malloc(bytes);
  } else if (posix_memalign(&memory, alignment, bytes) != 0) {
    memory = nullptr;
  }
  if (memory != nullptr) ++blocks;
  return memory;
}

void* get_or_throw(size_t bytes, size_t alignment, const void* caller) {
  void* const memory = get(bytes, alignment, caller);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void put(void* memory) noexcept {
  if (memory == nullptr) return;
  --blocks;
  std::free(memory);
}

bool refuses_with(Kind kind, int error, const void* caller) {
  if (!refuses(kind, caller)) return false;
  errno = error;
  return true;
}

template <typename Function>
Function next(const char* symbol) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, symbol));
}

}  // namespace

const char* name(Kind kind) {
  constexpr const char* kNames[] = {"allocation", "thread", "mapping", "file"};
  return kNames[size_t(kind)];
}

void begin_counting(bool keep_stacks) {
  if (runtime.end == 0) {
    dl_iterate_phdr(find_ranges, nullptr);
    Frames frames;
    static_cast<void>(backtrace(frames.data(), kDeepest));  // loads what backtrace() needs
  }
  for (auto& count : counts) count = 0;
  failed_depth = 0;
  counting_thread = pthread_self();
  keeps_stacks = keep_stacks;
  is_counting = true;
}

void begin_failing(Kind kind, size_t number) {
  failing_number = number;
  failing_kind = int(kind);
  begin_counting(false);
}

void end() {
  is_counting = false;
  failing_kind = -1;
}

size_t calls(Kind kind) { return counts[size_t(kind)]; }

bool is_of_another_thread(Kind kind, size_t number) {
  return number < kMaxStacks && is_elsewhere[size_t(kind)][number];
}

std::vector<uint64_t> stacks(Kind kind) {
  const uint64_t* const first = stack_numbers[size_t(kind)];
  return {first, first + std::min(calls(kind), kMaxStacks)};
}

std::string failed_stack() {
  std::ostringstream text;
  for (int i = 0; i < failed_depth; ++i) {
    Dl_info info{};
    void* const frame = failed_frames[size_t(i)];
    if (!runtime.has(frame) || dladdr(frame, &info) == 0) continue;
    text << "  libnnrt+0x" << std::hex
         << reinterpret_cast<uintptr_t>(frame) - reinterpret_cast<uintptr_t>(info.dli_fbase) << '\n';
  }
  return std::move(text).str();
}

int64_t live_blocks() { return blocks; }

}  // namespace nnrt::shortage

using nnrt::shortage::Kind;

// Replaces functions called by the runtime and the standard library in this program.
#define CALLER __builtin_return_address(0)
#define REPLACED [[gnu::noinline, gnu::visibility("default")]]

REPLACED void* operator new(size_t bytes) { return nnrt::shortage::get_or_throw(bytes, 1, CALLER); }
REPLACED void* operator new[](size_t bytes) { return nnrt::shortage::get_or_throw(bytes, 1, CALLER); }
REPLACED void* operator new(size_t bytes, std::align_val_t alignment) {
  return nnrt::shortage::get_or_throw(bytes, size_t(alignment), CALLER);
}
REPLACED void* operator new[](size_t bytes, std::align_val_t alignment) {
  return nnrt::shortage::get_or_throw(bytes, size_t(alignment), CALLER);
}
REPLACED void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  return nnrt::shortage::get(bytes, 1, CALLER);
}
REPLACED void* operator new[](size_t bytes, const std::nothrow_t&) noexcept {
  return nnrt::shortage::get(bytes, 1, CALLER);
}
REPLACED void operator delete(void* memory) noexcept { nnrt::shortage::put(memory); }
REPLACED void operator delete[](void* memory) noexcept { nnrt::shortage::put(memory); }
REPLACED void operator delete(void* memory, size_t) noexcept { nnrt::shortage::put(memory); }
REPLACED void operator delete[](void* memory, size_t) noexcept { nnrt::shortage::put(memory); }
REPLACED void operator delete(void* memory, std::align_val_t) noexcept { nnrt::shortage::put(memory); }
REPLACED void operator delete[](void* memory, std::align_val_t) noexcept { nnrt::shortage::put(memory); }
REPLACED void operator delete(void* memory, size_t, std::align_val_t) noexcept {
  nnrt::shortage::put(memory);
}
REPLACED void operator delete[](void* memory, size_t, std::align_val_t) noexcept {
  nnrt::shortage::put(memory);
}
REPLACED void operator delete(void* memory, const std::nothrow_t&) noexcept { nnrt::shortage::put(memory); }
REPLACED void operator delete[](void* memory, const std::nothrow_t&) noexcept { nnrt::shortage::put(memory); }

extern "C" {

// The sanitizer's wrapper, which tracks threads; null in other builds.
[[gnu::weak]] decltype(pthread_create) __interceptor_pthread_create;

REPLACED void* aligned_alloc(size_t alignment, size_t bytes) noexcept {
  if (nnrt::shortage::refuses(Kind::allocation, CALLER)) return nullptr;
  void* memory = nullptr;
  return posix_memalign(&memory, alignment, bytes) == 0 ? memory : nullptr;
}

REPLACED int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*work)(void*),
                            void* argument) noexcept {
  static const auto real = __interceptor_pthread_create != nullptr
                               ? &__interceptor_pthread_create
                               : nnrt::shortage::next<decltype(&pthread_create)>("pthread_create");
  if (nnrt::shortage::refuses(Kind::thread, CALLER)) return EAGAIN;
  return real(thread, attributes, work, argument);
}

REPLACED void* mmap(void* address, size_t bytes, int protection, int flags, int fd, off_t offset) noexcept {
  if (nnrt::shortage::refuses_with(Kind::mapping, ENOMEM, CALLER)) return MAP_FAILED;
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, bytes, protection, flags, fd, offset));
}

REPLACED int memfd_create(const char* name, unsigned flags) noexcept {
  if (nnrt::shortage::refuses_with(Kind::file, EMFILE, CALLER)) return -1;
  return int(syscall(SYS_memfd_create, name, flags));
}

REPLACED int ftruncate(int fd, off_t bytes) noexcept {
  if (nnrt::shortage::refuses_with(Kind::file, ENOSPC, CALLER)) return -1;
  return int(syscall(SYS_ftruncate, fd, bytes));
}

REPLACED int open(const char* path, int flags, ...) {
  mode_t mode = 0;
  if ((flags & (O_CREAT | O_TMPFILE)) != 0) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
  }
  if (nnrt::shortage::refuses_with(Kind::file, EMFILE, CALLER)) return -1;
  return int(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

// The third argument is an integer or a pointer; the ABI passes both alike.
REPLACED int fcntl(int fd, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  const bool is_dup = command == F_DUPFD || command == F_DUPFD_CLOEXEC;
  if (is_dup && nnrt::shortage::refuses_with(Kind::file, EMFILE, CALLER)) return -1;
  return int(syscall(SYS_fcntl, fd, command, argument));
}

REPLACED int socketpair(int domain, int type, int protocol, int* ends) noexcept {
  if (nnrt::shortage::refuses_with(Kind::file, EMFILE, CALLER)) return -1;
  return int(syscall(SYS_socketpair, domain, type, protocol, ends));
}

REPLACED FILE* fopen64(const char* path, const char* mode) {
  static const auto real = nnrt::shortage::next<FILE* (*)(const char*, const char*)>("fopen64");
  if (nnrt::shortage::refuses_with(Kind::file, EMFILE, CALLER)) return nullptr;
  return real(path, mode);
}

}  // extern "C"
