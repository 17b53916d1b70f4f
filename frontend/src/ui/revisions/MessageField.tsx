import { Textarea } from '@mantine/core';

const MAX_MESSAGE_LENGTH = 500;

interface Props {
  value: string;
  onChange: (value: string) => void;
  disabled?: boolean;
}

export function MessageField({ value, onChange, disabled }: Props) {
  return (
    <Textarea
      label="Change message (shown in the history)"
      size="xs"
      autosize
      minRows={1}
      maxRows={5}
      maxLength={MAX_MESSAGE_LENGTH}
      disabled={disabled}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
