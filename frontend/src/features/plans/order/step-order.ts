export type Edge = 'before' | 'behind';

/** Returns the number of positions by which to move an item, so that it is at the edge of the item `over`. */
export function targetIndex(from: number, over: number, edge: Edge): number {
  const slot = edge === 'before' ? over : over + 1;
  return from < slot ? slot - 1 - from : slot - from;
}

/** Returns the nearer edge of a card. */
export const edgeAt = (y: number, { top, height }: Pick<DOMRect, 'top' | 'height'>): Edge =>
  y < top + height / 2 ? 'before' : 'behind';

/** Screen reader text for a step that is picked up or moved. */
export const placeOf = (key: string, index: number, count: number): string =>
  `${key === '' ? 'The step' : `Step “${key}”`} is at position ${index + 1} of ${count}.`;
