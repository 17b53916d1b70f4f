import type { Execution } from '../../../api/types';
import { statusStyle, type Tone } from '../../../ui/status/statuses';
import { progressOf } from './tab-title';

/** Colours that are visible on light and dark tabs. */
const COLORS: Record<Tone, string> = {
  idle: '#7d8496',
  active: '#2f80ed',
  good: '#2c9a58',
  warn: '#d08700',
  bad: '#d7373f',
  muted: '#7d8496',
};
/** Signs on the disc of a run that does not run. */
const SIGNS: Record<Tone, string> = {
  idle: 'M16 9v8l5 3',
  active: 'M10 16h12',
  good: 'm9 16.5 5 5 9-10',
  warn: 'M16 8v10M16 23v.5',
  bad: 'm10.5 10.5 11 11M21.5 10.5l-11 11',
  muted: 'M10 16h12',
};
const CIRCUMFERENCE = 2 * Math.PI * 12;

/** Address of the tab's icon: a ring that shows the progress of a running run, otherwise a disc with the outcome. */
export function tabIcon(run: Pick<Execution, 'status' | 'steps' | 'hostCount'>): string {
  const { tone } = statusStyle(run.status);
  const color = COLORS[tone];
  const line = 'fill="none" stroke-linecap="round" stroke-linejoin="round"';
  const drawing =
    run.status === 'RUNNING'
      ? `<circle cx="16" cy="16" r="12" fill="none" stroke="${color}" stroke-opacity=".3" stroke-width="7"/>` +
        `<circle cx="16" cy="16" r="12" fill="none" stroke="${color}" stroke-width="7" transform="rotate(-90 16 16)" stroke-dasharray="${((progressOf(run) / 100) * CIRCUMFERENCE).toFixed(1)} 99"/>`
      : `<circle cx="16" cy="16" r="15" fill="${color}"/><path d="${SIGNS[tone]}" stroke="#fff" stroke-width="3.6" ${line}/>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${drawing}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
