#include "backends/plugin/plugin_driver.h"

#include "core/platform/log.h"

#include <algorithm>
#include <limits>

namespace nnrt::plugin {
namespace {

Error bad_memory(std::string message) { return {Code::unavailable_device, std::move(message)}; }

hdi::SharedBuffer whole(int fd, uint32_t bytes) { return {fd, bytes, 0, bytes}; }

}  // namespace

// Attached to a memory's mapping; frees the driver's allocation with it.
class Driver::Allocation final : public SharedMemory::Attachment {
 public:
  Allocation(std::shared_ptr<Driver> driver, const hdi::SharedBuffer& buffer)
      : driver_(std::move(driver)), buffer_(buffer) {}
  ~Allocation() override {
    const Status status = call(kReleaseBuffer, [&] { return driver_->device().ReleaseBuffer(buffer_); });
    if (!status.ok()) log(LogLevel::warning, status.error().message);
  }
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;

  bool is_of(const void* owner) const override { return owner == driver_.get(); }
  bool is_stale() const override { return false; }

 private:
  const std::shared_ptr<Driver> driver_;
  const hdi::SharedBuffer buffer_;
};

Driver::Driver(std::shared_ptr<hdi::INnrtDevice> device)
    : device_(std::move(device)),
      traits_(dynamic_cast<::nnrt::hdi::IDeviceTraits*>(device_.get())),
      borrows_(dynamic_cast<::nnrt::hdi::IDescriptorBorrower*>(device_.get()) != nullptr) {}

Result<std::shared_ptr<SharedMemory>> Driver::allocate(size_t bytes) {
  if (bytes > std::numeric_limits<uint32_t>::max())
    return Error{Code::memory, cat("Memory of ", bytes, " bytes is more than a plugin can allocate.")};
  const auto length = static_cast<uint32_t>(bytes);
  hdi::SharedBuffer buffer;
  NNRT_TRY(call(kAllocateBuffer, [&] { return device_->AllocateBuffer(length, buffer); }));
  if (buffer.fd < 0) return Error{Code::memory, "AllocateBuffer of the plugin returned no memory."};
  if (buffer.bufferSize < length || buffer.offset != 0)
    return bad_memory(cat("AllocateBuffer of the plugin returned ", buffer.bufferSize, " bytes at ",
                          buffer.offset, ", not ", length, "."));
  auto mapped = SharedMemory::adopt(buffer.fd, bytes);
  if (!mapped.ok()) {
    static_cast<void>(call(kReleaseBuffer, [&] { return device_->ReleaseBuffer(whole(buffer.fd, length)); }));
    return bad_memory(cat("AllocateBuffer of the plugin returned no memory. ", mapped.error().message));
  }
  std::shared_ptr<SharedMemory> memory = std::move(mapped).value();
  bool is_new = false;
  memory->attachment(this, [&] {
    is_new = true;
    return std::make_shared<Allocation>(shared_from_this(), whole(buffer.fd, length));
  });
  if (!is_new) return bad_memory("AllocateBuffer of the plugin returned memory that is in use.");
  if (memory->read_only()) return bad_memory("AllocateBuffer of the plugin returned read-only memory.");
  return memory;
}

Result<std::shared_ptr<SharedMemory>> Driver::allocate_with(ByteView contents) {
  NNRT_ASSIGN(auto memory, allocate(contents.size()));
  std::ranges::copy(contents, memory->data());
  return memory;
}

Result<hdi::SharedBuffer> Driver::lend(DescriptorLoan& loan, const SharedMemory& memory, size_t offset,
                                       size_t bytes) const {
  if (memory.bytes() > std::numeric_limits<uint32_t>::max())
    return invalid("Memory of ", memory.bytes(), " bytes is more than the driver interface can describe.");
  int fd = memory.fd();
  if (!borrows_) {
    NNRT_ASSIGN(fd, loan.lend(fd));
  }
  return hdi::SharedBuffer{fd, static_cast<uint32_t>(memory.bytes()), static_cast<uint32_t>(offset),
                           static_cast<uint32_t>(bytes)};
}

}  // namespace nnrt::plugin
