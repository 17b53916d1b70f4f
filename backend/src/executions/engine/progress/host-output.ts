import { StepTrailer } from '../../../plans/shell/trailer.js';
import type { OutputStream } from '../../../transport/remote-command.js';
import { LineAssembler, NO_OUTPUT, type OutputChunk, type StoredOutput } from '../../output/line-assembler.js';
import type { RedactionStream, Redactor } from '../../output/redact-secrets.js';
import { ASKED_FOR_TTY } from '../../steps/sudo-words.js';
import type { LoopShare } from './fair-turns.js';

/** Backpressure limit: bytes of a host that wait to be stored. */
const MAX_UNSTORED_BYTES = 128 * 1024;

/** Bytes that are masked in one slice: a few milliseconds of work in the worst case. */
const SLICE_BYTES = 4 * 1024;

const FIRST_ERROR_BYTES = 4096;

const STREAMS = ['stdout', 'stderr'] as const;
const NOTHING = Buffer.alloc(0);

/** Size of a host's output, and how much of it was dropped beyond the limit. */
export interface OutputTotals {
  lines: number;
  bytes: number;
  droppedLines: number;
  droppedBytes: number;
}

export type StreamBytes = Record<OutputStream, number>;

export interface OutputSink {
  wake(urgent: boolean): void;
  /** Resolves when the output that waits now was stored. */
  stored(): Promise<void>;
}

/** Position at which an earlier worker left the output of a host and step. */
export interface OutputSoFar {
  stored: StoredOutput;
  /** Stored bytes of each stream from before the command that may still run. */
  before: StreamBytes;
}

/**
 * Output of one host in one step on its path to the store: bytes are masked, then numbered and cut into chunks. It
 * continues over all attempts, and after the output that another worker stored.
 */
export class HostOutput {
  private masks: Record<OutputStream, RedactionStream>;
  private trailer: StepTrailer | null = null;
  private readonly assembler: LineAssembler;
  /** Masked bytes of the current command: accepted bytes, and bytes to skip because they were accepted before. */
  private taken: StreamBytes;
  private skip: StreamBytes = { stdout: 0, stderr: 0 };
  /** Bytes accepted before the last replay, and masked bytes that were withheld then. Only a replay repeats them. */
  private replayed: StreamBytes = { stdout: 0, stderr: 0 };
  private heldBack: Record<OutputStream, Buffer> = { stdout: NOTHING, stderr: NOTHING };
  private ready: OutputChunk[] = [];
  private ended = false;
  private firstErrors = '';

  constructor(
    readonly serverId: string,
    private readonly sink: OutputSink,
    private readonly redactor: Redactor,
    limits: { headBytes: number; tailBytes: number },
    private readonly share: Pick<LoopShare, 'spent' | 'run' | 'turn'>,
    { stored, before }: OutputSoFar = { stored: NO_OUTPUT, before: { stdout: 0, stderr: 0 } },
  ) {
    this.masks = this.newMasks();
    this.taken = {
      stdout: Math.max(0, stored.bytes.stdout - before.stdout),
      stderr: Math.max(0, stored.bytes.stderr - before.stderr),
    };
    // A line that was unfinished before the command is complete, whatever wrote it.
    const openLine = {
      stdout: this.taken.stdout > 0 ? stored.openLine.stdout : 0,
      stderr: this.taken.stderr > 0 ? stored.openLine.stderr : 0,
    };
    this.assembler = new LineAssembler(limits, { ...stored, openLine });
  }

  /**
   * Marks the start of a command's own output, from its first byte. `mark`: word of its trailer.
   * @returns bytes of each stream before it that will be stored with the next flush
   */
  begin(mark: string | null): StreamBytes {
    this.release();
    this.ready.push(...this.assembler.cut());
    this.taken = { stdout: 0, stderr: 0 };
    this.replay(mark);
    this.sink.wake(false);
    return { ...this.assembler.given };
  }

  /** The host sends the command's output from its first byte again: bytes that were accepted before are skipped. */
  replay(mark: string | null): void {
    const held = this.withheld();
    for (const stream of STREAMS) {
      const earlier = this.heldBack[stream].subarray(this.taken[stream] - this.replayed[stream]);
      const latest = held[stream].subarray(this.skip[stream]);
      this.heldBack[stream] = latest.length > earlier.length ? latest : earlier;
    }
    this.replayed = { ...this.taken };
    this.masks = this.newMasks();
    this.firstErrors = '';
    this.trailer = mark === null ? null : new StepTrailer(mark);
    this.skip = { ...this.taken };
  }

  /** Accepts bytes. A promise applies backpressure until they are masked and the store has caught up. */
  push(stream: OutputStream, bytes: Buffer): void | Promise<void> {
    if (stream === 'stderr' && this.firstErrors.length < FIRST_ERROR_BYTES)
      this.firstErrors += bytes.toString('latin1');
    const own = stream === 'stdout' && this.trailer ? this.trailer.push(bytes) : bytes;
    const masked = this.share.spent ? 0 : this.mask(stream, own, 0);
    return masked < own.length ? this.maskInTurn(stream, own, masked) : this.pushed();
  }

  private async maskInTurn(stream: OutputStream, bytes: Buffer, from: number): Promise<void> {
    for (let masked = from; masked < bytes.length; ) {
      await this.share.turn();
      masked = this.mask(stream, bytes, masked);
    }
    await this.pushed();
  }

  /** Masks from `from` on as long as the current turn of the loop has time. @returns the position reached */
  private mask(stream: OutputStream, bytes: Buffer, from: number): number {
    let at = from;
    do {
      const slice = bytes.subarray(at, at + SLICE_BYTES);
      this.share.run(() => this.take(stream, this.masks[stream].push(slice)));
      at += slice.length;
    } while (at < bytes.length && !this.share.spent);
    return at;
  }

  private pushed(): void | Promise<void> {
    const full = this.assembler.waitingBytes > MAX_UNSTORED_BYTES;
    this.sink.wake(full);
    if (full) return this.sink.stored();
  }

  /** Whether sudo reported `requiretty`; valid only for a command that sudo refused. */
  get sudoRequiresTty(): boolean {
    return ASKED_FOR_TTY.test(this.firstErrors);
  }

  /** Trailer of the command that has ended; null: none. */
  takeTrailer(): StepTrailer | null {
    this.release();
    const { trailer } = this;
    this.trailer = null;
    return trailer;
  }

  /** Marks the end of the output: the assembler releases its last bytes. */
  end(): void {
    if (this.ended) return;
    this.release();
    this.ended = true;
    this.ready.push(...this.assembler.end());
    this.sink.wake(false);
  }

  collect(nowMs: number): OutputChunk[] {
    const chunks = this.ready;
    this.ready = [];
    return this.ended ? chunks : [...chunks, ...this.assembler.flush(nowMs)];
  }

  /** Whether bytes wait that a later `collect` may return. */
  get waits(): boolean {
    return this.assembler.waitingBytes > 0 || this.ready.length > 0;
  }

  totals(): OutputTotals {
    const { lines, bytes, droppedLines, droppedBytes } = this.assembler;
    return { lines, bytes, droppedLines, droppedBytes };
  }

  private release(): void {
    if (this.ended) return;
    const held = this.withheld();
    // A complete trailer ends the output: the bytes that were withheld before the replay belong to it.
    const whole = this.trailer?.outputs != null;
    for (const stream of STREAMS) {
      this.take(stream, held[stream]);
      const sent = this.taken[stream] - this.replayed[stream];
      const lost = whole && stream === 'stdout' ? NOTHING : this.heldBack[stream].subarray(sent);
      if (lost.length > 0) this.skip[stream] = 0;
      this.take(stream, lost);
    }
    this.heldBack = { stdout: NOTHING, stderr: NOTHING };
    this.masks = this.newMasks();
  }

  /** Removes and returns the bytes that trailer and masking withhold, masked. */
  private withheld(): Record<OutputStream, Buffer> {
    const rest = this.trailer?.end() ?? NOTHING;
    const first = rest.length > 0 ? this.masks.stdout.push(rest) : NOTHING;
    return { stdout: Buffer.concat([first, this.masks.stdout.end()]), stderr: this.masks.stderr.end() };
  }

  private take(stream: OutputStream, masked: Buffer): void {
    const known = Math.min(this.skip[stream], masked.length);
    this.skip[stream] -= known;
    if (known === masked.length) return;
    const fresh = masked.subarray(known);
    this.taken[stream] += fresh.length;
    this.assembler.push(stream, fresh, Date.now());
  }

  private newMasks(): Record<OutputStream, RedactionStream> {
    return { stdout: this.redactor.stream(), stderr: this.redactor.stream() };
  }
}
