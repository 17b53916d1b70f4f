import { Select, type SelectProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { collectionsQuery } from '../../api/queries/plans/collections';
import { collectionChoices } from './collection-tree';

interface Props extends Omit<SelectProps<string>, 'data' | 'multiple' | 'value' | 'defaultValue' | 'onChange'> {
  value?: string | null;
  onChange?: (value: string | null) => void;
  /** Collection that is being moved, which cannot be its own parent. */
  without?: string | null;
  none?: string;
}

export function CollectionSelect({ without = null, none = 'None', value, onChange, ...props }: Props) {
  const { data, error } = useQuery(collectionsQuery);
  return (
    <Select
      searchable={(data?.length ?? 0) > 8}
      // An ordinary option, so that the keyboard can select it.
      data={[{ value: '', label: none }, ...collectionChoices(data ?? [], without)]}
      value={value ?? ''}
      onChange={(chosen) => onChange?.(chosen || null)}
      allowDeselect={false}
      nothingFoundMessage="No collections match"
      error={error ? 'The collections could not be loaded.' : undefined}
      {...props}
    />
  );
}
