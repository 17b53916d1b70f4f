import { MAX_BEFORE_BYTES, MAX_OUTPUTS_BYTES } from './environment-script.js';

const NO_BYTES = Buffer.alloc(0);
const COUNT_LINE_PATTERN = /^[0-9]{1,15}$/;
const MAX_COUNT_DIGITS = 15;

/**
 * Removes from the standard output of a command what `composeScript` adds. This is: whether the command was skipped or
 * not run, its outputs, the previous content of a replaced file, and whether the command changed something. Chunks may
 * be cut anywhere. Holds back at most the length of a mark.
 */
export class StepTrailer {
  /** Whether the command was skipped, because `unless` succeeded. */
  skipped = false;
  /**
   * Why the command was not run: `refused` by sudo, `not-run` for another reason, given on standard error; null = it
   * was run.
   */
  notRun: 'refused' | 'not-run' | null = null;
  /** Content of $RUNWARD_OUTPUT; null until the trailer is complete, after the end of the command. */
  outputs: Buffer | null = null;

  /** Whether the command changed something; null = not reported, or still running. */
  changed: boolean | null = null;

  /** Previous content of the replaced file; `large` = above the limit; null = not reported. */
  before: Buffer | 'large' | null = null;

  private heldBytes: Buffer = NO_BYTES;
  private content: Buffer[] = [];
  private block: 'outputs' | 'before' = 'outputs';
  private missing = 0;
  private state: 'output' | 'count' | 'content' = 'output';
  private readonly skip: Buffer;
  private readonly refusals: readonly { readonly word: Buffer; readonly why: 'refused' | 'not-run' }[];
  private readonly trailer: Buffer;
  private readonly file: Buffer;
  private readonly largeFile: Buffer;
  private readonly changes: readonly { readonly word: Buffer; readonly changed: boolean }[];

  constructor(mark: string) {
    this.skip = Buffer.from(`${mark} skipped\n`);
    this.refusals = (['refused', 'not-run'] as const).map((why) => ({ word: Buffer.from(`${mark} ${why}\n`), why }));
    this.trailer = Buffer.from(`\n${mark} outputs `);
    this.file = Buffer.from(`\n${mark} before `);
    this.largeFile = Buffer.from(`\n${mark} large\n`);
    this.changes = [true, false].map((changed) => ({
      word: Buffer.from(`\n${mark} ${changed ? 'changed' : 'unchanged'}\n`),
      changed,
    }));
  }

  /** Returns the bytes that certainly belong to the command's own output. */
  readBytes(bytes: Buffer): Buffer {
    this.heldBytes = this.heldBytes.length === 0 ? bytes : Buffer.concat([this.heldBytes, bytes]);
    const through: Buffer[] = [];
    while (this.advance(through));
    return through.length === 1 ? (through[0] as Buffer) : Buffer.concat(through);
  }

  /** Returns the bytes held back. Do not call `readBytes` afterwards. */
  readEnd(): Buffer {
    const rest = this.state === 'output' ? this.heldBytes : NO_BYTES;
    this.heldBytes = NO_BYTES;
    return rest;
  }

  /** Returns whether something was found; the remaining bytes must then be scanned again. */
  private advance(through: Buffer[]): boolean {
    switch (this.state) {
      case 'output':
        return this.readOutput(through);
      case 'count':
        return this.readCount();
      case 'content':
        return this.readContent();
    }
  }

  private readOutput(through: Buffer[]): boolean {
    const [found] = this.getExpectedWords()
      .map((each) => ({ ...each, at: this.heldBytes.indexOf(each.word) }))
      .filter(({ at }) => at >= 0)
      .sort((a, b) => a.at - b.at);
    if (!found) {
      this.releaseBytes(through, this.heldBytes.length - this.countPartialBytes());
      return false;
    }
    this.releaseBytes(through, found.at);
    this.heldBytes = this.heldBytes.subarray(found.word.length);
    found.take();
    return true;
  }

  private getExpectedWords(): { word: Buffer; take: () => void }[] {
    return [
      ...(this.skipped ? [] : [{ word: this.skip, take: () => void (this.skipped = true) }]),
      ...(this.notRun === null ? this.refusals : []).map(({ word, why }) => ({
        word,
        take: () => void (this.notRun = why),
      })),
      ...(this.outputs ? [] : [{ word: this.trailer, take: () => this.beginBlock('outputs') }]),
      ...(this.before
        ? []
        : [
            { word: this.file, take: () => this.beginBlock('before') },
            { word: this.largeFile, take: () => void (this.before = 'large') },
          ]),
      ...(this.changed === null ? this.changes : []).map(({ word, changed }) => ({
        word,
        take: () => void (this.changed = changed),
      })),
    ];
  }

  private beginBlock(block: 'outputs' | 'before'): void {
    this.block = block;
    this.content = [];
    this.state = 'count';
  }

  private readCount(): boolean {
    const end = this.heldBytes.indexOf('\n');
    if (end < 0 && this.heldBytes.length <= MAX_COUNT_DIGITS) return false;
    const count = this.heldBytes
      .subarray(0, Math.min(end < 0 ? Infinity : end, MAX_COUNT_DIGITS + 1))
      .toString('latin1');
    // A program on the host that knows the mark wrote this. It is not a trailer, so do not wait for its end.
    if (end < 0 || !COUNT_LINE_PATTERN.test(count)) {
      this.state = 'output';
      return true;
    }
    this.missing = Math.min(Number(count), this.block === 'outputs' ? MAX_OUTPUTS_BYTES : MAX_BEFORE_BYTES);
    this.heldBytes = this.heldBytes.subarray(end + 1);
    this.state = 'content';
    return true;
  }

  private readContent(): boolean {
    const part = this.heldBytes.subarray(0, this.missing);
    this.content.push(part);
    this.missing -= part.length;
    this.heldBytes = this.heldBytes.subarray(part.length);
    if (this.missing > 0) return false;
    this[this.block] = Buffer.concat(this.content);
    this.state = 'output';
    return true;
  }

  private releaseBytes(through: Buffer[], length: number): void {
    if (length > 0) through.push(this.heldBytes.subarray(0, length));
    this.heldBytes = this.heldBytes.subarray(length);
  }

  /** Returns the number of last bytes that may be the start of a mark. */
  private countPartialBytes(): number {
    return Math.max(0, ...this.getExpectedWords().map(({ word }) => getOverlapLength(this.heldBytes, word)));
  }
}

function getOverlapLength(text: Buffer, word: Buffer): number {
  for (let length = Math.min(text.length, word.length - 1); length > 0; length--) {
    if (text.subarray(text.length - length).equals(word.subarray(0, length))) return length;
  }
  return 0;
}
