import type { HostOutcome } from './host-outcome.js';
import type { HostChange } from './step-progress.js';

/** PostgreSQL accepts neither NUL nor lone surrogates, and one refused text would fail the whole batch. */
const storableText = (text: string): string => text.replace(/\0|\p{Surrogate}/gu, '\ufffd');

const storableOrNull = (text: string | null): string | null => (text === null ? null : storableText(text));

const storableOutcome = (outcome: HostOutcome): HostOutcome => ({
  ...outcome,
  signal: storableOrNull(outcome.signal),
  message: storableOrNull(outcome.message),
});

export function storable(change: HostChange): HostChange {
  if (change.kind === 'retrying') return { ...change, outcome: storableOutcome(change.outcome) };
  if (change.kind !== 'finished') return change;
  const { diff } = change;
  return {
    ...change,
    outcome: storableOutcome(change.outcome),
    ...(diff === undefined ? {} : { diff: storableText(diff) }),
  };
}
