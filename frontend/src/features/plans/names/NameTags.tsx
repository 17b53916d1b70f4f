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
  const [typedText, setTypedText] = useState('');
  const completions = offersAt(typedText, typedText.length, names, grammar);
  const data = (completions?.offers ?? [])
    .filter(({ insert }) => insert.endsWith('}}'))
    .map(({ insert }) => typedText.slice(0, completions?.from) + insert);
  return (
    <div>
      <TagsInput
        {...field}
        value={value}
        searchValue={typedText}
        onSearchChange={setTypedText}
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
