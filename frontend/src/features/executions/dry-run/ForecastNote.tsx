import { Alert, Stack, Text } from '@mantine/core';
import { IconClockPause, IconLock, IconShieldCheck, IconSnowflake, IconUserQuestion } from '@tabler/icons-react';
import type { Forecast } from '../../../api/types';
import { windowText } from '../../../ui/environments/run-window';
import { exactTime, plural } from '../../../ui/format/format';
import { Authors } from '../review/Authors';
import { ConflictList } from '../conflicts/ConflictList';

/** Who could approve it. */
function approversText({ requiredApprovals, approvers, approverCount }: NonNullable<Forecast['approval']>): string {
  const needed = `${plural(requiredApprovals, 'approval')} needed.`;
  if (approverCount === 0) return `${needed} Nobody but you, or who wrote parts of it, may give it: ask an admin.`;
  if (approvers.length === 0) return `${needed} ${plural(approverCount, 'member')} could give it.`;
  const more = approverCount - approvers.length;
  return `${needed} ${approvers.join(', ')}${more > 0 ? ` and ${plural(more, 'other')}` : ''} could give it.`;
}

/** Whether a real run could start at this moment. */
export function ForecastNote({ forecast }: { forecast: Forecast }) {
  const { approvalRequired, approval, authors, freeze, window, conflicts, hiddenConflicts } = forecast;
  const asks = authors !== null && (authors.acceptAuthors !== null || authors.refused);
  const blocked = conflicts.length + hiddenConflicts > 0;
  return (
    <Stack gap="xs">
      {approvalRequired && (
        <Alert color="yellow" py={8} icon={<IconShieldCheck aria-hidden />}>
          The environment is protected: a real run would wait for approval first.
          {approval && ` ${approversText(approval)}`}
        </Alert>
      )}
      {blocked && (
        <Alert color="yellow" py={8} icon={<IconLock aria-hidden />} title="A real run would be refused at this moment">
          <ConflictList conflicts={conflicts} hidden={hiddenConflicts} />
        </Alert>
      )}
      {freeze && (
        <Alert color="yellow" py={8} icon={<IconSnowflake aria-hidden />}>
          The collection “{freeze.collectionName}” is frozen until {exactTime(freeze.until)}: {freeze.reason}
        </Alert>
      )}
      {window && (
        <Alert color="yellow" py={8} icon={<IconClockPause aria-hidden />}>
          {windowText({ ...window, open: false, closesAt: null })} A real run would be refused.
        </Alert>
      )}
      {asks && (
        <Alert
          color="yellow"
          py={8}
          icon={<IconUserQuestion aria-hidden />}
          title={
            authors.refused
              ? 'A real run would be refused: the environment refuses git content of unknown authors'
              : 'A real run asks to accept changes of members without rights here'
          }
        >
          <Authors authors={authors.items.filter(({ outside, user }) => (authors.refused ? user === null : outside))} />
        </Alert>
      )}
      {!blocked && !approvalRequired && !freeze && !window && !asks && (
        <Text c="dimmed">A real run would start at once: nothing is in its way at this moment.</Text>
      )}
    </Stack>
  );
}
