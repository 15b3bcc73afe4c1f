#include "executor/streams.hpp"

#include <unistd.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <thread>

#include "executor/application.hpp"
#include "executor/kernels.hpp"
#include "executor/memory.hpp"
#include "shared/futex.hpp"

namespace cuda_emu {
namespace {

Disorder disorder;

struct Worker {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Received> queue;
  std::uint32_t host_functions_done = 0;  // the number of the operation that was done last
  std::thread thread;
};

std::array<std::unique_ptr<Worker>, kMaxStreams> workers;

constexpr auto never = [] { return false; };

std::uint64_t now_in_nanoseconds() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count());
}

void record(const EventOperation& operation) {
  EventState& event = application().event(operation);
  event.nanoseconds.store(now_in_nanoseconds());
  std::uint32_t completed = event.completed.load();
  // Two streams may record one event; its number only rises.
  while (!reached(completed, operation.number) && !event.completed.compare_exchange_weak(completed, operation.number)) {
  }
  wake(event.completed, event.waiters);
}

void wait_for(const EventOperation& operation) {
  EventState& event = application().event(operation);
  (void)wait(
      event.completed, event.waiters, [&](std::uint32_t now) { return reached(now, operation.number); }, never);
}

void wait_for(const StreamOperation& other) {
  StreamProgress& stream = application().control->streams[other.stream];
  (void)wait(
      stream.completed, stream.waiters, [&](std::uint32_t now) { return reached(now, other.number); }, never);
}

void call_host(Worker& worker, const Message& message) {
  if (!send_message(kHostFunctionSocket, message)) return;
  std::unique_lock lock(worker.mutex);
  worker.changed.wait(lock, [&] { return worker.host_functions_done == message.number; });
}

void run(Worker& worker, const Received& operation) {
  const Message& message = operation.message;
  switch (message.kind) {
    case Kind::kCopy:
      return copy_memory(message.copy);
    case Kind::kFill:
      return fill_memory(message.fill);
    case Kind::kLaunch:
      return run_kernel(message.launch, operation.payload);
    case Kind::kRecordEvent:
      return record(message.event);
    case Kind::kWaitEvent:
      return wait_for(message.event);
    case Kind::kWaitStream:
      return wait_for(message.other);
    case Kind::kHostFunction:
      return call_host(worker, message);
    case Kind::kWriteValue:
      return write_value(message.value);
    case Kind::kWaitValue:
      return wait_for_value(message.value);
    case Kind::kRelease:
      (void)unmap_memory(message.mapping);
      return;
    default:
      return;
  }
}

void work(Worker& worker, std::uint32_t slot) {
  StreamProgress& progress = application().control->streams[slot];
  std::minstd_rand random(disorder.seed + slot);
  for (;;) {
    std::unique_lock lock(worker.mutex);
    worker.changed.wait(lock, [&] { return !worker.queue.empty(); });
    const Received operation = std::move(worker.queue.front());
    worker.queue.pop_front();
    lock.unlock();
    if (disorder.microseconds > 0) usleep(static_cast<useconds_t>(random() % (disorder.microseconds + 1)));
    run(worker, operation);
    progress.completed.store(operation.message.number);
    wake(progress.completed, progress.waiters);
  }
}

}  // namespace

void set_disorder(const Disorder& wanted) { disorder = wanted; }

void enqueue(Received&& operation) {
  const std::uint32_t slot = operation.message.stream;
  std::unique_ptr<Worker>& worker = workers.at(slot);
  if (!worker) {
    worker = std::make_unique<Worker>();
    worker->thread = std::thread([&worker = *worker, slot] { work(worker, slot); });
  }
  const std::scoped_lock lock(worker->mutex);
  worker->queue.push_back(std::move(operation));
  worker->changed.notify_all();
}

void host_function_done(const HostFunction& function) {
  Worker& worker = *workers.at(function.slot);
  const std::scoped_lock lock(worker.mutex);
  worker.host_functions_done = function.number;
  worker.changed.notify_all();
}

}  // namespace cuda_emu
