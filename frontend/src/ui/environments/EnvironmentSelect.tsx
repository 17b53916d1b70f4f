import { Select, type SelectProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { environmentChoicesQuery } from '../../api/queries/inventory/environments';

/** Options in the list at a time; the search field finds more environments. */
const MAX_OPTIONS = 100;

interface Props extends Omit<SelectProps, 'data' | 'multiple'> {
  /** First option, whose value is the empty text, for the absence of a limit. */
  all?: string;
}

export function EnvironmentSelect({ all, ...props }: Props) {
  const { data, error } = useQuery(environmentChoicesQuery);
  const items = (data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Select
      searchable={items.length > 8}
      limit={MAX_OPTIONS}
      nothingFoundMessage="No environments match"
      data={all === undefined ? items : [{ value: '', label: all }, ...items]}
      allowDeselect={!props.withAsterisk}
      error={error ? 'The environments could not be loaded.' : undefined}
      {...props}
    />
  );
}
