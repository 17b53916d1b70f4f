import type { PermittedPeople } from '../api/types';

/** Example: "Ana, Petra and 3 more". Empty = no people. */
export function namesOf({ names, more }: Pick<PermittedPeople, 'names' | 'more'>): string {
  if (more > 0) return `${names.join(', ')} and ${more.toLocaleString('en')} more`;
  return [names.slice(0, -1).join(', '), names.at(-1)].filter(Boolean).join(' and ');
}

/** Example: "Who can: Ana, Petra and 3 more (operators and admins)." */
export const permittedText = (people: PermittedPeople): string =>
  people.names.length === 0
    ? `No other member can do this now (only ${people.rule}).`
    : `Who can: ${namesOf(people)} (${people.rule}).`;
