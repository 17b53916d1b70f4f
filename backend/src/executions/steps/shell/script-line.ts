import { shellWord } from '../../../plans/shell/shell-text.js';

export const renderScriptLine = (
  { program, name }: { program: readonly string[]; name: string },
  args: readonly string[],
): string => [...program, name, ...args].map(quoteWordIfNeeded).join(' ');

const quoteWordIfNeeded = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : shellWord(text));
