/** Scan limits per request: bytes and milliseconds. */
const MAX_SCANNED_BYTES = 64 * 1024 * 1024;
const MAX_SCAN_MS = 1_000;
/** Maximum text of a response, in characters. Lines may be long: 5,000 of them could have 80 MB. */
const MAX_ANSWER_CHARACTERS = 2 * 1024 * 1024;

/**
 * Limits of one request for a page. To search a gigabyte, a client sends several requests, each from the position where
 * the previous response ended. No request then delays others or exceeds a proxy's timeout.
 */
export class ReadBudget {
  private scannedBytes = 0;
  private characters = 0;
  private readonly until: number;

  constructor(private readonly now: () => number = () => performance.now()) {
    this.until = now() + MAX_SCAN_MS;
  }

  addScanned(bytes: number): void {
    this.scannedBytes += bytes;
  }

  addAnswer(text: string): void {
    this.characters += text.length;
  }

  get remainingMs(): number {
    return Math.max(0, this.until - this.now());
  }

  get isScanLimitReached(): boolean {
    return this.scannedBytes >= MAX_SCANNED_BYTES || this.now() >= this.until;
  }

  get isAnswerFull(): boolean {
    return this.characters >= MAX_ANSWER_CHARACTERS;
  }
}
