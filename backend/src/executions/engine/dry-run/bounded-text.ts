import type { OutputStream } from '../../../transport/remote-command.js';
import type { RedactionStream, Redactor } from '../../output/redact-secrets.js';

const TRUNCATION_NOTICE = '\n… The rest is left out.\n';

/** Masked output of a command as text with a byte limit. Output beyond the limit is discarded. */
export class BoundedText {
  private readonly masks: Record<OutputStream, RedactionStream>;
  private readonly pieces: Buffer[] = [];
  private bytes = 0;

  constructor(
    redactor: Redactor,
    private readonly limit: number,
  ) {
    this.masks = { stdout: redactor.stream(), stderr: redactor.stream() };
  }

  push(stream: OutputStream, bytes: Buffer): void {
    if (this.bytes > this.limit) return;
    this.takeBytes(this.masks[stream].push(bytes));
  }

  /** Returns the text; call once, after the last `push`. U+FFFD replaces NUL, which PostgreSQL can't store. */
  end(): string {
    for (const mask of [this.masks.stdout, this.masks.stderr]) this.takeBytes(mask.end());
    const bytes = Buffer.concat(this.pieces);
    if (bytes.length <= this.limit) {
      const text = replaceNulCharacters(bytes.toString());
      if (Buffer.byteLength(text) <= this.limit) return text;
    }
    return (
      truncateText(replaceNulCharacters(bytes.toString()), this.limit - Buffer.byteLength(TRUNCATION_NOTICE)) +
      TRUNCATION_NOTICE
    );
  }

  private takeBytes(bytes: Buffer): void {
    const remaining = this.limit + 1 - this.bytes;
    if (remaining <= 0 || bytes.length === 0) return;
    this.pieces.push(Buffer.from(bytes.subarray(0, remaining)));
    this.bytes += Math.min(remaining, bytes.length);
  }
}

const replaceNulCharacters = (text: string) => text.replaceAll('\0', '�');

function truncateText(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  let end = Math.min(limit, bytes.length);
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}
