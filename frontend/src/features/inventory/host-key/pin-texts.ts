import type { Pin } from '../../../api/types';

type How = NonNullable<Pin['pinnedHow']>;

const PINNED: Record<How, string> = {
  registered: 'with the registration',
  accepted: 'accepted as the host showed it',
  set: 'set',
  imported: 'by an import',
  enrolled: 'by the enrolment of the host',
  readdressed: 'with another address',
};
const RETIRED: Record<How, string> = {
  registered: 'registered anew',
  accepted: 'another key was accepted',
  set: 'the keys were set anew',
  imported: 'an import named another key',
  enrolled: 'the host was enrolled anew',
  readdressed: 'the server got another address or jump server',
};
const by = (who: string | null) => (who === null ? '' : `by ${who}`);

/** Who pinned the key and how; told as part of a row. */
export const pinnedText = ({ pinnedBy, pinnedHow }: Pick<Pin, 'pinnedBy' | 'pinnedHow'>): string =>
  pinnedHow === null ? 'Before that was recorded' : [by(pinnedBy), PINNED[pinnedHow]].filter(Boolean).join(', ');

/** Who ended that and how. */
export const retiredText = ({ retiredBy, retiredHow }: Pick<Pin, 'retiredBy' | 'retiredHow'>): string =>
  [by(retiredBy), retiredHow === null ? '' : RETIRED[retiredHow]].filter(Boolean).join(': ');
