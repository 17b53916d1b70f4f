import { Checkbox, Fieldset, Stack, TextInput } from '@mantine/core';
import { localOf } from '../../../ui/format/local-time';

interface Props {
  queue: boolean;
  startAt: string | null;
  /** Of the time. */
  error: React.ReactNode;
  onQueue: (queue: boolean) => void;
  onStartAt: (startAt: string | null) => void;
}

const HOUR_MS = 60 * 60 * 1000;
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** When the run begins: now or later, and what it does where other runs are in the way then. */
export function WhenField({ queue, startAt, error, onQueue, onStartAt }: Props) {
  return (
    <Fieldset legend="When">
      <Stack gap="sm">
        <Checkbox
          label="Wait in the queue"
          description={`Where other runs hold what it needs, it waits for its turn instead of ${startAt === null ? 'being refused' : 'ending there'}.`}
          checked={queue}
          onChange={(event) => onQueue(event.currentTarget.checked)}
        />
        <Checkbox
          label="Start later"
          description="It is accepted now, with what it would run now, and begins at a time."
          checked={startAt !== null}
          onChange={(event) =>
            onStartAt(event.currentTarget.checked ? localOf(new Date(Date.now() + HOUR_MS).toISOString()) : null)
          }
        />
        {startAt !== null && (
          <TextInput
            type="datetime-local"
            label="Begins"
            description={`In ${ZONE}, at most a year ahead. An approval that it needs can be given until then.`}
            withAsterisk
            maw={280}
            value={startAt}
            error={error}
            onChange={(event) => onStartAt(event.currentTarget.value)}
          />
        )}
      </Stack>
    </Fieldset>
  );
}
