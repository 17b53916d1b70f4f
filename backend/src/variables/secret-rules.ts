import { type VariableValue, toValueText } from './variable-value.js';

/**
 * Shorter values occur in output by chance: masking would hide that output and reveal the value by the gaps.
 * Surrounding white space does not count, because shells remove it.
 */
const MIN_SECRET_BYTES = 3;

/**
 * Maximum total size of the secrets of an environment or a run, in bytes. Masking uses up to 70 bytes of memory per
 * byte. A certificate chain has about 10 KiB, a kubeconfig 6 KiB, a private key 4 KiB.
 */
export const MAX_SECRET_BYTES = 256 * 1024;
export const MAX_SECRET_LINES = 4_000;

export const isMaskable = (text: string): boolean => Buffer.byteLength(text.trim()) >= MIN_SECRET_BYTES;

/** Returns why a secret value is invalid; null: valid. The message never contains the value. */
export function findSecretFault(
  name: string,
  value: VariableValue,
): { code: 'secret_too_short'; message: string } | null {
  if (isMaskable(toValueText(value))) return null;
  const message = `"${name}" is too short for a secret: output can be masked for values of at least ${MIN_SECRET_BYTES} bytes, without the white space around them. Give a longer value, or leave it out.`;
  return { code: 'secret_too_short', message };
}

export interface SecretsSize {
  bytes: number;
  lines: number;
}

export function computeSecretSize(value: VariableValue): SecretsSize {
  const text = toValueText(value);
  return { bytes: Buffer.byteLength(text), lines: text.split(/\r\n|\r|\n/).length };
}

/**
 * Returns why the total size of the secrets is too large; null: it is not. The message lists the largest secrets, which
 * should be shortened.
 */
export function findSecretsSizeFault(secrets: Readonly<Record<string, SecretsSize>>): string | null {
  const sizes = Object.entries(secrets);
  const bytes = sizes.reduce((sum, [, size]) => sum + size.bytes, 0);
  const lines = sizes.reduce((sum, [, size]) => sum + size.lines, 0);
  if (bytes <= MAX_SECRET_BYTES && lines <= MAX_SECRET_LINES) return null;
  const by: keyof SecretsSize = bytes > MAX_SECRET_BYTES ? 'bytes' : 'lines';
  const largestSecret = sizes
    .sort(([, a], [, b]) => b[by] - a[by])
    .slice(0, 3)
    .map(([name, size]) => `${name} (${size[by]})`);
  return `The secrets have ${bytes} bytes and ${lines} lines together; at most ${MAX_SECRET_BYTES} bytes and ${MAX_SECRET_LINES} lines can be masked. The largest by ${by}: ${largestSecret.join(', ')}. Shorten or remove some, or keep large content in a file on the host.`;
}
