import { type SecretMatcher, getMaskAt } from './found-secrets.js';
import type { MaskedRanges } from './marks.js';

/** Encoders break base64 lines after 60 (uuencode), 64 (PEM) or 76 (MIME, coreutils) characters, never earlier. */
const MIN_WRAPPED_LINE = 60;
const BASE64_PHASES = [0, 1, 2, 3] as const;
const LF = 0x0a;
const CR = 0x0d;
const PAD = 0x3d;

/** Six-bit value of each byte in base64 or base64url; -1 = in neither alphabet. */
export const BASE64_VALUE_BY_BYTE = Int8Array.from({ length: 256 }, (_, byte) => {
  const at = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_'.indexOf(String.fromCharCode(byte));
  return at < 64 ? at : at - 2;
});

/**
 * Finds secrets within base64 and base64url, with or without line breaks, at any offset. Reads all four alignments in
 * parallel. Marks a range of characters: it begins with the first character that has only bits of the secret, and ends
 * with the last that has any.
 */
export class Base64View {
  /** True while a match is unfinished: then every byte must be passed to `takeByte`. */
  active = false;
  /** Matcher state after the decoded bytes, by alignment. */
  private readonly states = new Int32Array(4);
  private bits = 0;
  /** Number of characters since this base64 text began, without line breaks. */
  private seen = 0;
  /**
   * Value of `seen` at each byte of a line break. Older entries are removed once no secret can contain their position.
   */
  private breaks: number[] = [];
  private run = 0;
  private gap = 0;
  /** End of the last marked secret, including padding characters after it. */
  private markedUntil = -1;
  /** 1 for each six-bit value with which a secret's first byte can begin. */
  private readonly beginnings = new Uint8Array(64);

  constructor(
    private readonly secrets: SecretMatcher,
    private readonly marks: MaskedRanges,
  ) {
    secrets.matcher.first.forEach((node, byte) => {
      if (node !== 0) this.beginnings[byte >> 2] = 1;
    });
  }

  /** @param position number of bytes of the stream, including this byte */
  takeByte(byte: number, position: number): void {
    const value = BASE64_VALUE_BY_BYTE[byte] as number;
    if (value >= 0) return this.takeBits(value, position);
    if ((byte === LF || byte === CR) && this.run >= MIN_WRAPPED_LINE && this.gap < 2) {
      this.gap += 1;
      this.forgetBreaks();
      this.breaks.push(this.seen);
      return;
    }
    if (byte === PAD && this.markedUntil === position - 1) {
      this.markedUntil = position;
      this.marks.extendLast(position);
      this.reset();
      this.active = true;
    } else this.reset();
  }

  private reset(): void {
    this.active = false;
    this.states.fill(0);
    this.bits = 0;
    this.seen = 0;
    this.breaks = [];
    this.run = 0;
    this.gap = 0;
  }

  /** Position before which no further secret can begin. */
  getDecidedPosition(position: number): number {
    if (this.seen === 0) return position;
    let first = this.seen - (this.beginnings[this.bits & 0x3f] as number);
    for (const phase of BASE64_PHASES) {
      const unfinished = this.secrets.matcher.unfinished[this.states[phase] as number] as number;
      if (unfinished > 0) first = Math.min(first, this.findFirstCharacter(unfinished, (this.seen - 1 - phase) & 3));
    }
    return this.findCharacterPosition(first, position);
  }

  private takeBits(value: number, position: number): void {
    if (this.gap > 0) this.run = 0;
    this.gap = 0;
    this.run += 1;
    const at = this.seen;
    this.active = true;
    this.seen += 1;
    this.bits = ((this.bits << 6) | value) & 0xffffff;
    const { states, bits } = this;
    const { first } = this.secrets.matcher;
    for (let sub = 1; sub < 4 && sub <= at; sub += 1) {
      const phase = (at - sub) & 3;
      const byte = (bits >> (6 - 2 * sub)) & 0xff;
      if (states[phase] !== 0 || first[byte] !== 0) this.decodeByte(phase, sub, byte, position);
    }
  }

  private decodeByte(phase: number, sub: number, byte: number, position: number): void {
    const { matcher } = this.secrets;
    const state = matcher.step(this.states[phase] as number, byte);
    this.states[phase] = state;
    const node = matcher.found[state] as number;
    if (node === 0) return;
    const start = this.findFirstCharacter(matcher.depth[node] as number, sub);
    this.marks.addRange(this.findCharacterPosition(start, position), position, getMaskAt(this.secrets, node));
    this.markedUntil = position;
  }

  /**
   * Number of the first character that has only bits of the last `bytes` bytes. `sub`: index of the last character in
   * its group of four.
   */
  private findFirstCharacter(bytes: number, sub: number): number {
    return this.seen - 1 - sub + Math.ceil((8 * (sub - bytes)) / 6);
  }

  private findCharacterPosition(character: number, position: number): number {
    let low = 0;
    let high = this.breaks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.breaks[middle] as number) > character) high = middle;
      else low = middle + 1;
    }
    return position - (this.seen - character) - (this.breaks.length - low);
  }

  /** Removes line breaks that precede every possible beginning of a secret. */
  private forgetBreaks(): void {
    const { unfinished } = this.secrets.matcher;
    const longest = Math.max(...BASE64_PHASES.map((phase) => unfinished[this.states[phase] as number] as number));
    const oldest = this.seen - 4 - Math.ceil((longest * 8) / 6);
    this.breaks = this.breaks.filter((at) => at >= oldest);
  }
}
