// Prints the body of one launch. Private to gpu_c.
//
// Integers: an index is exact, so it is printed in `int` where the ranges of loops and launches prove that 32 bits are enough,
// and in `long long` elsewhere; a value wraps in its own type. Values of a type below 32 bits are converted back to it after
// every operation. Elements of 4 bits are chars in registers and packed in memory.
#pragma once

#include <functional>
#include <map>
#include <set>

#include "codegen/gpu_c/spelling.h"
#include "codegen/gpu_c/text.h"
#include "codegen/gpu_c/vector_body.h"
#include "core/arith/facts.h"
#include "core/support/diagnostic.h"

namespace tw::gpu {

// What C calls an element type. Empty for types that no memory of a GPU holds.
[[nodiscard]] std::string typeName(ir::DType type);

// A printed expression: its precedence in C (larger binds tighter), and whether it is a `long long` where its IR type is not.
struct Text {
    std::string s;
    int level = 16;
    bool wide = false;
};

// In parentheses if it binds less than `level`.
[[nodiscard]] inline std::string parenthesized(const Text& t, int level) { return t.level < level ? "(" + t.s + ")" : t.s; }

// Where a buffer of a launch comes from, seen from its kernel.
struct Roots {
    std::map<const ir::BufferNode*, int> tensors;     // index into the function's params
    std::vector<const ir::BufferNode*> workspaces;    // in the order of GpuProgram::workspaces; null: no buffer
    std::vector<ir::Buffer> views;                    // that the host part made, in order
};

// What a launch does with the storage of a buffer.
struct Access {
    bool reads = false, writes = false;
};

class KernelPrinter {
public:
    KernelPrinter(const ir::Function& function, const ir::Launch& launch, const Roots& roots, GpuProgram& program, Spelling& spelling,
                  const SourceSet* sources, DiagnosticSink& diagnostics);

    // The kernel's text; fills the launch's arguments and shared bytes and notes of the program.
    Writer print(KernelLaunch& out);

private:
    struct Variable {
        std::string name;
        bool wide = false;  // a long long although its type is narrower
    };
    // An element as it is accessed inside a vectorized loop: `vec` variable `name` at index `laneName_`.
    struct Widened {
        AccessedElement element;
        std::string name;
    };

    // ---- expressions (expression.cpp, integer.cpp) ----
    Text value(const ir::Expr& e);
    Text index(const ir::Expr& e);
    Text condition(const ir::Expr& e) { return value(e); }
    Text integerBinary(const ir::Binary& e);
    Text floatBinary(const ir::Binary& e);
    Text compare(const ir::Binary& e);
    Text logical(const ir::Binary& e);
    Text unary(const ir::Unary& e);
    Text cast(ir::DType to, const ir::Expr& e);
    Text vectorValue(const ir::Expr& e);
    Text constant(const ir::Expr& e);
    Text variable(const ir::VarNode& var);
    Text wrapped(ir::DType type, const Text& t);
    Text quotient(ir::BinaryOp op, const ir::Expr& a, const ir::Expr& b, const Text& x, const Text& y);
    bool fits(const ir::Expr& e, ir::DType type) const;
    bool isNonNegative(const ir::Expr& e) const;
    static bool isIndexTree(const ir::Expr& e);

    // ---- operations (operation.cpp, math.cpp, instruction.cpp, effects.cpp) ----
    Text operation(const ir::OpCall& call, ir::DType type, const ir::Provenance& where);
    Text math(const ir::OpCall& call, ir::DType type, const ir::Provenance& where);
    Text laneByLane(const ir::OpCall& call, ir::DType type, const ir::Provenance& where);
    Text integerMath(const ir::OpCall& call, ir::DType type, const ir::Provenance& where);
    Text floatMath(const ir::OpCall& call, ir::DType type, const ir::Provenance& where);
    Text atomic(const ir::OpCall& call, ir::DType type, bool isValue, const ir::Provenance& where);
    Text anyOf(const ir::Region& region, bool all);
    Text warp(const ir::OpCall& call, const ir::Provenance& where);
    Text barrier(const ir::OpCall& call, const ir::Provenance& where);
    Text memory(const ir::OpCall& call, ir::DType type, const ir::Provenance& where);
    Text asynchronous(const ir::OpCall& call, const ir::Provenance& where);
    Text instruction(const ir::OpCall& call);
    std::string tensorMap(const ir::Region& region, const ir::OpCall& call);
    void allReduce(const ir::OpCall& call, const ir::Provenance& where);
    void print(const ir::OpCall& call);
    std::string operand(const ir::OpCall& call, const char* name);        // printed, argument position
    std::string address(const ir::Region& region);
    const char* threadNumber();

    // ---- accesses (access.cpp, vectorized.cpp) ----
    Text element(const ir::Buffer& buffer, const std::vector<ir::Expr>& indices);
    std::string elementStore(const ir::Buffer& buffer, const std::vector<ir::Expr>& indices, const std::string& value);
    ir::Expr linear(const ir::Buffer& buffer, const std::vector<ir::Expr>& indices) const;
    std::string nameOf(const ir::Buffer& buffer);
    void declare(const ir::Buffer& buffer, const std::string& initial = {});
    void declareView(const ir::Buffer& buffer);
    const Widened* findWidened(const AccessedElement& element) const;
    bool vectorized(const ir::For& loop);
    static std::string vectorType(const ir::Buffer& buffer, std::int64_t extent);
    std::string firstAddress(const AccessedElement& element, const ir::Axis& axis);
    std::vector<Widened> loadWide(const VectorBody& body, const ir::Axis& axis, std::int64_t extent);
    // Adds to `made` what is only stored; the lines that store, for behind the loop.
    std::vector<std::string> declareWideStores(const VectorBody& body, const ir::Axis& axis, std::int64_t extent, std::vector<Widened>& made);
    // `body` prints the lines of one lane, in which `widened_` holds; it is empty afterwards.
    void laneLoop(const ir::Axis& axis, std::int64_t begin, std::int64_t end, const std::function<void()>& body);
    bool isRun(const ir::Buffer& buffer, const std::vector<ir::Expr>& indices, const ir::Axis& axis) const;
    // An unrolled loop whose casts of narrow registers are done in front of it, a word at a time; false if there are none.
    bool widensRegisters(const ir::For& loop);

    // ---- statements (statement.cpp, kernel.cpp) ----
    void statement(const ir::Stmt& s);
    void sequence(const ir::Seq& seq);
    void forLoop(const ir::For& loop);
    void ifElse(const ir::If& s);
    void bind(const ir::Bind& s);
    void block(const ir::Stmt& s);
    void assume(const ir::Expr& condition, bool holds = true);
    void notSupported(const ir::Provenance& where, const std::string& what);

    // ---- stage records (records.cpp) ----
    void nameRecorder();
    Text record(const ir::OpCall& call) const;
    void startRecords(Writer& to);
    void bothBodies();
    std::string recordParameter(KernelLaunch& out);

    void boundIndices();
    void nameArguments();
    void declareIndices(Writer& to);
    void declareThreadNumber(Writer& to) const;
    std::string signature(KernelLaunch& out);
    void head(Writer& to, KernelLaunch& out);

    const ir::Function& function_;
    const ir::Launch& launch_;
    const Roots& roots_;
    GpuProgram& program_;
    Spelling& spelling_;
    DiagnosticSink& diagnostics_;
    const SourceSet* sources_;
    Writer out_;
    Names names_;
    arith::Facts facts_;
    std::map<const ir::ExprNode*, Variable> vars_;
    std::map<const ir::BufferNode*, std::string> buffers_;
    std::map<const ir::BufferNode*, Access> accesses_;  // of roots
    std::map<const ir::ExprNode*, int> uses_;
    std::set<const ir::BufferNode*> readLocals_, touched_;  // views stand for what they view, too
    std::set<const ir::ExprNode*> usedScalars_;
    std::set<const ir::BufferNode*> usedTensors_;
    std::vector<int> usedMaps_;
    std::vector<Widened> widened_;
    std::string laneName_;      // loop variable of the vectorized loop around
    std::int64_t staticShared_ = 0;
    std::string recordsName_, recorderName_, slotName_;  // empty: the launch makes no stage records
    bool omitsRecords_ = false, gridSync_ = false, usesThreadNumber_ = false, usesRandom_ = false;
};

// An option that is a text; the value of a constant.
[[nodiscard]] std::string textAttr(const ir::OpCall& call, const char* name, const std::string& otherwise);
[[nodiscard]] std::int64_t constantOf(const ir::Expr& e, std::int64_t otherwise);

}  // namespace tw::gpu
