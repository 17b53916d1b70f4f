import type { CodeMeaningView, ProblemCatalogueView } from './problem-catalogue.view.js';

const PAGE_STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem;color:#1b1f24;background:#fff}
code{font-family:ui-monospace,monospace}h3{margin-bottom:.25rem}p{margin:.25rem 0}:target{background:#fff3bf}
dt{font-weight:600;margin-top:.75rem}dd{margin-left:0}@media(prefers-color-scheme:dark){body{color:#e6e8eb;background:#16181c}:target{background:#4a3f12}}`;

/** Returns the catalogue as an HTML page without scripts. The `type` of a problem links to the anchor of its code. */
export function renderCataloguePage({ problems, faults, reasons }: ProblemCatalogueView): string {
  const kinds = problems.map(
    ({ code, status, title, meaning, advice }) =>
      `<section id="${code}"><h3><code>${code}</code> – ${status} ${escapeToHtml(title)}</h3><p>${escapeToHtml(meaning)}</p><p>${escapeToHtml(advice)}</p></section>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Runward: problems</title><style>${PAGE_STYLE}</style></head><body>
<h1>Problems</h1>
<p>Every error of the API is <code>application/problem+json</code> (RFC 9457). Its <code>code</code> is one of the codes below and never changes its meaning;
<code>detail</code> describes the case. Send <code>Accept: application/json</code> to get this list as JSON.</p>
${kinds.join('\n')}
<h2>Faults in a request</h2>
<p>Each fault in <code>errors</code> has one of these codes; its <code>message</code> says what to do.</p>
<dl>${renderMeanings(faults)}</dl>
<h2>Reasons</h2>
<p>A <code>reason</code> explains a status, state or refusal. Its <code>code</code> is one of these codes, or the code of a problem or fault; its
<code>text</code> describes the case.</p>
<dl>${renderMeanings(reasons)}</dl>
</body></html>
`;
}

const renderMeanings = (codes: readonly CodeMeaningView[]): string =>
  codes.map(({ code, meaning }) => `<dt><code>${code}</code></dt><dd>${escapeToHtml(meaning)}</dd>`).join('\n');

const HTML_ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escapeToHtml = (plain: string): string =>
  plain.replace(/[&<>"]/g, (character) => HTML_ESCAPES[character] ?? '').replace(/`([^`]+)`/g, '<code>$1</code>');
