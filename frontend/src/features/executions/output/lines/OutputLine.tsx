import { useComputedColorScheme } from '@mantine/core';
import { memo } from 'react';
import { clockTime } from '../../../../ui/format/format';
import { lastState } from '../../../../ui/format/last-state';
import { splitAtTerm, spansOf } from './ansi';
import { readableColours } from './ansi-colors';
import classes from './output.module.css';
import type { Line } from './line';

interface Props {
  line: Line;
  /** Names of host and step, if the output mixes several; else null. */
  origin: string | null;
  timeOf: (line: Line) => string | null;
  searchTerm: string;
  marked: boolean;
  onSelectLine: (line: Line) => void;
}

export const OutputLine = memo(function OutputLine({ line, origin, timeOf, searchTerm, marked, onSelectLine }: Props) {
  const time = timeOf(line);
  const scheme = useComputedColorScheme('light');
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
        onClick={() => onSelectLine(line)}
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
      <span className={classes.text}>
        {spansOf(lastState(line.text)).map((span, index) => (
          <span
            key={index}
            className={span.className || undefined}
            style={span.colouring ? readableColours(span.colouring, scheme) : undefined}
          >
            {searchTerm === ''
              ? span.text
              : splitAtTerm(span.text, searchTerm).map((piece, at) =>
                  at % 2 === 1 ? <mark key={at}>{piece}</mark> : piece,
                )}
          </span>
        ))}
        {line.truncated && <span className={classes.cut}>… The rest of this long line is in the download.</span>}
      </span>
    </div>
  );
});
