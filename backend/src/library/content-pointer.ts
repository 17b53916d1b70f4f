/** Pointer that a tool such as Git LFS stores in a repository instead of a file's content. */
export interface ContentPointer {
  kind: string;
  /** Size of the actual file in bytes; null = unknown. */
  size: number | null;
}

/**
 * Maximum length of a pointer, in bytes. Files of git-crypt have no pointer and are recognised by their first bytes.
 */
const MAX_POINTER_BYTES = 32 * 1024;

const POINTER_FORMATS: readonly { kind: string; start: RegExp; size?: RegExp }[] = [
  {
    kind: 'a Git LFS pointer',
    start: /^version https:\/\/(?:git-lfs|hawser)\.github\.com\/spec\/v1\r?\n/,
    size: /^size (\d{1,15})\r?$/m,
  },
  // Locked git-annex files are symbolic links. Checked out without link support, they contain this text.
  {
    kind: 'a git-annex pointer',
    start: /^(?:\/|(?:\.\.\/)*\.git\/)annex\/objects\/\S+/,
    size: /^\S*\/[A-Z0-9_]+-s(\d{1,15})-/,
  },
  { kind: 'a git-fat pointer', start: /^#\$# git-fat [0-9a-f]{40} /, size: /^#\$# git-fat \S+ +(\d{1,15})/ },
];

const GIT_CRYPT_HEADER = Buffer.from('\0GITCRYPT\0');

/** Returns the pointer or encrypted form that replaces the content; null = the bytes are the content. */
export function findContentPointer(bytes: Buffer): ContentPointer | null {
  if (bytes.subarray(0, GIT_CRYPT_HEADER.length).equals(GIT_CRYPT_HEADER))
    return { kind: 'encrypted by git-crypt', size: null };
  if (bytes.length > MAX_POINTER_BYTES) return null;
  const text = bytes.toString('latin1');
  const found = POINTER_FORMATS.find(({ start }) => start.test(text));
  if (!found) return null;
  const size = found.size?.exec(text)?.[1];
  return { kind: found.kind, size: size === undefined ? null : Number(size) };
}

export function describePointer(name: string, { kind, size }: ContentPointer): string {
  const bytes = size === null ? '' : ` (${size} ${size === 1 ? 'byte' : 'bytes'})`;
  return `${name} is ${kind}: its content${bytes} is not in the repository. Commit the file itself, or make the hosts download it.`;
}
