import type { Tree } from '../plan-text.ts';
import { type Fields, isFields, textOf } from './notes.ts';

const TERM = /(!?[A-Za-z_][\w-]*!?)\s*:\s*("[^"]*"|'[^']*'|(?:[^\s,]|,\s*(?![\w-]+\s*:))+)/g;
const PLAIN = /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/;

/** The selector of a node filter; null: it can't be said as one. An empty one means all. */
export function selectorOf(filters: Fields): string | null {
  const terms: string[] = [];
  const filter = textOf(filters.filter);
  if (filter !== null && filter.trim() !== '.*') {
    const rest = filter.replace(TERM, '').trim();
    if (rest === '' || rest === ',') {
      for (const [, name = '', value = ''] of filter.matchAll(TERM))
        terms.push(...termOf(name.replaceAll('!', ''), value, name.includes('!')));
    } else if (/[\s:]/.test(filter.trim())) return null;
    else terms.push(...termOf('name', filter.trim(), false));
  }
  const exclude = textOf(filters.filterExclude);
  if (exclude !== null)
    for (const [, name = '', value = ''] of exclude.matchAll(TERM)) terms.push(...termOf(name, value, true));
  for (const [side, negated] of [
    ['include', false],
    ['exclude', true],
  ] as const)
    for (const [name, value] of Object.entries(isFields(filters[side]) ? filters[side] : {}))
      terms.push(...termOf(name, plain(value), negated));
  return terms.includes(IMPOSSIBLE) ? null : terms.join(',');
}

const IMPOSSIBLE = '\0';
const plain = (value: Tree): string => textOf(value) ?? '';

/** One condition as conditions of a selector, all of which must hold. */
function termOf(name: string, written: string, negated: boolean): string[] {
  const value = written.replace(/^["']|["']$/g, '').trim();
  if (name === 'tags') {
    const some = value.split(',').map((each) => each.trim());
    const all = value.split('+').map((each) => each.trim());
    if (some.length > 1 && !negated) return [IMPOSSIBLE];
    if (all.length > 1 && negated) return [IMPOSSIBLE];
    return (negated ? some : all).map((tag) => (PLAIN.test(tag) ? `${negated ? '!' : ''}${tag}` : IMPOSSIBLE));
  }
  const key = name === 'hostname' || name === 'nodename' ? 'name' : name;
  if (key === 'name' && value === '.*') return negated ? [IMPOSSIBLE] : [];
  const values = value
    .replace(/^\/\^?|\$?\/$/g, '')
    .split(',')
    .map((each) => globOf(each.trim(), key === 'name'));
  if (!PLAIN.test(key) || values.includes(null)) return [IMPOSSIBLE];
  if (values.length === 1) return [`${key}${negated ? '!=' : '='}${values[0]}`];
  if (values.some((each) => each?.includes('*')))
    return negated ? values.map((each) => `${key}!=${each}`) : [IMPOSSIBLE];
  return [`${key} ${negated ? 'notin' : 'in'} (${values.join(', ')})`];
}

/** A name, or a pattern of which only `.*` is used, as a glob; null: it is another one. */
function globOf(value: string, globs: boolean): string | null {
  if (PLAIN.test(value)) return value;
  const glob = value.replaceAll('.*', '*');
  return globs && /^[A-Za-z0-9*][A-Za-z0-9._*-]*$/.test(glob) ? glob : null;
}
