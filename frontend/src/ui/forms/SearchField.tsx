import { CloseButton, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';

interface Props {
  label: string;
  placeholder?: string;
  value: string;
  onChange: (value: string) => void;
  width?: number;
  mono?: boolean;
  error?: string;
}

/** A search box that reports its text after a pause in typing. */
export function SearchField({ label, placeholder, value, onChange, width = 220, mono = false, error }: Props) {
  const [text, setText] = useState(value);
  const [seen, setSeen] = useState(value);
  // The URL may change from outside: back, a link, a cleared filter.
  if (value !== seen) {
    setSeen(value);
    setText(value);
  }
  const emit = useDebouncedCallback((next: string) => {
    setSeen(next);
    onChange(next);
  }, 250);
  const write = (next: string) => {
    setText(next);
    emit(next);
  };
  return (
    <TextInput
      aria-label={label}
      placeholder={placeholder ?? label}
      value={text}
      onChange={(event) => write(event.currentTarget.value)}
      leftSection={<IconSearch size={15} aria-hidden />}
      rightSection={
        text === '' ? null : <CloseButton size="xs" aria-label={`Clear: ${label}`} onClick={() => write('')} />
      }
      w={{ base: '100%', xs: width }}
      styles={mono ? { input: { fontFamily: 'var(--mantine-font-family-monospace)' } } : undefined}
      error={error}
    />
  );
}
