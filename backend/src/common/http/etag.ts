/** Strong entity tag (RFC 9110, 8.8.3) of a record: its version in quotes. */
export function etagOf(version: number): string {
  return `"${version}"`;
}

/**
 * The version that an `If-Match` header names, or null when it is no tag of ours: then nothing can match, and the answer is 412.
 * `*` and an absent header are for the caller to see. A weak tag (`W/"5"`) counts too: proxies that compress an answer
 * weaken its tag, and the version in it is still the one that the client read.
 */
export function parseIfMatch(header: string): number | null {
  const [, digits] = /^(?:W\/)?"(0|[1-9]\d{0,15})"$/.exec(header.trim()) ?? [];
  const version = Number(digits ?? Number.NaN);
  return Number.isSafeInteger(version) ? version : null;
}
