import { IS_ESCAPE_START, IS_HIDDEN_START, decodeEscape } from './escape-token.js';
import { type EscapeTrail, extendTrail, findPositionInTrail } from './escape-trail.js';
import { type SecretMatcher, getMaskAt } from '../found-secrets.js';
import type { MaskedRanges } from '../marks.js';

/** Maximum number of parallel readings of the same bytes. A secret needs one reading, or two after backslashes. */
const MAX_READINGS = 8;
/** Maximum cost of one step of a reading. Readings copy states, so the matcher's average cost does not apply. */
const MAX_FALLBACKS = 64;
/** Maximum number of invisible bytes between two bytes of a secret. */
const MAX_INVISIBLE_BYTES = 64;

interface EscapeReading {
  readonly state: number;
  /** Position in the stream minus position in the decoded text, in bytes. */
  readonly extra: number;
  readonly hidden: number;
  /** Decoded escapes; null = none. */
  readonly trail: EscapeTrail | null;
}

interface OpenEscapeToken {
  text: string;
  readonly start: number;
  readonly before: readonly EscapeReading[];
}

/**
 * Finds secrets that are escaped or contain control characters and terminal sequences, in any mix of encodings ({@link
 * decodeEscape}). Reads the text both with and without decoding an escape, in parallel, as long as decoded bytes may
 * begin a secret.
 */
export class EscapedView {
  /** True while a match is unfinished: then every byte must be passed to `takeByte`. */
  active = false;
  private readings: EscapeReading[] = [];
  private tokens: OpenEscapeToken[] = [];

  constructor(
    private readonly secrets: SecretMatcher,
    private readonly marks: MaskedRanges,
  ) {}

  /** @param state matcher state for the undecoded text, before this byte */
  takeByte(byte: number, position: number, state: number): void {
    const before = this.readings;
    if (before.length > 0) this.readings = this.followLiteral(before, byte, position);
    if (IS_ESCAPE_START[byte] === 1 || (IS_HIDDEN_START[byte] === 1 && (state !== 0 || before.length > 0))) {
      const text: EscapeReading = { state, extra: 0, hidden: 0, trail: null };
      this.tokens.push({ text: '', start: position - 1, before: [text, ...before] });
    }
    if (this.tokens.length > 0) this.readTokens(byte, position);
    this.active = this.tokens.length > 0 || this.readings.length > 0;
  }

  /** Position before which no further secret can begin. */
  getDecidedPosition(position: number): number {
    const { unfinished } = this.secrets.matcher;
    const beginning = (reading: EscapeReading, at: number) =>
      this.findSecretStart(reading, at, unfinished[reading.state] as number);
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
      for (const bytes of decoded ?? []) this.decodeToken(token, bytes, position);
      return false;
    });
  }

  private followLiteral(before: readonly EscapeReading[], byte: number, position: number): EscapeReading[] {
    const { matcher } = this.secrets;
    const next: EscapeReading[] = [];
    for (const { state: from, extra, trail } of before) {
      const state = matcher.stepBounded(MAX_FALLBACKS, from, byte);
      const reading = { state, extra, hidden: 0, trail };
      this.markFoundSecret(reading, position);
      if (this.containsEscape(reading, matcher.depth[state] as number, position)) next.push(reading);
    }
    return next;
  }

  private decodeToken({ before, start }: OpenEscapeToken, bytes: Buffer, position: number): void {
    const { matcher } = this.secrets;
    let goesOn = false;
    for (let at = before.length - 1; at >= 0; at -= 1) {
      const { state: from, extra: ahead, hidden: skipped, trail } = before[at] as EscapeReading;
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
      if (bytes.length > 0) this.markFoundSecret(reading, position);
      this.followReading(reading, position);
    }
  }

  /**
   * Of two readings in the same state, keeps the one that began earlier, because it masks more. Above the limit, drops
   * the reading with the shortest match.
   */
  private followReading(reading: EscapeReading, position: number): void {
    const { depth } = this.secrets.matcher;
    const length = depth[reading.state] as number;
    const same = this.readings.findIndex(({ state }) => state === reading.state);
    if (same >= 0) {
      const known = this.readings[same] as EscapeReading;
      if (this.findSecretStart(reading, position, length) < this.findSecretStart(known, position, length))
        this.readings[same] = reading;
      return;
    }
    this.readings.push(reading);
    if (this.readings.length <= MAX_READINGS) return;
    this.readings.sort((a, b) => (depth[b.state] as number) - (depth[a.state] as number));
    this.readings.pop();
  }

  private markFoundSecret(reading: EscapeReading, position: number): void {
    const { matcher } = this.secrets;
    const node = matcher.found[reading.state] as number;
    if (node === 0) return;
    const length = matcher.depth[node] as number;
    if (this.containsEscape(reading, length, position))
      this.marks.addRange(this.findSecretStart(reading, position, length), position, getMaskAt(this.secrets, node));
  }

  private containsEscape({ extra, trail }: EscapeReading, length: number, position: number): boolean {
    return trail !== null && position - extra - length < trail.end;
  }

  private findSecretStart({ extra, trail }: EscapeReading, position: number, length: number): number {
    const place = position - extra - length;
    return trail === null ? place : findPositionInTrail(trail, place);
  }
}
