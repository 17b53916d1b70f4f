import { shellWord } from '../../plans/shell/shell-text.js';
import type { RunScript } from './step-command.js';

export const renderScriptLine = (
  { program, name }: Pick<RunScript, 'program' | 'name'>,
  args: readonly string[],
): string => [...program, name, ...args].map(quoteWordIfNeeded).join(' ');

const quoteWordIfNeeded = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : shellWord(text));
