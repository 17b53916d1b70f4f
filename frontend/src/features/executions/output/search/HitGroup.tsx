import { Button, Group, Loader, Text, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import type { Hit, HitCount } from '../../../../api/types';
import { plural } from '../../../../ui/format/format';
import { lastState } from '../../../../ui/format/last-state';
import { LineText } from '../lines/LineText';
import classes from './hits.module.css';

interface Props {
  cell: HitCount;
  stepName: string;
  open: boolean;
  hits: readonly Hit[] | undefined;
  q: string;
  /** Position of the selected hit in the run. */
  selected: number | undefined;
  timeOf: (line: Pick<Hit, 'at'>) => string | null;
  onToggle: () => void;
  onLoad: () => void;
  onSelect: (hit: Hit) => void;
}

/** Hits of a step on a host, each among its neighbours. */
export function HitGroup({ cell, stepName, open, hits, q, selected, timeOf, onToggle, onLoad, onSelect }: Props) {
  return (
    <section aria-label={`${cell.serverName} · ${stepName}`}>
      <UnstyledButton
        className={classes.head}
        aria-expanded={open}
        aria-label={`${cell.serverName} · ${stepName}, ${plural(cell.hits, 'hit')}`}
        onClick={onToggle}
      >
        {open ? <IconChevronDown size={14} aria-hidden /> : <IconChevronRight size={14} aria-hidden />}
        <Text size="xs" fw={600} component="span" truncate>
          {cell.serverName} · {stepName}
        </Text>
        <Text size="xs" c="dimmed" component="span">
          {plural(cell.hits, 'hit')}
        </Text>
      </UnstyledButton>
      {open && !hits && <Loader size="xs" m="4px 16px" aria-label="Loading hits" />}
      {open && hits && (
        <>
          {hits.map((hit) => (
            <HitLines
              key={hit.position}
              hit={hit}
              q={q}
              time={timeOf(hit)}
              selected={hit.position === selected}
              onSelect={onSelect}
            />
          ))}
          {hits.length < cell.hits && (
            <Group p="4px 28px">
              <Button size="compact-xs" variant="default" onClick={onLoad}>
                Show more hits ({hits.length} of {cell.hits.toLocaleString('en')})
              </Button>
            </Group>
          )}
        </>
      )}
    </section>
  );
}

interface HitProps {
  hit: Hit;
  q: string;
  time: string | null;
  selected: boolean;
  onSelect: (hit: Hit) => void;
}

function HitLines({ hit, q, time, selected, onSelect }: HitProps) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (selected) button.current?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  return (
    <button
      ref={button}
      type="button"
      className={classes.hit}
      aria-current={selected}
      aria-label={`Line ${hit.line}: ${lastState(hit.text)}`}
      onClick={() => onSelect(hit)}
      data-testid="hit"
    >
      {hit.before.map(({ line, text }) => (
        <ContextLine key={line} line={line} text={text} />
      ))}
      <span className={classes.line}>
        <span className={classes.number}>{hit.line}</span>
        {time !== null && <span className={classes.time}>{time}</span>}
        {hit.stream === 'stderr' && <span className={classes.stream}>E</span>}
        <span className={classes.text}>
          <LineText text={lastState(hit.text)} searchTerm={hit.match ?? q} />
          {hit.truncated && '…'}
        </span>
      </span>
      {hit.after.map(({ line, text }) => (
        <ContextLine key={line} line={line} text={text} />
      ))}
    </button>
  );
}

const ContextLine = ({ line, text }: { line: number; text: string }) => (
  <span className={`${classes.line} ${classes.context}`}>
    <span className={classes.number}>{line}</span>
    <span className={classes.text}>
      <LineText text={lastState(text)} searchTerm="" />
    </span>
  </span>
);
