// One send, receive or write that the provider works on, and what becomes of it.
#pragma once

#include <rdma/fabric.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace xylem::ofi {

class InLink;
class OutLink;

// Must stay where it is while the provider has it.
struct Operation {
  fi_context2 context{};  // scratch of the provider; first, so that its address is that of the operation
  enum class Kind : std::uint8_t { receive, send, answer, notice } kind{};
  bool pending = false;    // the provider has it
  std::uint32_t slot = 0;  // of the link, or the number of the buffer that receives
  InLink* in = nullptr;    // whose it is: answer
  OutLink* out = nullptr;  // send, also of the write before it
};

struct Completion {
  Operation* operation = nullptr;  // null: an error that belongs to none of this process
  bool of_queue = false;           // the completion queue itself has failed
  std::size_t bytes = 0;
  std::uint64_t tag = 0;
  std::uint64_t data = 0;
  bool has_data = false;
  int error = 0;         // an errno value of libfabric, FI_ECANCELED among them
  std::string reason{};  // of the error, in the provider's words
};

}  // namespace xylem::ofi
