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
#include <optional>
#include <utility>

#include "backend/collectives/handed_down.hpp"
#include "backend/collectives/narrowed.hpp"
#include "backend/collectives/peers.hpp"
#include "backend/collectives/xylem_call.hpp"
#include "backend/communicators.hpp"
#include "backend/errors.hpp"
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

// What stands behind the request of a call on Xylem.
template <class Call, Collective collective>
class Later : public Operation {
 public:
  template <class Arguments>
  Later(const Arguments& arguments, const Communicator& comm) : call_(arguments, comm) {}

  Call& call() { return call_; }

  int start() override {
    if (const Outcome outcome = or_give_up(call_.comm(), call_.begin()); !outcome.good()) return code_of(outcome);
    return code_of(counted(collective, call_.bytes(), [&] { return call_.start(&running_); }));
  }
  std::optional<int> look() override {
    int done = 0;
    const xylem_status status = xylem_test(&running_, &done);
    if (running_ != nullptr) return std::nullopt;
    return end(status);
  }
  int wait() override { return end(xylem_wait(&running_)); }

 private:
  int end(xylem_status status) { return code_of(call_.finish(status)); }

  Call call_;
  xylem_request_t running_ = nullptr;
};

// Why a call that goes on after the program's has returned is handed down.
template <class Call>
Reason reason_later(const Call& call) {
  if constexpr (requires { call.reason_later(); })
    return call.reason_later();
  else
    return call.reason();
}

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
    return run<Call, number>(arguments, comm);
  }

  template <int number>
  static int nonblocking(Args... args, MPI_Request* request) noexcept {
    const Arguments arguments{args...};
    return make_request<number>(arguments, find_ready(arguments.comm), request);
  }

  // All ranks may be waited for (MPI-4.0 section 6.13).
  template <int number>
  static int persistent(Args... args, MPI_Info info, MPI_Request* request) noexcept {
    const Arguments arguments{args...};
    return make_request<number>(arguments, find(arguments.comm), request, info);
  }

 private:
  // Runs it on Xylem, if the call lets itself be.
  template <class How, int number>
  static int run(const Arguments& arguments, const Communicator& comm) {
    How call(arguments, comm);
    const Reason why = call.reason();
    if constexpr (requires { typename How::ByProgram; })
      if (why == Reason::user_operation) return run_by_program<number>(arguments, comm);
    if (why != Reason::none) return hand_down<number>(arguments, why);
    if (const Outcome outcome = or_give_up(call.comm(), call.begin()); !outcome.good())
      return report(arguments.comm, outcome);
    const xylem_status status = counted(Arguments::kCollective, call.bytes(), [&] { return call.start(nullptr); });
    const Outcome outcome = call.finish(status);
    return outcome.good() ? MPI_SUCCESS : report(arguments.comm, outcome);
  }
  template <int number>
  [[gnu::noinline]] static int run_by_program(const Arguments& arguments, const Communicator& comm) {
    return run<typename Call::ByProgram, number>(arguments, comm);
  }

  // `info` are the further arguments of the MPI's function for a persistent collective.
  template <int number, class... Info>
  static int make_request(const Arguments& arguments, const Communicator& comm, MPI_Request* request, Info... info) {
    if (comm.xylem == nullptr) return hand_down_later<number>(arguments, comm, comm.reason, request, info...);
    if (!is_selected(Arguments::kCollective))
      return hand_down_later<number>(arguments, comm, Reason::not_selected, request, info...);
    return run_later<Call, number>(arguments, comm, request, info...);
  }

  // The same as run() with a request.
  template <class How, int number, class... Info>
  static int run_later(const Arguments& arguments, const Communicator& comm, MPI_Request* request, Info... info) {
    auto operation = std::make_unique<Later<How, Arguments::kCollective>>(arguments, comm);
    Reason why = reason_later(operation->call());
    if constexpr (requires { typename How::ByProgram; })
      if (why == Reason::user_operation) return run_later<typename How::ByProgram, number>(arguments, comm, request, info...);
    if (why == Reason::none) {
      operation->call().keep();
      if constexpr (sizeof...(info) == 0)
        return submit(std::move(operation), CollectiveRequest::Kind::nonblocking, comm, comm.keeper, request);
      // Ranks may start persistent collectives in differing orders (MPI-4.0 section 6.13).
      if (const auto own = another(comm); own != nullptr) {
        operation->call().use(own.get());
        return submit(std::move(operation), CollectiveRequest::Kind::persistent, comm, own, request);
      }
      why = Reason::not_connected;
    }
    return hand_down_later<number>(arguments, comm, why, request, info...);
  }

  // Calls the MPI's function of this form, or the older one before it in functions.def.
  template <int number, class... More>
  static int pass_down(const Arguments& arguments, void* in, void* out, More... more) {
    if (const auto function = real_function<int(Args..., More...)>(number); function != nullptr)
      return arguments.pass_on(function, in, out, more...);
    using Older = Narrowed<int(Args..., More...)>;
    return arguments.pass_on(Older(real_function<typename Older::Function>(number - 1), arguments), in, out, more...);
  }

  // Leaves it to the MPI, with copies in host memory of buffers on a device.
  template <int number>
  [[gnu::noinline]] static int hand_down(const Arguments& arguments, Reason why) {
    count_handed_down(Arguments::kCollective, why);
    const auto [sendbuf, recvbuf] = buffers_of(arguments);
    if (!may_use_buffers(why)) return pass_down<number>(arguments, sendbuf, recvbuf);
    HostBuffers buffers(sendbuf, recvbuf);
    if (const xylem_status status = buffers.open(arguments); status != XYLEM_SUCCESS) return report(arguments.comm, status);
    const int code = pass_down<number>(arguments, buffers.in(), buffers.out());
    if (code != MPI_SUCCESS) return code;
    const xylem_status status = buffers.bring_back();
    return status == XYLEM_SUCCESS ? MPI_SUCCESS : report(arguments.comm, status);
  }

  // The same with a request: the MPI's own where it needs no help.
  template <int number, class... Info>
  [[gnu::noinline]] static int hand_down_later(const Arguments& arguments, const Communicator& comm, Reason why,
                                               MPI_Request* request, Info... info) {
    count_handed_down(Arguments::kCollective, why);
    const auto [sendbuf, recvbuf] = buffers_of(arguments);
    HostBuffers buffers(sendbuf, recvbuf);
    if (may_use_buffers(why)) {
      const xylem_status status = buffers.open(arguments);
      if (status != XYLEM_SUCCESS) return report(arguments.comm, status);
    }
    if (!may_use_buffers(why) || !(buffers.any_copied() || kMpiForgetsCommunicators))
      return pass_down<number>(arguments, sendbuf, recvbuf, info..., request);
    constexpr auto kKind = sizeof...(info) == 0 ? CollectiveRequest::Kind::nonblocking : CollectiveRequest::Kind::persistent;
    auto operation = std::make_unique<HandedDown>(std::move(buffers), kKind);
    const int code =
        pass_down<number>(arguments, operation->buffers().in(), operation->buffers().out(), info..., operation->request());
    if (code != MPI_SUCCESS) return code;
    operation->hold(arguments.comm);
    return submit(std::move(operation), kKind, comm, nullptr, request);
  }
};

}  // namespace xylem::preload
