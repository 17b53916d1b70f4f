import { Select, type SelectProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { collectionsQuery } from '../../api/queries/plans/collections';
import { collectionChoices } from './collection-tree';

interface Props extends Omit<SelectProps<string>, 'data' | 'multiple' | 'value' | 'defaultValue' | 'onChange'> {
  value?: string | null;
  onChange?: (value: string | null) => void;
  /** A collection that is moved: it can't lie in itself. */
  without?: string | null;
  /** The choice of none. */
  none?: string;
}

/** Chooses a collection by its path, or none. */
export function CollectionSelect({ without = null, none = 'None', value, onChange, ...props }: Props) {
  const { data, error } = useQuery(collectionsQuery);
  return (
    <Select
      searchable={(data?.length ?? 0) > 8}
      // A choice like the others, so that it is made by keyboard like the others.
      data={[{ value: '', label: none }, ...collectionChoices(data ?? [], without)]}
      value={value ?? ''}
      onChange={(chosen) => onChange?.(chosen || null)}
      allowDeselect={false}
      nothingFoundMessage="No collection has this name"
      error={error ? 'The collections could not be loaded.' : undefined}
      {...props}
    />
  );
}
