import type { RetentionLimits, RetentionPreview } from '../../api/types';
import { bytes, plural } from '../../ui/format/format';

const GIBIBYTE = 1024 ** 3;

/** In the form, an empty field means no limit. */
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

export function limitsText({ keepDays, keepRuns, keepBytes }: Limits): string {
  const parts = [
    keepDays === null ? null : plural(keepDays, 'day'),
    keepRuns === null ? null : plural(keepRuns, 'run'),
    keepBytes === null ? null : bytes(keepBytes),
  ].filter((part) => part !== null);
  return parts.length === 0 ? 'Forever' : `At most ${parts.join(', ')}`;
}

const REASONS: [reason: string, words: string][] = [
  ['active', 'unfinished'],
  ['pinned', 'pinned'],
  ['unresolved', 'with unknown results'],
  ['last_succeeded', 'last success of their plan'],
  ['last_failed', 'last failure of their plan'],
  ['referenced', 'repeated by a kept run'],
];

/** Returns how many runs exceed a limit but are kept, by reason; empty: none. */
export function retainedTexts({ environments }: Pick<RetentionPreview, 'environments'>): string[] {
  const counts = new Map<string, number>();
  for (const { kept } of environments)
    for (const [reason, count] of Object.entries(kept)) counts.set(reason, (counts.get(reason) ?? 0) + count);
  return REASONS.flatMap(([reason, words]) => {
    const count = counts.get(reason) ?? 0;
    return count > 0 ? [`${count} ${words}`] : [];
  });
}
