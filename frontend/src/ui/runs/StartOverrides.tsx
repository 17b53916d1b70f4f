import { Alert, Checkbox, Stack, Text, Textarea } from '@mantine/core';
import { type Icon, IconClockPause, IconSnowflake } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useAccess } from '../../access/useAccess';
import type { RunMode } from '../../api/types';
import { reasonText } from '../collections/freeze';
import { windowText } from '../environments/run-window';
import { shortTime } from '../format/format';
import type { Override } from '../forms/start-override';
import type { StartLimits } from './useStartLimits';

interface Props {
  limits: StartLimits;
  mode: RunMode;
  freezeReason: Override;
  onFreezeReason: (reason: Override) => void;
}

/** What blocks a start, with fields for the overrides of admins. Dry runs are not blocked. */
export function StartOverrides({ limits, mode, freezeReason, onFreezeReason }: Props) {
  const { freeze, closed, windowReason, setWindowReason } = limits;
  if (mode === 'dry_run') return null;
  return (
    <>
      {freeze && (
        <BlockedStart
          icon={IconSnowflake}
          title={`Frozen until ${shortTime(freeze.until)}`}
          cause={`The collection ${freeze.collectionName} is frozen: ${reasonText(freeze.reason)} `}
          blocker="the freeze"
          label="Start despite the freeze"
          override={freezeReason}
          onChange={onFreezeReason}
        />
      )}
      {closed && (
        <BlockedStart
          icon={IconClockPause}
          title={windowText(closed)}
          blocker="the run windows"
          label="Start outside the run windows"
          override={windowReason}
          onChange={setWindowReason}
        />
      )}
    </>
  );
}

interface BlockedStartProps {
  icon: Icon;
  title: string;
  cause?: ReactNode;
  blocker: string;
  label: string;
  override: Override;
  onChange: (override: Override) => void;
}

function BlockedStart({ icon: Glyph, title, cause, blocker, label, override, onChange }: BlockedStartProps) {
  const admin = useAccess().can('admin');
  return (
    <Alert color="blue" icon={<Glyph aria-hidden />} title={title}>
      <Stack gap="xs">
        <Text>
          {cause}Until then, only dry runs can start{admin ? '.' : `, unless an admin overrides ${blocker}.`}
        </Text>
        {admin && (
          <Checkbox
            label={label}
            checked={override !== null}
            onChange={(event) => onChange(event.currentTarget.checked ? '' : null)}
          />
        )}
        {admin && override !== null && (
          <Textarea
            label="Reason"
            description="Shown on the run and in the audit trail."
            withAsterisk
            autosize
            minRows={1}
            maxRows={4}
            maxLength={500}
            value={override}
            onChange={(event) => onChange(event.currentTarget.value)}
          />
        )}
      </Stack>
    </Alert>
  );
}
