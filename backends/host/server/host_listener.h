// A host that several clients of one user share, at a path.
#pragma once

#include "backends/host/server/host_server.h"

#include <string>

namespace nnrt::host {

// A socket that only this user can connect to. invalid_path: somebody listens there already, or nothing can
// be made there.
Result<Socket> listen_at(const std::string& path);

// The next client. forbidden: it is not this user's, and was rejected. Any other error (memory: there is no
// descriptor for it) leaves those that wait where they are: the next call meets it again, unless some time
// passes.
Result<Socket> accept_client(const Socket& listening);

// A connection to the host at the path, which must be this user's.
Result<Socket> connect_to(const std::string& path);

}  // namespace nnrt::host
