import { MAX_NOT_CARRIED_ENTRIES } from '../../code/bounds.ts';
import { isFields, type NotCarriedPart, type TextPlace, type YamlTree } from '../../code/plan-text.ts';

export class Notes {
  readonly listed: NotCarriedPart[] = [];
  more = 0;

  add(note: NotCarriedPart): void {
    if (this.listed.length < MAX_NOT_CARRIED_ENTRIES) this.listed.push(note);
    else this.more += 1;
  }
}

/** Job of the text, for references to it. */
export interface KnownJob {
  readonly name: string;
  readonly group: string | null;
  readonly ids: readonly string[];
  readonly plan: string;
  /** Variable name for each option name. */
  readonly options: ReadonlyMap<string, string>;
  /** Selector of the job's plan; empty: all hosts, or a gate asks for the hosts. */
  readonly targets: string;
}

/** One job, its position in the text, and the notes about it. */
export interface JobContext {
  readonly job: string;
  readonly places: Readonly<Record<string, TextPlace>>;
  readonly notes: Notes;
  /** Variable name for each option name. */
  readonly variables: ReadonlyMap<string, string>;
  readonly secrets: ReadonlySet<string>;
  /** Selector of the plan; empty: all hosts. */
  readonly targets: string;
  readonly jobs: readonly KnownJob[];
}

export function addNote(context: JobContext, path: string, step: string | null, what: string, reason: string): void {
  const { job, notes, places } = context;
  notes.add({ line: findLine(places, path), job, step, what, reason });
}

/** Falls back to the nearest enclosing value. */
export function findLine(places: JobContext['places'], path: string): number | null {
  for (let at = path; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const place = places[`name of ${at}`] ?? places[at];
    if (place) return place.line;
  }
  return null;
}

/** Returns a scalar as text; null: not a scalar, or empty. */
export const toText = (value: YamlTree | undefined): string | null =>
  value === null || value === undefined || typeof value === 'object' || value === '' ? null : String(value);

export const isTrue = (value: YamlTree | undefined): boolean => value === true || value === 'true' || value === 'yes';

export const hasValue = (value: YamlTree | undefined): boolean =>
  value !== undefined &&
  value !== null &&
  value !== '' &&
  !(Array.isArray(value) && value.length === 0) &&
  !(isFields(value) && Object.keys(value).length === 0);

/** Shell text of a step, or why the step cannot be converted. */
export type ConvertedProgram = { readonly command: string; readonly become: string | null } | LostPart;

export interface LostPart {
  readonly what: string;
  readonly reason: string;
}

export const createLostPart = (what: string, reason: string): LostPart => ({ what: what.trim(), reason });

export const toLostReferences = (references: readonly string[]): LostPart =>
  createLostPart(
    `reference ${references.slice(0, 10).join(', ')}`,
    'Runward has no such value, or can not insert it there. Replace it, then make this step a command.',
  );
