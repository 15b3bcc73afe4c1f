// Kernels: residency, one process at a time, faults, and what is left of an application that has ended.
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/device.hpp"
#include "tests/processes.hpp"

namespace cuda_emu_test {
namespace {

constexpr unsigned kResident = 16;  // 8 multiprocessors, two blocks each

// Zeroed memory that several processes share and each has registered.
class SharedWords {
 public:
  SharedWords() {
    const int file = memfd_create("words", MFD_CLOEXEC);
    EXPECT_EQ(ftruncate(file, 4096), 0);
    words_ = static_cast<std::uint32_t*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  }
  std::uint32_t* registered() const {
    EXPECT_CUDA(cuMemHostRegister(words_, 4096, 0));
    return words_;
  }
  std::uint32_t load(std::size_t index) const { return std::atomic_ref<std::uint32_t>(words_[index]).load(); }
  void store(std::size_t index, std::uint32_t value) const { std::atomic_ref<std::uint32_t>(words_[index]).store(value); }

 private:
  std::uint32_t* words_;
};

TEST(Kernels, AreFoundByName) {
  start();
  CUmodule module = nullptr;
  EXPECT_CUDA(cuModuleLoadData(&module, "image"));
  CUfunction found = nullptr;
  EXPECT_EQ(cuModuleGetFunction(&found, module, "no_such_kernel"), CUDA_ERROR_NOT_FOUND);
  EXPECT_CUDA(cuModuleGetFunction(&found, module, "add"));
  std::size_t offset = 1, bytes = 0;
  EXPECT_CUDA(cuFuncGetParamInfo(found, 0, &offset, &bytes));
  EXPECT_EQ(offset, 0U);
  EXPECT_EQ(bytes, sizeof(AddParameters));
  EXPECT_CUDA(cuModuleUnload(module));
  EXPECT_EQ(cuModuleGetFunction(&found, module, "add"), CUDA_ERROR_INVALID_HANDLE);
}

TEST(Kernels, TakeParametersInEitherForm) {
  start();
  const CUfunction add = function("add");
  const CUdeviceptr memory = allocate(4);
  write(memory, {1});
  EXPECT_CUDA(launch(add, 1, nullptr, AddParameters{words(memory), 1, 10}));
  AddParameters parameters{words(memory), 1, 100};
  std::size_t bytes = sizeof parameters;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &parameters, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  EXPECT_CUDA(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
  EXPECT_CUDA(cuLaunchKernel(function("nothing"), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  EXPECT_EQ(read(memory, 1), std::vector<std::uint32_t>{111});
  EXPECT_EQ(cuLaunchKernel(add, 1, 1, 1, 2048, 1, 1, 0, nullptr, nullptr, extra), CUDA_ERROR_INVALID_VALUE);
}

TEST(Residency, ACooperativeGridMustFit) {
  start();
  int per_multiprocessor = 0;
  const CUfunction meet = function("meet");
  EXPECT_CUDA(cuOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, meet, 512, 0));
  EXPECT_EQ(per_multiprocessor, 2);
  std::uint32_t* const counter = pinned(1);
  EXPECT_EQ(launch_cooperative(meet, kResident + 1, nullptr, MeetParameters{counter}),
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  EXPECT_CUDA(launch_cooperative(meet, kResident, nullptr, MeetParameters{counter}));
  EXPECT_CUDA(cuCtxSynchronize());
  EXPECT_EQ(*counter, kResident);
}

TEST(Residency, OtherGridsRunInWaves) {
  start();
  std::uint32_t* const counts = pinned(2);
  const CUfunction crowd = function("crowd");
  EXPECT_CUDA(launch(crowd, 3 * kResident, stream(), CrowdParameters{counts, counts + 1, 1000}));
  EXPECT_CUDA(launch(crowd, 3 * kResident, stream(), CrowdParameters{counts, counts + 1, 1000}));
  EXPECT_CUDA(cuCtxSynchronize());
  EXPECT_EQ(counts[0], 0U);
  EXPECT_LE(counts[1], kResident);
  EXPECT_GE(counts[1], 2U);
}

// What waits for a block that has no room waits for ever: here until the test helps.
TEST(Residency, AGridThatDoesNotFitIsNotThereAtOnce) {
  start();
  std::uint32_t* const counter = pinned(1);
  const CUstream one = stream();
  EXPECT_CUDA(launch(function("meet"), kResident + 1, one, MeetParameters{counter}));
  while (std::atomic_ref<std::uint32_t>(*counter).load() < kResident) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(cuStreamQuery(one), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(*counter, kResident);
  std::atomic_ref<std::uint32_t>(*counter).store(kResident + 1);  // lets the first wave go; the last block then adds one more
  while (std::atomic_ref<std::uint32_t>(*counter).load() != kResident + 2) std::this_thread::yield();
  std::atomic_ref<std::uint32_t>(*counter).store(kResident + 1);
  EXPECT_CUDA(cuStreamSynchronize(one));
}

TEST(OneProcessAtATime, OnOneDevice) {
  const SharedWords shared;
  set("CUDA_EMU_MACHINE", "one process at a time");
  const auto run = [&] {
    start();
    std::uint32_t* const counts = shared.registered();
    const CUfunction crowd = function("crowd");
    for (int i = 0; i < 20; ++i) {
      EXPECT_CUDA(launch(crowd, 1, nullptr, CrowdParameters{counts, counts + 1, 500}));
      EXPECT_CUDA(cuCtxSynchronize());
    }
  };
  {
    const Child other([&](Line) { run(); });
    run();
  }
  EXPECT_EQ(shared.load(1), 1U);
}

TEST(OneProcessAtATime, KernelsThatWaitForEachOtherNeverEnd) {
  const SharedWords shared;
  set("CUDA_EMU_MACHINE", "kernels that wait");
  // This process's kernel holds the device until the other's has run, which it therefore cannot.
  const Child other([&](const Line& line) {
    start();
    std::uint32_t* const words = shared.registered();
    const CUfunction kernel = function("wait_for_flag");
    EXPECT_EQ(line.hear<int>(), 1);
    EXPECT_CUDA(launch(kernel, 1, nullptr, WaitParameters{words + 3, 0, 1, words + 1}));
    line.say(2);
    EXPECT_CUDA(cuCtxSynchronize());
  });
  start();
  std::uint32_t* const words = shared.registered();
  EXPECT_CUDA(launch(function("wait_for_flag"), 1, nullptr, WaitParameters{words + 1, 1, 9, words + 2, words + 4}));
  while (shared.load(4) == 0) std::this_thread::yield();
  other.line().say(1);
  EXPECT_EQ(other.line().hear<int>(), 2);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(cuStreamQuery(nullptr), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(shared.load(1), 0U);
  shared.store(1, 1);  // a card's driver would have to be killed
  EXPECT_CUDA(cuCtxSynchronize());
  EXPECT_EQ(shared.load(2), 9U);
}

TEST(OneProcessAtATime, OnDifferentDevicesTheyMeet) {
  const SharedWords shared;
  set("CUDA_EMU_DEVICES", "2");
  set("CUDA_EMU_MACHINE", "different devices");
  const auto run = [&](CUdevice device, std::size_t mine, std::size_t theirs) {
    start(device);
    std::uint32_t* const words = shared.registered();
    EXPECT_CUDA(cuMemsetD32Async(reinterpret_cast<CUdeviceptr>(words + mine), 1, 1, nullptr));
    EXPECT_CUDA(launch(function("wait_for_flag"), 1, nullptr, WaitParameters{words + theirs, 1, 1, words + 2 + mine}));
    EXPECT_CUDA(cuCtxSynchronize());
  };
  {
    const Child other([&](Line) { run(1, 1, 0); });
    run(0, 0, 1);
  }
  EXPECT_EQ(shared.load(2), 1U);
  EXPECT_EQ(shared.load(3), 1U);
}

TEST(Faults, UseAfterFreeEndsTheContext) {
  start();
  const CUfunction add = function("add");
  const CUdeviceptr memory = allocate(4096);
  EXPECT_CUDA(cuMemFree(memory));
  EXPECT_CUDA(launch(add, 1, nullptr, AddParameters{words(memory), 1, 1}));
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  CUdeviceptr pointer = 0;
  EXPECT_EQ(cuMemAlloc(&pointer, 16), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cuStreamQuery(nullptr), CUDA_ERROR_ILLEGAL_ADDRESS);
  unsigned type = 0;
  EXPECT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory), CUDA_ERROR_ILLEGAL_ADDRESS);
  int count = 0;
  EXPECT_CUDA(cuDeviceGetCount(&count));
}

TEST(Faults, RunningOverTheEndEndsTheContext) {
  start();
  const CUdeviceptr memory = allocate(4096);
  allocate(4096);
  EXPECT_CUDA(launch(function("add"), 1, nullptr, AddParameters{words(memory), 1025, 1}));
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(Faults, OrdinaryHostMemoryIsNotTheDevices) {
  start();
  std::vector<std::uint32_t> memory(1);
  EXPECT_CUDA(launch(function("add"), 1, nullptr, AddParameters{memory.data(), 1, 1}));
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(Faults, AreMadeIfAsked) {
  set("CUDA_EMU_FAIL", "sticky@2,launch@1");
  start();
  const CUdeviceptr memory = allocate(4);
  const CUfunction add = function("add");
  EXPECT_EQ(launch(add, 1, nullptr, AddParameters{words(memory), 1, 1}), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  EXPECT_CUDA(launch(add, 1, nullptr, AddParameters{words(memory), 1, 1}));
  EXPECT_CUDA(cuCtxSynchronize());
  EXPECT_CUDA(launch(add, 1, nullptr, AddParameters{words(memory), 1, 1}));
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(Faults, AnExecutorThatWasKilledIsNoticed) {
  start();
  std::uint32_t* const memory = pinned(2);
  EXPECT_CUDA(launch(function("wait_for_flag"), 1, nullptr, WaitParameters{memory, 1, 1, memory + 1}));
  kill(executor_of(getpid()), SIGKILL);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
}

TEST(Executor, UsesNoCpuWhenIdle) {
  start();
  const CUdeviceptr memory = allocate(4000);
  EXPECT_CUDA(launch(function("add"), 4, nullptr, AddParameters{words(memory), 1000, 1}));
  EXPECT_CUDA(cuCtxSynchronize());
  const pid_t executor = executor_of(getpid());
  ASSERT_GT(executor, 0);
  const unsigned long before = state_of(executor).ticks;
  usleep(300'000);
  EXPECT_LE(state_of(executor).ticks, before + 1);
}

void run_for_ever() {
  start();
  std::uint32_t* const memory = pinned(2);
  EXPECT_CUDA(launch(function("wait_for_flag"), 1, nullptr, WaitParameters{memory, 1, 1, memory + 1}));
}

TEST(Executor, EndsWithAnApplicationThatExits) {
  pid_t executor = 0;
  {
    const Child application([](const Line& line) {
      run_for_ever();
      line.say(executor_of(getpid()));
    });
    executor = application.line().hear<pid_t>();
    ASSERT_GT(executor, 0);
  }
  EXPECT_EQ(state_of(executor).state, 0);  // reaped by the application
}

TEST(Executor, EndsWithAnApplicationThatIsKilled) {
  pid_t executor = 0;
  {
    Child application([](const Line& line) {
      run_for_ever();
      line.say(executor_of(getpid()));
      pause();
    });
    executor = application.line().hear<pid_t>();
    ASSERT_GT(executor, 0);
    application.kill_it();
  }
  EXPECT_TRUE(ends_soon(executor));
}

TEST(Executor, EndsEvenIfAChildOfTheApplicationLivesOn) {
  pid_t executor = 0;
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(pipe(pipe_ends.data()), 0);
  {
    Child application([&](const Line& line) {
      run_for_ever();
      line.say(executor_of(getpid()));
      if (fork() == 0) {
        close(pipe_ends[1]);
        char byte = 0;
        _exit(static_cast<int>(::read(pipe_ends[0], &byte, 1)));
      }
      line.say(1);
      pause();
    });
    executor = application.line().hear<pid_t>();
    EXPECT_EQ(application.line().hear<int>(), 1);
    application.kill_it();
  }
  EXPECT_TRUE(ends_soon(executor));
  close(pipe_ends[1]);
}

TEST(Executor, AThreadThatWaitsIsNoHindranceAtTheEnd) {
  const Child application([](Line) {
    run_for_ever();
    CUcontext context = nullptr;
    EXPECT_CUDA(cuCtxGetCurrent(&context));
    std::thread([=] {
      if (cuCtxSetCurrent(context) != CUDA_SUCCESS || cuCtxSynchronize() != CUDA_ERROR_DEINITIALIZED) _exit(3);
    }).detach();
    usleep(20'000);
  });
}

TEST(Executor, CallsAtTheEndFindNoDriver) {
  const Child application([](Line) {
    struct Late {
      ~Late() {
        int count = 0;
        if (cuDeviceGetCount(&count) != CUDA_ERROR_DEINITIALIZED) _exit(3);
      }
    };
    static const Late late;
    start();
  });
}

}  // namespace
}  // namespace cuda_emu_test
