// Graphs: made by capture only, run node after node in the order of their capture. Branches of a graph are therefore never
// run at the same time, which CUDA does not promise either.
#include "driver/driver.hpp"

namespace cuda_emu {
namespace {

CUresult instantiate(CUgraphExec* executable, CUgraph graph) {
  return enter([&](Driver& driver) {
    require(executable != nullptr);
    auto made = std::make_unique<CUgraphExec_st>();
    made->nodes = driver.graphs.get(graph, CUDA_ERROR_INVALID_VALUE).nodes;
    *executable = driver.executable_graphs.add(std::move(made));
  });
}

// Events that a graph records get the next number at each launch, as if they were recorded by a call.
Message renumbered(Driver& driver, const GraphNode& node) {
  Message message = node.message;
  if (message.kind != Kind::kRecordEvent && message.kind != Kind::kWaitEvent) return message;
  EventState* table = driver.executor->events();
  for (const OpenedEvents& opened : driver.opened_events) {
    if (opened.table == message.event.table) table = opened.states;
  }
  EventState& event = table[message.event.slot];
  message.event.number = message.kind == Kind::kRecordEvent ? ++event.recorded : event.recorded.load();
  return message;
}

}  // namespace
}  // namespace cuda_emu

using namespace cuda_emu;

CUresult cuGraphCreate(CUgraph* graph, unsigned flags) {
  return enter([&](Driver& driver) {
    require(graph != nullptr && flags == 0);
    *graph = driver.graphs.add(std::make_unique<CUgraph_st>());
  });
}

CUresult cuGraphDestroy(CUgraph graph) {
  return enter([&](Driver& driver) { driver.graphs.remove(graph, CUDA_ERROR_INVALID_VALUE); });
}

// The nodes themselves cannot be had, only their number.
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, size_t* count) {
  return enter([&](Driver& driver) {
    require(count != nullptr);
    require(nodes == nullptr, CUDA_ERROR_NOT_SUPPORTED);
    *count = driver.graphs.get(graph, CUDA_ERROR_INVALID_VALUE).nodes.size();
  });
}

CUresult cuGraphInstantiate(CUgraphExec* executable, CUgraph graph, unsigned long long /*flags*/) {
  return instantiate(executable, graph);
}

CUresult cuGraphInstantiateWithParams(CUgraphExec* executable, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS* parameters) {
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUresult result = instantiate(executable, graph);
  parameters->result_out = result == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS : CUDA_GRAPH_INSTANTIATE_ERROR;
  return result;
}

CUresult cuGraphExecDestroy(CUgraphExec executable) {
  return enter([&](Driver& driver) { driver.executable_graphs.remove(executable, CUDA_ERROR_INVALID_VALUE); });
}

CUresult cuGraphUpload(CUgraphExec executable, CUstream stream) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    driver.executable_graphs.get(executable, CUDA_ERROR_INVALID_VALUE);
    stream_of(driver, context, stream);
  });
}

CUresult cuGraphLaunch(CUgraphExec handle, CUstream stream_handle) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    CUgraphExec_st& executable = driver.executable_graphs.get(handle, CUDA_ERROR_INVALID_VALUE);
    CUstream_st& stream = stream_of(driver, context, stream_handle);
    require(!stream.capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    if (executable.launched && executable.last_slot != stream.slot) {
      Message message{};
      message.kind = Kind::kWaitStream;
      message.other = {executable.last_slot, executable.last_number};
      submit(driver, stream, message);
    }
    for (const GraphNode& node : executable.nodes) submit(driver, stream, renumbered(driver, node), node.payload);
    executable.launched = true;
    executable.last_slot = stream.slot;
    executable.last_number = driver.executor->submitted(stream.slot);
  });
}
