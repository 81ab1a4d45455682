// A host at a path, shared by several clients of one user.
#pragma once

#include "backends/host/server/host_server.h"

#include <string>

namespace nnrt::host {

// A socket that only this user can connect to. invalid_path: another process listens there, or the socket
// cannot be created.
Result<Socket> listen_at(const std::string& path);

// Accepts the next client. forbidden: a client of another user, which was rejected. After any other error
// (memory: out of descriptors) the client stays in the queue, so the next call will usually fail again unless
// some time passes.
Result<Socket> accept_client(const Socket& listening);

// Connects to the host at the path, which must belong to this user.
Result<Socket> connect_to(const std::string& path);

}  // namespace nnrt::host
