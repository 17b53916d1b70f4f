export function toEtag(version: number): string {
  return `"${version}"`;
}

/**
 * Returns the version in an `If-Match` header; null = unknown tag, which matches no version and leads to 412. Does not
 * handle `*` and an absent header. Accepts weak tags (`W/"5"`): proxies weaken the tag of a response that they
 * compress, but the client has read this version.
 */
export function parseIfMatch(header: string): number | null {
  const [, digits] = /^(?:W\/)?"(0|[1-9]\d{0,15})"$/.exec(header.trim()) ?? [];
  const version = Number(digits ?? Number.NaN);
  return Number.isSafeInteger(version) ? version : null;
}
