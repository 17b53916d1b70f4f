import type { ReviewStep } from '../../../api/types';
import { plural } from '../../../ui/format/format';

export function stepFacts({ type, hostCount, become, when, outerConditions, targets }: ReviewStep): string[] {
  return [
    type === 'gate' ? 'needs confirmation' : `on ${plural(hostCount, 'host')}`,
    ...(targets ? [`targets ${targets}`] : []),
    ...(become ? [`as ${become}`] : []),
    ...[...outerConditions, ...(when ? [when] : [])].map((each) => `only when ${each}`),
  ];
}
