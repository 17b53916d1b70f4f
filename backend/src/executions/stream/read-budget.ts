/** Scan limits per request: bytes and milliseconds. */
const SCANNED_BYTES = 64 * 1024 * 1024;
const LOOKING_MS = 1_000;
/** Maximum text of a response, in characters. Lines may be long: 5,000 of them could have 80 MB. */
const ANSWER_CHARACTERS = 2 * 1024 * 1024;

/**
 * Limits of one request for a page. To search a gigabyte, a client sends several requests, each from the position where
 * the previous response ended. No request then delays others or exceeds a proxy's timeout.
 */
export class ReadBudget {
  private lookedAt = 0;
  private characters = 0;
  private readonly until: number;

  constructor(private readonly now: () => number = () => performance.now()) {
    this.until = now() + LOOKING_MS;
  }

  lookAt(bytes: number): void {
    this.lookedAt += bytes;
  }

  answer(text: string): void {
    this.characters += text.length;
  }

  get over(): boolean {
    return this.lookedAt >= SCANNED_BYTES || this.now() >= this.until;
  }

  get full(): boolean {
    return this.characters >= ANSWER_CHARACTERS;
  }
}
