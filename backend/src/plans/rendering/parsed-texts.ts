import type { Liquid, Template } from 'liquidjs';
import { readUse, type TemplateUse } from './command-references.ts';
import { parsingWork, type WorkMeter } from './work-meter.ts';

/** Characters of the texts that are kept; what is parsed takes some ten times their room. */
const MOST_KEPT = 131_072;
/** What a text counts beyond its length. */
const EACH = 512;

export interface ParsedText {
  readonly templates: Template[];
  readonly use: TemplateUse;
}

/**
 * Parses texts and keeps the last ones: a step is rendered for each of its hosts, and its text is the same for all.
 * Rendering changes nothing of what was parsed.
 */
export class ParsedTexts {
  /** In the order of their last use. */
  private readonly kept = new Map<string, ParsedText>();
  private size = 0;

  private readonly engine: Liquid;

  constructor(engine: Liquid) {
    this.engine = engine;
  }

  /** @throws what the engine says of a text that is no template; TooMuchWork */
  of(text: string, meter?: WorkMeter): ParsedText {
    const known = this.kept.get(text);
    if (known) this.kept.delete(text);
    else meter?.spend(parsingWork(text));
    const parsed = known ?? this.parse(text);
    if (!known) this.makeRoom(roomOf(text));
    this.kept.set(text, parsed);
    return parsed;
  }

  private parse(text: string): ParsedText {
    const templates = this.engine.parse(text);
    return { templates, use: readUse(this.engine, templates) };
  }

  private makeRoom(room: number): void {
    this.size += room;
    for (const oldest of this.kept.keys()) {
      if (this.size <= MOST_KEPT) return;
      this.kept.delete(oldest);
      this.size -= roomOf(oldest);
    }
  }
}

const roomOf = (text: string): number => text.length + EACH;
