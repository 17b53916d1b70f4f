export interface LogLine {
  level: string;
  context: string;
  text: string;
}

/** Number of suppressed lines of one kind since the previous report. */
export interface WithheldLine extends LogLine {
  times: number;
  seconds: number;
}

/** Period in which equal lines are suppressed, in ms. At its end they are reported, and a new period starts. */
const WINDOW_MS = 60_000;
/** Time without an equal line after which a repetition has ended, in ms. */
const REPORT_END_AFTER_MS = 10_000;
/** Maximum number of printed lines of one kind per window. Lines of a kind differ only in IDs and numbers. */
const MAX_SIMILAR_LINES = 20;
/** Limits of memory: number of lines and kinds, and length of each in characters. */
const MAX_REMEMBERED_LINES = 500;
const MAX_KEY_CHARACTERS = 1_000;

interface RememberedLine {
  line: LogLine;
  since: number;
  lastAt: number;
  printed: number;
  withheldCount: number;
}

const IDS_PATTERN = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{16,}\b|\d+/gi;

/**
 * Limits the lines of a log, so that a lasting fault does not fill it. Prints equal lines once a minute, and at most 20
 * lines a minute that differ only in IDs and numbers. Reports the number of suppressed lines after each minute, or when
 * the repetition ends.
 */
export class RepeatedLines {
  private readonly remembered = new Map<string, RememberedLine>();

  constructor(private readonly onReport: (report: WithheldLine) => void) {}

  /**
   * Whether to print the line.
   * @param now ms of a monotonic clock
   */
  admitsLine(line: LogLine, now: number): boolean {
    this.reportEnded(now);
    const of = `${line.level} ${line.context}`;
    const [same, kind] = [`=${of} ${line.text}`, `~${of} ${line.text.replace(IDS_PATTERN, '#')}`].map((key) =>
      key.slice(0, MAX_KEY_CHARACTERS),
    ) as [string, string];
    const known = this.findLine(same);
    if (known) return this.withholdLine(known, now);
    const similarLine = this.findLine(kind) ?? this.rememberLine(kind, line, now);
    if (similarLine.printed >= MAX_SIMILAR_LINES) return this.withholdLine(similarLine, now);
    similarLine.printed += 1;
    this.rememberLine(same, line, now);
    return true;
  }

  reportEnded(now: number): void {
    for (const [key, entry] of this.remembered) {
      const isWindowOver = now - entry.since >= WINDOW_MS;
      const ended = entry.withheldCount > 0 && now - entry.lastAt >= REPORT_END_AFTER_MS;
      if (ended || isWindowOver) this.reportWithheldLines(entry, now);
      if (isWindowOver) this.remembered.delete(key);
    }
  }

  reportAll(now: number): void {
    for (const entry of this.remembered.values()) this.reportWithheldLines(entry, now);
    this.remembered.clear();
  }

  private findLine(key: string): RememberedLine | undefined {
    const entry = this.remembered.get(key);
    if (entry) {
      this.remembered.delete(key);
      this.remembered.set(key, entry);
    }
    return entry;
  }

  private rememberLine(key: string, line: LogLine, now: number): RememberedLine {
    const entry = { line, since: now, lastAt: now, printed: 0, withheldCount: 0 };
    this.remembered.set(key, entry);
    const [oldest] = this.remembered;
    if (this.remembered.size > MAX_REMEMBERED_LINES && oldest) {
      this.reportWithheldLines(oldest[1], now);
      this.remembered.delete(oldest[0]);
    }
    return entry;
  }

  private withholdLine(entry: RememberedLine, now: number): false {
    entry.withheldCount += 1;
    entry.lastAt = now;
    return false;
  }

  private reportWithheldLines(entry: RememberedLine, now: number): void {
    if (entry.withheldCount === 0) return;
    this.onReport({
      ...entry.line,
      times: entry.withheldCount,
      seconds: Math.max(1, Math.round((now - entry.since) / 1000)),
    });
    entry.withheldCount = 0;
  }
}
