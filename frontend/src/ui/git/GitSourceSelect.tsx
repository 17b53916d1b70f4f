import { Select, type SelectProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { gitSourceChoicesQuery } from '../../api/queries/library/git-sources';

export function GitSourceSelect({ error, ...props }: Omit<SelectProps, 'data'>) {
  const sources = useQuery(gitSourceChoicesQuery);
  const data = (sources.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Select
      label="Git source"
      withAsterisk
      searchable
      data={data}
      placeholder={
        sources.data && data.length === 0 ? 'No git sources yet. Create one under Git sources.' : 'Choose a git source'
      }
      error={error ?? (sources.error ? 'The git sources could not be loaded.' : undefined)}
      {...props}
    />
  );
}
