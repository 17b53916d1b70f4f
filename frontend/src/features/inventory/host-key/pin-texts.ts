import type { Pin } from '../../../api/types';

type How = NonNullable<Pin['pinnedHow']>;

const PINNED: Record<How, string> = {
  registered: 'with the registration',
  accepted: 'accepted after presentation by the host',
  set: 'set',
  imported: 'by an import',
  enrolled: 'by the enrolment of the host',
  readdressed: 'with another address',
};
const RETIRED_TEXTS: Record<How, string> = {
  registered: 'registered again',
  accepted: 'another key was accepted',
  set: 'the keys were replaced',
  imported: 'an import named another key',
  enrolled: 'the host was enrolled again',
  readdressed: 'address or jump server changed',
};
const by = (who: Pin['pinnedBy']) => (who === null ? '' : `by ${who.name}`);

export const pinnedText = ({ pinnedBy, pinnedHow }: Pick<Pin, 'pinnedBy' | 'pinnedHow'>): string =>
  pinnedHow === null ? 'Not recorded' : [by(pinnedBy), PINNED[pinnedHow]].filter(Boolean).join(', ');

export const retiredText = ({ retiredBy, retiredHow }: Pick<Pin, 'retiredBy' | 'retiredHow'>): string =>
  [by(retiredBy), retiredHow === null ? '' : RETIRED_TEXTS[retiredHow]].filter(Boolean).join(': ');
