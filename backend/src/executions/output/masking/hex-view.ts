import { type SecretMatcher, getMaskAt } from './found-secrets.js';
import type { MaskedRanges } from './marks.js';

/**
 * Maximum number of separators (`:`, `-`, `,`, white space) between two bytes. One `0x` before a byte is not counted.
 */
const MAX_SEPARATORS = 2;
const HEX_SEPARATORS = new Set([...':-, \t\r\n'].map((char) => char.charCodeAt(0)));
const LETTER_X = 0x78;

/** Value of each byte as a hexadecimal digit; -1 = not a digit. */
export const HEX_DIGIT_BY_BYTE = Int8Array.from({ length: 256 }, (_, byte) => {
  const digit = Number.parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(digit) ? -1 : digit;
});

interface HexReading {
  state: number;
  /** Positions in the stream of the last decoded bytes, oldest first. At least as many as the depth of the state. */
  readonly starts: number[];
}

/** Finds secrets within hexadecimal digits, such as `736563`, `73:65:63` or `0x73, 0x65`, also over several lines. */
export class HexView {
  /** True while a match is unfinished: then every byte must be passed to `takeByte`. */
  active = false;
  /**
   * Two readings: pairs that end with an even digit (second, fourth, …), and pairs that end with an odd one (third,
   * fifth, …).
   */
  private readonly readings: HexReading[] = [
    { state: 0, starts: [] },
    { state: 0, starts: [] },
  ];
  private digits = 0;
  private last = 0;
  private separators = 0;
  private prefixed = false;
  private readonly beginnings = new Uint8Array(16);

  constructor(
    private readonly secrets: SecretMatcher,
    private readonly marks: MaskedRanges,
  ) {
    secrets.matcher.first.forEach((node, byte) => {
      if (node !== 0) this.beginnings[byte >> 4] = 1;
    });
  }

  /** @param position number of bytes of the stream, including this byte */
  takeByte(byte: number, position: number): void {
    const digit = HEX_DIGIT_BY_BYTE[byte] as number;
    if (digit < 0) return this.takeSeparator(byte);
    if (this.digits > 0) {
      this.separators = 0;
      this.prefixed = false;
      const pair = (this.last << 4) | digit;
      const reading = this.readings[(this.digits - 1) & 1] as HexReading;
      if (reading.state !== 0 || this.secrets.matcher.first[pair] !== 0) this.readDigit(reading, pair, position);
    }
    this.last = digit;
    this.digits += 1;
    this.active = true;
  }

  private reset(): void {
    for (const reading of this.readings) reading.state = 0;
    this.digits = 0;
    this.separators = 0;
    this.prefixed = false;
    this.active = false;
  }

  /** Position before which no further secret can begin. */
  getDecidedPosition(position: number): number {
    let decided = position;
    for (const { state, starts } of this.readings) {
      const unfinished = this.secrets.matcher.unfinished[state] as number;
      if (unfinished > 0) decided = Math.min(decided, starts.at(-unfinished) as number);
    }
    if (this.digits > 0 && this.beginnings[this.last] === 1) decided = Math.min(decided, position - 1);
    return decided;
  }

  private takeSeparator(byte: number): void {
    const prefix = this.last === 0 && (byte | 0x20) === LETTER_X;
    // The digits end here. The next digit begins a pair, and only pairs that end here continue.
    if (this.digits % 2 === (prefix ? 0 : 1)) this.readings.reverse();
    (this.readings[1] as HexReading).state = 0;
    this.digits = 0;
    if (prefix && !this.prefixed) {
      this.prefixed = true;
      return;
    }
    this.separators += 1;
    if (this.separators > MAX_SEPARATORS || !HEX_SEPARATORS.has(byte)) this.reset();
  }

  private readDigit(reading: HexReading, byte: number, position: number): void {
    const { matcher } = this.secrets;
    const state = matcher.step(reading.state, byte);
    reading.state = state;
    const depth = matcher.depth[state] as number;
    reading.starts.push(position - 2);
    if (reading.starts.length > 2 * depth + 64) reading.starts.splice(0, reading.starts.length - depth);
    const node = matcher.found[state] as number;
    if (node === 0) return;
    const start = reading.starts.at(-(matcher.depth[node] as number)) as number;
    this.marks.addRange(start, position, getMaskAt(this.secrets, node));
  }
}
