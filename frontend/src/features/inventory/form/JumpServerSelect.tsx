import { Select, type SelectProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Server } from '../../../api/types';
import { serverQuery, serversNamedQuery } from '../../../api/queries/inventory/servers';

interface Props extends Omit<SelectProps, 'data' | 'multiple'> {
  /** Server for which the user chooses a jump server; null: a new server. */
  own: string | null;
}

const labelOf = ({ name, hostname }: Pick<Server, 'name' | 'hostname'>): string =>
  name === hostname ? name : `${name} (${hostname})`;

export function JumpServerSelect({ own, ...props }: Props) {
  const [search, setSearch] = useState('');
  const chosen = useQuery({ ...serverQuery(props.value ?? ''), enabled: Boolean(props.value) });
  const typed = chosen.data && search === labelOf(chosen.data) ? '' : search;
  const found = useQuery(serversNamedQuery(typed));
  const servers = [...(chosen.data ? [chosen.data] : []), ...(found.data?.items ?? [])].filter(
    ({ id }, index, all) => id !== own && all.findIndex((each) => each.id === id) === index,
  );
  return (
    <Select
      searchable
      clearable
      data={servers.map((server) => ({ value: server.id, label: labelOf(server) }))}
      filter={({ options }) => options}
      searchValue={search}
      onSearchChange={setSearch}
      nothingFoundMessage="No servers match"
      {...props}
    />
  );
}
