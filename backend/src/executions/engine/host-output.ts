import type { OutputStream } from '../../transport/remote-command.js';
import { LineAssembler, type OutputChunk } from '../output/line-assembler.js';
import type { RedactionStream, Redactor } from '../output/redact-secrets.js';

/** A host is held back when so many of its bytes wait to be stored. */
const MOST_WAITING_BYTES = 128 * 1024;

/** How much was seen of a host's output, and how much of it went beyond the limit. */
export interface OutputTotals {
  lines: number;
  bytes: number;
  droppedLines: number;
  droppedBytes: number;
}

/** What the writer offers to a source of output. */
export interface OutputSink {
  /** Something waits: store it soon. */
  wake(urgent: boolean): void;
  /** Resolves when what waits now was stored. */
  stored(): Promise<void>;
}

/** Output of one host in one step on its way to the store: masked on bytes, then numbered and cut into chunks. */
export class HostOutput {
  private readonly masks: Record<OutputStream, RedactionStream>;
  private readonly assembler: LineAssembler;
  /** What `end` gave free; null while output may still come. */
  private rest: OutputChunk[] | null = null;

  constructor(
    readonly serverId: string,
    private readonly sink: OutputSink,
    redactor: Redactor,
    limits: { headBytes: number; tailBytes: number },
  ) {
    this.masks = { stdout: redactor.stream(), stderr: redactor.stream() };
    this.assembler = new LineAssembler(limits);
  }

  /** Takes bytes; a promise holds the host back until the store has caught up. */
  push(stream: OutputStream, bytes: Buffer): void | Promise<void> {
    this.assembler.push(stream, this.masks[stream].push(bytes), Date.now());
    const full = this.assembler.waitingBytes > MOST_WAITING_BYTES;
    this.sink.wake(full);
    if (full) return this.sink.stored();
  }

  /** No more output comes: gives the masking's and the assembler's last bytes free. */
  end(): void {
    const now = Date.now();
    for (const stream of ['stdout', 'stderr'] as const) {
      const last = this.masks[stream].end();
      if (last.length > 0) this.assembler.push(stream, last, now);
    }
    this.rest = this.assembler.end();
    this.sink.wake(false);
  }

  /** Takes out what is to be stored now. */
  collect(nowMs: number): OutputChunk[] {
    if (!this.rest) return this.assembler.flush(nowMs);
    const chunks = this.rest;
    this.rest = [];
    return chunks;
  }

  /** Whether bytes wait that a later `collect` may give free. */
  get waits(): boolean {
    return this.assembler.waitingBytes > 0 || (this.rest?.length ?? 0) > 0;
  }

  totals(): OutputTotals {
    const { lines, bytes, droppedLines, droppedBytes } = this.assembler;
    return { lines, bytes, droppedLines, droppedBytes };
  }
}
