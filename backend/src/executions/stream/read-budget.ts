/** Scan limits per request: bytes of chunks, and milliseconds. */
const SCANNED_BYTES = 64 * 1024 * 1024;
const LOOKING_MS = 1_000;
/** Maximum text of a response, in characters: lines may be long, and 5,000 of them would be 80 MB. */
const ANSWER_CHARACTERS = 2 * 1024 * 1024;

/**
 * Limits of one request for a page. A client that searches a gigabyte sends repeated requests, each from the position
 * where the previous response ended. So no request delays others or exceeds a proxy's timeout.
 */
export class ReadBudget {
  private lookedAt = 0;
  private characters = 0;
  private readonly until: number;

  /** @param now a clock in ms */
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
