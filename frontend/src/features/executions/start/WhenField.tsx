import { Checkbox, Fieldset, Stack, TextInput } from '@mantine/core';
import { toLocalTime } from '../../../ui/format/local-time';

interface Props {
  queue: boolean;
  startAt: string | null;
  error: React.ReactNode;
  onQueue: (queue: boolean) => void;
  onStartAt: (startAt: string | null) => void;
}

const HOUR_MS = 60 * 60 * 1000;
const OWN_TIME_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function WhenField({ queue, startAt, error, onQueue, onStartAt }: Props) {
  return (
    <Fieldset legend="Start">
      <Stack gap="sm">
        <Checkbox
          label="Wait in the queue"
          description={`If other runs conflict, the run waits in the queue. Otherwise ${startAt === null ? 'the start is refused' : 'the run ends'}.`}
          checked={queue}
          onChange={(event) => onQueue(event.currentTarget.checked)}
        />
        <Checkbox
          label="Start later"
          description="The run is created now with current content and starts at the chosen time."
          checked={startAt !== null}
          onChange={(event) =>
            onStartAt(event.currentTarget.checked ? toLocalTime(new Date(Date.now() + HOUR_MS).toISOString()) : null)
          }
        />
        {startAt !== null && (
          <TextInput
            type="datetime-local"
            label="Start time"
            description={`Time zone ${OWN_TIME_ZONE}, at most one year ahead. Approvers can decide until then.`}
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
