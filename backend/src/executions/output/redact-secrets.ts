import { maskOf } from '../../common/variables/secret-mask.js';
import { ByteMatcher } from './masking/byte-matcher.js';
import { MaskingStream } from './masking/masking-stream.js';
import { secretParts } from './masking/secret-parts.js';

export interface Secret {
  /** Shown in the mask. */
  readonly name: string;
  readonly value: string;
}

/** Masks secrets in one stream of bytes. */
export interface RedactionStream {
  /** Takes bytes as they come, cut anywhere, and gives out what can no longer be part of a secret. */
  push(bytes: Buffer): Buffer;
  /** Gives out what was held back; nothing may be pushed afterwards. */
  end(): Buffer;
}

/** Masks the secrets of one run. Costs memory in proportion to their length; share it among all hosts of the run. */
export interface Redactor {
  /** One for each stream of each host and step. */
  stream(): RedactionStream;
  /** The same for text that is complete: an error message, a rendered command, a diff. */
  text(text: string): string;
}

/**
 * Masks secrets as they are, and as encoders, shells and dumps write them: see {@link MaskingStream}. Secrets that are too
 * short are left alone. Of secrets with the same value the first one is named. For a few short ones; what people give may
 * be large, and is for {@link buildingRedactor}.
 */
export function createRedactor(secrets: readonly Secret[]): Redactor {
  const building = buildingRedactor(secrets);
  for (;;) {
    const { done, value } = building.next();
    if (done) return value;
  }
}

/** The same step by step, each of them less than a millisecond: whoever draws the steps may do something else in between. */
export function* buildingRedactor(secrets: readonly Secret[]): Generator<void, Redactor> {
  const parts: Buffer[] = [];
  const masks: Buffer[] = [];
  for (const { name, value } of secrets) {
    const mask = Buffer.from(maskOf(name));
    for (const part of secretParts(value)) {
      parts.push(part);
      masks.push(mask);
    }
    yield;
  }
  const matcher = yield* ByteMatcher.building(parts);
  const nothing: RedactionStream = { push: (bytes) => bytes, end: () => Buffer.alloc(0) };
  const stream = () => (masks.length === 0 ? nothing : new MaskingStream({ matcher, masks }));
  return {
    stream,
    text(text) {
      const bytes = Buffer.from(text);
      const masking = stream();
      const masked = Buffer.concat([masking.push(bytes), masking.end()]);
      return masked.equals(bytes) ? text : masked.toString();
    },
  };
}
