"""The style of the report: two sets of colours, system fonts, nothing from elsewhere."""

STYLE = """
:root { --page: #fdfdfb; --text: #1d2329; --faint: #646d76; --line: #d9dde1; --card: #f3f4f3;
  --plain: #78838d; --contextual: #1565c0; --structural: #a86a00; --won: #1b7a3d; --lost: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --page: #15181b; --text: #e4e7ea; --faint: #9aa4ae; --line: #353b41; --card: #1e2327;
    --plain: #98a3ad; --contextual: #6db3f8; --structural: #e0a64b; --won: #6fcf8f; --lost: #f28b82; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1.25rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .5rem 0; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
p { max-width: 46rem; margin: .5rem 0; }
small { color: var(--faint); font-size: .8em; }
.wide { overflow-x: auto; margin: 1rem 0; }
svg { display: block; width: 100%; min-width: 44rem; height: auto; }
svg text { font: 12.5px system-ui, sans-serif; fill: var(--text); }
svg text.strong { font-weight: 600; }
svg text.faint { fill: var(--faint); font-size: 11.5px; font-variant-numeric: tabular-nums; }
svg line { stroke-width: 2; stroke-linecap: round; }
svg line.grid { stroke: var(--line); stroke-width: 1; }
svg line.zero { stroke: var(--text); stroke-width: 1.25; }
svg .plain { stroke: var(--plain); fill: var(--plain); }
svg .contextual { stroke: var(--contextual); fill: var(--contextual); }
svg .structural { stroke: var(--structural); fill: var(--structural); }
svg rect { stroke: none !important; opacity: .55; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100%; min-width: 40rem; }
th, td { padding: .35rem .6rem; text-align: right; border-bottom: 1px solid var(--line); font-weight: 400; }
tr:first-child th { color: var(--faint); font-size: .85rem; }
th:first-child { text-align: left; }
td small { display: block; }
th.plain { color: var(--plain); } th.contextual { color: var(--contextual); }
th.structural { color: var(--structural); }
details { border-top: 1px solid var(--line); padding: .45rem 0; }
details details { margin-left: 1rem; }
summary { cursor: pointer; overflow-wrap: anywhere; }
.won { color: var(--won); } .lost { color: var(--lost); } .same { color: var(--faint); }
.won, .lost, .same { font-variant-numeric: tabular-nums; font-weight: 600; margin-right: .4rem; }
.context { font-style: italic; color: var(--faint); }
blockquote { margin: .5rem 0; padding-left: .8rem; border-left: 3px solid var(--contextual); }
pre { background: var(--card); padding: .75rem; border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere;
  font: 13px/1.45 ui-monospace, monospace; }
"""
