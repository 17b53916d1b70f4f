import { COMMAND_FILTERS, HOST_FACTS } from '../../../api/lists';
import type { Grammar, Names } from './names';

export interface Offer {
  label: string;
  detail: string;
  insert: string;
}

export interface Completions {
  /** Start of the word to complete, which ends at the caret. */
  from: number;
  offers: Offer[];
}

const MOST = 50;

/**
 * Returns completions at the caret; null: none.
 * @param requested whether a key requested them; otherwise a condition needs a first letter
 */
export function offersAt(
  text: string,
  caret: number,
  names: Names,
  grammar: Grammar,
  requested = false,
): Completions | null {
  const before = text.slice(0, caret);
  const place = grammar === 'condition' ? { inner: before, close: '' } : insertionAt(before, text.slice(caret));
  if (!place) return null;
  const { inner, close } = place;
  if (isQuoted(inner)) return null;
  const word = /[\w.-]*$/.exec(inner)?.[0] ?? '';
  if (grammar === 'condition' && word === '' && !requested) return null;
  const filtered = grammar === 'value' ? null : /\|\s*([\w-]*)$/.exec(inner);
  const begun = filtered ? (filtered[1] ?? '') : word;
  const gap = before.slice(0, caret - begun.length).endsWith('{') ? ' ' : '';
  const choices = filtered
    ? COMMAND_FILTERS.map((label) => ({ label, detail: 'filter', open: false }))
    : choicesOf(names, grammar);
  const offers = rankChoices(choices, begun).map(({ label, detail, open }) => ({
    label,
    detail,
    insert: `${gap}${label}${open ? '' : close}`,
  }));
  // A complete word needs no completion.
  if (offers.length === 0 || (offers.length === 1 && offers[0]?.label === begun && close === '')) return null;
  return { from: caret - begun.length, offers };
}

/** Returns the text between the braces around the caret, and the closing part; null: the caret is not within braces. */
function insertionAt(before: string, after: string): { inner: string; close: string } | null {
  const output = before.lastIndexOf('{{');
  const tag = before.lastIndexOf('{%');
  const start = Math.max(output, tag);
  if (start < 0) return null;
  const inner = before.slice(start + 2);
  if (/[}%]\}/.test(inner) || inner.includes('\n\n')) return null;
  if (start === tag) {
    const words = /^-?\s*(?:if|elsif|unless|case|when|assign\s+\w+\s*=|for\s+\w+\s+in)\s([\s\S]*)$/.exec(inner);
    return words ? { inner: words[1] ?? '', close: '' } : null;
  }
  return { inner, close: /^[^\n{]*\}\}/.test(after) ? '' : ' }}' };
}

const isQuoted = (text: string): boolean => /^(?:[^"']|"[^"]*"|'[^']*')*["'][^"']*$/.test(text);

interface Choice {
  label: string;
  detail: string;
  /** Whether more must follow, such as the name of a tag. */
  open: boolean;
}

function choicesOf({ variables, earlier, item }: Names, grammar: Grammar): Choice[] {
  const own = variables
    .filter(({ secret }) => !secret || grammar === 'text' || grammar === 'value')
    .map(({ name, detail }) => whole(name, detail));
  const items = item ? [whole('item', 'current item of the step')] : [];
  if (grammar === 'value') return [...own, ...items];
  const back = earlier.filter(({ key }) => key !== '').toReversed();
  return [
    ...own,
    ...items,
    ...back.flatMap(({ key, outputs }) =>
      outputs.map((output) => whole(`steps.${key}.outputs.${output}`, `output of “${key}”`)),
    ),
    whole('host.name', 'server name'),
    { label: 'host.tags.', detail: 'server tag', open: true },
    ...back.flatMap(({ key }) => [
      whole(`steps.${key}.changed`, 'true if it changed the host'),
      whole(`steps.${key}.status`, 'status, such as SUCCEEDED'),
      whole(`steps.${key}.exitCode`, 'exit code'),
    ]),
    ...HOST_FACTS.map((fact) => whole(`host.facts.${fact}`, 'fact of the server')),
  ];
}

const whole = (label: string, detail: string): Choice => ({ label, detail, open: false });

/** Orders matches at the start before matches within. */
function rankChoices(choices: readonly Choice[], word: string): Choice[] {
  const sought = word.toLowerCase();
  const begins = choices.filter(({ label }) => label.toLowerCase().startsWith(sought));
  const within = choices.filter((each) => !begins.includes(each) && each.label.toLowerCase().includes(sought));
  return [...begins, ...within].slice(0, MOST);
}
