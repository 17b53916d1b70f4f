import { Base64View, BITS } from './base64-view.js';
import { BEGINS_ESCAPE, BEGINS_HIDDEN } from './escape/escape-token.js';
import { EscapedView } from './escape/escaped-view.js';
import { type FoundSecrets, maskAt } from './found-secrets.js';
import { DIGITS, HexView } from './hex-view.js';
import { Marks } from './marks.js';

const ESCAPE = 1;
const BASE64 = 2;
const HEX = 4;
/** Bit set for each byte: the views in which an occurrence may start with this byte. */
const KINDS = Uint8Array.from(
  { length: 256 },
  (_, byte) =>
    (BEGINS_ESCAPE[byte] === 1 || BEGINS_HIDDEN[byte] === 1 ? ESCAPE : 0) |
    ((BITS[byte] as number) >= 0 ? BASE64 : 0) |
    ((DIGITS[byte] as number) >= 0 ? HEX : 0),
);

/**
 * Masks every byte of a stream that belongs to an occurrence of a secret: raw, escaped, base64 or hex. Searches decoded
 * views of the stream, so that memory holds only the secrets and not all their encoded forms.
 *
 * Holds back only bytes that may still become an occurrence: at most the longest form of the longest secret.
 */
export class MaskingStream {
  private state = 0;
  private position = 0;
  private readonly marks = new Marks();
  private readonly escaped: EscapedView;
  private readonly base64: Base64View;
  private readonly hex: HexView;

  constructor(private readonly secrets: FoundSecrets) {
    this.escaped = new EscapedView(secrets, this.marks);
    this.base64 = new Base64View(secrets, this.marks);
    this.hex = new HexView(secrets, this.marks);
  }

  /** Takes the next bytes. Returns the bytes that are decided, maybe in the same buffer. */
  push(bytes: Buffer): Buffer {
    this.scan(bytes);
    const decided = this.decided();
    if (this.marks.idle && decided === this.position) {
      this.marks.pass(bytes.length);
      return bytes;
    }
    this.marks.append(bytes);
    return this.marks.release(decided);
  }

  /** Returns the remaining bytes. Must be the last call. */
  end(): Buffer {
    return this.marks.release(this.position);
  }

  /** Hot loop over all output: calls a view only for bytes that can matter to that view. */
  private scan(bytes: Buffer): void {
    const { secrets, escaped, base64, hex } = this;
    const { matcher } = secrets;
    const { first, found } = matcher;
    const offset = this.position + 1;
    let { state } = this;
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] as number;
      const before = state;
      state = (before === 0 ? first[byte] : matcher.step(before, byte)) as number;
      const node = found[state] as number;
      if (node !== 0) this.marks.add(offset + at - (matcher.depth[node] as number), offset + at, maskAt(secrets, node));
      const kinds = KINDS[byte] as number;
      if (escaped.active || (kinds & ESCAPE) !== 0) escaped.take(byte, offset + at, before);
      if (base64.active || (kinds & BASE64) !== 0) base64.take(byte, offset + at);
      if (hex.active || (kinds & HEX) !== 0) hex.take(byte, offset + at);
    }
    this.state = state;
    this.position += bytes.length;
  }

  private decided(): number {
    const { position } = this;
    return Math.min(
      position - (this.secrets.matcher.unfinished[this.state] as number),
      this.escaped.decided(position),
      this.base64.decided(position),
      this.hex.decided(position),
    );
  }
}
