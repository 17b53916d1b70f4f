import { toSecretMask } from '../../variables/secret-mask.js';
import { ByteMatcher } from './masking/byte-matcher.js';
import { MaskingStream } from './masking-stream.js';
import { listSecretParts } from './masking/secret-parts.js';

export interface Secret {
  readonly name: string;
  readonly value: string;
}

export interface RedactionStream {
  /** Takes the next bytes of a stream, split anywhere. Returns the bytes that can no longer be part of a secret. */
  push(bytes: Buffer): Buffer;
  /** Returns the bytes that were held back. Must be the last call. */
  end(): Buffer;
}

/** Masks the secrets of one run. Needs memory proportional to their length: share it among all hosts of the run. */
export interface Redactor {
  stream(): RedactionStream;
  text(text: string): string;
}

/**
 * Masks secrets in raw form and as encoders, shells and dumps write them, see {@link MaskingStream}. Ignores secrets
 * that are too short. For equal values, uses the first name. Blocks while it builds: use {@link createRedactorInSteps} for
 * user input, which may be large.
 */
export function createRedactor(secrets: readonly Secret[]): Redactor {
  const building = createRedactorInSteps(secrets);
  for (;;) {
    const { done, value } = building.next();
    if (done) return value;
  }
}

/** Like `createRedactor`, but in steps of less than a millisecond, between which the caller can yield. */
export function* createRedactorInSteps(secrets: readonly Secret[]): Generator<void, Redactor> {
  const parts: Buffer[] = [];
  const masks: Buffer[] = [];
  for (const { name, value } of secrets) {
    const mask = Buffer.from(toSecretMask(name));
    for (const part of listSecretParts(value)) {
      parts.push(part);
      masks.push(mask);
    }
    yield;
  }
  const matcher = yield* ByteMatcher.buildInSteps(parts);
  const noRedaction: RedactionStream = { push: (bytes) => bytes, end: () => Buffer.alloc(0) };
  const stream = () => (masks.length === 0 ? noRedaction : new MaskingStream({ matcher, masks }));
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
