/** Strong entity tag (RFC 9110, 8.8.3): the record's version in quotes. */
export function etagOf(version: number): string {
  return `"${version}"`;
}

/**
 * Version in an `If-Match` header; null for an unknown tag, which matches nothing and leads to 412. The caller handles
 * `*` and an absent header. Weak tags (`W/"5"`) count too: proxies that compress a response weaken its tag, but the
 * version is still the one that the client read.
 */
export function parseIfMatch(header: string): number | null {
  const [, digits] = /^(?:W\/)?"(0|[1-9]\d{0,15})"$/.exec(header.trim()) ?? [];
  const version = Number(digits ?? Number.NaN);
  return Number.isSafeInteger(version) ? version : null;
}
