import type { RetentionLimits, RetentionPreview } from '../../api/types';
import { bytes, plural } from '../../ui/format/format';

const GIBIBYTE = 1024 ** 3;

/** A rule as it is typed; an empty field is no limit. */
export interface RuleForm {
  keepDays: number | string;
  keepRuns: number | string;
  gibibytes: number | string;
}

type Limits = { keepDays: number | null; keepRuns: number | null; keepBytes: number | null };

export const formOf = (rule: Limits | null): RuleForm => ({
  keepDays: rule?.keepDays ?? '',
  keepRuns: rule?.keepRuns ?? '',
  gibibytes: rule?.keepBytes == null ? '' : Math.round((rule.keepBytes / GIBIBYTE) * 1000) / 1000,
});

const typed = (value: number | string): number | null => (value === '' ? null : Number(value));

export function limitsOf(form: RuleForm): Required<RetentionLimits> {
  const size = typed(form.gibibytes);
  return {
    keepDays: typed(form.keepDays),
    keepRuns: typed(form.keepRuns),
    keepBytes: size === null ? null : Math.round(size * GIBIBYTE),
  };
}

/** A rule in a few words. */
export function inWords({ keepDays, keepRuns, keepBytes }: Limits): string {
  const parts = [
    keepDays === null ? null : plural(keepDays, 'day'),
    keepRuns === null ? null : plural(keepRuns, 'run'),
    keepBytes === null ? null : bytes(keepBytes),
  ].filter((part) => part !== null);
  return parts.length === 0 ? 'For ever' : `At most ${parts.join(', ')}`;
}

const REASONS: [reason: string, words: string][] = [
  ['active', 'not ended'],
  ['pinned', 'pinned'],
  ['unresolved', 'with unknown results'],
  ['last_succeeded', 'the last of their plan to succeed'],
  ['last_failed', 'the last of their plan to fail'],
  ['referenced', 'repeated by a run that stays'],
];

/** Due runs that stay and why, most telling first; empty when none does. */
export function keptInWords({ environments }: Pick<RetentionPreview, 'environments'>): string[] {
  const counts = new Map<string, number>();
  for (const { kept } of environments)
    for (const [reason, count] of Object.entries(kept)) counts.set(reason, (counts.get(reason) ?? 0) + count);
  return REASONS.flatMap(([reason, words]) => {
    const count = counts.get(reason) ?? 0;
    return count > 0 ? [`${count} ${words}`] : [];
  });
}
