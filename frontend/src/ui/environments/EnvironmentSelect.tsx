import { Select, type SelectProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { environmentChoicesQuery } from '../../api/queries/inventory/environments';

export function EnvironmentSelect(props: Omit<SelectProps, 'data' | 'multiple'>) {
  const { data, error } = useQuery(environmentChoicesQuery);
  const items = (data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Select
      searchable={items.length > 8}
      data={items}
      allowDeselect={!props.withAsterisk}
      error={error ? 'The environments could not be loaded.' : undefined}
      {...props}
    />
  );
}
