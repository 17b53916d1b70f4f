import { Checkbox } from '@mantine/core';
import { memo } from 'react';
import type { Server } from '../../../../api/types';
import type { RowRequests } from './row-requests';
import { SERVER_COLUMNS } from './server-cells';
import classes from './server-table.module.css';

interface Props {
  server: Server;
  index: number;
  start: number;
  selected: boolean;
  measure: (row: HTMLElement | null) => void;
  onToggle: (id: string, range: boolean) => void;
  requests: RowRequests;
}

/** Row of one server. Memoised, so that scrolling does not render visible rows again. */
export const ServerRow = memo(function ServerRow(props: Props) {
  const { server, index, start, selected, measure, onToggle, requests } = props;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      ref={measure}
      className={`${classes.row} ${classes.floating} ${selected ? classes.selected : ''}`}
      style={{ transform: `translateY(${start}px)` }}
    >
      <div role="cell" className={classes.box}>
        <Checkbox
          aria-label={`Select ${server.name}`}
          data-control="box"
          checked={selected}
          // Only the click event contains the state of the Shift key. The keyboard sends clicks too.
          onClick={(event) => onToggle(server.id, event.shiftKey)}
          readOnly
        />
      </div>
      <Cells server={server} requests={requests} />
    </div>
  );
});

const Cells = memo(function Cells({ server, requests }: Pick<Props, 'server' | 'requests'>) {
  return SERVER_COLUMNS.map(({ key, render }) => (
    <div role="cell" key={key} className={classes[key]}>
      {render(server, requests)}
    </div>
  ));
});
