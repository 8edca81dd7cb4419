// From the IR to the instructions of code.h.
#pragma once

#include <optional>
#include <set>

#include "core/interp/code.h"
#include "core/support/diagnostic.h"

namespace tw::interp {

class Compiler {
public:
    Compiler(const ir::Function& function, DiagnosticSink& diagnostics);
    // False, with diagnostics, if the function uses what the interpreter does not have.
    bool compile(Program& out);

private:
    // A slot that holds a value; a temporary one goes back to the pool when its user has been emitted.
    struct Value {
        int slot = -1;
        bool temporary = false;
    };
    struct Binding {
        int slot = -1;
        int level = 0;  // how many parallel loops are around the place where it is bound
    };
    // An open If or loop: the instructions that want to know its end marker.
    struct Open {
        std::vector<int> wantMarker;
    };
    struct OpenLoop {
        std::vector<int> wantEnd, wantNext;  // instructions whose target, or whose list entry, is the loop's end or next
        bool parallel = false;  // divergence in it is a matter of masks only
        std::vector<std::pair<int, int>> joins;  // (list, position): patched with end (position 0) or next (1)
    };

    // compiler.cpp
    void compileInputs();
    void compileHost();
    void compileLaunch(std::size_t index);
    int emit(Instr instr);
    int newSlot();
    int permanent();
    void release(Value v);
    void release(std::vector<Value>& values);
    int constantSlot(Lane value, bool isFloat);
    int intConstant(std::int64_t value);
    [[nodiscard]] int here() const { return static_cast<int>(p_.code.size()); }
    void unsupported(const ir::Provenance& where, const std::string& what);
    void openMarker();
    void closeMarker(int pc);
    void wantMarker(int pc);

    // compile_buffer.cpp
    int bufferOf(const ir::Buffer& buffer, std::vector<Value>& temporaries);
    int makeBuffer(const ir::Buffer& buffer, std::vector<Value>& temporaries);
    int storageOf(const ir::BufferNode& root, Space space);
    Space spaceOf(const ir::BufferNode& root) const;
    Number number(const ir::Expr& e, std::vector<Value>& temporaries);
    void allocate(const ir::Allocate& stmt);
    int accessOf(const ir::Buffer& buffer, const std::vector<ir::Expr>& indices, std::vector<Value>& temporaries, bool store);
    RegionRecord regionOf(const ir::Region& region, std::vector<Value>& temporaries);
    void noteUse(const BufferInfo& info, bool store);

    // compile_expr.cpp
    Value expr(const ir::Expr& e);
    Value exprAs(const ir::Expr& e, ir::DType type);
    Value load(const ir::Load& e);
    Value binary(const ir::Binary& e);
    Value lazyLogical(const ir::Binary& e);
    Value select(const ir::Select& e);
    Value math(const ir::Call& e);
    Value call(const ir::Call& e);
    Value element(ElementOp op, ir::DType result, ir::DType operandType, const std::vector<Value>& operands,
                  const ir::Provenance& where);
    Value convert(Value v, ir::DType from, ir::DType to, const ir::Provenance& where);
    void move(int dst, Value v, ir::DType type);

    // compile_op.cpp
    Value record(const ir::OpCall& call, const ir::Provenance& where);
    Value operation(const ir::OpCall& call, ir::DType type, const ir::Provenance& where, bool wantsResult);
    void annotation(const ir::OpCall& call, const ir::Provenance& where);
    OpRecord recordOf(const ir::OpCall& call, std::vector<Value>& temporaries);

    // compile_stmt.cpp
    void stmt(const ir::Stmt& s);
    void block(const ir::Stmt& s);
    void sequence(const ir::Seq& s);
    void bind(const ir::Bind& s);
    void store(const ir::Store& s);
    bool storeAsUpdate(const ir::Store& s);
    void ifStmt(const ir::If& s);
    void forStmt(const ir::For& s);
    void serialFor(const ir::For& s);
    void parallelFor(const ir::For& s);
    void persistentFor(const ir::For& s);
    void whileStmt(const ir::While& s);
    void breakStmt(const ir::Stmt& s, bool isBreak);
    void launchStmt(const ir::Launch& s);
    void loopEnd(int next, bool heavy, const ir::Provenance& where);
    int bindVar(const ir::Var& v);

    const ir::Function& function_;
    DiagnosticSink& diagnostics_;
    Program p_;
    std::unordered_map<const ir::ExprNode*, Binding> vars_;
    std::unordered_map<const ir::BufferNode*, int> buffers_;
    std::unordered_map<const ir::BufferNode*, int> storages_;
    std::unordered_map<const ir::BufferNode*, Space> spaces_;
    std::map<std::pair<bool, std::int64_t>, int> constants_;
    std::vector<int> freeSlots_;
    std::vector<std::vector<int>> scopeSlots_;  // slots bound in each open Seq
    std::vector<Open> open_;
    std::vector<OpenLoop> loops_;
    std::vector<int> parallelStack_;  // indices of the records of the open parallel loops
    std::vector<const ir::Launch*> launches_;
    int nextOpId_ = 0;
    bool inHost_ = true;
    bool failed_ = false;
    const ir::Provenance* around_ = nullptr;  // of the innermost statement whose place is known
};

// Whether a statement synchronises threads or runs operations of the whole block, so that threads that disagree about
// reaching it have to be told apart.
[[nodiscard]] bool isHeavy(const ir::Stmt& s);
[[nodiscard]] bool isHeavy(const ir::OpCall& call);
// Whether a stored value is one load, converted or guarded: what is left of a tile's copy in the thread stage. Such copies hand
// unwritten elements on, as those of tiles do.
[[nodiscard]] bool isCopy(const ir::Expr& value);
// Whether evaluating `e` can fail or be seen: it loads, or calls something that is not a pure function.
[[nodiscard]] bool hasAccess(const ir::Expr& e);
// Whether a break or continue of a loop around `s` stands in `s`.
[[nodiscard]] bool exitsLoop(const ir::Stmt& s, bool wantBreak);

}  // namespace tw::interp
