import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import type { Execution, Hit, HitCount } from '../../../../api/types';
import { nameOfStep } from '../../run/step-name';
import { HitGroup } from './HitGroup';
import { keyOfCell } from './hit-counts.reducer';
import type { LoadedHits } from './hit-order';
import classes from './hits.module.css';

const GROUPS_AT_ONCE = 100;

interface Props {
  steps: Execution['steps'];
  cells: readonly HitCount[];
  loaded: LoadedHits;
  /** Keys of the open groups. */
  open: ReadonlySet<string>;
  q: string;
  selected: number | undefined;
  timeOf: (line: Pick<Hit, 'at'>) => string | null;
  onToggle: (cell: HitCount) => void;
  onLoad: (cell: HitCount) => void;
  onSelect: (hit: Hit) => void;
}

/** Hits by host and step. */
export function HitList({ steps, cells, loaded, open, onToggle, onLoad, ...common }: Props) {
  const [visible, setVisible] = useState(GROUPS_AT_ONCE);
  return (
    <div className={classes.list} role="region" aria-label="Hits" tabIndex={0}>
      {cells.slice(0, visible).map((cell) => (
        <HitGroup
          key={keyOfCell(cell)}
          {...common}
          cell={cell}
          stepName={nameOfStep(steps, cell.stepKey)}
          open={open.has(keyOfCell(cell))}
          hits={loaded.get(keyOfCell(cell))}
          onToggle={() => onToggle(cell)}
          onLoad={() => onLoad(cell)}
        />
      ))}
      {cells.length > visible && (
        <Group justify="center" p="xs">
          <Button size="compact-sm" variant="default" onClick={() => setVisible(visible + GROUPS_AT_ONCE)}>
            Show more hosts ({visible} of {cells.length})
          </Button>
        </Group>
      )}
    </div>
  );
}
