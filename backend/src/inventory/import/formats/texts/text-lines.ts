import type { Findings } from './findings.ts';
import { MAX_LINE_LENGTH } from './limits.ts';

export interface TextLine {
  readonly number: number;
  readonly text: string;
}

export function toPlainText(content: string, findings: Findings): string {
  const text = content.startsWith('\uFEFF') ? content.slice(1) : content;
  const nul = text.indexOf('\0');
  if (nul >= 0) {
    const message = 'The text contains a NUL character. Send a text in UTF-8, not a binary file or UTF-16.';
    findings.refuse(countLinesUntil(text, nul), null, 'forbidden_character', message);
  }
  return text;
}

export function splitLines(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}

export function requireLineLimits(lines: readonly string[], findings: Findings): void {
  const long = lines.findIndex((line) => line.length > MAX_LINE_LENGTH);
  if (long < 0) return;
  const message = `A line can have at most ${MAX_LINE_LENGTH} characters. Split this one.`;
  findings.refuse(long + 1, null, 'line_too_long', message);
}

export function* readContentLines(content: string, commentMarks: string, findings: Findings): Generator<TextLine> {
  const lines = splitLines(toPlainText(content, findings));
  requireLineLimits(lines, findings);
  for (const [index, line] of lines.entries()) {
    const text = line.trim();
    if (text !== '' && !commentMarks.includes(text.charAt(0))) yield { number: index + 1, text };
  }
}

function countLinesUntil(text: string, offset: number): number {
  return splitLines(text.slice(0, offset)).length;
}
