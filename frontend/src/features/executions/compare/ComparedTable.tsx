import { Paper, Table } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { ComparedHost, ComparedStep } from '../../../api/types';
import { duration } from '../../../ui/format/format';
import { AnchorLink } from '../../../ui/page/links';
import { StatusBadge } from '../../../ui/status/StatusBadge';
import { DurationNote } from './DurationNote';
import classes from './compare.module.css';

const route = getRouteApi('/app/executions/$id/compare');

type Side = ComparedStep['before'] | ComparedHost['before'];

interface Props {
  label: string;
  /** Title of the first column, and the parameter of the URL that has the selected row. */
  selects: 'step' | 'host';
  rows: readonly { key: string; name: string; before: Side; after: Side }[];
}

/** Steps or hosts with status and duration in both runs. A click selects a row, a second one clears the selection. */
export function ComparedTable({ label, selects, rows }: Props) {
  const search = route.useSearch();
  const chosen = search[selects];
  return (
    <Paper className="rw-clip">
      <div className={classes.table} role="group" aria-label={`${label}, table`} tabIndex={0}>
        <Table aria-label={label} highlightOnHover verticalSpacing={6} horizontalSpacing={8} stickyHeader>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{selects === 'step' ? 'Step' : 'Host'}</Table.Th>
              <Table.Th w={{ sm: '26%' }}>Earlier run</Table.Th>
              <Table.Th w={{ sm: '26%' }}>This run</Table.Th>
              <Table.Th w={{ sm: '14%' }}>Change</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(({ key, name, before, after }) => (
              <Table.Tr key={key} className={key === chosen ? classes.chosen : undefined}>
                <Table.Td className="rw-wrap-word">
                  <AnchorLink
                    from="/executions/$id/compare"
                    to="."
                    search={(old) => ({ ...old, [selects]: key === chosen ? undefined : key })}
                    resetScroll={false}
                    aria-current={key === chosen}
                  >
                    {name}
                  </AnchorLink>
                </Table.Td>
                <Table.Td>
                  <Result side={before} />
                </Table.Td>
                <Table.Td>
                  <Result side={after} />
                </Table.Td>
                <Table.Td>
                  {before === null ? 'new' : after === null ? 'gone' : null}
                  <DurationNote before={before?.durationMs ?? null} after={after?.durationMs ?? null} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </Paper>
  );
}

function Result({ side }: { side: Side }) {
  if (side === null) return '–';
  return (
    <span className={classes.result}>
      <StatusBadge status={side.status} plain />
      {side.durationMs !== null && <span className="rw-nowrap">{duration(side.durationMs)}</span>}
    </span>
  );
}
