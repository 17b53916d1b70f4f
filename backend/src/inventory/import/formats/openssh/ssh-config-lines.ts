import type { Findings } from '../texts/findings.ts';
import { readContentLines } from '../texts/text-lines.ts';

export interface SshConfigLine {
  readonly line: number;
  readonly keyword: string;
  readonly words: readonly string[];
  /** Rest of the line after the keyword, for options whose value is a whole command. */
  readonly rest: string;
}

/**
 * Splits the lines into words. The package `ssh-config` is unsuitable: it keeps no line numbers, rejects the whole text
 * for one unclosed quote, and matches patterns with regular expressions that may not terminate.
 */
export function* readConfigLines(content: string, findings: Findings): Generator<SshConfigLine> {
  for (const { number, text } of readContentLines(content, '#', findings)) {
    const found = /^"?([^\s="]+)"?(?:\s*=\s*|\s+|$)/.exec(text);
    const keyword = found?.[1] ?? '';
    const rest = found ? text.slice(found[0].length) : '';
    const words = splitWords(rest);
    if (!words) {
      findings.recordFault(number, null, 'unclosed_quote', `A quote after this option is never closed.`);
    } else if (words.length === 0) {
      findings.recordFault(number, null, 'missing_value', 'This option has no value; a line is "Option value".');
    } else yield { line: number, keyword, words, rest };
  }
}

/** Splits words as OpenSSH does: a backslash escapes only quotes, spaces and backslashes; `#` begins a comment. */
function splitWords(text: string): string[] | null {
  const words: string[] = [];
  let at = 0;
  while (at < text.length) {
    while (isBlank(text.charAt(at))) at += 1;
    if (at >= text.length || text.charAt(at) === '#') break;
    let word = '';
    let quote = '';
    for (; at < text.length; at += 1) {
      const character = text.charAt(at);
      const next = text.charAt(at + 1);
      if (character === '\\' && (next === '"' || next === "'" || next === '\\' || (quote === '' && next === ' '))) {
        word += next;
        at += 1;
      } else if (quote === '' && isBlank(character)) break;
      else if (quote === '' && (character === '"' || character === "'")) quote = character;
      else if (quote !== '' && character === quote) quote = '';
      else word += character;
    }
    if (quote !== '') return null;
    words.push(word);
  }
  return words;
}

const isBlank = (character: string) => character === ' ' || character === '\t';
