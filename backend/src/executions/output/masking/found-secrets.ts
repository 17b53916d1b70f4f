import type { ByteMatcher } from './byte-matcher.js';

/** The secrets of a run as bytes to look for. */
export interface FoundSecrets {
  readonly matcher: ByteMatcher;
  /** What stands in the output instead, by index of the matcher's patterns. */
  readonly masks: readonly Buffer[];
}

export const maskAt = ({ matcher, masks }: FoundSecrets, node: number): Buffer =>
  masks[matcher.patternAt(node)] as Buffer;
