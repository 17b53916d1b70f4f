import { isId } from '../../../common/ids.js';
import type { Readers } from './recipients.js';

/** Recipients who are told of the same environments. */
export interface Audience {
  to: string[];
  /** Ids of the environments that they are told of. */
  sees: ReadonlySet<string>;
}

/**
 * Splits recipients by what they may be told of, those first who are told of most: who sees some of the environments is
 * told of these alone, and who sees none of nothing. Addresses are told of all.
 * @param environmentIds those that the owner of the rule sees
 * @param readers who sees which
 */
export function audiencesOf(
  to: readonly string[],
  environmentIds: readonly string[],
  readers: ReadonlyMap<string, Readers>,
): Audience[] {
  const audiences = new Map<string, Audience>();
  for (const each of to) {
    const sees = environmentIds.filter((id) => !isId(each) || readers.get(id)?.has(each));
    if (sees.length === 0) continue;
    const key = sees.join(' ');
    const audience = audiences.get(key) ?? { to: [], sees: new Set(sees) };
    audience.to.push(each);
    audiences.set(key, audience);
  }
  return [...audiences.values()].sort((one, other) => other.sees.size - one.sees.size);
}
