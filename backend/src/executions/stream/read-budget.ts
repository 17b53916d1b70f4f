/** Most bytes of chunks that one request looks at, and the longest that it goes on looking, in ms. */
const LOOKED_AT_BYTES = 64 * 1024 * 1024;
const LOOKING_MS = 1_000;
/** Most text in one answer, in characters: lines may be long, and 5,000 of them would be 80 MB. */
const ANSWER_CHARACTERS = 2 * 1024 * 1024;

/**
 * How far one request for a page may go. Whoever searches a gigabyte asks again and again, with the place where the
 * answer before left off: no request holds up others, and none outlives a proxy's patience.
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

  /** No more is to be looked at. */
  get over(): boolean {
    return this.lookedAt >= LOOKED_AT_BYTES || this.now() >= this.until;
  }

  /** No more is to be answered. */
  get full(): boolean {
    return this.characters >= ANSWER_CHARACTERS;
  }
}
