import { CloseButton, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useSettledText } from './useSettledText';

interface Props {
  label: string;
  placeholder?: string;
  value: string;
  onChange: (value: string) => void;
  width?: number;
  mono?: boolean;
  error?: string;
}

/** Search box that reports its text after a pause in typing. */
export function SearchField({ label, placeholder, value, onChange, width = 220, mono = false, error }: Props) {
  const { text, write } = useSettledText({ value, onChange, pauseMs: 250 });
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
      classNames={mono ? { input: 'rw-mono-family' } : undefined}
      error={error}
    />
  );
}
