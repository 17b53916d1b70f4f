/** What a terminal shows of a line after its carriage returns: the last text that is not empty. */
export function lastState(text: string): string {
  if (!text.includes('\r')) return text;
  return text.split('\r').findLast((state) => state !== '') ?? '';
}
