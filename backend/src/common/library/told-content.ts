import { createHash } from 'node:crypto';

/** For the audit trail: what tells contents apart, in the place of up to 256 KiB of them. */
export function toldContent<T extends { content: string }>(
  record: T | null,
): (Omit<T, 'content'> & { contentSha256: string }) | null {
  if (record === null) return null;
  const { content, ...rest } = record;
  return { ...rest, contentSha256: createHash('sha256').update(content).digest('hex') };
}
