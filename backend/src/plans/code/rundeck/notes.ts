import { MOST_NOT_CARRIED } from '../bounds.ts';
import type { NotCarried, Place, Tree } from '../plan-text.ts';

export type Fields = { [name: string]: Tree };

/** What of the jobs is not carried over, as it is come upon. */
export class Notes {
  readonly listed: NotCarried[] = [];
  more = 0;

  add(note: NotCarried): void {
    if (this.listed.length < MOST_NOT_CARRIED) this.listed.push(note);
    else this.more += 1;
  }
}

/** A job of the text, as references to it name it. */
export interface KnownJob {
  readonly name: string;
  readonly group: string | null;
  readonly ids: readonly string[];
  /** The name of its plan. */
  readonly plan: string;
  /** Names of its variables by the names of its options. */
  readonly options: ReadonlyMap<string, string>;
  /** The selector of its plan; empty: all hosts, or a gate asks for them. */
  readonly targets: string;
}

/** One job, its place in the text, and where notes about it go. */
export interface JobContext {
  readonly job: string;
  readonly places: Readonly<Record<string, Place>>;
  readonly notes: Notes;
  /** Names of variables by the names of the options. */
  readonly variables: ReadonlyMap<string, string>;
  readonly secrets: ReadonlySet<string>;
  /** The selector of the plan; empty: all hosts. */
  readonly targets: string;
  /** All of the text. */
  readonly jobs: readonly KnownJob[];
}

export function note(context: JobContext, path: string, step: string | null, what: string, reason: string): void {
  const { job, notes, places } = context;
  notes.add({ line: lineOf(places, path), job, step, what, reason });
}

/** Line of what stands at a path, or of the nearest thing around it. */
export function lineOf(places: JobContext['places'], path: string): number | null {
  for (let at = path; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const place = places[`name of ${at}`] ?? places[at];
    if (place) return place.line;
  }
  return null;
}

export const isFields = (value: Tree | undefined): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** A scalar as text; null: it is none, or empty. */
export const textOf = (value: Tree | undefined): string | null =>
  value === null || value === undefined || typeof value === 'object' || value === '' ? null : String(value);

export const isTrue = (value: Tree | undefined): boolean => value === true || value === 'true' || value === 'yes';

export const isSaid = (value: Tree | undefined): boolean =>
  value !== undefined &&
  value !== null &&
  value !== '' &&
  !(Array.isArray(value) && value.length === 0) &&
  !(isFields(value) && Object.keys(value).length === 0);
