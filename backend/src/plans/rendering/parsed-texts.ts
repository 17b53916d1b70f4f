import type { Liquid, Template } from 'liquidjs';
import { readTemplateUse, type TemplateUse } from './command-references.ts';
import { getParsingCost, type WorkMeter } from './work-meter.ts';

/** Maximum total length of cached texts, in characters. Parsed texts need about ten times as much memory. */
const CACHE_CHARACTERS = 131_072;
const TEXT_OVERHEAD_CHARACTERS = 512;

export interface ParsedText {
  readonly templates: Template[];
  readonly use: TemplateUse;
}

/**
 * Cache of parsed texts, because a step renders the same text for each host. Rendering does not change a parsed text.
 */
export class ParsedTexts {
  /** Least recently used first. */
  private readonly cachedTexts = new Map<string, ParsedText>();
  private size = 0;

  private readonly engine: Liquid;

  constructor(engine: Liquid) {
    this.engine = engine;
  }

  /** @throws errors of the engine for an invalid template; TooMuchWork */
  getParsedText(text: string, meter?: WorkMeter): ParsedText {
    const known = this.cachedTexts.get(text);
    if (known) this.cachedTexts.delete(text);
    else meter?.spend(getParsingCost(text));
    const parsed = known ?? this.parse(text);
    if (!known) this.evictFor(computeCacheSize(text));
    this.cachedTexts.set(text, parsed);
    return parsed;
  }

  private parse(text: string): ParsedText {
    const templates = this.engine.parse(text);
    return { templates, use: readTemplateUse(this.engine, templates) };
  }

  private evictFor(neededCharacters: number): void {
    this.size += neededCharacters;
    for (const oldest of this.cachedTexts.keys()) {
      if (this.size <= CACHE_CHARACTERS) return;
      this.cachedTexts.delete(oldest);
      this.size -= computeCacheSize(oldest);
    }
  }
}

const computeCacheSize = (text: string): number => text.length + TEXT_OVERHEAD_CHARACTERS;
