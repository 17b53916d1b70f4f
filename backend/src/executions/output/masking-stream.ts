import { Base64View, BASE64_VALUE_BY_BYTE } from './masking/base64-view.js';
import { IS_ESCAPE_START, IS_HIDDEN_START } from './masking/escape/escape-token.js';
import { EscapedView } from './masking/escape/escaped-view.js';
import { type SecretMatcher, getMaskAt } from './masking/found-secrets.js';
import { HEX_DIGIT_BY_BYTE, HexView } from './masking/hex-view.js';
import { MaskedRanges } from './masking/marks.js';

const ESCAPE_VIEW_BIT = 1;
const BASE64_VIEW_BIT = 2;
const HEX_VIEW_BIT = 4;
/** Bit set for each byte: the views in which an occurrence may start with this byte. */
const VIEWS_BY_BYTE = Uint8Array.from(
  { length: 256 },
  (_, byte) =>
    (IS_ESCAPE_START[byte] === 1 || IS_HIDDEN_START[byte] === 1 ? ESCAPE_VIEW_BIT : 0) |
    ((BASE64_VALUE_BY_BYTE[byte] as number) >= 0 ? BASE64_VIEW_BIT : 0) |
    ((HEX_DIGIT_BY_BYTE[byte] as number) >= 0 ? HEX_VIEW_BIT : 0),
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
  private readonly marks = new MaskedRanges();
  private readonly escaped: EscapedView;
  private readonly base64: Base64View;
  private readonly hex: HexView;

  constructor(private readonly secrets: SecretMatcher) {
    this.escaped = new EscapedView(secrets, this.marks);
    this.base64 = new Base64View(secrets, this.marks);
    this.hex = new HexView(secrets, this.marks);
  }

  /** Takes the next bytes. Returns the bytes that are decided, maybe in the same buffer. */
  push(bytes: Buffer): Buffer {
    this.scanBytes(bytes);
    const decided = this.getDecidedPosition();
    if (this.marks.isIdle && decided === this.position) {
      this.marks.advancePosition(bytes.length);
      return bytes;
    }
    this.marks.appendBytes(bytes);
    return this.marks.releaseMasked(decided);
  }

  /** Returns the remaining bytes. Must be the last call. */
  end(): Buffer {
    return this.marks.releaseMasked(this.position);
  }

  /** Hot loop over all output: calls a view only for bytes that can matter to that view. */
  private scanBytes(bytes: Buffer): void {
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
      if (node !== 0)
        this.marks.addRange(offset + at - (matcher.depth[node] as number), offset + at, getMaskAt(secrets, node));
      const kinds = VIEWS_BY_BYTE[byte] as number;
      if (escaped.active || (kinds & ESCAPE_VIEW_BIT) !== 0) escaped.takeByte(byte, offset + at, before);
      if (base64.active || (kinds & BASE64_VIEW_BIT) !== 0) base64.takeByte(byte, offset + at);
      if (hex.active || (kinds & HEX_VIEW_BIT) !== 0) hex.takeByte(byte, offset + at);
    }
    this.state = state;
    this.position += bytes.length;
  }

  private getDecidedPosition(): number {
    const { position } = this;
    return Math.min(
      position - (this.secrets.matcher.unfinished[this.state] as number),
      this.escaped.getDecidedPosition(position),
      this.base64.getDecidedPosition(position),
      this.hex.getDecidedPosition(position),
    );
  }
}
