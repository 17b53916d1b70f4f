import { Select, type SelectProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { serverQuery, serversNamedQuery } from '../../../api/queries/servers';

interface Props extends Omit<SelectProps, 'data' | 'multiple'> {
  /** The server that is reached through the chosen one; null: a new one. */
  own: string | null;
}

/** A server to be reached through, found by a part of its name or address. */
export function JumpServerSelect({ own, ...props }: Props) {
  const [search, setSearch] = useState('');
  const chosen = useQuery({ ...serverQuery(props.value ?? ''), enabled: Boolean(props.value) });
  // The text of the field is the chosen name until somebody types.
  const found = useQuery(serversNamedQuery(search === chosen.data?.name ? '' : search));
  const servers = [...(chosen.data ? [chosen.data] : []), ...(found.data?.items ?? [])].filter(
    ({ id }, index, all) => id !== own && all.findIndex((each) => each.id === id) === index,
  );
  return (
    <Select
      searchable
      clearable
      data={servers.map(({ id, name, hostname }) => ({
        value: id,
        label: name === hostname ? name : `${name} (${hostname})`,
      }))}
      filter={({ options }) => options}
      searchValue={search}
      onSearchChange={setSearch}
      nothingFoundMessage="No server has this name"
      {...props}
    />
  );
}
