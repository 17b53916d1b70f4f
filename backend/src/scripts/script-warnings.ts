import type { CONTENT_REASONS } from '../common/errors/reasons/content-reasons.js';
import type { Reason } from '../common/http/reason.view.js';
import { commandWords, programName, scriptProgram } from './script-program.js';

/** Likely mistake in a script. The script can still be saved and run. */
export interface ScriptWarning {
  reason: Reason & { code: keyof typeof CONTENT_REASONS };
}

export const scriptWarnings = (words: readonly string[], content: string): ScriptWarning[] => [
  ...contradictionWarnings(words, content),
  ...joinedArguments(words, content),
  ...encodingWarnings(content),
];

/** Null: the interpreter runs the program that line 1 names. */
export const interpreterWarning = (interpreter: string, content: string): ScriptWarning | null =>
  contradictionWarnings([interpreter], content)[0] ?? null;

/** Warns if the interpreter differs from the program of the first line, or drops its arguments. */
function contradictionWarnings(words: readonly string[], content: string): ScriptWarning[] {
  const line = scriptProgram(null, content);
  if (line.source !== 'first_line' || words.join('\0') === line.words.join('\0')) return [];
  const [, ...args] = commandWords(line.words);
  if (programName(words) === programName(line.words) && (args.length === 0 || words.length > 1)) return [];
  const text = `Line 1 names "${line.words.join(' ')}", but "${words.join(' ')}" runs the script. Remove the interpreter to run it by line 1, or correct line 1.`;
  return [{ reason: { code: 'interpreter_contradiction', text } }];
}

/** Warns about several arguments in line 1, which Linux passes as one argument. Perl splits such an argument. */
function joinedArguments(words: readonly string[], content: string): ScriptWarning[] {
  const { source, words: line } = scriptProgram(null, content);
  const argument = line[1] ?? '';
  const split = argument.startsWith('-S') || argument.startsWith('--split-string');
  if (source !== 'first_line' || line.length !== 2 || words.join('\0') !== line.join('\0')) return [];
  if (!/[ \t]/.test(argument) || split || programName(line).startsWith('perl')) return [];
  const text = `Line 1 gives ${line[0]} one argument: "${argument}". Linux does not split it. Name several arguments with "#!/usr/bin/env -S", or set them in the script.`;
  return [{ reason: { code: 'first_line_arguments', text } }];
}

function encodingWarnings(content: string): ScriptWarning[] {
  const warnings: ScriptWarning[] = [];
  if (content.startsWith('\uFEFF'))
    warnings.push({
      reason: {
        code: 'byte_order_mark',
        text: 'The script begins with a byte order mark (BOM), which a shell reads as part of its first command. Save it as UTF-8 without BOM.',
      },
    });
  const lines = content.split('\r\n').length - 1;
  if (lines > 0)
    warnings.push({
      reason: {
        code: 'windows_line_ends',
        text: `The script has Windows line ends (CRLF) in ${lines} ${lines === 1 ? 'line' : 'lines'}. A shell reads the carriage return as part of a command. Save it with LF.`,
      },
    });
  return warnings;
}
