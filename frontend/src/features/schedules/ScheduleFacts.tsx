import { Group, Paper, Stack } from '@mantine/core';
import type { Schedule } from '../../api/types';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { Fact } from '../../ui/page/Fact';
import { AnchorLink } from '../../ui/page/links';
import { MODE_NAMES } from '../../ui/runs/modes';
import { MISSED_TEXTS, OVERLAP_TEXTS } from './state/policies';
import { NextTimes } from './times/NextTimes';
import { timingText } from './times/timing';

export function ScheduleFacts({ schedule }: { schedule: Schedule }) {
  return (
    <Paper p="md">
      <Stack gap="md">
        <Group gap="8px 28px" align="flex-start">
          <Fact label="Plan">
            <AnchorLink to="/plans/$id" params={{ id: schedule.planId }}>
              {schedule.planName}
            </AnchorLink>
          </Fact>
          <Fact label="Environment">
            <AnchorLink to="/environments/$id" params={{ id: schedule.environmentId }}>
              {schedule.environmentName}
            </AnchorLink>
          </Fact>
          <Fact label="Mode">{MODE_NAMES[schedule.execution_mode]}</Fact>
          <Fact label="Timing">{timingText(schedule)}</Fact>
          <Fact label="Runs as">{ownerText(schedule.owner)}</Fact>
          <Fact label="Next">
            <RelativeTime at={schedule.nextAt} never={schedule.enabled ? 'None' : 'Paused'} />
          </Fact>
          <Fact label="If runs conflict">{OVERLAP_TEXTS[schedule.onOverlap].label}</Fact>
          <Fact label="If occurrences are missed">{MISSED_TEXTS[schedule.onMissed].label}</Fact>
          {schedule.jitterSeconds > 0 && <Fact label="Start delay">{schedule.delaySeconds} s</Fact>}
        </Group>
        {schedule.nextTimes.length > 0 && <NextTimes times={schedule.nextTimes} timeZone={schedule.timeZone} />}
      </Stack>
    </Paper>
  );
}

function ownerText(owner: Schedule['owner']): string {
  if (owner === null) return 'Removed member';
  return owner.narrowed ? `${owner.name}, within the scope of the token used to save it` : owner.name;
}
