// Completion queues: they show what happened later than it did, and check that buffers were left alone until then.
#include <rdma/fi_errno.h>

#include <algorithm>
#include <cstring>

#include "objects.hpp"

namespace strict_fabric {
namespace {

Queue& queue_of(fid_cq* queue) { return *static_cast<Queue*>(queue); }

// The operation has ended for the program, too.
void retire(Queue& queue, void* context) {
  auto& posted = queue.domain->posted;
  const auto found = posted.find(context);
  // An error may belong to none.
  if (found == posted.end()) return;
  const Posted& what = found->second;
  if (what.kind != Posted::Kind::receive && sum_of(what.data, what.bytes) != what.sum)
    broken("a buffer was changed before the completion of its send was read");
  --(what.kind == Posted::Kind::receive ? what.endpoint->receiving : what.endpoint->sending);
  posted.erase(found);
}

// All that has happened.
void gather(Queue& queue) {
  const std::uint64_t looks = settings().delay;
  for (;;) {
    fi_cq_tagged_entry entry{};
    const ssize_t count = fi_cq_read(queue.behind, &entry, 1);
    if (count == 1) {
      queue.waiting.push_back({entry, {}, looks});
    } else if (count == -FI_EAVAIL) {
      queue.waiting.push_back({{}, {}, looks});
      if (fi_cq_readerr(queue.behind, &queue.waiting.back().bad, 0) != 1) broken("an error that cannot be read");
    } else {
      return;
    }
  }
}

ssize_t read(fid_cq* queue, void* buffer, std::size_t count) {
  Queue& own = queue_of(queue);
  const Entrance entrance(*own.domain);
  release_writes(*own.domain);
  gather(own);
  for (Queue::Entry& entry : own.waiting) entry.looks -= entry.looks != 0 ? 1 : 0;
  auto* const out = static_cast<fi_cq_tagged_entry*>(buffer);
  ssize_t given = 0;
  while (static_cast<std::size_t>(given) < count && !own.waiting.empty() && own.waiting.front().looks == 0) {
    if (own.waiting.front().bad.err != 0) return given != 0 ? given : -FI_EAVAIL;
    out[given] = own.waiting.front().good;
    retire(own, out[given++].op_context);
    own.waiting.pop_front();
  }
  return given != 0 ? given : -FI_EAGAIN;
}

ssize_t read_error(fid_cq* queue, fi_cq_err_entry* entry, std::uint64_t) {
  Queue& own = queue_of(queue);
  const Entrance entrance(*own.domain);
  if (own.waiting.empty() || own.waiting.front().bad.err == 0) return -FI_EAGAIN;
  *entry = own.waiting.front().bad;
  retire(own, entry->op_context);
  own.waiting.pop_front();
  return 1;
}

const char* error_text(fid_cq* queue, int code, const void* data, char* buffer, std::size_t bytes) {
  return fi_cq_strerror(queue_of(queue).behind, code, data, buffer, bytes);
}

}  // namespace

std::uint64_t sum_of(const std::byte* data, std::size_t bytes) {
  std::uint64_t sum = bytes;
  for (std::size_t i = 0; i < bytes; i += sizeof sum) {
    std::uint64_t word = 0;
    std::memcpy(&word, data + i, std::min(sizeof word, bytes - i));
    sum = (sum ^ word) * 0x9e3779b97f4a7c15;
  }
  return sum;
}

void release_writes(Domain& domain) {
  std::erase_if(domain.held, [](HeldWrite& held) {
    if (held.looks != 0 && --held.looks != 0) return false;
    fi_msg_rma message{&held.local, &held.descriptor, 1, held.to, &held.remote, 1, held.context, 0};
    const ssize_t code = fi_writemsg(held.endpoint->behind, &message, held.flags);
    if (code != 0 && code != -FI_EAGAIN) broken("a write that the provider refuses");
    return code == 0;
  });
}

int open_queue(fid_domain* domain, fi_cq_attr* attributes, fid_cq** queue, void* context) {
  static fi_ops ops{sizeof(fi_ops), close_object<Queue>, nullptr, nullptr, nullptr, nullptr, nullptr};
  static fi_ops_cq calls{sizeof(fi_ops_cq), read, nullptr, read_error, nullptr, nullptr, nullptr, error_text};
  if (attributes->format != FI_CQ_FORMAT_TAGGED) broken("a completion queue of another format");
  auto* const own = new Queue{};
  own->domain = static_cast<Domain*>(domain);
  fi_cq_attr asked = *attributes;
  asked.size = std::max<std::size_t>(asked.size, 4096);
  const int code = fi_cq_open(own->domain->behind, &asked, &own->behind, context);
  if (code != 0) {
    delete own;
    return code;
  }
  own->fid = {FI_CLASS_CQ, context, &ops};
  own->ops = &calls;
  *queue = own;
  return 0;
}

}  // namespace strict_fabric
