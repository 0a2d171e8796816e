// SPDX-License-Identifier: Apache-2.0
// The page's style sheet: one set of names for colours, given twice (light, dark), and once more
// for paper.

#include "reports/page/page.h"

const char *const page_style[] = {
    ":root{color-scheme:light dark;--ground:#fff;--panel:#f5f6f8;--ink:#1b1f24;--faint:#57606a;--rule:#d0d7de;--good:#116329;"
    "--good-ground:#dafbe1;--bad:#a40e26;--bad-ground:#ffebe9;--doubt:#7d4e00;--doubt-ground:#fff4d6;--bar:#2f6fb4;--bar2:#"
    "8a5a00;"
    "--heat0:#f6c9a8;--heat1:#ee9a63;--heat2:#d4602f;--heat3:#9c2b12;--link:#0a58ad}\n",
    "@media(prefers-color-scheme:dark){:root{--ground:#0e1116;--panel:#171b22;--ink:#e6edf3;--faint:#9aa5b1;--rule:#30363d;"
    "--good:#6fdd8b;--good-ground:#12301c;--bad:#ff9a94;--bad-ground:#3c1618;--doubt:#f2c75c;--doubt-ground:#33270a;--bar:#"
    "6cb2ff;"
    "--bar2:#f0b85a;--heat0:#4a2a18;--heat1:#8a4520;--heat2:#cf6a34;--heat3:#ffb48a;--link:#79b8ff}}\n",
    "*{box-sizing:border-box}html{scroll-padding-top:1rem}"
    "body{margin:0 auto;padding:1rem;max-width:76rem;background:var(--ground);color:var(--ink);"
    "font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;overflow-wrap:anywhere}\n",
    "a{color:var(--link)}a:focus-visible,summary:focus-visible,[tabindex]:focus-visible{outline:3px solid "
    "var(--link);outline-offset:2px}"
    "h1{font-size:1.7rem;line-height:1.2;margin:.5rem 0}h2{font-size:1.25rem;margin:2.2rem 0 .6rem;padding-top:.4rem;"
    "border-top:1px solid var(--rule)}h3{font-size:1.02rem;margin:.9rem 0 .2rem}.failure h3{margin-top:.2rem}\n",
    ".skip{position:absolute;left:-100rem}.skip:focus{left:1rem}"
    "nav ul{display:flex;flex-wrap:wrap;gap:.2rem 1rem;padding:0;list-style:none;margin:.5rem 0}\n",
    ".verdict{border:1px solid var(--rule);border-left-width:.5rem;border-radius:.4rem;padding:.6rem "
    "1rem;background:var(--panel)}"
    ".verdict p{margin:.2rem 0}.verdict.good{border-left-color:var(--good)}.verdict.bad{border-left-color:var(--bad)}"
    ".verdict.doubt{border-left-color:var(--doubt)}\n",
    ".o{display:inline-block;border-radius:.3rem;padding:0 .4rem;white-space:nowrap;font-weight:600}"
    ".o.good{color:var(--good);background:var(--good-ground)}.o.bad{color:var(--bad);background:var(--bad-ground)}"
    ".o.doubt{color:var(--doubt);background:var(--doubt-ground)}.o.none{color:var(--faint);font-weight:400}\n",
    ".wide{overflow-x:auto;max-width:100%}table{border-collapse:collapse;font-size:.92rem}caption{text-align:left;color:var(--"
    "faint);"
    "padding:.2rem 0}th,td{border:1px solid var(--rule);padding:.25rem "
    ".5rem;text-align:left;vertical-align:top;overflow-wrap:normal}"
    "th{background:var(--panel);font-weight:600}tbody "
    "th{font-weight:400}td.n{text-align:right;font-variant-numeric:tabular-nums}"
    ".matrix tbody th{min-width:13rem;position:sticky;left:0}.matrix td{white-space:nowrap}.targets "
    "td:last-child{min-width:16rem}.elements "
    "td{white-space:nowrap}td.hit{background:var(--good-ground);color:var(--good);text-align:center}.mutants "
    ".by{min-width:14rem}"
    ".mutants th.up{writing-mode:vertical-rl;white-space:nowrap;text-align:right;padding:.4rem .1rem}.mutants tbody th "
    "code{white-space:nowrap}\n",
    "code,pre,.bits{font-family:ui-monospace,'SFMono-Regular',Menlo,'DejaVu Sans Mono',monospace;font-size:.86rem}"
    "pre{background:var(--panel);border:1px solid var(--rule);border-radius:.3rem;padding:.5rem;overflow-x:auto;margin:.3rem 0;"
    "white-space:pre-wrap}.faint{color:var(--faint)}\n",
    ".failure{border:1px solid var(--rule);border-radius:.4rem;padding:.6rem .8rem;margin:.8rem 0;break-inside:avoid}"
    ".failure dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem .8rem;margin:.4rem 0}.failure "
    "dt{color:var(--faint)}"
    ".failure dd{margin:0;min-width:0}.failure:target{outline:3px solid var(--link)}\n",
    ".bits{white-space:nowrap;letter-spacing:.02em}.bits "
    "b{background:var(--bad-ground);color:var(--bad);text-decoration:underline}"
    ".bits i{font-style:normal;border-left:1px solid var(--faint);margin-left:.3em;padding-left:.3em}\n",
    "details{margin:.3rem 0}summary{cursor:pointer;padding:.2rem "
    "0}.plots{display:flex;flex-wrap:wrap;gap:1rem;align-items:flex-end}"
    "figure{margin:.3rem 0;max-width:100%}figcaption{font-size:.86rem;color:var(--faint)}\n",
    ".plot{max-width:100%;height:auto;display:block}.plot text{fill:var(--ink);font-size:10px;font-family:inherit}"
    ".plot .axis{stroke:var(--faint);fill:none}.plot .bar{fill:var(--bar)}.plot .bar2{fill:var(--bar2)}.plot "
    ".wrong{fill:var(--bad)}"
    ".plot .ground{fill:var(--panel);stroke:var(--rule)}.plot .line{fill:none;stroke-width:1.6;stroke:var(--bar)}"
    ".plot .second{stroke:var(--bar2);stroke-dasharray:5 "
    "3}.heat0{fill:var(--heat0)}.heat1{fill:var(--heat1)}.heat2{fill:var(--heat2)}"
    ".heat3{fill:var(--heat3)}\n",
    ".digest{font-size:.8rem}footer{margin-top:2.5rem;border-top:1px solid var(--rule);color:var(--faint);font-size:.9rem}\n",
    "@media(max-width:40rem){body{padding:.7rem}.failure dl{grid-template-columns:1fr}.failure dt{margin-top:.3rem}"
    ".matrix tbody th{min-width:9rem;position:static}}\n",
    "@media "
    "print{:root{--ground:#fff;--panel:#fff;--ink:#000;--faint:#333;--rule:#999;--link:#000;--good:#000;--bad:#000;--doubt:#"
    "000;"
    "--good-ground:#fff;--bad-ground:#eee;--doubt-ground:#fff}body{max-width:none;font-size:10pt}nav,.skip{display:none}"
    "details::details-content{content-visibility:visible;block-size:auto}.wide{overflow:visible}a{text-decoration:none}}\n",
    NULL,
};
