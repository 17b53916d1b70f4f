import { INSERTION_MARK, locateInsertions, type ShellPosition } from '../../shell/shell-places.ts';
import type { JobContext } from './notes.ts';

const REFERENCE_KINDS_PATTERN = 'unquotedoption|option|node|job|globals|data|export|execution|file|secureOption|user';
/** Names of shell variables have no dots, so each match is a Rundeck reference. */
const COMMAND_REFERENCE_PATTERN = /\$\{(?:\w+:)?([A-Za-z]+)\.([^}\s]{1,100})\}/g;
/** Rundeck writes `@@` as `@`. Between two other `@`, it replaces any text without white space. */
const SCRIPT_TOKEN_PATTERN = /@@|@[^@\s]+@/g;
const SCRIPT_REFERENCE_PATTERN = new RegExp(`^@(${REFERENCE_KINDS_PATTERN})\\.([^@\\s]{1,100})@$`);
const EXPORTED_VARIABLE_PATTERN = /\bRD_(OPTION|NODE|JOB|GLOBALS|DATA|FILE|EXPORT|EXECUTION)_([A-Za-z0-9_]+)/g;

/** Rundeck variables and the shell variables that replace them. */
const KNOWN_REFERENCES: ReadonlyMap<string, string> = new Map([
  ['job.execid', 'RUNWARD_EXECUTION_ID'],
  ['execution.id', 'RUNWARD_EXECUTION_ID'],
]);

/** Use of a text: shell command, file for a shell, or file for another program. */
export type TextUse = 'command' | 'shell-file' | 'other-file';

export interface ConvertedContext {
  readonly text: string;
  /** References without a meaning in Runward, or in a place where no quoting would protect their value. */
  readonly lost: readonly string[];
}

/** Replaces the references in a text of a job with variables of the plan. */
export function convertContextReferences(text: string, use: TextUse, context: JobContext): ConvertedContext {
  const lost = new Set<string>();
  if (text.includes('\u0001') || text.includes('\u0002')) lost.add('control characters');
  const isCommand = use === 'command';
  const pattern = isCommand ? COMMAND_REFERENCE_PATTERN : SCRIPT_TOKEN_PATTERN;
  const places = use === 'other-file' ? [] : findReferencePlaces(text, pattern);
  let index = -1;
  let convertedText = text.replace(pattern, (whole: string, ...groups: unknown[]) => {
    index += 1;
    if (whole === '@@') return '@';
    const [kind, name] = isCommand ? groups.map(String) : (SCRIPT_REFERENCE_PATTERN.exec(whole)?.slice(1) ?? []);
    if (kind === undefined || name === undefined) {
      lost.add(whole.slice(0, 100));
      return whole;
    }
    const written = toReplacement({ whole, kind, name, place: places[index] ?? 'unclear', use }, context);
    if (written === null) lost.add(`${kind}.${name}`);
    return written ?? whole;
  });
  convertedText = convertedText.replace(EXPORTED_VARIABLE_PATTERN, (whole, kind: string, name: string) => {
    const variable =
      kind === 'OPTION' ? findExportedName(name, context) : KNOWN_REFERENCES.get(`${kind}.${name}`.toLowerCase());
    if (variable === undefined) lost.add(whole);
    return variable ?? whole;
  });
  return { text: escapeTemplateMarks(convertedText), lost: [...lost] };
}

interface ContextReference {
  readonly whole: string;
  readonly kind: string;
  readonly name: string;
  readonly place: ShellPosition | 'quoted_document';
  readonly use: TextUse;
}

/** Null: the reference cannot be converted. */
function toReplacement({ whole, kind, name, place, use }: ContextReference, context: JobContext): string | null {
  const quoted = kind !== 'unquotedoption';
  const isOption = kind === 'option' || !quoted;
  // For example `${2:data.x}`, which is a value of another step.
  if (use === 'command' && !whole.startsWith(`\${${kind}.`)) return null;
  if (kind === 'node' && name === 'name') return use === 'command' && place === 'word' ? '\u0001host.name\u0002' : null;
  const variable = isOption ? context.variables.get(name) : KNOWN_REFERENCES.get(`${kind}.${name}`);
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

function findReferencePlaces(text: string, pattern: RegExp): ContextReference['place'][] {
  const textWithMarks = text.replace(pattern, (whole) => `${INSERTION_MARK}${whole}${INSERTION_MARK}`);
  const isQuoted = /<<-?[ \t]*[^\s;&|<>()]*['"\\]/.test(text);
  return locateInsertions(textWithMarks).map(({ place }) =>
    place === 'here_document' && isQuoted ? 'quoted_document' : place,
  );
}

function findExportedName(name: string, { variables }: JobContext): string | undefined {
  const upperName = name.toUpperCase();
  for (const [option, variable] of variables)
    if (option.toUpperCase().replace(/[^A-Z0-9_]/g, '_') === upperName) return variable;
  return undefined;
}

/** Escapes texts that would be read as insertions, then adds the real insertions. */
const escapeTemplateMarks = (text: string): string =>
  text
    .replace(/\{[{%]/g, (mark) => `{% raw %}${mark}{% endraw %}`)
    .replaceAll('\u0001', '{{ ')
    .replaceAll('\u0002', ' }}');
