import { Alert, Stack, Text } from '@mantine/core';
import { IconClockPause, IconLock, IconShieldCheck, IconSnowflake, IconUserQuestion } from '@tabler/icons-react';
import type { Forecast } from '../../../api/types';
import { windowText } from '../../../ui/environments/run-window';
import { exactTime, plural } from '../../../ui/format/format';
import { Authors } from '../review/Authors';
import { ConflictList } from '../conflicts/ConflictList';

function approversText({ requiredApprovals, approvers, approverCount }: NonNullable<Forecast['approval']>): string {
  const needed = `${plural(requiredApprovals, 'approval')} needed.`;
  if (approverCount === 0) return `${needed} No other member can approve it. Ask an admin for another approver.`;
  if (approvers.length === 0) return `${needed} ${plural(approverCount, 'member')} can approve.`;
  const more = approverCount - approvers.length;
  return `${needed} ${approvers.map(({ name }) => name).join(', ')}${more > 0 ? ` and ${plural(more, 'other')}` : ''} can approve.`;
}

export function ForecastNote({ forecast }: { forecast: Forecast }) {
  const { approvalRequired, approval, authors, freeze, window, conflicts, hiddenConflicts } = forecast;
  const asks = authors !== null && (authors.acceptAuthors !== null || authors.refused);
  const blocked = conflicts.length + hiddenConflicts > 0;
  return (
    <Stack gap="xs">
      {approvalRequired && (
        <Alert color="yellow" py={8} icon={<IconShieldCheck aria-hidden />}>
          The environment is protected. A real run would wait for approval.
          {approval && ` ${approversText(approval)}`}
        </Alert>
      )}
      {blocked && (
        <Alert color="yellow" py={8} icon={<IconLock aria-hidden />} title="A real run would be refused now">
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
              ? 'A real run would be refused: the environment does not accept git content of unknown authors'
              : 'A real run needs confirmation of changes by members without rights here'
          }
        >
          <Authors authors={authors.items.filter(({ outside, user }) => (authors.refused ? user === null : outside))} />
        </Alert>
      )}
      {!blocked && !approvalRequired && !freeze && !window && !asks && (
        <Text c="dimmed">No conflicting runs: a real run would start immediately.</Text>
      )}
    </Stack>
  );
}
