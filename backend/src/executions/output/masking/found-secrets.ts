import type { ByteMatcher } from './byte-matcher.js';

export interface FoundSecrets {
  readonly matcher: ByteMatcher;
  readonly masks: readonly Buffer[];
}

export const maskAt = ({ matcher, masks }: FoundSecrets, node: number): Buffer =>
  masks[matcher.patternAt(node)] as Buffer;
