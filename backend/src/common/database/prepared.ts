import { createHash } from 'node:crypto';

const statementNames = new Map<string, string>();

/**
 * Registers a statement that each connection parses and plans only once. Use it for constant texts that most requests
 * run: each one uses memory of each connection for its lifetime. One plan must suit all parameters.
 * @returns the same text
 */
export function registerPreparedStatement(text: string): string {
  if (!statementNames.has(text))
    statementNames.set(text, `rw_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`);
  return text;
}

/** Returns the name of the prepared statement; undefined = planned at each execution. */
export const findPreparedName = (text: string): string | undefined => statementNames.get(text);
