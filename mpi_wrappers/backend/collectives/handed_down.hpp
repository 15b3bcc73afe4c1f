// A nonblocking or persistent collective that the MPI runs, behind a request of ours: on copies in host memory of buffers
// that are on a device, and on a communicator that stays until it has ended.
#pragma once

#include <mpi.h>

#include <optional>
#include <utility>

#include "backend/collectives/peers.hpp"
#include "backend/errors.hpp"
#include "backend/host_copy.hpp"
#include "backend/mpi_functions.hpp"
#include "backend/requests/collective_request.hpp"
#include "backend/requests/operation.hpp"

namespace xylem::preload {

// The buffers of a call as the MPI is given them.
class HostBuffers {
 public:
  // Those of the program.
  HostBuffers(void* in, void* out) : in_(in), out_(out) {}

  // With copies of what is on a device. Only then the MPI is asked about the communicator, which may be none.
  template <class Arguments>
  xylem_status open(const Arguments& arguments) {
    if (!in_.is_on_device() && !out_.is_on_device()) return XYLEM_SUCCESS;
    const Peers peers = Peers::ask(arguments.comm, root_of(arguments));
    const xylem_status status = in_.open(arguments.sent(peers));
    return status == XYLEM_SUCCESS ? out_.open(arguments.received(peers)) : status;
  }

  bool any_copied() const { return in_.copied() || out_.copied(); }
  std::byte* in() const { return in_.address(); }
  std::byte* out() const { return out_.address(); }

  // What the program has written since.
  xylem_status fetch() const {
    const xylem_status status = in_.fetch();
    return status == XYLEM_SUCCESS ? out_.fetch() : status;
  }
  xylem_status bring_back() const { return out_.bring_back(); }

 private:
  HostCopy in_, out_;
};

// Whether the MPI needs help where the program frees a communicator on which it runs a nonblocking collective.
#ifdef OPEN_MPI
inline constexpr bool kMpiForgetsCommunicators = true;
#else
inline constexpr bool kMpiForgetsCommunicators = false;
#endif

// Keeps a communicator that the program may free, by a receive on it that is never started.
class HeldCommunicator {
 public:
  HeldCommunicator() = default;
  ~HeldCommunicator() {
    if (receive_ != MPI_REQUEST_NULL) real().Request_free(&receive_);
  }
  HeldCommunicator(const HeldCommunicator&) = delete;
  HeldCommunicator& operator=(const HeldCommunicator&) = delete;

  void hold(MPI_Comm comm) { PMPI_Recv_init(nullptr, 0, MPI_BYTE, 0, 0, comm, &receive_); }

 private:
  MPI_Request receive_ = MPI_REQUEST_NULL;
};

class HandedDown : public Operation {
 public:
  HandedDown(HostBuffers&& buffers, CollectiveRequest::Kind kind) : buffers_(std::move(buffers)), kind_(kind) {}
  ~HandedDown() override {
    if (request_ != MPI_REQUEST_NULL) real().Request_free(&request_);
  }

  // What the MPI's function is to be given, once, before all else: a nonblocking collective goes on from there.
  const HostBuffers& buffers() const { return buffers_; }
  MPI_Request* request() { return &request_; }
  // Once the MPI has taken the call: the communicator is one.
  void hold(MPI_Comm comm) { comm_.hold(comm); }

  int start() override {
    if (kind_ == CollectiveRequest::Kind::nonblocking) return MPI_SUCCESS;
    if (const xylem_status status = buffers_.fetch(); status != XYLEM_SUCCESS) return code_of(status);
    return call_mpi(MPI_COMM_NULL, real().Start, &request_);
  }
  std::optional<int> look() override {
    int done = 0;
    const int code = call_mpi(MPI_COMM_NULL, real().Test, &request_, &done, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS && done == 0) return std::nullopt;
    return end(code);
  }
  int wait() override { return end(call_mpi(MPI_COMM_NULL, real().Wait, &request_, MPI_STATUS_IGNORE)); }

 private:
  int end(int code) const { return code != MPI_SUCCESS ? code : code_of(buffers_.bring_back()); }

  HostBuffers buffers_;
  HeldCommunicator comm_;
  CollectiveRequest::Kind kind_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace xylem::preload
