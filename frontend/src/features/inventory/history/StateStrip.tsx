import { Text } from '@mantine/core';
import type { Server, ServerDay, ServerHistory } from '../../../api/types';
import { plural } from '../../../ui/format/format';
import { useNow } from '../../../ui/format/useNow';
import { checkStyle } from '../../../ui/status/statuses';
import classes from './history.module.css';
import { stateOfDays, stateSegments } from './state-days';

/** One column a day: reachability above, results of runs below. The sentence has the same figures. */
export function StateStrip({ server, history: { days, changes } }: { server: Server; history: ServerHistory }) {
  const now = useNow();
  const states = stateOfDays(
    stateSegments(server, changes, now),
    days.map(({ day }) => day),
  );
  const bad = states.filter((state) => state !== null && checkStyle(state).tone === 'bad').length;
  const unknown = states.filter((state) => state === null).length;
  const sum = (field: 'succeeded' | 'failed' | 'other') => days.reduce((all, day) => all + day[field], 0);
  return (
    <div>
      <div className={classes.strip} aria-hidden>
        {days.map((day, index) => (
          <div key={day.day} className={classes.day} title={titleOf(day, states[index] ?? null)}>
            <span className={`${classes.cell} ${classes[toneOf(states[index] ?? null)]}`} />
            <span className={`${classes.cell} ${classes[runTone(day)]}`} />
          </div>
        ))}
      </div>
      <div className={classes.ends} aria-hidden>
        <span>{days[0]?.day}</span>
        <span>Top: state. Bottom: runs.</span>
        <span>Today</span>
      </div>
      <Text size="sm" mt="xs">
        {plural(sum('succeeded'), 'run')} succeeded here and {sum('failed').toLocaleString('en')} failed
        {sum('other') > 0 && `, ${sum('other').toLocaleString('en')} without a result`}.{' '}
        {bad === 0 ? 'No day with a failed check is known' : `${plural(bad, 'day')} with a failed check`}
        {unknown > 0 && `; the state of ${plural(unknown, 'day')} is unknown`}.
      </Text>
    </div>
  );
}

const toneOf = (state: Server['state'] | null): string => (state === null ? 'none' : checkStyle(state).tone);
const runTone = ({ succeeded, failed, other }: ServerDay): string =>
  failed > 0 ? 'bad' : succeeded > 0 ? 'good' : other > 0 ? 'muted' : 'none';

function titleOf({ day, succeeded, failed, other }: ServerDay, state: Server['state'] | null): string {
  const runs = succeeded + failed + other;
  const texts = [
    state === null ? 'state unknown' : checkStyle(state).label,
    runs === 0 ? 'no runs' : plural(runs, 'run'),
    failed > 0 ? `${failed} failed` : '',
  ];
  return `${day}: ${texts.filter(Boolean).join(', ')}`;
}
