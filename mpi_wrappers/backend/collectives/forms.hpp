// The forms in which a program calls a collective, each written once for all of them. `Arguments` are those of one
// collective, `Call` is how it runs on Xylem (collectives/movement.hpp, folding.hpp, barrier.hpp), `number` stands for the
// MPI's function of this form in front/functions.def.
//
// Whether a call runs on Xylem or is handed down whole is decided only from what MPI guarantees to be equal on all ranks of a
// call (docs/architecture.md): communicator, operation, root, and for reductions the predefined type and the count. The
// exception are arguments that are wrong: these go to the MPI, which refuses them on the spot and reports them as its users
// know it.
#pragma once

#include <memory>
#include <utility>

#include "backend/collectives/narrowed.hpp"
#include "backend/collectives/peers.hpp"
#include "backend/communicators.hpp"
#include "backend/errors.hpp"
#include "backend/host_copy.hpp"
#include "backend/mpi_functions.hpp"
#include "backend/requests/submit.hpp"
#include "backend/selection.hpp"
#include "backend/statistics.hpp"

namespace xylem::preload {

// Whether the buffers of a call that is handed down are worth a look: not where the MPI refuses it, or calls itself.
inline bool may_use_buffers(Reason reason) {
  return reason != Reason::bad_argument && reason != Reason::inside_mpi && reason != Reason::not_running;
}

template <class Arguments>
std::pair<void*, void*> buffers_of(const Arguments& arguments) {
  if constexpr (requires { arguments.sendbuf; })
    return {const_cast<void*>(arguments.sendbuf), arguments.recvbuf};
  else if constexpr (requires { arguments.buffer; })
    return {arguments.buffer, arguments.buffer};
  else
    return {nullptr, nullptr};
}

// What stands behind a request.
template <class Call, Collective collective>
class Later : public Operation {
 public:
  template <class Arguments>
  Later(const Arguments& arguments, const Communicator& comm) : call_(arguments, comm) {}

  Call& call() { return call_; }

  xylem_status start(xylem_request_t* request) override {
    const Outcome outcome = call_.begin();
    if (outcome.status != XYLEM_SUCCESS) return outcome.status;
    if (outcome.code != MPI_SUCCESS) return outcome.code == MPI_ERR_NO_MEM ? XYLEM_ERROR_OUT_OF_MEMORY : XYLEM_ERROR_INTERNAL;
    return counted(collective, call_.bytes(), [&] { return call_.start(request); });
  }
  int finish(xylem_status status) override { return status == XYLEM_SUCCESS ? code_of(call_.finish()) : code_of(status); }

 private:
  Call call_;
};

template <class Call, class Arguments, class Signature = typename Arguments::Signature>
struct Forms;

template <class Call, class Arguments, class... Args>
struct Forms<Call, Arguments, int(Args...)> {
  template <int number>
  static int blocking(Args... args) noexcept {
    const Arguments arguments{args...};
    const Communicator& comm = find(arguments.comm);
    if (comm.xylem == nullptr) return hand_down<number>(arguments, comm.reason);
    if (!is_selected(Arguments::kCollective)) return hand_down<number>(arguments, Reason::not_selected);
    Call call(arguments, comm);
    if (const Reason why = call.reason(); why != Reason::none) return hand_down<number>(arguments, why);
    if (const int error = call.error(); error != MPI_SUCCESS) return report_code(arguments.comm, error);
    return run(call, arguments.comm);
  }

  template <int number>
  static int nonblocking(Args... args, MPI_Request* request) noexcept {
    return make_request<number>(Arguments{args...}, request);
  }

  template <int number>
  static int persistent(Args... args, MPI_Info info, MPI_Request* request) noexcept {
    return make_request<number>(Arguments{args...}, request, info);
  }

 private:
  using Later = preload::Later<Call, Arguments::kCollective>;

  // `info` are the further arguments of the MPI's function for a persistent collective.
  template <int number, class... Info>
  static int make_request(const Arguments& arguments, MPI_Request* request, Info... info) {
    constexpr bool kPersistent = sizeof...(Info) != 0;
    const Communicator& comm = find_ready(arguments.comm);
    Reason why = comm.reason;
    if (comm.xylem != nullptr && !is_selected(Arguments::kCollective)) {
      why = Reason::not_selected;
    } else if (comm.xylem != nullptr) {
      auto operation = std::make_unique<Later>(arguments, comm);
      why = operation->call().reason();
      if (why == Reason::none) {
        if (const int error = operation->call().error(); error != MPI_SUCCESS) return report_code(arguments.comm, error);
        operation->call().keep();
        if constexpr (!kPersistent) return submit(std::move(operation), comm, request);
        // Ranks may start persistent collectives in differing orders (MPI-4.0 section 6.13).
        if (const auto own = another(comm); own != nullptr) {
          operation->call().use(own.get());
          return make_persistent(std::move(operation), comm, own, request);
        }
        why = Reason::not_connected;
      }
    }
    count_handed_down(Arguments::kCollective, why);
    const auto [sendbuf, recvbuf] = buffers_of(arguments);
    return pass_down<number>(arguments, sendbuf, recvbuf, info..., request);
  }

  // Calls the MPI's function of this form, or the older one before it in functions.def.
  template <int number, class... More>
  static int pass_down(const Arguments& arguments, void* in, void* out, More... more) {
    if (const auto function = real_function<int(Args..., More...)>(number); function != nullptr)
      return arguments.pass_on(function, in, out, more...);
    using Older = Narrowed<int(Args..., More...)>;
    return arguments.pass_on(Older(real_function<typename Older::Function>(number - 1), arguments), in, out, more...);
  }

  // Runs it on Xylem.
  static int run(Call& call, MPI_Comm comm) {
    if (const Outcome outcome = call.begin(); !outcome.good()) return report(comm, outcome);
    const xylem_status status = counted(Arguments::kCollective, call.bytes(), [&] { return call.start(nullptr); });
    if (status != XYLEM_SUCCESS) return report(comm, status);
    const Outcome outcome = call.finish();
    return outcome.good() ? MPI_SUCCESS : report(comm, outcome);
  }

  // Leaves it to the MPI, with copies in host memory of buffers on a device.
  template <int number>
  [[gnu::noinline]] static int hand_down(const Arguments& arguments, Reason why) {
    count_handed_down(Arguments::kCollective, why);
    const auto [sendbuf, recvbuf] = buffers_of(arguments);
    if (!may_use_buffers(why)) return pass_down<number>(arguments, sendbuf, recvbuf);
    const Peers peers = Peers::ask(arguments.comm, root_of(arguments));
    HostCopy in, out;
    xylem_status status = in.open(arguments.sent(peers));
    if (status == XYLEM_SUCCESS) status = out.open(arguments.received(peers));
    if (status != XYLEM_SUCCESS) return report(arguments.comm, status);
    const int code = pass_down<number>(arguments, in.address(), out.address());
    if (code != MPI_SUCCESS) return code;
    status = out.bring_back();
    return status == XYLEM_SUCCESS ? MPI_SUCCESS : report(arguments.comm, status);
  }
};

}  // namespace xylem::preload
