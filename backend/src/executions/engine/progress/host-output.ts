import { StepTrailer } from '../../../plans/shell/trailer.js';
import type { OutputStream } from '../../../transport/remote-command.js';
import { LineAssembler, NO_OUTPUT, type OutputChunk, type StoredOutput } from '../../output/line-assembler.js';
import type { RedactionStream, Redactor } from '../../output/redact-secrets.js';
import { SUDO_TTY_ERROR } from '../../steps/shell/sudo-words.js';
import type { EventLoopShare } from './fair-turns.js';

/** Backpressure limit per host: output bytes that wait to be stored. */
const MAX_UNSTORED_BYTES = 128 * 1024;

/** Bytes masked in one slice of work: a few milliseconds in the worst case. */
const MASKING_SLICE_BYTES = 4 * 1024;

const FIRST_ERROR_BYTES = 4096;

const STREAMS = ['stdout', 'stderr'] as const;
const NO_BYTES = Buffer.alloc(0);

export interface OutputTotals {
  lines: number;
  bytes: number;
  droppedLines: number;
  droppedBytes: number;
  /** Last line before the dropped output; null = nothing was dropped. */
  droppedAfterLine: number | null;
}

export type StreamBytes = Record<OutputStream, number>;

export interface OutputSink {
  scheduleStore(isUrgent: boolean): void;
  waitUntilStored(): Promise<void>;
}

/** Position at which an earlier worker left the output of a host and step. */
export interface RestoredOutput {
  stored: StoredOutput;
  /** Bytes per stream that were stored before the command that may still run. */
  before: StreamBytes;
}

/**
 * Output of one host in one step on its path to the store: bytes are masked, numbered and cut into chunks. All
 * attempts, also those of other workers, continue the same numbering.
 */
export class HostOutput {
  private masks: Record<OutputStream, RedactionStream>;
  private trailer: StepTrailer | null = null;
  private readonly assembler: LineAssembler;
  /** `taken`: accepted masked bytes of the current command. `skip`: accepted before the replay, so to be skipped. */
  private taken: StreamBytes;
  private skip: StreamBytes = { stdout: 0, stderr: 0 };
  /**
   * `replayedBytes`: bytes accepted before the last replay. `withheldBytes`: masked bytes withheld then, which only a replay
   * repeats.
   */
  private replayedBytes: StreamBytes = { stdout: 0, stderr: 0 };
  private withheldBytes: Record<OutputStream, Buffer> = { stdout: NO_BYTES, stderr: NO_BYTES };
  private ready: OutputChunk[] = [];
  private ended = false;
  private firstErrors = '';

  constructor(
    readonly serverId: string,
    private readonly sink: OutputSink,
    private readonly redactor: Redactor,
    limits: { headBytes: number; tailBytes: number },
    private readonly share: Pick<EventLoopShare, 'isBudgetSpent' | 'run' | 'waitForTurn'>,
    { stored, before }: RestoredOutput = { stored: NO_OUTPUT, before: { stdout: 0, stderr: 0 } },
  ) {
    this.masks = this.createMaskingStreams();
    this.taken = {
      stdout: Math.max(0, stored.bytes.stdout - before.stdout),
      stderr: Math.max(0, stored.bytes.stderr - before.stderr),
    };
    // Without output of the current command, an unfinished last line belongs to an earlier command: it counts as
    // complete.
    const openLine = {
      stdout: this.taken.stdout > 0 ? stored.openLine.stdout : 0,
      stderr: this.taken.stderr > 0 ? stored.openLine.stderr : 0,
    };
    this.assembler = new LineAssembler(limits, { ...stored, openLine });
  }

  /**
   * Marks the start of a command's output.
   * @param mark first word of the command's trailer; null: no trailer
   * @returns bytes of each stream before the command that will be stored with the next flush
   */
  beginAttempt(mark: string | null): StreamBytes {
    this.releaseMemory();
    this.ready.push(...this.assembler.cutChunks());
    this.taken = { stdout: 0, stderr: 0 };
    this.restartFromBeginning(mark);
    this.sink.scheduleStore(false);
    return { ...this.assembler.given };
  }

  /**
   * Prepares for a replay: the host sends the command's output again from its first byte. Bytes that were already
   * accepted are skipped.
   */
  restartFromBeginning(mark: string | null): void {
    const heldBytes = this.getWithheldBytes();
    for (const stream of STREAMS) {
      const earlier = this.withheldBytes[stream].subarray(this.taken[stream] - this.replayedBytes[stream]);
      const latest = heldBytes[stream].subarray(this.skip[stream]);
      this.withheldBytes[stream] = latest.length > earlier.length ? latest : earlier;
    }
    this.replayedBytes = { ...this.taken };
    this.masks = this.createMaskingStreams();
    this.firstErrors = '';
    this.trailer = mark === null ? null : new StepTrailer(mark);
    this.skip = { ...this.taken };
  }

  /** Accepts bytes. Backpressure: a returned promise resolves when they are masked and the store has caught up. */
  appendBytes(stream: OutputStream, bytes: Buffer): void | Promise<void> {
    if (stream === 'stderr' && this.firstErrors.length < FIRST_ERROR_BYTES)
      this.firstErrors += bytes.toString('latin1');
    const own = stream === 'stdout' && this.trailer ? this.trailer.readBytes(bytes) : bytes;
    const masked = this.share.isBudgetSpent ? 0 : this.maskBytes(stream, own, 0);
    return masked < own.length ? this.maskInTurns(stream, own, masked) : this.waitForStore();
  }

  private async maskInTurns(stream: OutputStream, bytes: Buffer, from: number): Promise<void> {
    for (let masked = from; masked < bytes.length; ) {
      await this.share.waitForTurn();
      masked = this.maskBytes(stream, bytes, masked);
    }
    await this.waitForStore();
  }

  /**
   * Masks bytes from index `from` while the current event-loop turn has time. @returns the index of the first unmasked
   * byte
   */
  private maskBytes(stream: OutputStream, bytes: Buffer, from: number): number {
    let at = from;
    do {
      const slice = bytes.subarray(at, at + MASKING_SLICE_BYTES);
      this.share.run(() => this.takeMasked(stream, this.masks[stream].push(slice)));
      at += slice.length;
    } while (at < bytes.length && !this.share.isBudgetSpent);
    return at;
  }

  private waitForStore(): void | Promise<void> {
    const isFull = this.assembler.waitingBytes > MAX_UNSTORED_BYTES;
    this.sink.scheduleStore(isFull);
    if (isFull) return this.sink.waitUntilStored();
  }

  /** Whether sudo reported `requiretty`. Meaningful only for a command that sudo refused. */
  get sudoRequiresTty(): boolean {
    return SUDO_TTY_ERROR.test(this.firstErrors);
  }

  takeTrailer(): StepTrailer | null {
    this.releaseMemory();
    const { trailer } = this;
    this.trailer = null;
    return trailer;
  }

  endStreams(): void {
    if (this.ended) return;
    this.releaseMemory();
    this.ended = true;
    this.ready.push(...this.assembler.endOutput());
    this.sink.scheduleStore(false);
  }

  collectChunks(nowMs: number): OutputChunk[] {
    const chunks = this.ready;
    this.ready = [];
    return this.ended ? chunks : [...chunks, ...this.assembler.flushDueChunks(nowMs)];
  }

  get hasUnstoredOutput(): boolean {
    return this.assembler.waitingBytes > 0 || this.ready.length > 0;
  }

  getTotals(): OutputTotals {
    const { lines, bytes, droppedLines, droppedBytes, lastHeadLine } = this.assembler;
    return { lines, bytes, droppedLines, droppedBytes, droppedAfterLine: droppedBytes > 0 ? lastHeadLine : null };
  }

  private releaseMemory(): void {
    if (this.ended) return;
    const heldBytes = this.getWithheldBytes();
    // A complete trailer ends the output, so the bytes that were withheld before the replay are part of the trailer.
    const whole = this.trailer?.outputs != null;
    for (const stream of STREAMS) {
      this.takeMasked(stream, heldBytes[stream]);
      const sent = this.taken[stream] - this.replayedBytes[stream];
      const lost = whole && stream === 'stdout' ? NO_BYTES : this.withheldBytes[stream].subarray(sent);
      if (lost.length > 0) this.skip[stream] = 0;
      this.takeMasked(stream, lost);
    }
    this.withheldBytes = { stdout: NO_BYTES, stderr: NO_BYTES };
    this.masks = this.createMaskingStreams();
  }

  /** Removes and returns the masked bytes that the trailer parser and the masking withhold. */
  private getWithheldBytes(): Record<OutputStream, Buffer> {
    const rest = this.trailer?.readEnd() ?? NO_BYTES;
    const first = rest.length > 0 ? this.masks.stdout.push(rest) : NO_BYTES;
    return { stdout: Buffer.concat([first, this.masks.stdout.end()]), stderr: this.masks.stderr.end() };
  }

  private takeMasked(stream: OutputStream, masked: Buffer): void {
    const known = Math.min(this.skip[stream], masked.length);
    this.skip[stream] -= known;
    if (known === masked.length) return;
    const newBytes = masked.subarray(known);
    this.taken[stream] += newBytes.length;
    this.assembler.push(stream, newBytes, Date.now());
  }

  private createMaskingStreams(): Record<OutputStream, RedactionStream> {
    return { stdout: this.redactor.stream(), stderr: this.redactor.stream() };
  }
}
