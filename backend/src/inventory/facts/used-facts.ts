import { USABLE_FACTS, type UsableFact } from './host-facts.js';

/** Matches `facts.os` and `host.facts["os"]`. A `host.facts` without a name counts as use of all facts. */
const FACT_REFERENCE_PATTERN = /facts["']?\]?\s*(?:\.\s*|\[\s*["'])(\w+)/g;
const HOST_FACT_REFERENCE_PATTERN = /\bhost\s*(?:\.\s*|\[\s*["'])facts\b["'\]]*\s*(?:(?:\.\s*|\[\s*["'])(\w+))?/g;

/**
 * Returns the facts that selectors and templates in these texts may use. The result may contain unused facts, but
 * misses none.
 */
export function findUsedFacts(...texts: readonly unknown[]): UsableFact[] {
  const rendered = findRenderedFacts(...texts);
  return findNamedFacts(texts, FACT_REFERENCE_PATTERN, new Set<string>(rendered));
}

export function findRenderedFacts(...texts: readonly unknown[]): UsableFact[] {
  return findNamedFacts(texts, HOST_FACT_REFERENCE_PATTERN, new Set());
}

function findNamedFacts(texts: readonly unknown[], pattern: RegExp, found: Set<string>): UsableFact[] {
  for (const text of listTexts(texts))
    for (const [, name] of text.matchAll(pattern)) for (const each of name ? [name] : USABLE_FACTS) found.add(each);
  return USABLE_FACTS.filter((name) => found.has(name));
}

function* listTexts(value: unknown): Generator<string, void> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const each of Object.values(value) as unknown[]) yield* listTexts(each);
}
