// SPDX-License-Identifier: Apache-2.0
// DirectML on the first adapter that takes Direct3D 12, by DirectML.h, d3d12.h and dxgi1_4.h.
//
// Written by the public headers and documents; it has not been run where it was written, since
// DirectML is on Windows alone. Each request is an operator of its own: created, compiled,
// initialised, run once, its outputs read back. What CreateOperator and CompileOperator refuse with
// E_INVALIDARG is a refusal; all else that fails is a failure.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include <windows.h>

#include <d3d12.h>
#include <dxgi1_4.h>
#include <wrl/client.h>

#define DML_TARGET_VERSION_USE_LATEST
#include <DirectML.h>

#include "record.hpp"

using Microsoft::WRL::ComPtr;

namespace
{

std::string hex_of(HRESULT result)
{
    char text[16];
    std::snprintf(text, sizeof text, "0x%08lx", static_cast<unsigned long>(result));
    return text;
}

void check(HRESULT result, const char *what)
{
    if (FAILED(result))
        throw std::runtime_error(std::string(what) + ": " + hex_of(result));
}

DML_TENSOR_DATA_TYPE type_of(const std::string &dtype)
{
    static const std::map<std::string, DML_TENSOR_DATA_TYPE> types = {
        {"f32", DML_TENSOR_DATA_TYPE_FLOAT32}, {"f16", DML_TENSOR_DATA_TYPE_FLOAT16},
        {"u32", DML_TENSOR_DATA_TYPE_UINT32},  {"u16", DML_TENSOR_DATA_TYPE_UINT16},
        {"u8", DML_TENSOR_DATA_TYPE_UINT8},    {"i32", DML_TENSOR_DATA_TYPE_INT32},
        {"i16", DML_TENSOR_DATA_TYPE_INT16},   {"i8", DML_TENSOR_DATA_TYPE_INT8},
        {"f64", DML_TENSOR_DATA_TYPE_FLOAT64}, {"u64", DML_TENSOR_DATA_TYPE_UINT64},
        {"i64", DML_TENSOR_DATA_TYPE_INT64}};
    const auto found = types.find(dtype);
    return found == types.end() ? DML_TENSOR_DATA_TYPE_UNKNOWN : found->second;
}

// A dense tensor in a buffer, whose size is a multiple of four bytes.
struct Described {
    std::vector<UINT> sizes;
    DML_BUFFER_TENSOR_DESC buffer{};
    DML_TENSOR_DESC tensor{};
    UINT64 bytes = 0; // of its elements

    explicit Described(const Tensor &of) : sizes(of.shape.begin(), of.shape.end())
    {
        bytes = element_count(of.shape) * element_size(of.dtype);
        buffer.DataType = type_of(of.dtype);
        buffer.Flags = DML_TENSOR_FLAG_NONE;
        buffer.DimensionCount = static_cast<UINT>(sizes.size());
        buffer.Sizes = sizes.data();
        buffer.Strides = nullptr;
        buffer.TotalTensorSizeInBytes = (bytes + 3) / 4 * 4;
        tensor = {DML_TENSOR_TYPE_BUFFER, &buffer};
    }
    Described(const Described &) = delete;
    Described &operator=(const Described &) = delete;
    UINT64 room() const
    {
        return std::max<UINT64>(buffer.TotalTensorSizeInBytes, 4);
    }
};

class DirectML : public Device
{
  public:
    DirectML();
    std::string name() const override
    {
        return name_;
    }
    std::string version() const override
    {
        return "feature level " + level_text(level_);
    }
    std::vector<Library> libraries() const override;
    bool simulated() const override
    {
        return false;
    }
    Answer supports(const Question &question) const override;
    Answer run(const Question &question) override;

  private:
    Answer run_once(const Question &question);
    static std::string level_text(unsigned level)
    {
        return std::to_string(level >> 12) + "." + std::to_string(level >> 8 & 15);
    }
    ComPtr<ID3D12Resource> make_buffer(UINT64 bytes, D3D12_HEAP_TYPE heap,
                                       D3D12_RESOURCE_STATES state);
    ComPtr<ID3D12Resource> upload(const std::vector<unsigned char> &bytes, UINT64 room);
    void execute();
    std::vector<unsigned char> read_back(ID3D12Resource *from, UINT64 room, UINT64 bytes);
    void compute(IDMLCompiledOperator *compiled, const std::vector<DML_BUFFER_BINDING> &inputs,
                 const std::vector<DML_BUFFER_BINDING> &outputs);
    void transition(ID3D12Resource *resource, D3D12_RESOURCE_STATES before,
                    D3D12_RESOURCE_STATES after);

    std::string name_;
    unsigned level_ = 0;
    ComPtr<ID3D12Device> device_;
    ComPtr<ID3D12CommandQueue> queue_;
    ComPtr<ID3D12CommandAllocator> allocator_;
    ComPtr<ID3D12GraphicsCommandList> list_;
    ComPtr<ID3D12Fence> fence_;
    UINT64 turn_ = 0;
    HANDLE event_ = nullptr;
    ComPtr<IDMLDevice> dml_;
    ComPtr<IDMLCommandRecorder> recorder_;
    std::vector<ComPtr<IUnknown>> alive_; // until the list was executed
};

std::string narrow(const WCHAR *text)
{
    char bytes[512] = "";
    WideCharToMultiByte(CP_UTF8, 0, text, -1, bytes, sizeof bytes - 1, nullptr, nullptr);
    return bytes;
}

DirectML::DirectML()
{
    ComPtr<IDXGIFactory4> factory;
    check(CreateDXGIFactory1(IID_PPV_ARGS(&factory)), "CreateDXGIFactory1");
    ComPtr<IDXGIAdapter1> adapter;
    for (UINT i = 0; !device_ && factory->EnumAdapters1(i, &adapter) != DXGI_ERROR_NOT_FOUND; i++) {
        DXGI_ADAPTER_DESC1 about{};
        LARGE_INTEGER driver{};
        check(adapter->GetDesc1(&about), "GetDesc1");
        if (FAILED(
                D3D12CreateDevice(adapter.Get(), D3D_FEATURE_LEVEL_11_0, IID_PPV_ARGS(&device_))))
            continue;
        name_ = narrow(about.Description);
        if (SUCCEEDED(adapter->CheckInterfaceSupport(__uuidof(IDXGIDevice), &driver)))
            name_ += ", driver " + std::to_string(HIWORD(driver.HighPart)) + "." +
                     std::to_string(LOWORD(driver.HighPart)) + "." +
                     std::to_string(HIWORD(driver.LowPart)) + "." +
                     std::to_string(LOWORD(driver.LowPart));
    }
    if (!device_)
        throw std::runtime_error("no adapter takes Direct3D 12");
    D3D12_COMMAND_QUEUE_DESC queue{};
    queue.Type = D3D12_COMMAND_LIST_TYPE_DIRECT;
    check(device_->CreateCommandQueue(&queue, IID_PPV_ARGS(&queue_)), "CreateCommandQueue");
    check(device_->CreateCommandAllocator(queue.Type, IID_PPV_ARGS(&allocator_)),
          "CreateCommandAllocator");
    check(
        device_->CreateCommandList(0, queue.Type, allocator_.Get(), nullptr, IID_PPV_ARGS(&list_)),
        "CreateCommandList");
    check(device_->CreateFence(0, D3D12_FENCE_FLAG_NONE, IID_PPV_ARGS(&fence_)), "CreateFence");
    event_ = CreateEventW(nullptr, FALSE, FALSE, nullptr);
    if (!event_)
        throw std::runtime_error("CreateEvent failed");
    check(DMLCreateDevice(device_.Get(), DML_CREATE_DEVICE_FLAG_NONE, IID_PPV_ARGS(&dml_)),
          "DMLCreateDevice");
    const DML_FEATURE_LEVEL levels[] = {DML_FEATURE_LEVEL_1_0, DML_FEATURE_LEVEL_2_0,
                                        DML_FEATURE_LEVEL_3_0, DML_FEATURE_LEVEL_4_0,
                                        DML_FEATURE_LEVEL_5_0};
    const DML_FEATURE_QUERY_FEATURE_LEVELS query = {5, levels};
    DML_FEATURE_DATA_FEATURE_LEVELS most{};
    check(dml_->CheckFeatureSupport(DML_FEATURE_FEATURE_LEVELS, sizeof query, &query, sizeof most,
                                    &most),
          "CheckFeatureSupport");
    level_ = static_cast<unsigned>(most.MaxSupportedFeatureLevel);
    check(dml_->CreateCommandRecorder(IID_PPV_ARGS(&recorder_)), "CreateCommandRecorder");
}

std::vector<Library> DirectML::libraries() const
{
    std::vector<Library> found;
    for (const WCHAR *const name : {L"DirectML.dll", L"d3d12.dll", L"D3D12Core.dll", L"dxgi.dll"}) {
        WCHAR path[MAX_PATH] = L"";
        const HMODULE module = GetModuleHandleW(name);
        if (module && GetModuleFileNameW(module, path, MAX_PATH))
            found.push_back({narrow(path)});
    }
    return found;
}

Answer DirectML::supports(const Question &question) const
{
    const auto no = [](const std::string &why) { return Answer{Answer::UNSUPPORTED, why, {}, {}}; };
    if (question.feature_level > level_)
        return no("the device has feature level " + level_text(level_));
    // The rules of a level hold until the next: this device follows those of its own.
    if (question.feature_level < 0x4000 && level_ >= 0x4000)
        for (const Tensor *const tensor : {&question.input_state, &question.output})
            if (tensor->shape.size() != 4)
                return no("the device follows the rules of feature level 4.0 for dimensions");
    for (const Tensor *const tensor :
         {&question.input_state, &question.output, &question.output_state}) {
        for (const uint64_t extent : tensor->shape)
            if (extent > UINT32_MAX)
                return no("DirectML's sizes have 32 bits");
        if (type_of(tensor->dtype) == DML_TENSOR_DATA_TYPE_UNKNOWN)
            return no("DirectML has no type " + tensor->dtype);
    }
    return {};
}

ComPtr<ID3D12Resource> DirectML::make_buffer(UINT64 bytes, D3D12_HEAP_TYPE heap,
                                             D3D12_RESOURCE_STATES state)
{
    D3D12_HEAP_PROPERTIES properties{};
    properties.Type = heap;
    D3D12_RESOURCE_DESC desc{};
    desc.Dimension = D3D12_RESOURCE_DIMENSION_BUFFER;
    desc.Width = bytes;
    desc.Height = desc.DepthOrArraySize = desc.MipLevels = 1;
    desc.SampleDesc.Count = 1;
    desc.Layout = D3D12_TEXTURE_LAYOUT_ROW_MAJOR;
    desc.Flags = heap == D3D12_HEAP_TYPE_DEFAULT ? D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS
                                                 : D3D12_RESOURCE_FLAG_NONE;
    ComPtr<ID3D12Resource> buffer;
    check(device_->CreateCommittedResource(&properties, D3D12_HEAP_FLAG_NONE, &desc, state, nullptr,
                                           IID_PPV_ARGS(&buffer)),
          "CreateCommittedResource");
    alive_.push_back(buffer);
    return buffer;
}

void DirectML::transition(ID3D12Resource *resource, D3D12_RESOURCE_STATES before,
                          D3D12_RESOURCE_STATES after)
{
    D3D12_RESOURCE_BARRIER barrier{};
    barrier.Type = D3D12_RESOURCE_BARRIER_TYPE_TRANSITION;
    barrier.Transition.pResource = resource;
    barrier.Transition.Subresource = D3D12_RESOURCE_BARRIER_ALL_SUBRESOURCES;
    barrier.Transition.StateBefore = before;
    barrier.Transition.StateAfter = after;
    list_->ResourceBarrier(1, &barrier);
}

// A buffer of the device with these bytes; ready once the list was executed.
ComPtr<ID3D12Resource> DirectML::upload(const std::vector<unsigned char> &bytes, UINT64 room)
{
    const ComPtr<ID3D12Resource> from =
        make_buffer(room, D3D12_HEAP_TYPE_UPLOAD, D3D12_RESOURCE_STATE_GENERIC_READ);
    const ComPtr<ID3D12Resource> to =
        make_buffer(room, D3D12_HEAP_TYPE_DEFAULT, D3D12_RESOURCE_STATE_COPY_DEST);
    const D3D12_RANGE nothing = {0, 0};
    void *mapped = nullptr;
    check(from->Map(0, &nothing, &mapped), "Map");
    if (!bytes.empty())
        std::memcpy(mapped, bytes.data(), bytes.size());
    from->Unmap(0, nullptr);
    list_->CopyBufferRegion(to.Get(), 0, from.Get(), 0, room);
    transition(to.Get(), D3D12_RESOURCE_STATE_COPY_DEST, D3D12_RESOURCE_STATE_UNORDERED_ACCESS);
    return to;
}

// Executes what was recorded and waits for its end.
void DirectML::execute()
{
    check(list_->Close(), "Close");
    ID3D12CommandList *const lists[] = {list_.Get()};
    queue_->ExecuteCommandLists(1, lists);
    check(queue_->Signal(fence_.Get(), ++turn_), "Signal");
    if (fence_->GetCompletedValue() < turn_) {
        check(fence_->SetEventOnCompletion(turn_, event_), "SetEventOnCompletion");
        WaitForSingleObject(event_, INFINITE);
    }
    check(device_->GetDeviceRemovedReason(), "the device was removed");
    check(allocator_->Reset(), "Reset of the allocator");
    check(list_->Reset(allocator_.Get(), nullptr), "Reset of the list");
}

std::vector<unsigned char> DirectML::read_back(ID3D12Resource *from, UINT64 room, UINT64 bytes)
{
    const ComPtr<ID3D12Resource> to =
        make_buffer(room, D3D12_HEAP_TYPE_READBACK, D3D12_RESOURCE_STATE_COPY_DEST);
    transition(from, D3D12_RESOURCE_STATE_UNORDERED_ACCESS, D3D12_RESOURCE_STATE_COPY_SOURCE);
    list_->CopyBufferRegion(to.Get(), 0, from, 0, room);
    execute();
    const D3D12_RANGE all = {0, static_cast<SIZE_T>(room)}, nothing = {0, 0};
    void *mapped = nullptr;
    check(to->Map(0, &all, &mapped), "Map");
    const unsigned char *const at = static_cast<const unsigned char *>(mapped);
    std::vector<unsigned char> read(at, at + bytes);
    to->Unmap(0, &nothing);
    return read;
}

// Initialises the operator and runs it, as two entries of one list with a barrier between.
void DirectML::compute(IDMLCompiledOperator *compiled,
                       const std::vector<DML_BUFFER_BINDING> &inputs,
                       const std::vector<DML_BUFFER_BINDING> &outputs)
{
    ComPtr<IDMLOperatorInitializer> initializer;
    check(dml_->CreateOperatorInitializer(1, &compiled, IID_PPV_ARGS(&initializer)),
          "CreateOperatorInitializer");
    const DML_BINDING_PROPERTIES first = initializer->GetBindingProperties(),
                                 then = compiled->GetBindingProperties();
    const UINT descriptors =
        std::max(1u, std::max(first.RequiredDescriptorCount, then.RequiredDescriptorCount));
    D3D12_DESCRIPTOR_HEAP_DESC heap_desc{};
    heap_desc.Type = D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV;
    heap_desc.NumDescriptors = descriptors;
    heap_desc.Flags = D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE;
    DML_BUFFER_BINDING lasting{};
    DML_BINDING_DESC lasting_desc = {DML_BINDING_TYPE_BUFFER, &lasting};
    if (then.PersistentResourceSize)
        lasting = {make_buffer(then.PersistentResourceSize, D3D12_HEAP_TYPE_DEFAULT,
                               D3D12_RESOURCE_STATE_UNORDERED_ACCESS)
                       .Get(),
                   0, then.PersistentResourceSize};
    IDMLDispatchable *const steps[] = {initializer.Get(), compiled};
    const UINT64 temporary[] = {first.TemporaryResourceSize, then.TemporaryResourceSize};
    for (unsigned i = 0; i < 2; i++) {
        ComPtr<ID3D12DescriptorHeap> heap;
        check(device_->CreateDescriptorHeap(&heap_desc, IID_PPV_ARGS(&heap)),
              "CreateDescriptorHeap");
        ID3D12DescriptorHeap *const heaps[] = {heap.Get()};
        list_->SetDescriptorHeaps(1, heaps);
        const DML_BINDING_TABLE_DESC table_desc = {
            steps[i], heap->GetCPUDescriptorHandleForHeapStart(),
            heap->GetGPUDescriptorHandleForHeapStart(), descriptors};
        ComPtr<IDMLBindingTable> table;
        check(dml_->CreateBindingTable(&table_desc, IID_PPV_ARGS(&table)), "CreateBindingTable");
        DML_BUFFER_BINDING scratch{};
        const DML_BINDING_DESC scratch_desc = {DML_BINDING_TYPE_BUFFER, &scratch};
        if (temporary[i]) {
            scratch = {make_buffer(temporary[i], D3D12_HEAP_TYPE_DEFAULT,
                                   D3D12_RESOURCE_STATE_UNORDERED_ACCESS)
                           .Get(),
                       0, temporary[i]};
            table->BindTemporaryResource(&scratch_desc);
        }
        // The initialiser gives the persistent resource, which the operator then takes.
        if (i == 0 && then.PersistentResourceSize)
            table->BindOutputs(1, &lasting_desc);
        std::vector<DML_BINDING_DESC> in, out;
        for (const DML_BUFFER_BINDING &binding : inputs)
            in.push_back({DML_BINDING_TYPE_BUFFER, &binding});
        for (const DML_BUFFER_BINDING &binding : outputs)
            out.push_back({binding.Buffer ? DML_BINDING_TYPE_BUFFER : DML_BINDING_TYPE_NONE,
                           binding.Buffer ? &binding : nullptr});
        if (i == 1) {
            if (then.PersistentResourceSize)
                table->BindPersistentResource(&lasting_desc);
            table->BindInputs(static_cast<UINT>(in.size()), in.data());
            table->BindOutputs(static_cast<UINT>(out.size()), out.data());
        }
        recorder_->RecordDispatch(list_.Get(), steps[i], table.Get());
        D3D12_RESOURCE_BARRIER barrier{};
        barrier.Type = D3D12_RESOURCE_BARRIER_TYPE_UAV;
        list_->ResourceBarrier(1, &barrier);
        alive_.push_back(heap);
        alive_.push_back(table);
    }
    alive_.push_back(initializer);
    execute();
}

// After a failure nothing of it is left in the list.
Answer DirectML::run(const Question &question)
{
    try {
        return run_once(question);
    } catch (...) {
        list_->Close();
        allocator_->Reset();
        list_->Reset(allocator_.Get(), nullptr);
        alive_.clear();
        throw;
    }
}

Answer DirectML::run_once(const Question &question)
{
    const Described state(question.input_state), output(question.output),
        next(question.output_state);
    DML_RANDOM_GENERATOR_OPERATOR_DESC generator{};
    generator.InputStateTensor = &state.tensor;
    generator.OutputTensor = &output.tensor;
    generator.OutputStateTensor = question.has_output_state ? &next.tensor : nullptr;
    generator.Type = question.type == "philox_4x32_10"
                         ? DML_RANDOM_GENERATOR_TYPE_PHILOX_4X32_10
                         : static_cast<DML_RANDOM_GENERATOR_TYPE>(0x7fffffff);
    const DML_OPERATOR_DESC desc = {DML_OPERATOR_RANDOM_GENERATOR, &generator};
    ComPtr<IDMLOperator> made;
    ComPtr<IDMLCompiledOperator> compiled;
    HRESULT result = dml_->CreateOperator(&desc, IID_PPV_ARGS(&made));
    if (SUCCEEDED(result))
        result =
            dml_->CompileOperator(made.Get(), DML_EXECUTION_FLAG_NONE, IID_PPV_ARGS(&compiled));
    if (FAILED(result))
        return {result == E_INVALIDARG ? Answer::REJECTED : Answer::FAILED,
                "the operator was not made: " + hex_of(result),
                {},
                {}};
    const std::vector<unsigned char> filled(static_cast<size_t>(output.room()), question.poison),
        filled_state(static_cast<size_t>(next.room()), question.poison);
    const ComPtr<ID3D12Resource> in = upload(question.input_state.data, state.room()),
                                 out = upload(filled, output.room()),
                                 out_state = upload(filled_state, next.room());
    execute();
    const UINT64 output_bytes = output.buffer.TotalTensorSizeInBytes,
                 next_bytes = next.buffer.TotalTensorSizeInBytes;
    compute(compiled.Get(), {{in.Get(), 0, state.buffer.TotalTensorSizeInBytes}},
            {{out.Get(), 0, output_bytes},
             {question.has_output_state ? out_state.Get() : nullptr, 0,
              question.has_output_state ? next_bytes : 0}});
    Answer answer{Answer::OK, "", read_back(out.Get(), output.room(), output.bytes), {}};
    if (question.has_output_state)
        answer.state = read_back(out_state.Get(), next.room(), next.bytes);
    alive_.clear();
    return answer;
}

} // namespace

std::unique_ptr<Device> open_device()
{
    return std::make_unique<DirectML>();
}
