import type { ImportEntry } from '../../../../api/types';
import type { ListState } from '../../../../ui/tables/DataTable';
import { VirtualTable } from '../../../../ui/tables/VirtualTable';
import classes from './entries.module.css';
import { EntryRow } from './EntryRow';

interface Props {
  list: ListState<ImportEntry>;
  /** Number of entries, including entries that are not loaded. */
  total: number;
  environmentName: (id: string) => string;
}

const COLUMNS = ['Line', 'Name', 'Action', 'Changes'].map((title) => ({ key: title, title }));

export function EntryTable({ list, total, environmentName }: Props) {
  return (
    <VirtualTable
      label="Import actions"
      region="Servers of the import"
      list={list}
      total={total}
      columns={COLUMNS}
      rowClass={classes.row}
      rowKey={({ line, name }) => `${line} ${name}`}
      renderRow={(entry) => <EntryRow entry={entry} environmentName={environmentName} />}
    />
  );
}
