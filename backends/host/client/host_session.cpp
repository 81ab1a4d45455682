#include "backends/host/client/host_session.h"

#include "core/base/exceptions.h"
#include "core/base/text.h"
#include "core/platform/log.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

namespace nnrt::host {
namespace {

constexpr size_t kUsualBytes = 256;                           // size of a typical request
constexpr auto kHandshakeTimeout = std::chrono::seconds(60);  // drivers and plugins are loaded meanwhile

// Returns whether the file cannot shrink while mapped, which would cause SIGBUS: it is sealed against
// shrinking, or is device memory, whose end cannot move.
bool keeps_length(int fd) {
  struct stat status {};
  if (fstat(fd, &status) != 0) return false;
  if (!S_ISREG(status.st_mode)) return true;
  static_cast<void>(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK));
  const int seals = fcntl(fd, F_GET_SEALS);
  return seals >= 0 && (seals & F_SEAL_SHRINK) != 0;
}

}  // namespace

Result<std::shared_ptr<Session>> Session::connect(Socket socket, HostProcess process) {
  std::shared_ptr<Session> session(new Session(std::move(socket), std::move(process)));
  if (Status status = session->handshake(); !status.ok()) {
    session->close(status.error().message);
    return Error{Code::unavailable_device, std::move(status).error().message};
  }
  return session;
}

Session::Session(Socket socket, HostProcess process)
    : owner_(getpid()), process_(std::move(process)), channels_(std::move(socket), process_.pidfd()) {}

Session::~Session() {
  if (!closed()) channels_.shut_down();
}

Status Session::handshake() {
  ByteWriter writer;
  writer.put(kProtocol);
  Message request{Kind::hello, 0, {}, std::make_shared<const Bytes>(writer.take()), {}};
  NNRT_ASSIGN(const Message response,
              channels_.exchange_first(std::move(request), Clock::now() + kHandshakeTimeout));
  ByteReader reader(*response.body);
  NNRT_TRY(reader.get<Status>());
  const auto protocol = reader.get<uint32_t>();
  devices_ = read_devices(reader);
  if (!reader.at_end()) reader.fail("Unexpected bytes after the devices.");
  NNRT_TRY(reader.status());
  if (protocol != kProtocol)
    return Error{Code::connection, cat("The host speaks protocol ", protocol, ", not ", kProtocol, ".")};
  return channels_.open();
}

bool Session::closed() const { return closed_ || getpid() != owner_; }

bool Session::poll_closed() {
  if (!closed() && channels_.peer_closed()) close("It has exited.");
  return closed();
}

Error Session::closed_error() const {
  return {Code::unavailable_device, "The host process is gone; the model must be built again."};
}

void Session::close(std::string_view reason) noexcept {
  if (getpid() != owner_ || closed_.exchange(true)) return;
  channels_.shut_down();
  process_.terminate();
  best_effort([&] { log(LogLevel::warning, cat("The host process is gone. ", reason)); });
}

Error Session::malformed_response(std::string_view what) {
  close(what);
  return closed_error();
}

Session::Request Session::request_for(Kind kind, uint64_t id) {
  Request request{kind};
  request.body.reserve(kUsualBytes);
  request.body.put(id);
  return request;
}

Result<Session::Response> Session::call(Request request, Deadline deadline) {
  if (closed()) return closed_error();
  constexpr size_t kMax = kMaxFds - 1;  // one is for the body
  while (request.attachments.size() > kMax) {
    const auto first = request.attachments.begin(), last = first + kMax;
    NNRT_ASSIGN(const Response shared, call({Kind::share, {}, {first, last}}, deadline));
    if (!shared.status.ok()) return shared.status.error();
    request.attachments.erase(first, last);
  }
  Message message{request.kind,
                  0,
                  std::move(request.attachments),
                  std::make_shared<const Bytes>(request.body.take()),
                  {}};
  auto received = channels_.exchange(std::move(message), deadline);
  if (!received.ok() && received.error().code == Code::connection)
    return malformed_response(received.error().message);
  if (!received.ok()) return std::move(received).error();
  Response response{{}, std::move(received).value()};
  ByteReader reader(*response.message.body);
  response.status = reader.get<Status>();
  if (reader.bad()) return malformed_response("A response has no status.");
  response.at = reader.position();
  if (response.status.ok()) {
    for (const auto& flag : request.delivered) *flag = true;
  }
  return response;
}

Result<Session::Response> Session::checked_call(Request request) {
  NNRT_ASSIGN(Response response, call(std::move(request)));
  if (!response.status.ok()) return std::move(response.status).error();
  return response;
}

void Session::forget(Kind kind, uint64_t id) noexcept {
  if (closed()) return;
  best_effort([&] { channels_.notify(kind, id); });  // on failure the host keeps the object until it exits
}

// The attachment of a memory shared with the host.
class Session::MemoryLink final : public SharedMemory::Attachment {
 public:
  MemoryLink(std::shared_ptr<Session> session, uint64_t id, bool delivered)
      : session_(std::move(session)), id_(id), delivered_(std::make_shared<std::atomic<bool>>(delivered)) {}
  ~MemoryLink() override { session_->forget(Kind::forget_memory, id_); }
  bool is_of(const void* owner) const override { return owner == session_.get(); }
  bool is_stale() const override { return session_->closed(); }

  uint64_t id() const { return id_; }
  const std::shared_ptr<std::atomic<bool>>& delivered() const { return delivered_; }

 private:
  const std::shared_ptr<Session> session_;
  const uint64_t id_;
  const std::shared_ptr<std::atomic<bool>> delivered_;
};

Result<std::shared_ptr<SharedMemory>> Session::link_memory(const Attachment& attachment) {
  NNRT_ASSIGN(auto memory, SharedMemory::adopt(attachment.fd, attachment.bytes));
  bool is_new = false;
  memory->attachment(this, [&] {
    is_new = true;
    return std::make_shared<MemoryLink>(shared_from_this(), attachment.id, true);
  });
  if (is_new && !memory->read_only()) return memory;
  return malformed_response("Received memory that is in use or read-only.");
}

Result<std::shared_ptr<SharedMemory>> Session::take_memory(const Attachment& attachment) {
  if (keeps_length(attachment.fd)) return link_memory(attachment);
  forget(Kind::forget_memory, attachment.id);
  NNRT_ASSIGN(auto memory, SharedMemory::create(attachment.bytes));
  for (size_t at = 0; at < memory->bytes();) {
    const ssize_t got = pread(attachment.fd, memory->data() + at, memory->bytes() - at, off_t(at));
    if (got <= 0) return malformed_response("Received memory that is too short.");
    at += size_t(got);
  }
  return memory;
}

Result<std::shared_ptr<SharedMemory>> Session::allocate(uint64_t device, size_t bytes) {
  Request request = request_for(Kind::allocate, device);
  request.body.put(uint64_t{bytes});
  NNRT_ASSIGN(const Response response, checked_call(std::move(request)));
  const std::vector<Attachment>& attached = response.message.attachments;
  if (attached.size() != 1 || attached[0].kind != AttachmentKind::memory || attached[0].bytes != bytes)
    return malformed_response("The allocated memory is missing.");
  if (keeps_length(attached[0].fd)) return link_memory(attached[0]);
  forget(Kind::forget_memory, attached[0].id);
  return SharedMemory::create(bytes);
}

uint64_t Session::attach(const std::shared_ptr<SharedMemory>& memory, Request& request) {
  const auto link = std::static_pointer_cast<MemoryLink>(memory->attachment(
      this, [&] { return std::make_shared<MemoryLink>(shared_from_this(), ++last_id_, false); }));
  if (*link->delivered()) return link->id();
  // Also share the tail after the last byte if this memory owns it, because devices may write complete
  // words.
  const size_t bytes = memory->owns_tail() ? memory->mapped_bytes() : memory->bytes();
  const auto is_it = [&](const Attachment& attachment) { return attachment.id == link->id(); };
  if (std::ranges::none_of(request.attachments, is_it)) {
    request.attachments.push_back({AttachmentKind::memory, link->id(), bytes, memory->fd()});
    request.delivered.push_back(link->delivered());
    request.keep_alive.push_back(link);
  }
  return link->id();
}

struct Session::Store {
  const std::weak_ptr<Session> session;  // may have an entry for this in constants_
  const uint64_t id, bytes;
  const Fd fd;
  std::shared_ptr<std::atomic<bool>> delivered = std::make_shared<std::atomic<bool>>(false);

  Store(std::weak_ptr<Session> owner, uint64_t number, uint64_t size, Fd file)
      : session(std::move(owner)), id(number), bytes(size), fd(std::move(file)) {}
  ~Store() {
    if (const auto owner = session.lock()) owner->forget(Kind::forget_store, id);
  }
};

Result<std::vector<ConstantPlace>> Session::place_constants(const Graph& graph, Request& request,
                                                            const std::vector<bool>& withheld) {
  const auto is_same = [](const std::weak_ptr<const void>& a, const std::shared_ptr<const void>& b) {
    return !a.owner_before(b) && !b.owner_before(a);
  };
  const std::vector<TensorId> ids = constants_of(graph);
  const std::lock_guard lock(constants_mutex_);
  std::erase_if(constants_, [](const auto& row) { return row.second.owner.expired(); });
  std::vector<ByteView> fresh;
  std::vector<Constant*> rows, unplaced;
  for (const TensorId id : ids) {
    if (!withheld.empty() && withheld[id]) {
      rows.push_back(nullptr);
      continue;
    }
    const SharedBytes& data = graph.tensors[id].data;
    Constant& row = constants_[{data->data(), data->size()}];
    rows.push_back(&row);
    if (row.store != nullptr && is_same(row.owner, data.owner())) continue;
    if (std::ranges::find(unplaced, &row) != unplaced.end()) continue;
    row = {data.owner(), nullptr, 0};
    fresh.push_back(*data);
    unplaced.push_back(&row);
  }
  if (!fresh.empty()) {
    auto fd = make_blob(fresh);
    if (!fd.ok()) {
      std::erase_if(constants_, [](const auto& constant) { return constant.second.store == nullptr; });
      return std::move(fd).error();
    }
    const std::vector<size_t> offsets = blob_offsets(fresh);
    const auto store =
        std::make_shared<Store>(weak_from_this(), ++last_id_, offsets.back(), std::move(fd).value());
    for (size_t i = 0; i < unplaced.size(); ++i) {
      unplaced[i]->store = store;
      unplaced[i]->offset = offsets[i];
    }
  }
  std::vector<ConstantPlace> places;
  for (const Constant* row : rows) {
    if (row == nullptr) {
      places.push_back({kWithheld, 0});
      continue;
    }
    Store& store = *row->store;
    places.push_back({store.id, row->offset});
    const auto is_it = [&](const Attachment& attachment) { return attachment.id == store.id; };
    if (*store.delivered || std::ranges::any_of(request.attachments, is_it)) continue;
    request.attachments.push_back({AttachmentKind::store, store.id, store.bytes, store.fd.get()});
    request.delivered.push_back(store.delivered);
  }
  for (const Constant* row : rows)
    if (row != nullptr) request.keep_alive.push_back(row->store);
  return places;
}

void Session::drop_constants(const Graph& graph) {
  const std::lock_guard lock(constants_mutex_);
  for (const TensorId id : constants_of(graph)) {
    const SharedBytes& data = graph.tensors[id].data;
    constants_.erase({data->data(), data->size()});
  }
}

}  // namespace nnrt::host
