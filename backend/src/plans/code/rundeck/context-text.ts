import { type JobContext, note } from './notes.ts';

/** How the shell reads the place where a reference stands. */
type Quotes = 'none' | 'single' | 'double';

const REFERENCE = /\$\{(unquotedoption|option|node|job|globals|data|export|execution)\.([^}\s]{1,100})\}/g;
const IN_SCRIPT = /@(unquotedoption|option|node|job|globals|data|export|execution)\.([^@\s]{1,100})@/g;
const EXPORTED = /\bRD_OPTION_([A-Za-z0-9_]+)/g;

/** The names of variables of the process that mean the same. */
const KNOWN: Readonly<Record<string, string>> = {
  'job.execid': '$RUNWARD_EXECUTION_ID',
  'execution.id': '$RUNWARD_EXECUTION_ID',
};

export interface Place {
  readonly path: string;
  readonly step: string;
}

/** Where a text is put: as the shell command itself, into a file that a shell runs, or into one that something else runs. */
export type TextUse = 'command' | 'shell-file' | 'other-file';

/** A text of a job with its references as variables of the plan. */
export function convertText(text: string, use: TextUse, context: JobContext, place: Place): string {
  const marks = use === 'command' ? quotesIn(text) : null;
  const put = (kind: string, name: string, offset: number, whole: string): string => {
    if (kind === 'option' || kind === 'unquotedoption') {
      const variable = context.variables.get(name);
      if (variable !== undefined) return inserted(variable, use, marks?.[offset] ?? 'double', kind === 'option');
    }
    if (kind === 'node' && name === 'name' && use === 'command' && marks?.[offset] === 'none')
      return '\u0001host.name\u0002';
    const known = KNOWN[`${kind}.${name}`];
    if (known !== undefined && use !== 'other-file') return known;
    const reason =
      use === 'other-file'
        ? 'This reference means nothing here: it stands in the script as it was.'
        : 'Nothing here means the same: the command fails where it is used, until you put something else in its place.';
    note(context, place.path, place.step, `reference ${kind}.${name}`, reason);
    return use === 'other-file' ? whole : `\${NOT_CARRIED_OVER:?${kind}.${name.replace(/[^A-Za-z0-9_.-]/g, '_')}}`;
  };
  const inserted = (variable: string, how: TextUse, quotes: Quotes, quoted: boolean): string => {
    if (how === 'other-file' && !context.secrets.has(variable)) return `\u0001${variable} | raw\u0002`;
    if (how === 'command' && quotes === 'none' && quoted) return `\u0001${variable}\u0002`;
    return quotes === 'single'
      ? `'"\${${variable}}"'`
      : quotes === 'none' && quoted
        ? `"\${${variable}}"`
        : `\${${variable}}`;
  };
  let result = text.replace(
    use === 'command' ? REFERENCE : IN_SCRIPT,
    (whole: string, kind: string, name: string, offset: number) => put(kind, name, offset, whole),
  );
  result = result.replace(EXPORTED, (whole, name: string) => exportedName(name, context) ?? whole);
  return escaped(result);
}

function exportedName(name: string, { variables }: JobContext): string | null {
  const wanted = name.toUpperCase();
  for (const [option, variable] of variables)
    if (option.toUpperCase().replace(/[^A-Z0-9_]/g, '_') === wanted) return variable;
  return null;
}

/** What would be taken for a place of ours stays as it is; our own places get their marks. */
const escaped = (text: string): string =>
  text
    .replace(/\{[{%]/g, (mark) => `{% raw %}${mark}{% endraw %}`)
    .replaceAll('\u0001', '{{ ')
    .replaceAll('\u0002', ' }}');

/** For each character in which quotes of the shell it stands. */
function quotesIn(text: string): Quotes[] {
  const found: Quotes[] = [];
  let state: Quotes = 'none';
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '\\' && state !== 'single') {
      found.push(state, state);
      at += 1;
      continue;
    }
    if (char === "'" && state !== 'double') state = state === 'single' ? 'none' : 'single';
    else if (char === '"' && state !== 'single') state = state === 'double' ? 'none' : 'double';
    found.push(state);
  }
  return found;
}
