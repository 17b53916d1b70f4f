import type { ImportEntry } from '../../../../api/types';
import type { ListState } from '../../../../ui/tables/DataTable';
import { VirtualTable } from '../../../../ui/tables/VirtualTable';
import classes from './entries.module.css';
import { EntryRow } from './EntryRow';

interface Props {
  list: ListState<ImportEntry>;
  /** How many there are, also of those that are not loaded. */
  total: number;
  environmentName: (id: string) => string;
}

/** The servers of an import. */
export function EntryTable({ list, total, environmentName }: Props) {
  return (
    <VirtualTable
      label="What is done with each server"
      region="Servers of the import"
      list={list}
      total={total}
      titles={['Line', 'Name', 'What', 'Changes']}
      rowClass={classes.row}
      rowKey={({ line, name }) => `${line} ${name}`}
      renderRow={(entry) => <EntryRow entry={entry} environmentName={environmentName} />}
    />
  );
}
