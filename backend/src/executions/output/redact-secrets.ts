import { maskOf } from '../../common/variables/secret-mask.js';
import { ByteMatcher } from './byte-matcher.js';
import { type MaskedPatterns, MaskingStream } from './masking-stream.js';
import { type SecretForms, secretForms } from './secret-forms.js';

export { maskOf };
export { isMaskable } from './secret-forms.js';

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
 * Masks secrets in all forms of {@link secretForms}. Secrets that are not {@link isMaskable} are left alone. Of secrets with
 * the same value the first one is named.
 */
export function createRedactor(secrets: readonly Secret[]): Redactor {
  const found = secrets.map(({ name, value }) => ({ mask: Buffer.from(maskOf(name)), forms: secretForms(value) }));
  const patterns = (kind: keyof SecretForms): MaskedPatterns => ({
    matcher: new ByteMatcher(found.flatMap(({ forms }) => forms[kind])),
    masks: found.flatMap(({ mask, forms }) => forms[kind].map(() => mask)),
  });
  const exact = patterns('exact');
  const base64 = patterns('base64');
  const nothing: RedactionStream = { push: (bytes) => bytes, end: () => Buffer.alloc(0) };
  const stream = () => (exact.masks.length === 0 ? nothing : new MaskingStream(exact, base64));
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
