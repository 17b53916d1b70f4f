import type { HostOutcome } from './host-outcome.js';
import type { HostChange } from './step-progress.js';

/** PostgreSQL accepts neither NUL nor lone surrogates, and one refused text would fail the whole batch. */
const toStorableText = (text: string): string => text.replace(/\0|\p{Surrogate}/gu, '\ufffd');

const toStorableTextOrNull = (text: string | null): string | null => (text === null ? null : toStorableText(text));

const toStorableOutcome = (outcome: HostOutcome): HostOutcome => ({
  ...outcome,
  signal: toStorableTextOrNull(outcome.signal),
  message: toStorableTextOrNull(outcome.message),
});

export function toStorableChange(change: HostChange): HostChange {
  if (change.kind === 'retrying') return { ...change, outcome: toStorableOutcome(change.outcome) };
  if (change.kind !== 'finished') return change;
  const { diff } = change;
  return {
    ...change,
    outcome: toStorableOutcome(change.outcome),
    ...(diff === undefined ? {} : { diff: toStorableText(diff) }),
  };
}
