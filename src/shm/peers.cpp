#include "shm/peers.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/error.hpp"
#include "shm/per_process.hpp"

namespace xylem::shm {
namespace {

// What every failure here can be answered with.
constexpr const char* kWayOut = " Or give such ranks different XYLEM_HOSTID values: they then talk over the network.";

std::string path_of(const ArenaId& id) { return "/proc/" + std::to_string(id.pid) + "/fd/" + std::to_string(id.fd); }

std::string who(const ArenaId& id) {
  return "the shared memory of process " + std::to_string(id.pid) + " (" + path_of(id) + ")";
}

Descriptor open_file(const ArenaId& id) {
  // Should the number stand for another file by now, opening it must neither block nor take a terminal.
  Descriptor file(open(path_of(id).c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.valid()) return file;
  const int error = errno;
  std::string what = "cannot open " + who(id) + ": " + std::strerror(error) + ".";
  if (error == EACCES || error == EPERM) {
    what += " Ranks of one host must run as the same user, from executables without set-uid bit or file capabilities.";
  } else if (error == ENOENT) {
    what +=
        " The process has ended, is not visible here (another pid namespace or container), or closed what it did not open.";
  } else if (error == EMFILE || error == ENFILE) {
    what += " Raise the limit of open files (ulimit -n).";
  }
  throw Error(error == EMFILE || error == ENFILE ? XYLEM_ERROR_OUT_OF_MEMORY : XYLEM_ERROR_SYSTEM, what + kWayOut);
}

[[noreturn]] void refuse(const ArenaId& id, const std::string& why) {
  throw Error(XYLEM_ERROR_SYSTEM, "cannot attach to " + who(id) + ": " + why + kWayOut);
}

Mapping map_arena(const ArenaId& id) {
  const Descriptor file = open_file(id);
  struct stat status {};
  if (fstat(file.get(), &status) != 0) throw system_error("cannot examine " + who(id));
  // An unsealed file could be cut short under us: every access would then be a SIGBUS.
  const int seals = fcntl(file.get(), F_GET_SEALS);
  if (!S_ISREG(status.st_mode) || seals < 0 || (seals & F_SEAL_SHRINK) == 0) {
    refuse(id, "it is not what the rank announced. Does the program close descriptors that it did not open?");
  }
  if (id.bytes < sizeof(ArenaHead) || static_cast<std::uint64_t>(status.st_size) != id.bytes) {
    refuse(id, "it has " + std::to_string(status.st_size) + " bytes and not the announced " + std::to_string(id.bytes) + ".");
  }
  Mapping mapping(file.get(), id.bytes);
  if (!mapping.valid()) {
    throw Error(XYLEM_ERROR_OUT_OF_MEMORY,
                "cannot map " + who(id) + ": " + std::strerror(errno) + ". Raise the limit of address space (ulimit -v).");
  }
  ArenaHead head;
  std::memcpy(&head, mapping.data(), sizeof head);
  if (head.nonce != id.nonce || head.pid != id.pid) {
    refuse(id, "it belongs to another process. Do the ranks run in different pid namespaces?");
  }
  if (head.layout_version != kLayoutVersion) {
    refuse(id, "it has layout " + std::to_string(head.layout_version) + ", this process has layout " +
                   std::to_string(kLayoutVersion) + ". All ranks must load the same version of Xylem.");
  }
  return mapping;
}

}  // namespace

PeerArenas& PeerArenas::of_process() { return per_process<PeerArenas>(); }

std::shared_ptr<std::byte> PeerArenas::open(const ArenaId& id) {
  Arena& own = Arena::of_process();
  if (id == own.id()) return {std::shared_ptr<std::byte>(), own.base()};

  const std::lock_guard lock(mutex_);
  std::erase_if(mapped_, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<Mapping>& known = mapped_[Key(id.pid, id.nonce)];
  std::shared_ptr<Mapping> mapping = known.lock();
  if (!mapping) {
    mapping = std::make_shared<Mapping>(map_arena(id));
    known = mapping;
  } else if (mapping->bytes() != id.bytes) {
    refuse(id, "its announced size has changed.");
  }
  return {mapping, mapping->data()};
}

}  // namespace xylem::shm
