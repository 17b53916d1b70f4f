import { INSERTION_MARK, placeInsertions, type ShellPlace } from '../../shell/shell-places.ts';
import type { JobContext } from './notes.ts';

const KINDS = 'unquotedoption|option|node|job|globals|data|export|execution|file|secureOption|user';
/** No shell has a variable with a dot in its name, so each of these is a reference of Rundeck. */
const IN_COMMAND = /\$\{(?:\w+:)?([A-Za-z]+)\.([^}\s]{1,100})\}/g;
/** Rundeck writes `@@` as one `@`, and replaces whatever is between two others without white space. */
const IN_SCRIPT = /@@|@[^@\s]+@/g;
const OF_SCRIPT = new RegExp(`^@(${KINDS})\\.([^@\\s]{1,100})@$`);
const EXPORTED = /\bRD_(OPTION|NODE|JOB|GLOBALS|DATA|FILE|EXPORT|EXECUTION)_([A-Za-z0-9_]+)/g;

/** Names of variables of the process that mean the same. */
const KNOWN: ReadonlyMap<string, string> = new Map([
  ['job.execid', 'RUNWARD_EXECUTION_ID'],
  ['execution.id', 'RUNWARD_EXECUTION_ID'],
]);

/** Where a text is put: as the shell command itself, into a file that a shell runs, or into one that another program runs. */
export type TextUse = 'command' | 'shell-file' | 'other-file';

export interface ConvertedContext {
  readonly text: string;
  /** References that mean nothing in Runward, or whose value no quoting would protect there. */
  readonly lost: readonly string[];
}

/** A text of a job with its references as variables of the plan. */
export function convertText(text: string, use: TextUse, context: JobContext): ConvertedContext {
  const lost = new Set<string>();
  if (text.includes('\u0001') || text.includes('\u0002')) lost.add('control characters');
  const isCommand = use === 'command';
  const pattern = isCommand ? IN_COMMAND : IN_SCRIPT;
  const places = use === 'other-file' ? [] : placesIn(text, pattern);
  let index = -1;
  let converted = text.replace(pattern, (whole: string, ...groups: unknown[]) => {
    index += 1;
    if (whole === '@@') return '@';
    const [kind, name] = isCommand ? groups.map(String) : (OF_SCRIPT.exec(whole)?.slice(1) ?? []);
    if (kind === undefined || name === undefined) {
      lost.add(whole.slice(0, 100));
      return whole;
    }
    const written = replacement({ whole, kind, name, place: places[index] ?? 'unclear', use }, context);
    if (written === null) lost.add(`${kind}.${name}`);
    return written ?? whole;
  });
  converted = converted.replace(EXPORTED, (whole, kind: string, name: string) => {
    const variable = kind === 'OPTION' ? exportedName(name, context) : KNOWN.get(`${kind}.${name}`.toLowerCase());
    if (variable === undefined) lost.add(whole);
    return variable ?? whole;
  });
  return { text: escaped(converted), lost: [...lost] };
}

interface Reference {
  readonly whole: string;
  readonly kind: string;
  readonly name: string;
  readonly place: ShellPlace | 'quoted_document';
  readonly use: TextUse;
}

/** Null: not carried over. */
function replacement({ whole, kind, name, place, use }: Reference, context: JobContext): string | null {
  const quoted = kind !== 'unquotedoption';
  const isOption = kind === 'option' || !quoted;
  // Such as `${2:data.x}`, the value of another step.
  if (use === 'command' && !whole.startsWith(`\${${kind}.`)) return null;
  if (kind === 'node' && name === 'name') return use === 'command' && place === 'word' ? '\u0001host.name\u0002' : null;
  const variable = isOption ? context.variables.get(name) : KNOWN.get(`${kind}.${name}`);
  if (variable === undefined) return null;
  if (use === 'other-file') return isOption && !context.secrets.has(variable) ? `\u0001${variable} | raw\u0002` : null;
  switch (place) {
    case 'word':
      if (!quoted) return `\${${variable}}`;
      return use === 'command' && isOption ? `\u0001${variable}\u0002` : `"\${${variable}}"`;
    case 'single_quotes':
      return `'"\${${variable}}"'`;
    case 'double_quotes':
    case 'here_document':
    case 'expansion':
    case 'arithmetic':
    case 'comment':
      return `\${${variable}}`;
    default:
      return null;
  }
}

/** How the shell reads the place of each reference. */
function placesIn(text: string, pattern: RegExp): Reference['place'][] {
  const marked = text.replace(pattern, (whole) => `${INSERTION_MARK}${whole}${INSERTION_MARK}`);
  const isQuoted = /<<-?[ \t]*[^\s;&|<>()]*['"\\]/.test(text);
  return placeInsertions(marked).map(({ place }) =>
    place === 'here_document' && isQuoted ? 'quoted_document' : place,
  );
}

function exportedName(name: string, { variables }: JobContext): string | undefined {
  const wanted = name.toUpperCase();
  for (const [option, variable] of variables)
    if (option.toUpperCase().replace(/[^A-Z0-9_]/g, '_') === wanted) return variable;
  return undefined;
}

/** What would be taken for a place of ours stays as it is; our own places get their marks. */
const escaped = (text: string): string =>
  text
    .replace(/\{[{%]/g, (mark) => `{% raw %}${mark}{% endraw %}`)
    .replaceAll('\u0001', '{{ ')
    .replaceAll('\u0002', ' }}');
