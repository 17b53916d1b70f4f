import type { Fields } from '../../code/plan-text.ts';
import { convertContextReferences, type TextUse } from './context-text.ts';
import { isTrue, type JobContext, toText, createLostPart, toLostReferences, type ConvertedProgram } from './notes.ts';

const SHELL_PATTERN = /^(?:\/\S*\/)?(?:env\s+)?(?:ba|da|k|z|a)?sh\b/;

/** Converts an inline script to shell text that writes the script to a file and runs the file. */
export function convertScript(
  script: string,
  fields: Fields,
  isSeparateScript: boolean,
  context: JobContext,
): ConvertedProgram {
  const firstLine = /^\s*#!\s*(\S[^\n]*)/.exec(script)?.[1]?.trim() ?? null;
  const statedInterpreter = toText(fields.scriptInterpreter)?.trim() ?? null;
  const sudo = statedInterpreter === null ? null : /^sudo(?:\s+-u\s+(\S+))?(?:\s+(.*))?$/s.exec(statedInterpreter);
  if (sudo?.[2]?.startsWith('-'))
    return createLostPart(`interpreter ${statedInterpreter}`, 'Of the options of sudo, only -u is converted.');
  const written = (sudo ? sudo[2] : statedInterpreter) || firstLine || 'sh';
  const become = sudo ? (sudo[1] ?? 'root') : null;
  const args = toText(fields.args);
  if (args !== null && isTrue(fields.interpreterArgsQuoted))
    return createLostPart('interpreterArgsQuoted', 'Script and arguments cannot be passed as one text.');
  const extension = toText(fields.fileExtension)?.replace(/^\./, '') ?? null;
  if (extension !== null && !/^[A-Za-z0-9]{1,16}$/.test(extension))
    return createLostPart('fileExtension', 'A file extension has 1 to 16 letters or digits.');
  const use: TextUse = SHELL_PATTERN.test(written.replace(/^\/usr\/bin\/env\s+/, '')) ? 'shell-file' : 'other-file';
  const [text, interpreter, runs] = [
    convertContextReferences(script, use, context),
    convertContextReferences(written, 'command', context),
    convertContextReferences(args ?? '', 'command', context),
  ];
  const references = [text, interpreter, runs].flatMap((each) => each.lost);
  if (references.length > 0) return toLostReferences(references);
  if (!isSeparateScript && args === null && extension === null && /^(?:\/bin\/)?sh$/.test(written))
    return { command: text.text, become };
  const program = written.includes('${scriptfile}')
    ? interpreter.text.replaceAll('${scriptfile}', '"$script"')
    : `${interpreter.text} "$script"`;
  const mark = toHereDocumentMark(text.text);
  const command = [
    ...createTempFileLines(extension),
    `cat > "$script" <<'${mark}'`,
    text.text.replace(/\n?$/, '\n') + mark,
    args === null ? program : `${program} ${runs.text}`,
  ].join('\n');
  return { command: isSeparateScript ? `(\n${command}\n)` : command, become };
}

const createTempFileLines = (extension: string | null): string[] =>
  extension === null
    ? ['script=$(mktemp) || exit 1', `trap 'rm -f "$script"' EXIT`]
    : ['folder=$(mktemp -d) || exit 1', `trap 'rm -rf "$folder"' EXIT`, `script=$folder/script.${extension}`];

function toHereDocumentMark(text: string): string {
  let mark = 'END_OF_SCRIPT';
  while (text.includes(mark)) mark += '_';
  return mark;
}
