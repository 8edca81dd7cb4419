#include "core/passes/insert_barriers.h"

#include "core/ir/visit.h"
#include "core/passes/barrier_inserter.h"

namespace tw::passes {

using ir::as;
using ir::Stmt;

namespace {

class LaunchRewriter final : public ir::Rewriter {
public:
    LaunchRewriter(PassContext& context, DiagnosticSink& overwrites) : context_(context), overwrites_(overwrites) {}
    using ir::Rewriter::rewrite;
    Stmt rewrite(const Stmt& s) override
    {
        const auto* launch = as<ir::Launch>(s);
        if (!launch)
            return rewriteChildren(s);
        auto next = std::make_shared<ir::Launch>(*launch);
        Inserter inserter(*launch, context_);
        next->body = inserter.run();
        for (const Diagnostic& d : inserter.overwrites())
            overwrites_.report(d);
        return next;
    }

private:
    PassContext& context_;
    DiagnosticSink& overwrites_;
};

}  // namespace

ir::Function insertBarriers(const ir::Function& in, PassContext& context)
{
    const auto off = in.passConfigs.find("tl.disable_thread_storage_sync");
    if (off != in.passConfigs.end() && off->second == ir::Attr(true)) {  // all barriers are the author's; what is missing is still said
        DiagnosticSink aside;
        PassContext dry{context.target, aside, context.stop};
        (void)LaunchRewriter(dry, context.diagnostics).rewrite(in.body);
        return in;
    }
    ir::Function out = in;
    out.body = LaunchRewriter(context, context.diagnostics).rewrite(in.body);
    return out;
}

}  // namespace tw::passes
