import { isId } from '../../../common/ids.js';
import type { Readers } from './recipients.js';

export interface Audience {
  to: string[];
  sees: ReadonlySet<string>;
}

/**
 * Groups recipients by the environments that they can see, largest set first. A member who sees no environment gets no
 * message. A mail address gets all environments.
 * @param environmentIds environments that the owner of the rule can see
 * @param readers members who can see an environment, by environment
 */
export function groupIntoAudiences(
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
