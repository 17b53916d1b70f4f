import type { ByteMatcher } from './byte-matcher.js';

export interface SecretMatcher {
  readonly matcher: ByteMatcher;
  readonly masks: readonly Buffer[];
}

export const getMaskAt = ({ matcher, masks }: SecretMatcher, node: number): Buffer =>
  masks[matcher.findPatternAt(node)] as Buffer;
