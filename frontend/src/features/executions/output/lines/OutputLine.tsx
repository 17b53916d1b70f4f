import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { memo } from 'react';
import { clockTime } from '../../../../ui/format/format';
import { lastState } from '../../../../ui/format/last-state';
import type { HiddenLines, Line, LineRange } from './line';
import { LineText } from './LineText';
import classes from './output.module.css';

interface Props {
  line: Line;
  /** Names of host and step, if the output mixes several; else null. */
  origin: string | null;
  timeOf: (line: Line) => string | null;
  searchTerm: string;
  marked: boolean;
  /** Whether to show all states of a line that was overwritten, such as a progress bar. */
  raw: boolean;
  hidden?: HiddenLines;
  onToggle?: (range: LineRange) => void;
  /** @param isRange true = select all lines up to this one */
  onSelectLine: (line: Line, isRange: boolean) => void;
}

export const OutputLine = memo(function OutputLine(props: Props) {
  const { line, origin, timeOf, searchTerm, marked, raw, hidden, onToggle, onSelectLine } = props;
  const time = timeOf(line);
  return (
    <div
      className={`${classes.line} ${marked ? classes.marked : ''}`}
      data-testid="output-line"
      data-stream={line.stream}
      data-line={line.number}
    >
      <button
        type="button"
        tabIndex={-1}
        className={classes.number}
        aria-label={`Link to line ${line.number}`}
        title="Shift-click a second line to link to all lines between"
        onClick={({ shiftKey }) => onSelectLine(line, shiftKey)}
      >
        {line.number}
      </button>
      {time !== null && (
        <time className={classes.time} dateTime={line.at} title={clockTime(line.at)}>
          {time}
        </time>
      )}
      {origin !== null && <span className={classes.origin}>{origin}</span>}
      <span className={classes.stream} title={line.stream === 'stderr' ? 'Standard error' : undefined}>
        {line.stream === 'stderr' ? 'E' : ''}
      </span>
      {hidden?.kind === 'section' ? (
        <button
          type="button"
          className={classes.section}
          aria-expanded={hidden.isOpen}
          onClick={() => onToggle?.(hidden.toggles)}
        >
          {hidden.isOpen ? <IconChevronDown size={13} aria-hidden /> : <IconChevronRight size={13} aria-hidden />}
          <bdi>
            <LineText text={hidden.name ?? ''} searchTerm={searchTerm} />
          </bdi>
          {!hidden.isOpen && <span className={classes.folded}>{hidden.count.toLocaleString('en')} lines</span>}
        </button>
      ) : (
        <span className={classes.text}>
          <LineText text={raw ? line.text : lastState(line.text)} searchTerm={searchTerm} />
          {line.truncated && <span className={classes.cut}>… The download has the stored rest of this line.</span>}
        </span>
      )}
      {hidden?.kind === 'equal' && (
        <button
          type="button"
          className={classes.folded}
          aria-expanded={hidden.isOpen}
          aria-label={`${hidden.isOpen ? 'Hide' : 'Show'} ${hidden.count} more equal lines`}
          onClick={() => onToggle?.(hidden.toggles)}
        >
          {hidden.isOpen ? 'Fold' : `× ${(hidden.count + 1).toLocaleString('en')}`}
        </button>
      )}
    </div>
  );
});
