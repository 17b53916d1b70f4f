import { quoteForeignText } from '../ssh-errors.js';

const MAX_SIGNAL_LENGTH = 40;

export type Exit = { code: number } | { signal: string };

/**
 * Normalises the exit status. ssh2 passes a 32-bit number, or null and any text as the signal name, or nothing. The
 * number is read as signed, as on Windows and in the database.
 */
export function toExit(code?: number | null, signal?: string): Exit | undefined {
  if (typeof code === 'number') return { code: code | 0 };
  return signal === undefined ? undefined : { signal: quoteForeignText(signal, MAX_SIGNAL_LENGTH) };
}
