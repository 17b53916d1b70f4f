import { createHash } from 'node:crypto';

export function replaceContentByHash<T extends { content: string }>(
  record: T | null,
): (Omit<T, 'content'> & { contentSha256: string }) | null {
  if (record === null) return null;
  const { content, ...rest } = record;
  return { ...rest, contentSha256: createHash('sha256').update(content).digest('hex') };
}
