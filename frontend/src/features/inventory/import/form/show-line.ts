import { lineRange } from '../faults/text-faults';

/** Selects a line of a text field and scrolls to it. Lines do not wrap, so all lines have the same height. */
export function showLine(field: HTMLTextAreaElement, line: number): void {
  const [start, end] = lineRange(field.value, line);
  const height = Number.parseFloat(getComputedStyle(field).lineHeight);
  field.focus({ preventScroll: true });
  field.setSelectionRange(start, end);
  field.scrollTop = Math.max(0, (line - 1) * height - field.clientHeight / 3);
  field.scrollLeft = 0;
  field.scrollIntoView({ block: 'nearest' });
}
