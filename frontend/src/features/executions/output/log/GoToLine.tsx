import { Group, NumberInput } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import classes from '../lines/output.module.css';

interface Props {
  first: number;
  last: number;
  onGo: (position: number) => void;
  onClose: () => void;
}

/** Asks for the number of a line. Enter goes there, Escape closes. */
export function GoToLine({ first, last, onGo, onClose }: Props) {
  const [value, setValue] = useState<string | number>('');
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === 'Escape') return onClose();
    if (event.key !== 'Enter' || value === '') return;
    event.preventDefault();
    onGo(Math.min(last, Math.max(first, Number(value))));
  };
  return (
    <Group className={classes.goTo} gap="xs">
      <NumberInput
        data-autofocus
        autoFocus
        aria-label="Go to line"
        placeholder={`Line ${first} to ${last}`}
        value={value}
        onChange={setValue}
        min={1}
        hideControls
        allowDecimal={false}
        allowNegative={false}
        w={180}
        onKeyDown={onKeyDown}
        onBlur={onClose}
      />
    </Group>
  );
}
