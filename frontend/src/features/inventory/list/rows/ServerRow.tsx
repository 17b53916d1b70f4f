import { Checkbox } from '@mantine/core';
import { memo } from 'react';
import type { Server } from '../../../../api/types';
import type { RowRequests } from './row-requests';
import { SERVER_COLUMNS } from './server-cells';
import classes from './server-table.module.css';

interface Props {
  server: Server;
  selected: boolean;
  onToggle: (id: string, range: boolean) => void;
  requests: RowRequests;
}

/** Cells of one server. Memoised, so that scrolling does not render visible rows again. */
export const ServerRow = memo(function ServerRow({ server, selected, onToggle, requests }: Props) {
  return (
    <>
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
    </>
  );
});

const Cells = memo(function Cells({ server, requests }: Pick<Props, 'server' | 'requests'>) {
  return SERVER_COLUMNS.map(({ key, render }) => (
    <div role="cell" key={key} className={classes[key]}>
      {render(server, requests)}
    </div>
  ));
});
