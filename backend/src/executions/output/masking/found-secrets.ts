import type { ByteMatcher } from './byte-matcher.js';

export interface FoundSecrets {
  readonly matcher: ByteMatcher;
  /** Replacement in the output, by index of the matcher's pattern. */
  readonly masks: readonly Buffer[];
}

export const maskAt = ({ matcher, masks }: FoundSecrets, node: number): Buffer =>
  masks[matcher.patternAt(node)] as Buffer;
