// Turns thread-stage IR of the CPU pipeline into one LLVM module.
//
// The module has a host function, `i32 tw_host(ptr run, ptr tensors, ptr scalars, ptr symbols)`, and one function for each
// launch. A launch function gets a frame with everything it uses of its surroundings: one 8-byte slot per captured value.
//
// Values in registers: bool is i1, integers are iN, float16 is half, float64 is double; float32 and every narrower float
// (bf16, tf32, fp8, fp6, fp4) is a float that holds an exact value of its type and is rounded after every operation. Handles
// are i64. Integer variables are kept as exact 64-bit numbers, so index arithmetic never wraps.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "codegen/llvm/operand_sharing.h"
#include "core/ir/number.h"
#include "core/ir/stmt.h"
#include "core/ir/visit.h"
#include "core/support/diagnostic.h"

namespace tw::llvm_backend {

// What the emitter needs to know of the processor.
struct HostCpu {
    std::string name;
    std::string features;
    int vectorBytes = 16;  // 64 with AVX-512, 32 with AVX2
    bool hasFma = false;
};
[[nodiscard]] HostCpu hostCpu();

// A buffer inside one LLVM function.
struct BufferSlot {
    llvm::Value* base = nullptr;           // pointer to element 0
    std::vector<llvm::Value*> strides;     // i64, in elements
    std::vector<llvm::Value*> shape;       // i64
    std::size_t parallelDepth = 0;         // parallel loops around its allocation: their iterations share this storage
};

// A matrix operand, after its transposition: element (i, j) is at offset + i * rowStride + j * columnStride.
struct GemmOperand {
    ir::DType type;
    llvm::Value* base = nullptr;
    llvm::Value* offset = nullptr;
    llvm::Value *rowStride = nullptr, *columnStride = nullptr;
    llvm::Value *rows = nullptr, *columns = nullptr;
    const ir::Region* region = nullptr;  // that it is, where it is one
    std::size_t depthAxis = 0;           // the region's axis that the product sums over
};

// An operand as micro-kernels take it.
struct PackedOperand {
    llvm::Value* base = nullptr;
    llvm::Value* next = nullptr;  // if blocks share panels: the one of the next step of k, whether there is one or not
};

// What a micro-kernel fetches for those that follow it: one line at `from` + k * `step` bytes in each step of k.
struct FetchAhead {
    llvm::Value* from = nullptr;
    std::int64_t step = 0;
};

// What one micro-kernel multiplies; strides in elements of the accumulator's type.
struct MicroTile {
    ir::DType sum;
    std::int64_t lanes = 0, rows = 0, columns = 0, depth = 0;
    llvm::Value* depthValue = nullptr;  // a run-time depth of at least 1, instead of `depth`
    std::int64_t aRow = 0, aColumn = 0, bRow = 0, cRow = 0;
    bool bPadded = false;  // B may be read in whole vectors
    llvm::Value *a = nullptr, *b = nullptr, *c = nullptr;
    llvm::Value* clear = nullptr;  // start from zero instead of C
    std::vector<FetchAhead> ahead;
};

// Variables and buffers that a function built aside uses, and their values here: first those of the variables, then the bases
// of the buffers.
struct Captures {
    std::vector<ir::Var> vars;
    std::vector<ir::Buffer> buffers;
    std::vector<llvm::Value*> values;
};

// Jump targets of the innermost loop.
struct LoopTargets {
    llvm::BasicBlock* breakTo = nullptr;
    llvm::BasicBlock* continueTo = nullptr;
};

// Everything that belongs to the LLVM function under construction. A launch is emitted in a fresh one.
struct FunctionState {
    llvm::Function* function = nullptr;
    llvm::Value* run = nullptr;          // host: RunState; launch: WorkerState; thread: FiberState
    llvm::Value* arena = nullptr;        // base of the block's on-chip memory in a launch, else null
    llvm::BasicBlock* returnTo = nullptr;
    std::map<const ir::ExprNode*, llvm::Value*> vars;  // integers as i64, the rest in register form
    std::map<const ir::BufferNode*, BufferSlot> buffers;
    std::vector<LoopTargets> loops;
    std::vector<llvm::MDNode*> accessGroups;  // of the parallel loops around
    llvm::Value* barriers = nullptr;     // base of the block's barriers in a launch of threads
    std::int64_t arenaBytes = 0;
    std::int64_t barrierBytes = 0;
    llvm::Value* lane = nullptr;  // number of the iteration in loops whose iterations stand for threads ("lanes")
    bool threads = false;    // one call a thread, in a fiber
    bool spreading = false;  // a part of a loop that is spread over the workers already
};

// The value of a constant.
[[nodiscard]] std::int64_t constantOr(llvm::Value* value, std::int64_t otherwise);

class Emitter {
public:
    Emitter(llvm::LLVMContext& context, llvm::Module& module, const ir::Function& function, const HostCpu& cpu,
            DiagnosticSink& diagnostics);

    // False with a diagnostic for what cannot be emitted.
    bool emit();
    // Line n (from 1) of every debug location stands for entry n - 1.
    [[nodiscard]] const std::vector<ir::Provenance>& provenances() const { return provenances_; }
    // Access groups whose stores may go past the caches.
    [[nodiscard]] const std::set<const llvm::MDNode*>& streamed() const { return streamed_; }

private:
    // ---- types and conversions (convert.cpp) ----
    llvm::Type* valueType(ir::DType type);
    llvm::Type* storageType(ir::DType type);
    llvm::Value* loadElement(ir::DType type, llvm::Value* base, llvm::Value* index);
    void storeElement(ir::DType type, llvm::Value* base, llvm::Value* index, llvm::Value* value);
    llvm::Value* elementAddress(ir::DType type, llvm::Value* base, llvm::Value* index);
    llvm::Value* convert(llvm::Value* value, ir::DType from, ir::DType to);
    llvm::Value* roundFloat(llvm::Value* value, ir::DType type);        // float in, float in
    llvm::Value* encode(llvm::Value* value, ir::DType type);            // register form to bits
    llvm::Value* decode(llvm::Value* bits, ir::DType type);             // bits to register form
    llvm::Value* encodeSmall(llvm::Value* value, ir::DType type);
    llvm::Value* decodeSmall(llvm::Value* bits, ir::DType type);
    llvm::Value* narrowToOdd(llvm::Value* value);                       // double to float, sticky bit kept
    llvm::Value* stochasticPlace(llvm::Value* value, ir::DType to, llvm::Value* random);
    llvm::Value* convertRounded(llvm::Value* value, ir::DType from, ir::DType to, const ir::OpCall& call);
    llvm::Value* splat(double value, llvm::Type* like);
    llvm::Value* splatInt(std::uint64_t value, llvm::Type* like);
    llvm::Type* withScalar(llvm::Type* like, llvm::Type* scalar);
    llvm::Value* constantOf(ir::DType type, double value);

    // ---- expressions (expression.cpp) ----
    llvm::Value* expression(const ir::Expr& e);      // register form
    llvm::Value* index(const ir::Expr& e);           // i64, exact
    llvm::Value* condition(const ir::Expr& e);       // i1
    llvm::Value* binary(const ir::Binary& e);
    llvm::Value* arithmetic(ir::BinaryOp op, ir::DType type, llvm::Value* a, llvm::Value* b);
    llvm::Value* compare(ir::BinaryOp op, ir::DType type, llvm::Value* a, llvm::Value* b);
    llvm::Value* integerDivision(ir::BinaryOp op, ir::DType type, llvm::Value* a, llvm::Value* b);
    llvm::Value* unary(const ir::Unary& e);
    llvm::Value* select(const ir::Select& e);
    llvm::Value* lazyLogical(const ir::Binary& e);
    llvm::Value* vectorise(llvm::Value* value, ir::DType type);
    llvm::Value* loadOf(const ir::Buffer& buffer, const std::vector<ir::Expr>& indices);
    BufferSlot slot(const ir::Buffer& buffer);
    llvm::Value* linearIndex(const ir::Buffer& buffer, const std::vector<ir::Expr>& indices);
    llvm::Value* addressOf(const ir::Region& region);
    llvm::Value* regionAny(const ir::Region& region, bool all);

    // ---- functions of float32 (polynomials.cpp) ----
    llvm::Value* expFloat(llvm::Value* x);
    llvm::Value* exp2Float(llvm::Value* x);
    llvm::Value* expKernel(llvm::Value* r, llvm::Value* n);
    llvm::Value* logFloat(llvm::Value* x, bool base2);
    llvm::Value* sinCosFloat(llvm::Value* x, bool cosine);
    llvm::Value* tanhFloat(llvm::Value* x);
    llvm::Value* erfFloat(llvm::Value* x);
    llvm::Value* polynomial(llvm::Value* x, const std::vector<double>& coefficients);
    llvm::Value* fma(llvm::Value* a, llvm::Value* b, llvm::Value* c);

    // ---- operations as values (math.cpp, effects.cpp) ----
    llvm::Value* callValue(const ir::Call& call);
    llvm::Value* mathCall(const ir::Call& call);
    llvm::Value* otherMath(const ir::Call& call);
    llvm::Value* integerMath(const ir::Call& call, ir::DType type, llvm::Value* x);
    llvm::Value* floatTest(ir::OpId op, llvm::Value* a);
    llvm::Value* roundedOnceMath(const ir::Call& call, ir::DType type, ir::DType wide, llvm::Value* x);
    llvm::Value* scaleByPower(llvm::Value* a, const ir::Expr& exponent);
    llvm::Value* floatMath(ir::OpId op, llvm::Value* x, llvm::Value* y);
    llvm::Value* bitMath(const ir::Call& call, llvm::Value* x);
    llvm::Value* ieeeMath(const ir::Call& call);
    llvm::Value* pairMath(const ir::Call& call);
    llvm::Value* reinterpret(llvm::Value* value, ir::DType from, ir::DType to);
    llvm::Value* libraryCall(const std::string& name, llvm::Type* result, std::vector<llvm::Value*> arguments);
    llvm::Value* perLane(llvm::Value* like, llvm::Type* resultScalar, const std::vector<llvm::Value*>& arguments,
                         const std::function<llvm::Value*(const std::vector<llvm::Value*>&)>& emitLane);
    llvm::Value* atomic(const ir::OpCall& call, ir::DType result);
    llvm::Value* atomicUpdate(ir::OpId op, ir::DType type, llvm::Value* base, llvm::Value* index, llvm::Value* value);
    llvm::Value* atomicLoop(ir::OpId op, ir::DType type, llvm::Value* base, llvm::Value* index, llvm::Value* value);
    llvm::Value* wideMemory(const ir::OpCall& call, ir::DType result);
    llvm::Value* warpOperation(const ir::Call& call);
    llvm::Value* threadIndex(const ir::Call& call);
    llvm::Value* linearThread();

    // ---- statements (statement.cpp, effects.cpp) ----
    void statement(const ir::Stmt& s);
    void forLoop(const ir::For& loop);
    void countedLoop(llvm::Value* begin, llvm::Value* end, llvm::Value* step, bool parallel,
                     const std::function<void(llvm::Value*)>& body);
    void spreadLoop(const ir::For& loop);
    const ir::Store* streamedStore(const ir::For& loop);  // streaming.cpp
    void streamedLoop(const ir::Store& store, const ir::Var& var, llvm::Value* begin, llvm::Value* end,
                      const std::function<void(llvm::Value*, llvm::Value*)>& plain);
    void streamFence();
    void whileLoop(const ir::While& loop);
    void ifElse(const ir::If& s);
    void store(const ir::Store& s);
    void storeAt(const ir::Store& s, llvm::Value* base, llvm::Value* linear, bool frozen);
    void allocate(const ir::Buffer& buffer);
    void operation(const ir::OpStmt& s);
    void barrierOperation(const ir::OpCall& call);
    void print(const ir::OpCall& call, const ir::Provenance& where);
    void printBuffer(const ir::Region& region, const std::string& message);
    void printElement(const std::string& before, ir::DType type, llvm::Value* value);
    void printText(const std::string& value);
    llvm::Value* printHead(const std::string& message);
    void deviceAssert(const ir::OpCall& call, const ir::Provenance& where);
    llvm::Value* randomLane();
    void randomInit(const ir::OpCall& call);
    llvm::Value* randomValue(const ir::Call& call);
    void cpAsync(const ir::OpCall& call);
    void dp4a(const ir::OpCall& call);
    void allReduce(const ir::OpCall& call);
    void memoryBarrier(const ir::OpCall& call);
    void notSupported(const ir::Provenance& where, const std::string& what);

    // ---- products (gemm.cpp, micro_kernel.cpp) ----
    void gemm(const ir::OpCall& call);
    GemmOperand gemmOperand(const ir::Region& region, bool transposed);
    void genericGemm(const GemmOperand& a, const GemmOperand& b, const GemmOperand& c, llvm::Value* clear);
    void blockedGemm(const GemmOperand& a, const GemmOperand& b, const GemmOperand& c, ir::DType sum, llvm::Value* clear, llvm::Value* firstRow,
                     llvm::Value* endRow);
    bool singleBlock() const;
    void tiledGemm(GemmOperand a, GemmOperand b, const GemmOperand& c, ir::DType sum, llvm::Value* clear);
    void microKernel(const MicroTile& tile);
    llvm::Value* gemmIndex(const GemmOperand& o, llvm::Value* row, llvm::Value* column);
    llvm::Value* gemmElement(const GemmOperand& o, llvm::Value* row, llvm::Value* column, ir::DType sum);

    // ---- packed operands (packing.cpp) ----
    struct PanelNumber {
        llvm::Value *id = nullptr, *count = nullptr;
        llvm::Value* deeper = nullptr;  // panels from one to the next along the axis that is summed over
        llvm::Value* whole = nullptr;   // whether it is one of the tiles that the tensor falls into
    };
    llvm::Value* scratch(std::int64_t bytes);
    void packRows(const GemmOperand& from, ir::DType sum, llvm::Value* to, std::int64_t rows, std::int64_t firstColumn, std::int64_t columns,
                  std::int64_t pitch);
    void packSlices(const GemmOperand& from, ir::DType sum, llvm::Value* to, std::int64_t rows, std::int64_t columns, std::int64_t width, std::int64_t lanes);
    void packPanel(const GemmOperand& from, ir::DType sum, llvm::Value* to, std::int64_t pitch, llvm::Value* firstRow, llvm::Value* rows,
                   llvm::Value* firstColumn, llvm::Value* columns, llvm::Value* allRows, std::int64_t allColumns);
    llvm::Value* readersOf(const GemmOperand& o);
    llvm::Value* standsApart(const ir::Buffer& buffer);
    PanelNumber panelNumber(const GemmOperand& o);
    PackedOperand packed(const GemmOperand& o, llvm::Value* readers, std::int64_t bytes, const std::function<void(llvm::Value*)>& pack);

    // ---- functions (host.cpp) ----
    bool emitHost();
    void launch(const ir::Launch& s);
    void blockBody(const ir::Launch& s, llvm::Value* block, const std::vector<llvm::Value*>& grid);
    void finishBlock(const ir::Launch& s);
    Captures capture(const std::function<void(ir::Visitor&)>& visit);
    void restore(const Captures& captures, const std::vector<llvm::Value*>& inside);
    llvm::Value* makeFrame(const std::vector<llvm::Value*>& values);
    std::vector<llvm::Value*> readFrame(llvm::Value* frame, const std::vector<llvm::Value*>& outside);
    void spread(llvm::Value* begin, llvm::Value* end, const std::vector<llvm::Value*>& outside,
                const std::function<void(const std::vector<llvm::Value*>&, llvm::Value*, llvm::Value*)>& body);
    BufferSlot makeSlot(const ir::Buffer& buffer, llvm::Value* base);
    llvm::Function* newFunction(const std::string& name, llvm::Type* result, const std::vector<llvm::Type*>& arguments);
    llvm::Value* entryAlloca(llvm::Type* type, std::uint64_t count, unsigned align);
    llvm::FunctionCallee runtime(const std::string& name, llvm::Type* result, const std::vector<llvm::Type*>& arguments);
    llvm::Value* text(const std::string& value);  // pointer to a zero-terminated constant
    void locate(const ir::Provenance& where);
    void bindVar(const ir::Var& var, llvm::Value* value);
    void terminateInto(llvm::BasicBlock* next);
    llvm::BasicBlock* newBlock(const char* name);
    void annotate(llvm::Instruction* access);

    llvm::LLVMContext& context_;
    llvm::Module& module_;
    const ir::Function& function_;
    const HostCpu& cpu_;
    DiagnosticSink& diagnostics_;
    llvm::IRBuilder<> b_;
    std::unique_ptr<llvm::DIBuilder> debug_;
    llvm::DIFile* debugFile_ = nullptr;
    FunctionState state_;
    std::vector<ir::Provenance> provenances_;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, unsigned> provenanceIds_;
    std::map<ir::Scalar, llvm::GlobalVariable*> tables_;
    std::size_t annotateFrom_ = 0;  // parallel loops from this depth on promise that their iterations do not share an access
    std::set<const ir::BufferNode*> contiguous_;  // parameters: row-major whatever their strides
    const ir::Launch* launch_ = nullptr;
    std::unique_ptr<OperandSharing> sharing_;  // of a launch whose body runs once a block
    int sharedOperands_ = 0;                   // of the launch, so far
    std::set<const llvm::MDNode*> streamed_;
    int launches_ = 0;
    int parts_ = 0;
    int sites_ = 0;
    bool fastMath_ = false;
    bool failed_ = false;
};

// Makes vector stores of these access groups non-temporal where they are aligned: behind the optimiser. (streaming.cpp)
void streamStores(llvm::Module& module, const std::set<const llvm::MDNode*>& groups);

}  // namespace tw::llvm_backend
