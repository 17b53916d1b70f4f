import { Duplex } from 'node:stream';
import { HostilePeerError } from '../ssh-errors.js';
import { type Deadline, scheduleDeadline, getListeningTimeMs } from '../listening-time.js';
import { type SlicedSocket, socketScheduler, TURN_DURATION_MS } from '../socket-turns.js';
import { IdentificationLineFilter } from './greeting.js';

/** Bytes that ssh2 handles before the next connection has its turn. The size adapts to the duration of a turn. */
const SLICE_BYTES = { first: 16 * 1024, smallest: 4 * 1024, largest: 64 * 1024 };
/** The socket is paused while more than this many received bytes are queued. */
const MAX_QUEUED_BYTES = 128 * 1024;
/**
 * The socket is not read while more than this many bytes wait to be sent. A host that does not read answers then causes
 * no further answers.
 */
export const MAX_UNSENT_BYTES = 256 * 1024;
const FINISH_TIMEOUT_MS = 2_000;

/**
 * Connection to a host, for use by ssh2. Handles received data in slices, fairly across all connections, and pauses
 * while the host does not read. Keeps the order of data, end and error.
 */
export class PacedSocket extends Duplex implements SlicedSocket {
  private readonly waiting: Buffer[] = [];
  private waitingBytes = 0;
  private sliceBytes = SLICE_BYTES.first;
  private wantsData = false;
  private ended = false;
  private over: { error: Error | null } | null = null;
  private isFinishing = false;
  private restEndMs = 0;
  private restDeadline: Deadline | null = null;
  private readonly lines = new IdentificationLineFilter();

  constructor(private readonly raw: Duplex) {
    super({ allowHalfOpen: false });
    raw.on('data', (chunk: Buffer) => this.onChunk(chunk));
    raw.pause();
    raw.on('end', () => {
      this.queueReceived(this.lines.rest());
      this.ended = true;
      socketScheduler.add(this);
    });
    raw.on('error', (error) => this.onConnectionLost(error));
    raw.on('close', () => this.onConnectionLost(null));
    this.once('end', () => this.over && this.destroy(this.over.error ?? undefined));
  }

  /** Ignores further data from the host, sends queued data, and closes within {@link FINISH_TIMEOUT_MS}. */
  finishSending(): void {
    if (this.isFinishing || this.destroyed) return;
    this.isFinishing = true;
    this.waiting.splice(0);
    this.raw.pause();
    const deadline = scheduleDeadline(FINISH_TIMEOUT_MS, () => this.destroy());
    this.once('close', () => deadline.cancel());
    this.end(() => this.destroy());
  }

  /** Queues received data meanwhile. Of several pauses, the latest end applies. */
  pauseReading(ms: number): void {
    if (ms <= 0) return;
    this.restEndMs = Math.max(this.restEndMs, getListeningTimeMs() + ms);
    this.restDeadline ??= scheduleDeadline(ms, () => this.resumeReading());
  }

  private resumeReading(): void {
    this.restDeadline = null;
    const ms = this.restEndMs - getListeningTimeMs();
    if (ms > 1) this.pauseReading(ms);
    else socketScheduler.add(this);
  }

  takeSlice(): boolean {
    if (this.destroyed || this.isFinishing || !this.wantsData) return false;
    if (this.isStalled) return false;
    const slice = this.takeNextSlice();
    if (slice) {
      this.deliver(slice);
    } else if (this.ended) {
      this.push(null);
      this.wantsData = false;
    }
    if (this.waiting.length > 0) return this.wantsData;
    if (this.over && !this.isEndPending) this.destroy(this.over.error ?? undefined);
    else if (!this.ended && !this.destroyed) this.raw.resume();
    return this.ended && this.wantsData;
  }

  private deliver(slice: Buffer): void {
    const begun = performance.now();
    this.wantsData = this.push(slice);
    if (slice.length < SLICE_BYTES.smallest) return;
    const bytes = (slice.length * TURN_DURATION_MS) / (performance.now() - begun);
    this.sliceBytes = Math.round(Math.max(SLICE_BYTES.smallest, Math.min(SLICE_BYTES.largest, bytes)));
  }

  private get isStalled(): boolean {
    return !this.over && (this.restDeadline !== null || this.unsentBytes > MAX_UNSENT_BYTES);
  }

  /** Whether the peer has ended, but 'end' was not emitted yet: a close before it would look like a lost connection. */
  private get isEndPending(): boolean {
    return this.ended && !this.readableEnded;
  }

  private get unsentBytes(): number {
    return this.writableLength + this.raw.writableLength;
  }

  private onChunk(chunk: Buffer): void {
    if (this.isFinishing) return;
    const passed = this.lines.take(chunk);
    if (this.lines.exceeded) {
      this.destroy(new HostilePeerError('it sent more than 64 KiB or 1,024 lines without an SSH identification'));
      return;
    }
    // Passes data on directly when possible: queued buffers cost the garbage collector several times as much.
    const mayPass = this.wantsData && this.waiting.length === 0 && passed.length <= this.sliceBytes && !this.isStalled;
    if (mayPass && passed.length > 0 && socketScheduler.handleNowIfPossible(() => this.deliver(passed))) return;
    this.queueReceived(passed);
    if (this.waitingBytes >= MAX_QUEUED_BYTES) this.raw.pause();
    socketScheduler.add(this);
  }

  private queueReceived(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
  }

  private takeNextSlice(): Buffer | null {
    const [first] = this.waiting;
    if (!first) return null;
    const slice = first.subarray(0, this.sliceBytes);
    if (slice.length === first.length) this.waiting.shift();
    else this.waiting[0] = first.subarray(slice.length);
    this.waitingBytes -= slice.length;
    return slice;
  }

  /** Delivers queued data before the error or end. */
  private onConnectionLost(error: Error | null): void {
    this.over ??= { error };
    if (this.waiting.length === 0 && !this.isEndPending) this.destroy(this.over.error ?? undefined);
    else socketScheduler.add(this);
  }

  override _read(): void {
    this.wantsData = true;
    if (this.waiting.length > 0 || this.ended) socketScheduler.add(this);
    else if (this.unsentBytes <= MAX_UNSENT_BYTES && !this.isFinishing) this.raw.resume();
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.onSent(this.raw.write(chunk), done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.raw.cork();
    let writable = true;
    for (const { chunk } of chunks) writable = this.raw.write(chunk);
    this.raw.uncork();
    this.onSent(writable, done);
  }

  private onSent(writable: boolean, done: () => void): void {
    if (writable) return done();
    this.raw.once('drain', () => {
      done();
      socketScheduler.add(this);
    });
  }

  override _final(done: (error?: Error | null) => void): void {
    this.raw.end(() => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.waiting.splice(0);
    this.restDeadline?.cancel();
    this.raw.destroy();
    done(error);
  }
}
