import { Paper, Text } from '@mantine/core';
import type { EnvironmentDetail } from '../../../api/types';
import { AnchorLink } from '../../../ui/page/links';
import { DayBars } from '../DayBars';
import { Figure } from '../Figures';
import classes from '../overview.module.css';
import { sumTrend } from '../trend-figures';

export function EnvironmentFigures({ overview }: { overview: EnvironmentDetail }) {
  const { id, openFailures, openFailuresIncomplete, runningCount, hosts, trend } = overview;
  const all = hosts.reachable + hosts.unreachable + hosts.unknown;
  const { runs, percent } = sumTrend(trend);
  return (
    <Paper component="section" aria-label="Summary" className={classes.facts}>
      <Figure label={openFailures === 1 ? 'open failure' : 'open failures'} tone={openFailures > 0 ? 'bad' : 'good'}>
        {openFailures.toLocaleString('en')}
        {openFailuresIncomplete && '+'}
      </Figure>
      <Figure label={runningCount === 1 ? 'active run' : 'active runs'} tone={runningCount > 0 ? 'active' : undefined}>
        {runningCount.toLocaleString('en')}
      </Figure>
      <Figure label="hosts reachable" tone={all > 0 && hosts.unreachable === 0 ? 'good' : undefined}>
        {hosts.reachable.toLocaleString('en')} of {all.toLocaleString('en')}
      </Figure>
      <Figure label="of runs succeeded in 30 days">{percent === null ? '–' : `${percent} %`}</Figure>
      <div className={classes.fact}>
        <DayBars days={trend} />
        <Text size="xs" c="dimmed">
          {runs.toLocaleString('en')} runs ·{' '}
          <AnchorLink to="/trends" search={{ environment: id }} size="xs" underline="always">
            Trends
          </AnchorLink>
        </Text>
      </div>
    </Paper>
  );
}
