import { createHash } from 'node:crypto';

/** Names of the statements that are planned once a connection, by their text. */
const names = new Map<string, string>();

/**
 * Has every connection parse and plan this statement once, and then only run it. For statements that are run with most
 * requests, and whose text is always the same: each one keeps memory of each connection for as long as that lives. It
 * should have no plan that is right for some of its parameters only.
 * @returns the same text, to be run as ever
 */
export function prepared(text: string): string {
  if (!names.has(text)) names.set(text, `rw_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`);
  return text;
}

/** What connections know the statement as; undefined: it is planned each time. */
export const preparedName = (text: string): string | undefined => names.get(text);
