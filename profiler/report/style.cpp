#include "profiler/report/style.h"

namespace tw::report {

std::string_view pageStyle()
{
    return R"(
:root{--bg:#f6f7f9;--card:#fff;--ink:#1c2230;--muted:#667085;--line:#d5dae3;--soft:#e9edf3;--accent:#3467c9;--heat:224,135,58;--good:#2c8a55;--bad:#c24242}
@media(prefers-color-scheme:dark){:root{--bg:#14171d;--card:#1c2028;--ink:#e4e7ed;--muted:#98a2b3;--line:#353c48;--soft:#2a303b;--accent:#7aa5f5;--good:#5cc48a;--bad:#ec8080}
svg .t{fill:#e4e7ed}svg .m{fill:#98a2b3}svg .g{stroke:#353c48}svg .k{fill:#2a303b}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main{max-width:1180px;margin:0 auto;padding:28px 24px 64px}
h1{font-size:26px;line-height:1.2;margin:0 0 6px;overflow-wrap:anywhere}
h2{font-size:17px;margin:0 0 14px}
h3{font-size:14px;margin:18px 0 8px;color:var(--muted);font-weight:600}
p{margin:0 0 8px}
.sub{color:var(--muted);margin:0 0 18px}
nav{display:flex;flex-wrap:wrap;gap:6px 16px;margin:0 0 20px;font-size:14px}
a{color:var(--accent);text-decoration:none}a:hover{text-decoration:underline}
section{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:20px 22px;margin:0 0 18px}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(146px,1fr));gap:10px;margin:0 0 18px}
.card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:11px 12px}
.card b{display:block;font-size:17px;font-weight:650;line-height:1.3;white-space:nowrap}
.card span{color:var(--muted);font-size:13px}
.tag{display:inline-block;border:1px solid var(--line);border-radius:99px;padding:0 9px;font-size:12px;color:var(--muted);white-space:nowrap}
.measured{color:var(--good);border-color:currentColor}.simulated{color:#9069d6;border-color:currentColor}.modelled{color:#b7791f;border-color:currentColor}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:14px;font-variant-numeric:tabular-nums}
th{text-align:left;color:var(--muted);font-weight:600;border-bottom:1px solid var(--line);padding:5px 12px 5px 0;white-space:nowrap}
td{border-bottom:1px solid var(--soft);padding:5px 12px 5px 0;vertical-align:top}
tr:last-child td{border-bottom:0}
.n{text-align:right}
.bar{display:inline-block;height:9px;border-radius:2px;background:#4c7fe0;vertical-align:middle;margin-right:8px}
.better{color:var(--good)}.worse{color:var(--bad)}.same{color:var(--muted)}
.finding{border-left:4px solid #e0873a;padding:2px 0 2px 14px;margin:0 0 14px}
.finding b{margin-right:8px}
pre{margin:0;font:12.5px/1.55 ui-monospace,"JetBrains Mono","DejaVu Sans Mono",monospace;tab-size:4}
.code{overflow:auto;max-height:640px;border:1px solid var(--line);border-radius:6px}
.code table{font:12.5px/1.55 ui-monospace,"JetBrains Mono","DejaVu Sans Mono",monospace}
.code td{border:0;padding:0 10px;white-space:pre}
.code td.l,.code td.h{color:var(--muted);text-align:right;user-select:none;width:1px}
.code tr:target td{outline:2px solid var(--accent);outline-offset:-2px}
details{margin:0 0 10px}summary{cursor:pointer;color:var(--accent);margin:0 0 8px}
svg{max-width:100%;height:auto;display:block}
.diff td{background:rgba(var(--heat),.10)}
.cmp table,.fold table{table-layout:fixed;font:12.5px/1.55 ui-monospace,"JetBrains Mono","DejaVu Sans Mono",monospace}
.cmp td,.fold td{border:0;padding:0 8px;white-space:pre-wrap;overflow-wrap:anywhere}
.cmp th{padding:5px 8px;white-space:normal;overflow-wrap:anywhere}
.cmp .l,.fold .l{width:46px;color:var(--muted);text-align:right;user-select:none}
.cmp td.c{background:rgba(var(--heat),.14)}.cmp mark{background:rgba(var(--heat),.42);color:inherit;border-radius:2px}
.cmp td.x{background:repeating-linear-gradient(135deg,transparent 0 5px,var(--soft) 5px 6px)}
.fold{margin:0}.fold summary{font-size:12.5px;background:var(--soft);color:var(--muted);padding:1px 8px;margin:0}
@media print{body{background:#fff}section{break-inside:avoid}.code{max-height:none}}
)";
}

std::string standalone(std::string svg)
{
    const std::size_t end = svg.find('>');
    if (end == std::string::npos)
        return svg;
    svg.insert(end + 1, "<style>@media(prefers-color-scheme:dark){svg{background:#1c2028}.t{fill:#e4e7ed}.m{fill:#98a2b3}.g{stroke:#353c48}.k{fill:#2a303b}}</style>");
    return svg;
}

}  // namespace tw::report
