import { Alert, Group, SimpleGrid, Text } from '@mantine/core';
import { IconStethoscope } from '@tabler/icons-react';
import type { Server } from '../../../api/types';
import { duration } from '../../../ui/format/format';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { Fact } from '../../../ui/page/Fact';
import { AnchorLink } from '../../../ui/page/links';
import { CheckBadge } from '../../../ui/status/StatusBadge';
import { checkStyle } from '../../../ui/status/statuses';
import { isBadState, STATE_ADVICE } from '../checks/state-advice';
import type { ServerTabProps } from './server-tab';
import { ActionButton } from '../../../ui/page/ActionButton';

const COLOURS: Record<string, string> = { bad: 'red', warn: 'yellow' };

export function ConnectionFacts({ server, unless, onDiagnose }: ServerTabProps) {
  const { state, stateSince, checkedAt, latencyMs, lastCheck, lastReachedAddress } = server;
  const advice = STATE_ADVICE[state];
  return (
    <>
      {(advice !== null || lastCheck !== null) && (
        <Alert color={COLOURS[checkStyle(state).tone] ?? 'gray'} py="xs">
          {lastCheck && <Text className="rw-wrap-anywhere">{lastCheck.reason.text}</Text>}
          {advice !== null && <Text mt={lastCheck ? 4 : 0}>{advice}</Text>}
          {isBadState(state) && (
            <Group mt="xs">
              <ActionButton role="operator" unless={unless} icon={IconStethoscope} onClick={onDiagnose}>
                Diagnose connection
              </ActionButton>
            </Group>
          )}
        </Alert>
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <Fact label="State">
          <CheckBadge state={state} />
        </Fact>
        <Fact label="Since">{stateSince === null ? 'Never checked' : <RelativeTime at={stateSince} />}</Fact>
        <Fact label="Last check">
          {checkedAt === null ? 'Never' : <RelativeTime at={checkedAt} />}
          {lastCheck && <CheckOrigin check={lastCheck} />}
        </Fact>
        <Fact label="TCP connection time at the last login">
          {latencyMs === null ? 'No login yet' : duration(latencyMs)}
        </Fact>
        <Fact label="Last reached address">
          <Text span className="rw-mono rw-wrap-anywhere">
            {lastReachedAddress ?? '–'}
          </Text>
        </Fact>
      </SimpleGrid>
    </>
  );
}

function CheckOrigin({ check }: { check: NonNullable<Server['lastCheck']> }) {
  if (check.executionId !== null)
    return (
      <>
        , by{' '}
        <AnchorLink to="/executions/$id" params={{ id: check.executionId }}>
          a run
        </AnchorLink>
      </>
    );
  if (check.source === 'enrolment') return <>, when it registered itself</>;
  return check.source === 'acceptance' ? <>, when its key was accepted</> : <>, by a check</>;
}
