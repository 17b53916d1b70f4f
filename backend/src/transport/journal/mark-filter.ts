const EMPTY_BUFFER = Buffer.alloc(0);

/** Finds and removes the first occurrence of a mark in a byte stream that is split anywhere. */
export class MarkFilter {
  private readonly mark: Buffer;
  private heldBytes: Buffer = EMPTY_BUFFER;

  /** @param found true: expect no mark, all bytes come after it */
  constructor(
    mark: string,
    public found = false,
  ) {
    this.mark = Buffer.from(mark, 'latin1');
  }

  /** @returns bytes before and after the mark */
  push(piece: Buffer): { before: Buffer; after: Buffer } {
    if (this.found) return { before: EMPTY_BUFFER, after: piece };
    const bytes = this.heldBytes.length === 0 ? piece : Buffer.concat([this.heldBytes, piece]);
    const start = bytes.indexOf(this.mark);
    this.found = start !== -1;
    const end = this.found ? start : findPartialMark(bytes, this.mark);
    this.heldBytes = this.found ? EMPTY_BUFFER : Buffer.from(bytes.subarray(end));
    return {
      before: bytes.subarray(0, end),
      after: this.found ? bytes.subarray(start + this.mark.length) : EMPTY_BUFFER,
    };
  }

  rest(): Buffer {
    const rest = this.heldBytes;
    this.heldBytes = EMPTY_BUFFER;
    return rest;
  }
}

/** Start of the longest suffix of `bytes` that is a prefix of `mark`. */
export function findPartialMark(bytes: Buffer, mark: Buffer): number {
  for (let length = Math.min(mark.length - 1, bytes.length); length > 0; length -= 1) {
    if (bytes.subarray(bytes.length - length).equals(mark.subarray(0, length))) return bytes.length - length;
  }
  return bytes.length;
}
