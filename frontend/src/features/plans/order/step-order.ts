/** Whether what is dragged comes before or behind what it is over. */
export type Edge = 'before' | 'behind';

/** By how many places an item moves to stand at an edge of another one. */
export function placesTo(from: number, over: number, edge: Edge): number {
  const slot = edge === 'before' ? over : over + 1;
  return from < slot ? slot - 1 - from : slot - from;
}

/** Which edge of a card is the nearer one. */
export const edgeAt = (y: number, { top, height }: Pick<DOMRect, 'top' | 'height'>): Edge =>
  y < top + height / 2 ? 'before' : 'behind';

/** What is read out about a step that is picked up or moved. */
export const placeOf = (key: string, index: number, count: number): string =>
  `${key === '' ? 'The step' : `Step “${key}”`} is at place ${index + 1} of ${count}.`;
