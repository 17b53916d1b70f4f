import { BEGINS_ESCAPE, BEGINS_HIDDEN, decodeEscape } from './escape-token.js';
import { type EscapeTrail, extendTrail, positionIn } from './escape-trail.js';
import { type FoundSecrets, maskAt } from '../found-secrets.js';
import type { Marks } from '../marks.js';

/** Maximum number of parallel readings of the same bytes. A secret needs one reading, or two after backslashes. */
const MAX_READINGS = 8;
/** Maximum cost of one step of a reading. Readings copy states, so the matcher's average cost does not apply. */
const MAX_FALLBACKS = 64;
/** Maximum number of invisible bytes between two bytes of a secret. */
const MAX_INVISIBLE_BYTES = 64;

interface Reading {
  readonly state: number;
  /** Position in the stream minus position in the decoded text, in bytes. */
  readonly extra: number;
  readonly hidden: number;
  /** Decoded escapes; null = none. */
  readonly trail: EscapeTrail | null;
}

interface Token {
  text: string;
  readonly start: number;
  readonly before: readonly Reading[];
}

/**
 * Finds secrets that are escaped or contain control characters and terminal sequences, in any mix of encodings ({@link
 * decodeEscape}). Reads the text both with and without decoding an escape, in parallel, as long as decoded bytes may
 * begin a secret.
 */
export class EscapedView {
  /** True while a match is unfinished: then every byte must be passed to `take`. */
  active = false;
  private readings: Reading[] = [];
  private tokens: Token[] = [];

  constructor(
    private readonly secrets: FoundSecrets,
    private readonly marks: Marks,
  ) {}

  /** @param state matcher state for the undecoded text, before this byte */
  take(byte: number, position: number, state: number): void {
    const before = this.readings;
    if (before.length > 0) this.readings = this.literal(before, byte, position);
    if (BEGINS_ESCAPE[byte] === 1 || (BEGINS_HIDDEN[byte] === 1 && (state !== 0 || before.length > 0))) {
      const text: Reading = { state, extra: 0, hidden: 0, trail: null };
      this.tokens.push({ text: '', start: position - 1, before: [text, ...before] });
    }
    if (this.tokens.length > 0) this.readTokens(byte, position);
    this.active = this.tokens.length > 0 || this.readings.length > 0;
  }

  /** Position before which no further secret can begin. */
  decided(position: number): number {
    const { unfinished } = this.secrets.matcher;
    const beginning = (reading: Reading, at: number) =>
      this.beginning(reading, at, unfinished[reading.state] as number);
    let decided = position;
    for (const reading of this.readings) decided = Math.min(decided, beginning(reading, position));
    for (const { start, before } of this.tokens) {
      for (const reading of before) decided = Math.min(decided, beginning(reading, start));
    }
    return decided;
  }

  private readTokens(byte: number, position: number): void {
    const char = String.fromCharCode(byte);
    this.tokens = this.tokens.filter((token) => {
      token.text += char;
      const decoded = decodeEscape(token.text);
      if (decoded === 'more') return true;
      for (const bytes of decoded ?? []) this.decode(token, bytes, position);
      return false;
    });
  }

  private literal(before: readonly Reading[], byte: number, position: number): Reading[] {
    const { matcher } = this.secrets;
    const next: Reading[] = [];
    for (const { state: from, extra, trail } of before) {
      const state = matcher.stepBounded(MAX_FALLBACKS, from, byte);
      const reading = { state, extra, hidden: 0, trail };
      this.markFound(reading, position);
      if (this.isApart(reading, matcher.depth[state] as number, position)) next.push(reading);
    }
    return next;
  }

  private decode({ before, start }: Token, bytes: Buffer, position: number): void {
    const { matcher } = this.secrets;
    let goesOn = false;
    for (let at = before.length - 1; at >= 0; at -= 1) {
      const { state: from, extra: ahead, hidden: skipped, trail } = before[at] as Reading;
      let state = from;
      for (const byte of bytes) state = matcher.stepBounded(MAX_FALLBACKS, state, byte);
      if (state === 0) continue;
      // A reading that continues through this escape also covers a match that begins with it.
      const begins = (matcher.depth[state] as number) <= bytes.length;
      if (begins && goesOn) continue;
      goesOn ||= !begins;
      const place = start - ahead;
      const end = place + bytes.length;
      const escape = { start: place, end, extraBefore: ahead, extra: position - end };
      const hidden = bytes.length > 0 ? 0 : skipped + position - start;
      if (hidden > MAX_INVISIBLE_BYTES) continue;
      const reading = { state, extra: escape.extra, hidden, trail: extendTrail(trail, escape, 2 * matcher.longest) };
      if (bytes.length > 0) this.markFound(reading, position);
      this.follow(reading, position);
    }
  }

  /**
   * Of two readings in the same state, keeps the one that began earlier, because it masks more. Above the limit, drops
   * the reading with the shortest match.
   */
  private follow(reading: Reading, position: number): void {
    const { depth } = this.secrets.matcher;
    const length = depth[reading.state] as number;
    const same = this.readings.findIndex(({ state }) => state === reading.state);
    if (same >= 0) {
      const known = this.readings[same] as Reading;
      if (this.beginning(reading, position, length) < this.beginning(known, position, length))
        this.readings[same] = reading;
      return;
    }
    this.readings.push(reading);
    if (this.readings.length <= MAX_READINGS) return;
    this.readings.sort((a, b) => (depth[b.state] as number) - (depth[a.state] as number));
    this.readings.pop();
  }

  private markFound(reading: Reading, position: number): void {
    const { matcher } = this.secrets;
    const node = matcher.found[reading.state] as number;
    if (node === 0) return;
    const length = matcher.depth[node] as number;
    if (this.isApart(reading, length, position))
      this.marks.add(this.beginning(reading, position, length), position, maskAt(this.secrets, node));
  }

  private isApart({ extra, trail }: Reading, length: number, position: number): boolean {
    return trail !== null && position - extra - length < trail.end;
  }

  private beginning({ extra, trail }: Reading, position: number, length: number): number {
    const place = position - extra - length;
    return trail === null ? place : positionIn(trail, place);
  }
}
