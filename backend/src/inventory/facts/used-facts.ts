import { USABLE_FACTS, type UsableFact } from './host-facts.js';

/** `facts.os`, `host.facts["os"]`; what follows is not a name: some text takes all of them. */
const FACTS = /facts["']?\]?\s*(?:\.\s*|\[\s*["'])(\w+)/g;
const RENDERED = /\bhost\s*(?:\.\s*|\[\s*["'])facts\b["'\]]*\s*(?:(?:\.\s*|\[\s*["'])(\w+))?/g;

/** Facts that selectors and templates among these texts may look at; too many rather than too few. */
export function factsUsed(...texts: readonly unknown[]): UsableFact[] {
  const rendered = factsRendered(...texts);
  return named(texts, FACTS, new Set<string>(rendered));
}

/** The same for conditions, commands and files only: what `host.facts` stands in. */
export function factsRendered(...texts: readonly unknown[]): UsableFact[] {
  return named(texts, RENDERED, new Set());
}

function named(texts: readonly unknown[], pattern: RegExp, found: Set<string>): UsableFact[] {
  for (const text of textsOf(texts))
    for (const [, name] of text.matchAll(pattern)) for (const each of name ? [name] : USABLE_FACTS) found.add(each);
  return USABLE_FACTS.filter((name) => found.has(name));
}

/** Every text within a value. */
function* textsOf(value: unknown): Generator<string, void> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const each of Object.values(value) as unknown[]) yield* textsOf(each);
}
