#include "exec/process_memory.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include "exec/copy.hpp"

namespace xylem::exec {

bool read_process(std::int32_t process, void* out, const void* address, std::size_t bytes) {
  if (process == getpid()) {  // ranks that are threads
    copy_bytes(out, address, bytes);
    return true;
  }
  auto* to = static_cast<std::byte*>(out);
  auto* from = static_cast<std::byte*>(const_cast<void*>(address));
  while (bytes != 0) {  // one call copies 2 GiB at most
    const iovec local{to, bytes}, remote{from, bytes};
    const ssize_t copied = process_vm_readv(process, &local, 1, &remote, 1, 0);
    if (copied <= 0) return false;
    to += copied;
    from += copied;
    bytes -= static_cast<std::size_t>(copied);
  }
  return true;
}

}  // namespace xylem::exec
