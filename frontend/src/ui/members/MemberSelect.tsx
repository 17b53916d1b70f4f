import { Select, type SelectProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { memberChoicesQuery } from '../../api/queries/access/members';

/** Only for admins, because other members cannot list members. */
export function MemberSelect(props: Omit<SelectProps, 'data' | 'multiple'>) {
  const { data, error } = useQuery(memberChoicesQuery);
  const items = (data?.items ?? []).map(({ id, name, email, kind }) => ({
    value: id,
    label: `${name} (${kind === 'person' ? email : 'service account'})`,
  }));
  return (
    <Select
      searchable
      data={items}
      error={error ? 'The members could not be loaded.' : undefined}
      nothingFoundMessage="No members match"
      {...props}
    />
  );
}
