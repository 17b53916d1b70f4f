import type { EnvironmentFreeze } from '../../api/types';
import { plural, shortTime } from '../../ui/format/format';

/** Returns text such as `Releases: 3 plans frozen until 24 Nov 2026, 08:00`. */
export const freezeText = ({ collectionName, planCount, until }: EnvironmentFreeze): string =>
  `${collectionName}: ${plural(planCount, 'plan')} frozen until ${shortTime(until)}`;
