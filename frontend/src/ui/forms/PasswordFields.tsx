import { PasswordInput, type PasswordInputProps } from '@mantine/core';

export const MIN_PASSWORD_LENGTH = 12;

interface Props {
  password: PasswordInputProps;
  repeated: PasswordInputProps;
  label?: string;
}

export function PasswordFields({ password, repeated, label = 'New password' }: Props) {
  return (
    <>
      <PasswordInput
        label={label}
        description={`At least ${MIN_PASSWORD_LENGTH} characters. A few unrelated words are easy to remember.`}
        autoComplete="new-password"
        withAsterisk
        {...password}
      />
      <PasswordInput label="Repeat new password" autoComplete="new-password" withAsterisk {...repeated} />
    </>
  );
}

export const passwordError = (password: string): string | null =>
  [...password].length < MIN_PASSWORD_LENGTH ? `Use at least ${MIN_PASSWORD_LENGTH} characters.` : null;
export const repeatError = (repeated: string, password: string): string | null =>
  repeated === password ? null : 'The passwords differ.';
