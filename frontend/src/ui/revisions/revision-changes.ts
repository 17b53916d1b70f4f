import type { PlanRevisionDiff } from '../../api/types';

type Change = PlanRevisionDiff['changes'][number];

const KINDS = { plan: 'Plan', variable: 'Variable', step: 'Step' } as const;

export const changeLines = ({ changes }: Pick<PlanRevisionDiff, 'changes'>): string[] => changes.map(changeLine);

function changeLine({ kind, part, change, fields }: Change): string {
  const what = part === null ? KINDS[kind] : `${KINDS[kind]} ${part}`;
  if (change !== 'changed') return `${what} ${change}`;
  const others = fields.filter((field) => field !== 'position');
  return `${what} ${fields.includes('position') ? 'moved and changed' : 'changed'}: ${others.join(', ')}`;
}
