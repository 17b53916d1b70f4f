/**
 * The escapes on the way to a place in decoded text, the last one first. Both texts are counted in bytes from the beginning
 * of the stream. Trails share their beginnings and are never changed.
 */
export interface EscapeTrail {
  readonly before: EscapeTrail | null;
  /** Somewhere further back, so that a place is found in a logarithm of the escapes (Myers, 1983). */
  readonly jump: EscapeTrail | null;
  /** Escapes up to this one, and it. */
  readonly count: number;
  /** Where the decoded bytes begin and end. */
  readonly start: number;
  readonly end: number;
  /** By how much the stream is ahead of the decoded text, before and behind the escape. */
  readonly extraBefore: number;
  readonly extra: number;
}

type Escape = Pick<EscapeTrail, 'start' | 'end' | 'extraBefore' | 'extra'>;

/** @param most how many escapes are looked up at most; older ones are forgotten in time */
export function extendTrail(trail: EscapeTrail | null, escape: Escape, most: number): EscapeTrail {
  // What stands for no byte belongs to the escape right before it.
  if (trail?.end === escape.end) return linked(trail.before, { ...trail, extra: escape.extra });
  return linked(trail && trail.count > 2 * most + 16 ? shortened(trail, most) : trail, escape);
}

/** Where in the stream the decoded byte at this place begins. */
export function positionIn(trail: EscapeTrail, place: number): number {
  let at: EscapeTrail | null = trail;
  while (at && at.start > place) at = at.jump && at.jump.start > place ? at.jump : at.before;
  if (!at) return place + firstOf(trail).extraBefore;
  return place >= at.end ? place + at.extra : at.start + at.extraBefore;
}

function linked(before: EscapeTrail | null, { start, end, extraBefore, extra }: Escape): EscapeTrail {
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

function shortened(trail: EscapeTrail, most: number): EscapeTrail | null {
  const kept: Escape[] = [];
  for (let at: EscapeTrail | null = trail; at && kept.length <= most; at = at.before) kept.push(at);
  return kept.reduceRight<EscapeTrail | null>(linked, null);
}

function firstOf(trail: EscapeTrail): EscapeTrail {
  let at = trail;
  while (at.before) at = at.jump ?? at.before;
  return at;
}
