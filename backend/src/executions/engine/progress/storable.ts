import type { HostOutcome } from './host-outcome.js';
import type { HostChange } from './step-progress.js';

/** The database takes neither a NUL nor half of a character, and one text that it refused would take the whole batch with it. */
const storableText = (text: string): string => text.replace(/\0|\p{Surrogate}/gu, '\ufffd');

const orNull = (text: string | null): string | null => (text === null ? null : storableText(text));

const storableOutcome = (outcome: HostOutcome): HostOutcome => ({
  ...outcome,
  signal: orNull(outcome.signal),
  message: orNull(outcome.message),
});

/** The change as it can be stored, whatever a host had a part in. */
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
