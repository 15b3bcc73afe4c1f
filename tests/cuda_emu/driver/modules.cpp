// Modules, functions and launches. A module's image is not read: its functions are those of the libraries of kernels.
#include <cstring>

#include "driver/driver.hpp"

namespace cuda_emu {
namespace {

constexpr unsigned kMaxThreads = 1024;

CUresult load_module(CUmodule* module, const void* image) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    require(module != nullptr && image != nullptr);
    require(!driver.failures.now("module"), CUDA_ERROR_NO_BINARY_FOR_GPU);
    synchronize(driver, context);
    auto made = std::make_unique<CUmod_st>();
    made->context = &context;
    *module = driver.modules.add(std::move(made));
  });
}

CUfunc_st& find_function(Driver& driver, CUmodule handle, const char* name) {
  CUmod_st& module = driver.modules.get(handle);
  std::unique_ptr<CUfunc_st>& function = module.functions[name];
  if (function) return *function;
  // With lazy loading, which is the default, code is put on the device when a function is first asked for.
  if (!driver.settings.eager_modules) synchronize(driver, *module.context);
  Message message{};
  message.kind = Kind::kFindKernel;
  const auto* const bytes = reinterpret_cast<const std::byte*>(name);
  const Answer answer = driver.executor->request(message, {bytes, std::strlen(name)});
  function = std::make_unique<CUfunc_st>();
  function->module = handle;
  function->name = name;
  function->kernel = answer.value;
  function->parameter_bytes = answer.bytes;
  return *function;
}

// The argument buffer, from whichever of the two ways the caller took.
std::span<const std::byte> parameters_of(const CUfunc_st& function, void** parameters, void** extra) {
  if (function.parameter_bytes == 0) return {};
  if (parameters != nullptr) return {static_cast<const std::byte*>(parameters[0]), function.parameter_bytes};
  const std::byte* buffer = nullptr;
  std::size_t bytes = 0;
  for (; extra != nullptr && *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = static_cast<const std::byte*>(extra[1]);
    if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = *static_cast<const std::size_t*>(extra[1]);
  }
  require(buffer != nullptr && bytes == function.parameter_bytes);
  return {buffer, bytes};
}

void launch(Driver& driver, CUctx_st& context, CUfunction handle, const CUlaunchConfig& shape, bool cooperative,
            void** parameters, void** extra) {
  require(handle != nullptr, CUDA_ERROR_INVALID_HANDLE);
  const CUfunc_st& function = *handle;
  const std::uint64_t blocks = std::uint64_t{shape.gridDimX} * shape.gridDimY * shape.gridDimZ;
  const std::uint64_t threads = std::uint64_t{shape.blockDimX} * shape.blockDimY * shape.blockDimZ;
  require(blocks > 0 && blocks <= 0x7fffffff && threads > 0 && threads <= kMaxThreads);
  CUstream_st& stream = stream_of(driver, context, shape.hStream);
  require(stream.context == driver.modules.get(function.module).context, CUDA_ERROR_INVALID_CONTEXT);
  require(!driver.failures.now("launch"), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  require(!cooperative || blocks <= driver.settings.multiprocessors * kBlocksPerMultiprocessor,
          CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  const std::span<const std::byte> bytes = parameters_of(function, parameters, extra);
  Message message{};
  message.kind = Kind::kLaunch;
  message.launch.kernel = function.kernel;
  message.launch.device = static_cast<std::uint32_t>(stream.context->device);
  message.launch.blocks = static_cast<std::uint32_t>(blocks);
  message.launch.cooperative = cooperative ? 1 : 0;
  message.launch.fail = driver.failures.now("sticky") ? 1 : 0;
  message.launch.parameter_bytes = static_cast<std::uint32_t>(bytes.size());
  submit(driver, stream, message, bytes);
}

CUlaunchConfig shape_of(unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                        unsigned block_z, CUstream stream) {
  CUlaunchConfig shape{};
  shape.gridDimX = grid_x;
  shape.gridDimY = grid_y;
  shape.gridDimZ = grid_z;
  shape.blockDimX = block_x;
  shape.blockDimY = block_y;
  shape.blockDimZ = block_z;
  shape.hStream = stream;
  return shape;
}

}  // namespace
}  // namespace cuda_emu

using namespace cuda_emu;

CUresult cuModuleLoadData(CUmodule* module, const void* image) { return load_module(module, image); }

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned /*count*/, CUjit_option* /*options*/,
                            void** /*values*/) {
  return load_module(module, image);
}

CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) { return load_module(module, image); }

CUresult cuModuleUnload(CUmodule module) {
  return enter_context([&](Driver& driver, CUctx_st& /*context*/) {
    synchronize(driver, *driver.modules.get(module).context);
    driver.modules.remove(module);
  });
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  return enter([&](Driver& driver) {
    require(mode != nullptr);
    *mode = driver.settings.eager_modules ? CU_MODULE_EAGER_LOADING : CU_MODULE_LAZY_LOADING;
  });
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  return enter_context([&](Driver& driver, CUctx_st& /*context*/) {
    require(function != nullptr && name != nullptr && *name != '\0');
    *function = &find_function(driver, module, name);
  });
}

CUresult cuModuleGetGlobal(CUdeviceptr* /*pointer*/, size_t* /*bytes*/, CUmodule module, const char* /*name*/) {
  return enter_context([&](Driver& driver, CUctx_st& /*context*/) {
    driver.modules.get(module);
    throw Error{CUDA_ERROR_NOT_FOUND};
  });
}

CUresult cuFuncGetModule(CUmodule* module, CUfunction function) {
  return enter([&](Driver& /*driver*/) {
    require(module != nullptr);
    require(function != nullptr, CUDA_ERROR_INVALID_HANDLE);
    *module = function->module;
  });
}

CUresult cuFuncGetName(const char** name, CUfunction function) {
  return enter([&](Driver& /*driver*/) {
    require(name != nullptr);
    require(function != nullptr, CUDA_ERROR_INVALID_HANDLE);
    *name = function->name.c_str();
  });
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t* offset, size_t* bytes) {
  return enter([&](Driver& /*driver*/) {
    require(function != nullptr, CUDA_ERROR_INVALID_HANDLE);
    require(offset != nullptr && index == 0 && function->parameter_bytes > 0);
    *offset = 0;
    if (bytes != nullptr) *bytes = function->parameter_bytes;
  });
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute which, CUfunction function) {
  return enter([&](Driver& /*driver*/) {
    require(value != nullptr && which < CU_FUNC_ATTRIBUTE_MAX);
    require(function != nullptr, CUDA_ERROR_INVALID_HANDLE);
    switch (which) {
      case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = kMaxThreads;
        break;
      case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = 32;
        break;
      case CU_FUNC_ATTRIBUTE_PTX_VERSION:
      case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = 90;
        break;
      default:
        *value = 0;
    }
  });
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute which, int /*value*/) {
  return enter([&](Driver& /*driver*/) {
    require(function != nullptr, CUDA_ERROR_INVALID_HANDLE);
    require(which < CU_FUNC_ATTRIBUTE_MAX);
  });
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache /*config*/) {
  return enter([&](Driver& /*driver*/) { require(function != nullptr, CUDA_ERROR_INVALID_HANDLE); });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads, size_t /*shared_bytes*/) {
  return enter_context([&](Driver& /*driver*/, CUctx_st& /*context*/) {
    require(blocks != nullptr && threads > 0);
    require(function != nullptr, CUDA_ERROR_INVALID_HANDLE);
    *blocks = threads <= static_cast<int>(kMaxThreads) ? static_cast<int>(kBlocksPerMultiprocessor) : 0;
  });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction function, int threads,
                                                              size_t shared_bytes, unsigned /*flags*/) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared_bytes);
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned /*shared_bytes*/, CUstream stream, void** parameters,
                        void** extra) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    launch(driver, context, function, shape_of(grid_x, grid_y, grid_z, block_x, block_y, block_z, stream), false, parameters,
           extra);
  });
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                   unsigned block_y, unsigned block_z, unsigned /*shared_bytes*/, CUstream stream,
                                   void** parameters) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    launch(driver, context, function, shape_of(grid_x, grid_y, grid_z, block_x, block_y, block_z, stream), true, parameters,
           nullptr);
  });
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* shape, CUfunction function, void** parameters, void** extra) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    require(shape != nullptr);
    bool cooperative = false;
    for (unsigned i = 0; i < shape->numAttrs; ++i) {
      if (shape->attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) cooperative = shape->attrs[i].value.cooperative != 0;
    }
    launch(driver, context, function, *shape, cooperative, parameters, extra);
  });
}
