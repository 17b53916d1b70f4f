import { NumberInput, type NumberInputProps } from '@mantine/core';
import { useState } from 'react';
import { numberOf, type TypedValue } from './typed-value';

interface Props extends Omit<NumberInputProps, 'value' | 'onChange'> {
  value: TypedValue;
  onChange: (value: TypedValue) => void;
}

/** Keeps an unfinished text, such as `1.` or `-`, while the value is the number that it means so far. */
export function NumberField({ value, onChange, ...props }: Props) {
  const [text, setText] = useState<string | number>('');
  const known = typeof value === 'number' || typeof value === 'string' ? value : '';
  return (
    <NumberInput
      {...props}
      value={numberOf(text) === known ? text : known}
      onChange={(next) => {
        setText(next);
        onChange(numberOf(next));
      }}
    />
  );
}
