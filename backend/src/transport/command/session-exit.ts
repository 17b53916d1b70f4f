import { quoteForeign } from '../ssh-errors.js';

const LONGEST_SIGNAL = 40;

/** How a session on a host ended. */
export type Exit = { code: number } | { signal: string };

/**
 * The library gives a number of 32 bits, or null and any text as the name of a signal, or nothing at all. Windows means
 * a signed number by it, as does whoever stores it.
 */
export function exitOf(code?: number | null, signal?: string): Exit | undefined {
  if (typeof code === 'number') return { code: code | 0 };
  return signal === undefined ? undefined : { signal: quoteForeign(signal, LONGEST_SIGNAL) };
}
