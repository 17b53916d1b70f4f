export const labelTexts = (labels: Readonly<Record<string, string>>): string[] =>
  Object.entries(labels).map(([key, value]) => `${key}=${value}`);

/** Parses labels. The key ends at the first `=`. */
export function labelsOf(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const end = text.indexOf('=');
      return end < 0 ? [text, ''] : [text.slice(0, end).trim(), text.slice(end + 1).trim()];
    }),
  );
}

const KEY = /^[A-Za-z0-9]([A-Za-z0-9_./-]{0,61}[A-Za-z0-9])?$/;

/** Returns why the labels are invalid; null = valid. */
export function labelsFault(texts: readonly string[]): string | null {
  if (texts.length > 20) return 'Use at most 20 labels.';
  const odd = texts.find((text) => !text.includes('=') || !KEY.test(text.slice(0, text.indexOf('=')).trim()));
  if (odd !== undefined) return `“${odd}” is not a label. Use key=value, such as release=2.4.1.`;
  const keys = Object.keys(labelsOf(texts));
  return keys.length < texts.length ? 'Use each key only once.' : null;
}
