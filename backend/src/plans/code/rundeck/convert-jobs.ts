import type { ConvertedText, ReadText } from '../plan-text.ts';

export function convertJobs({ faults }: ReadText): ConvertedText {
  return { plans: [], notCarried: [], moreNotCarried: 0, faults };
}
