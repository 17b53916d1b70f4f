import { USABLE_FACTS, type UsableFact } from './host-facts.js';

/** Matches `facts.os` and `host.facts["os"]`. A `host.facts` without a name counts as use of all facts. */
const FACT_REFERENCE = /facts["']?\]?\s*(?:\.\s*|\[\s*["'])(\w+)/g;
const HOST_FACT_REFERENCE = /\bhost\s*(?:\.\s*|\[\s*["'])facts\b["'\]]*\s*(?:(?:\.\s*|\[\s*["'])(\w+))?/g;

/**
 * Returns the facts that selectors and templates in these texts may use. The result may contain unused facts, but
 * misses none.
 */
export function factsUsed(...texts: readonly unknown[]): UsableFact[] {
  const rendered = factsRendered(...texts);
  return named(texts, FACT_REFERENCE, new Set<string>(rendered));
}

export function factsRendered(...texts: readonly unknown[]): UsableFact[] {
  return named(texts, HOST_FACT_REFERENCE, new Set());
}

function named(texts: readonly unknown[], pattern: RegExp, found: Set<string>): UsableFact[] {
  for (const text of textsOf(texts))
    for (const [, name] of text.matchAll(pattern)) for (const each of name ? [name] : USABLE_FACTS) found.add(each);
  return USABLE_FACTS.filter((name) => found.has(name));
}

function* textsOf(value: unknown): Generator<string, void> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const each of Object.values(value) as unknown[]) yield* textsOf(each);
}
