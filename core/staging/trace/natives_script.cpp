// Names that this compiler knows but cannot do (language.md appendix C, sm_100 and raw builder forms).
#include <fmt/format.h>

#include "core/staging/trace/module.h"
#include "core/staging/trace/native.h"

namespace tw::staging {

namespace {

constexpr const char* kUnsupported[] = {
    // base-compiler plumbing
    "TVMBackendAllocWorkspace", "TVMBackendFreeWorkspace", "anylist_getitem", "anylist_resetitem", "anylist_setitem_call_packed",
    "anylist_setitem_call_cpacked", "call_cpacked", "call_cpacked_lowered", "call_packed", "call_packed_lowered", "call_intrin",
    "call_llvm_intrin", "call_llvm_pure_intrin", "lookup_param", "isnullptr", "q_multiply_shift", "q_multiply_shift_per_axis",
    "start_profile_intrinsic", "end_profile_intrinsic", "tvm_bmma_sync", "tvm_fill_fragment", "tvm_load_matrix_sync", "tvm_mma_sync",
    "tvm_store_matrix_sync", "tvm_stack_alloca", "tvm_stack_make_array", "tvm_stack_make_shape", "tvm_struct_get", "tvm_struct_set",
    "tvm_thread_invariant", "tvm_throw_last_error", "tvm_tuple", "tvm_warp_activemask", "tvm_warp_shuffle_down", "tvm_warp_shuffle_up",
    "tvm_access_ptr", "vectorhigh", "vectorcombine", "vscale", "StringImm", "get_let_value", "has_let_value", "type_annotation",
    // raw builder forms
    "If", "Then", "Else", "While", "let", "init", "block", "allocate", "target",
    // raw PTX and matrix instructions
    "ptx_ldmatrix", "ptx_stmatrix", "ptx_mma", "ptx_mma_sp", "ptx_mma_sm70", "ptx_mma_block_scale", "mma_fill", "mma_store", "mma_store_index_map",
    "ptx_wgmma_ss", "ptx_wgmma_rs", "ptx_wgmma_sp_ss", "ptx_wgmma_sp_rs", "ptx_tcgen05_mma_ss", "ptx_tcgen05_mma_ts",
    "ptx_tcgen05_mma_blockscaled_ss", "tcgen05_mma_blockscaled", "ptx_cp_async_bulk", "ptx_cp_async_barrier", "ptx_wait_barrier",
    "ptx_arrive_barrier_expect_tx", "create_barriers", "initialize_wgmma_descriptor", "initialize_tcgen05_descriptor",
    "increase_descriptor_offset", "alloc_tcgen05_instruction_desc", "compute_gmma_descriptor", "compute_umma_descriptor",
    "get_ldmatrix_offset", "get_mma_micro_size", "alloc_descriptor", "alloc_wgmma_desc", "alloc_tcgen05_smem_desc", "alloc_tcgen05_instr_desc",
    "create_tma_descriptor", "tma_load", "tma_load_2sm", "SparseTensorCoreIntrinEmitter", "TensorCoreIntrinEmitter",
    "TensorCoreIntrinEmitterSM120", "TensorCoreIntrinEmitterWithLadderTransform", "WGMMATensorCoreIntrinEmitter",
    "WGSparseTensorCoreIntrinEmitter", "TCGEN05TensorCoreIntrinEmitter",
    // sm_100 and sm_120
    "tcgen05_gemm", "tcgen05_mma", "tcgen05_gemm_blockscaled", "tcgen05_gemm_sp", "mma_gemm_blockscaled", "gemm_blockscaled", "wgmma_gemm_sp",
    "tcgen05_mma_arrive", "tcgen05_before_thread_sync", "tcgen05_after_thread_sync", "tcgen05_cp_warpx4", "tcgen05_sf_warp_transpose",
    "make_blockscaled_gemm_layout", "tma_gather4", "tma_scatter4", "tma_gather4_bytes", "clc_try_cancel", "clc_try_cancel_multicast",
    "clc_is_canceled", "clc_get_first_ctaid_x", "clc_get_first_ctaid_y", "clc_get_first_ctaid_z",
};

// Names for annotations and isinstance only.
constexpr const char* kTypes[] = {"JITFunc", "PrimFunc", "KernelLaunchFrame", "WarpSpecializeFrame", "WSInstr", "WSOpRef", "WSSyncKind", "PrimExpr",
                                  "Ref", "Var", "BaseTileScheduler", "Optional", "Any", "TypeVar", "dtypes"};

}  // namespace

Rows scriptRows() { return {}; }

std::optional<Value> scriptName(const std::string& name)
{
    for (const char* type : kTypes)
        if (name == type)
            return makeOpaque("tilelang.language." + name);
    for (const char* known : kUnsupported)
        if (name == known)
            return makeNative(name, [name](Evaluator& ev, const CallArguments& call) -> Value {
                ev.fail(Code::kNotSupported, call.call, fmt::format("known TileLang name, not supported: T.{}", name));
            });
    return std::nullopt;
}

std::vector<std::string> scriptNames()
{
    std::vector<std::string> names(std::begin(kUnsupported), std::end(kUnsupported));
    names.insert(names.end(), std::begin(kTypes), std::end(kTypes));
    return names;
}

}  // namespace tw::staging
