/** One message as it would be printed. */
export interface LogLine {
  level: string;
  context: string;
  text: string;
}

/** What was held back of a line, or of lines that are alike, since it was last told. */
export interface HeldBack extends LogLine {
  times: number;
  seconds: number;
}

/** A line is the same as an earlier one for so long, in ms; then what was held back is told, and it counts anew. */
const WINDOW_MS = 60_000;
/** What was not repeated for so long has ended. */
const QUIET_MS = 10_000;
/** Different lines of one kind (they differ in ids and numbers only) that are printed within a window. */
const MOST_ALIKE = 20;
/** Lines and kinds remembered at a time, and how much of each, in characters. */
const MOST_REMEMBERED = 500;
const LONGEST_KEY = 1_000;

interface Remembered {
  line: LogLine;
  since: number;
  lastAt: number;
  /** Lines of this kind that were printed. */
  printed: number;
  heldBack: number;
}

/** Parts of a message that differ between messages of one kind. */
const IDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{16,}\b|\d+/gi;

/**
 * Decides which lines of a log are printed, so that a fault that lasts doesn't fill it: the same line once, and of lines
 * that differ in ids and numbers only the first twenty, each within a minute. How many were held back is told when it
 * ends, or after each minute. Keeps a bounded number of lines in memory.
 */
export class RepeatedLines {
  private readonly remembered = new Map<string, Remembered>();

  /** @param tell hears of what was held back */
  constructor(private readonly tell: (what: HeldBack) => void) {}

  /** Whether the line is to be printed. @param now ms of a monotonic clock */
  admits(line: LogLine, now: number): boolean {
    this.look(now);
    const of = `${line.level} ${line.context}`;
    const [same, kind] = [`=${of} ${line.text}`, `~${of} ${line.text.replace(IDS, '#')}`].map((key) =>
      key.slice(0, LONGEST_KEY),
    ) as [string, string];
    const known = this.recall(same);
    if (known) return this.holdBack(known, now);
    const alike = this.recall(kind) ?? this.remember(kind, line, now);
    if (alike.printed >= MOST_ALIKE) return this.holdBack(alike, now);
    alike.printed += 1;
    this.remember(same, line, now);
    return true;
  }

  /** Tells what has ended, or lasted a whole window. */
  look(now: number): void {
    for (const [key, entry] of this.remembered) {
      const over = now - entry.since >= WINDOW_MS;
      const ended = entry.heldBack > 0 && now - entry.lastAt >= QUIET_MS;
      if (ended || over) this.report(entry, now);
      if (over) this.remembered.delete(key);
    }
  }

  /** Tells all that was held back: the process ends. */
  flush(now: number): void {
    for (const entry of this.remembered.values()) this.report(entry, now);
    this.remembered.clear();
  }

  /** The entry, which is then the last one to be forgotten. */
  private recall(key: string): Remembered | undefined {
    const entry = this.remembered.get(key);
    if (entry) {
      this.remembered.delete(key);
      this.remembered.set(key, entry);
    }
    return entry;
  }

  private remember(key: string, line: LogLine, now: number): Remembered {
    const entry = { line, since: now, lastAt: now, printed: 0, heldBack: 0 };
    this.remembered.set(key, entry);
    const [oldest] = this.remembered;
    if (this.remembered.size > MOST_REMEMBERED && oldest) {
      this.report(oldest[1], now);
      this.remembered.delete(oldest[0]);
    }
    return entry;
  }

  private holdBack(entry: Remembered, now: number): false {
    entry.heldBack += 1;
    entry.lastAt = now;
    return false;
  }

  private report(entry: Remembered, now: number): void {
    if (entry.heldBack === 0) return;
    this.tell({ ...entry.line, times: entry.heldBack, seconds: Math.max(1, Math.round((now - entry.since) / 1000)) });
    entry.heldBack = 0;
  }
}
