import { TagsInput, type TagsInputProps } from '@mantine/core';
import { useState } from 'react';
import { NameFaults } from './NameFaults';
import type { Grammar, Names } from './names';
import { offersAt } from './offers';

interface Props extends TagsInputProps {
  value: string[];
  names: Names;
  grammar: Grammar;
}

/** Input for several texts with variables. A completion replaces the whole current text. */
export function NameTags({ names, grammar, value, ...field }: Props) {
  const [typed, setTyped] = useState('');
  const offering = offersAt(typed, typed.length, names, grammar);
  const data = (offering?.offers ?? [])
    .filter(({ insert }) => insert.endsWith('}}'))
    .map(({ insert }) => typed.slice(0, offering?.from) + insert);
  return (
    <div>
      <TagsInput
        {...field}
        value={value}
        searchValue={typed}
        onSearchChange={setTyped}
        data={data}
        filter={({ options }) => options}
        maxDropdownHeight={240}
        allowDuplicates
        acceptValueOnBlur
        splitChars={[]}
      />
      <NameFaults texts={value} names={names} grammar={grammar} />
    </div>
  );
}
