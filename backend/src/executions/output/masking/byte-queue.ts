/**
 * Waiting bytes of a stream, addressed by their position in the whole stream. Appending and taking cost constant time
 * per byte, even for small pieces. Never overwrites bytes that were taken.
 */
export class ByteQueue {
  private memory: Buffer = Buffer.alloc(0);
  private from = 0;
  private to = 0;
  private first = 0;

  get length(): number {
    return this.to - this.from;
  }

  /** Takes ownership of `bytes`: the caller must not change them afterwards. */
  appendBytes(bytes: Buffer): void {
    if (this.length === 0) this.placeBytes(bytes, bytes.length);
    else {
      const length = this.length + bytes.length;
      if (this.to + bytes.length > this.memory.length) this.moveBytes(2 * length);
      this.to += bytes.copy(this.memory, this.to);
    }
  }

  /** Advances over bytes that need not wait. Only valid while the queue is empty. */
  skipBytes(count: number): void {
    this.first += count;
  }

  /** Returns the waiting bytes before a position in the stream; empty if they were taken before. */
  takeUntil(position: number): Buffer {
    const count = Math.min(Math.max(0, position - this.first), this.length);
    const taken = this.memory.subarray(this.from, this.from + count);
    this.from += count;
    this.first += count;
    // Copies a few remaining bytes, so that they do not keep a large buffer alive.
    if (this.length * 4 < this.memory.length) this.moveBytes(this.length);
    return taken;
  }

  private moveBytes(capacity: number): void {
    const memory = Buffer.allocUnsafe(capacity);
    this.placeBytes(memory, this.memory.copy(memory, 0, this.from, this.to));
  }

  private placeBytes(memory: Buffer, length: number): void {
    this.memory = memory;
    this.from = 0;
    this.to = length;
  }
}
