import type { TrendDay } from '../../api/types';
import classes from './overview.module.css';

const HEIGHT = 34;
const STEP = 10;
const BAR = 8;
const MIN_BAR = 3;

/**
 * Bars of a card: successful and failed runs of each day. The chart library would double the first load of the page.
 * The sentence beside it has the values.
 */
export function DayBars({ days }: { days: readonly TrendDay[] }) {
  const most = Math.max(1, ...days.map(({ runs }) => runs));
  const toPx = (runs: number) => (runs === 0 ? 0 : Math.max(MIN_BAR, (runs / most) * HEIGHT));
  return (
    <svg
      className={classes.spark}
      viewBox={`0 0 ${days.length * STEP} ${HEIGHT + 2}`}
      preserveAspectRatio="none"
      aria-hidden
    >
      {days.map(({ day, runs, succeeded }, index) => {
        const failedPx = toPx(runs - succeeded);
        const goodPx = Math.min(toPx(succeeded), HEIGHT - failedPx);
        const x = index * STEP;
        return (
          <g key={day}>
            <rect x={x} y={HEIGHT} width={BAR} height={2} className={classes.dayLine} />
            <rect x={x} y={HEIGHT - goodPx} width={BAR} height={goodPx} className={classes.dayGood} />
            <rect x={x} y={HEIGHT - goodPx - failedPx} width={BAR} height={failedPx} className={classes.dayBad} />
          </g>
        );
      })}
    </svg>
  );
}
