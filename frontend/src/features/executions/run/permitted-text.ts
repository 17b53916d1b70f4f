import type { PermittedPeople } from '../../../api/types';

/** Example: "Who can: Ana, Petra and 3 more (operators and admins)." */
export function permittedText({ names, more, rule }: PermittedPeople): string {
  if (names.length === 0) return `No other member can do this now (only ${rule}).`;
  const listed =
    more > 0 ? [names.join(', '), `${more.toLocaleString('en')} more`] : [names.slice(0, -1).join(', '), names.at(-1)];
  return `Who can: ${listed.filter(Boolean).join(' and ')} (${rule}).`;
}
