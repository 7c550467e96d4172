/** Styles of `/api/docs` alone, with the tokens of the client's style sheet. */
export const apiDocsStyle = `
.docs { max-width: 60rem; margin: 0 auto; padding: 24px 24px 96px; display: grid; gap: 40px; }
.docs > *, .docs :is(section, header, .operation) > * { min-width: 0; }
.docs header { display: grid; gap: 24px; justify-items: start; }
.docs section { display: grid; gap: 12px; }
.docs p, .docs li, .docs td { color: var(--ink-2); max-width: 72ch; }
.docs nav ul { display: flex; flex-wrap: wrap; gap: 4px 16px; }
.docs nav a, .docs li a { display: inline-block; padding: 6px 0; }
.docs code, .docs pre { font-family: var(--font-mono); font-size: var(--text-sm); }
.docs pre { overflow-x: auto; padding: 12px 16px; background: var(--panel); border: 1px solid var(--line); border-radius: var(--r-ctl); color: var(--ink); line-height: 1.5; }
.docs details { border: 1px solid var(--line); border-radius: var(--r-ctl); background: var(--wall); }
.docs summary { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 12px; padding: 12px 16px; cursor: pointer; }
.docs :is(summary, p, li) code { overflow-wrap: anywhere; }
.docs summary span { color: var(--ink-2); }
.docs summary:hover { background: var(--raise); }
.docs .method { color: var(--accent); font-weight: 600; }
.docs .operation { display: grid; gap: 12px; padding: 4px 16px 16px; }
.docs .scroll { display: block; overflow-x: auto; }
.docs table { width: 100%; border-collapse: collapse; font-size: var(--text-sm); }
.docs th, .docs td { padding: 6px 12px 6px 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
.docs th { color: var(--ink-3); font-weight: 500; }
@media (max-width: 47.5em) { .docs { padding: 16px 16px 64px; } }
`;
