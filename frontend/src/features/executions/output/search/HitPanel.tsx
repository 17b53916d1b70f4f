import { Button, Group, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import { linePlaceQuery, type WindowFilters } from '../../../../api/queries/runs/executions';
import type { Execution, Hit, HitCount as HitCountOfCell } from '../../../../api/types';
import { ErrorPanel } from '../../../../ui/feedback/ErrorPanel';
import { ActionButton } from '../../../../ui/page/ActionButton';
import { nameOfStep } from '../../run/step-name';
import { EmptyOutput } from '../lines/EmptyOutput';
import type { Line } from '../lines/line';
import { LogPanel } from '../log/LogPanel';
import { HitCount } from './HitCount';
import { HitList } from './HitList';
import { keyOfCell } from './hit-counts.reducer';
import { findTarget, groupByHost } from './hit-order';
import classes from './hits.module.css';
import { isCaseMatched, isRegex, type Match } from './match';
import { useHitCounts } from './useHitCounts';
import { useHits } from './useHits';

const route = getRouteApi('/app/executions/$id');

/** Hits that are opened at first, at most. */
const OPEN_HITS = 50;
const OPEN_GROUPS = 5;

interface Props {
  run: Execution;
  filters: WindowFilters;
  q: string;
  match: Match;
  outputVersion: number;
  live: boolean;
  raw: boolean;
  timeOf: (line: Pick<Line, 'at'>) => string | null;
  wrap: boolean;
  onSelectLine: (line: Line, isRange: boolean) => void;
}

/** Lines of the output that contain a text, by host and step. Below them, the log of the selected hit. */
export function HitPanel({ run, filters, q, match, outputVersion, live, timeOf, ...view }: Props) {
  const { hit: selected } = route.useSearch();
  const navigate = useNavigate({ from: '/executions/$id' });
  const options = { q, regex: isRegex(match) || undefined, matchCase: isCaseMatched(match) || undefined };
  const counts = useHitCounts(run.id, { ...filters, ...options }, outputVersion);
  const { loaded, error, load } = useHits(run.id, { stream: filters.stream, ...options });
  // Only the server evaluates patterns.
  const searchTerm = isRegex(match) ? '' : q;
  const cells = useMemo(() => groupByHost(counts.cells), [counts.cells]);
  const chosen = useMemo(
    () => [...loaded.values()].flat().find(({ position }) => position === selected),
    [loaded, selected],
  );
  const linked = useQuery({ ...linePlaceQuery(run.id, selected), enabled: selected !== undefined && !chosen });
  const place = chosen ?? linked.data;
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const open = useMemo(() => {
    const keys = new Set(place ? [keyOfCell(place)] : []);
    let hits = 0;
    for (const cell of cells.slice(0, OPEN_GROUPS)) {
      if (hits > 0 && hits + cell.hits > OPEN_HITS) break;
      hits += cell.hits;
      keys.add(keyOfCell(cell));
    }
    for (const [key, isOpen] of toggled) {
      if (isOpen) keys.add(key);
      else keys.delete(key);
    }
    return keys;
  }, [cells, place, toggled]);
  const loadOpen = useEffectEvent(() => {
    for (const cell of cells) if (open.has(keyOfCell(cell)) && !loaded.has(keyOfCell(cell))) void load(cell);
  });
  useEffect(() => loadOpen(), [cells, open]);

  const select = ({ position }: Hit) =>
    void navigate({ search: (before) => ({ ...before, hit: position }), replace: true });
  const openLog = ({ stepKey, serverName, line }: Pick<Hit, 'stepKey' | 'serverName' | 'line'>) =>
    void navigate({
      search: (before) => ({ ...before, step: stepKey, host: serverName, line, q: undefined, hit: undefined }),
    });
  const toggle = (cell: HitCountOfCell, isOpen: boolean) =>
    setToggled((before) => new Map(before).set(keyOfCell(cell), isOpen));
  const go = async (direction: 1 | -1) => {
    const current = place && selected !== undefined ? { ...place, position: selected } : null;
    const target = findTarget(cells, loaded, current, direction);
    if (target === null) {
      notifications.show({ message: direction === 1 ? 'No later hit.' : 'No earlier hit.' });
      return;
    }
    if ('hit' in target) {
      toggle({ ...target.hit, hits: 0 }, true);
      return select(target.hit);
    }
    toggle(target.load, true);
    let hits = await load(target.load);
    // All hits of the cell are needed to know the last one.
    for (let length = -1; target.select === 'last' && hits.length < target.load.hits && hits.length > length; ) {
      length = hits.length;
      hits = await load(target.load);
    }
    const next = { first: hits[0], last: hits.at(-1), next: hits.find(({ position }) => position > (selected ?? 0)) };
    const hit = next[target.select];
    if (hit) select(hit);
  };
  useHotkeys([
    ['n', () => void go(1)],
    ['p', () => void go(-1)],
  ]);
  const failure = counts.error ?? error;
  const isEmpty = counts.cells.length === 0;
  return (
    <div className={classes.panel}>
      <Group gap="xs" px="md" pb={6}>
        <HitCount counts={counts} />
        {!isEmpty && (
          <>
            <ActionButton size="compact-xs" icon={IconArrowUp} onClick={() => void go(-1)}>
              Previous
            </ActionButton>
            <ActionButton size="compact-xs" icon={IconArrowDown} onClick={() => void go(1)}>
              Next
            </ActionButton>
          </>
        )}
        {counts.more && (
          <Button size="compact-xs" variant="default" onClick={counts.searchMore}>
            Continue the search
          </Button>
        )}
      </Group>
      {failure !== null && (
        <ErrorPanel
          error={failure}
          onRetry={() => (counts.error === null ? setToggled(new Map(toggled)) : counts.searchMore())}
          title="The output could not be searched"
        />
      )}
      {isEmpty && failure === null && <EmptyOutput loading={counts.loading} finished={!live} searched />}
      {!isEmpty && (
        <HitList
          steps={run.steps}
          cells={cells}
          loaded={loaded}
          open={open}
          q={searchTerm}
          selected={selected}
          timeOf={timeOf}
          onToggle={(cell) => toggle(cell, !open.has(keyOfCell(cell)))}
          onLoad={(cell) => void load(cell)}
          onSelect={select}
        />
      )}
      {place && !isEmpty && (
        <>
          <Group className={classes.logHead} gap="xs">
            <Text size="xs" fw={600} truncate>
              {place.serverName} · {nameOfStep(run.steps, place.stepKey)}
            </Text>
            <Button size="compact-xs" variant="subtle" onClick={() => openLog(place)}>
              Open this log
            </Button>
          </Group>
          <LogPanel
            key={keyOfCell(place)}
            {...view}
            run={run}
            filters={{ stepKey: place.stepKey, serverId: place.serverId }}
            cell={undefined}
            outputVersion={outputVersion}
            live={live}
            timeOf={timeOf}
            marked={{ from: place.line, to: place.line }}
            jumpTo={place.line}
            searchTerm={chosen?.match ?? searchTerm}
            originOf={null}
          />
        </>
      )}
    </div>
  );
}
