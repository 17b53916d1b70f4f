/**
 * Linked list of the escapes before a position in decoded text, last one first. Positions in the stream and in the
 * decoded text count bytes from the beginning of the stream. Lists are immutable and share elements.
 */
export interface EscapeTrail {
  readonly before: EscapeTrail | null;
  /** Some earlier element, for lookups in logarithmic time (Myers, 1983). */
  readonly jump: EscapeTrail | null;
  readonly count: number;
  readonly start: number;
  readonly end: number;
  /** Position in the stream minus position in the decoded text, before and after the escape. */
  readonly extraBefore: number;
  readonly extra: number;
}

type TrailEscape = Pick<EscapeTrail, 'start' | 'end' | 'extraBefore' | 'extra'>;

/** @param limit number of escapes to keep; older ones may be removed */
export function extendTrail(trail: EscapeTrail | null, escape: TrailEscape, limit: number): EscapeTrail {
  // An escape that decodes to no bytes belongs to the escape right before it.
  if (trail?.end === escape.end) return extendByEscape(trail.before, { ...trail, extra: escape.extra });
  return extendByEscape(trail && trail.count > 2 * limit + 16 ? shortenTrail(trail, limit) : trail, escape);
}

/** Converts a position in the decoded text to the position in the stream where that byte begins. */
export function findPositionInTrail(trail: EscapeTrail, place: number): number {
  let at: EscapeTrail | null = trail;
  while (at && at.start > place) at = at.jump && at.jump.start > place ? at.jump : at.before;
  if (!at) return place + findFirstEscape(trail).extraBefore;
  return place >= at.end ? place + at.extra : at.start + at.extraBefore;
}

function extendByEscape(before: EscapeTrail | null, { start, end, extraBefore, extra }: TrailEscape): EscapeTrail {
  const far = before?.jump;
  const skips = far && before.count - far.count === far.count - (far.jump?.count ?? 0);
  return {
    before,
    jump: skips ? far.jump : before,
    count: (before?.count ?? 0) + 1,
    start,
    end,
    extraBefore,
    extra,
  };
}

function shortenTrail(trail: EscapeTrail, limit: number): EscapeTrail | null {
  const keptEscapes: TrailEscape[] = [];
  for (let at: EscapeTrail | null = trail; at && keptEscapes.length <= limit; at = at.before) keptEscapes.push(at);
  return keptEscapes.reduceRight<EscapeTrail | null>(extendByEscape, null);
}

function findFirstEscape(trail: EscapeTrail): EscapeTrail {
  let at = trail;
  while (at.before) at = at.jump ?? at.before;
  return at;
}
